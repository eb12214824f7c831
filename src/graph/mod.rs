//! The lazy graph: what arrays are made of ([`Node`]), operations with kernels of their own ([`Task`]), and their evaluation:
//! a [`Batch`] is planned in private, submitted at once, and published.

mod batch;
mod evaluate;
mod flatten;
mod node;
mod task;
mod view;

pub(crate) use batch::{Batch, Submission};
pub(crate) use evaluate::{evaluate, storage_of};
pub(crate) use node::{Expr, Handle, Node, State, Storage};
pub(crate) use task::{Take, Task};
pub(crate) use view::{axis_last, broadcast, view};
