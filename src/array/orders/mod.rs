//! Sorting, and its relatives: the first few elements, the n-th, quantiles, distinct values, positions in sorted
//! arrays.

mod digits;
pub(crate) mod interp;
mod joined;
pub(crate) mod lexsort;
mod long;
pub(crate) mod nan_quantile;
pub(crate) mod nth;
pub(crate) mod partition;
pub(crate) mod quantile;
pub(crate) mod searchsorted;
pub(crate) mod sets;
pub(crate) mod sort;
pub(crate) mod top_k;
pub(crate) mod unique;

pub use lexsort::{SortKey, lexsort, lexsort_as};
pub use quantile::{Interpolation, QuantileOptions};
pub use sort::SortOptions;
pub use top_k::TopKOptions;
pub use unique::Unique;
