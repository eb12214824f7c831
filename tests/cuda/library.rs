//! The library's own kernels as plans: every function, cast, layout, reduction and type, several to a kernel.

use crate::emulate::{self, OPTIONS, Program, Window};
use crate::support::{random, say};
use crosslane::array::{OutOfRange, Precision, Side, has_kernel};
use crosslane::device::Caps;
use crosslane::op::{
    Expression, ExpressionStep, Function, Host, Leaf, LeafSource, Op, Pass, Plan, Scalar, Slot, StepKind, Value, Values,
};
use crosslane::ops::{
    Binning, Combine, Concatenate, EmptyKernel, Gather, Histogram, Indexing, Map, Matmul, Normalisation, Normalise,
    Nth, Operator, Payload, PrefixScan, Reduce, Rule, Scatter, SearchSorted, Select, Sort, TopK,
};
use crosslane::{DType, Kernel};
use rand::Rng;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Functions of one kernel, where the kernel is only compiled.
const GROUP: usize = 20;

fn contiguous(shape: &[usize]) -> Vec<i64> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as i64).collect()
}

fn leaf(slot: usize, dtype: DType, len: usize, offset: i64, strides: &[i64]) -> Leaf {
    Leaf { source: LeafSource::Slot(slot), dtype, len, offset, strides: strides.to_vec() }
}

/// An expression in the making.
struct Steps(Expression);

impl Steps {
    fn of(leaf: Leaf) -> Steps {
        let mut steps = Steps(Expression { leaves: vec![leaf.clone()], ..Expression::default() });
        steps.push(StepKind::Leaf(0), leaf.dtype);
        steps
    }

    fn push(&mut self, what: StepKind, dtype: DType) -> usize {
        self.0.steps.push(ExpressionStep { what, dtype });
        self.0.steps.len() - 1
    }

    fn cast(&mut self, from: usize, to: DType) -> usize {
        if self.0.steps[from].dtype == to { from } else { self.push(StepKind::Cast(from), to) }
    }

    /// `function(x, x, x)`, where the first argument of `select` is whether `x` is not zero.
    fn call(&mut self, function: Function, x: usize) -> usize {
        let dtype = self.0.steps[x].dtype;
        let mut arguments = vec![x; function.arity()];
        if function == Function::Select {
            arguments[0] = self.cast(x, DType::Bool);
        }
        self.push(StepKind::Call(function, arguments), function.result(dtype))
    }

    /// The sum of some steps in a type that has one.
    fn sum(&mut self, of: &[usize], dtype: DType) -> usize {
        let parts: Vec<usize> = of.iter().map(|&step| self.cast(step, dtype)).collect();
        let add = |sum, &part| self.push(StepKind::Call(Function::Add, vec![sum, part]), dtype);
        parts[1..].iter().fold(parts[0], add)
    }
}

fn map(expression: Expression, shape: &[usize]) -> Map {
    let output = expression.slots().len();
    Map {
        expression,
        shape: shape.to_vec(),
        output,
        output_len: shape.iter().product(),
        output_offset: 0,
        output_strides: contiguous(shape),
        fresh: true,
        count: None,
        fill: None,
    }
}

/// An operation and what it is.
type Named = (String, Box<dyn Op>);

