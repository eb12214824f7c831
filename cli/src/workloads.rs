//! Kernels bound by memory: BabelStream's five by its own definitions, sums, and fused expressions.

use super::compare::{BOUND, compare, prefixes, random, randoms, sum};
use super::measure::{Group, Row};
use super::{Outcome, indices};
use crosslane::{Array, Device, Result, Scan, Selected, s};
use std::cell::OnceCell;

/// BabelStream's scalar.
const SCALAR: f32 = 0.4;
/// Seeds of the two inputs.
pub const X: u64 = 1;
pub const Y: u64 = 2;

/// Two random arrays, uploaded at their first use.
pub struct Inputs {
    device: Device,
    /// Elements: the square of an integer.
    pub n: usize,
    x: OnceCell<Array<f32>>,
    y: OnceCell<Array<f32>>,
}

impl Inputs {
    pub fn new(device: &Device, n: usize) -> Inputs {
        Inputs { device: device.clone(), n, x: OnceCell::new(), y: OnceCell::new() }
    }

    pub fn x(&self) -> &Array<f32> {
        self.x.get_or_init(|| Array::from_slice(&self.device, &randoms(X, self.n)))
    }

    pub fn y(&self) -> &Array<f32> {
        self.y.get_or_init(|| Array::from_slice(&self.device, &randoms(Y, self.n)))
    }

    fn side(&self) -> usize {
        self.n.isqrt()
    }
}

/// The deferred computation of a result from the inputs.
type Make = fn(&Inputs) -> Array<f32>;

/// What each element of a result must be.
type Wanted = fn(f64, f64) -> f64;

/// Elementwise work: name, arrays moved, how it is made, what it must be from the elements of x and y.
const ELEMENTWISE: [(&str, u64, Make, Wanted); 7] = [
    ("copy_f32", 2, |i| i.x().copy(), |x, _| x),
    ("mul_f32", 2, |i| i.x() * SCALAR, |x, _| SCALAR as f64 * x),
    ("add_f32", 3, |i| i.x() + i.y(), |x, y| x + y),
    ("triad_f32", 3, |i| i.x() + i.y() * SCALAR, |x, y| x + SCALAR as f64 * y),
    ("expression_2x_plus_1", 2, |i| i.x() * 2.0 + 1.0, |x, _| 2.0 * x + 1.0),
    ("expression_sqrt", 2, |i| (i.x() * 2.0 + 1.0).sqrt(), |x, _| (2.0 * x + 1.0).sqrt()),
    (
        "expression_gelu",
        2,
        |i| i.x().gelu_tanh(),
        |x, _| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh()),
    ),
];

/// Reductions: name, arrays read, how it is made, what its elements must be.
type Reduction = (&'static str, u64, Make, fn(&Inputs) -> Vec<f64>);

const REDUCTIONS: [Reduction; 4] = [
    ("dot_f32", 2, |i| (i.x() * i.y()).sum(), |i| vec![sum(i.n, |k| random(X, k) as f64 * random(Y, k) as f64)]),
    ("sum_f32", 1, |i| i.x().sum(), |i| vec![sum(i.n, |k| random(X, k) as f64)]),
    ("sum_rows_f32", 1, |i| i.x().reshape(&[i.side(), i.side()]).sum_axes(1), row_sums),
    ("sum_columns_f32", 1, |i| i.x().reshape(&[i.side(), i.side()]).sum_axes(0), column_sums),
];

fn row_sums(inputs: &Inputs) -> Vec<f64> {
    let side = inputs.side();
    let row = |r: usize| (0..side).map(|c| random(X, r * side + c) as f64).sum();
    indices::map(side, row)
}

fn column_sums(inputs: &Inputs) -> Vec<f64> {
    let side = inputs.side();
    let column = |c: usize| (0..side).map(|r| random(X, r * side + c) as f64).sum();
    indices::map(side, column)
}

/// The lines of the table.
pub fn rows(inputs: &Inputs) -> Vec<Row<'_>> {
    let bytes = |arrays: u64| Group::Memory { bytes: arrays * 4 * inputs.n as u64 };
    let elementwise = ELEMENTWISE.map(|(op, arrays, make, wanted)| Row {
        op,
        n: inputs.n,
        group: bytes(arrays),
        before: None,
        check: Box::new(move || check_elements(op, inputs, make, wanted)),
        work: work(inputs, make),
    });
    let reductions = REDUCTIONS.map(|(op, arrays, make, wanted)| Row {
        op,
        n: if op.ends_with("s_f32") { inputs.side() } else { inputs.n },
        group: bytes(arrays),
        before: None,
        check: Box::new(move || {
            let wanted = wanted(inputs);
            compare(op, &make(inputs).to_vec()?, wanted.len(), BOUND, |i| wanted[i])
        }),
        work: work(inputs, make),
    });
    let scan = Row {
        op: "exclusive_sum_f32",
        n: inputs.n,
        group: bytes(2),
        before: None,
        check: Box::new(move || check_scan(inputs)),
        work: Box::new(move || exclusive_sum(inputs).eval()),
    };
    // CUB's: read once, and a quarter written.
    let select = Row {
        op: "select_if_f32_25pct",
        n: inputs.n,
        group: Group::Memory { bytes: 5 * inputs.n as u64 },
        before: None,
        check: Box::new(move || check_select(inputs)),
        work: Box::new(move || select(inputs).count_array().eval()),
    };
    let rows = elementwise.into_iter().chain(reductions).chain(transposes(inputs)).chain([scan, select]);
    rows.chain(sides(inputs).into_iter().map(|side| softmax_row(inputs, side))).collect()
}

