//! The names of kernels by the numbers that they write on the device, of as many as ran last.

use crosslane_core::kernel::Kernel;
use crosslane_core::recent::Recent;
use std::sync::Arc;

/// Kernels that are remembered: engines keep as many compiled.
const KEPT: usize = 1024;

pub(super) struct Names(Recent<u32, Arc<str>>);

impl Default for Names {
    fn default() -> Names {
        Names(Recent::new(KEPT))
    }
}

impl Names {
    /// A kernel runs.
    pub fn note(&self, kernel: &Kernel) {
        if self.0.get(&kernel.number()).is_none() {
            self.0.keep(kernel.number(), kernel.name().into());
        }
    }

    /// The kernel's name; another word for one that is forgotten.
    pub fn of(&self, number: u32) -> String {
        self.0.get(&number).map_or_else(|| "a kernel".into(), |name| name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_remembered_up_to_a_bound() {
        let names = Names::default();
        let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn named() {}").unwrap();
        for number in 0..10 * KEPT as u32 {
            names.0.keep(number, kernel.name().into());
        }
        assert!(names.0.values().len() <= KEPT);
        assert_eq!((names.of(10 * KEPT as u32 - 1).as_str(), names.of(0).as_str()), ("named", "a kernel"));
    }
}
