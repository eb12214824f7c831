//! Operations with kernels of their own, of one output or several: scans, sorts, selections.

use super::evaluate::Batch;
use super::flatten::{Inputs, flatten};
use super::layout::Layout;
use super::node::{Expr, Node, State, Storage};
use crate::element::DType;
use crate::error::Result;
use crate::memory::{Memory, Place};
use crate::op::Op;
use crate::ops::Expression;
use std::sync::{Arc, Mutex};

/// An operation whose outputs are nodes: what it takes and gives, and how it is made once its inputs have a place.
pub(crate) struct Task {
    pub inputs: Vec<Arc<Node>>,
    /// How each input is taken.
    takes: Vec<Take>,
    /// Shape and type of each output.
    outputs: Vec<(Vec<usize>, DType)>,
    /// Buffers that its kernels bind beside the inputs'.
    own: u32,
    make: Make,
    /// Where the outputs lie, once it is planned.
    done: Mutex<Option<Vec<Storage>>>,
}

/// Makes the operation of its inputs and of the slot of its first output.
type Make = Box<dyn Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync>;

/// How an operation takes an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// As an expression: what is computed on the way becomes part of the operation's kernel.
    Fused,
    /// As memory without gaps from its first byte on, for kernels that read it anywhere or often.
    Dense,
}

impl Task {
    /// The outputs of an operation, lazy.
    pub fn nodes(
        inputs: &[(&Arc<Node>, Take)],
        outputs: Vec<(Vec<usize>, DType)>,
        own: u32,
        make: impl Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Vec<Arc<Node>> {
        let device = inputs.first().expect("an operation has an input").0.device.clone();
        let (inputs, takes) = inputs.iter().map(|(node, take)| (Arc::clone(node), take)).unzip();
        let (make, done) = (Box::new(make), Mutex::default());
        let task = Arc::new(Task { inputs, takes, outputs: outputs.clone(), own, make, done });
        let node = |(index, (shape, dtype))| Node::lazy(&device, shape, dtype, Expr::Output(task.clone(), index));
        outputs.into_iter().enumerate().map(node).collect()
    }

    /// Where an output lies, if it is planned.
    pub fn output(&self, index: usize) -> Option<Storage> {
        self.done.lock().expect("no panic while held").as_ref().map(|done| done[index].clone())
    }

    /// It is not planned after all.
    pub fn forget(&self) {
        drop(self.done.lock().expect("no panic while held").take());
    }
}

impl Batch {
    /// Plans an operation with all its outputs.
    pub fn run(&mut self, task: &Arc<Task>) -> Result<()> {
        let mut inputs = Inputs::default();
        let mut expressions = vec![];
        for (node, take) in task.inputs.iter().zip(&task.takes) {
            let dense = match take {
                Take::Fused => {
                    self.prepare_fused(node, task.own + task.inputs.len() as u32 - 1).map(|()| node.clone())?
                }
                Take::Dense => self.dense(node)?,
            };
            let mut expression = Expression::default();
            inputs.begin();
            flatten(&dense, &mut expression, &mut inputs)?;
            expressions.push(expression);
        }
        let first = inputs.memory.len();
        let op = (task.make)(expressions, first);
        let mut buffers: Vec<Arc<Memory>> = inputs.memory;
        let mut outputs = vec![];
        for (shape, dtype) in &task.outputs {
            let layout = Layout::contiguous(shape);
            let (len, bytes) = (layout.len(), layout.len() as u64 * dtype.size() as u64);
            let memory = self.take_memory(op.name(), bytes, Place::Device)?;
            buffers.push(memory.clone());
            outputs.push(Storage { memory, layout, len });
        }
        self.push(op, buffers)?;
        *task.done.lock().expect("no panic while held") = Some(outputs);
        self.ran(task.clone());
        Ok(())
    }

    /// The node, or a copy of it, in memory without gaps.
    fn dense(&mut self, node: &Arc<Node>) -> Result<Arc<Node>> {
        self.materialise(node)?;
        let State::Ready(storage) = node.state() else { unreachable!("it has just been materialised") };
        if storage.layout == Layout::contiguous(&node.shape) {
            return Ok(node.clone());
        }
        let copy = Node::lazy(&node.device, node.shape.clone(), node.dtype, Expr::Copy(node.clone()));
        self.materialise(&copy)?;
        Ok(copy)
    }
}
