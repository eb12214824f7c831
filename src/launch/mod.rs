//! Launches of a program's own kernels: their arguments, checked against what the kernel says it wants, and what was
//! launched recorded, changed and run again.

mod argument;
mod call;
mod change;
#[cfg(feature = "wgpu")]
mod encode;
#[cfg(feature = "cuda")]
mod foreign;
mod launcher;
mod recording;
mod tail;

pub use argument::{Argument, Arguments};
pub use launcher::Launcher;
pub use recording::Recording;
