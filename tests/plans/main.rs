//! Plans without a device: for every preset of capabilities they are pure, keep the limits, and their kernels parse,
//! validate and can be written in every driver's language.

mod templates;

use crosslane::DType;
use crosslane::array::{OutOfRange, Precision, has_kernel};
use crosslane::device::Caps;
use crosslane::kernel::Access;
use crosslane::op::{
    Expression, Function, Grid, Leaf, Op, Param, Pass, Plan, Scalar, Source, Step, Values, Vary, What,
};
use crosslane::ops::{
    Binning, ByKey, Combine, Concatenate, Gather, Histogram, Indexing, Map, Matmul, Normalisation, Normalise, Nth,
    Operator, Payload, Reduce, Rule, Runs, Scan, Scatter, SearchSorted, Select, Side, Sort, TopK,
};
use naga::back::{glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::collections::HashSet;

/// How an array is walked: name, shape, elements of the buffer, offset and strides.
type Walked = (&'static str, &'static [usize], usize, i64, Vec<i64>);

fn contiguous(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as i64;
    }
    strides
}

fn leaf(slot: usize, dtype: DType, len: usize, offset: i64, strides: &[i64]) -> Leaf {
    Leaf { source: Source::Slot(slot), dtype, len, offset, strides: strides.to_vec() }
}

fn step(what: What, dtype: DType) -> Step {
    Step { what, dtype }
}

/// `function(x, x, x)` over an array, then what a leaf of this layout gives.
fn expression(function: Option<Function>, leaf: Leaf) -> Expression {
    let dtype = leaf.dtype;
    let mut steps = vec![step(What::Leaf(0), dtype)];
    if let Some(function) = function {
        let mut args = vec![0; function.arity()];
        if function == Function::Select {
            steps.push(step(What::Cast(0), DType::Bool));
            args[0] = 1;
        }
        steps.push(step(What::Call(function, args), function.result(dtype)));
    }
    Expression { leaves: vec![leaf], steps, ..Expression::default() }
}

fn map(expression: Expression, shape: &[usize], len: usize, offset: i64, strides: Vec<i64>, fresh: bool) -> Map {
    let output = expression.slots().len();
    let (output_len, output_offset, output_strides) = (len, offset, strides);
    Map {
        expression,
        shape: shape.to_vec(),
        output,
        output_len,
        output_offset,
        output_strides,
        fresh,
        count: None,
        fill: None,
    }
}

fn fresh(expression: Expression, shape: &[usize]) -> Map {
    map(expression, shape, shape.iter().product(), 0, contiguous(shape), true)
}

fn fits(caps: &Caps, dtype: DType) -> bool {
    match dtype {
        DType::F16 => caps.f16,
        DType::F64 => caps.f64,
        DType::I64 | DType::U64 => caps.i64,
        _ => true,
    }
}

/// Maps: every function and cast, four wide and one wide; strided, repeated and packed outputs; windows.
fn maps(caps: &Caps) -> Vec<(String, Map)> {
    let mut all = Vec::new();
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)).collect();
    for &dtype in &dtypes {
        let whole = |len: usize| leaf(0, dtype, len, 0, &[1]);
        for &f in Function::ALL.iter().filter(|&&f| has_kernel(f, dtype)) {
            all.push((format!("{} of {dtype}", f.name()), fresh(expression(Some(f), whole(1000)), &[1000])));
            let odd = fresh(expression(Some(f), leaf(0, dtype, 2001, 1, &[2])), &[999]);
            all.push((format!("{} of strided {dtype}", f.name()), odd));
        }
        for &to in &dtypes {
            for (strides, len) in [([1], 1000), ([-3], 1001)] {
                let mut cast = expression(None, leaf(0, dtype, 4000, if strides[0] < 0 { 3999 } else { 0 }, &strides));
                cast.steps.push(step(What::Cast(0), to));
                all.push((format!("{dtype} as {to}, strides {strides:?}"), fresh(cast, &[len])));
            }
        }
        let layouts: [Walked; 6] = [
            ("transposed", &[70, 50], 3500, 0, vec![1, 70]),
            ("repeated", &[70, 52], 52, 0, vec![0, 1]),
            ("repeated column", &[70, 52], 70, 0, vec![1, 0]),
            ("backwards", &[70, 52], 3640, 3639, vec![-52, -1]),
            ("of rank 5", &[2, 3, 4, 5, 8], 960, 0, vec![480, 8, 24, 96, 1]),
            ("past one binding", &[40_000, 10_007], 400_280_000, 0, vec![10_007, 1]),
        ];
        for (what, shape, len, offset, strides) in layouts {
            let read = expression(None, leaf(0, dtype, len, offset, &strides));
            let fits = shape.iter().product::<usize>() * 8 <= caps.buffer_bytes as usize * 16;
            all.extend(fits.then(|| (format!("{what} {dtype}"), fresh(read.clone(), shape))));
            if !strides.contains(&0) {
                let source = expression(None, leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape)));
                all.push((format!("into {what} {dtype}"), map(source, shape, len, offset, strides.clone(), false)));
            }
        }
        let scalar = Scalar { dtype, bits: 1 };
        let steps = vec![step(What::Scalar(0), dtype)];
        all.push((
            format!("a constant {dtype}"),
            fresh(Expression { scalars: vec![scalar], steps, ..Expression::default() }, &[77]),
        ));
    }
    let index = Leaf { source: Source::Index, dtype: DType::U32, len: 0, offset: 3, strides: vec![2] };
    all.push(("a range".into(), fresh(expression(None, index), &[1000])));
    all
}

