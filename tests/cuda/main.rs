//! The CUDA text of kernels without a card: NVRTC compiles it for every architecture, and under g++ it runs and agrees
//! with the operations' definitions and with the cpu engine. The program `wgsl` runs WGSL's tables through it too.

#[path = "../emulation/cases.rs"]
mod emulated_cases;
#[path = "../emulation/mod.rs"]
mod emulation;
#[path = "../support/mod.rs"]
mod support;

mod compile;
mod corpus;
mod driver;
mod emulate;
mod library;
mod prelude;
