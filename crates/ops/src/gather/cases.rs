//! Gathers of every type by both types of indices, with every rule for those outside, in one window and in several.

use crate::cases::{Case, expression, row, types};
use crate::{Gather, Indexing, OutOfRange};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Leaf, LeafSource};

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for (len, count) in [(5, 0), (1, 7), (1000, 999), (200_000_000, 1000)] {
            for outside in [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop, OutOfRange::Error] {
                for index in [DType::U32, DType::I32] {
                    let checks = outside == OutOfRange::Error;
                    let indexing = indexing(index, count, len, outside, 2);
                    let (source, shape, output) = (row(1, dtype, len), vec![count], 2 + checks as usize);
                    let what = format!("gather of {count} from {len} {dtype} by {index}, {outside:?}");
                    let case = Case::new(what, Gather { source, indexing, shape, output }).fill(1, Fill::Any);
                    // What is outside is reported, which the reference leaves to others.
                    let below = if checks { len } else { len + 3 };
                    all.push(case.fill(0, Fill::Indices(below)).fill(2, Fill::Number(0)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crosslane_core::op::{Op, Param};

    /// A window that reached past 2^32 would take the first places for its own.
    #[test]
    fn windows_end_where_words_do() {
        const FIRST: usize = 4; // after units, count, extent and stride
        for (dtype, binding_bytes) in [(DType::U8, 1 << 31), (DType::F32, 1 << 31), (DType::F32, 1 << 40)] {
            let caps = Caps::nvidia_like().with(|caps| caps.binding_bytes = binding_bytes);
            let indexing = indexing(DType::U32, 100, 1000, OutOfRange::Drop, 2);
            let source = row(1, dtype, (1 << 32) + (1 << 20));
            let plan = Gather { source, indexing, shape: vec![100], output: 2 }.plan(&caps).unwrap();
            let mut end = 0;
            for pass in plan.passes {
                let [first, window] = [FIRST, FIRST + 1].map(|nth| match pass.params[nth] {
                    Param::Is(word) => word as u64,
                    _ => panic!("a number"),
                });
                assert_eq!(first, end, "{dtype}");
                end = first + window;
            }
            assert_eq!(end, u32::MAX as u64, "{dtype} in bindings of {binding_bytes} bytes");
        }
    }
}
