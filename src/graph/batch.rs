//! A batch: the kernels of one submission, and the state that nodes will have after it. Other threads see none of it
//! before the device has accepted the kernels.

use super::expr::Expr;
use super::node::{Node, State, Storage};
use super::task::Task;
use crate::device::{Claim, Device};
use crate::element::DType;
use crosslane_core::error::{CallSite, Result};
use crosslane_core::memory::{Memory, Place};
use crosslane_core::op::{Op, Plan};
use crosslane_core::work::{Launch, Window};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The kernels of one submission, and the nodes that they compute.
pub(crate) struct Batch {
    pub device: Device,
    /// The line of the program that asked for the evaluation.
    pub at: CallSite,
    pub launches: Vec<Launch>,
    /// Each node's state when planning first looked at it, or as planned since. A plan does not change when another
    /// thread publishes a node in between. Holding the states also shares the memory that the batch reads, so that
    /// others do not write to it in place.
    seen: Sightings,
    /// The nodes that the batch materialises, with where they will lie.
    made: Vec<(Arc<Node>, Arc<State>)>,
    /// The operations that the batch runs, with where their outputs will lie.
    ran: Vec<(Arc<Task>, Vec<Storage>)>,
    /// Whether a kernel writes to memory that was there before.
    pub in_place: bool,
    /// For `explain()`: keeps the operations and plans that would run.
    pub record: Option<Vec<(Box<dyn Op>, Plan)>>,
}

struct Seen {
    node: Arc<Node>,
    state: Arc<State>,
    /// How many kernels of the batch compute the node on the way to another.
    computed: u32,
}

impl Seen {
    fn now(node: &Arc<Node>) -> Seen {
        Seen { node: node.clone(), state: node.state(), computed: 0 }
    }
}

/// The nodes that a batch has seen. Most batches see few, and a linear search of few is faster than a hash table.
#[derive(Default)]
struct Sightings {
    all: Vec<Seen>,
    /// Indices into `all`, by node: used beyond [`Sightings::FEW`] nodes.
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
            // The node that exceeds FEW adds all earlier ones too.
            let unplaced = if self.places.is_empty() { 0 } else { place };
            let pointers = self.all.iter().map(|seen| Arc::as_ptr(&seen.node)).zip(0..);
            self.places.extend(pointers.skip(unplaced));
        }
        place
    }
}

/// A batch whose nodes this thread has claimed: no other thread submits them.
pub(crate) struct Submission<'a> {
    pub batch: Batch,
    claim: Option<Claim<'a>>,
}

impl Batch {
    pub fn new(device: &Device, at: CallSite) -> Batch {
        let (launches, made, ran, in_place, record, mut seen): (_, _, _, _, _, Sightings) = Default::default();
        seen.all.reserve(Sightings::FEW);
        Batch { device: device.uncounted(), at, launches, seen, made, ran, in_place, record }
    }

    /// Plans, submits and publishes. If `plan` or `submit` fails, all nodes stay as they were. If memory runs out, what is
    /// pooled is given back, and all is tried once more: other threads may have dropped arrays meanwhile.
    ///
    /// Several threads may plan at a time. If another thread has submitted a part of the same work before this one
    /// submits, this one plans again: that is cheaper than computing the part twice.
    pub fn run<R>(
        device: &Device,
        at: CallSite,
        plan: impl Fn(&mut Batch) -> Result<()>,
        mut submit: impl FnMut(&mut Submission) -> Result<R>,
    ) -> Result<R> {
        let mut again = true;
        loop {
            let mut batch = Batch::new(device, at);
            match plan(&mut batch).and_then(|()| batch.slice_launches()) {
                Err(error) if error.is_out_of_memory() && std::mem::take(&mut again) => {
                    drop(batch);
                    device.trim();
                    continue;
                }
                planned => planned.map_err(|error| error.located(at))?,
            }
            let claim = match batch.keys() {
                keys if keys.is_empty() => None,
                keys => match device.claims().claim(keys, || batch.is_stale()) {
                    Some(claim) => Some(claim),
                    None => continue,
                },
            };
            let mut submission = Submission { batch, claim };
            match submit(&mut submission) {
                // A kernel that writes in place may have run.
                Err(error) if error.is_out_of_memory() && !submission.batch.in_place && std::mem::take(&mut again) => {
                    drop(submission);
                    device.trim();
                }
                result => {
                    let result = result.map_err(|error| error.located(at))?;
                    submission.publish();
                    return Ok(result);
                }
            }
        }
    }