/// Transpositions in every way that tiles serve: aligned and not, thin, of several dimensions, of several inputs, through
/// windows.
fn transpositions(caps: &Caps) -> Vec<(String, Map)> {
    let mut all = Vec::new();
    for dtype in DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)) {
        let layouts: [(&[usize], &[usize]); 7] = [
            (&[700, 520], &[1, 0]),
            (&[701, 523], &[1, 0]),
            (&[3, 10_000], &[1, 0]),
            (&[10_000, 3], &[1, 0]),
            (&[20, 30, 40, 48], &[3, 1, 2, 0]),
            (&[8, 12, 16, 20], &[3, 2, 1, 0]),
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
            all.push((format!("{shape:?} of {dtype}, transposed"), fresh(read.clone(), &shape)));
            if has_kernel(Function::Add, dtype) {
                let mut both = read;
                both.leaves.push(leaf(1, dtype, len, 0, &contiguous(&shape)));
                both.steps.push(step(What::Leaf(1), dtype));
                both.steps.push(step(What::Call(Function::Add, vec![0, 1]), dtype));
                all.push((format!("{shape:?} of {dtype}, transposed and straight"), fresh(both, &shape)));
            }
        }
    }
    all
}

/// Parts of every type, aligned and not, few and many, through windows.
fn concatenations(caps: &Caps) -> Vec<(String, Concatenate)> {
    let mut all = Vec::new();
    for dtype in DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)) {
        for (shape, lengths) in [([50, 0, 8], [4usize, 12, 8]), ([50, 0, 7], [3, 12, 1]), ([3000, 0, 5000], [1, 5, 7])]
        {
            if 13 * 15_000_000 * dtype.size() > caps.buffer_bytes as usize * 16 {
                continue;
            }
            for (axis, many) in [(0, 1), (1, 1), (1, 10)] {
                let lengths = lengths.repeat(many);
                let part = |(slot, &length): (usize, &usize)| {
                    let mut shape = shape.to_vec();
                    shape[1] = 2;
                    shape[axis] = length;
                    (expression(None, leaf(slot, dtype, shape.iter().product(), 0, &contiguous(&shape))), shape)
                };
                let parts: Vec<_> = lengths.iter().enumerate().map(part).collect();
                let output = parts.len();
                all.push((format!("{shape:?} of {dtype} by {lengths:?}"), Concatenate { parts, axis, output }));
            }
        }
    }
    all
}

fn operators(dtype: DType) -> Vec<Operator> {
    let mut all = vec![Operator::Any, Operator::All, Operator::CountNonzero];
    if !matches!(dtype, DType::U8 | DType::U16 | DType::Bool) {
        use Operator::*;
        all.extend([Sum, Product, Minimum, Maximum, ArgMinimum, ArgMaximum]);
        all.push(Operator::custom("max(a, b)", dtype, Scalar { dtype, bits: 0 }).unwrap());
    }
    all
}

/// Reductions: every operator and type, over rows, columns, everything, and through windows.
fn reductions(caps: &Caps) -> Vec<(String, Reduce)> {
    let mut all = Vec::new();
    for dtype in DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)) {
        for operator in operators(dtype) {
            let shapes: [(&[usize], &[bool]); 9] = [
                (&[1000], &[true]),
                (&[10_000_000], &[true]),
                (&[1000, 1000], &[false, true]),
                (&[1000, 1001], &[true, false]),
                (&[5, 3], &[false, true]),
                (&[7, 100, 9], &[true, false, true]),
                (&[60_000, 6_007], &[true, true]),
                (&[60_000, 6_007], &[true, false]),
                (&[60_000, 6_007], &[false, true]),
            ];
            for (shape, reduced) in shapes {
                let len = shape.iter().product();
                let read = expression(None, leaf(0, dtype, len, 0, &contiguous(shape)));
                let (shape, reduced) = (shape.to_vec(), reduced.to_vec());
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", operator.name());
                all.push((
                    what,
                    Reduce { expression: read, shape, reduced, operator: operator.clone(), count: None, output: 1 },
                ));
            }
        }
    }
    all
}

