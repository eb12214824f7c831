//! What a device did, and when: launches, transfers, waits and compilations on one time line.

mod chrome;
pub(crate) mod recorder;
mod roofline;
mod table;

use std::time::Duration;

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

/// What a device did during [`Device::profile`](crate::Device::profile). Prints as a table; [`Trace::chrome_json`] draws it.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(crate) device: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) total: Duration,
    pub(crate) device_clock: bool,
    pub(crate) roofline: Option<Roofline>,
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
