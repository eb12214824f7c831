//! Neighbours: all rules, types and boundaries, boxes, lists, windows longer than the axis, steps, prologues.

use super::{Neighbours, Points, Rule, Span};
use crate::Boundary;
use crate::cases::{Case, contiguous, expression, leaf, ordered};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill, Function, Value};

const BOUNDARIES: [Boundary; 5] = [
    Boundary::Constant(0x4000_0000_0000_0000), // 2.0
    Boundary::Edge,
    Boundary::Reflect,
    Boundary::Symmetric,
    Boundary::Wrap,
];

fn boxed(taps: [usize; 3]) -> Points {
    Points::Box { taps, jump: [1; 3], last: taps.map(|taps| taps - 1) }
}

/// So many results as values, the windows' middles at each.
fn same(shape: &[usize], reach: [usize; 3]) -> [Span; 3] {
    let counts: Vec<usize> = std::iter::repeat_n(1, 4 - shape.len().min(4)).chain(shape.iter().copied()).collect();
    std::array::from_fn(|axis| Span {
        count: counts[counts.len() - 3 + axis],
        first: -(reach[axis] as i64 / 2),
        step: 1,
    })
}

/// Over the last axes of an array in memory.
fn case(dtype: DType, shape: &[usize], spans: [Span; 3], points: Points, rule: Rule, boundary: Boundary) -> Case {
    let len = shape.iter().product();
    of(expression(None, leaf(0, dtype, len, 0, &contiguous(shape))), shape, spans, points, rule, boundary)
}

fn of(values: Expression, shape: &[usize], spans: [Span; 3], points: Points, rule: Rule, boundary: Boundary) -> Case {
    let what = format!("{rule:?} of {shape:?}, {}, {boundary:?}, {spans:?}", values.dtype());
    let variables = (0..shape.len()).map(|axis| 4 - shape.len() + axis).collect();
    let slots = values.slots().len() + matches!(points, Points::Listed(..)) as usize;
    let op = Neighbours {
        expression: values,
        shape: shape.to_vec(),
        variables,
        spans,
        points,
        rule,
        boundary,
        output: slots,
    };
    let fill = if matches!(rule, Rule::Bilateral { .. }) { Fill::Numbers } else { Fill::Any };
    Case::new(what, op).fill(0, fill).scale(3.0)
}

fn footprint() -> Vec<[i32; 3]> {
    vec![[0, -1, 0], [0, 0, -2], [0, 0, 0], [0, 2, 1], [0, 0, 2]]
}

fn listed(dtype: DType, shape: [usize; 2], rule: Rule, boundary: Boundary) -> Case {
    let list = footprint();
    let values: Vec<Value> = list.iter().flatten().map(|&word| Value::Int(word as i128)).collect();
    let words = values.len();
    let points = Points::Listed(expression(None, leaf(1, DType::I32, words, 0, &[1])), list.len());
    case(dtype, &shape, same(&shape, [0; 3]), points, rule, boundary).fill(1, Fill::Values(values))
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let single = |count: usize| Span { count, first: 0, step: 1 };
    for dtype in ordered(caps) {
        for (rule, boundary) in [Rule::Minimum, Rule::Maximum].into_iter().zip([BOUNDARIES[0], BOUNDARIES[3]]) {
            all.push(case(dtype, &[7, 11], same(&[7, 11], [1, 3, 4]), boxed([1, 3, 4]), rule, boundary));
            all.push(listed(dtype, [9, 14], rule, boundary));
            all.push(listed(dtype, [5, 1], rule, boundary));
        }
        if dtype != DType::Bool {
            let nine = Points::Fixed((0..9).map(|n| [0, n / 3 - 1, n % 3 - 1]).collect());
            let spans = same(&[6, 9], [0; 3]);
            all.push(case(dtype, &[6, 9], spans, nine, Rule::Rank(4, 4), Boundary::Edge));
            all.push(case(
                dtype,
                &[5, 9],
                same(&[5, 9], [0; 3]),
                Points::Fixed(footprint()),
                Rule::Rank(1, 1),
                BOUNDARIES[0],
            ));
        }
    }
    for dtype in [DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for boundary in BOUNDARIES {
            all.push(case(dtype, &[2, 5, 6], same(&[2, 5, 6], [3; 3]), boxed([3; 3]), Rule::Minimum, boundary));
            let four = Points::Fixed((-2..2).map(|n| [0, 0, n]).collect());
            all.push(case(dtype, &[37], same(&[37], [0; 3]), four, Rule::Rank(1, 2), boundary));
            let rule = Rule::Bilateral { space: 0.1f64.to_bits(), range: 0.7f64.to_bits() };
            all.push(case(dtype, &[8, 9], same(&[8, 9], [1, 5, 5]), boxed([1, 5, 5]), rule, boundary));
            // Longer than the axis.
            all.push(case(dtype, &[3, 4], same(&[3, 4], [1, 9, 8]), boxed([1, 9, 8]), Rule::Maximum, boundary));
        }
        let forty_nine = Points::Fixed((0..49).map(|n| [0, n / 7 - 3, n % 7 - 3]).collect());
        all.push(case(dtype, &[9, 11], same(&[9, 11], [0; 3]), forty_nine, Rule::Rank(24, 24), Boundary::Reflect));
        // Steps, jumps, results past the ends, and windows that stay inside.
        let steps = [single(1), Span { count: 4, first: -1, step: 3 }, Span { count: 5, first: 0, step: 2 }];
        all.push(case(dtype, &[10, 12], steps, boxed([1, 3, 2]), Rule::Maximum, BOUNDARIES[0]));
        let jumps = Points::Box { taps: [1, 1, 4], jump: [1, 1, 5], last: [0, 0, 13] };
        let spans = [single(1), single(3), Span { count: 17, first: 0, step: 1 }];
        all.push(case(dtype, &[3, 30], spans, jumps, Rule::Minimum, Boundary::Edge));
        let full = [single(1), single(1), Span { count: 24, first: -9, step: 1 }];
        all.push(case(dtype, &[20], full, boxed([1, 1, 6]), Rule::Minimum, Boundary::Wrap));
        all.push(case(dtype, &[3, 2, 5, 4], same(&[2, 5, 4], [3; 3]), boxed([3; 3]), Rule::Maximum, Boundary::Edge));
    }
    // Rows longer than a workgroup of a processor has of one, of all types that it has rows of.
    for dtype in ordered(caps).filter(|dtype| dtype.per_word() == 1) {
        let (shape, three) = ([2, 1100], Points::Fixed((0..3).map(|n| [0, 0, n - 1]).collect()));
        all.push(case(dtype, &shape, same(&shape, [0; 3]), three, Rule::Rank(1, 1), Boundary::Reflect));
        let steps = [single(1), single(2), Span { count: 541, first: -2, step: 2 }];
        all.push(case(dtype, &shape, steps, boxed([1, 2, 3]), Rule::Maximum, BOUNDARIES[0]));
        all.push(listed(dtype, [3, 70], Rule::Minimum, Boundary::Wrap));
    }
    let rule = Rule::Bilateral { space: 0.1f64.to_bits(), range: 0.7f64.to_bits() };
    all.push(case(DType::F32, &[40, 50], same(&[40, 50], [1, 3, 3]), boxed([1, 3, 3]), rule, Boundary::Edge));
    let squared = expression(Some(Function::Multiply), leaf(0, DType::F32, 800, 799, &[-40, -2]));
    let spans = same(&[20, 20], [1, 3, 3]);
    all.push(of(squared, &[20, 20], spans, boxed([1, 3, 3]), Rule::Minimum, Boundary::Reflect));
    all
}
