//! What wgpu says of calls, as errors.

use super::Wgpu;
use super::answers::{scoped, whatever};
use super::wait::NAP;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::platform::{BROWSER, Instant};
use std::time::Duration;
use wgpu::BufferUsages;

/// How long an error that nothing explains waits to be told that the device is lost. A poll takes wgpu's callback before it calls it,
/// after the callbacks of mappings that the loss made fail: what those wake may come here before the callback has run.
const GRACE: Duration = Duration::from_millis(500);

impl Wgpu {
    /// Called where a call begins that needs the device: as [`Wgpu::alive`], and the place where tests lose the device. It is
    /// destroyed then, and the call goes on as far as wgpu lets it.
    pub(super) fn begin(&self) -> Result<()> {
        if self.observer.loss.is_due() {
            self.device.destroy();
        }
        self.alive()
    }

    /// An error if the device is lost.
    pub(super) fn alive(&self) -> Result<()> {
        match &*self.lost.lock().expect("no panic while held") {
            None => Ok(()),
            Some(reason) => {
                Err(ErrorKind::DeviceLost { device: self.properties.label(), reason: reason.clone() }.into())
            }
        }
    }

    /// Runs `calls` and turns what wgpu says into an error.
    pub(super) fn guarded<R>(&self, operation: &'static str, calls: impl FnOnce() -> R) -> Result<R> {
        self.begin()?;
        let (result, error) = scoped(&self.device, &self.told, calls);
        self.alive()?;
        match error {
            None => Ok(result),
            Some(wgpu::Error::OutOfMemory { .. }) => {
                Err(Error::out_of_memory(operation, 0, None, self.properties.label()))
            }
            Some(other) => Err(self.backend_error(operation, other.to_string())),
        }
    }

    pub(super) fn backend_error(&self, operation: &'static str, message: String) -> Error {
        self.or_lost(ErrorKind::Backend { operation, device: self.properties.label(), message }.into())
    }

    /// The error, or that the device is lost: of a device that is destroyed wgpu says so only after another poll, and until
    /// then that objects are invalid.
    pub(super) fn or_lost(&self, error: Error) -> Error {
        // What the poll itself says is of no interest: the callback for a lost device is.
        let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(NAP) });
        let until = Instant::now() + GRACE;
        // A page has one thread, which nothing else can have kept the callback from.
        while !BROWSER
            && matches!(error.kind(), ErrorKind::Backend { .. })
            && self.alive().is_ok()
            && Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.alive().err().unwrap_or(error)
    }

    /// Unmaps a buffer. wgpu refuses that once the device is lost, and nothing is to be done about it.
    pub(super) fn unmap(&self, buffer: &wgpu::Buffer) {
        whatever(&self.device, || buffer.unmap());
    }

    pub(super) fn create_buffer(
        &self,
        operation: &'static str,
        size: u64,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor { label: Some(operation), size, usage, mapped_at_creation: false };
        self.guarded(operation, || self.device.create_buffer(&descriptor))
    }
}
