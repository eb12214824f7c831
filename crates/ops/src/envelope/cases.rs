//! Envelopes: all metrics, each axis of three, infinities, gaps.

use super::{BLOCK, Envelope, Metric, NONE};
use crate::cases::{Case, contiguous, expression, leaf};
use crate::map::points;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Leaf, Value};

fn of(read: Leaf, shape: &[usize], axis: usize, metric: Metric, rare: usize) -> Case {
    let number = |at: usize| match at.wrapping_mul(7919) % rare {
        0 => (at * 31 % 50) as u32,
        _ => NONE,
    };
    // The least of each block, in row-major order.
    let mut blocks = shape.to_vec();
    blocks[axis] = blocks[axis].div_ceil(BLOCK);
    let mut least = vec![NONE; blocks.iter().product()];
    for point in points(shape) {
        let from: i64 =
            read.offset + point.iter().zip(&read.strides).map(|(&at, stride)| at as i64 * stride).sum::<i64>();
        let place = |(nth, &at): (usize, &u64)| if nth == axis { at as usize / BLOCK } else { at as usize };
        let to = point.iter().enumerate().map(place).zip(&blocks).fold(0, |flat, (at, extent)| flat * extent + at);
        least[to] = least[to].min(number(from as usize));
    }
    let values =
        |all: &mut dyn Iterator<Item = u32>| Fill::Values(all.map(|value| Value::Int(value as i128)).collect());
    let fill = values(&mut (0..read.len).map(number));
    let blocks = expression(None, leaf(1, DType::U32, least.len(), 0, &contiguous(&blocks)));
    let op = Envelope { expression: expression(None, read), shape: shape.to_vec(), axis, metric, blocks, output: 2 };
    let what = format!("{metric:?} of {shape:?} along {axis}, one of {rare}");
    Case::new(what, op).fill(0, fill).fill(1, values(&mut least.into_iter()))
}

/// The cases, the same for every device.
pub fn cases(_: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for metric in [Metric::Squares, Metric::Taxicab, Metric::Chessboard] {
        for axis in 0..3 {
            let shape = [7, 40, 9];
            all.push(of(leaf(0, DType::U32, 7 * 40 * 9, 0, &contiguous(&shape)), &shape, axis, metric, 5));
        }
        all.push(of(leaf(0, DType::U32, 500, 0, &[1]), &[500], 0, metric, 97));
        all.push(of(leaf(0, DType::U32, 2000, 0, &[2, 1]), &[1000, 2], 0, metric, 777));
        all.push(of(leaf(0, DType::U32, 500, 499, &[-10, -1]), &[50, 10], 0, metric, 1000));
    }
    all.push(of(leaf(0, DType::U32, 1, 0, &[1]), &[1], 0, Metric::Squares, 1));
    all.push(of(leaf(0, DType::U32, 0, 0, &[4, 1]), &[0, 4], 1, Metric::Squares, 1));
    all
}
