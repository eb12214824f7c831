//! Events and changed launches, as [`Order`] asks for them: there is one queue, so that order needs nothing else.

use super::Wgpu;
use super::stamps::Stamp;
use super::submit::Prepared;
use crate::backend::order::{Order, Waits};
use crate::backend::{Block, Driver, Launch};
use crate::error::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An event of a program's.
struct Point {
    done: Arc<AtomicBool>,
    stamp: Option<Stamp>,
}

fn point(event: &Block) -> &Point {
    event.downcast_ref().expect("recorded by this engine")
}

impl Wgpu {
    /// Set when everything submitted so far is done, and the device is polled after that.
    pub(super) fn when_done(&self) -> Arc<AtomicBool> {
        let done = Arc::new(AtomicBool::new(false));
        let inside = done.clone();
        self.queue.on_submitted_work_done(move || inside.store(true, Ordering::Release));
        done
    }

    /// Waits for everything submitted, and counts it nowhere.
    pub(super) fn finish(&self) -> Result<()> {
        self.idle("wait")
    }

    /// The same as a part of this operation.
    pub(super) fn idle(&self, operation: &'static str) -> Result<()> {
        self.alive()?;
        let done = self.when_done();
        self.wait_for(operation, || done.load(Ordering::Acquire))
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
        self.alive()?;
        let stamp = match timed && self.properties.caps.timestamps {
            true => Some(self.stamp()?),
            false => None,
        };
        Ok(Box::new(Point { done: self.when_done(), stamp }))
    }

    fn is_done(&self, event: &Block) -> Result<bool> {
        self.alive()?;
        let done = || point(event).done.load(Ordering::Acquire);
        if !done() {
            let polled = self.device.poll(wgpu::PollType::Poll);
            self.alive()?;
            polled.map_err(|error| self.backend_error("event", error.to_string()))?;
        }
        Ok(done())
    }

    fn wait_event(&self, event: &Block) -> Result<()> {
        self.alive()?;
        self.waits.one();
        self.wait_for("wait", || point(event).done.load(Ordering::Acquire))
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
        self.alive()?;
        let old: &mut Vec<Prepared> = prepared.downcast_mut().expect("prepared by this engine");
        let anew: Vec<Launch> = changed.iter().map(|&index| launches[index].clone()).collect();
        for (&index, made) in changed.iter().zip(self.look_up(&anew)?) {
            old[index] = made;
        }
        Ok(())
    }
}
