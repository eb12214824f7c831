//! Advice: warnings with measured figures, each logged once.

use crate::kernel::Kernel;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Kernels and reasons that are remembered; then no more is said.
const MOST: usize = 4096;

/// What has been said about which kernel.
#[derive(Default)]
pub struct Advice {
    off: AtomicBool,
    said: Mutex<HashSet<(u64, Reason)>>,
}

/// Why something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Fewer workgroups than the device has units, for much data.
    FewWorkgroups,
    /// Workgroups that are no multiple of the subgroup size.
    PartialSubgroups,
    /// An array was uploaded, only read by the kernel, and downloaded again.
    CopiedBack,
    /// The launch took longer than a slice may take, and the device could show nothing meanwhile.
    Long,
    /// The text has `var<push_constant>`, the older name of `var<immediate>`.
    PushConstant,
    /// At this line.
    Strided(u32),
    /// At this line, what was read is no value and not used.
    Unused(u32, crate::report::Defect),
}

impl Advice {
    /// Switches advice on or off; it is on by default.
    pub fn set(&self, on: bool) {
        self.off.store(!on, Relaxed);
    }

    /// Whether advice is given.
    pub fn on(&self) -> bool {
        !self.off.load(Relaxed)
    }

    /// Warns once for each kernel and reason: another kernel object of the same text, entry point, overrides and name
    /// counts as the same.
    pub fn say(&self, kernel: &Kernel, reason: Reason, text: impl FnOnce() -> String) {
        let mut said = self.said.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.on() && said.len() < MOST && said.insert((kernel.identity(), reason)) {
            drop(said);
            log::warn!(target: "crosslane::advice", "{}: {}", kernel.name(), text());
        }
    }
}
