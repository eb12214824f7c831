//! Operations with kernels of their own, of one output or several: scans, sorts, selections.

use super::evaluate::Batch;
use super::flatten::{Inputs, reads};
use super::layout::Layout;
use super::node::{Expr, Node, State, Storage};
use crate::element::DType;
use crate::error::Result;
use crate::memory::{Memory, Place};
use crate::op::Op;
use crate::ops::Expression;
use std::collections::HashMap;
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
    /// What its kernel computes, if elementwise work on it can become part of the kernel: the only output's type there.
    given: Option<DType>,
    /// Where the outputs lie, once it is planned.
    done: Mutex<Option<Vec<Storage>>>,
}

/// Makes the operation of its inputs, of what becomes of what is given if it is one that goes on, and of the slot of its
/// first output.
type Make = Box<dyn Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync>;

/// How an operation takes an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// As an expression: what is computed on the way becomes part of the operation's kernel.
    Fused,
    /// As memory without gaps from its first byte on, for kernels that read it anywhere or often.
    Dense,
    /// As memory, however it is walked, and converted at most: for kernels that read it several times.
    Strided,
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
        let task = Arc::new(Task { inputs, takes, outputs: outputs.clone(), own, make, given: None, done });
        let node = |(index, (shape, dtype))| Node::lazy(&device, shape, dtype, Expr::Output(task.clone(), index));
        outputs.into_iter().enumerate().map(node).collect()
    }

    /// The output of an operation whose kernel takes elementwise work on it in, while that work is its only user.
    pub fn going_on(
        inputs: &[(&Arc<Node>, Take)],
        (shape, dtype): (Vec<usize>, DType),
        given: DType,
        own: u32,
        make: impl Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Arc<Node> {
        let device = inputs.first().expect("an operation has an input").0.device.clone();
        let (inputs, takes) = inputs.iter().map(|(node, take)| (Arc::clone(node), take)).unzip();
        let (make, done) = (Box::new(make), Mutex::default());
        let task = Task { inputs, takes, outputs: vec![(shape.clone(), dtype)], own, make, given: Some(given), done };
        Node::lazy(&device, shape, dtype, Expr::Output(Arc::new(task), 0))
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

/// The output of an operation that goes on, and the operation.
pub(crate) type Through = (Arc<Node>, Arc<Task>);

/// An operation in a fused node whose kernel can compute all of the node: its output has no other user.
pub(crate) fn through(node: &Arc<Node>) -> Option<Through> {
    let (mut users, mut found) = (HashMap::new(), vec![]);
    search(node, &mut users, &mut found);
    // Beside its users in the node, `found` has it.
    let only =
        |(output, _): &Through| users.get(&Arc::as_ptr(output)).is_none_or(|n| Arc::strong_count(output) == n + 1);
    found.into_iter().find(|found| only(found) && is_made_for(node, &found.0, &users, &mut HashMap::new()).is_some())
}

/// Whether a node is made of an output; `None` if something else than the node wants what is made of it on the way.
fn is_made_for(
    node: &Arc<Node>,
    output: &Arc<Node>,
    users: &HashMap<*const Node, usize>,
    known: &mut HashMap<*const Node, bool>,
) -> Option<bool> {
    if Arc::ptr_eq(node, output) {
        return Some(true);
    }
    if let Some(&made) = known.get(&Arc::as_ptr(node)) {
        return Some(made);
    }
    let made = node.look(|state| {
        let State::Lazy(expr) = state else { return Some(false) };
        let mut made = false;
        for input in expr.inputs().iter().filter(|_| expr.fuses()) {
            if is_made_for(input, output, users, known)? {
                let alone =
                    Arc::ptr_eq(input, output) || users.get(&Arc::as_ptr(input)) == Some(&Arc::strong_count(input));
                made = alone.then_some(true)?;
            }
        }
        Some(made)
    })?;
    known.insert(Arc::as_ptr(node), made);
    Some(made)
}

fn search(node: &Arc<Node>, users: &mut HashMap<*const Node, usize>, found: &mut Vec<Through>) {
    node.look(|state| match state {
        State::Lazy(Expr::Output(task, 0)) if task.given.is_some() => found.push((node.clone(), task.clone())),
        State::Lazy(expr) if expr.fuses() => {
            for input in expr.inputs() {
                let count = users.entry(Arc::as_ptr(input)).or_insert(0);
                *count += 1;
                if *count == 1 {
                    search(input, users, found);
                }
            }
        }
        _ => {}
    });
}

impl Batch {
    /// Plans an operation with all its outputs.
    pub fn run(&mut self, task: &Arc<Task>) -> Result<()> {
        let (mut inputs, expressions) = self.taken(task)?;
        let first = inputs.memory.len();
        let op = (task.make)(expressions, first);
        let buffers: &mut Vec<Arc<Memory>> = &mut inputs.memory;
        let mut outputs = vec![];
        for (shape, dtype) in &task.outputs {
            let layout = Layout::contiguous(shape);
            let (len, bytes) = (layout.len(), layout.len() as u64 * dtype.size() as u64);
            let memory = self.take_memory(op.name(), bytes, Place::Device)?;
            buffers.push(memory.clone());
            outputs.push(Storage { memory, layout, len });
        }
        self.push(op, inputs.memory)?;
        *task.done.lock().expect("no panic while held") = Some(outputs);
        self.ran(task.clone());
        Ok(())
    }

    /// What an operation takes, planned and as expressions.
    fn taken(&mut self, task: &Task) -> Result<(Inputs, Vec<Expression>)> {
        let mut inputs = Inputs::default();
        let mut expressions = vec![];
        for (node, take) in task.inputs.iter().zip(&task.takes) {
            let node = match take {
                Take::Fused => {
                    self.prepare_fused(node, task.own + task.inputs.len() as u32 - 1).map(|()| node.clone())?
                }
                Take::Dense => self.dense(node)?,
                Take::Strided => self.strided(node).map(|()| node.clone())?,
            };
            expressions.push(inputs.expression(&node)?);
        }
        Ok((inputs, expressions))
    }

    /// Plans an operation, and with it the elementwise work that makes `node` of its output `given`; where the result lies.
    pub fn run_through(&mut self, node: &Arc<Node>, (given, task): Through, place: Place) -> Result<Storage> {
        let (mut inputs, mut expressions) = self.taken(&task)?;
        self.give(&given, task.given.expect("one that goes on"));
        self.prepare(node)?;
        self.count(node);
        // An output and its scratch beside.
        if !Arc::ptr_eq(node, &given)
            && inputs.memory.len() + reads(node).len() + 2 > self.device.caps().bindings as usize
        {
            given.set(State::Lazy(Expr::Output(task, 0)));
            return self.run_apart(node, &given, place);
        }
        expressions.push(inputs.expression(node)?);
        let op = (task.make)(expressions, inputs.memory.len());
        self.in_new_memory(node, op, inputs.memory, place)
    }

    /// The node, in memory as it lies there, or what it is converted from.
    fn strided(&mut self, node: &Arc<Node>) -> Result<()> {
        match node.state() {
            State::Lazy(Expr::Cast(input)) => self.strided(&input),
            State::Lazy(Expr::Constant(_) | Expr::Index(_)) => Ok(()),
            _ => self.materialise(node),
        }
    }

    /// The node, or a copy of it, in memory without gaps.
    pub fn dense(&mut self, node: &Arc<Node>) -> Result<Arc<Node>> {
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
