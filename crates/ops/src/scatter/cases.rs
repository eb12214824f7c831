//! Scatters of every type by both types of indices, with every rule for those outside and every combination, in one window and
//! in several.

use crate::cases::{Case, expression, row, types};
use crate::{Combine, Indexing, OutOfRange, Scatter};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Leaf, LeafSource};

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for (len, count) in [(0, 0), (7, 0), (7, 5), (1000, 999), (200_000_000, 1000)] {
            for outside in [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop, OutOfRange::Error] {
                for index in [DType::U32, DType::I32] {
                    let number = matches!(dtype, DType::F32 | DType::I32 | DType::U32);
                    let combines = [Combine::Replace, Combine::Add, Combine::Minimum, Combine::Maximum];
                    for combine in combines.into_iter().take(if number && len == 1000 { 4 } else { 1 }) {
                        let checks = outside == OutOfRange::Error;
                        let indexing = indexing(index, count, len, outside, 3);
                        let (target, values) = (row(1, dtype, len), row(2, dtype, count));
                        let (target_shape, shape, output) = (vec![len], vec![count], 3 + checks as usize);
                        let what = format!("scatter of {count} to {len} {dtype} by {index}, {outside:?}, {combine:?}");
                        let op = Scatter { target, target_shape, values, indexing, shape, combine, output };
                        let case = Case::new(what, op).fill(3, Fill::Number(0));
                        let below = if checks { len } else { len + 3 };
                        // Of several that replace one element any may be the last.
                        let replaces = matches!(combine, Combine::Replace);
                        all.push(case.fill(0, if replaces { Fill::Distinct(len) } else { Fill::Indices(below) }));
                    }
                }
            }
        }
    }
    all
}

/// Indices into an axis of `extent` elements, from the slots of the indices and of what reports those outside.
fn indexing(dtype: DType, count: usize, extent: usize, outside: OutOfRange, report: usize) -> Indexing {
    let nowhere = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset: 0, strides: vec![0] };
    Indexing {
        indices: row(0, dtype, count),
        base: expression(None, nowhere),
        extent,
        stride: 1,
        outside,
        report: (outside == OutOfRange::Error).then(|| row(report, DType::U32, 3)),
    }
}
