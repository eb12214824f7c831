//! Products: sides that lie as rows and as columns, sizes that go in vectors or not, parts, batches, past one binding.

use crate::caps::Caps;
use crate::element::DType;
use crate::op::Expression;
use crate::ops::cases::{Case, expression, kinds, leaf};
use crate::ops::{Matmul, Precision};

/// Batch, rows, inner ones, columns.
const SIZES: [[usize; 4]; 11] = [
    [1, 1, 1, 1],
    [1, 33, 40, 36],
    [2, 64, 64, 64],
    [1, 5, 3000, 7],
    [40, 7, 9, 5],
    [1, 1000, 70, 1001],
    [1, 5, 100_000, 9],
    [300, 64, 64, 64],
    [1, 4096, 4096, 4096],
    [10_000, 2, 3, 4],
    [1, 100_000, 20, 1],
];

pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let huge = if caps.binding_bytes < 1 << 30 { [1, 9_000, 9_000, 9_000] } else { [1, 50_000, 50_000, 50_000] };
    for dtype in kinds(caps).filter(|dtype| dtype.size() > 1).chain([DType::U32]) {
        for size in SIZES.into_iter().chain((dtype == DType::F32).then_some(huge)) {
            for turned in [[false, false], [false, true], [true, false], [true, true]] {
                let name = format!("products of {dtype}, {size:?}, {turned:?}");
                all.push(Case::new(name, product(dtype, size, turned, Precision::Exact)));
            }
        }
    }
    all
}

fn product(dtype: DType, [batch, rows, inner, columns]: [usize; 4], turned: [bool; 2], precision: Precision) -> Matmul {
    let (n, m, k) = (columns as i64, rows as i64, inner as i64);
    let a = if turned[0] { [1, 0, m] } else { [k, 0, 1] };
    let b = if turned[1] { [0, k, 1] } else { [0, 1, n] };
    let side = |slot, [row, column, inner]: [i64; 3], len: usize| {
        expression(None, leaf(slot, dtype, batch * len, 0, &[len as i64, row, column, inner]))
    };
    Matmul {
        extents: [vec![batch], vec![rows], vec![columns], vec![inner]],
        sides: [side(0, a, rows * inner), side(1, b, inner * columns)],
        epilogue: Expression::given(Matmul::sums(dtype), 4),
        precision,
        output: 2,
    }
}
