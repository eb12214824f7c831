//! The cases of all operations, each in its operation's folder, and common parts of them.

use crate::Operator;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, ExpressionStep, Formula, Function, Leaf, LeafSource, StepKind, Text};

pub(super) use crosslane_core::op::Case;

/// Returns the cases of an operation on a device with these capabilities.
pub type Cases = fn(&Caps) -> Vec<Case>;

macro_rules! all {
    ($($name:ident [$($shader:literal)*] {$($public:ident),*};)* _ [$($other:literal)*]) => {
        /// Every operation's cases, by its name: those of the one list in `crates/ops/src/lib.rs`.
        pub const ALL: &[(&str, Cases)] = &[$((stringify!($name), crate::$name::cases::cases)),*];
    };
}

operations!(all);

/// The case that stands for an operation where it is timed in small: of those that run, on f32 if one is, the largest.
pub fn timed(cases: Cases, caps: &Caps) -> Option<Case> {
    let on_floats = |case: &Case| case.op.slots().iter().any(|slot| slot.dtype == DType::F32);
    cases(caps).into_iter().filter(Case::runs).max_by_key(|case| (on_floats(case), case.len()))
}

/// Types that lie differently in words: the others are like one of them.
pub(super) const KINDS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::I64];

/// The types that a device has.
pub(super) fn types(caps: &Caps) -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| caps.lacks(dtype).is_none())
}

/// Those of them whose elements have an order.
pub(super) fn ordered(caps: &Caps) -> impl Iterator<Item = DType> {
    types(caps).filter(|dtype| !dtype.is_complex())
}

/// Those of [`KINDS`] that a device has.
pub(super) fn kinds(caps: &Caps) -> impl Iterator<Item = DType> {
    KINDS.into_iter().filter(|&dtype| caps.lacks(dtype).is_none())
}

pub(super) fn contiguous(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as i64;
    }
    strides
}

pub(super) fn leaf(slot: usize, dtype: DType, len: usize, offset: i64, strides: &[i64]) -> Leaf {
    Leaf { source: LeafSource::Slot(slot), dtype, len, offset, strides: strides.to_vec() }
}

pub(super) fn step(what: StepKind, dtype: DType) -> ExpressionStep {
    ExpressionStep { what, dtype }
}

/// The sums of a type in another; of integers after adding what brings no sum of quarters close to an integer.
pub(super) fn sums_in(sums: DType, dtype: DType, rank: usize) -> Expression {
    let mut epilogue = Expression::given(sums, rank);
    if dtype.is_stored() {
        epilogue.scalars.push(crosslane_core::op::Scalar::from_f64(sums, 0.3137));
        epilogue.steps.push(step(StepKind::Scalar(0), sums));
        epilogue.steps.push(step(StepKind::Call(Function::Add, vec![0, 1]), sums));
    }
    let last = epilogue.steps.len() - 1;
    cast(&mut epilogue, last, dtype);
    epilogue
}

/// `function(x, x, x)` over an array, then what a leaf of this layout gives.
pub(super) fn expression(function: Option<Function>, leaf: Leaf) -> Expression {
    let steps = vec![step(StepKind::Leaf(0), leaf.dtype)];
    let mut expression = Expression { leaves: vec![leaf], steps, ..Expression::default() };
    if let Some(function) = function {
        call(&mut expression, function);
    }
    expression
}

/// Adds the step `function(x, x, x)`, where `x` is the first one, the first argument of `select` whether it is not zero,
/// and that of `powi` and `ldexp` an integer.
pub(super) fn call(expression: &mut Expression, function: Function) -> usize {
    let dtype = expression.steps[0].dtype;
    let mut arguments = vec![0; function.arity()];
    match function {
        Function::Select => arguments[0] = cast(expression, 0, DType::Bool),
        Function::PowI | Function::LdExp => arguments[0] = cast(expression, 0, DType::I32),
        _ => {}
    }
    expression.steps.push(step(StepKind::Call(function, arguments), function.result(dtype)));
    expression.steps.len() - 1
}

/// A step in another type.
pub(super) fn cast(expression: &mut Expression, from: usize, to: DType) -> usize {
    if expression.steps[from].dtype == to {
        return from;
    }
    expression.steps.push(step(StepKind::Cast(from), to));
    expression.steps.len() - 1
}

/// A formula of `x`, as programs write them.
pub(super) fn formula(text: &str, dtype: DType) -> Formula {
    let (operation, what, at) = ("case", "expression", std::panic::Location::caller());
    let parameters = vec![("x".to_string(), dtype)];
    Text { operation, what, text, parameters, letters: &[], result: Some(dtype), at }.formula().expect("it compiles")
}

/// A formula over an array.
pub(super) fn of_formula(formula: Formula, leaf: Leaf) -> Expression {
    let mut expression = expression(None, leaf);
    let result = formula.result();
    expression.steps.push(step(StepKind::Formula(formula, vec![0]), result));
    expression
}

/// A row of elements without gaps.
pub(super) fn row(slot: usize, dtype: DType, len: usize) -> Expression {
    expression(None, leaf(slot, dtype, len, 0, &[1]))
}

pub(super) fn operators(dtype: DType) -> Vec<Operator> {
    let mut all = vec![Operator::Any, Operator::All, Operator::CountNonzero];
    use Operator::*;
    if Function::Add.exists(dtype) {
        all.extend([Sum, Product]);
    }
    if Function::Less.exists(dtype) {
        all.extend([Minimum, Maximum, ArgMinimum, ArgMaximum]);
        all.push(Operator::custom("max(a, b)", dtype, Operator::Maximum.identity(dtype)).expect("it compiles"));
    }
    all
}