/// Square matrices, the largest there is and one of 4096 rows.
fn transposes(inputs: &Inputs) -> Vec<Row<'_>> {
    let row = |side: usize| Row {
        op: "transpose_f32",
        n: side,
        group: Group::Memory { bytes: 8 * (side * side) as u64 },
        before: None,
        check: Box::new(move || {
            let wanted = |i: usize| random(X, i % side * side + i / side) as f64;
            compare("transpose_f32", &transposed(inputs, side).to_vec()?, side * side, 0.0, wanted)
        }),
        work: Box::new(move || transposed(inputs, side).eval()),
    };
    let mut sides = vec![inputs.side().min(4096), inputs.side()];
    sides.dedup();
    sides.into_iter().map(row).collect()
}

fn transposed(inputs: &Inputs, side: usize) -> Array<f32> {
    let part = inputs.x().slice(s![..(side * side) as isize]);
    part.reshape(&[side, side]).transpose().copy()
}

/// The sides of the matrices whose rows are normalised: the whole input, and the peers' shorter rows.
fn sides(inputs: &Inputs) -> Vec<usize> {
    let whole = inputs.side();
    if whole > 4096 { vec![4096, whole] } else { vec![whole] }
}

/// Read once and written once.
fn softmax_row(inputs: &Inputs, side: usize) -> Row<'_> {
    Row {
        op: "softmax_rows_f32",
        n: side,
        group: Group::Memory { bytes: 8 * (side * side) as u64 },
        before: None,
        check: Box::new(move || check_softmax(inputs, side)),
        work: Box::new(move || softmax(inputs, side).eval()),
    }
}

fn softmax(inputs: &Inputs, side: usize) -> Array<f32> {
    inputs.x().slice(s![..(side * side) as isize]).reshape(&[side, side]).softmax(1)
}

fn check_softmax(inputs: &Inputs, side: usize) -> Outcome {
    let exponential = |i: usize| (random(X, i) as f64).exp();
    let totals: Vec<f64> = indices::map(side, |r| (r * side..(r + 1) * side).map(exponential).sum());
    let got = softmax(inputs, side).to_vec()?;
    compare("softmax_rows_f32", &got, side * side, BOUND, |i| exponential(i) / totals[i / side])
}

fn exclusive_sum(inputs: &Inputs) -> Array<f32> {
    Scan::sum().exclusive().call(inputs.x())
}

/// A tree of 2^28 sums is some 40 roundings deep.
fn check_scan(inputs: &Inputs) -> Outcome {
    let wanted = prefixes(inputs.n, |i| random(X, i) as f64);
    compare("exclusive_sum_f32", &exclusive_sum(inputs).to_vec()?, inputs.n, 2.4 * BOUND, |i| wanted[i])
}

fn select(inputs: &Inputs) -> Selected<f32> {
    inputs.x().compress(&inputs.x().greater(0.75))
}

fn check_select(inputs: &Inputs) -> Outcome {
    let wanted: Vec<f32> = randoms(X, inputs.n).into_iter().filter(|&x| x > 0.75).collect();
    compare("select_if_f32_25pct", &select(inputs).to_vec()?, wanted.len(), 0.0, |i| wanted[i] as f64)
}

/// The expression is built anew each time: an array is computed once only.
fn work(inputs: &Inputs, make: Make) -> Box<dyn Fn() -> Result<()> + '_> {
    Box::new(move || make(inputs).eval())
}

fn check_elements(op: &str, inputs: &Inputs, make: Make, wanted: Wanted) -> Outcome {
    let got = make(inputs).to_vec()?;
    compare(op, &got, inputs.n, BOUND, |i| wanted(random(X, i) as f64, random(Y, i) as f64))
}
