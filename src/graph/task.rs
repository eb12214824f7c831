//! Operations with kernels of their own, of one output or several: scans, sorts, selections.

use super::batch::Batch;
use super::expr::Expr;
use super::flatten::Inputs;
use super::lineage::Origin;
use super::node::{Node, State, Storage};
use crate::device::Device;
use crate::element::DType;
use crate::sync::Mutex;
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Memory, Place};
use crosslane_core::op::{Expression, Op};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// An operation whose outputs are nodes.
pub(crate) struct Task {
    pub inputs: Vec<Arc<Node>>,
    pub outline: Arc<Outline>,
    /// Its part of the outputs' lineages, where they are kept.
    pub(super) origin: OnceLock<Arc<Origin>>,
    /// Where the outputs lie, after submission.
    done: Mutex<Option<Vec<Storage>>>,
}

/// An operation without its inputs: how it reads them, its outputs, and how to construct it once the inputs' places are
/// known.
pub(crate) struct Outline {
    /// How the kernel reads each input.
    takes: Vec<Take>,
    /// Shape and type of each output.
    outputs: Vec<(Vec<usize>, DType)>,
    /// Bindings of its kernels besides the inputs'.
    own: u32,
    make: Make,
    /// The type of the value inside the kernel, if the kernel can take in an epilogue on its only output.
    given: Option<DType>,
}

/// Constructs the operation from the expressions of its inputs and the slot of its first output. If the operation takes
/// in an epilogue, the epilogue is the last expression.
type Make = Box<dyn Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync>;

/// How an operation reads an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// As an expression: elementwise work before the operation becomes the prologue of its kernel.
    Fused,
    /// As memory without gaps from the buffer's first byte, for kernels that read the input anywhere or often.
    Dense,
    /// As memory with any strides, and at most a conversion: for kernels that read the input several times.
    Strided,
}

