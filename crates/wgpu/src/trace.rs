//! Times of single launches while a profile runs: a compute pass for each, with timestamps at both ends.

use super::Wgpu;
use super::line::Commands;
use super::pipeline::Pipeline;
use super::submit::{Prepared, TOGETHER};
use crosslane_core::error::Result;
use crosslane_core::platform::Instant;
use crosslane_core::trace::SpanKind;
use crosslane_core::trace::recorder::{Launched, OWN, Task, Timed};
use crosslane_core::work::{Cost, Launch};
use std::sync::{Arc, MutexGuard};
use wgpu::BufferUsages;

/// Passes of one query set: there are as many sets as it takes.
const PASSES: usize = 512;
const SET_BYTES: u64 = PASSES as u64 * 16;

/// What has been timed since the profile began.
pub(super) struct Timer {
    /// A tick of the device's clock and the host's time then; `None` where each launch is waited for.
    zero: Option<(u64, Instant)>,
    sets: Vec<wgpu::QuerySet>,
    passes: Vec<Pass>,
}

struct Pass {
    pipeline: Arc<Pipeline>,
    cost: Cost,
    submitted: Instant,
}

impl Prepared {
    fn task(&self) -> Task {
        Task { name: self.pipeline.kernel.name().into(), cost: self.cost, launches: 1 }
    }
}

impl Timer {
    /// Where the next pass writes its times.
    fn next(&mut self, engine: &Wgpu, launch: &Prepared) -> wgpu::ComputePassTimestampWrites<'_> {
        let place = self.passes.len() % PASSES;
        if self.passes.len() == self.sets.len() * PASSES {
            self.sets.push(engine.query_set());
        }
        self.passes.push(Pass { pipeline: launch.pipeline.clone(), cost: launch.cost, submitted: Instant::now() });
        writes(self.sets.last().expect("just made"), place as u32)
    }

    /// The launches by the device's clock, `period` nanoseconds a tick.
    fn launches(self, zero: u64, ticks: &[u64], period: f64) -> Vec<Launched> {
        let launched = |(pass, times): (Pass, &[u64])| Launched {
            task: Task { name: pass.pipeline.kernel.name().into(), cost: pass.cost, launches: 1 },
            submitted: pass.submitted,
            start: times[0].wrapping_sub(zero) as i64 as f64 * period,
            duration: times[1].saturating_sub(times[0]) as f64 * period,
        };
        self.passes.into_iter().zip(ticks.chunks_exact(2)).map(launched).collect()
    }
}

fn writes(query_set: &wgpu::QuerySet, place: u32) -> wgpu::ComputePassTimestampWrites<'_> {
    wgpu::ComputePassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: Some(place * 2),
        end_of_pass_write_index: Some(place * 2 + 1),
    }
}

impl Wgpu {
    /// What times launches, if a profile runs.
    pub(super) fn timer(&self) -> MutexGuard<'_, Option<Timer>> {
        self.timer.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Begins to time launches; false where the host's clock must do.
    pub(super) fn start_timer(&self) -> Result<bool> {
        let zero = if self.properties.caps.timestamps { self.zero()? } else { None };
        *self.timer() = Some(Timer { zero, sets: vec![], passes: vec![] });
        Ok(zero.is_some())
    }

    pub(super) fn stop_timer(&self) -> Result<()> {
        let Some(timer) = self.timer().take() else { return Ok(()) };
        if let Some((tick, zero)) = timer.zero {
            let ticks =
                self.guarded("profile", || self.pass_ticks(self.commands(), &timer.sets, timer.passes.len()))??;
            let launches = timer.launches(tick, &ticks, self.queue.get_timestamp_period() as f64);
            self.observer.recorder.add_launches(zero, launches);
        }
        Ok(())
    }

