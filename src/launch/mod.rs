//! Launches of a program's own kernels: arguments, checked against the kernel's reflection; and recordings, which can
//! be changed and run again.

mod argument;
mod call;
mod change;
#[cfg(feature = "wgpu")]
mod encode;
#[cfg(feature = "cuda")]
mod foreign;
mod launcher;
mod prepared;
mod recording;
mod tail;

pub use argument::{Argument, Arguments};
pub use launcher::Launcher;
pub use recording::Recording;
