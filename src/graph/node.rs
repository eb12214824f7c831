//! The deferred graph: a node is a value in memory, or a description of how to compute it.

use super::expr::Expr;
use super::lineage::Lineage;
use crate::device::Device;
use crate::element::DType;
use crate::sync::{Mutex, MutexGuard};
use crosslane_core::error::Error;
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Memory, Share};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Steps that may be deferred behind a node. Beyond, the node's longest input is evaluated at once, which bounds the
/// length of kernels and the depth of recursion.
const MOST_STEPS: u32 = 128;

/// A value, computed or deferred. Shape, type and device never change.
pub(crate) struct Node {
    pub device: Device,
    pub shape: Vec<usize>,
    pub dtype: DType,
    /// Deferred steps up to this node, itself included.
    pub steps: u32,
    /// Whether the node, or a node fused into it, is the output of an operation that can take in an epilogue.
    pub goes_on: bool,
    /// Whether a long formula ([`Formula::is_long`](crosslane_core::op::Formula::is_long)) may be fused into it.
    pub long: bool,
    /// How many handles of the program, operations and other nodes want the value.
    users: AtomicU32,
    /// How many kernels computed the node on the way to another.
    computed: AtomicU32,
    /// How many of the elements are values, where only the device knows: elements past these are never computed with.
    count: OnceLock<Arc<Node>>,
    state: Mutex<Arc<State>>,
    /// Whether the node's state before evaluation is kept (`recipe`), which shows how the node was computed.
    keeps: AtomicBool,
    recipe: OnceLock<Arc<State>>,
    /// How the value was computed, where the device keeps it.
    pub(super) lineage: Mutex<Option<Arc<Lineage>>>,
}

/// The state of a node.
#[derive(Clone)]
pub(crate) enum State {
    Ready(Storage),
    Lazy(Expr),
    Failed(Error),
}

/// A value in memory.
#[derive(Clone)]
pub(crate) struct Storage {
    pub memory: Arc<Memory>,
    pub layout: Layout,
    /// Elements in the whole buffer.
    pub len: usize,
    pub share: Share,
}

impl Storage {
    /// Contents that no other storage refers to.
    pub fn new(memory: Arc<Memory>, layout: Layout, len: usize) -> Storage {
        let share = Share::new(&memory);
        Storage { memory, layout, len, share }
    }
}

/// A program's hold on a node: the handle counts as one of the node's users.
pub(crate) struct Handle(Arc<Node>);

impl Handle {
    pub fn new(node: Arc<Node>) -> Handle {
        node.want();
        Handle(node)
    }
}

impl Deref for Handle {
    type Target = Arc<Node>;

    fn deref(&self) -> &Arc<Node> {
        &self.0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.unwant();
    }
}

impl Node {
    pub fn ready(device: &Device, dtype: DType, storage: Storage) -> Arc<Node> {
        let shape = storage.layout.shape.clone();
        Node::new(device, shape, dtype, (0, false, false), State::Ready(storage))
    }

    pub fn failed(device: &Device, dtype: DType, error: Error) -> Arc<Node> {
        Node::new(device, vec![0], dtype, (0, false, false), State::Failed(error))
    }

    pub fn lazy(device: &Device, shape: Vec<usize>, dtype: DType, expr: Expr) -> Arc<Node> {
        let inputs = expr.inputs();
        if inputs.iter().fold(expr.steps(), |sum, node| sum.saturating_add(node.waiting())) > MOST_STEPS
            && let Some(longest) = inputs.iter().max_by_key(|node| node.waiting())
            && let Err(error) = super::evaluate::evaluate(std::slice::from_ref(longest))
        {
            return Node::failed(device, dtype, error);
        }
        Node::apart(device, shape, dtype, expr)
    }

    /// As [`Node::lazy`], but computes nothing now.
    pub fn apart(device: &Device, shape: Vec<usize>, dtype: DType, expr: Expr) -> Arc<Node> {
        let inputs = expr.inputs();
        let steps = inputs.iter().fold(expr.steps(), |sum, node| sum.saturating_add(node.waiting()));
        let count = inputs.iter().filter(|_| expr.fuses()).find_map(|input| input.count().cloned());
        expr.own_inputs().iter().for_each(|input| input.want());
        let goes_on = match &expr {
            Expr::Output(task, _) => task.goes_on(),
            _ => expr.fuses() && inputs.iter().any(|input| input.goes_on),
        };
        let long = match &expr {
            Expr::Formula(formula, _) if formula.is_long() => true,
            _ => expr.fuses() && inputs.iter().any(|input| input.long && input.waiting() > 0),
        };
        let node = Node::new(device, shape, dtype, (steps, goes_on, long), State::Lazy(expr));
        count.into_iter().for_each(|count| node.set_count(&count));
        node
    }