/// Every function and cast, several to an expression.
fn groups() -> Vec<Named> {
    let mut all: Vec<Named> = vec![];
    for dtype in DType::ALL {
        let total = if has_kernel(Function::Add, dtype) { dtype } else { DType::U32 };
        let functions: Vec<Function> = Function::ALL.iter().copied().filter(|&f| has_kernel(f, dtype)).collect();
        // Four neighbours at a time, and one here and there.
        for (stride, shape) in [(1, 1000), (2, 999)] {
            // Not of all types: of one, and of those where it matters how elements lie in words.
            if stride == 2 && dtype.size() > 2 && dtype != DType::F32 {
                continue;
            }
            let read = || leaf(0, dtype, 2001, stride - 1, &[stride]);
            for functions in functions.chunks(GROUP) {
                let mut steps = Steps::of(read());
                let results: Vec<usize> = functions.iter().map(|&f| steps.call(f, 0)).collect();
                steps.sum(&results, total);
                let names: Vec<&str> = functions.iter().map(|f| f.name()).collect();
                all.push((
                    format!("{} of {dtype}, stride {stride}", names.join(" ")),
                    Box::new(map(steps.0, &[shape])),
                ));
            }
            let mut steps = Steps::of(read());
            let results: Vec<usize> = DType::ALL.iter().map(|&to| steps.cast(0, to)).collect();
            steps.sum(&results, DType::F32);
            all.push((format!("casts of {dtype}, stride {stride}"), Box::new(map(steps.0, &[shape]))));
        }
    }
    all
}

/// Name, shape, length of the memory, offset, strides.
type Walked = (&'static str, &'static [usize], usize, i64, &'static [i64]);

/// How arrays are walked: read and written, of every type.
fn layouts() -> Vec<Named> {
    let layouts: [Walked; 5] = [
        ("transposed", &[70, 50], 3500, 0, &[1, 70]),
        ("repeated", &[70, 52], 52, 0, &[0, 1]),
        ("repeated column", &[70, 52], 70, 0, &[1, 0]),
        ("backwards", &[70, 52], 3640, 3639, &[-52, -1]),
        ("of rank 5", &[2, 3, 4, 5, 8], 960, 0, &[480, 8, 24, 96, 1]),
    ];
    let mut all: Vec<Named> = vec![];
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        // All with f32, and each other type with two of them.
        let mine = layouts.iter().enumerate().filter(|(at, _)| dtype == DType::F32 || (at + n) % 5 < 2);
        for (_, (what, shape, len, offset, strides)) in mine {
            let read = Steps::of(leaf(0, dtype, *len, *offset, strides)).0;
            all.push((format!("{what} {dtype}"), Box::new(map(read, shape))));
            if !strides.contains(&0) {
                let source = Steps::of(leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape))).0;
                let (output_offset, output_strides) = (*offset, strides.to_vec());
                let into = Map { output_offset, output_strides, fresh: false, ..map(source, shape) };
                all.push((format!("into {what} {dtype}"), Box::new(into)));
            }
        }
    }
    let index = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset: 3, strides: vec![2] };
    all.push(("a range".into(), Box::new(map(Steps::of(index).0, &[1000]))));
    all
}

/// Transpositions through tiles and concatenations: of each kind of type aligned, odd, with what lies straight beside.
fn moves() -> Vec<Named> {
    let mut all: Vec<Named> = vec![];
    for (n, dtype) in [DType::F32, DType::U8, DType::U16, DType::F16, DType::F64, DType::Bool].into_iter().enumerate() {
        for (rows, columns) in [(72, 68), (71, 67), (900, 3)].into_iter().take(if n < 2 { 3 } else { 2 }) {
            let turned = leaf(0, dtype, rows * columns, 0, &[1, columns as i64]);
            let mut steps = Steps::of(turned);
            if dtype == DType::F32 && rows == 72 {
                steps.0.leaves.push(leaf(1, dtype, rows * columns, 0, &[rows as i64, 1]));
                steps.push(StepKind::Leaf(1), dtype);
                steps.push(StepKind::Call(Function::Add, vec![0, 1]), dtype);
            }
            all.push((format!("{columns} by {rows} {dtype} through tiles"), Box::new(map(steps.0, &[columns, rows]))));
        }
        for last in [8, 5] {
            let part = |(slot, length): (usize, usize)| {
                let shape = vec![9, length];
                (Steps::of(leaf(slot, dtype, 9 * length, 0, &contiguous(&shape))).0, shape)
            };
            let parts = [(0, 4), (1, 12), (2, last)].map(part).to_vec();
            all.push((format!("4, 12 and {last} {dtype}"), Box::new(Concatenate { parts, axis: 1, output: 3 })));
        }
    }
    all
}

