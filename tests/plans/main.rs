//! Plans without a device: what is small takes little, tensor cores and tiles are taken where they are, sums are over all. The
//! table of cases (`tests/cases`) looks at all plans' promises and texts.

mod check;
mod templates;

use check::check_plan;
use crosslane::DType;
use crosslane::array::{OutOfRange, Precision, has_kernel};
use crosslane::device::Caps;
use crosslane::op::{
    Case, Expression, ExpressionStep, Function, Grid, Leaf, LeafSource, Op, Param, Pass, Plan, Scalar, StepKind,
    Values, Vary,
};
use crosslane::ops::cases::{ALL, Cases};
use crosslane::ops::{
    Combine, Concatenate, Gather, Indexing, Map, Matmul, Operator, Payload, PrefixScan, Reduce, Scatter, Sort,
};

fn contiguous(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as i64;
    }
    strides
}

fn leaf(slot: usize, dtype: DType, len: usize, offset: i64, strides: &[i64]) -> Leaf {
    Leaf { source: LeafSource::Slot(slot), dtype, len, offset, strides: strides.to_vec() }
}

fn step(what: StepKind, dtype: DType) -> ExpressionStep {
    ExpressionStep { what, dtype }
}

/// `function(x, x, x)` over an array, then what a leaf of this layout gives.
fn expression(function: Option<Function>, leaf: Leaf) -> Expression {
    let dtype = leaf.dtype;
    let mut steps = vec![step(StepKind::Leaf(0), dtype)];
    if let Some(function) = function {
        let mut args = vec![0; function.arity()];
        if function == Function::Select {
            steps.push(step(StepKind::Cast(0), DType::Bool));
            args[0] = 1;
        }
        steps.push(step(StepKind::Call(function, args), function.result(dtype)));
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

/// Transpositions go through tiles.
#[test]
fn transpositions_take_tiles() {
    // A processor's caches do as well.
    for (preset, caps) in Caps::presets().into_iter().filter(|(_, caps)| caps.processor.is_none()) {
        let cases = (ALL.iter().find(|(name, _)| *name == "map").unwrap().1)(&caps);
        let transposed = |case: &&Case| case.what.starts_with('[') && case.what.contains("transposed");
        assert!(cases.iter().filter(transposed).count() > 10, "{preset}");
        for case in cases.iter().filter(transposed) {
            let plan = case.op.plan(&caps).unwrap();
            let tiled = plan.passes.iter().all(|pass| pass.kernel.name().starts_with("tiled map"));
            let output = case.op.slots().last().unwrap().dtype;
            // A part of a word is stored by itself only where others are stored by others.
            assert!(tiled || output.size() < 4, "{preset}: {} takes no tiles", case.what);
        }
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
        assert_eq!(has, ["nvidia-like", "amd-like", "apple-like", "compiled"].contains(&name));
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
