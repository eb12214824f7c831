//! A batch: kernels to run in one submission, and what nodes will be then. Nobody else sees any of it before the device has
//! taken the kernels.

use super::node::{Expr, Node, State, Storage};
use super::task::Task;
use crate::device::{Claim, Device};
use crate::element::DType;
use crate::error::{CallSite, Result};
use crate::memory::{Memory, Place};
use crate::op::{Op, Plan};
use crate::work::{Launch, Window};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Kernels to run in one submission, and the nodes whose values they make.
pub(crate) struct Batch {
    pub device: Device,
    /// The line of the program that asked for it.
    pub at: CallSite,
    pub launches: Vec<Launch>,
    /// Nodes as they were when planning first looked at them, or as it has planned them since: what other threads publish
    /// in between does not change a plan. What is read is shared by this, and not written in place by others.
    seen: Sightings,
    /// Where nodes will lie.
    made: Vec<(Arc<Node>, Arc<State>)>,
    /// Where the outputs of operations will lie.
    ran: Vec<(Arc<Task>, Vec<Storage>)>,
    /// For `explain()`: what would run is kept.
    pub record: Option<Vec<(Box<dyn Op>, Plan)>>,
}

struct Seen {
    node: Arc<Node>,
    state: Arc<State>,
    /// Kernels of the batch that compute it on the way to something else.
    computed: u32,
}

impl Seen {
    fn now(node: &Arc<Node>) -> Seen {
        Seen { node: node.clone(), state: node.state(), computed: 0 }
    }
}

/// What a batch has seen, by node: most see a few, among which a search is faster than a hash.
#[derive(Default)]
struct Sightings {
    all: Vec<Seen>,
    /// Where the nodes stand in `all`, once they are many.
    places: FxHashMap<*const Node, usize>,
}

impl Sightings {
    const FEW: usize = 16;

    fn of(&mut self, node: &Arc<Node>) -> &mut Seen {
        let pointer = Arc::as_ptr(node);
        let place = match self.places.is_empty() {
            true => self.all.iter().position(|seen| Arc::as_ptr(&seen.node) == pointer),
            false => self.places.get(&pointer).copied(),
        };
        let place = place.unwrap_or_else(|| self.add(node));
        &mut self.all[place]
    }

    fn add(&mut self, node: &Arc<Node>) -> usize {
        let place = self.all.len();
        self.all.push(Seen::now(node));
        if place >= Self::FEW {
            // With the first that is one too many all are.
            let unplaced = if self.places.is_empty() { 0 } else { place };
            let pointers = self.all.iter().map(|seen| Arc::as_ptr(&seen.node)).zip(0..);
            self.places.extend(pointers.skip(unplaced));
        }
        place
    }
}

/// A batch whose results nobody else submits.
pub(crate) struct Submission<'a> {
    pub batch: Batch,
    claim: Option<Claim<'a>>,
}

impl Batch {
    pub fn new(device: &Device, at: CallSite) -> Batch {
        let (launches, made, ran, record, mut seen): (_, _, _, _, Sightings) = Default::default();
        seen.all.reserve(Sightings::FEW);
        Batch { device: device.uncounted(), at, launches, seen, made, ran, record }
    }

    /// Plans, submits and publishes. If `plan` or `submit` fails, all nodes stay as they were.
    ///
    /// Several threads may plan at a time. One that finds, when it wants to submit, that another has submitted a part of what
    /// it planned, plans anew, which is cheaper than to compute it twice.
    pub fn run<R>(
        device: &Device,
        at: CallSite,
        plan: impl Fn(&mut Batch) -> Result<()>,
        mut submit: impl FnMut(&mut Submission) -> Result<R>,
    ) -> Result<R> {
        loop {
            let mut batch = Batch::new(device, at);
            plan(&mut batch).map_err(|error| error.located(at))?;
            let claim = match batch.keys() {
                keys if keys.is_empty() => None,
                keys => match device.claims().claim(keys, || batch.is_stale()) {
                    Some(claim) => Some(claim),
                    None => continue,
                },
            };
            let mut submission = Submission { batch, claim };
            let result = submit(&mut submission).map_err(|error| error.located(at))?;
            submission.publish();
            return Ok(result);
        }
    }

    /// What is claimed before it is submitted.
    fn keys(&self) -> Vec<usize> {
        let nodes = self.made.iter().map(|(node, _)| Arc::as_ptr(node) as usize);
        nodes.chain(self.ran.iter().map(|(task, _)| Arc::as_ptr(task) as usize)).collect()
    }

