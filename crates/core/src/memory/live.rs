//! What is held: the list of live allocations, and a warning when they outlive the program's last handle of a device.

use super::Pool;
use crate::error::CallSite;
use std::fmt;
use std::sync::Arc;

/// A piece of device memory that is held: a line of `Device::live_allocations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocation {
    /// Its bytes, rounded up to the pool's sizes.
    pub bytes: u64,
    /// The purpose of the allocation: the operation whose result or scratch it holds, `array` for uploads.
    pub what: &'static str,
    /// The line of the program that asked for it.
    pub at: CallSite,
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes for {} (at {})", self.bytes, self.what, self.at)
    }
}

/// Lines of a warning at most.
const LINES: usize = 20;

/// Shared by the program's own handles of a device, not by its arrays: dropped with the last handle.
pub struct Handles {
    /// The device's pool, which is asked for live allocations at the end.
    pub pool: Arc<Pool>,
    /// The device's label, for the warning.
    pub device: String,
}

impl Drop for Handles {
    fn drop(&mut self) {
        let held = self.pool.held();
        if held.is_empty() || std::thread::panicking() {
            return;
        }
        let bytes: u64 = held.iter().map(|allocation| allocation.bytes).sum();
        let mut lines: Vec<String> = held.iter().take(LINES).map(|allocation| format!("\n  {allocation}")).collect();
        if held.len() > LINES {
            lines.push(format!("\n  and {} more", held.len() - LINES));
        }
        let (count, device, lines) = (held.len(), &self.device, lines.concat());
        log::warn!("{count} allocations of {bytes} bytes outlive the last handle of {device}:{lines}");
    }
}
