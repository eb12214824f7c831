//! Waiting: for work, and for memory to be mapped; asking first, sleeping then.

use super::Wgpu;
use crate::device::Kind;
use crate::error::{Error, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wgpu::MapMode;

/// How long to ask again and again before sleeping: a blocking wait costs 50 us on the H200, asking 28 (2026-11-21).
const SPIN: Duration = Duration::from_millis(2);
/// How long a small result may keep other threads from submitting.
const SOON: Duration = Duration::from_micros(100);
/// The longest single sleep; then it is seen whether the device is lost.
const NAP: Duration = Duration::from_secs(2);

impl Wgpu {
    pub(super) fn spin(&self) -> Duration {
        // A software device needs the processor that spinning would take.
        if self.properties.kind == Kind::Software { Duration::ZERO } else { SPIN }
    }

    /// Waits until `done`, asking first and sleeping then.
    pub(super) fn wait_for(&self, operation: &'static str, done: impl Fn() -> bool) -> Result<()> {
        let _span = self.observer.recorder.wait(operation);
        let start = Instant::now();
        loop {
            if done() {
                return Ok(());
            }
            let spinning = start.elapsed() < self.spin();
            let poll = match spinning {
                true => wgpu::PollType::Poll,
                false => wgpu::PollType::Wait { submission_index: None, timeout: Some(NAP) },
            };
            let polled = self.device.poll(poll);
            self.alive()?;
            match polled {
                Ok(wgpu::PollStatus::QueueEmpty) if done() => return Ok(()),
                Ok(wgpu::PollStatus::QueueEmpty) if !spinning => std::thread::yield_now(),
                Ok(_) | Err(wgpu::PollError::Timeout) => {}
                Err(error) => return Err(self.backend_error(operation, error.to_string())),
            }
        }
    }

    /// Maps a range of a buffer and waits for it.
    pub(super) fn map(
        &self,
        operation: &'static str,
        buffer: &wgpu::Buffer,
        mode: MapMode,
        range: Range<u64>,
    ) -> Result<()> {
        let mapping = self.begin_map(operation, buffer, mode, range)?;
        self.mapped(operation, &mapping)
    }

    /// Waits for a mapping that has begun, and counts it if it is not done.
    pub(super) fn mapped_counted(&self, operation: &'static str, mapping: &Mapping) -> Result<()> {
        let _ = self.device.poll(wgpu::PollType::Poll); // what it says comes out again below
        if !mapping.done.load(Ordering::Acquire) {
            self.waits.one();
        }
        self.mapped(operation, mapping)
    }

    fn mapped(&self, operation: &'static str, mapping: &Mapping) -> Result<()> {
        self.wait_for(operation, || mapping.done.load(Ordering::Acquire))?;
        match mapping.failed.load(Ordering::Relaxed) {
            true => Err(self.map_failed(operation)),
            false => Ok(()),
        }
    }

    /// Why memory could not be mapped: that the device is lost, if it is, which is known only after another poll.
    pub(super) fn map_failed(&self, operation: &'static str) -> Error {
        // What the poll itself says is of no interest: the callback for a lost device is.
        let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(NAP) });
        self.alive().err().unwrap_or_else(|| self.backend_error(operation, "the memory could not be mapped".into()))
    }

    /// Maps a range of a buffer if that can be done within a short time; false, and not mapped, if not.
    pub(super) fn map_soon(
        &self,
        operation: &'static str,
        buffer: &wgpu::Buffer,
        mode: MapMode,
        range: Range<u64>,
    ) -> Result<bool> {
        let _span = self.observer.recorder.wait(operation);
        let mapping = self.begin_map(operation, buffer, mode, range)?;
        let start = Instant::now();
        while !mapping.done.load(Ordering::Acquire) {
            if start.elapsed() > SOON {
                buffer.unmap();
                return Ok(false);
            }
            let _ = self.device.poll(wgpu::PollType::Poll);
        }
        self.alive()?;
        Ok(!mapping.failed.load(Ordering::Relaxed))
    }

    pub(super) fn begin_map(
        &self,
        operation: &'static str,
        buffer: &wgpu::Buffer,
        mode: MapMode,
        range: Range<u64>,
    ) -> Result<Arc<Mapping>> {
        let mapping = Arc::new(Mapping::default());
        let inside = mapping.clone();
        self.guarded(operation, || {
            buffer.map_async(mode, range, move |result| {
                inside.failed.store(result.is_err(), Ordering::Relaxed);
                inside.done.store(true, Ordering::Release);
            });
        })?;
        Ok(mapping)
    }
}

/// What has become of a mapping.
#[derive(Default)]
pub(super) struct Mapping {
    pub done: AtomicBool,
    pub failed: AtomicBool,
}
