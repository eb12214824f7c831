//! Time measurement by an engine: a clock of the device, and a record of its work.

use crate::advice::Advice;
use crate::countdown::Countdown;
use crate::error::Result;
use crate::trace::recorder::Recorder;
use std::time::Duration;

/// What watches an engine: a record of what it does, advice about what it is asked to do, and injected faults.
#[derive(Default)]
pub struct Observer {
    /// The record of work while a profile runs.
    pub recorder: Recorder,
    /// The advice given so far.
    pub advice: Advice,
    /// What a device that checks found and is no error.
    pub remarks: crate::report::Remarks,
    /// Workgroups of the last launch on a device that checks which have run.
    pub checked: std::sync::atomic::AtomicU64,
    /// In tests, the call that loses the device.
    pub loss: Countdown,
}

/// Time on the device.
pub trait Tracing {
    /// Starts summing the time that submissions take on the device; false if it has no clock.
    fn start_clock(&self) -> Result<bool>;
    /// Waits, and gives the time since [`Tracing::start_clock`].
    fn stop_clock(&self) -> Result<Duration>;
    /// The observer of this device.
    fn observer(&self) -> &Observer;
    /// Begins to time each launch, on a device that is idle; false if the host's clock must do.
    fn start_trace(&self) -> Result<bool>;
    /// Ends that, if it was begun, and gives the launches to the recorder, on a device that is idle.
    fn stop_trace(&self) -> Result<()>;
}
