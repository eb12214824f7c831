//! Images: arrays of any rank, of which two axes are rows and columns.

mod pixel;
mod place;
mod resize;

pub use crate::ops::Resampling;
pub use pixel::Pixel;
pub use resize::ResizeOptions;
