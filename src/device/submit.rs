//! Submissions and uploads, with the pool's figures in their errors.

use super::Device;
use crosslane_core::error::{Error, Result};
use crosslane_core::work::{Launch, Write};

impl Device {
    /// Copies to the device; the source is free when it returns.
    pub(crate) fn write(&self, writes: &[Write]) -> Result<()> {
        self.driver().write(writes).map_err(|error| self.pool().with_own_figures(error))
    }

    /// Runs launches.
    pub(crate) fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.faulty(launches, || self.driver().submit(launches))
    }

    /// Has launches run, and their faults noted.
    pub(crate) fn faulty<R>(&self, launches: &[Launch], submit: impl FnOnce() -> Result<R>) -> Result<R> {
        let faults = self.0.faults.mark(launches);
        let result = self.try_submission(submit).map_err(|error| self.pool().with_own_figures(error))?;
        self.0.faults.ran(faults);
        Ok(result)
    }

    /// A submission, unless it is one that must find no memory in a test.
    fn try_submission<R>(&self, submit: impl FnOnce() -> Result<R>) -> Result<R> {
        if !self.0.shortage.is_due() {
            return submit();
        }
        Err(Error::out_of_memory("submit", 0, None, self.properties().label()))
    }
}
