//! Components: all numbers of axes and connectivities, dense and sparse masks, spirals, rows longer and shorter than a segment.

use super::Components;
use crate::cases::{Case, cast, contiguous, expression, leaf};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill, Value};

fn of(values: Expression, shape: &[usize], connectivity: usize, what: &str) -> Case {
    let op = Components { expression: values, shape: shape.to_vec(), connectivity, output: 1 };
    Case::new(format!("{what} of {shape:?}, connected by {connectivity}"), op)
}

fn mask(shape: &[usize], connectivity: usize, what: &str, own: impl Fn(usize) -> bool) -> Case {
    let len: usize = shape.iter().product();
    let values = (0..len).map(|at| Value::Bool(own(at))).collect();
    let read = expression(None, leaf(0, DType::Bool, len, 0, &contiguous(shape)));
    of(read, shape, connectivity, what).fill(0, Fill::Values(values))
}

/// Numbers that look random.
fn noise(at: usize) -> usize {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) ^ (at.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 41)
}

/// A double spiral: one wall and one corridor, from the outside in.
fn spiral(at: usize, extent: usize) -> bool {
    let (y, x) = (at / extent, at % extent);
    let ring = y.min(x).min(extent - 1 - y).min(extent - 1 - x);
    // Each ring is a wall or a corridor, with a gap below its beginning where the next one goes on.
    let gap = x == ring.saturating_sub(1) && y == ring;
    ring.is_multiple_of(2) != gap
}

/// The cases, the same for every device.
pub fn cases(_: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for connectivity in 1..=2 {
        for percent in [0, 30, 45, 60, 90, 100] {
            let own = move |at: usize| noise(at) % 100 < percent;
            all.push(mask(&[37, 45], connectivity, &format!("{percent} %"), own));
        }
        all.push(mask(&[64, 64], connectivity, "a spiral", |at| spiral(at, 64)));
        all.push(mask(&[64, 64], connectivity, "a checkerboard", |at| (at / 64 + at % 64).is_multiple_of(2)));
        all.push(mask(&[5, 300], connectivity, "long rows", |at| !noise(at).is_multiple_of(40)));
        all.push(mask(&[300, 3], connectivity, "short rows", |at| !noise(at).is_multiple_of(3)));
        all.push(mask(&[40, 40], connectivity, "a comb", |at| at / 40 == 39 || (at % 40).is_multiple_of(2)));
        all.push(mask(&[1, 1], connectivity, "one", |_| true));
        all.push(mask(&[0, 4], connectivity, "none", |_| true));
    }
    all.push(mask(&[700], 1, "a row", |at| !noise(at).is_multiple_of(9)));
    for connectivity in 1..=3 {
        for percent in [15, 35] {
            let own = move |at: usize| noise(at) % 100 < percent;
            all.push(mask(&[9, 11, 13], connectivity, &format!("{percent} %"), own));
        }
    }
    // Elementwise work before, and gaps.
    let mut values = expression(None, leaf(0, DType::F32, 2000, 1, &[50, 2]));
    cast(&mut values, 0, DType::Bool);
    all.push(
        of(values, &[20, 20], 2, "numbers")
            .fill(0, Fill::Values((0..2000).map(|at| Value::Float((noise(at) % 2) as f64)).collect())),
    );
    all
}
