//! The interface between operations and engines: operations ([`Op`]), the plans that engines run ([`Plan`]), and the
//! elementwise expressions that operations fuse ([`Expression`]). All of it is plain data.

pub use crate::element::Scalar;
pub use crosslane_core::kernel::{Kernel, draft::KernelDraft};
pub use crosslane_core::op::{
    Binding, Case, Expression, ExpressionStep, Fill, Formula, Function, Grid, Host, Identify, Leaf, LeafSource, Op,
    Param, Pass, Plan, Reach, ScalarWord, Slot, StepKind, Value, Values, Vary,
};
