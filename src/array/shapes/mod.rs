//! Shapes: views, slices, assignment, joining and repeating.

pub(crate) mod assign;
pub(crate) mod axes;
pub(crate) mod concatenate;
pub(crate) mod diagonal;
pub(crate) mod extent;
pub(crate) mod pad;
pub(crate) mod places;
pub(crate) mod repeat;
pub(crate) mod slice;
pub(crate) mod stacks;
pub(crate) mod tile;
pub(crate) mod turn;
pub(crate) mod view;

pub use assign::ViewMut;
pub use axes::{Axes, axes};
pub use extent::Extent;
pub use pad::PadMode;
pub use slice::Slice;
