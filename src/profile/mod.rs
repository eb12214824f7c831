//! Profiles: a trace of a device's work, and its peak speeds.

mod roofline;
mod worth;

pub use crosslane_core::occupancy::{Limiter, Occupancy};
pub use crosslane_core::trace::{Roofline, Span, SpanKind, Trace};
pub use worth::Worth;

use crate::device::Device;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::platform::Instant;
use std::panic::Location;

impl Device {
    /// Calls `work` and returns a trace of the device: each launch with its kernel's name and its time on the device,
    /// each transfer, wait and compilation, on one time line that begins with the work.
    ///
    /// Waits before and after. While recording, each launch is a pass of its own between two timestamps. That costs
    /// some microseconds a launch and prevents overlap; [`Device::gpu_time`] returns `None`. Work that other threads
    /// queue meanwhile is recorded too. The first profile on a device also measures its [`Device::roofline`],
    /// afterwards.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::profile::SpanKind;
    /// let x = Array::from_slice(device, &vec![1.0f32; 100_000]);
    /// let (sum, trace) = device.profile(|| (&x * 2.0).sum().item())?;
    /// assert_eq!(sum, 200_000.0);
    /// println!("{trace}");
    /// let kernels = trace.spans().iter().filter(|span| span.kind == SpanKind::Launch);
    /// assert!(kernels.clone().count() >= 1 && kernels.map(|span| span.duration).sum::<std::time::Duration>() <= trace.total());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a profile of this device is running already; the error of `work`; a kernel that does not end; device
    /// lost.
    #[doc(alias = "nsys")]
    #[doc(alias = "profiler")]
    #[track_caller]
    pub fn profile<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<(R, Trace)> {
        let recording = Recording::begin(self, Location::caller())?;
        let result = work();
        let trace = recording.end();
        Ok((result?, trace?))
    }
}

/// A profile under way; dropped, it ends.
struct Recording<'a> {
    device: &'a Device,
    device_clock: bool,
    start: Instant,
}

impl Recording<'_> {
    fn begin(device: &Device, at: CallSite) -> Result<Recording<'_>> {
        let driver = device.driver();
        if !driver.observer().recorder.reserve() {
            let wanted = "no profile that is running already: they cannot be nested";
            return Err(Error::argument("profile", "device", wanted, "one of another profile", at));
        }
        let mut recording = Recording { device, device_clock: false, start: Instant::now() };
        driver.wait()?;
        recording.device_clock = driver.start_trace()?;
        recording.start = Instant::now();
        driver.observer().recorder.start();
        Ok(recording)
    }

    fn end(self) -> Result<Trace> {
        let driver = self.device.driver();
        let recorder = &driver.observer().recorder;
        driver.wait()?;
        let total = self.start.elapsed();
        recorder.stop();
        driver.stop_trace()?;
        let (start, device_clock, device) = (self.start, self.device_clock, self.device.clone());
        let mut spans: Vec<Span> = recorder.take().into_iter().map(|timed| timed.since(start)).collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.duration)));
        drop(self);
        device.look(true)?;
        let measured = device.roofline().inspect_err(|error| log::info!("no roofline: {error}"));
        Ok(Trace { device: device.properties().to_string(), spans, total, device_clock, roofline: measured.ok() })
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        let driver = self.device.driver();
        driver.observer().recorder.stop();
        if let Err(error) = driver.stop_trace() {
            log::info!("the end of a profile: {error}");
        }
        driver.observer().recorder.release();
    }
}