/// Reductions: every operator of f32, two of each type, over rows, columns and everything; own operators.
fn reductions() -> Vec<Named> {
    use Operator::*;
    let mut all: Vec<Named> = vec![];
    for dtype in DType::ALL {
        let number = !matches!(dtype, DType::U8 | DType::U16 | DType::Bool);
        let custom = || Operator::custom("max(a, b)", dtype, Scalar { dtype, bits: 0 }).unwrap();
        let operators = match dtype {
            DType::F32 => {
                vec![Sum, Product, Minimum, Maximum, Any, All, CountNonzero, ArgMinimum, ArgMaximum, custom()]
            }
            DType::I32 | DType::F16 => vec![Sum, ArgMaximum, custom()],
            _ if number => vec![Sum, ArgMinimum],
            _ => vec![Any, CountNonzero],
        };
        for operator in operators {
            let shapes: [(&[usize], &[bool]); 3] =
                [(&[100_000], &[true]), (&[300, 301], &[true, false]), (&[7, 20, 9], &[true, false, true])];
            for (shape, reduced) in shapes {
                // The third is like the first in its kernels, but for how its points are found.
                if shape.len() == 3 && !(operator == Sum && dtype == DType::F32) {
                    continue;
                }
                let read = Steps::of(leaf(0, dtype, shape.iter().product(), 0, &contiguous(shape))).0;
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", operator.name());
                let (shape, reduced) = (shape.to_vec(), reduced.to_vec());
                let op =
                    Reduce { expression: read, shape, reduced, operator: operator.clone(), count: None, output: 1 };
                all.push((what, Box::new(op)));
            }
        }
    }
    all
}

/// Normalisations: held by a subgroup and by several, in columns, in pieces, shared by workgroups.
fn normalisations() -> Vec<Named> {
    use Normalisation::*;
    let epsilon = 1e-5;
    let all: [(DType, Normalisation, &[usize], &[bool]); 10] = [
        (DType::F32, Softmax, &[300, 12], &[false, true]),
        (DType::F32, Softmax, &[3, 5000], &[false, true]),
        (DType::F32, Layer { epsilon }, &[5, 4000], &[false, true]),
        (DType::F16, Rms { epsilon }, &[9, 1001], &[false, true]),
        (DType::F32, LogSoftmax, &[70, 48], &[true, false]),
        (DType::F32, LogSoftmax, &[140, 33_001], &[false, true]),
        (DType::F32, Layer { epsilon }, &[50_000], &[true]),
        (DType::F64, MeanVariance { freedom: 1.0 }, &[7, 600], &[false, true]),
        (DType::F32, MeanVariance { freedom: 0.0 }, &[2, 30_000], &[false, true]),
        (DType::F32, LogSumExp, &[2, 20_000], &[false, true]),
    ];
    let op = |(dtype, normalisation, shape, reduced): (DType, Normalisation, &[usize], &[bool])| -> Named {
        let strides = contiguous(shape);
        let own: Vec<i64> = strides.iter().zip(reduced).map(|(&s, &r)| if r { s } else { 0 }).collect();
        let read = |slot, strides: &[i64]| Steps::of(leaf(slot, dtype, shape.iter().product(), 0, strides)).0;
        let affine = |slot| normalisation.is_elementwise().then(|| read(slot, &own));
        let (expression, weight, bias) = (read(0, &strides), affine(1), affine(2));
        let output = 1 + 2 * weight.is_some() as usize;
        let (what, shape, reduced) =
            (format!("{} of {dtype} {shape:?}", normalisation.name()), shape.to_vec(), reduced.to_vec());
        (what, Box::new(Normalise { expression, shape, reduced, normalisation, weight, bias, output }))
    };
    all.into_iter().map(op).collect()
}

