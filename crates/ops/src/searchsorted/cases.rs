//! Searches from the left and from the right, of every type, in one window and in several.

use crate::SearchSorted;
use crate::cases::{Case, ordered, row};
use crate::searchsorted::Side;
use crosslane_core::caps::Caps;
use crosslane_core::op::Fill;

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in ordered(caps) {
        for (len, count) in [(0, 5), (7, 0), (1, 5), (1000, 999), (200_000_000, 1000)] {
            for side in [Side::Left, Side::Right] {
                let (values, sorted, used) = (row(0, dtype, count), row(1, dtype, len), len - len.min(4) / 2);
                let op = SearchSorted { values, shape: vec![count], sorted, len: used, side, output: 2 };
                all.push(
                    Case::new(format!("search for {count} in {used} {dtype}, {side:?}"), op).fill(1, Fill::Sorted),
                );
            }
        }
    }
    all
}
