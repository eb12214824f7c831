//! What an engine provides to put work in order: streams, events, counted waits, and launches changed between two runs.

use crate::error::Result;
use crate::memory::Block;
use crate::work::Launch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often the host has waited for a device: an engine counts each of its calls that does.
#[derive(Default)]
pub struct Waits(AtomicU64);

impl Waits {
    /// Counts a wait.
    pub fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The last was a part of the one before.
    pub fn one_less(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// The waits so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Order and overlap. What is said of a stream means the one that this thread's work goes to: [`super::current`].
pub trait Order {
    /// The counter of the host's waits for this device.
    fn waits(&self) -> &Waits;
    /// Creates a stream beside the main one; `None` where there is one queue for all. For a `detached` stream, only
    /// work on the same memory waits for it.
    fn new_stream(&self, _detached: bool) -> Result<Option<Block>> {
        Ok(None)
    }
    /// Whether other streams still do something: work runs that a wait in this thread's stream does not wait for.
    fn several(&self) -> bool {
        false
    }
    /// Waits for what the stream has been asked to do.
    fn wait_stream(&self) -> Result<()>;
    /// A point in the stream: an event. Only `timed` ones can be asked for times.
    fn record(&self, timed: bool) -> Result<Block>;
    /// Whether everything before the event is done.
    fn is_done(&self, event: &Block) -> Result<bool>;
    /// Blocks the host until everything before the event is done.
    fn wait_event(&self, event: &Block) -> Result<()>;
    /// What the stream is asked to do from now on waits for the event, and the host does not.
    fn wait_in_stream(&self, _event: &Block) -> Result<()> {
        Ok(())
    }
    /// The time between two timed events that are done; zero if they came the other way round, `None` without a clock.
    fn between(&self, earlier: &Block, later: &Block) -> Result<Option<Duration>>;
    /// Makes what [`super::Driver::prepare`] made anew for these launches: the same kernels and grids, with other memory or
    /// parameters in those that `changed`. On failure it is not to be used again.
    fn update(&self, prepared: &mut Block, launches: &[Launch], changed: &[usize]) -> Result<()>;
}
