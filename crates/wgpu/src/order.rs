//! Events and changed launches, as [`Order`] asks for them: there is one queue, so that order needs nothing else.

use super::Wgpu;
use super::line::Ticket;
use super::stamps::Stamp;
use super::submit::Prepared;
use crosslane_core::engine::{Order, Waits};
use crosslane_core::error::Result;
use crosslane_core::memory::{Allocator, Block};
use crosslane_core::work::Launch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An event of a program's.
struct Point {
    done: Done,
    stamp: Option<Stamp>,
}

/// What was submitted up to some moment.
pub(super) struct Done {
    /// Set when it is done, and the device is polled after that.
    flag: Arc<AtomicBool>,
    /// The engine's own last submission then: to wait for it alone, and not for what came after.
    last: Option<Ticket>,
}

impl Done {
    fn is(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
}

fn point(event: &Block) -> &Point {
    event.downcast_ref().expect("recorded by this engine")
}

impl Wgpu {
    /// All that is submitted so far, the program's own work too.
    pub(super) fn when_done(&self) -> Result<Done> {
        let flag = Arc::new(AtomicBool::new(false));
        let inside = flag.clone();
        let set = move || inside.store(true, Ordering::Release);
        // Together: what others submit in between need not be waited for.
        let (last, ()) = self.last_submission(|| self.queue.on_submitted_work_done(set))?;
        Ok(Done { flag, last })
    }

    /// Waits for everything submitted, and counts it nowhere.
    pub(super) fn finish(&self) -> Result<()> {
        self.idle("wait")
    }

    /// The same as a part of this operation.
    pub(super) fn idle(&self, operation: &'static str) -> Result<()> {
        self.begin()?;
        let done = self.when_done()?;
        self.wait_for(operation, done.last.as_ref(), || done.is())
    }
}

impl Order for Wgpu {
    fn waits(&self) -> &Waits {
        &self.waits
    }

    fn wait_stream(&self) -> Result<()> {
        self.wait()
    }

    fn record(&self, timed: bool) -> Result<Block> {
        self.begin()?;
        let stamp = match timed && self.properties.caps.timestamps {
            true => Some(self.stamp()?),
            false => None,
        };
        Ok(Box::new(Point { done: self.when_done()?, stamp }))
    }

    fn is_done(&self, event: &Block) -> Result<bool> {
        self.alive()?;
        let done = &point(event).done;
        if !done.is() {
            let polled = self.device.poll(wgpu::PollType::Poll);
            self.alive()?;
            polled.map_err(|error| self.backend_error("event", error.to_string()))?;
        }
        Ok(done.is())
    }

    fn wait_event(&self, event: &Block) -> Result<()> {
        self.begin()?;
        self.waits.one();
        let done = &point(event).done;
        self.wait_for("wait", done.last.as_ref(), || done.is())
    }

    fn between(&self, earlier: &Block, later: &Block) -> Result<Option<Duration>> {
        match (&point(earlier).stamp, &point(later).stamp) {
            (Some(earlier), Some(later)) => self.ticks([earlier, later]).map(|[earlier, later]| {
                let nanoseconds = later.saturating_sub(earlier) as f64 * self.queue.get_timestamp_period() as f64;
                Some(Duration::from_secs_f64(nanoseconds * 1e-9))
            }),
            _ => Ok(None),
        }
    }

    fn update(&self, prepared: &mut Block, launches: &[Launch], changed: &[usize]) -> Result<()> {
        self.begin()?;
        let old: &mut Vec<Prepared> = prepared.downcast_mut().expect("prepared by this engine");
        let anew: Vec<Launch> = changed.iter().map(|&index| launches[index].clone()).collect();
        for (&index, made) in changed.iter().zip(self.look_up(&anew)?) {
            old[index] = made;
        }
        Ok(())
    }
}