/// Normalisations: every one and type, of rows and columns that are held, read in pieces, shared, and past one binding.
fn normalisations(caps: &Caps) -> Vec<(String, Normalise)> {
    use Normalisation::*;
    let mut all = Vec::new();
    let (epsilon, freedom) = (1e-5, 1.0);
    let kinds = [Softmax, LogSoftmax, LogSumExp, Layer { epsilon }, Rms { epsilon }, MeanVariance { freedom }];
    for dtype in [DType::F16, DType::F32, DType::F64].into_iter().filter(|&dtype| fits(caps, dtype)) {
        for normalisation in kinds.into_iter().filter(|kind| !(kind.is_exponential() && dtype == DType::F64)) {
            let shapes: [(&[usize], &[bool]); 12] = [
                (&[7], &[true]),
                (&[1000, 5], &[false, true]),
                (&[300, 64], &[false, true]),
                (&[16, 16384], &[false, true]),
                (&[3, 50_001], &[false, true]),
                (&[2000, 100_000], &[false, true]),
                (&[10_000_000], &[true]),
                (&[100, 1000], &[true, false]),
                (&[5000, 1001], &[true, false]),
                (&[8, 32, 49, 4], &[true, false, true, true]),
                (&[60_000, 6_007], &[true, true]),
                (&[60_000, 6_008], &[true, false]),
            ];
            for (shape, reduced) in shapes {
                let strides = contiguous(shape);
                let leaf = |slot, strides: &[i64]| leaf(slot, dtype, shape.iter().product(), 0, strides);
                let own: Vec<i64> = strides.iter().zip(reduced).map(|(&s, &r)| if r { s } else { 0 }).collect();
                let affine = |slot| normalisation.is_elementwise().then(|| expression(None, leaf(slot, &own)));
                // A phone's kernel binds states and an output beside, and no more than four.
                let (weight, bias) = (affine(1), if caps.bindings > 4 { affine(2) } else { None });
                let output = 1 + weight.is_some() as usize + bias.is_some() as usize;
                let (expression, shape, reduced) =
                    (expression(None, leaf(0, &strides)), shape.to_vec(), reduced.to_vec());
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", normalisation.name());
                all.push((what, Normalise { expression, shape, reduced, normalisation, weight, bias, output }));
            }
        }
    }
    all
}

/// Histograms: every type and rule, few bins and many, weights, two axes, through windows.
fn histograms(caps: &Caps) -> Vec<(String, Histogram)> {
    let mut all = Vec::new();
    let whole = |slot: usize, dtype: DType, len: usize| expression(None, leaf(slot, dtype, len, 0, &[1]));
    for dtype in DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)) {
        let compared = match dtype {
            DType::F16 => DType::F32,
            DType::U8 | DType::U16 | DType::Bool => DType::I32,
            other => other,
        };
        let end = |bits| Scalar { dtype: compared, bits };
        let (low, high) = (end(0), end(1000));
        let even = Rule::Even { low, high, scale: 1.0, shift: 0.5, inner: 0.4 };
        let number = !matches!(dtype, DType::F16 | DType::F32 | DType::F64 | DType::Bool);
        for rule in [Some(even), Some(Rule::Search { low, high }), number.then_some(Rule::Number)].into_iter().flatten()
        {
            for (bins, len) in [(7, 1000), (300, 1_000_003), (5000, 100_000_000), (200_000, 1000)] {
                let edges = (rule != Rule::Number).then(|| whole(1, compared, bins + 1));
                let (output, axes) = (1 + edges.is_some() as usize, vec![Binning { bins, rule: rule.clone() }]);
                let samples = vec![whole(0, dtype, len)];
                let one = Histogram { samples, weights: None, shape: vec![len], axes, edges, output };
                all.push((format!("histogram of {len} {dtype} in {bins} bins by {rule:?}"), one));
            }
        }
    }
    let end = |bits| Scalar { dtype: DType::F32, bits };
    let axis = Binning { bins: 100, rule: Rule::Search { low: end(0), high: end(1000) } };
    for weight in [DType::F32, DType::I32, DType::U32] {
        let (samples, weights) = (vec![whole(0, DType::F32, 1001)], Some(whole(1, weight, 1001)));
        let (axes, edges) = (vec![axis.clone()], Some(whole(2, DType::F32, 101)));
        all.push((
            format!("weights of {weight:?}"),
            Histogram { samples, weights, shape: vec![1001], axes, edges, output: 3 },
        ));
    }
    let (samples, edges) = (vec![whole(0, DType::F32, 1001), whole(1, DType::F32, 1001)], whole(2, DType::F32, 202));
    let (axes, edges) = (vec![axis.clone(), axis], Some(edges));
    all.push(("two axes".into(), Histogram { samples, weights: None, shape: vec![1001], axes, edges, output: 3 }));
    all
}

