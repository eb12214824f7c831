//! Evaluation: from the graph to plans, and from those to one submission.

use super::batch::{Batch, Submission};
use super::expr::Expr;
use super::flatten::Inputs;
use super::node::{Node, State, Storage};
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Memory, Place};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Map, Reduce};
use rustc_hash::FxHashSet;
use std::panic::Location;
use std::sync::Arc;

/// Results of at most this many bytes are written by kernels straight to the host's memory, which saves the copy: on
/// the H200 25 us instead of 31 for four bytes (2026-11-21). Past a page the bus is slower than a copy.
const SMALL_RESULT: usize = 4096;

/// Kernels that may compute a shared part each for itself; the next one reads the part from memory.
const OFTEN: u32 = 2;
/// A part of at most this many steps that reads nothing costs less to compute again than to read from memory.
const CHEAP: u32 = 8;

/// Materialises nodes of one device, without waiting for the device.
#[track_caller]
pub(crate) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    let Some(first) = nodes.first() else { return Ok(()) };
    let plan = |batch: &mut Batch| nodes.iter().try_for_each(|node| batch.materialise(node));
    Batch::run(&first.device, Location::caller(), plan, |submission| submission.submit())
}

/// Where a computed node lies.
pub(crate) fn storage_of(node: &Node) -> Result<Storage> {
    match &*node.state() {
        State::Ready(storage) => Ok(storage.clone()),
        State::Failed(error) => Err(error.clone()),
        State::Lazy(_) => unreachable!("an evaluation leaves no node lazy"),
    }
}

impl Submission<'_> {
    /// Runs the planned work.
    pub fn submit(&mut self) -> Result<()> {
        match self.batch.launches.is_empty() {
            true => Ok(()),
            false => self.batch.device.submit(&self.batch.launches),
        }
    }
}

impl Batch {
    /// Plans the kernels that materialise a node.
    pub fn materialise(&mut self, node: &Arc<Node>) -> Result<()> {
        self.materialise_in(node, Place::Device)
    }

    /// As [`Batch::materialise`]; if the node is small, into memory that the host can read directly.
    pub fn materialise_result(&mut self, node: &Arc<Node>) -> Result<()> {
        // Types smaller than a word are stored by atomics, which are not sure to work in the host's memory.
        let small = node.len() * node.dtype.size() <= SMALL_RESULT && node.dtype.per_word() == 1;
        self.materialise_in(node, if small { Place::Result } else { Place::Device })
    }

    fn materialise_in(&mut self, node: &Arc<Node>, place: Place) -> Result<()> {
        let state = self.state(node);
        let expr = match &*state {
            State::Ready(_) => return Ok(()),
            State::Failed(error) => return Err(error.clone()),
            State::Lazy(expr) => expr,
        };
        let storage = match (self.through(node), expr) {
            (Some(through), _) => self.run_through(node, through, place)?,
            (None, Expr::View(of, layout)) => {
                self.materialise(of)?;
                let under = self.storage_of(of)?;
                Storage { layout: layout.clone(), ..under }
            }
            (None, Expr::Reduce { operator, input, reduced }) => {
                let (expression, inputs) = self.expression(input)?;
                let op = Reduce {
                    output: inputs.len(),
                    expression,
                    shape: input.shape.clone(),
                    reduced: reduced.clone(),
                    operator: operator.clone(),
                    count: None,
                };
                self.in_new_memory(node, Box::new(op), inputs, place)?
            }
            (None, Expr::Output(task, index)) => {
                if self.output(task, *index).is_none() {
                    self.run_task(task)?;
                }
                self.output(task, *index).expect("it has just been planned")
            }
            // A copy may change the shape, so that its kernel runs over the input's shape.
            (None, Expr::Copy(input)) => {
                let map = self.map_in_new_memory(input)?;
                self.in_new_memory(node, Box::new(map.0), map.1, place)?
            }
            (None, _) => {
                let map = self.map_in_new_memory(node)?;
                self.in_new_memory(node, Box::new(map.0), map.1, place)?
            }
        };
        self.make(node, storage);
        Ok(())
    }

