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
    FewWorkgroups,
    PartialSubgroups,
    CopiedBack,
    Long,
    PushConstant,
    /// At this line.
    Strided(u32),
    /// At this line, what was read is no value and not used.
    Unused(u32, crate::report::Defect),
}

impl Advice {
    pub fn set(&self, on: bool) {
        self.off.store(!on, Relaxed);
    }

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
