//! Advice: warnings with measured figures, each logged once.

use crate::kernel::Kernel;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Kernels and reasons that are remembered; then no more is said.
const MOST: usize = 4096;

/// What has been said about which kernel.
#[derive(Default)]
pub(crate) struct Advice {
    off: AtomicBool,
    said: Mutex<HashSet<(u64, Reason)>>,
}

/// Why something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    FewWorkgroups,
    PartialSubgroups,
    CopiedBack,
    Long,
    /// At this line.
    Strided(u32),
}

impl Advice {
    pub fn set(&self, on: bool) {
        self.off.store(!on, Relaxed);
    }

    pub fn on(&self) -> bool {
        !self.off.load(Relaxed)
    }

    /// Warns once for each kernel text and reason: another kernel object of the same text counts as the same.
    pub fn say(&self, kernel: &Kernel, reason: Reason, text: impl FnOnce() -> String) {
        let mut hasher = DefaultHasher::new();
        (kernel.name(), kernel.source()).hash(&mut hasher);
        let mut said = self.said.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.on() && said.len() < MOST && said.insert((hasher.finish(), reason)) {
            drop(said);
            log::warn!(target: "crosslane::advice", "{}: {}", kernel.name(), text());
        }
    }
}
