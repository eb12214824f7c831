//! The operations: a file each, with meaning, cost and plan. They know no engine.

mod clear;
mod expression;
mod formula;
mod function;
mod fuse;
mod gather;
mod histogram;
mod indexing;
mod map;
mod nothing;
mod reduce;
mod runs;
mod scan;
mod scatter;
mod searchsorted;
mod sort;
mod windows;

pub use expression::{Expression, Leaf, Source, Step, What};
pub use formula::Formula;
pub(crate) use formula::Parts as FormulaParts;
pub use function::Function;
pub use gather::Gather;
pub use histogram::{Binning, Histogram, Rule};
pub(crate) use histogram::{compared, even_edges, thresholds};
pub use indexing::{Indexing, OutOfRange};
pub use map::Map;
pub(crate) use map::buffer_bytes;
pub use nothing::Nothing;
pub use reduce::{Operator, Reduce};
pub use runs::Runs;
pub use scan::ScanOp;
pub use scatter::{Combine, Scatter};
pub use searchsorted::{SearchSorted, Side};
pub use sort::{Payload, Sort};
