//! Reductions: every operator and type, over rows, columns, everything, and through windows.

use crate::caps::Caps;
use crate::op::Fill;
use crate::ops::cases::{Case, contiguous, expression, leaf, operators, types};
use crate::ops::{Operator, Reduce};

pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for operator in operators(dtype) {
            let shapes: [(&[usize], &[bool]); 14] = [
                (&[1], &[true]),
                (&[1000], &[true]),
                (&[35_000], &[true]),
                (&[250, 150], &[true, false]),
                (&[3, 12_000], &[false, true]),
                (&[10_000_000], &[true]),
                (&[100, 100], &[false, true]),
                (&[100, 101], &[true, false]),
                (&[1000, 1000], &[false, true]),
                (&[5, 3], &[false, true]),
                (&[7, 100, 9], &[true, false, true]),
                (&[60_000, 6_007], &[true, true]),
                (&[60_000, 6_007], &[true, false]),
                (&[60_000, 6_007], &[false, true]),
            ];
            for (shape, reduced) in shapes {
                let expression = expression(None, leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape)));
                let (shape, reduced) = (shape.to_vec(), reduced.to_vec());
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", operator.name());
                let operator = operator.clone();
                // Sums and products of anything overflow or cancel: their bounds would say nothing.
                let fill = match operator {
                    Operator::Sum | Operator::Product => Fill::Numbers,
                    _ => Fill::Any,
                };
                let judged = operator.formulas().next().is_none();
                let op = Reduce { expression, shape, reduced, operator, count: None, output: 1 };
                all.push(Case::new(what, op).fill(0, fill).judged(judged));
            }
        }
    }
    all
}
