//! Recurrences: orders and sections, rows and columns, few and many, with states and without, stable and growing ones.

use super::{Cascade, Recurrence};
use crate::cases::{Case, contiguous, expression, leaf};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill, Function, Value};

/// Poles within a circle of this radius: what is added up stays of the size of some inputs.
fn stable(order: usize, sections: usize, radius: f64) -> Cascade {
    let section = |nth: usize| {
        // The product of (1 - p / z) over real poles of either sign, and some zeros.
        let poles = (0..order).map(|pole| radius * [0.9, -0.5, 0.7, -0.8][(pole + nth) % 4]);
        let a = poles.fold(vec![1.0], |a: Vec<f64>, pole| {
            let at = |k: usize| a.get(k).copied().unwrap_or(0.0);
            (0..=a.len()).map(|k| at(k) - if k > 0 { pole * at(k - 1) } else { 0.0 }).collect()
        });
        let b = (0..=order).map(|k| [0.5, 0.25, -0.125][(k + nth) % 3]);
        b.chain(a[1..].iter().copied()).collect()
    };
    Cascade { order, sections: (0..sections).map(section).collect() }
}

fn of(values: Expression, shape: &[usize], axis: usize, cascade: &Cascade, [starts, finals]: [bool; 2]) -> Case {
    let (dtype, slot) = (values.dtype(), values.slots().len());
    let (order, sections) = (cascade.order, cascade.sections.len());
    let what = format!("order {order} x {sections} along {axis} of {shape:?}, {dtype}, states {starts} {finals}");
    let (table, powers) = cascade.table();
    let coefficients = expression(None, leaf(slot, dtype, table.len(), 0, &[1]));
    let rows: usize = shape.iter().product::<usize>() / shape[axis].max(1);
    let count = rows * cascade.states();
    let initial = starts.then(|| expression(None, leaf(slot + 1, dtype, count, 0, &[1])));
    let (shape, output) = (shape.to_vec(), slot + 1 + starts as usize);
    let expression = values;
    let op = Recurrence { expression, shape, axis, order, sections, powers, coefficients, initial, finals, output };
    // What f32 makes of the coefficients counts as them.
    let number = |value: f64| Value::Float(if dtype == DType::F32 { value as f32 as f64 } else { value });
    let table = Fill::Values(table.into_iter().map(number).collect());
    Case::new(what, op).fill(slot, table).scale(100.0)
}

fn case(dtype: DType, shape: &[usize], axis: usize, cascade: &Cascade, states: [bool; 2]) -> Case {
    let len = shape.iter().product();
    of(expression(None, leaf(0, dtype, len, 0, &contiguous(shape))), shape, axis, cascade, states)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in [DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for order in 1..=8 {
            all.push(case(dtype, &[2, 300], 1, &stable(order, 1, 0.7), [true, true]));
        }
        for sections in 1..=4 {
            all.push(case(dtype, &[900], 0, &stable(2, sections, 0.8), [true, true]));
        }
        let section = stable(2, 1, 0.9);
        for states in [[false, false], [true, false], [false, true]] {
            all.push(case(dtype, &[3, 137], 1, &section, states));
            all.push(case(dtype, &[137, 3], 0, &section, states));
        }
        // Short and many, columns, the middle axis, one value, none.
        all.push(case(dtype, &[700, 5], 1, &section, [true, true]));
        all.push(case(dtype, &[100, 300], 1, &section, [true, true]));
        all.push(case(dtype, &[50, 300], 0, &section, [true, true]));
        all.push(case(dtype, &[3, 40, 7], 1, &section, [true, true]));
        all.push(case(dtype, &[4, 1], 1, &section, [true, true]));
        all.push(case(dtype, &[4, 0], 1, &section, [false, false]));
        all.push(case(dtype, &[0, 4], 1, &section, [false, false]));
        // Cut into spans.
        all.push(case(dtype, &[30_000], 0, &section, [true, true]));
        all.push(case(dtype, &[2, 12_345], 1, &stable(3, 1, 0.8), [true, true]));
        all.push(case(dtype, &[12_345, 2], 0, &section, [false, true]));
        // Powers of its matrix are soon too large.
        let growing = Cascade { order: 1, sections: vec![vec![1.0, 0.0, -1.25]] };
        all.push(case(dtype, &[2, 40], 1, &growing, [false, true]).scale(1e6));
    }
    let squared = expression(Some(Function::Multiply), leaf(0, DType::F32, 800, 799, &[-40, -2]));
    all.push(of(squared, &[20, 20], 1, &stable(2, 1, 0.9), [false, false]));
    all.push(case(DType::F32, &[1 << 24], 0, &stable(2, 1, 0.9), [true, true]));
    all
}
