//! Maps: every function and cast; strided, repeated, packed and transposed arrays; windows; formulas; as many as the device
//! says.

use crate::cases::{Case, call, cast, contiguous, expression, formula, leaf, of_formula, row, step, types};
use crate::{Map, random};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::op::{Expression, Fill, Formula, Function, Leaf, LeafSource, StepKind};

/// How an array is walked: name, shape, elements of the buffer, offset and strides.
type Walked = (&'static str, &'static [usize], usize, i64, Vec<i64>);

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all: Vec<Case> =
        types(caps).flat_map(|dtype| functions(dtype).into_iter().chain(casts(caps, dtype))).collect();
    all.extend(types(caps).flat_map(|dtype| together(caps, dtype)));
    all.extend(types(caps).flat_map(|dtype| layouts(caps, dtype)));
    all.extend(types(caps).flat_map(|dtype| transpositions(caps, dtype)));
    let index = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset: 3, strides: vec![2] };
    all.push(Case::new("a range", fresh(expression(None, index), &[1000])));
    all.extend(types(caps).flat_map(counted));
    all.extend(formulas());
    all.extend(draws(caps));
    all
}

fn map(expression: Expression, shape: &[usize], len: usize, offset: i64, strides: Vec<i64>, fresh: bool) -> Map {
    let output = expression.slots().len();
    let (output_len, output_offset, output_strides) = (len, offset, strides);
    let (shape, count, fill) = (shape.to_vec(), None, None);
    Map { expression, shape, output, output_len, output_offset, output_strides, fresh, count, fill }
}

fn fresh(expression: Expression, shape: &[usize]) -> Map {
    map(expression, shape, shape.iter().product(), 0, contiguous(shape), true)
}

/// Four wide and one wide.
fn functions(dtype: DType) -> Vec<Case> {
    let mut all = vec![];
    for &f in Function::ALL.iter().filter(|f| f.exists(dtype)) {
        // Angles and logarithms are near 0 where their results have no bound by their size.
        let case = |what, op| Case::new(what, op).scale(1.0);
        let whole = leaf(0, dtype, 1000, 0, &[1]);
        all.push(case(format!("{} of {dtype}", f.name()), fresh(expression(Some(f), whole), &[1000])));
        let odd = fresh(expression(Some(f), leaf(0, dtype, 2001, 1, &[2])), &[999]);
        all.push(case(format!("{} of strided {dtype}", f.name()), odd));
    }
    all
}

/// Functions of one expression, where a case has many.
const TOGETHER: usize = 20;

/// Sums of many functions of an array, and of its casts to all types: kernels that hold them all.
fn together(caps: &Caps, dtype: DType) -> Vec<Case> {
    let total = if Function::Add.exists(dtype) { dtype } else { DType::U32 };
    let functions: Vec<Function> = Function::ALL.iter().copied().filter(|f| f.exists(dtype)).collect();
    let mut all = vec![];
    for (stride, len) in [(1, 1000), (2, 999)] {
        let read = || expression(None, leaf(0, dtype, 2001, stride - 1, &[stride]));
        // Their sum cancels what it is not large by.
        let mut case = |what, sum| {
            all.push(Case::new(format!("{what} of {dtype}, stride {stride}"), fresh(sum, &[len])).scale(100.0));
        };
        for functions in functions.chunks(TOGETHER) {
            let mut sum = read();
            let called = functions.iter().map(|&function| call(&mut sum, function)).collect();
            add(&mut sum, called, total);
            case(functions.iter().map(|function| function.name()).collect::<Vec<&str>>().join(" "), sum);
        }
        let mut sum = read();
        let casts = types(caps).map(|to| cast(&mut sum, 0, to)).collect();
        add(&mut sum, casts, DType::F32);
        case("casts".to_string(), sum);
    }
    all
}

/// The sum of some steps in a type that has one.
fn add(expression: &mut Expression, steps: Vec<usize>, dtype: DType) {
    let steps: Vec<usize> = steps.into_iter().map(|from| cast(expression, from, dtype)).collect();
    for pair in 1..steps.len() {
        let sum = if pair == 1 { steps[0] } else { expression.steps.len() - 1 };
        expression.steps.push(step(StepKind::Call(Function::Add, vec![sum, steps[pair]]), dtype));
    }
}

fn casts(caps: &Caps, dtype: DType) -> Vec<Case> {
    let mut all = vec![];
    for to in types(caps) {
        for (stride, len) in [(1, 1000), (-3, 1001)] {
            let offset = if stride < 0 { 3999 } else { 0 };
            let mut cast = expression(None, leaf(0, dtype, 4000, offset, &[stride]));
            cast.steps.push(step(StepKind::Cast(0), to));
            let case = Case::new(format!("{dtype} as {to}, stride {stride}"), fresh(cast, &[len]));
            all.push(case);
        }
    }
    all
}

