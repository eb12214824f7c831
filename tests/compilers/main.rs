//! Every case's kernels through compilers of others, without their hardware: other vendors' in Mesa's drivers, Microsoft's DXC for
//! HLSL, and Khronos' tools for SPIR-V.

mod dxc;
#[path = "../emulation/cases.rs"]
mod emulated_cases;
#[path = "../emulation/mod.rs"]
mod emulation;
mod fxc;
mod hlsl;
mod khronos;
mod metal;
mod refused;
#[path = "../support/mod.rs"]
mod support;
mod vendors;
