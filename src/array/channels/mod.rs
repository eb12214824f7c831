//! Convolutions of neural networks: over channels, in batches, and their gradients.
//!
//! Each is a product of matrices whose one side is a view of windows, which are never stored: an implicit product, as in
//! Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning", 2014. Channels that have filters of their own are correlated.

mod depthwise;
mod forward;
mod gradients;
mod options;
mod phases;
mod windows;

pub use options::ConvOptions;
