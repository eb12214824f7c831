//! The cases of all operations, each in its operation's folder, and what they are made of.

#[path = "concatenate/cases.rs"]
mod concatenate;
#[path = "gather/cases.rs"]
mod gather;
#[path = "histogram/cases.rs"]
mod histogram;
#[path = "map/cases.rs"]
mod map;
#[path = "matmul/cases.rs"]
mod matmul;
#[path = "normalise/cases.rs"]
mod normalise;
#[path = "nothing/cases.rs"]
mod nothing;
#[path = "nth/cases.rs"]
mod nth;
#[path = "reduce/cases.rs"]
mod reduce;
#[path = "runs/cases.rs"]
mod runs;
#[path = "scan/cases.rs"]
mod scan;
#[path = "scatter/cases.rs"]
mod scatter;
#[path = "searchsorted/cases.rs"]
mod searchsorted;
#[path = "sort/cases.rs"]
mod sort;
#[path = "top_k/cases.rs"]
mod top_k;

use crate::caps::Caps;
use crate::element::DType;
use crate::op::{Case, Expression, Formula, Function, Leaf, Source, Step, Text, What};
use crate::ops::Operator;

/// Gives the cases of an operation on a device with these capabilities.
pub type Cases = fn(&Caps) -> Vec<Case>;

/// Every operation's cases, by its shader family. An operation is added by its line.
pub const ALL: [(&str, Cases); 15] = [
    ("concatenate", concatenate::cases),
    ("gather", gather::cases),
    ("histogram", histogram::cases),
    ("map", map::cases),
    ("matmul", matmul::cases),
    ("normalise", normalise::cases),
    ("nothing", nothing::cases),
    ("nth", nth::cases),
    ("reduce", reduce::cases),
    ("runs", runs::cases),
    ("scan", scan::cases),
    ("scatter", scatter::cases),
    ("searchsorted", searchsorted::cases),
    ("sort", sort::cases),
    ("top_k", top_k::cases),
];

/// Types that lie differently in words: the others are like one of them.
const KINDS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::I64];

/// The types that a device has.
fn types(caps: &Caps) -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| caps.lacks(dtype).is_none())
}

/// Those of [`KINDS`] that a device has.
fn kinds(caps: &Caps) -> impl Iterator<Item = DType> {
    KINDS.into_iter().filter(|&dtype| caps.lacks(dtype).is_none())
}

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

/// A formula of `x`, as programs write them.
fn formula(text: &str, dtype: DType) -> Formula {
    let (operation, what, at) = ("case", "expression", std::panic::Location::caller());
    let parameters = vec![("x".to_string(), dtype)];
    Text { operation, what, text, parameters, letters: &[], result: Some(dtype), at }.formula().expect("it compiles")
}

/// A formula over an array.
fn of_formula(formula: Formula, leaf: Leaf) -> Expression {
    let mut expression = expression(None, leaf);
    let result = formula.result();
    expression.steps.push(step(What::Formula(formula, vec![0]), result));
    expression
}

/// A row of elements without gaps.
fn row(slot: usize, dtype: DType, len: usize) -> Expression {
    expression(None, leaf(slot, dtype, len, 0, &[1]))
}

fn operators(dtype: DType) -> Vec<Operator> {
    let mut all = vec![Operator::Any, Operator::All, Operator::CountNonzero];
    if !matches!(dtype, DType::U8 | DType::U16 | DType::Bool) {
        use Operator::*;
        all.extend([Sum, Product, Minimum, Maximum, ArgMinimum, ArgMaximum]);
        all.push(Operator::custom("max(a, b)", dtype, Operator::Maximum.identity(dtype)).expect("it compiles"));
    }
    all
}
