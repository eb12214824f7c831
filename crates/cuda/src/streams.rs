//! Streams beside the main one, in which other work runs at the same time, and the waits that keep them in order.
//!
//! Several threads may submit, read and write at once, in one stream or in several. It is right because
//! - what a stream waits for is decided, and the waits are queued in it, under one lock: another thread that finds them
//!   decided queues its own work behind them;
//! - a stream's event is recorded and waited for under the same lock, and the turns it stands for were noted before, after
//!   their work was queued;
//! - what is queued becomes known before the call returns, and its memory is handed to others only after that;
//! - freeing waits for all streams as far as they are known then, and the thread that frees memory is the last that
//!   holds it.
//!
//! No lock is held while work is queued or waited for.

use super::context::Context;
use super::ledger::{Access, Ledger, Wait};
use crosslane_core::error::Result;
use cudarc::driver::sys::{self, CUresult};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The streams of a context. None is destroyed before the context: one that a program drops is given to the next that
/// asks, and what it was asked to do stays known.
#[derive(Default)]
pub(super) struct Streams {
    /// Whether there ever was one beside the main stream. Before that nothing is kept, and nothing waits.
    several: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By their numbers; the main one is 0.
    lanes: Vec<Lane>,
    free: Vec<usize>,
    ledger: Ledger,
}

/// A stream, and the event by which others wait for it.
#[derive(Clone, Copy)]
struct Lane {
    raw: sys::CUstream,
    event: sys::CUevent,
    /// Whether it was ever detached.
    stays: bool,
}

// SAFETY: the driver's handles may be used by any thread.
unsafe impl Send for Lane {}

/// A program's stream.
pub(super) struct Stream {
    pub lane: usize,
    context: Arc<Context>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut state = self.context.streams.state();
        state.ledger.detach(self.lane, false); // what is left in it is waited for from now on
        state.free.push(self.lane);
    }
}

/// Notes what work used when it has been queued, also in part.
struct Noted<'a, I: Iterator<Item = Access>> {
    streams: &'a Streams,
    lane: usize,
    accesses: Option<I>,
}

impl<I: Iterator<Item = Access>> Drop for Noted<'_, I> {
    fn drop(&mut self) {
        let accesses = self.accesses.take().expect("taken here only");
        self.streams.state().ledger.note(self.lane, accesses);
    }
}

impl Streams {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn several(&self) -> bool {
        self.several.load(Ordering::Acquire)
    }

    /// Destroys all but the main stream, which the context itself destroys.
    ///
    /// # Safety
    ///
    /// The context is current, and nobody uses the streams.
    pub unsafe fn destroy(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (index, lane) in state.lanes.drain(..).enumerate() {
            // SAFETY: as the caller says; each was created once.
            unsafe {
                if index > 0 {
                    sys::cuStreamSynchronize(lane.raw);
                    sys::cuStreamDestroy_v2(lane.raw);
                }
                sys::cuEventDestroy_v2(lane.event);
            }
        }
    }
}

impl State {
    /// Takes a stream that a program had. One that may never be done with its work is not given to another.
    fn again(&mut self, stays: bool) -> Option<usize> {
        let done = |&lane: &usize| {
            // SAFETY: the stream is this context's, which is this thread's, as who asks sees to.
            let idle = || unsafe { sys::cuStreamQuery(self.lanes[lane].raw) } == CUresult::CUDA_SUCCESS;
            !(stays || self.lanes[lane].stays) || idle()
        };
        let index = self.free.iter().rposition(done)?;
        Some(self.free.remove(index))
    }

    /// Lets a stream wait for others.
    fn wait(&mut self, context: &Context, lane: usize, waits: Vec<Wait>) -> Result<()> {
        for wait in &waits {
            let (this, other) = (self.lanes[lane], self.lanes[wait.lane]);
            // SAFETY: streams and event are this context's. The event is recorded and waited for under one lock, and
            // recording it again later does not change what waits already.
            let result = unsafe {
                match wait.fresh {
                    true => context.check("order", sys::cuEventRecord(other.event, other.raw)),
                    false => Ok(()),
                }
                .and_then(|()| context.check("order", sys::cuStreamWaitEvent(this.raw, other.event, 0)))
            };
            if result.is_err() {
                waits.iter().for_each(|wait| self.ledger.not_waited(lane, wait.lane));
                return result;
            }
        }
        Ok(())
    }
}

impl Context {
    /// Creates a stream beside the main one. For a `detached` stream, only work on the same memory waits for it.
    pub fn new_stream(self: &Arc<Context>, detached: bool) -> Result<Stream> {
        let _entered = self.enter()?;
        let mut state = self.streams.state();
        if state.lanes.is_empty() {
            let event = self.order_event()?;
            state.lanes.push(Lane { raw: self.stream, event, stays: false });
            state.ledger.add_lane();
        }
        let lane = match state.again(detached) {
            Some(lane) => lane,
            None => {
                let event = self.order_event()?;
                let mut raw = ptr::null_mut();
                let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
                // SAFETY: the context is this thread's, and the pointer is to a variable that lives.
                self.check("stream", unsafe { sys::cuStreamCreate(&mut raw, flags) })?;
                state.lanes.push(Lane { raw, event, stays: false });
                state.ledger.add_lane()
            }
        };
        state.lanes[lane].stays |= detached;
        state.ledger.detach(lane, detached);
        self.streams.several.store(true, Ordering::Release);
        drop(state);
        Ok(Stream { lane, context: self.clone() })
    }

