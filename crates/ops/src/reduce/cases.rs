//! Reductions: every operator and type, over rows, columns, everything, and through windows; as many as the device says.

use crate::cases::{Case, contiguous, expression, leaf, operators, row, types};
use crate::{Operator, Reduce};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Value};

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for operator in operators(dtype) {
            // A processor reads so many columns in lines of full length.
            let lines: &[(&[usize], &[bool])] =
                if caps.processor.is_some() { &[(&[70, 1030], &[true, false])] } else { &[] };
            let shapes: [(&[usize], &[bool]); 18] = [
                (&[0, 5], &[false, true]),
                (&[5, 0], &[true, false]),
                (&[1], &[true]),
                (&[1000], &[true]),
                (&[35_000], &[true]),
                (&[250, 150], &[true, false]),
                (&[3, 12_000], &[false, true]),
                (&[10_000_000], &[true]),
                (&[100, 100], &[false, true]),
                (&[100, 101], &[true, false]),
                (&[3, 1000], &[false, true]),
                (&[3, 4_803], &[false, true]),
                (&[600, 65], &[true, false]),
                (&[5, 3], &[false, true]),
                (&[7, 100, 9], &[true, false, true]),
                (&[60_000, 6_007], &[true, true]),
                (&[60_000, 6_007], &[true, false]),
                (&[60_000, 6_007], &[false, true]),
            ];
            for &(shape, reduced) in shapes.iter().chain(lines) {
                let expression = expression(None, leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape)));
                let (shape, reduced) = (shape.to_vec(), reduced.to_vec());
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", operator.name());
                let operator = operator.clone();
                // Sums and products of anything overflow or cancel: their bounds would say nothing.
                let fill = match operator {
                    Operator::Product if dtype.is_complex() => units(&shape),
                    Operator::Sum | Operator::Product => Fill::Numbers,
                    _ => Fill::Any,
                };
                let op = Reduce { expression, shape, reduced, operator, count: None, output: 1 };
                all.push(meant(Case::new(what, op.clone()), op).fill(0, fill));
            }
            all.extend(counted(dtype, &operator));
        }
    }
    all
}

/// Powers of the imaginary unit: long products of other complex numbers overflow, to NaN.
fn units(shape: &[usize]) -> Fill {
    let unit = |i: usize| [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][i * i % 7 % 4];
    let len = shape.iter().product::<usize>();
    let len = if len > 1 << 20 { 0 } else { len }; // it does not run
    Fill::Values((0..len).map(unit).map(|(re, im)| Value::Complex(re, im)).collect())
}

/// The operators of a program's own are maxima.
fn meant(case: Case, op: Reduce) -> Case {
    match op.operator.formulas().next() {
        Some(_) => case.means(Reduce { operator: Operator::Maximum, ..op }),
        None => case,
    }
}

/// As many as the device says: of an array, and of an element that is repeated so many times that many states are
/// combined.
fn counted(dtype: DType, operator: &Operator) -> Vec<Case> {
    let turns = dtype.is_complex() && *operator == Operator::Product;
    let case = |(len, extent, stride, count): (usize, usize, i64, u64)| {
        let (expression, operator) = (expression(None, leaf(0, dtype, len, 0, &[stride])), operator.clone());
        let what = format!("{} of {count} of {extent} {dtype}, as the device says, stride {stride}", operator.name());
        let (shape, reduced, count_leaf) = (vec![extent], vec![true], Some(row(1, DType::U32, 1)));
        let op = Reduce { expression, shape, reduced, operator, count: count_leaf, output: 2 };
        let case = meant(Case::new(what, op.clone()), op).fill(1, Fill::Number(count));
        if turns { case.fill(0, units(&[len])) } else { case }
    };
    [(1000, 1000, 1, 700), (300, 300, 1, 900), (1, 10_000_000, 0, 30)].map(case).into()
}
