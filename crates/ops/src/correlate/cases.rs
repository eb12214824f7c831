//! Correlations: one to three axes, all boundaries, few and many weights, windows longer than the axis, steps, gaps, prologues.

use super::{Boundary, Correlate, Window};
use crate::cases::{Case, contiguous, expression, leaf};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill, Function};

const ZERO: Boundary = Boundary::Constant(0);
const BOUNDARIES: [Boundary; 6] = [
    ZERO,
    Boundary::Constant(0x4004_0000_0000_0000), // 2.5
    Boundary::Edge,
    Boundary::Reflect,
    Boundary::Symmetric,
    Boundary::Wrap,
];

/// So many results as values, the window's middle at each.
fn same(taps: usize, count: usize) -> Window {
    Window { taps, first: -(taps as i64 / 2), ..Window::single(count) }
}

fn of(values: Expression, shape: &[usize], windows: Vec<Window>, boundary: Boundary) -> Case {
    of_filters(1, values, shape, windows, boundary)
}

fn of_filters(filters: usize, values: Expression, shape: &[usize], windows: Vec<Window>, boundary: Boundary) -> Case {
    let dtype = values.dtype();
    let (taps, slot) = (windows.iter().map(|window| window.taps).product::<usize>(), values.slots().len());
    let what = format!("{:?} of {shape:?}, {filters} filters, {dtype}, {boundary:?}", windows);
    let weights = expression(None, leaf(slot, dtype, filters * taps, 0, &[1]));
    let op =
        Correlate { expression: values, shape: shape.to_vec(), weights, windows, filters, boundary, output: slot + 1 };
    // Numbers up to 3 by numbers up to 3: sums of integers are exact, others are off by what they sum.
    Case::new(what, op).fill(0, Fill::Numbers).fill(slot, Fill::Numbers).scale(9.0 * (taps as f64).sqrt())
}

fn case(dtype: DType, shape: &[usize], windows: Vec<Window>, boundary: Boundary) -> Case {
    let len = shape.iter().product();
    of(expression(None, leaf(0, dtype, len, 0, &contiguous(shape))), shape, windows, boundary)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in [DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for boundary in BOUNDARIES {
            all.push(case(dtype, &[2, 37], vec![same(7, 37)], boundary));
            all.push(case(dtype, &[2, 19, 37], vec![same(3, 19), same(5, 37)], boundary));
            // Longer than the axis, more than once.
            all.push(case(dtype, &[3, 4], vec![same(9, 3), same(14, 4)], boundary));
            all.push(case(dtype, &[1, 1], vec![same(3, 1), same(4, 1)], boundary));
        }
        // Rows that are vectors: windows of every place among them, more rows than an invocation has, an end within a workgroup.
        for boundary in BOUNDARIES {
            all.push(case(dtype, &[2, 19, 260], vec![same(3, 19), same(5, 260)], boundary));
        }
        for (taps, first) in [(1, 0), (2, -1), (3, -1), (4, -3), (5, 2), (7, -3)] {
            let x = Window { taps, first, ..Window::single(520) };
            all.push(case(dtype, &[40, 520], vec![same(taps, 40), x], Boundary::Reflect));
        }
        all.push(case(dtype, &[40, 260], vec![same(15, 40), Window::single(260)], Boundary::Symmetric));
        all.push(case(dtype, &[9, 300], vec![same(15, 300)], Boundary::Edge));
        for taps in [1, 2, 4, 15, 31, 100] {
            all.push(case(dtype, &[700], vec![same(taps, 700)], ZERO));
        }
        // Rows side by side, columns, planes.
        all.push(case(dtype, &[9, 300], vec![same(5, 300)], Boundary::Reflect));
        all.push(case(dtype, &[40, 70], vec![same(11, 40), Window::single(70)], Boundary::Symmetric));
        all.push(case(dtype, &[40, 70], vec![Window::single(40), same(11, 70)], Boundary::Symmetric));
        all.push(case(dtype, &[5, 12, 21], vec![same(3, 5), same(3, 12), same(3, 21)], Boundary::Edge));
        all.push(case(dtype, &[2, 4, 5, 6], vec![same(2, 4), same(4, 5), same(1, 6)], Boundary::Wrap));
        let gaps = |count: usize| Window { taps: 3, count, first: -2, step: 2, dilation: 3 };
        all.push(case(dtype, &[50, 60], vec![gaps(25), gaps(30)], ZERO));
        all.push(case(dtype, &[50, 60], vec![same(3, 50), gaps(30)], ZERO));
        all.push(case(dtype, &[9, 50, 60], vec![gaps(4), same(3, 50), same(5, 60)], Boundary::Reflect));
        // Far apart, and long along columns: tiles of fewer lanes.
        let apart = Window { taps: 3, count: 4, first: 0, step: 1700, dilation: 1 };
        all.push(case(dtype, &[6000], vec![apart], ZERO));
        all.push(case(dtype, &[90, 70], vec![same(401, 90), Window::single(70)], Boundary::Symmetric));
        // Full and valid ones.
        all.push(case(dtype, &[20], vec![Window { taps: 6, first: -5, ..Window::single(25) }], ZERO));
        all.push(case(dtype, &[20], vec![Window { taps: 6, ..Window::single(15) }], ZERO));
        all.push(case(dtype, &[0, 8], vec![same(3, 8)], ZERO));
        // Channels with filters of their own: along one to three axes, by vectors, with steps, several results of a channel.
        for (shape, windows) in [
            (&[2, 3, 37][..], vec![same(5, 37)]),
            (&[2, 3, 9, 37], vec![same(3, 9), same(5, 37)]),
            (&[3, 9, 260], vec![same(3, 9), same(3, 260)]),
            (&[2, 3, 4, 5, 6], vec![same(3, 4), same(2, 5), same(3, 6)]),
            (&[6, 50, 60], vec![gaps(25), gaps(30)]),
        ] {
            let (len, strides) = (shape.iter().product(), contiguous(shape));
            let values = expression(None, leaf(0, dtype, len, 0, &strides));
            all.push(of_filters(3, values, shape, windows, ZERO));
        }
        let repeated = expression(None, leaf(0, dtype, 2 * 9 * 37, 0, &[333, 0, 37, 1]));
        all.push(of_filters(6, repeated, &[2, 3, 9, 37], vec![same(3, 9), same(5, 37)], ZERO));
    }
    let squared = expression(Some(Function::Multiply), leaf(0, DType::F32, 800, 799, &[-40, -2]));
    all.push(of(squared, &[20, 20], vec![same(3, 20), same(3, 20)], Boundary::Reflect));
    all.push(case(DType::F32, &[300, 1000], vec![same(15, 300), same(15, 1000)], Boundary::Symmetric));
    all.push(case(DType::F32, &[300, 1000], vec![same(5, 300), same(5, 1000)], Boundary::Symmetric));
    all.push(case(DType::F32, &[4096, 4096], vec![same(5, 4096), same(5, 4096)], Boundary::Symmetric));
    all
}
