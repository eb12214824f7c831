//! Times of single launches while a profile runs: an event before and after each, in the stream.

use super::Cuda;
use super::context::Context;
use super::event::Event;
use crosslane_core::error::Result;
use crosslane_core::trace::recorder::{Launched, OWN, Task};
use cudarc::driver::sys::CUstream;
use std::mem;
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

/// Launches whose events are kept before their times are taken and the events used again.
const KEPT: usize = 4096;

/// What has been timed since the profile began.
pub(super) struct Timer {
    context: Arc<Context>,
    /// The host's time when the first event passed.
    zero: Instant,
    /// An event that has passed, and its nanoseconds after the first.
    last: (Event, f64),
    /// What has been submitted since, with the event before and after it.
    open: Vec<(Task, Instant, [Event; 2])>,
    spare: Vec<[Event; 2]>,
    launches: Vec<Launched>,
}

impl Timer {
    /// On a card that is idle.
    fn new(context: &Arc<Context>) -> Result<Timer> {
        let first = Event::new(context, true)?;
        let before = Instant::now();
        first.record(context.stream)?;
        context.synchronize(OWN)?;
        let zero = before + before.elapsed() / 2;
        let (open, spare, launches) = (vec![], vec![], vec![]);
        Ok(Timer { context: context.clone(), zero, last: (first, 0.0), open, spare, launches })
    }

    fn around(&mut self, stream: CUstream, task: Task, submit: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.open.len() == KEPT {
            self.take_times()?;
        }
        let pair = match self.spare.pop() {
            Some(pair) => pair,
            None => [Event::new(&self.context, true)?, Event::new(&self.context, true)?],
        };
        let submitted = Instant::now();
        pair[0].record(stream)?;
        submit()?;
        pair[1].record(stream)?;
        self.open.push((task, submitted, pair));
        Ok(())
    }

    /// Waits for what is open. Times are from one event to the next: the driver gives them as f32, which over a second is
    /// exact to 60 ns only.
    fn take_times(&mut self) -> Result<()> {
        self.context.synchronize(OWN)?;
        for (task, submitted, pair) in mem::take(&mut self.open) {
            let start = self.last.1 + pair[0].since(&self.last.0)? * 1e6;
            let duration = pair[1].since(&pair[0])? * 1e6;
            self.launches.push(Launched { task, submitted, start, duration });
            let [before, after] = pair;
            let (passed, _) = mem::replace(&mut self.last, (after, start + duration));
            self.spare.push([before, passed]);
        }
        Ok(())
    }
}

impl Cuda {
    fn timer(&self) -> MutexGuard<'_, Option<Timer>> {
        self.timer.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Submits, and takes the time of it if a profile runs.
    #[inline]
    pub(super) fn timed(
        &self,
        stream: CUstream,
        task: impl FnOnce() -> Task,
        submit: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.context.observer.recorder.running() {
            return submit();
        }
        match &mut *self.timer() {
            Some(timer) => timer.around(stream, task(), submit),
            None => submit(),
        }
    }

    /// Begins to time launches, on a card that is idle.
    pub(super) fn start_timer(&self) -> Result<()> {
        *self.timer() = Some(Timer::new(&self.context)?);
        Ok(())
    }

    /// Ends that, if it was begun, and gives the launches to the recorder.
    pub(super) fn stop_timer(&self) -> Result<()> {
        let Some(mut timer) = self.timer().take() else { return Ok(()) };
        timer.take_times()?;
        self.context.observer.recorder.add_launches(timer.zero, mem::take(&mut timer.launches));
        Ok(())
    }
}
