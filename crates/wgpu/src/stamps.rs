//! Times of events: timestamps that passes without a launch write, in query sets that are made once and shared.

use super::Wgpu;
use crosslane_core::error::Result;
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

/// Timestamps in one set.
const COUNT: u32 = 64;
/// Bytes from one resolved timestamp to the next: no device wants more.
const STRIDE: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

/// The timestamps that no event holds.
pub(super) type Free = Arc<Mutex<Vec<(Arc<Set>, u32)>>>;

/// A query set and where its values are resolved to.
pub(super) struct Set {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// A timestamp of one event; the next event takes it when this one is gone.
pub(super) struct Stamp {
    set: Arc<Set>,
    index: u32,
    free: Free,
}

impl Drop for Stamp {
    fn drop(&mut self) {
        // What writes it next is submitted later.
        self.free.lock().expect("no panic while held").push((self.set.clone(), self.index));
    }
}

impl Wgpu {
    /// Writes the time at which everything submitted so far is done.
    pub(super) fn stamp(&self) -> Result<Stamp> {
        let stamp = self.free_stamp()?;
        let (queries, index) = (&stamp.set.queries, stamp.index);
        self.guarded("event", || {
            let mut commands = self.commands();
            let encoder = &mut commands.encoder;
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: queries,
                beginning_of_pass_write_index: None,
                end_of_pass_write_index: Some(index),
            };
            let pass = wgpu::ComputePassDescriptor { label: Some("event"), timestamp_writes: Some(writes) };
            drop(encoder.begin_compute_pass(&pass));
            encoder.resolve_query_set(queries, index..index + 1, &stamp.set.resolved, index as u64 * STRIDE);
            self.queue_up(commands)
        })??;
        Ok(stamp)
    }

    fn free_stamp(&self) -> Result<Stamp> {
        let free = self.stamps.clone();
        let taken = free.lock().expect("no panic while held").pop();
        let (set, index) = match taken {
            Some(taken) => taken,
            None => {
                let set = Arc::new(self.new_set()?);
                let mut all: Vec<_> = (0..COUNT).map(|index| (set.clone(), index)).collect();
                let first = all.pop().expect("there are several");
                free.lock().expect("no panic while held").extend(all);
                first
            }
        };
        Ok(Stamp { set, index, free })
    }

    fn new_set(&self) -> Result<Set> {
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = self.create_buffer("event", COUNT as u64 * STRIDE, usage)?;
        let descriptor =
            wgpu::QuerySetDescriptor { label: Some("events"), ty: wgpu::QueryType::Timestamp, count: COUNT };
        let queries = self.guarded("event", || self.device.create_query_set(&descriptor))?;
        Ok(Set { queries, resolved })
    }

    /// Reads timestamps that have been written.
    pub(super) fn ticks(&self, stamps: [&Stamp; 2]) -> Result<[u64; 2]> {
        let mapped = self.create_buffer("event", 16, BufferUsages::COPY_DST | BufferUsages::MAP_READ)?;
        let sent = self.guarded("event", || {
            let mut commands = self.commands();
            for (stamp, to) in stamps.iter().zip([0, 8]) {
                commands.encoder.copy_buffer_to_buffer(
                    &stamp.set.resolved,
                    stamp.index as u64 * STRIDE,
                    &mapped,
                    to,
                    8,
                );
            }
            self.queue_up(commands)
        })??;
        self.waits.one();
        self.map("event", &mapped, wgpu::MapMode::Read, 0..16, Some(sent))?;
        let view = mapped.get_mapped_range(..).map_err(|e| self.backend_error("event", e.to_string()))?;
        Ok([0, 8].map(|at| u64::from_le_bytes(view[at..at + 8].try_into().expect("eight bytes"))))
    }
}