    /// Computes fused work on `input` in a kernel of its own, after the kernel of `input`: the work is no epilogue.
    pub fn run_apart(&mut self, node: &Arc<Node>, input: &Arc<Node>, place: Place) -> Result<Storage> {
        self.materialise(input)?;
        let (map, inputs) = self.map_in_new_memory(node)?;
        self.in_new_memory(node, Box::new(map), inputs, place)
    }

    /// A map that writes a node into a fresh buffer.
    fn map_in_new_memory(&mut self, node: &Arc<Node>) -> Result<(Map, Vec<Arc<Memory>>)> {
        let long = self.long_parts(node);
        if long.len() > 1 {
            long.iter().filter(|part| !Arc::ptr_eq(part, node)).try_for_each(|part| self.materialise(part))?;
        }
        self.prepare_parts(node, 1 + node.count().is_some() as u32)?;
        let count = node.count().map(|count| self.dense(count)).transpose()?;
        let mut inputs = Inputs::default();
        let expression = inputs.expression(self, node)?;
        let count = count.map(|count| inputs.expression(self, &count)).transpose()?;
        let inputs = inputs.memory;
        let layout = Layout::contiguous(&node.shape);
        let map = Map {
            expression,
            shape: node.shape.clone(),
            output: inputs.len(),
            output_len: node.len(),
            output_offset: 0,
            output_strides: layout.strides.iter().map(|&s| s as i64).collect(),
            fresh: true,
            count,
            fill: None,
        };
        Ok((map, inputs))
    }

    pub fn in_new_memory(
        &mut self,
        node: &Node,
        op: Box<dyn Op>,
        mut buffers: Vec<Arc<Memory>>,
        place: Place,
    ) -> Result<Storage> {
        let bytes = node.len() as u64 * node.dtype.size() as u64;
        let memory = self.take_memory(op.name(), bytes, place)?;
        buffers.push(memory.clone());
        self.push(op, buffers)?;
        Ok(Storage::new(memory, Layout::contiguous(&node.shape), node.len()))
    }

    /// Writes a node over part of existing memory.
    pub fn assign(&mut self, node: &Arc<Node>, to: &Storage) -> Result<()> {
        let (expression, mut buffers) = self.expression(node)?;
        let map = Map {
            expression,
            shape: node.shape.clone(),
            output: buffers.len(),
            output_len: to.len,
            output_offset: to.layout.offset as i64,
            output_strides: to.layout.strides.iter().map(|&s| s as i64).collect(),
            fresh: false,
            count: None,
            fill: None,
        };
        self.in_place = true;
        to.memory.history.note_write();
        to.memory.note_end_written();
        buffers.push(to.memory.clone());
        self.push(Box::new(map), buffers)
    }

    /// A node as a fused expression, after planning the inputs that the expression reads from memory.
    fn expression(&mut self, node: &Arc<Node>) -> Result<(Expression, Vec<Arc<Memory>>)> {
        self.prepare_fused(node, 1)?;
        let mut inputs = Inputs::default();
        Ok((inputs.expression(self, node)?, inputs.memory))
    }

    /// The long formulas that are fused into a node: a map takes in one, since it has one copy of it for each element. Other
    /// kernels have many copies of what is fused into them, which drivers take minutes to compile.
    pub fn long_parts(&mut self, node: &Arc<Node>) -> Vec<Arc<Node>> {
        let (mut seen, mut queue, mut found) = (FxHashSet::default(), vec![node.clone()], vec![]);
        while let Some(part) = queue.pop() {
            if !part.long || !seen.insert(Arc::as_ptr(&part)) {
                continue;
            }
            let state = self.state(&part);
            queue.extend_from_slice(state.fused_inputs());
            if matches!(&*state, State::Lazy(Expr::Formula(formula, _)) if formula.is_long()) {
                found.push(part);
            }
        }
        found
    }

    /// Plans the inputs that a fused node reads from memory, for a kernel that is no map, with `own` bindings besides the
    /// node's.
    pub fn prepare_fused(&mut self, node: &Arc<Node>, own: u32) -> Result<()> {
        if !self.long_parts(node).is_empty() {
            self.materialise(node)?;
        }
        self.prepare_parts(node, own)
    }

