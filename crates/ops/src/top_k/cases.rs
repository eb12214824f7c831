//! The first few of short and long rows, the largest and the smallest.

use crate::TopK;
use crate::cases::{Case, kinds, row};
use crosslane_core::caps::Caps;
use crosslane_core::op::Fill;

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in kinds(caps) {
        for (rows, length) in [
            (0, 5),
            (1, 1),
            (1, 60),
            (1, 1000),
            (1, 30_000),
            (50, 300),
            (1, 270_000),
            (2, 17_000),
            (2, 270_000),
            (1, 3_000_000),
            (3, 50_000_000),
        ] {
            let k = TopK::most(caps, dtype, length).min(10).min(length);
            let op = TopK { keys: row(0, dtype, rows * length), rows, length, k, largest: rows == 1, output: 1 };
            all.push(Case::new(format!("top {k} of {rows} rows of {length} {dtype}"), op).fill(0, Fill::Any));
        }
    }
    all
}