impl Task {
    /// The outputs of an operation, deferred.
    pub fn nodes(
        inputs: &[(&Arc<Node>, Take)],
        outputs: Vec<(Vec<usize>, DType)>,
        own: u32,
        make: impl Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Vec<Arc<Node>> {
        let device = inputs.first().expect("an operation has an input").0.device.clone();
        Task::nodes_on(&device, inputs, outputs, own, make)
    }

    /// As [`Task::nodes`], of an operation that may have no input.
    pub fn nodes_on(
        device: &Device,
        inputs: &[(&Arc<Node>, Take)],
        outputs: Vec<(Vec<usize>, DType)>,
        own: u32,
        make: impl Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Vec<Arc<Node>> {
        let task = Task::new(inputs, outputs.clone(), own, Box::new(make), None);
        let node = |(index, (shape, dtype))| Node::lazy(device, shape, dtype, Expr::Output(task.clone(), index));
        outputs.into_iter().enumerate().map(node).collect()
    }

    /// The output of an operation whose kernel can take in an epilogue. It does where the epilogue is the output's only
    /// user.
    pub fn going_on(
        inputs: &[(&Arc<Node>, Take)],
        (shape, dtype): (Vec<usize>, DType),
        given: DType,
        own: u32,
        make: impl Fn(Vec<Expression>, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Arc<Node> {
        let device = inputs.first().expect("an operation has an input").0.device.clone();
        let task = Task::new(inputs, vec![(shape.clone(), dtype)], own, Box::new(make), Some(given));
        Node::lazy(&device, shape, dtype, Expr::Output(task, 0))
    }

    fn new(
        inputs: &[(&Arc<Node>, Take)],
        outputs: Vec<(Vec<usize>, DType)>,
        own: u32,
        make: Make,
        given: Option<DType>,
    ) -> Arc<Task> {
        let (inputs, takes): (Vec<Arc<Node>>, _) = inputs.iter().map(|(node, take)| (Arc::clone(node), take)).unzip();
        Task::over(inputs, Arc::new(Outline { takes, outputs, own, make, given }))
    }

    /// The operation on these inputs.
    pub fn over(inputs: Vec<Arc<Node>>, outline: Arc<Outline>) -> Arc<Task> {
        inputs.iter().for_each(|input| input.want());
        Arc::new(Task { inputs, outline, origin: OnceLock::new(), done: Mutex::default() })
    }

    /// Whether the kernel can take in an epilogue.
    pub fn goes_on(&self) -> bool {
        self.outline.given.is_some()
    }

    /// The memory of an output, if the operation has run.
    pub fn output(&self, index: usize) -> Option<Storage> {
        self.done.lock().expect("no panic while held").as_ref().map(|done| done[index].clone())
    }

    /// Records the memory of the outputs, unless it was known already.
    pub fn publish(&self, outputs: Vec<Storage>) {
        self.done.lock().expect("no panic while held").get_or_insert(outputs);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.inputs.iter().for_each(|input| input.unwant());
    }
}

/// An output that an epilogue may begin with, and its operation.
pub(crate) type Through = (Arc<Node>, Arc<Task>);

/// How often each node is used within a fused node, by address.
type Users = FxHashMap<*const Node, u32>;

impl Batch {
    /// An operation that can take in the whole fused node as its epilogue: nothing else wants the operation's output. An
    /// epilogue has no long formula.
    pub fn through(&mut self, node: &Arc<Node>) -> Option<Through> {
        if !node.goes_on || !self.long_parts(node).is_empty() {
            return None;
        }
        let (mut users, mut found) = (FxHashMap::default(), vec![]);
        self.search(node, &mut users, &mut found);
        let only = |(output, _): &Through| users.get(&Arc::as_ptr(output)).is_none_or(|&n| output.users() == n);
        let only: Vec<Through> = found.into_iter().filter(only).collect();
        only.into_iter().find(|(output, _)| self.is_made_for(node, output, &users, &mut FxHashMap::default()).is_some())
    }

    /// Whether a node is computed from an output; `None` if something outside the fused node wants a value on the way.
    fn is_made_for(
        &mut self,
        node: &Arc<Node>,
        output: &Arc<Node>,
        users: &Users,
        known: &mut FxHashMap<*const Node, bool>,
    ) -> Option<bool> {
        if Arc::ptr_eq(node, output) {
            return Some(true);
        }
        if let Some(&made) = known.get(&Arc::as_ptr(node)) {
            return Some(made);
        }
        let mut made = false;
        for input in self.state(node).fused_inputs() {
            if self.is_made_for(input, output, users, known)? {
                let alone = Arc::ptr_eq(input, output) || users.get(&Arc::as_ptr(input)) == Some(&input.users());
                made = alone.then_some(true)?;
            }
        }
        known.insert(Arc::as_ptr(node), made);
        Some(made)
    }

    /// Counts the uses of nodes within a fused node, and finds operations that can take in an epilogue.
    fn search(&mut self, node: &Arc<Node>, users: &mut Users, found: &mut Vec<Through>) {
        match &*self.state(node) {
            State::Lazy(Expr::Output(task, 0)) if task.outline.given.is_some() => {
                found.push((node.clone(), task.clone()))
            }
            State::Lazy(expr) if expr.fuses() => {
                for input in expr.inputs() {
                    let count = users.entry(Arc::as_ptr(input)).or_insert(0);
                    *count += 1;
                    if *count == 1 {
                        self.search(input, users, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Plans an operation without an epilogue, with all its outputs.
    pub fn run_task(&mut self, task: &Arc<Task>) -> Result<()> {
        let (mut inputs, expressions) = self.taken(task)?;
        let first = inputs.memory.len();
        let op = (task.outline.make)(expressions, first);
        let buffers: &mut Vec<Arc<Memory>> = &mut inputs.memory;
        let mut outputs = vec![];
        for (shape, dtype) in &task.outline.outputs {
            let layout = Layout::contiguous(shape);
            let (len, bytes) = (layout.len(), layout.len() as u64 * dtype.size() as u64);
            let memory = self.take_memory(op.name(), bytes, Place::Device)?;
            buffers.push(memory.clone());
            outputs.push(Storage::new(memory, layout, len));
        }
        self.push(op, inputs.memory)?;
        self.ran(task, outputs);
        Ok(())
    }

    /// Plans an operation's inputs; returns them as expressions.
    fn taken(&mut self, task: &Task) -> Result<(Inputs, Vec<Expression>)> {
        let mut inputs = Inputs::default();
        let mut expressions = vec![];
        for (node, take) in task.inputs.iter().zip(&task.outline.takes) {
            let node = match take {
                Take::Fused => {
                    self.prepare_fused(node, task.outline.own + task.inputs.len() as u32 - 1).map(|()| node.clone())?
                }
                Take::Dense => self.dense(node)?,
                Take::Strided => self.strided(node).map(|()| node.clone())?,
            };
            expressions.push(inputs.expression(self, &node)?);
        }
        Ok((inputs, expressions))
    }

    /// Plans an operation and its epilogue, which computes `node` from the operation's output `given`. Returns the
    /// memory of the result.
    pub fn run_through(&mut self, node: &Arc<Node>, (given, task): Through, place: Place) -> Result<Storage> {
        let (mut inputs, mut expressions) = self.taken(&task)?;
        self.give(&given, task.outline.given.expect("one that goes on"));
        self.prepare(node)?;
        self.count(node);
        // Two bindings more: the output and a scratch buffer.
        if !Arc::ptr_eq(node, &given)
            && inputs.memory.len() + self.reads(node).len() + 2 > self.device.caps().bindings as usize
        {
            self.take_back(&given);
            return self.run_apart(node, &given, place);
        }
        expressions.push(inputs.expression(self, node)?);
        let op = (task.outline.make)(expressions, inputs.memory.len());
        self.in_new_memory(node, op, inputs.memory, place)
    }

    /// Materialises the node with any strides, or the node that it is a conversion of.
    fn strided(&mut self, node: &Arc<Node>) -> Result<()> {
        match &*self.state(node) {
            State::Lazy(Expr::Cast(input)) => self.strided(input),
            State::Lazy(Expr::Constant(_) | Expr::Index(_)) => Ok(()),
            _ => self.materialise(node),
        }
    }

    /// Materialises the node without gaps, as a copy if need be.
    pub fn dense(&mut self, node: &Arc<Node>) -> Result<Arc<Node>> {
        self.materialise(node)?;
        if self.storage_of(node)?.layout == Layout::contiguous(&node.shape) {
            return Ok(node.clone());
        }
        let copy = Node::apart(&node.device, node.shape.clone(), node.dtype, Expr::Copy(node.clone()));
        self.materialise(&copy)?;
        Ok(copy)
    }
}
