//! Paddings: every type, every boundary, one to five axes that get longer, far past the array, prologues, nothing inside.

use super::Pad;
use crate::Boundary;
use crate::cases::{Case, contiguous, expression, leaf, step, types};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::op::{Expression, Fill, Function, StepKind};

const BOUNDARIES: [Boundary; 5] =
    [Boundary::Constant(0), Boundary::Edge, Boundary::Reflect, Boundary::Symmetric, Boundary::Wrap];

fn of(values: Expression, shape: &[usize], widths: &[(usize, usize)], boundary: Boundary) -> Case {
    let dtype = values.dtype();
    // Ones in all bytes: a number of every type, and `true`.
    let scalar = Scalar { dtype, bits: (u128::MAX / 255) >> (128 - 8 * dtype.size()) };
    let outside =
        Expression { scalars: vec![scalar], steps: vec![step(StepKind::Scalar(0), dtype)], ..Expression::default() };
    let op = Pad { expression: values, shape: shape.to_vec(), widths: widths.to_vec(), boundary, outside, output: 1 };
    Case::new(format!("{dtype} of {shape:?} by {widths:?}, {boundary:?}"), op).fill(0, Fill::Any)
}

fn case(dtype: DType, shape: &[usize], widths: &[(usize, usize)], boundary: Boundary) -> Case {
    of(expression(None, leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape))), shape, widths, boundary)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for boundary in BOUNDARIES {
            all.push(case(dtype, &[3, 13], &[(2, 1), (1, 3)], boundary));
        }
    }
    for boundary in BOUNDARIES {
        all.push(case(DType::F32, &[700], &[(5, 0)], boundary));
        // Far past the array, so that it is repeated often; one value.
        all.push(case(DType::F32, &[3], &[(100, 211)], boundary));
        all.push(case(DType::F32, &[1, 2], &[(3, 4), (2, 2)], boundary));
        // Axes between, before and after; four that get longer.
        all.push(case(DType::F32, &[2, 3, 4, 5], &[(0, 0), (1, 2), (0, 0), (0, 0)], boundary));
        all.push(case(DType::F32, &[2, 3, 1, 4, 5], &[(1, 0), (0, 0), (0, 1), (2, 2), (1, 1)], boundary));
        all.push(case(DType::F32, &[600, 1000], &[(1, 1), (1, 1)], boundary));
        // Backwards, with steps, and with work before.
        let squared = expression(Some(Function::Multiply), leaf(0, DType::F32, 800, 799, &[-40, -2]));
        all.push(of(squared, &[20, 20], &[(3, 2), (0, 5)], boundary));
        // Two axes in one variable that lie apart in memory.
        let turned = expression(None, leaf(0, DType::F32, 120, 0, &[5, 30, 1]));
        all.push(of(turned, &[6, 4, 5], &[(0, 0), (0, 0), (2, 3)], boundary));
    }
    all.push(case(DType::F32, &[0, 4], &[(2, 3), (1, 1)], Boundary::Constant(0)));
    all.push(case(DType::U8, &[2, 0], &[(0, 0), (0, 5)], Boundary::Constant(0)));
    all.push(case(DType::F32, &[5, 0], &[(1, 1), (0, 0)], Boundary::Constant(0)));
    all
}
