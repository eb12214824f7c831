//! Streams, events and changed launches, as [`Order`] asks for them.

use super::event::Event;
use super::{Call, Cuda, Prepared, Work, distinct, shared};
use crosslane_core::engine::{Driver, Order, Waits};
use crosslane_core::error::Result;
use crosslane_core::memory::Block;
use crosslane_core::work::Launch;
use std::time::Duration;

/// An event of a program's.
struct Point {
    event: Event,
    /// The number of its stream, and the turns that it had had.
    position: (usize, u64),
}

fn point(event: &Block) -> &Point {
    event.downcast_ref().expect("recorded by this engine")
}

impl Order for Cuda {
    fn waits(&self) -> &Waits {
        &self.context.waits
    }

    fn new_stream(&self, detached: bool) -> Result<Option<Block>> {
        Ok(Some(Box::new(self.context.new_stream(detached)?)))
    }

    fn several(&self) -> bool {
        // If the context is lost nothing runs, and the next call says so.
        self.context.streams.several() && self.context.enter().is_ok_and(|_entered| self.context.others_run())
    }

    fn wait_stream(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        self.context.synchronize_stream("synchronize", self.context.current())
    }

    fn record(&self, timed: bool) -> Result<Block> {
        let _entered = self.context.enter()?;
        let event = Event::new(&self.context, timed)?;
        // First: what another thread queues meanwhile need not be before the event.
        let position = self.context.position();
        event.record(self.context.current())?;
        Ok(Box::new(Point { event, position }))
    }

    fn is_done(&self, event: &Block) -> Result<bool> {
        let _entered = self.context.enter()?;
        point(event).event.is_done()
    }

    fn wait_event(&self, event: &Block) -> Result<()> {
        let _entered = self.context.enter()?;
        self.context.waits.one();
        point(event).event.wait("wait")
    }

    fn wait_in_stream(&self, event: &Block) -> Result<()> {
        let _entered = self.context.enter()?;
        let point = point(event);
        self.context.wait_in_stream(point.event.raw, point.position)
    }

    fn between(&self, earlier: &Block, later: &Block) -> Result<Option<Duration>> {
        let _entered = self.context.enter()?;
        let milliseconds = point(later).event.since(&point(earlier).event)?;
        Ok(Some(Duration::from_secs_f64(milliseconds.max(0.0) * 1e-3)))
    }

    fn update(&self, prepared: &mut Block, launches: &[Launch], changed: &[usize]) -> Result<()> {
        let _entered = self.context.enter()?;
        let old: &mut Prepared = prepared.downcast_mut().expect("prepared by this engine");
        let limit = self.properties.caps.grid;
        let call = |&index: &usize| {
            let launch = &launches[index];
            Ok((index, Call::new(self.function(launch)?, launch, limit)))
        };
        let calls = changed.iter().map(call).collect::<Result<Vec<_>>>()?;
        let updated = match &mut old.work {
            Work::Graph(graph) => graph.update(launches, calls)?,
            Work::Calls(old) => {
                calls.into_iter().for_each(|(index, call)| old[index] = call);
                true
            }
        };
        match updated {
            true => (old.accesses, old.shared) = (distinct(launches), shared(launches).collect()),
            false => *prepared = self.prepare(launches)?,
        }
        Ok(())
    }
}
