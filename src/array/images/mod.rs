//! Images: arrays of any rank, of which two axes are rows and columns.

mod channels;
mod colour;
mod colour_map;
mod equalise;
mod lab;
mod pixel;
mod place;
mod remap;
mod resize;
mod tables;
mod tone;
mod warp;

pub use colour_map::ColourMap;
pub use crosslane_ops::Resampling;
pub use pixel::Pixel;
pub use remap::WarpOptions;
pub use resize::ResizeOptions;
