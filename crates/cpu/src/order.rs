//! Events and changed launches, as [`Order`] asks for them: work is done when the call that asks for it returns.

use super::Cpu;
use super::turns::Use;
use crosslane_core::engine::{Order, Waits};
use crosslane_core::error::Result;
use crosslane_core::memory::Block;
use crosslane_core::work::Launch;
use std::time::{Duration, Instant};

impl Order for Cpu {
    fn waits(&self) -> &Waits {
        &self.waits
    }

    /// There is nothing to wait for, and it counts: a program's waits are the same everywhere.
    fn wait_stream(&self) -> Result<()> {
        self.begin()?;
        self.waits.one();
        Ok(())
    }

    fn record(&self, _timed: bool) -> Result<Block> {
        self.begin()?;
        // What other threads have asked for may be running.
        drop(self.turns.take(Use::everything()));
        Ok(Box::new(Instant::now()))
    }

    fn is_done(&self, _event: &Block) -> Result<bool> {
        Ok(true)
    }

    fn wait_event(&self, _event: &Block) -> Result<()> {
        self.wait_stream()
    }

    fn between(&self, earlier: &Block, later: &Block) -> Result<Option<Duration>> {
        let [earlier, later] = [earlier, later].map(|event| event.downcast_ref::<Instant>());
        let (earlier, later) = earlier.zip(later).expect("recorded by this engine");
        Ok(Some(later.saturating_duration_since(*earlier)))
    }

    fn update(&self, _prepared: &mut Block, _launches: &[Launch], _changed: &[usize]) -> Result<()> {
        self.begin()
    }
}
