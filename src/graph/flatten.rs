//! From the graph to a fused expression: nodes become steps, each once.

use super::batch::Batch;
use super::expr::Expr;
use super::node::{Node, State};
use crate::element::DType;
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_core::memory::Memory;
use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The inputs of an expression under construction.
#[derive(Default)]
pub(crate) struct Inputs {
    pub memory: Vec<Arc<Memory>>,
    /// The step of each node: at most `MOST_STEPS`, mostly two or three.
    done: Vec<(*const Node, usize)>,
}

impl Inputs {
    /// A prepared node as a separate expression over the same inputs.
    pub fn expression(&mut self, batch: &mut Batch, node: &Arc<Node>) -> Result<Expression> {
        self.done.clear();
        let mut expression = Expression::default();
        flatten(batch, node, &mut expression, self)?;
        Ok(expression)
    }
}

impl Batch {
    /// The nodes in memory that a fused node reads.
    pub fn reads(&mut self, node: &Arc<Node>) -> FxHashSet<*const Node> {
        let (mut found, mut seen, mut queue) = (FxHashSet::default(), FxHashSet::default(), vec![node.clone()]);
        while let Some(node) = queue.pop() {
            if seen.insert(Arc::as_ptr(&node)) {
                match &*self.state(&node) {
                    State::Lazy(expr) => queue.extend_from_slice(expr.inputs()),
                    _ => drop(found.insert(Arc::as_ptr(&node))),
                }
            }
        }
        found
    }
}

/// Appends a prepared node's steps, and returns the index of the node's own step.
fn flatten(batch: &mut Batch, node: &Arc<Node>, expression: &mut Expression, inputs: &mut Inputs) -> Result<usize> {
    if let Some(&(_, step)) = inputs.done.iter().find(|(done, _)| *done == Arc::as_ptr(node)) {
        return Ok(step);
    }
    let what = match &*batch.state(node) {
        State::Failed(error) => return Err(error.clone()),
        State::Ready(storage) => {
            let slot = match inputs.memory.iter().position(|memory| Arc::ptr_eq(memory, &storage.memory)) {
                Some(slot) => slot,
                None => {
                    inputs.memory.push(storage.memory.clone());
                    inputs.memory.len() - 1
                }
            };
            let end = storage.layout.offset + storage.layout.len();
            if end < storage.len && storage.layout.is_contiguous() {
                node.device.driver().pad(&storage.memory, (end * node.dtype.size()) as u64);
            }
            leaf(expression, LeafSource::Slot(slot), node.dtype, storage.len, &storage.layout)
        }
        State::Lazy(Expr::Index(layout)) => leaf(expression, LeafSource::Index, DType::U32, 0, layout),
        &State::Lazy(Expr::Given(dtype)) => {
            let strides = vec![0; node.shape.len()];
            expression.leaves.push(Leaf { source: LeafSource::Given, dtype, len: 0, offset: 0, strides });
            let what = StepKind::Leaf(expression.leaves.len() - 1);
            if dtype == node.dtype {
                what
            } else {
                expression.steps.push(ExpressionStep { what, dtype });
                StepKind::Cast(expression.steps.len() - 1)
            }
        }
        State::Lazy(Expr::Constant(scalar)) => {
            expression.scalars.push(*scalar);
            StepKind::Scalar(expression.scalars.len() - 1)
        }
        State::Lazy(Expr::Cast(input)) => StepKind::Cast(flatten(batch, input, expression, inputs)?),
        State::Lazy(Expr::Call(function, args)) => {
            let args = args.iter().map(|arg| flatten(batch, arg, expression, inputs)).collect::<Result<Vec<_>>>()?;
            StepKind::Call(*function, args)
        }
        State::Lazy(Expr::Formula(formula, args)) => {
            let args = args.iter().map(|arg| flatten(batch, arg, expression, inputs)).collect::<Result<Vec<_>>>()?;
            StepKind::Formula(formula.clone(), args)
        }
        State::Lazy(_) => unreachable!("prepare() left only what fuses"),
    };
    expression.steps.push(ExpressionStep { what, dtype: node.dtype });
    inputs.done.push((Arc::as_ptr(node), expression.steps.len() - 1));
    Ok(expression.steps.len() - 1)
}

fn leaf(expression: &mut Expression, source: LeafSource, dtype: DType, len: usize, layout: &Layout) -> StepKind {
    let strides = layout.strides.iter().map(|&s| s as i64).collect();
    expression.leaves.push(Leaf { source, dtype, len, offset: layout.offset as i64, strides });
    StepKind::Leaf(expression.leaves.len() - 1)
}
