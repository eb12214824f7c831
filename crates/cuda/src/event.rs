//! Points in a stream: to wait for, or to take the time of.

use super::context::Context;
use super::library;
use crosslane_core::error::Result;
use cudarc::driver::sys::{self, CUresult};
use std::ptr;
use std::sync::Arc;

/// A point in a stream.
pub(super) struct Event {
    pub raw: sys::CUevent,
    context: Arc<Context>,
}

// SAFETY: the driver's handles may be used by any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// `timed` events cost a little more.
    pub fn new(context: &Arc<Context>, timed: bool) -> Result<Event> {
        let mut raw = ptr::null_mut();
        let flags =
            if timed { sys::CUevent_flags::CU_EVENT_DEFAULT } else { sys::CUevent_flags::CU_EVENT_DISABLE_TIMING };
        // SAFETY: the context is this thread's, and the pointer is to a variable that lives.
        context.check("event", unsafe { sys::cuEventCreate(&mut raw, flags as u32) })?;
        Ok(Event { raw, context: context.clone() })
    }

    /// Puts it at the end of one of the context's streams.
    pub fn record(&self, stream: sys::CUstream) -> Result<()> {
        // SAFETY: event and stream are of one context.
        self.context.check("event", unsafe { sys::cuEventRecord(self.raw, stream) })
    }

    /// Whether it has passed.
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the event is there.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            other => self.context.check("event", other).map(|()| true),
        }
    }

    pub fn wait(&self, operation: &'static str) -> Result<()> {
        let _span = self.context.observer.recorder.wait(operation);
        // SAFETY: the event is there.
        self.context.check(operation, unsafe { sys::cuEventSynchronize(self.raw) })
    }

    /// Milliseconds since another event; both have passed.
    pub fn since(&self, start: &Event) -> Result<f64> {
        let mut milliseconds = 0.0;
        // SAFETY: both were recorded.
        self.context.check("clock", unsafe { library::elapsed(&mut milliseconds, start.raw, self.raw) })?;
        Ok(milliseconds as f64)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: nobody else has the event; the driver keeps what is still in the stream.
            unsafe { sys::cuEventDestroy_v2(self.raw) };
        }
    }
}
