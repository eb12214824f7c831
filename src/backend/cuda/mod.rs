//! The engine for NVIDIA cards: the same WGSL as native CUDA kernels.

pub(crate) mod translate;
