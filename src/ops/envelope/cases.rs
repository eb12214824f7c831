//! Envelopes: all metrics, each axis of three, infinities, gaps.

use super::{Envelope, Metric, NONE};
use crate::caps::Caps;
use crate::element::DType;
use crate::op::{Fill, Leaf, Value};
use crate::ops::cases::{Case, contiguous, expression, leaf};

fn of(read: Leaf, shape: &[usize], axis: usize, metric: Metric, rare: usize) -> Case {
    let number = |at: usize| match at.wrapping_mul(7919) % rare {
        0 => Value::Int((at * 31 % 50) as i128),
        _ => Value::Int(NONE as i128),
    };
    let fill = Fill::Values((0..read.len).map(number).collect());
    let op = Envelope { expression: expression(None, read), shape: shape.to_vec(), axis, metric, output: 1 };
    Case::new(format!("{metric:?} of {shape:?} along {axis}, one of {rare}"), op).fill(0, fill)
}

pub fn cases(_: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for metric in [Metric::Squares, Metric::Taxicab, Metric::Chessboard] {
        for axis in 0..3 {
            let shape = [7, 40, 9];
            all.push(of(leaf(0, DType::U32, 7 * 40 * 9, 0, &contiguous(&shape)), &shape, axis, metric, 5));
        }
        all.push(of(leaf(0, DType::U32, 500, 0, &[1]), &[500], 0, metric, 97));
        all.push(of(leaf(0, DType::U32, 500, 499, &[-10, -1]), &[50, 10], 0, metric, 1000));
    }
    all.push(of(leaf(0, DType::U32, 1, 0, &[1]), &[1], 0, Metric::Squares, 1));
    all.push(of(leaf(0, DType::U32, 0, 0, &[4, 1]), &[0, 4], 1, Metric::Squares, 1));
    all
}
