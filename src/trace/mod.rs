//! What a device did, and when: launches, transfers, waits and compilations on one time line.

mod chrome;
pub(crate) mod recorder;
mod roofline;
mod table;

use crate::device::Device;
use crate::error::{CallSite, Error, Result};
use std::panic::Location;
use std::time::{Duration, Instant};

pub use roofline::Roofline;

/// What a [`Span`] was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpanKind {
    /// A kernel on the device.
    Launch,
    /// A copy from the host to the device, by the host's clock.
    Upload,
    /// A copy from the device to the host, by the host's clock.
    Download,
    /// The host waited for the device.
    Wait,
    /// A kernel was made ready: compiled, or loaded from where compiled ones are kept.
    Compile,
}

/// A piece of time in a [`Trace`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// What it was spent on.
    pub kind: SpanKind,
    /// The kernel's name; of a transfer or a wait, what asked for it.
    pub name: String,
    /// When it began, from the profile's start on.
    pub start: Duration,
    /// How long it took.
    pub duration: Duration,
    /// Bytes moved, at least: of a launch what its operation must read and write, or for a program's kernel each
    /// window of memory that is bound to it, once. 0 for waits and compilations.
    pub bytes: u64,
    /// Arithmetic operations; `None` where nobody knows, as in a program's own kernel.
    pub flops: Option<u64>,
    /// Launches in it: more than one where the device runs several as one object (a CUDA graph), 0 if it is none.
    pub launches: usize,
}

impl Span {
    /// When it ended.
    pub fn end(&self) -> Duration {
        self.start + self.duration
    }
}

/// What a device did during [`Device::profile`]. Prints as a table; [`Trace::chrome_json`] draws it.
#[derive(Clone, Debug)]
pub struct Trace {
    device: String,
    spans: Vec<Span>,
    total: Duration,
    device_clock: bool,
    roofline: Option<Roofline>,
}

impl Trace {
    /// Everything that was recorded, by its start.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// From the start of the work until the device was done with it, by the host's clock.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The time in which at least one launch was running.
    pub fn device_busy(&self) -> Duration {
        let (mut busy, mut until) = (Duration::ZERO, Duration::ZERO);
        for span in self.of(SpanKind::Launch) {
            busy += span.end().saturating_sub(span.start.max(until));
            until = until.max(span.end());
        }
        busy
    }

    /// Whether launches were timed by the device's own clock. Where it has none, or one that stands still, each launch was
    /// submitted alone and waited for, and its duration is what the host saw: longer by what a submission takes.
    pub fn device_clock(&self) -> bool {
        self.device_clock
    }

    /// What the percentages in the table are of; `None` if it could not be measured.
    pub fn roofline(&self) -> Option<Roofline> {
        self.roofline
    }

    fn of(&self, kind: SpanKind) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.kind == kind)
    }
}

impl Device {
    /// Runs `work` and gives what the device did meanwhile: each launch with its kernel's name and its time on the
    /// device, each transfer, wait and compilation, on one time line that begins with the work.
    ///
    /// Waits before and after. While it records, each launch is a pass of its own between two timestamps, which costs
    /// some microseconds each and keeps launches apart that could overlap; [`Device::gpu_time`] gives `None`. What other
    /// threads ask of the device meanwhile is recorded too. The first profile on a device also measures its
    /// [`Device::roofline`], afterwards.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, SpanKind};
    /// let x = Array::from_slice(device, &vec![1.0f32; 100_000]);
    /// let (sum, trace) = device.profile(|| (&x * 2.0).sum().item())?;
    /// assert_eq!(sum, 200_000.0);
    /// println!("{trace}");
    /// let kernels = trace.spans().iter().filter(|span| span.kind == SpanKind::Launch);
    /// assert!(kernels.clone().count() >= 1 && kernels.map(|span| span.duration).sum::<std::time::Duration>() <= trace.total());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a profile of this device is running already; what `work` gives; a kernel that does not end; device lost.
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