    /// Cuts launches that are too long. A recording cuts its own: they are known by their numbers.
    fn slice_launches(&mut self) -> Result<()> {
        if self.record.is_none()
            && let Some(sliced) = self.device.sliced(&self.launches)?
        {
            self.launches = sliced.launches;
        }
        Ok(())
    }

    /// The nodes and operations to claim before submission, by address.
    fn keys(&self) -> Vec<usize> {
        let nodes = self.made.iter().map(|(node, _)| Arc::as_ptr(node) as usize);
        nodes.chain(self.ran.iter().map(|(task, _)| Arc::as_ptr(task) as usize)).collect()
    }

    /// Whether another thread has computed a part of the batch.
    fn is_stale(&self) -> bool {
        self.made.iter().any(|(node, _)| !node.is_lazy()) || self.ran.iter().any(|(task, _)| task.output(0).is_some())
    }

    /// The node's state as this batch sees it.
    pub fn state(&mut self, node: &Arc<Node>) -> Arc<State> {
        self.seen.of(node).state.clone()
    }

    /// How many kernels computed the node on the way to another.
    pub fn computed(&mut self, node: &Arc<Node>) -> u32 {
        let seen = self.seen.of(node);
        seen.computed + seen.node.computed()
    }

    /// Notes that a kernel computes the node on the way to another.
    pub fn note_computed(&mut self, node: &Arc<Node>) {
        self.seen.of(node).computed += 1;
    }

    /// The memory of a materialised node, now or after submission.
    pub fn storage_of(&mut self, node: &Arc<Node>) -> Result<Storage> {
        match &*self.state(node) {
            State::Ready(storage) => Ok(storage.clone()),
            State::Failed(error) => Err(error.clone()),
            State::Lazy(_) => unreachable!("materialise() leaves no node lazy"),
        }
    }

    /// Records the memory of a node.
    pub fn make(&mut self, node: &Arc<Node>, storage: Storage) {
        let state = Arc::new(State::Ready(storage));
        self.seen.of(node).state = state.clone();
        self.made.push((node.clone(), state));
    }

    /// In this batch, replaces a node by the value that the planned kernel itself computes: the node's users become
    /// that kernel's epilogue.
    pub fn give(&mut self, node: &Arc<Node>, dtype: DType) {
        self.seen.of(node).state = Arc::new(State::Lazy(Expr::Given(dtype)));
    }

    /// In this batch, gives the node an earlier state.
    pub fn assume(&mut self, node: &Arc<Node>, state: &Arc<State>) {
        self.seen.of(node).state = state.clone();
    }

    /// Undoes [`Batch::give`]: the node is computed by a kernel of its own after all.
    pub fn take_back(&mut self, node: &Arc<Node>) {
        *self.seen.of(node) = Seen::now(node);
    }

    /// The memory of an operation's output, if the operation has run or is planned.
    pub fn output(&self, task: &Arc<Task>, index: usize) -> Option<Storage> {
        let planned = self.ran.iter().find(|(ran, _)| Arc::ptr_eq(ran, task));
        planned.map(|(_, outputs)| outputs[index].clone()).or_else(|| task.output(index))
    }

    /// Records the memory of an operation's outputs.
    pub fn ran(&mut self, task: &Arc<Task>, outputs: Vec<Storage>) {
        self.ran.push((task.clone(), outputs));
    }

    pub fn take_memory(&self, operation: &'static str, bytes: u64, place: Place) -> Result<Arc<Memory>> {
        self.device.pool().take_for(operation, bytes, place, self.at)
    }

    /// Adds an operation's plan to the batch.
    pub fn push(&mut self, mut op: Box<dyn Op>, mut buffers: Vec<Arc<Memory>>) -> Result<()> {
        let (planned, values) = self.device.plan(&mut *op)?;
        for &bytes in &planned.plan.scratch {
            buffers.push(self.take_memory(op.name(), bytes, Place::Device)?);
        }
        for (pass, &cost) in planned.plan.passes.iter().zip(&planned.costs) {
            let window = |b: &crosslane_core::op::Binding| {
                let (memory, b) = (buffers[b.buffer].clone(), b.filled(&values));
                // An array in foreign memory may end where a buffer of the pool would have padding.
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
    /// Makes the results usable by all threads. Called once the device has accepted the kernels.
    pub fn publish(&mut self) {
        let Batch { made, ran, seen, .. } = &mut self.batch;
        made.drain(..).for_each(|(node, state)| node.publish(state));
        ran.drain(..).for_each(|(task, outputs)| task.publish(outputs));
        seen.all.iter().filter(|seen| seen.computed > 0).for_each(|seen| seen.node.note_computed(seen.computed));
        self.claim = None;
    }
}
