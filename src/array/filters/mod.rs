//! Filters: sums over windows by weights, and what is made of them; what is made of the neighbours of each value.

mod canny;
mod convolve;
mod distance;
mod edges;
mod footprint;
mod gaussian;
mod labels;
mod local;
mod morphology;
mod neighbours;
mod per_axis;
mod pooling;
mod ranks;
mod rolling;
mod smooth;
mod threshold;

pub use convolve::ConvolveOptions;
pub use footprint::Footprint;
pub use gaussian::Gaussian;
pub use per_axis::{PerAxis, Sizes};