    /// Both clocks at one moment, within the time that it takes to ask; none if the device's stands still.
    fn zero(&self) -> Result<Option<(u64, Instant)>> {
        let set = self.guarded("profile", || self.query_set())?;
        let mut last = 0;
        for _ in 0..2 {
            let before = Instant::now();
            let ticks = self.guarded("profile", || {
                let mut commands = self.commands();
                let timestamp_writes = Some(writes(&set, 0));
                drop(
                    commands
                        .encoder
                        .begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(OWN), timestamp_writes }),
                );
                self.pass_ticks(commands, std::slice::from_ref(&set), 1)
            })??;
            let tick = ticks[1];
            if last != 0 {
                return Ok((tick > last).then(|| (tick, before + before.elapsed() / 2)));
            }
            last = tick;
        }
        Ok(None)
    }

    fn query_set(&self) -> wgpu::QuerySet {
        let (ty, count) = (wgpu::QueryType::Timestamp, PASSES as u32 * 2);
        self.device.create_query_set(&wgpu::QuerySetDescriptor { label: Some(OWN), ty, count })
    }

    /// Both ends of this many passes, after what the encoder has.
    fn pass_ticks(&self, mut commands: Commands, sets: &[wgpu::QuerySet], passes: usize) -> Result<Vec<u64>> {
        if passes == 0 {
            return Ok(vec![]);
        }
        let bytes = sets.len() as u64 * SET_BYTES;
        let resolved = self.create_buffer(OWN, bytes, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let mapped = self.create_buffer(OWN, bytes, BufferUsages::COPY_DST | BufferUsages::MAP_READ)?;
        for (nth, set) in sets.iter().enumerate() {
            let used = (passes - nth * PASSES).min(PASSES) as u32;
            commands.encoder.resolve_query_set(set, 0..used * 2, &resolved, nth as u64 * SET_BYTES);
        }
        commands.encoder.copy_buffer_to_buffer(&resolved, 0, &mapped, 0, bytes);
        let sent = self.queue_up(commands)?;
        self.map(OWN, &mapped, wgpu::MapMode::Read, 0..bytes, Some(sent))?;
        let view = mapped.get_mapped_range(0..bytes).map_err(|e| self.backend_error(OWN, e.to_string()))?;
        let words = view.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")));
        Ok(words.take(passes * 2).collect())
    }

    /// As [`Wgpu::submit_launches`], each launch a pass of its own. The timer is held until all are submitted: its
    /// contents are complete when another thread takes it.
    pub(super) fn submit_timed(&self, prepared: &[Prepared], launches: &[Launch], timer: &mut Timer) -> Result<()> {
        if timer.zero.is_none() {
            return prepared
                .iter()
                .zip(launches)
                .try_for_each(|(prepared, launch)| self.submit_alone(prepared, launch));
        }
        self.guarded("submit", || {
            prepared.chunks(TOGETHER).zip(launches.chunks(TOGETHER)).try_for_each(|(prepared, launches)| {
                let mut commands = self.commands();
                commands.launches(launches);
                commands.needs_large_stack = prepared.iter().any(|launch| launch.pipeline.needs_large_stack);
                let (uniforms, offsets) = self.write_uniforms(&mut commands, prepared)?;
                for (index, launch) in prepared.iter().enumerate() {
                    let label = Some(launch.pipeline.kernel.name());
                    let timestamp_writes = Some(timer.next(self, launch));
                    let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes };
                    let mut pass = commands.encoder.begin_compute_pass(&descriptor);
                    pass.set_pipeline(&launch.pipeline.raw);
                    launch.dispatch(&mut pass, uniforms.as_ref().map(|uniforms| (uniforms, offsets[index])));
                }
                self.queue_up(commands).map(|_| ())
            })
        })?
    }

    /// Submits one launch on a device that is idle, and waits for it.
    fn submit_alone(&self, prepared: &Prepared, launch: &Launch) -> Result<()> {
        self.idle(OWN)?;
        let start = Instant::now();
        self.guarded("submit", || {
            let mut commands = self.commands();
            commands.launches(std::slice::from_ref(launch));
            self.record(&mut commands, std::slice::from_ref(prepared))?;
            self.queue_up(commands)
        })??;
        self.idle(OWN)?;
        let (kind, task, duration) = (SpanKind::Launch, prepared.task(), start.elapsed());
        self.observer.recorder.add(Timed { kind, task, start, duration });
        Ok(())
    }
}
