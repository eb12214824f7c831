//! How a node is computed from others.

use super::node::Node;
use super::task::Task;
use crate::element::{DType, Scalar};
use crosslane_core::layout::Layout;
use crosslane_core::op::{Formula, Function};
use crosslane_ops::Operator;
use std::sync::Arc;

/// How a node is computed. Arguments have the node's shape, unless said otherwise.
///
/// `I` and `T` stand for inputs and operations: nodes and tasks here, and others in lineage.
#[derive(Clone)]
pub(crate) enum Expr<I = Arc<Node>, T = Arc<Task>> {
    /// One value everywhere.
    Constant(Scalar),
    /// The element at address `a` of this layout is `a`.
    Index(Layout),
    Call(Function, Vec<I>),
    Formula(Formula, Vec<I>),
    Cast(I),
    /// A copy in row-major order, into any shape with as many elements: the result has a layout that can be viewed
    /// again.
    Copy(I),
    /// Some axes of a larger node combined.
    Reduce {
        operator: Operator,
        input: I,
        reduced: Vec<bool>,
    },
    /// An output of an operation with kernels of its own.
    Output(T, usize),
    /// A view of a node that will be materialised without gaps.
    View(I, Layout),
    /// The value that the planned kernel itself computes, in this type. Epilogues begin with it.
    Given(DType),
}

impl<I, T> Expr<I, T> {
    /// The same computation of other inputs.
    pub fn map<J, U>(&self, input: &mut dyn FnMut(&I) -> J, task: &mut dyn FnMut(&T) -> U) -> Expr<J, U> {
        match self {
            Expr::Constant(scalar) => Expr::Constant(*scalar),
            Expr::Index(layout) => Expr::Index(layout.clone()),
            Expr::Call(function, inputs) => Expr::Call(*function, inputs.iter().map(input).collect()),
            Expr::Formula(formula, inputs) => Expr::Formula(formula.clone(), inputs.iter().map(input).collect()),
            Expr::Cast(from) => Expr::Cast(input(from)),
            Expr::Copy(from) => Expr::Copy(input(from)),
            Expr::Reduce { operator, input: from, reduced } => {
                Expr::Reduce { operator: operator.clone(), input: input(from), reduced: reduced.clone() }
            }
            Expr::Output(of, index) => Expr::Output(task(of), *index),
            Expr::View(of, layout) => Expr::View(input(of), layout.clone()),
            Expr::Given(dtype) => Expr::Given(*dtype),
        }
    }
}

impl Expr {
    /// The inputs that count the node as a user. An operation's inputs count the operation instead, however many
    /// outputs it has.
    pub(super) fn own_inputs(&self) -> &[Arc<Node>] {
        match self {
            Expr::Output(..) => &[],
            _ => self.inputs(),
        }
    }

    pub fn inputs(&self) -> &[Arc<Node>] {
        match self {
            Expr::Constant(_) | Expr::Index(_) | Expr::Given(_) => &[],
            Expr::Call(_, inputs) | Expr::Formula(_, inputs) => inputs,
            Expr::Output(task, _) => &task.inputs,
            Expr::Cast(input) | Expr::Copy(input) | Expr::Reduce { input, .. } | Expr::View(input, _) => {
                std::slice::from_ref(input)
            }
        }
    }

    /// The number of steps that the node counts as: one, which adds two inputs at most, or more for formulas of more
    /// arguments.
    pub(super) fn steps(&self) -> u32 {
        (self.inputs().len() / 2).max(1) as u32
    }

    /// Whether the node is computed inside its user's kernel, and has no memory of its own.
    pub fn fuses(&self) -> bool {
        use Expr::*;
        matches!(self, Constant(_) | Index(_) | Given(_) | Call(..) | Formula(..) | Cast(_))
    }
}