/// Searches, gathers and scatters of every type, in one window and in several.
fn by_index(caps: &Caps) -> Vec<(String, Box<dyn Op>)> {
    let mut all: Vec<(String, Box<dyn Op>)> = Vec::new();
    let whole = |slot: usize, dtype: DType, len: usize| expression(None, leaf(slot, dtype, len, 0, &[1]));
    let base = || {
        let nowhere = Leaf { source: Source::Index, dtype: DType::U32, len: 0, offset: 0, strides: vec![0] };
        expression(None, nowhere)
    };
    for dtype in DType::ALL.into_iter().filter(|&dtype| fits(caps, dtype)) {
        for (len, count) in [(1000, 999), (200_000_000, 1000)] {
            let what = |name: &str| format!("{name} of {count} with {len} {dtype}");
            all.push((what("runs"), Box::new(Runs { values: whole(0, dtype, len), len: len - 3, output: 1 })));
            for side in [Side::Left, Side::Right] {
                let (values, sorted) = (whole(0, dtype, count), whole(1, dtype, len));
                let op = SearchSorted { values, shape: vec![count], sorted, len: len - 3, side, output: 2 };
                all.push((what("search"), Box::new(op)));
            }
            for outside in [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop, OutOfRange::Error] {
                for index in [DType::U32, DType::I32] {
                    let indexing = |report: usize| Indexing {
                        indices: whole(0, index, count),
                        base: base(),
                        extent: len,
                        stride: 1,
                        outside,
                        report: (outside == OutOfRange::Error).then(|| whole(report, DType::U32, 3)),
                    };
                    let extra = (outside == OutOfRange::Error) as usize;
                    let (source, output) = (whole(1, dtype, len), 2 + extra);
                    let gather = Gather { source, indexing: indexing(2), shape: vec![count], output };
                    all.push((what("gather"), Box::new(gather)));
                    let number = matches!(dtype, DType::F32 | DType::I32 | DType::U32);
                    let combines = [Combine::Replace, Combine::Add, Combine::Minimum, Combine::Maximum];
                    for combine in combines.into_iter().take(if number && len == 1000 { 4 } else { 1 }) {
                        let (target, values) = (whole(1, dtype, len), whole(2, dtype, count));
                        let (target_shape, shape, output) = (vec![len], vec![count], 3 + extra);
                        let indexing = indexing(3);
                        let op = Scatter { target, target_shape, values, indexing, shape, combine, output };
                        all.push((what("scatter"), Box::new(op)));
                    }
                }
            }
        }
    }
    all
}

/// Types that lie differently in words: the others are like one of them.
const KINDS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::I64];

/// Sorts, alone, with indices, with values and of a number that the device knows; the first few and the n-th.
fn orders(caps: &Caps) -> Vec<(String, Box<dyn Op>)> {
    let mut all: Vec<(String, Box<dyn Op>)> = Vec::new();
    for dtype in KINDS.into_iter().filter(|&dtype| fits(caps, dtype)) {
        for (rows, length) in [(1, 60), (1, 1000), (50, 300), (1, 3_000_000), (3, 50_000_000)] {
            let len = rows * length;
            let keys = || expression(None, leaf(0, dtype, len, 0, &[1]));
            let count = |slot| (rows == 1).then(|| expression(None, leaf(slot, DType::U32, 1, 0, &[1])));
            let values = |dtype| Payload::Array(expression(None, leaf(1, dtype, len, 0, &[1])));
            let bits = 0..if dtype == DType::Bool { 1 } else { 8 * dtype.size() as u32 };
            let sort = |payload, count, gives_keys, output| {
                let (keys, bits, descending) = (keys(), bits.clone(), rows == 3);
                Box::new(Sort { keys, payload, rows, length, descending, bits, count, gives_keys, output })
            };
            let what = |name: &str| format!("{name} of {rows} rows of {length} {dtype}");
            all.push((what("sort"), sort(Payload::None, None, true, 1)));
            all.push((what("counted sort"), sort(Payload::None, count(1), true, 1 + (rows == 1) as usize)));
            all.push((what("argsort"), sort(Payload::Index, None, false, 1)));
            all.push((what("pairs"), sort(values(DType::U32), None, true, 2)));
            all.push((what("pairs"), sort(values(DType::U8), None, true, 2)));
            let k = TopK::most(caps, dtype, length).min(10);
            all.push((what("top k"), Box::new(TopK { keys: keys(), rows, length, k, largest: rows == 1, output: 1 })));
            if dtype.size() >= 4 {
                all.push((what("nth"), Box::new(Nth { keys: keys(), rows, length, n: length / 2, output: 1 })));
            }
        }
    }
    all
}

