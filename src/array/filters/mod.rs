//! Filters: sums over windows by weights, and what is made of them.

mod convolve;
mod edges;
mod ranks;
mod smooth;

pub use convolve::ConvolveOptions;