    fn prepare_parts(&mut self, node: &Arc<Node>, own: u32) -> Result<()> {
        self.prepare(node)?;
        if !matches!(*self.state(node), State::Lazy(_)) {
            return Ok(()); // the node lies in memory
        }
        if self.is_one_step(node, own) {
            self.note_computed(node);
            return Ok(());
        }
        self.cut(node)?;
        self.split(node, own)?;
        self.count(node);
        Ok(())
    }

    /// Whether the node is a single step over inputs in memory that can all be bound: the most frequent case.
    fn is_one_step(&mut self, node: &Arc<Node>, own: u32) -> bool {
        let state = self.state(node);
        let inputs = state.fused_inputs();
        let bindings = inputs.len() + own as usize;
        let fits = !inputs.is_empty() && bindings <= self.device.caps().bindings as usize;
        fits && inputs.iter().all(|input| self.state(input).fused_inputs().is_empty())
    }

    /// Materialises parts of a node that two or more earlier kernels computed on the way, if something new is now
    /// computed from the part. Such a part is an older iteration of a loop, say: left fused, it would make the kernels
    /// grow with each iteration, and each one would have to be compiled.
    ///
    /// A part that was computed as often as its user belongs to the same iteration, and stays fused with it.
    fn cut(&mut self, node: &Arc<Node>) -> Result<()> {
        let (mut seen, mut queue, mut older) = (FxHashSet::default(), vec![node.clone()], vec![]);
        while let Some(part) = queue.pop() {
            for input in self.state(&part).fused_inputs() {
                if self.state(input).fused_inputs().is_empty() || !seen.insert(Arc::as_ptr(input)) {
                    continue;
                }
                let (times, around) = (self.computed(input), self.computed(&part));
                let often = times >= OFTEN && times > around;
                match often && (input.steps > CHEAP || !self.reads(input).is_empty()) {
                    true => older.push(input.clone()),
                    false => queue.push(input.clone()),
                }
            }
        }
        older.iter().try_for_each(|input| self.materialise(input))
    }

    /// Notes that a kernel computes a node and all that is fused into it.
    pub fn count(&mut self, node: &Arc<Node>) {
        let (mut seen, mut queue) = (FxHashSet::default(), vec![node.clone()]);
        while let Some(part) = queue.pop() {
            let state = self.state(&part);
            if !state.fused_inputs().is_empty() && seen.insert(Arc::as_ptr(&part)) {
                queue.extend_from_slice(state.fused_inputs());
                self.note_computed(&part);
            }
        }
    }

    /// Materialises everything under a node that does not fuse.
    pub fn prepare(&mut self, node: &Arc<Node>) -> Result<()> {
        match &*self.state(node) {
            State::Ready(_) => Ok(()),
            State::Failed(error) => Err(error.clone()),
            State::Lazy(expr) if expr.fuses() => expr
                .inputs()
                .iter()
                .try_for_each(|input| if input.steps > 0 { self.prepare(input) } else { failed(input) }),
            State::Lazy(_) => self.materialise(node),
        }
    }

    /// Materialises parts of an expression while it reads more buffers than a kernel can bind.
    fn split(&mut self, node: &Arc<Node>, own: u32) -> Result<()> {
        let most = self.device.caps().bindings.saturating_sub(own).max(1) as usize;
        // A step adds two inputs at most.
        if node.steps as usize * 2 < most {
            return Ok(());
        }
        if most < 3 && self.reads(node).len() > most {
            return self.materialise(node); // the inputs of one step would not fit
        }
        while self.reads(node).len() > most {
            let mut part = node.clone();
            loop {
                let state = self.state(&part);
                let widest = state.fused_inputs().iter().max_by_key(|input| self.reads(input).len());
                part = widest.expect("only lazy nodes read several buffers").clone();
                if self.reads(&part).len() <= most {
                    break;
                }
            }
            self.materialise(&part)?;
        }
        Ok(())
    }
}

fn failed(node: &Node) -> Result<()> {
    node.error().map_or(Ok(()), Err)
}
