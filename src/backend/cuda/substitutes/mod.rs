//! What runs in the place of a kernel's translation, going by its contract: NVIDIA's library, or CUDA written by hand.

pub(super) mod cublaslt;
pub(super) mod natives;
mod reduce;
mod sort;
mod tensor;
