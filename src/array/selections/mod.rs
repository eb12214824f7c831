//! Elements by condition, by index, and by key.

pub(crate) mod gather;
pub(crate) mod keys;
pub(crate) mod runs;
pub(crate) mod segments;
pub(crate) mod select;
pub(crate) mod selected;

pub use gather::ArrayIndex;
pub use select::Selected;