/// An array of one dimension.
fn row(slot: usize, dtype: DType, len: usize) -> Expression {
    Steps::of(leaf(slot, dtype, len, 0, &[1])).0
}

/// Histograms and searches with edges, which are only compiled: random ones are in no order.
fn with_edges() -> Vec<Named> {
    let mut all: Vec<Named> = vec![];
    for (dtype, compared) in [DType::F16, DType::F32, DType::F64, DType::U8, DType::I64].into_iter().zip([
        DType::F32,
        DType::F32,
        DType::F64,
        DType::I32,
        DType::I64,
    ]) {
        let (low, high) = (Scalar { dtype: compared, bits: 0 }, Scalar { dtype: compared, bits: 9 });
        for rule in [Rule::Even { low, high, scale: 1.0, shift: 0.5, inner: 0.4 }, Rule::Search { low, high }] {
            let (axes, edges) = (vec![Binning { bins: 40, rule: rule.clone() }], Some(row(1, compared, 41)));
            let (samples, shape) = (vec![row(0, dtype, 1000)], vec![1000]);
            let op = Histogram { samples, weights: None, shape, axes, edges, output: 2 };
            all.push((format!("histogram of {dtype} by {rule:?}"), Box::new(op)));
        }
        let (values, sorted) = (row(0, dtype, 1000), row(1, dtype, 300));
        let op = SearchSorted { values, shape: vec![1000], sorted, len: 300, side: Side::Right, output: 2 };
        all.push((format!("search for {dtype}"), Box::new(op)));
    }
    all
}

/// Histograms of numbers, gathers and scatters.
fn by_number() -> Vec<Named> {
    let mut all: Vec<Named> = vec![];
    let count = 3001;
    for (bins, weight) in [(10, None), (13, Some(DType::F32)), (20_000, Some(DType::I32)), (100_000, Some(DType::F32))]
    {
        let (samples, weights) = (vec![row(0, DType::U32, count)], weight.map(|weight| row(1, weight, count)));
        let (axes, output) = (vec![Binning { bins, rule: Rule::Number }], 1 + weights.is_some() as usize);
        let op = Histogram { samples, weights, shape: vec![count], axes, edges: None, output };
        all.push((format!("{bins} numbers with weights of {weight:?}"), Box::new(op)));
    }
    let indexing = |index: DType, outside: OutOfRange, extent: usize| {
        let nowhere = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset: 0, strides: vec![0] };
        let (indices, base, report) = (row(0, index, count), Steps::of(nowhere).0, None);
        Indexing { indices, base, extent, stride: 1, outside, report }
    };
    let modes = [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop];
    for (dtype, outside) in [DType::F32, DType::U8, DType::F16].into_iter().zip(modes) {
        for index in [DType::U32, DType::I32] {
            let (source, indexing) = (row(1, dtype, 9), indexing(index, outside, 9));
            let op = Gather { source, indexing, shape: vec![count], output: 2 };
            all.push((format!("gather of {dtype} by {index}, {outside:?}"), Box::new(op)));
        }
    }
    let combines = [
        (Combine::Add, DType::F32),
        (Combine::Minimum, DType::F32),
        (Combine::Maximum, DType::I32),
        (Combine::Add, DType::U32),
    ];
    for (combine, dtype) in combines {
        let (target, values, indexing) =
            (row(1, dtype, 20), row(2, dtype, count), indexing(DType::I32, OutOfRange::Drop, 20));
        let (target_shape, shape) = (vec![20], vec![count]);
        let op = Scatter { target, target_shape, values, indexing, shape, combine, output: 3 };
        all.push((format!("{combine:?} of {dtype}"), Box::new(op)));
    }
    all
}

