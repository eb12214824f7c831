//! Images: arrays of any rank, of which two axes are rows and columns.

mod channels;
mod colour;
mod pixel;
mod place;
mod resize;
mod warp;

pub use crate::ops::Resampling;
pub use pixel::Pixel;
pub use resize::ResizeOptions;
pub use warp::WarpOptions;
