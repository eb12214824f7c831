//! The recorder that engines write to while a profile runs.

use super::{Span, SpanKind};
use crate::platform::Instant;
use crate::work::{Cost, Launch, Read, Write};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Waits by this name are the profile's own, and not recorded.
pub const OWN: &str = "profile";

/// What an engine did since a profile began. Asking whether one runs costs a nanosecond.
#[derive(Default)]
pub struct Recorder {
    running: AtomicBool,
    reserved: AtomicBool,
    spans: Mutex<Vec<Timed>>,
}

/// A [`Span`] by the host's own clock.
pub struct Timed {
    /// A launch, a transfer, or a wait.
    pub kind: SpanKind,
    /// The work that took the time.
    pub task: Task,
    /// The beginning, by the host's clock.
    pub start: Instant,
    /// The time until the end.
    pub duration: Duration,
}

/// A launch, or several that the device runs as one; or what else took time.
pub struct Task {
    /// The kernel's name, or that of a transfer or a wait.
    pub name: String,
    /// Bytes moved and operations, at least.
    pub cost: Cost,
    /// How many launches it stands for; 0 for transfers and waits.
    pub launches: usize,
}

impl Task {
    /// The task of one launch.
    pub fn of(launch: &Launch) -> Task {
        Task { name: launch.kernel.name().into(), cost: launch.cost(), launches: 1 }
    }
}

/// A launch by the device's clock: nanoseconds from a moment that the host's clock knows too.
pub struct Launched {
    /// The launch, with its name and cost.
    pub task: Task,
    /// When the host submitted it.
    pub submitted: Instant,
    /// The beginning in nanoseconds, by the device's clock.
    pub start: f64,
    /// The time that it ran, in nanoseconds.
    pub duration: f64,
}

impl Timed {
    /// The span, with its beginning counted from `start`; zero if it began before.
    pub fn since(self, start: Instant) -> Span {
        let Task { name, cost, launches } = self.task;
        Span {
            kind: self.kind,
            name,
            start: self.start.saturating_duration_since(start),
            duration: self.duration,
            bytes: cost.bytes,
            flops: cost.flops,
            launches,
        }
    }
}

impl Recorder {
    fn spans(&self) -> MutexGuard<'_, Vec<Timed>> {
        self.spans.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether a profile runs.
    #[inline]
    pub fn running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    /// Takes the recorder for one profile; false if another has it.
    pub fn reserve(&self) -> bool {
        !self.reserved.swap(true, Ordering::AcqRel)
    }

    /// Gives the recorder back, for another profile.
    pub fn release(&self) {
        self.reserved.store(false, Ordering::Release);
    }

    /// Drops older spans and begins to record.
    pub fn start(&self) {
        self.spans().clear();
        self.running.store(true, Ordering::Release);
    }

    /// Ends recording; the spans stay until [`Recorder::take`].
    pub fn stop(&self) {
        self.running.store(false, Ordering::Release);
    }

    /// Takes the spans out, in the order in which they were added.
    pub fn take(&self) -> Vec<Timed> {
        mem::take(&mut self.spans())
    }

    /// Adds a span, whether or not a profile runs.
    pub fn add(&self, timed: Timed) {
        self.spans().push(timed);
    }

    /// Records a span from this call until the returned value is dropped.
    #[inline]
    #[must_use = "the span ends when it is dropped"]
    pub fn open(&self, kind: SpanKind, name: &str, bytes: u64) -> Option<Open<'_>> {
        (self.running() && name != OWN).then(|| {
            let task = Task { name: name.into(), cost: Cost { bytes, flops: None }, launches: 0 };
            Open { recorder: self, timed: Some(Timed { kind, task, start: Instant::now(), duration: Duration::ZERO }) }
        })
    }

    /// The host waits for the device.
    #[inline]
    #[must_use = "the span ends when it is dropped"]
    pub fn wait(&self, name: &'static str) -> Option<Open<'_>> {
        self.open(SpanKind::Wait, name, 0)
    }

    /// A transfer to the device.
    #[must_use = "the span ends when it is dropped"]
    pub fn upload(&self, writes: &[Write]) -> Option<Open<'_>> {
        let bytes = || writes.iter().map(|write| write.from.len() as u64).sum();
        self.running().then(|| self.open(SpanKind::Upload, "upload", bytes()))?
    }

    /// A transfer to the host.
    #[must_use = "the span ends when it is dropped"]
    pub fn download(&self, reads: &[Read]) -> Option<Open<'_>> {
        let bytes = || reads.iter().map(|read| read.to.len() as u64).sum();
        self.running().then(|| self.open(SpanKind::Download, "download", bytes()))?
    }

    /// Adds launches by the device's clock, which showed 0 when the host's showed `zero` or a little later: none of them
    /// began before it was submitted.
    pub fn add_launches(&self, zero: Instant, launches: Vec<Launched>) {
        let asked = |launch: &Launched| match launch.submitted.checked_duration_since(zero) {
            Some(after) => after.as_nanos() as f64,
            None => -(zero.duration_since(launch.submitted).as_nanos() as f64),
        };
        let late = launches.iter().map(|launch| asked(launch) - launch.start).fold(0.0, f64::max);
        let mut spans = self.spans();
        for Launched { task, start, duration, .. } in launches {
            let start = zero + Duration::from_nanos((start + late).max(0.0) as u64);
            let duration = Duration::from_nanos(duration.max(0.0) as u64);
            spans.push(Timed { kind: SpanKind::Launch, task, start, duration });
        }
    }
}

/// A span that has not ended.
pub struct Open<'a> {
    recorder: &'a Recorder,
    timed: Option<Timed>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(mut timed) = self.timed.take() {
            timed.duration = timed.start.elapsed();
            self.recorder.add(timed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_recorded_unless_it_runs() {
        let recorder = Recorder::default();
        drop(recorder.open(SpanKind::Upload, "upload", 8));
        assert!(recorder.reserve() && !recorder.reserve());
        recorder.start();
        drop(recorder.open(SpanKind::Upload, "upload", 8));
        drop(recorder.wait(OWN));
        recorder.stop();
        drop(recorder.wait("wait"));
        let spans = recorder.take();
        assert_eq!(
            spans.iter().map(|timed| (timed.kind, timed.task.cost.bytes)).collect::<Vec<_>>(),
            [(SpanKind::Upload, 8)]
        );
        recorder.release();
        assert!(recorder.reserve());
    }

    #[test]
    fn no_launch_begins_before_it_was_submitted() {
        let recorder = Recorder::default();
        let zero = Instant::now();
        let at = |ns: u64| zero + Duration::from_nanos(ns);
        let task = || Task { name: "k".into(), cost: Cost { bytes: 0, flops: None }, launches: 1 };
        let launch = |submitted, start| Launched { task: task(), submitted, start, duration: 10.0 };
        recorder.add_launches(zero, vec![launch(at(100), 70.0), launch(at(50), 90.0)]);
        let starts: Vec<Instant> = recorder.take().iter().map(|timed| timed.start).collect();
        assert_eq!(starts, [at(100), at(120)]);
    }
}
