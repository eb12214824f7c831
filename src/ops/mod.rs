//! The operations: a file each, with meaning, cost and plan. They know no engine.

#[cfg(feature = "cases")]
pub mod cases;
mod cells;
mod clear;
mod concatenate;
mod counted;
mod dense;
mod fuse;
mod gather;
mod histogram;
mod indexing;
mod lanes;
mod map;
mod matmul;
mod normalise;
mod nothing;
mod nth;
mod order;
mod reduce;
mod runs;
mod scan;
mod scatter;
pub(crate) mod searchsorted;
mod sort;
mod top_k;
mod tunables;

pub use concatenate::Concatenate;
pub use gather::Gather;
pub use histogram::{Binning, Histogram, Rule};
pub(crate) use histogram::{compared, even_edges, thresholds};
pub use indexing::{Indexing, OutOfRange};
pub use map::Map;
pub(crate) use map::buffer_bytes;
pub use matmul::{Matmul, Precision};
pub use normalise::{Normalisation, Normalise};
pub use nothing::EmptyKernel;
pub use nth::Nth;
pub use reduce::{Operator, Reduce};
pub use runs::Runs;
pub use scan::{ByKey, PrefixScan, Select};
pub use scatter::{Combine, Scatter};
pub use searchsorted::SearchSorted;
pub use sort::{Payload, Sort};
pub use top_k::TopK;