/// Values put in their places, which are only compiled: which of several stays is open. Indices past the axis are told.
fn put() -> Vec<Named> {
    let mut all: Vec<Named> = vec![];
    for dtype in [DType::U8, DType::U16, DType::F16, DType::F32, DType::F64] {
        let nowhere = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, offset: 0, strides: vec![0] };
        let (indices, base, report) = (row(0, DType::I32, 100), Steps::of(nowhere).0, Some(row(3, DType::U32, 3)));
        let indexing = Indexing { indices, base, extent: 20, stride: 1, outside: OutOfRange::Error, report };
        let (target, values, combine) = (row(1, dtype, 20), row(2, dtype, 100), Combine::Replace);
        let (target_shape, shape) = (vec![20], vec![100]);
        let op = Scatter { target, target_shape, values, indexing, shape, combine, output: 4 };
        all.push((format!("put of {dtype}"), Box::new(op)));
    }
    all
}

/// Sorts, first ones, scans and selections, which are only compiled: their tiles wait for each other.
fn orders() -> Vec<Named> {
    let (len, length) = (100_000, 100_000);
    let mut all: Vec<Named> = vec![];
    let sort = |dtype: DType, payload, count: Option<Expression>, rows: usize, gives_keys, output| {
        let (keys, bits) = (row(0, dtype, len), 0..8 * dtype.size() as u32);
        let length = length / rows;
        Box::new(Sort { keys, payload, rows, length, descending: false, bits, count, gives_keys, output })
    };
    all.push(("sort of u32".into(), sort(DType::U32, Payload::None, None, 1, true, 1)));
    all.push(("sort of short rows".into(), sort(DType::I64, Payload::Index, None, 100, false, 1)));
    let count = Some(row(1, DType::U32, 1));
    all.push(("sort of as many u8 as the device says".into(), sort(DType::U8, Payload::None, count, 1, true, 2)));
    all.push(("pairs".into(), sort(DType::F32, Payload::Array(row(1, DType::F64, len)), None, 1, true, 2)));
    all.push((
        "top k".into(),
        Box::new(TopK { keys: row(0, DType::F32, len), rows: 1, length, k: 10, largest: true, output: 1 }),
    ));
    all.push(("nth".into(), Box::new(Nth { keys: row(0, DType::F64, len), rows: 1, length, n: 50, output: 1 })));
    let scan = |expression, heads, operator, output| {
        let (shape, axis, exclusive, reverse) = (vec![len], 0, true, false);
        Box::new(PrefixScan { expression, heads, shape, axis, operator, exclusive, reverse, output })
    };
    let product = |dtype: DType| {
        let side = |slot, strides: [i64; 3]| Steps::of(leaf(slot, dtype, 300 * 300, 0, &strides)).0;
        let sides = [side(0, [300, 0, 1]), side(1, [0, 300, 1])];
        let extents = [vec![], vec![300], vec![300], vec![300]];
        let (epilogue, precision) = (Expression::given(Matmul::sums(dtype), 3), Precision::Exact);
        Box::new(Matmul { extents, sides, epilogue, precision, output: 2 })
    };
    for dtype in [DType::F32, DType::F16, DType::I64] {
        all.push((format!("product of {dtype}"), product(dtype)));
    }
    all.push(("sums of f32".into(), scan(row(0, DType::F32, len), None, Operator::Sum, 1)));
    let heads = Some(row(1, DType::Bool, len));
    all.push(("smallest i64 of segments".into(), scan(row(0, DType::I64, len), heads, Operator::Minimum, 2)));
    let (values, condition) = (row(1, DType::F16, len), row(0, DType::Bool, len));
    all.push(("selection".into(), Box::new(Select { values, condition, len, fill: None, output: 2 })));
    all
}

/// The kernels of the library, each text once: what they are of, and the kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let nothing: Named = ("nothing".into(), Box::new(EmptyKernel(1)));
    let ops = groups().into_iter().chain(layouts()).chain(moves()).chain(reductions()).chain(normalisations());
    let ops = ops.chain(with_edges());
    of_ops(ops.chain(by_number()).chain(put()).chain([nothing]), &emulate::caps())
}

