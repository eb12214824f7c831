//! Waiting: for work, and for memory to be mapped; asking first, sleeping then.
//!
//! Never poll with a zero timeout: if a wait ends before the work does, wgpu-core 30 reads what is done, then whether
//! anything is left, and panics if another thread has seen the rest end in between (`Device::maintain`; seen on an
//! H200).

use super::Wgpu;
use super::line::Ticket;
use crosslane_core::error::Result;
use crosslane_core::platform::{BROWSER, Instant};
use crosslane_core::properties::DeviceKind;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wgpu::MapMode;

/// How long to ask again and again before sleeping: a blocking wait costs 50 us on the H200, asking 28 (2026-11-21).
const SPIN: Duration = Duration::from_millis(2);
/// How long other threads that use a small result may be kept from submitting.
const SOON: Duration = Duration::from_micros(100);
/// The longest single sleep; then it is seen whether the device is lost.
pub(super) const NAP: Duration = Duration::from_secs(2);
/// The same where the submission to wait for is unknown: it may be done before the last is, which others go on making.
const DOZE: Duration = Duration::from_micros(100);

impl Wgpu {
    pub(super) fn spin(&self) -> Duration {
        // A software device needs the processor that spinning would take.
        if self.properties.kind == DeviceKind::Software { Duration::ZERO } else { SPIN }
    }

    /// Waits until `done`, which comes with this submission or soon after it: asking first and sleeping then. What others
    /// submit later is not waited for.
    pub(super) fn wait_for(
        &self,
        operation: &'static str,
        submission: Option<&Ticket>,
        done: impl Fn() -> bool,
    ) -> Result<()> {
        if BROWSER {
            return if done() { Ok(()) } else { self.await_work(operation) };
        }
        let _span = self.observer.recorder.wait(operation);
        let start = Instant::now();
        let (mut spinning, mut submission) = (true, submission);
        loop {
            if done() {
                return Ok(());
            }
            let poll = match (spinning, submission) {
                (true, _) => wgpu::PollType::Poll,
                (false, Some(ticket)) => {
                    wgpu::PollType::Wait { submission_index: Some(ticket.index.clone()), timeout: Some(NAP) }
                }
                (false, None) => {
                    std::thread::sleep(DOZE);
                    wgpu::PollType::Poll
                }
            };
            let polled = self.device.poll(poll);
            self.alive()?;
            match polled {
                Ok(wgpu::PollStatus::QueueEmpty) if !spinning => std::thread::yield_now(),
                // Another thread is about to say so; or it belongs to work that the program submitted itself.
                Ok(wgpu::PollStatus::WaitSucceeded) | Err(wgpu::PollError::WrongSubmissionIndex(..)) => {
                    submission = None;
                    std::thread::yield_now();
                }
                Ok(_) | Err(wgpu::PollError::Timeout) => {}
            }
            spinning = start.elapsed() < self.spin();
        }
    }

    /// Waits for a submission and those before it.
    pub(super) fn reach(&self, operation: &'static str, ticket: &Ticket) -> Result<()> {
        let _span = self.observer.recorder.wait(operation);
        let start = Instant::now();
        loop {
            let poll = match start.elapsed() < self.spin() {
                true => wgpu::PollType::Poll,
                false => wgpu::PollType::Wait { submission_index: Some(ticket.index.clone()), timeout: Some(NAP) },
            };
            match self.device.poll(poll) {
                // One that wgpu refused is done, too.
                Ok(wgpu::PollStatus::QueueEmpty | wgpu::PollStatus::WaitSucceeded)
                | Err(wgpu::PollError::WrongSubmissionIndex(..)) => return self.alive(),
                Ok(wgpu::PollStatus::Poll) | Err(wgpu::PollError::Timeout) => {}
            }
            self.alive()?;
            if self.line.is_finished(ticket) {
                return Ok(());
            }
        }
    }

    /// Maps a range of a buffer, which this submission used last, and waits for it.
    pub(super) fn map(
        &self,
        operation: &'static str,
        buffer: &wgpu::Buffer,
        mode: MapMode,
        range: Range<u64>,
        last: Option<Ticket>,
    ) -> Result<()> {
        let mapping = self.begin_map(operation, buffer, mode, range, last)?;
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

    pub(super) fn mapped(&self, operation: &'static str, mapping: &Mapping) -> Result<()> {
        self.wait_for(operation, mapping.last().as_ref(), || mapping.done.load(Ordering::Acquire))?;
        match mapping.failed.load(Ordering::Relaxed) {
            true => Err(self.backend_error(operation, "the memory could not be mapped".into())),
            false => Ok(()),
        }
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
        let mapping = self.begin_map(operation, buffer, mode, range, None)?;
        let start = Instant::now();
        while !mapping.done.load(Ordering::Acquire) {
            if start.elapsed() > SOON {
                self.unmap(buffer);
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
        last: Option<Ticket>,
    ) -> Result<Arc<Mapping>> {
        let mapping = Arc::new(Mapping::default());
        self.guarded(operation, || mapping.begin(buffer, mode, range, last))?;
        Ok(mapping)
    }
}

/// What has become of a mapping.
#[derive(Default)]
pub(super) struct Mapping {
    pub done: AtomicBool,
    pub failed: AtomicBool,
    /// What used the memory last.
    last: Mutex<Option<Ticket>>,
}

impl Mapping {
    /// Of memory that is mapped already, or not.
    pub fn new(done: bool) -> Mapping {
        Mapping { done: AtomicBool::new(done), ..Mapping::default() }
    }

    pub fn begin(self: &Arc<Mapping>, buffer: &wgpu::Buffer, mode: MapMode, range: Range<u64>, last: Option<Ticket>) {
        self.done.store(false, Ordering::Relaxed);
        *self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = last;
        let inside = self.clone();
        buffer.map_async(mode, range, move |result| {
            inside.failed.store(result.is_err(), Ordering::Relaxed);
            inside.done.store(true, Ordering::Release);
        });
    }

    fn last(&self) -> Option<Ticket> {
        self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}