/// Operators of each kind of state: others differ in one line.
fn combined(dtype: DType) -> Vec<Operator> {
    let few = |operator: &Operator| matches!(operator, Operator::Sum | Operator::Minimum | Operator::CountNonzero);
    operators(dtype).into_iter().filter(few).collect()
}

/// Scans along rows and columns, with segments and without, and selections.
fn scans(caps: &Caps) -> Vec<(String, Box<dyn Op>)> {
    let mut all: Vec<(String, Box<dyn Op>)> = Vec::new();
    for dtype in KINDS.into_iter().filter(|&dtype| fits(caps, dtype)) {
        let shapes: [&[usize]; 5] = [&[1000], &[5_000_000], &[300, 40], &[3, 50_000], &[100_000_000]];
        for shape in shapes {
            let len = shape.iter().product();
            let of = |slot, dtype| expression(None, leaf(slot, dtype, len, 0, &contiguous(shape)));
            for operator in combined(dtype) {
                for (axis, segments) in (0..shape.len()).flat_map(|axis| [(axis, false), (axis, true)]) {
                    let heads = segments.then(|| of(1, DType::Bool));
                    let what =
                        format!("{} scan of {shape:?} {dtype} along {axis}, segments {segments}", operator.name());
                    let op = Scan {
                        expression: of(0, dtype),
                        heads,
                        shape: shape.to_vec(),
                        axis,
                        operator: operator.clone(),
                        exclusive: axis == 0,
                        reverse: false,
                        output: 1 + segments as usize,
                    };
                    all.push((what, Box::new(op)));
                }
            }
            for fill in [None, Some(Scalar { dtype, bits: 1 })] {
                // Two arrays are read and two written, and tiles tell each other where they are.
                if shape.len() == 1 && len * dtype.size() <= 64 << 20 && caps.bindings >= 5 {
                    let op = Select { values: of(1, dtype), condition: of(0, DType::Bool), len, fill, output: 2 };
                    all.push((format!("selection of {len} {dtype}, {fill:?}"), Box::new(op)));
                }
            }
        }
    }
    all
}

/// Products: sides that lie as rows and as columns, sizes that go in vectors or not, parts, batches, past one binding.
fn products(caps: &Caps) -> Vec<(String, Box<dyn Op>)> {
    let mut all: Vec<(String, Box<dyn Op>)> = Vec::new();
    let sizes = [
        [1, 64, 64, 64],
        [1, 1000, 70, 1001],
        [1, 5, 100_000, 9],
        [300, 64, 64, 64],
        [1, 4096, 4096, 4096],
        [10_000, 2, 3, 4],
        [1, 100_000, 20, 1],
    ];
    let huge = if caps.binding_bytes < 1 << 30 { [1, 9_000, 9_000, 9_000] } else { [1, 50_000, 50_000, 50_000] };
    for dtype in KINDS.into_iter().filter(|&dtype| fits(caps, dtype) && dtype.size() > 1) {
        for [batch, rows, inner, columns] in sizes.into_iter().chain((dtype == DType::F32).then_some(huge)) {
            for turned in [[false, false], [false, true], [true, false], [true, true]] {
                let (n, m, k) = (columns as i64, rows as i64, inner as i64);
                let a = if turned[0] { [1, 0, m] } else { [k, 0, 1] };
                let b = if turned[1] { [0, k, 1] } else { [0, 1, n] };
                let side = |slot, [row, column, inner]: [i64; 3], len: usize| {
                    expression(None, leaf(slot, dtype, batch * len, 0, &[len as i64, row, column, inner]))
                };
                let epilogue = Expression::given(Matmul::sums(dtype), 4);
                let op = Matmul {
                    extents: [vec![batch], vec![rows], vec![columns], vec![inner]],
                    sides: [side(0, a, rows * inner), side(1, b, inner * columns)],
                    epilogue,
                    precision: Precision::Exact,
                    output: 2,
                };
                all.push((
                    format!("{batch} products of {dtype}, {rows} x {inner} x {columns}, {turned:?}"),
                    Box::new(op),
                ));
            }
        }
    }
    all
}

