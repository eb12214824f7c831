//! The interface between operations and engines: operations ([`Op`]), the plans that engines run ([`Plan`]), and the
//! elementwise expressions that operations fuse ([`Expression`]). All of it is plain data.

mod case;
mod check;
mod expression;
mod formula;
mod function;
mod host;
mod plan;
mod slot;
mod values;
mod windows;

pub use crate::element::Scalar;
pub use crate::kernel::draft::KernelDraft;
pub use case::{Case, Fill};
pub use expression::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};
pub use formula::Formula;
pub use formula::{Kind, Parameter, Shared, Text, parameters, refers};
pub use function::Function;
pub use host::{Host, Value};
pub use plan::{Binding, Grid, Identify, Op, Pass, Plan};
pub use slot::Slot;
pub use values::{Named, named, scalars, start};
pub use values::{Param, Reach, ScalarWord, Values, Vary};
pub use windows::{Space, WINDOW, Walk};
