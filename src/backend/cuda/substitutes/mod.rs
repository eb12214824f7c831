//! Substitutes for a kernel's translation, selected by its contract: NVIDIA's library, or CUDA written by hand.

pub(super) mod cublaslt;
pub(super) mod natives;
mod reduce;
mod sort;
mod tensor;
