//! Time on the device: timestamps at the beginning and the end of each submission's pass.

use super::Wgpu;
use crosslane_core::error::Result;
use std::time::Duration;
use wgpu::BufferUsages;

/// Passes that one measurement can hold.
const PASSES: u32 = 2048;

/// A clock, made once and kept: making and freeing its memory between two measurements slows the second.
pub(super) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
    used: u32,
    running: bool,
}

/// Where one pass writes its times.
pub(super) struct Moments {
    queries: wgpu::QuerySet,
    begin: u32,
}

impl Moments {
    pub fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(self.begin),
            end_of_pass_write_index: Some(self.begin + 1),
        }
    }
}

impl Clock {
    pub fn new(engine: &Wgpu) -> Result<Clock> {
        let bytes = PASSES as u64 * 16;
        let resolved = engine.create_buffer("clock", bytes, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let mapped = engine.create_buffer("clock", bytes, BufferUsages::COPY_DST | BufferUsages::MAP_READ)?;
        let descriptor =
            wgpu::QuerySetDescriptor { label: Some("clock"), ty: wgpu::QueryType::Timestamp, count: PASSES * 2 };
        let queries = engine.guarded("clock", || engine.device.create_query_set(&descriptor))?;
        Ok(Clock { queries, resolved, mapped, used: 0, running: false })
    }

    pub fn start(&mut self) {
        (self.used, self.running) = (0, true);
    }

    pub fn runs(&self) -> bool {
        self.running
    }

    /// Where the next pass writes its times; `None` when the clock stands, or the set is full.
    pub fn next(&mut self) -> Option<Moments> {
        if !self.running {
            return None;
        }
        if self.used == PASSES {
            log::warn!("more than {PASSES} submissions in one measurement: the rest is not timed");
            return None;
        }
        let begin = self.used * 2;
        self.used += 1;
        Some(Moments { queries: self.queries.clone(), begin })
    }

    /// Waits, and sums the passes' times.
    pub fn stop(&mut self, engine: &Wgpu) -> Result<Duration> {
        self.running = false;
        if self.used == 0 {
            return Ok(Duration::ZERO);
        }
        let bytes = self.used as u64 * 16;
        let sent = engine.guarded("clock", || {
            let mut commands = engine.commands();
            commands.encoder.resolve_query_set(&self.queries, 0..self.used * 2, &self.resolved, 0);
            commands.encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, bytes);
            engine.queue_up(commands)
        })??;
        engine.map("clock", &self.mapped, wgpu::MapMode::Read, 0..bytes, Some(sent))?;
        let view = self.mapped.get_mapped_range(0..bytes).map_err(|e| engine.backend_error("clock", e.to_string()))?;
        let ticks: Vec<u64> =
            view.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes"))).collect();
        drop(view);
        engine.unmap(&self.mapped);
        let sum: u64 = ticks.chunks_exact(2).map(|pair| pair[1].saturating_sub(pair[0])).sum();
        Ok(Duration::from_secs_f64(sum as f64 * engine.queue.get_timestamp_period() as f64 * 1e-9))
    }
}
