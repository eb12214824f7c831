//! A kernel that does nothing.

use super::Case;
use crate::caps::Caps;
use crate::ops::EmptyKernel;

pub fn cases(_: &Caps) -> Vec<Case> {
    vec![Case::new("nothing", EmptyKernel(1))]
}