    /// Whether somebody else has computed some of it.
    fn is_stale(&self) -> bool {
        self.made.iter().any(|(node, _)| !node.is_lazy()) || self.ran.iter().any(|(task, _)| task.output(0).is_some())
    }

    /// The node as this batch sees it.
    pub fn state(&mut self, node: &Arc<Node>) -> Arc<State> {
        self.seen.of(node).state.clone()
    }

    /// How many kernels computed a node on the way to something else.
    pub fn computed(&mut self, node: &Arc<Node>) -> u32 {
        let seen = self.seen.of(node);
        seen.computed + seen.node.computed()
    }

    /// Notes that a kernel computes a node on the way to something else.
    pub fn note_computed(&mut self, node: &Arc<Node>) {
        self.seen.of(node).computed += 1;
    }

    /// Where a node that was brought into memory lies, or will.
    pub fn storage_of(&mut self, node: &Arc<Node>) -> Result<Storage> {
        match &*self.state(node) {
            State::Ready(storage) => Ok(storage.clone()),
            State::Failed(error) => Err(error.clone()),
            State::Lazy(_) => unreachable!("materialise() leaves no node lazy"),
        }
    }

    /// A node will lie there.
    pub fn make(&mut self, node: &Arc<Node>, storage: Storage) {
        let state = Arc::new(State::Ready(storage));
        self.seen.of(node).state = state.clone();
        self.made.push((node.clone(), state));
    }

    /// In this batch, what the kernel that is being planned computes itself stands in a node's place.
    pub fn give(&mut self, node: &Arc<Node>, dtype: DType) {
        self.seen.of(node).state = Arc::new(State::Lazy(Expr::Given(dtype)));
    }

    /// In this batch, the node is as it was then.
    pub fn assume(&mut self, node: &Arc<Node>, state: &Arc<State>) {
        self.seen.of(node).state = state.clone();
    }

    /// The node is computed by itself after all.
    pub fn take_back(&mut self, node: &Arc<Node>) {
        *self.seen.of(node) = Seen::now(node);
    }

    /// Where an output of an operation lies, if it was planned.
    pub fn output(&self, task: &Arc<Task>, index: usize) -> Option<Storage> {
        let planned = self.ran.iter().find(|(ran, _)| Arc::ptr_eq(ran, task));
        planned.map(|(_, outputs)| outputs[index].clone()).or_else(|| task.output(index))
    }

    /// The outputs of an operation will lie there.
    pub fn ran(&mut self, task: &Arc<Task>, outputs: Vec<Storage>) {
        self.ran.push((task.clone(), outputs));
    }

    pub fn take_memory(&self, operation: &'static str, bytes: u64, place: Place) -> Result<Arc<Memory>> {
        self.device.pool().take_for(operation, bytes, place, self.at)
    }

    /// Adds an operation's plan.
    pub fn push(&mut self, mut op: Box<dyn Op>, mut buffers: Vec<Arc<Memory>>) -> Result<()> {
        let (planned, values) = self.device.plan(&mut *op)?;
        for &bytes in &planned.plan.scratch {
            buffers.push(self.take_memory(op.name(), bytes, Place::Device)?);
        }
        for (pass, &cost) in planned.plan.passes.iter().zip(&planned.costs) {
            let window = |b: &crate::op::Binding| {
                let (memory, b) = (buffers[b.buffer].clone(), b.filled(&values));
                // A program's memory may end where the pool's is padded.
                let bytes = b.bytes.min(memory.bytes() - b.offset);
                Window { memory, offset: b.offset, bytes }
            };
            self.launches.push(Launch {
                kernel: pass.kernel.clone(),
                buffers: pass.buffers.iter().map(window).collect(),
                params: pass.words(&values),
                grid: pass.grid,
                cost: Some(cost),
            });
        }
        if let Some(record) = &mut self.record {
            record.push((op, planned.plan.clone()));
        }
        Ok(())
    }
}

impl Submission<'_> {
    /// The device has taken the kernels: what they compute can be used by all from now on.
    pub fn publish(&mut self) {
        let Batch { made, ran, seen, .. } = &mut self.batch;
        made.drain(..).for_each(|(node, state)| node.publish(state));
        ran.drain(..).for_each(|(task, outputs)| task.publish(outputs));
        seen.all.iter().filter(|seen| seen.computed > 0).for_each(|seen| seen.node.note_computed(seen.computed));
        self.claim = None;
    }
}
