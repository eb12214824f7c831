//! Time on the card: events in a stream before and after each submission.

use super::context::Context;
use super::event::Event;
use crosslane_core::error::Result;
use cudarc::driver::sys::CUstream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A clock; its events are kept for the next measurement.
#[derive(Default)]
pub(super) struct Clock {
    running: AtomicBool,
    /// Two events for each submission.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: Vec<[Event; 2]>,
    spare: Vec<[Event; 2]>,
}

impl State {
    fn reuse(&mut self) {
        let State { used, spare } = self;
        spare.append(used);
    }
}

impl Clock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn start(&self) {
        self.state().reuse();
        self.running.store(true, Ordering::Release);
    }

    /// Submits to a stream, and takes the time of it if the clock runs.
    pub fn around<R>(&self, context: &Arc<Context>, stream: CUstream, submit: impl FnOnce() -> Result<R>) -> Result<R> {
        if !self.running.load(Ordering::Acquire) {
            return submit();
        }
        // Taken out: submitting may wait for room in the stream, and others submit meanwhile.
        let spare = self.state().spare.pop();
        let pair = match spare {
            Some(pair) => pair,
            None => [Event::new(context, true)?, Event::new(context, true)?],
        };
        pair[0].record(stream)?;
        let result = submit()?;
        pair[1].record(stream)?;
        self.state().used.push(pair);
        Ok(result)
    }

    /// Waits, and sums the submissions' times.
    pub fn stop(&self, context: &Context) -> Result<Duration> {
        self.running.store(false, Ordering::Release);
        context.synchronize("clock")?;
        let mut state = self.state();
        let sum = state.used.iter().map(|pair| pair[1].since(&pair[0])).sum::<Result<f64>>();
        state.reuse();
        let sum = sum?;
        Ok(Duration::from_secs_f64(sum.max(0.0) * 1e-3))
    }
}