/// Everything that a plan promises, but for its kernels' text.
fn check_plan(what: &str, op: &dyn Op, caps: &Caps) -> Plan {
    let plan = op.plan(caps).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(format!("{plan:?}"), format!("{:?}", op.plan(caps).unwrap()), "{what}: the plan is not pure");
    let slots = op.slots();
    let padded = |bytes: u64| bytes.next_multiple_of(64).max(64);
    let sizes: Vec<u64> = slots.iter().map(|slot| padded((slot.len * slot.dtype.size()) as u64)).collect();
    let sizes = [sizes, plan.scratch.clone()].concat();
    assert!(!plan.passes.is_empty(), "{what}");
    for pass in &plan.passes {
        let kernel = &pass.kernel;
        assert_eq!(pass.params.len(), kernel.param_words(), "{what}: parameters of {kernel:?}");
        assert_eq!(pass.buffers.len(), kernel.bindings().len(), "{what}: bindings of {kernel:?}");
        assert!(pass.buffers.len() <= caps.bindings as usize, "{what}: {} bindings", pass.buffers.len());
        for (binding, point) in pass.buffers.iter().zip(kernel.bindings()) {
            assert!(binding.bytes > 0 && binding.bytes.is_multiple_of(4), "{what}: {binding:?}");
            assert!(binding.bytes <= caps.binding_bytes, "{what}: {binding:?}");
            assert!(binding.offset.is_multiple_of(caps.offset_alignment), "{what}: {binding:?}");
            assert!(binding.offset + binding.bytes <= sizes[binding.buffer], "{what}: {binding:?} in {sizes:?}");
            let read_only = slots.get(binding.buffer).is_some_and(|slot| slot.access == Access::Read);
            assert!(!(read_only && point.access == Access::Write), "{what} writes to its input");
        }
        let used = |access| {
            let pairs = pass.buffers.iter().zip(kernel.bindings());
            pairs.filter(move |pair| pair.1.access == access).map(|pair| pair.0.buffer)
        };
        let written: Vec<usize> = used(Access::Write).collect();
        assert!(used(Access::Read).all(|buffer| !written.contains(&buffer)), "{what}: one buffer read and written");
        let [x, y, z] = pass.grid.fold(caps.grid);
        assert!(x > 0 && x.max(y).max(z) <= caps.grid && z == 1, "{what}: {x} x {y} x {z} workgroups");
    }
    plan
}

struct Parsed {
    module: naga::Module,
    info: ModuleInfo,
}

/// The features that a device with these capabilities would give naga.
fn capabilities(caps: &Caps) -> Capabilities {
    let mut all = Capabilities::default();
    all.set(Capabilities::SHADER_FLOAT16, caps.f16);
    all.set(Capabilities::FLOAT64, caps.f64);
    all.set(Capabilities::SHADER_INT64, caps.i64);
    all.set(Capabilities::SHADER_FLOAT32_ATOMIC, caps.atomic_f32);
    all.set(Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER, caps.subgroups.is_some());
    all.set(Capabilities::SHADER_FLOAT16_IN_FLOAT32, true);
    all.set(Capabilities::COOPERATIVE_MATRIX, caps.tensor.is_some());
    all.set(Capabilities::IMMEDIATES, caps.immediate_bytes > 0);
    all
}

fn parse(what: &str, source: &str, caps: &Caps) -> Parsed {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{what}: {}\n{source}", error.emit_to_string(source)));
    let mut validator = Validator::new(ValidationFlags::all(), capabilities(caps));
    let info = validator
        .validate(&module)
        .unwrap_or_else(|error| panic!("{what}: {}\n{source}", error.emit_to_string(source)));
    Parsed { module, info }
}

/// Writes the kernel in every language. HLSL and MSL have no f64 and GLSL neither f16 nor 64-bit integers as naga
/// writes them; MSL and GLSL of the presets that have those types are never asked for.
fn write(what: &str, entry: &str, source: &str, parsed: &Parsed) {
    let Parsed { module, info } = parsed;
    let stage = naga::ShaderStage::Compute;
    let options = spv::Options { lang_version: (1, 3), ..Default::default() };
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: entry.into() };
    let words =
        spv::write_vec(module, info, &options, Some(&pipeline)).unwrap_or_else(|e| panic!("{what}: SPIR-V: {e}"));
    assert_eq!(words[0], 0x0723_0203, "{what}");
    let (f16, f64, i64) =
        (source.contains("f16"), source.contains("f64"), source.contains("i64") || source.contains("u64"));
    if source.contains("atomic<f32>") {
        return; // Vulkan's and CUDA's only
    }
    if !f64 {
        let options = msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..Default::default() };
        let text = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
        assert!(text.unwrap_or_else(|e| panic!("{what}: MSL: {e}")).0.contains("kernel void"), "{what}");
    }
    if source.contains("coop_mat") {
        return; // Vulkan's, Metal's and CUDA's only
    }
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_2,
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget { space: 9, ..Default::default() }),
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: Some((stage, entry.into())) };
    let mut text = String::new();
    let result = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
    result.unwrap_or_else(|e| panic!("{what}: HLSL: {e}"));
    assert!(text.contains("numthreads"), "{what}");
    if !f16 && !f64 && !i64 {
        let options =
            glsl::Options { version: glsl::Version::Embedded { version: 310, is_webgl: false }, ..Default::default() };
        let pipeline = glsl::PipelineOptions { shader_stage: stage, entry_point: entry.into(), multiview: None };
        let mut text = String::new();
        let policies = naga::proc::BoundsCheckPolicies::default();
        let result =
            glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies).and_then(|mut w| w.write());
        result.unwrap_or_else(|e| panic!("{what}: GLSL: {e}"));
        assert!(text.contains("local_size_x"), "{what}");
    }
}

