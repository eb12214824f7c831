//! Faults that tests inject.

use super::Device;

impl Device {
    /// After `good` more calls of the engine the device is lost. Through wgpu it is destroyed, and the driver's own errors
    /// follow.
    #[doc(hidden)]
    pub fn lose_after(&self, good: u64) {
        self.driver().observer().loss.set(good, u64::MAX);
    }

    /// After `good` more allocations of device memory `failing` attempts to allocate find none.
    #[doc(hidden)]
    pub fn run_short_after(&self, good: u64, failing: u64) {
        self.pool().run_short(good, failing);
    }

    /// After `good` more submissions `failing` ones find no memory.
    #[doc(hidden)]
    pub fn submit_short_after(&self, good: u64, failing: u64) {
        self.0.shortage.set(good, failing);
    }
}