/// Those of [`orders`], which take long to compile.
pub fn long_kernels() -> Vec<(String, Kernel)> {
    let (merged, merging) = merged();
    [of_ops(orders().into_iter(), &emulate::caps()), of_ops(merged.into_iter(), &merging)].concat()
}

fn of_ops(ops: impl Iterator<Item = Named>, caps: &Caps) -> Vec<(String, Kernel)> {
    let mut seen = HashSet::new();
    let mut all = vec![];
    for (what, op) in ops {
        let plan = op.plan(caps).unwrap_or_else(|error| panic!("{what}: {error}"));
        for pass in plan.passes {
            if seen.insert(pass.kernel.source().to_string()) {
                all.push((what.clone(), pass.kernel));
            }
        }
    }
    all
}

/// Single functions, whose results are compared: cheap ones, those of the shared WGSL, and divisions.
fn samples() -> Vec<Named> {
    use DType::*;
    use Function::*;
    let mut all: Vec<Named> = vec![];
    let rows = [
        (F32, vec![Divide, Sqrt, Exp, Tanh, Pow]),
        (F16, vec![Multiply, Exp]),
        (F64, vec![Divide, Floor]),
        (I32, vec![Divide, Remainder, ShiftRight]),
        (U32, vec![Remainder, LeadingZeros]),
        (I64, vec![Multiply]),
        (U64, vec![Divide]),
        (Bool, vec![Not]),
        (U8, vec![Equal]),
    ];
    for (dtype, functions) in rows {
        for function in functions.into_iter().filter(|&f| has_kernel(f, dtype)) {
            let mut steps = Steps::of(leaf(0, dtype, 1003, 1, &[1]));
            steps.call(function, 0);
            all.push((format!("{} of {dtype}", function.name()), Box::new(map(steps.0, &[1002]))));
        }
    }
    for (from, to) in [(F32, U8), (I32, F32), (U16, F16), (F64, I64), (U8, Bool)] {
        let mut steps = Steps::of(leaf(0, from, 2000, 1999, &[-2]));
        steps.cast(0, to);
        all.push((format!("{from} as {to}, backwards"), Box::new(map(steps.0, &[1000]))));
    }
    // What natives are written for.
    for shape in [&[1, 300_001][..], &[3, 40_000]] {
        let read = Steps::of(leaf(0, F32, shape.iter().product(), 0, &contiguous(shape))).0;
        let (shape, reduced, operator) = (shape.to_vec(), vec![false, true], Operator::Sum);
        all.push((
            format!("rows of {shape:?}"),
            Box::new(Reduce { expression: read, shape, reduced, operator, count: None, output: 1 }),
        ));
    }
    let [keys, values] = [(0, F32), (1, U32)].map(|(slot, dtype)| Steps::of(leaf(slot, dtype, 8500, 0, &[1])).0);
    let sort = Sort {
        keys,
        payload: Payload::Array(values),
        rows: 1,
        length: 8500,
        descending: true,
        bits: 24..32,
        count: None,
        gives_keys: true,
        output: 2,
    };
    all.push(("a sort of pairs".into(), Box::new(sort)));
    // In parts too, and with inner ones that lie side by side or not.
    let sizes = [
        ([33, 40, 36], Precision::Exact),
        ([5, 1030, 6], Precision::Exact),
        ([7, 30, 5], Precision::Exact),
        ([33, 40, 36], Precision::Tensor),
    ];
    for ([rows, inner, columns], precision) in sizes {
        let side =
            |slot, strides: [usize; 3], len| Steps::of(leaf(slot, F32, len, 0, &strides.map(|stride| stride as i64))).0;
        let op = Matmul {
            extents: [vec![], vec![rows], vec![columns], vec![inner]],
            sides: [side(0, [inner, 0, 1], rows * inner), side(1, [0, 1, columns], inner * columns)],
            epilogue: Expression::given(F32, 3),
            precision,
            output: 2,
        };
        all.push((format!("a product of {rows} x {inner} x {columns}, {precision:?}"), Box::new(op)));
    }
    all
}