fn layouts(caps: &Caps, dtype: DType) -> Vec<Case> {
    let mut all = vec![];
    let layouts: [Walked; 11] = [
        ("empty", &[5, 0], 7, 0, vec![0, 1]),
        ("of one element", &[], 1, 0, vec![]),
        ("in order", &[40, 77], 3080, 0, vec![77, 1]),
        ("transposed", &[70, 50], 3500, 0, vec![1, 70]),
        ("repeated", &[70, 52], 52, 0, vec![0, 1]),
        ("repeated column", &[70, 52], 70, 0, vec![1, 0]),
        ("of rows of three", &[333, 3], 2000, 1, vec![6, 1]),
        ("of long rows", &[3, 5000], 15_100, 7, vec![5031, 1]),
        ("backwards", &[70, 52], 3640, 3639, vec![-52, -1]),
        ("of rank 5", &[2, 3, 4, 5, 8], 960, 0, vec![480, 8, 24, 96, 1]),
        ("past one binding", &[40_000, 10_007], 400_280_000, 0, vec![10_007, 1]),
    ];
    for (what, shape, len, offset, strides) in layouts {
        let read = expression(None, leaf(0, dtype, len, offset, &strides));
        let fits = shape.iter().product::<usize>() * 8 <= caps.buffer_bytes as usize * 16;
        all.extend(fits.then(|| Case::new(format!("{what} {dtype}"), fresh(read.clone(), shape)).fill(0, Fill::Any)));
        if !strides.contains(&0) {
            let source = expression(None, leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape)));
            let into = map(source, shape, len, offset, strides.clone(), false);
            all.push(Case::new(format!("into {what} {dtype}"), into).fill(0, Fill::Any));
        }
    }
    let steps = vec![step(StepKind::Scalar(0), dtype)];
    let constant = Expression { scalars: vec![Scalar { dtype, bits: 1 }], steps, ..Expression::default() };
    all.push(Case::new(format!("a constant {dtype}"), fresh(constant, &[77])));
    all
}

/// As many elements as the device says; the others are left, or filled.
fn counted(dtype: DType) -> Vec<Case> {
    let case = |(len, count, fill): (usize, u64, Option<u64>)| {
        let (fill, source) = (fill.map(|bits| Scalar { dtype, bits: bits as u128 }), leaf(0, dtype, len, 0, &[1]));
        let op = Map { output: 2, count: Some(row(1, DType::U32, 1)), fill, ..fresh(expression(None, source), &[len]) };
        let what = format!("{count} of {len} {dtype}, as the device says, {fill:?} after them");
        Case::new(what, op).fill(0, Fill::Any).fill(1, Fill::Number(count))
    };
    [(1000, 0, None), (999, 700, None), (1001, 700, Some(1)), (50, 90, Some(0)), (9000, 4500, Some(1))].map(case).into()
}

/// Texts of a program's own: four wide and one wide, without checks and with, which loops need.
fn formulas() -> Vec<Case> {
    let dtype = DType::F32;
    let texts = ["x * x + x", "var sum = x; for (var turn = 0u; turn < 1u; turn++) { sum = fma(x, x, sum); } sum"];
    let layouts = [(1000, 0, 1), (1000, 1999, -2)];
    let case = |(text, (len, offset, stride)): (&str, (usize, i64, i64))| {
        let leaf = leaf(0, dtype, 2000, offset, &[stride]);
        let mut plain = expression(Some(Function::Multiply), leaf.clone());
        plain.steps.push(step(StepKind::Call(Function::Add, vec![1, 0]), dtype));
        let op = fresh(of_formula(formula(text, dtype), leaf), &[len]);
        Case::new(format!("{text:?} of {len}, stride {stride}"), op).means(fresh(plain, &[len]))
    };
    texts.into_iter().flat_map(|text| layouts.map(|layout| (text, layout))).map(case).collect()
}

/// In every way that tiles serve: aligned and not, thin, of several dimensions, of several inputs, through windows.
fn transpositions(caps: &Caps, dtype: DType) -> Vec<Case> {
    let mut all = vec![];
    let layouts: [(&[usize], &[usize]); 10] = [
        (&[70, 68], &[1, 0]),
        (&[131, 67], &[1, 0]),
        (&[100, 124], &[1, 0]),
        (&[101, 123], &[1, 0]),
        (&[101, 124], &[1, 0]),
        (&[3, 3000], &[1, 0]),
        (&[3000, 3], &[1, 0]),
        (&[12, 2, 8, 40], &[3, 1, 2, 0]),
        (&[8, 4, 6, 20], &[3, 2, 1, 0]),
        (&[10_007, 40_000], &[1, 0]),
    ];
    for (shape, order) in layouts {
        let len: usize = shape.iter().product();
        if len * dtype.size() > caps.buffer_bytes as usize * 16 {
            continue;
        }
        let strides: Vec<i64> = order.iter().map(|&axis| contiguous(shape)[axis]).collect();
        let shape: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let read = expression(None, leaf(0, dtype, len, 0, &strides));
        let what = format!("{shape:?} of {dtype}, transposed");
        all.push(Case::new(what.clone(), fresh(read.clone(), &shape)).fill(0, Fill::Any));
        if Function::Add.exists(dtype) {
            let mut both = read;
            both.leaves.push(leaf(1, dtype, len, 0, &contiguous(&shape)));
            both.steps.push(step(StepKind::Leaf(1), dtype));
            both.steps.push(step(StepKind::Call(Function::Add, vec![0, 1]), dtype));
            all.push(Case::new(format!("{what} and straight"), fresh(both, &shape)));
        }
    }
    all
}

/// Draws of random numbers: four of a block, four that begin within one, and apart.
fn draws(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for (nth, (shared, scalars)) in random::cases::calls().into_iter().enumerate() {
        if !shared.features.iter().all(|feature| feature.there(caps)) {
            continue;
        }
        for (len, offset, stride) in [(999, 0, 1), (64, 3, 1), (63, 900, -2)] {
            let leaf = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset, strides: vec![stride] };
            let mut drawn = expression(None, leaf);
            for scalar in &scalars {
                drawn.scalars.push(*scalar);
                drawn.steps.push(step(StepKind::Scalar(drawn.scalars.len() - 1), scalar.dtype));
            }
            let arguments = (0..drawn.steps.len()).collect();
            drawn.steps.push(step(StepKind::Formula(Formula::shared(shared), arguments), shared.result));
            let what = format!("{} {nth} of {len} from {offset}, stride {stride}", shared.name);
            all.push(Case::new(what, fresh(drawn, &[len])));
        }
    }
    all
}
