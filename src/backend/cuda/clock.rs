//! Time on the card: events in a stream before and after each submission.

use super::context::Context;
use super::event::Event;
use crate::error::Result;
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
    events: Vec<Event>,
    used: usize,
}

impl Clock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn start(&self) {
        self.state().used = 0;
        self.running.store(true, Ordering::Release);
    }

    /// Submits to a stream, and takes the time of it if the clock runs.
    pub fn around<R>(&self, context: &Arc<Context>, stream: CUstream, submit: impl FnOnce() -> Result<R>) -> Result<R> {
        if !self.running.load(Ordering::Acquire) {
            return submit();
        }
        let mut state = self.state();
        while state.events.len() < state.used + 2 {
            state.events.push(Event::new(context, true)?);
        }
        state.events[state.used].record(stream)?;
        let result = submit()?;
        state.events[state.used + 1].record(stream)?;
        state.used += 2;
        Ok(result)
    }

    /// Waits, and sums the submissions' times.
    pub fn stop(&self, context: &Context) -> Result<Duration> {
        self.running.store(false, Ordering::Release);
        context.synchronize("clock")?;
        let state = self.state();
        let pairs = state.events[..state.used].chunks_exact(2);
        let sum: f64 = pairs.map(|pair| pair[1].since(&pair[0])).sum::<Result<f64>>()?;
        Ok(Duration::from_secs_f64(sum.max(0.0) * 1e-3))
    }
}
