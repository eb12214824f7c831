//! A kernel that does nothing.

use super::Case;
use crate::caps::Caps;
use crate::ops::Nothing;

pub fn cases(_: &Caps) -> Vec<Case> {
    vec![Case::new("nothing", Nothing(1))]
}
