//! Suppressions: slopes of all directions whose lengths are integers, so that comparisons are exact; images too small for an
//! inside; several images.

use super::Suppress;
use crate::cases::{Case, row};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Value};

/// Along axes, and of 3, 4, 5: interpolations of lengths that are all 5, 0 or far apart.
const SLOPES: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [0.0, 5.0],
    [-5.0, 0.0],
    [60.0, 80.0],
    [-60.0, 80.0],
    [800.0, -600.0],
    [-800.0, -600.0],
    [0.0, -7000.0],
    [9000.0, 0.0],
];

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in [DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for shape in [[1, 20, 33], [3, 7, 9], [1, 2, 50], [1, 1, 1], [0, 4, 4]] {
            let len = shape.iter().product();
            let slope = |axis: usize| {
                let one = |at: usize| Value::Float(SLOPES[(at * at * 31 + at * 7 + at / 13) % SLOPES.len()][axis]);
                Fill::Values((0..len).map(one).collect())
            };
            let op = Suppress { slopes: [0, 1].map(|slot| row(slot, dtype, len)), shape, output: 2 };
            all.push(Case::new(format!("{shape:?}, {dtype}"), op).fill(0, slope(0)).fill(1, slope(1)));
        }
    }
    all
}
