//! The n-th of short and long rows.

use crate::Nth;
use crate::cases::{Case, kinds, row};
use crosslane_core::caps::Caps;
use crosslane_core::op::Fill;

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in kinds(caps).filter(|dtype| dtype.size() >= 4) {
        for (rows, length) in
            [(0, 5), (1, 1), (1, 60), (1, 1000), (1, 30_000), (50, 300), (1, 3_000_000), (3, 50_000_000)]
        {
            let op = Nth { keys: row(0, dtype, rows * length), rows, length, n: length / 2, output: 1 };
            all.push(Case::new(format!("the middle of {rows} rows of {length} {dtype}"), op).fill(0, Fill::Any));
        }
    }
    all
}
