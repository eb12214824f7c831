//! Beginnings and ends of runs, of every type, in one window and in several.

use crate::Runs;
use crate::cases::{Case, ordered, row};
use crosslane_core::caps::Caps;
use crosslane_core::op::Fill;

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let case = |dtype, len: usize, used: usize| {
        let op = Runs { values: row(0, dtype, len), len: used, output: 1 };
        Case::new(format!("runs of {used} in {len} {dtype}"), op).fill(0, Fill::Sorted)
    };
    ordered(caps)
        .flat_map(|dtype| {
            [(0, 0), (4, 1), (1000, 997), (200_000_000, 199_999_997)].map(|(len, used)| case(dtype, len, used))
        })
        .collect()
}
