//! Scans along rows and columns, with segments and without; selections; reductions by key.

use crate::cases::{Case, contiguous, expression, kinds, leaf, operators, row};
use crate::{ByKey, Operator, PrefixScan, Select};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::op::Fill;

const SHAPES: [&[usize]; 12] = [
    &[0],
    &[0, 5],
    &[5, 0],
    &[1],
    &[1000],
    &[9_000],
    &[5_000_000],
    &[300, 40],
    &[40, 300],
    &[3, 5_000],
    &[3, 6400],
    &[100_000_000],
];

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let of = |dtype| {
        SHAPES.into_iter().flat_map(move |shape| scans(dtype, shape).into_iter().chain(others(caps, dtype, shape)))
    };
    kinds(caps).flat_map(of).collect()
}

/// Operators of each kind of state: others differ in one line.
fn combined(dtype: DType) -> impl Iterator<Item = Operator> {
    let few = |operator: &Operator| matches!(operator, Operator::Sum | Operator::Minimum | Operator::CountNonzero);
    operators(dtype).into_iter().filter(few)
}

fn scans(dtype: DType, shape: &[usize]) -> Vec<Case> {
    let mut all = vec![];
    let of = |slot, dtype| expression(None, leaf(slot, dtype, shape.iter().product(), 0, &contiguous(shape)));
    for operator in combined(dtype) {
        for (axis, segments) in (0..shape.len()).flat_map(|axis| [(axis, false), (axis, true)]) {
            let what = format!("{} scan of {shape:?} {dtype} along {axis}, segments {segments}", operator.name());
            let (heads, output) = (segments.then(|| of(1, DType::Bool)), 1 + segments as usize);
            let (expression, shape, operator) = (of(0, dtype), shape.to_vec(), operator.clone());
            let (exclusive, reverse) = (axis == 0, segments);
            all.push(Case::new(
                what,
                PrefixScan { expression, heads, shape, axis, operator, exclusive, reverse, output },
            ));
        }
    }
    all
}

fn others(caps: &Caps, dtype: DType, shape: &[usize]) -> Vec<Case> {
    let mut all = vec![];
    let len: usize = shape.iter().product();
    // Two arrays are read and two written, and tiles exchange their offsets.
    let fits = shape.len() == 1 && len > 0 && caps.bindings >= 5 && len * dtype.size() <= 64 << 20;
    if fits {
        for fill in [None, Some(Scalar { dtype, bits: 1 })] {
            let op = Select { values: row(1, dtype, len), condition: row(0, DType::Bool, len), len, fill, output: 2 };
            all.push(Case::new(format!("selection of {len} {dtype}, {fill:?}"), op).fill(1, Fill::Any));
        }
    }
    if fits && caps.bindings >= 6 {
        let (values, keys, operator) = (row(1, DType::F32, len), row(0, dtype, len), Operator::Sum);
        let op = ByKey { values, keys, len, operator, output: 2 };
        all.push(Case::new(format!("sums of {len} by {dtype}"), op).fill(0, Fill::Sorted));
    }
    all
}
