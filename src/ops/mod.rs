//! The operations: a file each, with meaning, cost and plan. They know no engine.

mod cells;
mod clear;
mod concatenate;
mod counted;
mod dense;
mod expression;
mod formula;
mod function;
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
mod searchsorted;
mod sort;
mod top_k;
mod windows;

use crate::tuning::Tunable;

/// All that may be done in several ways.
pub(crate) const TUNABLES: [&Tunable; 12] = [
    &reduce::UNROLL,
    &scan::SCAN,
    &scan::SELECT,
    &sort::KEYS,
    &sort::PAIRS,
    &sort::WIDE,
    &sort::MERGED,
    &histogram::COUNTERS,
    &matmul::MATMUL,
    &matmul::MATMUL_TENSOR,
    &TILE,
    &normalise::NORMALISE,
];

pub use concatenate::Concatenate;
pub use expression::{Expression, Leaf, Source, Step, What};
pub use formula::Formula;
pub(crate) use formula::Parts as FormulaParts;
pub use function::Function;
pub use gather::Gather;
pub use histogram::{Binning, Histogram, Rule};
pub(crate) use histogram::{compared, even_edges, thresholds};
pub use indexing::{Indexing, OutOfRange};
pub use map::Map;
pub(crate) use map::{NO_TILES, TILE, buffer_bytes};
pub use matmul::{Matmul, Precision};
pub use normalise::{Normalisation, Normalise};
pub use nothing::Nothing;
pub use nth::Nth;
pub use reduce::{Operator, Reduce};
pub use runs::Runs;
pub use scan::{ByKey, ScanOp};
pub use scatter::{Combine, Scatter};
pub use searchsorted::{SearchSorted, Side};
pub(crate) use sort::{MERGED, MERGED_BY_PROCESSORS};
pub use sort::{Payload, Sort};
pub use top_k::TopK;
pub(crate) use windows::Walk;