    /// An event that costs little and has no time.
    fn order_event(&self) -> Result<sys::CUevent> {
        let mut event = ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the context is this thread's, and the pointer is to a variable that lives.
        self.check("stream", unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(event)
    }

    /// The number of the stream that this thread's work goes to.
    pub fn lane(&self) -> usize {
        if !self.streams.several() {
            return 0;
        }
        let ours = |stream: &Stream| ptr::eq(Arc::as_ptr(&stream.context), self).then_some(stream.lane);
        crosslane_core::engine::current::current(|block| block.downcast_ref().and_then(ours)).unwrap_or(0)
    }

    /// The stream with this number.
    fn raw(&self, lane: usize) -> sys::CUstream {
        if lane == 0 { self.stream } else { self.streams.state().lanes[lane].raw }
    }

    /// The stream that this thread's work goes to.
    pub fn current(&self) -> sys::CUstream {
        self.raw(self.lane())
    }

    /// Queues work that uses memory so in this thread's stream, behind what other streams were asked to do with it.
    ///
    /// Nothing is locked meanwhile. The work becomes known to others when `queue` is done, or has failed: a thread that
    /// receives its memory after that waits for it, and one that uses it earlier from another thread would have no
    /// defined order in one stream either.
    pub fn ordered<R>(
        &self,
        accesses: impl Iterator<Item = Access> + Clone,
        queue: impl FnOnce(sys::CUstream) -> Result<R>,
    ) -> Result<R> {
        self.ordered_with(accesses, std::iter::empty(), queue)
    }

    /// The same for work that also shares memory with other work: it comes after the last that wrote to it in order, and
    /// nothing comes after it because of that.
    pub fn ordered_with<R>(
        &self,
        accesses: impl Iterator<Item = Access> + Clone,
        shared: impl Iterator<Item = u64>,
        queue: impl FnOnce(sys::CUstream) -> Result<R>,
    ) -> Result<R> {
        if !self.streams.several() {
            return queue(self.stream);
        }
        let lane = self.lane();
        let mut state = self.streams.state();
        let waits = state.ledger.waits(lane, accesses.clone().chain(shared.map(|address| (address, false))));
        state.wait(self, lane, waits)?;
        let Lane { raw, event, .. } = state.lanes[lane];
        if state.ledger.mark(lane) {
            // SAFETY: stream and event are this context's.
            let recorded = self.check("order", unsafe { sys::cuEventRecord(event, raw) });
            recorded.inspect_err(|_| state.ledger.not_marked(lane))?;
        }
        drop(state);
        let _noted = Noted { streams: &self.streams, lane, accesses: Some(accesses) };
        queue(raw)
    }

    /// Frees memory in the main stream, behind what every stream was asked to do: not all that use it say so, since what
    /// kernels share by atomics needs no order else.
    pub fn freed(&self, address: u64, free: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.streams.several() {
            let mut state = self.streams.state();
            let waits = state.ledger.all(0, address);
            state.wait(self, 0, waits)?;
            state.ledger.forget(address);
        }
        free()
    }

    /// Memory is there from now on, in the order of this thread's stream: another waits for that.
    pub fn born(&self, address: u64) {
        if self.streams.several() {
            let lane = self.lane();
            self.streams.state().ledger.born(lane, address);
        }
    }

    /// For an event recorded now in this thread's stream: the stream's number, and the turns it has had.
    pub fn position(&self) -> (usize, u64) {
        match self.streams.several() {
            false => (0, 0),
            true => {
                let lane = self.lane();
                (lane, self.streams.state().ledger.turns(lane))
            }
        }
    }

    /// Lets this thread's stream wait for an event recorded at this position.
    pub fn wait_in_stream(&self, event: sys::CUevent, (lane, turns): (usize, u64)) -> Result<()> {
        let own = self.lane();
        // SAFETY: stream and event are this context's, and the event has been recorded.
        self.check("wait", unsafe { sys::cuStreamWaitEvent(self.raw(own), event, 0) })?;
        if self.streams.several() {
            self.streams.state().ledger.waited(own, lane, turns);
        }
        Ok(())
    }

    /// Whether this thread's stream is detached.
    pub fn is_detached(&self) -> bool {
        let lane = self.lane();
        lane > 0 && self.streams.state().ledger.is_detached(lane)
    }

    /// Every stream whose number is wanted.
    pub fn streams_that(&self, wanted: impl Fn(&Ledger, usize) -> bool) -> Vec<sys::CUstream> {
        if !self.streams.several() {
            return vec![self.stream];
        }
        let state = self.streams.state();
        let lanes = state.lanes.iter().enumerate();
        lanes.filter(|(index, _)| wanted(&state.ledger, *index)).map(|(_, lane)| lane.raw).collect()
    }

    /// Whether other streams than this thread's still do something.
    pub fn others_run(&self) -> bool {
        if !self.streams.several() {
            return false;
        }
        let own = self.lane();
        let others = self.streams_that(|_, lane| lane != own);
        // SAFETY: the streams are this context's, which is this thread's, as who asks sees to.
        others.into_iter().any(|stream| unsafe { sys::cuStreamQuery(stream) } == CUresult::CUDA_ERROR_NOT_READY)
    }
}
