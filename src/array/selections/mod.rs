//! Elements by condition, by index, and by key.

pub(crate) mod gather;
mod gather_windows;
pub(crate) mod group_by;
pub(crate) mod keys;
pub(crate) mod put_where;
pub(crate) mod runs;
mod scatter_windows;
pub(crate) mod segments;
pub(crate) mod select;
pub(crate) mod selected;
pub(crate) mod selected_windows;
mod wide_indices;

pub use group_by::GroupBy;
pub use select::Selected;