/// Sorts of short rows, which merge where a device's tuning says so.
fn merged() -> (Vec<Named>, Caps) {
    let mut caps = emulate::caps();
    caps.tuning.set("sort_merge", &[8192]).expect("it may");
    let sort = |(rows, length): (usize, usize), dtype: DType, payload, gives_keys, output| -> Named {
        let (keys, bits) = (row(0, dtype, rows * length), 0..8 * dtype.size() as u32);
        let descending = rows > 1;
        let op = Sort { keys, payload, rows, length, descending, bits, count: None, gives_keys, output };
        (format!("{rows} x {length} {dtype} merged"), Box::new(op))
    };
    let values = Payload::Array(row(1, DType::U32, 700));
    let all = vec![
        sort((1, 60), DType::U32, Payload::None, true, 1),
        sort((1, 700), DType::F32, values, true, 2),
        sort((30, 70), DType::I64, Payload::Index, false, 1),
    ];
    (all, caps)
}

/// A product of f16 of these sizes, whose sides' neighbours are along the inner ones or not, by tensor cores.
pub fn halves([rows, inner, columns]: [usize; 3], by_inner: [bool; 2]) -> Matmul {
    let strides = |of: usize, lines: bool| if lines { [inner as i64, 1] } else { [1, of as i64] };
    let ([row, a], [column, b]) = (strides(rows, by_inner[0]), strides(columns, by_inner[1]));
    let side = |slot, strides: [i64; 3], len| Steps::of(leaf(slot, DType::F16, len, 0, &strides)).0;
    let mut epilogue = Steps(Expression::given(DType::F32, 3));
    epilogue.cast(0, DType::F16);
    Matmul {
        extents: [vec![], vec![rows], vec![columns], vec![inner]],
        sides: [side(0, [row, 0, a], rows * inner), side(1, [0, column, b], inner * columns)],
        epilogue: epilogue.0,
        precision: Precision::Exact,
        output: 2,
    }
}

/// A slot's bytes: small numbers, positive where a function may want that.
fn contents(dtype: DType, len: usize, seed: u64) -> Vec<u8> {
    let mut rng = random(seed);
    let bytes = (0..len).flat_map(|_| {
        let x = match dtype {
            DType::F16 | DType::F32 | DType::F64 => Value::Float(rng.random_range(1..=12) as f64 / 4.0),
            DType::Bool => Value::Bool(rng.random()),
            _ => Value::Int(rng.random_range(1..=12)),
        };
        x.scalar(dtype).bits.to_le_bytes()[..dtype.size()].to_vec()
    });
    bytes.collect()
}

/// How many natives have run.
static NATIVES: AtomicUsize = AtomicUsize::new(0);

/// Runs a plan's kernels as their text, and a native beside its kernel; gives the buffers: slots, then scratch.
fn run(plan: &Plan, mut buffers: Vec<Vec<u8>>, caps: &Caps) -> Result<Vec<Vec<u8>>, String> {
    buffers.extend(plan.scratch.iter().map(|&bytes| vec![0xcd; bytes as usize]));
    for pass in &plan.passes {
        let (Pass { kernel, buffers: bindings, grid, .. }, params) = (pass, pass.words(&Values::default()));
        let source = kernel.cuda(&OPTIONS).map_err(|error| error.to_string())?;
        let program = Program::new(&source, bindings.len(), !params.is_empty())
            .map_err(|error| format!("{error}\n{}", emulate::own(&source)))?;
        let windows: Vec<Window> =
            bindings.iter().map(|b| Window { buffer: b.buffer, offset: b.offset, bytes: b.bytes }).collect();
        let grid = grid.fold(caps.grid);
        // What only one architecture has, g++ has not: those natives are compiled, and run by the tests on such a card.
        let native = match kernel.cuda_native(&OPTIONS).filter(|source| !source.specific) {
            Some(source) => {
                NATIVES.fetch_add(1, Ordering::Relaxed);
                let mut native = buffers.clone();
                let program = Program::new(&source, bindings.len(), !params.is_empty())?;
                program.run(grid, &mut native, &windows, bytemuck::cast_slice(&params))?;
                Some(native)
            }
            None => None,
        };
        program
            .run(grid, &mut buffers, &windows, bytemuck::cast_slice(&params))
            .map_err(|error| format!("{error}\n{}", emulate::own(&source)))?;
        if native.is_some_and(|native| native != buffers) {
            return Err(format!("the native of {kernel:?} gives other bits"));
        }
    }
    Ok(buffers)
}

