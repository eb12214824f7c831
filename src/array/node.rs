//! The lazy graph: a node is a value in memory, or how to compute it.

use super::layout::Layout;
use super::task::Task;
use crate::device::Device;
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::memory::Memory;
use crate::ops::{Formula, Function, Operator};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Steps that may wait behind a node. Beyond, its longest input is computed at once: kernels and recursion stay short.
const MOST_STEPS: u32 = 128;

/// A value, now or later. Shape, type and device never change.
pub(crate) struct Node {
    pub device: Device,
    pub shape: Vec<usize>,
    pub dtype: DType,
    /// Steps that wait behind this node, itself included.
    pub steps: u32,
    /// Kernels that computed it on the way to something else.
    computed: AtomicU32,
    /// How many of its elements are values, where the device alone knows: what lies past them is never computed with.
    count: OnceLock<Arc<Node>>,
    state: Mutex<State>,
}

/// Where a node stands.
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
}

/// How a node is computed. Arguments have the node's shape, unless said otherwise.
#[derive(Clone)]
pub(crate) enum Expr {
    /// One value everywhere.
    Constant(Scalar),
    /// The element at address `a` of this layout is `a`.
    Index(Layout),
    Call(Function, Vec<Arc<Node>>),
    Formula(Formula, Vec<Arc<Node>>),
    Cast(Arc<Node>),
    /// A copy in row-major order, of any shape with as many elements: a fresh start for views.
    Copy(Arc<Node>),
    /// Some axes of a larger node combined.
    Reduce {
        operator: Operator,
        input: Arc<Node>,
        reduced: Vec<bool>,
    },
    /// An output of an operation with kernels of its own.
    Output(Arc<Task>, usize),
    /// A view of a node that will lie in memory without gaps.
    View(Arc<Node>, Layout),
    /// What the kernel that is being planned computes itself, in this type.
    Given(DType),
}

impl Node {
    pub fn ready(device: &Device, dtype: DType, storage: Storage) -> Arc<Node> {
        let shape = storage.layout.shape.clone();
        Node::new(device, shape, dtype, 0, State::Ready(storage))
    }

    pub fn failed(device: &Device, dtype: DType, error: Error) -> Arc<Node> {
        Node::new(device, vec![0], dtype, 0, State::Failed(error))
    }

    pub fn lazy(device: &Device, shape: Vec<usize>, dtype: DType, expr: Expr) -> Arc<Node> {
        let inputs = expr.inputs();
        let own = expr.steps();
        let total = |inputs: &[Arc<Node>]| inputs.iter().fold(own, |sum, node| sum.saturating_add(node.waiting()));
        if total(inputs) > MOST_STEPS
            && let Some(longest) = inputs.iter().max_by_key(|node| node.waiting())
            && let Err(error) = super::evaluate::evaluate(std::slice::from_ref(longest))
        {
            return Node::failed(device, dtype, error);
        }
        let steps = total(inputs);
        let count = inputs.iter().filter(|_| expr.fuses()).find_map(|input| input.count().cloned());
        let node = Node::new(device, shape, dtype, steps, State::Lazy(expr));
        count.into_iter().for_each(|count| node.set_count(&count));
        node
    }

    fn new(device: &Device, shape: Vec<usize>, dtype: DType, steps: u32, state: State) -> Arc<Node> {
        let (computed, count, state) = (AtomicU32::new(0), OnceLock::new(), Mutex::new(state));
        Arc::new(Node { device: device.uncounted(), shape, dtype, steps, computed, count, state })
    }

    pub fn len(&self) -> usize {
        super::layout::count(&self.shape)
    }

    /// How many of its elements are values, where the device alone knows.
    pub fn count(&self) -> Option<&Arc<Node>> {
        self.count.get()
    }

    /// As many of its elements are values, and of all that is computed of it element by element.
    pub fn set_count(&self, count: &Arc<Node>) {
        self.count.get_or_init(|| count.clone());
    }

    /// How many kernels computed it on the way to something else.
    pub fn computed(&self) -> u32 {
        self.computed.load(Ordering::Relaxed)
    }

    /// It is computed as often, and by one kernel more, or one less where that is undone.
    pub fn compute(&self, change: i32) {
        self.computed.fetch_add(change as u32, Ordering::Relaxed); // wraps around, so that it can be undone
    }

    /// A node that is computed in this one's place, of views of what this one is computed of.
    pub fn as_often_computed(&self, other: Arc<Node>) -> Arc<Node> {
        other.computed.store(self.computed(), Ordering::Relaxed);
        other
    }

    /// The inputs that are computed in the same kernel or read by it, if there are any.
    pub fn fused_inputs(&self) -> Vec<Arc<Node>> {
        self.look(|state| match state {
            State::Lazy(expr) if expr.fuses() => expr.inputs().to_vec(),
            _ => vec![],
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while held")
    }

    pub fn state(&self) -> State {
        self.lock().clone()
    }

    pub fn set(&self, state: State) {
        let old = std::mem::replace(&mut *self.lock(), state);
        drop(old); // outside the lock: it may drop other nodes
    }

    /// Looks at the state as it lies there: a clone would count as a user of its inputs.
    pub fn look<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.lock())
    }

    pub fn error(&self) -> Option<Error> {
        match &*self.lock() {
            State::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    /// Steps that wait behind this node: none once it is computed.
    fn waiting(&self) -> u32 {
        match &*self.lock() {
            State::Lazy(_) => self.steps,
            _ => 0,
        }
    }

    /// Whether doing it again for repeated elements would cost much.
    pub fn costly(&self) -> bool {
        match &*self.lock() {
            State::Lazy(Expr::Call(function, _)) => function.costly() || self.steps > 8,
            State::Lazy(Expr::Formula(formula, _)) => formula.parts().costly || self.steps > 8,
            State::Lazy(Expr::Cast(_)) => self.steps > 8,
            _ => false,
        }
    }
}

impl Expr {
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

    /// Steps that it counts as: one, which brings two more inputs at most, or as many as its inputs ask for.
    fn steps(&self) -> u32 {
        (self.inputs().len() / 2).max(1) as u32
    }

    /// Whether it is computed inside the kernel of what uses it, and has no memory of its own.
    pub fn fuses(&self) -> bool {
        use Expr::*;
        matches!(self, Constant(_) | Index(_) | Given(_) | Call(..) | Formula(..) | Cast(_))
    }
}
