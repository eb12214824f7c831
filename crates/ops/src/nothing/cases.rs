//! A kernel that does nothing.

use crate::EmptyKernel;
use crate::cases::Case;
use crosslane_core::caps::Caps;

/// The cases, the same for every device.
pub fn cases(_: &Caps) -> Vec<Case> {
    vec![Case::new("nothing", EmptyKernel(1))]
}