/// The largest difference from the reference, as a share of it.
fn bound(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2e-3,
        DType::F32 => 2e-6,
        DType::F64 => 1e-14,
        _ => 0.0,
    }
}

/// How many programs an operation takes, if they give what it means.
fn check(what: &str, op: &dyn Op, caps: &Caps) -> Result<usize, String> {
    let slots = op.slots();
    let plan = op.plan(caps).map_err(|error| error.to_string())?;
    let fill = |(n, slot): (usize, &Slot)| contents(slot.dtype, slot.len, n as u64);
    let before: Vec<Vec<u8>> = slots.iter().enumerate().map(fill).collect();
    let mut host = Host::new(slots.iter().map(|slot| slot.dtype).zip(before.clone()).collect());
    op.reference(&mut host);
    let padded = |bytes: Vec<u8>| {
        let len = bytes.len().next_multiple_of(64).max(64);
        [bytes.clone(), vec![0xcd; len - bytes.len()]].concat()
    };
    let after =
        run(&plan, before.into_iter().map(padded).collect(), caps).map_err(|error| format!("{what}: {error}"))?;
    let got = Host::new(slots.iter().map(|slot| slot.dtype).zip(after).collect());
    for (n, slot) in slots.iter().enumerate() {
        for at in 0..slot.len {
            let (got, wanted) = (got.get(n, at).float(), host.get(n, at).float());
            let same = got == wanted || got.is_nan() && wanted.is_nan();
            let close = (got - wanted).abs() <= bound(slot.dtype) * wanted.abs();
            if !same && !close {
                return Err(format!("{what}: {} at {at}: got {got}, wanted {wanted}", slot.name));
            }
        }
    }
    Ok(plan.passes.len())
}

/// A part of the library's kernels, as their text, against the operations' own definition.
#[test]
fn kernels_agree_with_their_definition() {
    if !emulate::available() {
        return;
    }
    let caps = emulate::caps();
    // Every layout and reduction is a program or two, at a second each: a third of them.
    let all: Vec<Named> = samples()
        .into_iter()
        .chain(by_number())
        // Results about 0 have no bound by their size: those of layers and logarithms are only compiled.
        .chain(normalisations().into_iter().filter(|(what, _)| !what.starts_with("l")))
        .chain(normalisations().into_iter().filter(|(what, _)| what.starts_with("logsumexp")))
        .chain(layouts().into_iter().step_by(3))
        .chain(moves().into_iter().step_by(2))
        .chain(reductions().into_iter().filter(|(what, _)| !what.starts_with("reduce")).step_by(3))
        .collect();
    let mut results: Vec<Result<usize, String>> =
        all.iter().map(|(what, op)| check(what, op.as_ref(), &caps)).collect();
    let (merged, merging) = merged();
    results.extend(merged.iter().map(|(what, op)| check(what, op.as_ref(), &merging)));
    let wrong: Vec<&str> = results.iter().filter_map(|result| result.as_ref().err().map(String::as_str)).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    let run: usize = results.iter().flatten().sum();
    let natives = NATIVES.load(Ordering::Relaxed);
    assert!(natives > 1, "shaders/native is not tested");
    say(&format!(
        "{} operations of the library, {run} programs and {natives} natives, agree as CUDA text under g++",
        all.len()
    ));
}