    fn new(
        device: &Device,
        shape: Vec<usize>,
        dtype: DType,
        (steps, goes_on, long): (u32, bool, bool),
        state: State,
    ) -> Arc<Node> {
        let (users, computed, count, keeps, recipe) = Default::default();
        let lineage = Mutex::new(device.keeps_lineage().then(|| Lineage::of(&shape, dtype, &state)));
        let (device, state) = (device.uncounted(), Mutex::new(Arc::new(state)));
        Arc::new(Node {
            device,
            shape,
            dtype,
            steps,
            goes_on,
            long,
            users,
            computed,
            count,
            state,
            keeps,
            recipe,
            lineage,
        })
    }

    pub fn len(&self) -> usize {
        crosslane_core::layout::count(&self.shape)
    }

    /// How many of the node's elements are values, where only the device knows.
    pub fn count(&self) -> Option<&Arc<Node>> {
        self.count.get()
    }

    /// Sets how many of the node's elements are values. Nodes computed from it element by element inherit the count.
    pub fn set_count(&self, count: &Arc<Node>) {
        self.count.get_or_init(|| count.clone());
        self.set_count_of_lineage(count);
    }

    /// How many kernels computed the node on the way to another.
    pub fn computed(&self) -> u32 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Records that this many more kernels computed the node.
    pub fn note_computed(&self, kernels: u32) {
        self.computed.fetch_add(kernels, Ordering::Relaxed);
    }

    /// How many handles, operations and nodes want the value. Any holder of the node may add one meanwhile.
    pub fn users(&self) -> u32 {
        self.users.load(Ordering::Acquire)
    }

    /// Adds a user of the value.
    pub fn want(&self) {
        self.users.fetch_add(1, Ordering::AcqRel);
    }

    /// Removes a user of the value.
    pub fn unwant(&self) {
        self.users.fetch_sub(1, Ordering::AcqRel);
    }

    /// Copies this node's count of computations to `other`, which computes a view of this node from views of its
    /// inputs.
    pub fn as_often_computed(&self, other: Arc<Node>) -> Arc<Node> {
        other.computed.store(self.computed(), Ordering::Relaxed);
        other
    }

    fn lock(&self) -> MutexGuard<'_, Arc<State>> {
        self.state.lock().expect("no panic while held")
    }

    pub fn state(&self) -> Arc<State> {
        self.lock().clone()
    }

    /// Sets the state to ready, unless the node was ready already.
    pub fn publish(&self, ready: Arc<State>) {
        self.bind_lineage(&ready);
        let mut state = self.lock();
        if let State::Lazy(_) = **state {
            let old = std::mem::replace(&mut *state, ready);
            drop(state);
            // Outside the lock: it may drop other nodes.
            match self.keeps.load(Ordering::Acquire) {
                true => drop(self.recipe.set(old)),
                false => old.let_go(),
            }
        }
    }

    /// Keeps the state that the node had before evaluation.
    pub fn keep_recipe(&self) {
        self.keeps.store(true, Ordering::Release);
    }

    /// The state before evaluation, if it was kept.
    pub fn recipe(&self) -> Option<&Arc<State>> {
        self.recipe.get()
    }

    pub fn is_lazy(&self) -> bool {
        matches!(**self.lock(), State::Lazy(_))
    }

    pub fn error(&self) -> Option<Error> {
        match &**self.lock() {
            State::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    /// Deferred steps up to this node: none once it is computed.
    fn waiting(&self) -> u32 {
        match &**self.lock() {
            State::Lazy(_) => self.steps,
            _ => 0,
        }
    }

    /// Whether computing the value again for repeated elements would cost much.
    pub fn costly(&self) -> bool {
        match &**self.lock() {
            State::Lazy(Expr::Call(function, _)) => function.costly() || self.steps > 8,
            State::Lazy(Expr::Formula(formula, _)) => formula.costly() || self.steps > 8,
            State::Lazy(Expr::Cast(_)) => self.steps > 8,
            _ => false,
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Ok(state) = self.state.get_mut() {
            state.let_go();
        }
        self.recipe.get().into_iter().for_each(|recipe| recipe.let_go());
    }
}

impl State {
    /// The inputs that are computed in the same kernel or read by it.
    pub fn fused_inputs(&self) -> &[Arc<Node>] {
        match self {
            State::Lazy(expr) if expr.fuses() => expr.inputs(),
            _ => &[],
        }
    }

    /// Gives up the state's inputs: each has one user less. Called when no node has the state any more.
    fn let_go(&self) {
        if let State::Lazy(expr) = self {
            expr.own_inputs().iter().for_each(|input| input.unwant());
        }
    }
}
