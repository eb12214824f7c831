//! The operations: a file each, with meaning, cost and plan. They know no engine.

mod expression;
mod formula;
mod function;
mod fuse;
mod map;
mod nothing;
mod reduce;
mod sort;
mod windows;

pub use expression::{Expression, Leaf, Source, Step, What};
pub use formula::Formula;
pub(crate) use formula::Parts as FormulaParts;
pub use function::Function;
pub use map::Map;
pub(crate) use map::buffer_bytes;
pub use nothing::Nothing;
pub use reduce::{Operator, Reduce};
pub use sort::{Payload, Sort};