/// Each kernel once: many plans share one.
fn check_kernels<'a>(caps: &Caps, plans: impl Iterator<Item = (&'a str, Plan)>) {
    let mut seen = HashSet::new();
    for (what, plan) in plans {
        for pass in plan.passes {
            if seen.insert(pass.kernel.source().to_string()) {
                let parsed = parse(what, pass.kernel.source(), caps);
                write(what, pass.kernel.entry(), pass.kernel.source(), &parsed);
            }
        }
    }
    assert!(seen.len() > 20);
}

#[test]
fn maps_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = maps(&caps);
        println!("{preset}: {} maps", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), op, &caps))),
        );
    }
}

#[test]
fn transpositions_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = transpositions(&caps);
        println!("{preset}: {} transpositions", ops.len());
        let tiled = |plan: &Plan| plan.passes.iter().all(|pass| pass.kernel.name().starts_with("tiled map"));
        let plans = ops.iter().map(|(what, op)| {
            let plan = check_plan(&format!("{preset}: {what}"), op, &caps);
            // A part of a word is stored by itself only where others are stored by others.
            assert!(tiled(&plan) || DType::size(op.expression.dtype()) < 4, "{preset}: {what} takes no tiles");
            (what.as_str(), plan)
        });
        check_kernels(&caps, plans);
    }
}

#[test]
fn concatenations_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = concatenations(&caps);
        println!("{preset}: {} concatenations", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), op, &caps))),
        );
    }
}

#[test]
fn reductions_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = reductions(&caps);
        println!("{preset}: {} reductions", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), op, &caps))),
        );
    }
}

#[test]
fn normalisations_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = normalisations(&caps);
        println!("{preset}: {} normalisations", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), op, &caps))),
        );
    }
}

#[test]
fn histograms_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = histograms(&caps);
        println!("{preset}: {} histograms", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), op, &caps))),
        );
    }
}

#[test]
fn searches_gathers_and_scatters_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = by_index(&caps);
        println!("{preset}: {} searches, gathers and scatters", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), &**op, &caps))),
        );
    }
}

#[test]
fn orders_plan_within_limits_and_compile_everywhere() {
    let merging = Caps::presets().into_iter().map(|(preset, mut caps)| {
        caps.tuning.set("sort_merge", &[8192]).unwrap();
        (preset, caps)
    });
    for (preset, caps) in Caps::presets().into_iter().chain(merging) {
        let ops = orders(&caps);
        println!("{preset}: {} orders", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), &**op, &caps))),
        );
    }
}

#[test]
fn scans_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = scans(&caps);
        println!("{preset}: {} scans", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), &**op, &caps))),
        );
    }
}

#[test]
fn products_plan_within_limits_and_compile_everywhere() {
    for (preset, caps) in Caps::presets() {
        let ops = products(&caps);
        println!("{preset}: {} products", ops.len());
        check_kernels(
            &caps,
            ops.iter().map(|(what, op)| (what.as_str(), check_plan(&format!("{preset}: {what}"), &**op, &caps))),
        );
    }
}

/// A number that a kernel's text begins its appended part with.
fn constant(pass: &Pass, name: &str) -> u64 {
    let (_, after) = pass.kernel.source().split_once(&format!("const {name} = ")).expect("the constant is there");
    after.split_once('u').unwrap().0.parse().unwrap()
}

