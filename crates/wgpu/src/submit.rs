//! Launches: looked up, recorded into passes and submitted.

use super::clock::{Clock, Moments};
use super::joined::Way;
use super::line::Commands;
use super::pipeline::{Groups, Pipeline};
use super::{Wgpu, lent};
use crosslane_core::error::Result;
use crosslane_core::work::{Cost, Launch};
use std::ops::Range;
use std::sync::Arc;

/// A launch with all that it needs.
#[derive(Clone)]
pub(super) struct Prepared {
    pub pipeline: Arc<Pipeline>,
    pub groups: Groups,
    pub params: Vec<u32>,
    pub grid: [u32; 3],
    pub cost: Cost,
}

/// Launches in one submission: the device begins with the first while the host records the next.
pub(super) const TOGETHER: usize = 128;

impl Prepared {
    /// Into a pass that has its pipeline.
    pub(super) fn dispatch(&self, pass: &mut wgpu::ComputePass, uniforms: Option<(&wgpu::BindGroup, u32)>) {
        pass.set_bind_group(0, &self.groups.first, &[]);
        for (group, index) in self.groups.more.iter().flat_map(|more| more.iter()).zip(1..) {
            pass.set_bind_group(index, group, &[]);
        }
        if self.pipeline.immediates {
            pass.set_immediates(0, bytemuck::cast_slice(&self.params));
        }
        if let Some((uniforms, offset)) = uniforms.filter(|_| self.pipeline.uniform) {
            pass.set_bind_group(1, uniforms, &[offset]);
        }
        let [x, y, z] = self.grid;
        pass.dispatch_workgroups(x, y, z);
    }
}

impl Wgpu {
    /// Looks up each launch's pipeline and bind group.
    pub(super) fn look_up(&self, launches: &[Launch]) -> Result<Vec<Prepared>> {
        refuse_lent(launches)?;
        let caps = &self.properties.caps;
        let one = |launch: &Launch| {
            let recorder = &self.observer.recorder;
            let pipeline = self.cache.pipeline(&self.device, &self.properties, caps, &launch.kernel, recorder)?;
            let groups = self.cache.groups(&self.device, &pipeline, &launch.kernel, &launch.buffers);
            let (params, grid, cost) = (launch.params.clone(), launch.grid.fold(caps.grid), launch.cost());
            Ok(Prepared { pipeline, groups, params, grid, cost })
        };
        let made: Result<Vec<Prepared>> = self.guarded("launch", || launches.iter().map(one).collect())?;
        made.map_err(|error| self.or_lost(error))
    }

    /// Records launches into one compute pass.
    pub(super) fn record(&self, commands: &mut Commands, launches: &[Prepared]) -> Result<()> {
        if launches.is_empty() {
            return Ok(());
        }
        commands.needs_large_stack |= launches.iter().any(|launch| launch.pipeline.needs_large_stack);
        let (uniforms, offsets) = self.write_uniforms(commands, launches)?;
        let moments = self.clock().as_mut().and_then(Clock::next);
        let timestamp_writes = moments.as_ref().map(Moments::writes);
        let label = Some(launches[0].pipeline.kernel.name());
        let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes };
        let mut pass = commands.encoder.begin_compute_pass(&descriptor);
        dispatch(&mut pass, launches, uniforms.as_ref(), &offsets);
        Ok(())
    }

    /// Submits what [`Wgpu::look_up`] made of launches.
    pub(super) fn submit_launches(&self, prepared: &[Prepared], launches: &[Launch]) -> Result<()> {
        self.alive()?;
        if let Some(timer) = &mut *self.timer() {
            return self.submit_timed(prepared, launches, timer);
        }
        let _turn = match self.join(prepared, launches)? {
            Way::Kept => return Ok(()),
            Way::Now(turn) => Some(turn),
            Way::Alone => None,
        };
        self.guarded("submit", || {
            submissions(launches).into_iter().try_for_each(|part| {
                let mut commands = self.commands();
                commands.launches(&launches[part.clone()]);
                self.record(&mut commands, &prepared[part])?;
                self.queue_up(commands).map(|_| ())
            })
        })?
    }
}

/// Which launches go into one submission: [`TOGETHER`] at most, and each slice alone, since a system's watchdog may time
/// submissions.
fn submissions(launches: &[Launch]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = vec![];
    let is_alone = |launch: &Launch| launch.kernel.is_slice();
    for (index, launch) in launches.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if part.len() < TOGETHER && !is_alone(launch) && !is_alone(&launches[index - 1]) => {
                part.end += 1
            }
            _ => parts.push(index..index + 1),
        }
    }
    parts
}

/// An error if the host sees memory that one of the launches uses.
pub(super) fn refuse_lent(launches: &[Launch]) -> Result<()> {
    match launches.iter().flat_map(|launch| &launch.buffers).any(|window| window.memory.is_lent()) {
        true => Err(lent("launch")),
        false => Ok(()),
    }
}

/// Records launches into a pass. The parameters of some lie at these offsets of `uniforms`.
pub(super) fn dispatch(
    pass: &mut wgpu::ComputePass,
    launches: &[Prepared],
    uniforms: Option<&wgpu::BindGroup>,
    offsets: &[u32],
) {
    let mut current: *const Pipeline = std::ptr::null();
    for (index, launch) in launches.iter().enumerate() {
        if current != Arc::as_ptr(&launch.pipeline) {
            pass.set_pipeline(&launch.pipeline.raw);
            current = Arc::as_ptr(&launch.pipeline);
        }
        launch.dispatch(pass, uniforms.map(|uniforms| (uniforms, offsets[index])));
    }
}
