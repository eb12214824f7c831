//! Traces of a device: launches, transfers, waits and compilations on one time line.

mod chrome;
pub mod recorder;
mod roofline;
mod table;

use std::time::Duration;

pub use roofline::Costs;
pub use roofline::Roofline;

/// The kind of a [`Span`].
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
    /// A kernel was compiled, or loaded from the cache of compiled kernels.
    Compile,
}

/// An interval of time in a [`Trace`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// The kind of work.
    pub kind: SpanKind,
    /// The kernel's name; of a transfer or a wait, the call that caused it.
    pub name: String,
    /// Its start, counted from the profile's start.
    pub start: Duration,
    /// Its duration.
    pub duration: Duration,
    /// The least bytes moved: for a launch the bytes that its operation must read and write, or for a program's kernel
    /// each bound window of memory, once. 0 for waits and compilations.
    pub bytes: u64,
    /// Arithmetic operations; `None` where that is unknown, as in a program's own kernel.
    pub flops: Option<u64>,
    /// The number of launches in it: more than one where the device runs several as one object (a CUDA graph), 0 if it
    /// is no launch.
    pub launches: usize,
}

impl Span {
    /// When it ended.
    pub fn end(&self) -> Duration {
        self.start + self.duration
    }
}

/// The work of a device during `Device::profile`. Prints as a table; [`Trace::chrome_json`]
/// exports it for viewers.
#[derive(Clone, Debug)]
pub struct Trace {
    #[doc(hidden)]
    pub device: String,
    #[doc(hidden)]
    pub spans: Vec<Span>,
    #[doc(hidden)]
    pub total: Duration,
    #[doc(hidden)]
    pub device_clock: bool,
    #[doc(hidden)]
    pub roofline: Option<Roofline>,
}

impl Trace {
    /// All recorded spans, ordered by their start.
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

    /// Whether launches were timed by the device's own clock. Where it has none, or one that does not advance, each
    /// launch was submitted alone and waited for. Its duration is then measured on the host, and includes the
    /// submission.
    pub fn device_clock(&self) -> bool {
        self.device_clock
    }

    /// The peak speeds that the table's percentages refer to; `None` if they could not be measured.
    pub fn roofline(&self) -> Option<Roofline> {
        self.roofline
    }

    fn of(&self, kind: SpanKind) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.kind == kind)
    }
}
