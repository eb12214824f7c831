//! The deferred graph: the nodes behind arrays ([`Node`]), operations with kernels of their own ([`Task`]), and
//! evaluation. A [`Batch`] is planned without others seeing it, submitted at once, and then published.

mod batch;
mod evaluate;
mod expr;
mod flatten;
mod lineage;
mod node;
mod rebuild;
mod task;
mod view;

pub(crate) use batch::{Batch, Submission};
pub(crate) use evaluate::{evaluate, storage_of};
pub(crate) use expr::Expr;
pub(crate) use lineage::How;
pub(crate) use node::{Handle, Node, State, Storage};
pub(crate) use rebuild::rebuild;
pub(crate) use task::{Take, Task};
pub(crate) use view::{axis_last, broadcast, view};