/// Small problems have small plans: one launch, and not many more invocations and items than there are elements.
#[test]
fn what_is_small_takes_little() {
    let processor = ("processor", Caps::processor());
    for (preset, caps) in Caps::presets().into_iter().chain([processor]) {
        for (length, payload) in [(8, Payload::None), (64, Payload::None), (64, Payload::Index)] {
            let gives_keys = matches!(payload, Payload::None);
            let keys = expression(None, leaf(0, DType::F32, length, 0, &[1]));
            let (rows, bits, descending, count, output) = (1, 0..32, false, None, 1);
            let sort = Sort { keys, payload, rows, length, descending, bits, count, gives_keys, output };
            let plan = sort.plan(&caps).unwrap();
            let [pass] = &plan.passes[..] else { panic!("{preset}: a sort of {length} in {plan:?}") };
            let items = constant(pass, "TILE");
            let most = if preset == "processor" { 64 } else { 1024 };
            assert!(pass.grid == Grid::Count(1) && items <= most, "{preset}: a sort of {length} in tiles of {items}");
        }
        let side = |slot, strides: [i64; 3]| {
            expression(None, leaf(slot, DType::F32, 40_000, 0, &[&[4], &strides[..]].concat()))
        };
        let op = Matmul {
            extents: [vec![10_000], vec![2], vec![2], vec![2]],
            sides: [side(0, [2, 0, 1]), side(1, [0, 1, 2])],
            epilogue: Expression::given(DType::F32, 4),
            precision: Precision::Exact,
            output: 2,
        };
        let plan = op.plan(&caps).unwrap();
        let [pass] = &plan.passes[..] else { panic!("{preset}: products in {plan:?}") };
        let Grid::Count(groups) = pass.grid else { panic!("{preset}: {:?}", pass.grid) };
        assert!(groups * constant(pass, "WORKGROUP") < 41_000, "{preset}: {groups} workgroups for 40,000 elements");
    }
}

#[test]
fn tensor_cores_are_taken_where_they_are_and_may_be() {
    for (name, caps) in Caps::presets() {
        let taken = |dtype, rows: usize, precision| {
            let side = |slot, strides: [i64; 3], len| expression(None, leaf(slot, dtype, len, 0, &strides));
            let op = Matmul {
                extents: [vec![], vec![rows], vec![64], vec![32]],
                sides: [side(0, [32, 0, 1], rows * 32), side(1, [0, 1, 64], 32 * 64)],
                epilogue: Expression::given(DType::F32, 3),
                precision,
                output: 2,
            };
            op.plan(&caps).unwrap().passes[0].kernel.source().contains("coopMultiplyAdd")
        };
        let has = caps.tensor.is_some();
        assert_eq!(has, ["nvidia-like", "amd-like", "apple-like"].contains(&name));
        assert!(!caps.f16 || taken(DType::F16, 64, Precision::Exact) == has, "{name}: halves");
        assert_eq!(taken(DType::F32, 64, Precision::Tensor), has, "{name}: f32, asked for");
        assert!(!taken(DType::F32, 64, Precision::Exact), "{name}: f32, never silently");
        assert!(!caps.f16 || !taken(DType::F16, 4, Precision::Exact), "{name}: fewer rows than a matrix has");
    }
}

/// Repeated elements need no memory: extents may be past what kernels count with. Each is summed over once, in launches
/// that can count their share, or the product is refused.
#[test]
fn products_of_repeated_elements_sum_over_all_of_them() {
    const INNER: usize = 5; // the place of the inner extent among a launch's parameters
    let product = |inner: Vec<usize>| {
        let side = |slot| expression(None, leaf(slot, DType::F32, 1, 0, &vec![0; 2 + inner.len()]));
        let extents = [vec![], vec![3], vec![5], inner.clone()];
        let epilogue = Expression::given(DType::F32, 2 + inner.len());
        Matmul { extents, sides: [side(0), side(1)], epilogue, precision: Precision::Exact, output: 2 }
    };
    for (preset, caps) in Caps::presets() {
        for inner in [vec![1 << 33], vec![(1 << 32) + 5], vec![1 << 20, 1 << 13], vec![1 << 32, 3], vec![1 << 31]] {
            let op = product(inner.clone());
            let plan = check_plan(&format!("{preset}: inner {inner:?}"), &op, &caps);
            let counted = |pass: &Pass| {
                assert!(pass.kernel.name().starts_with("matmul"), "{preset}: {inner:?}: {}", pass.kernel.name());
                let Param::Is(inner) = pass.params[INNER] else { panic!("{:?}", pass.params[INNER]) };
                inner as u64
            };
            let all: u64 = plan.passes.iter().map(counted).sum();
            assert_eq!(all, inner.iter().product::<usize>() as u64, "{preset}: {inner:?}");
            assert!(plan.passes.iter().all(|pass| counted(pass) <= 1 << 31), "{preset}: {inner:?}");
        }
        let error = product(vec![1 << 60]).plan(&caps).unwrap_err().to_string();
        assert!(error.contains("at most 65536 launches") && error.contains("1152921504606846976"), "{error}");
    }
}

#[test]
fn an_empty_index_space_needs_no_kernel() {
    for (_, caps) in Caps::presets() {
        let read = expression(Some(Function::Sqrt), leaf(0, DType::F32, 0, 0, &[0, 1]));
        assert!(fresh(read, &[5, 0]).plan(&caps).unwrap().passes.is_empty());
    }
}
