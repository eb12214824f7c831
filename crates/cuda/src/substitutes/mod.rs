//! Substitutes for a kernel's translation, selected by its contract: NVIDIA's library, or CUDA written by hand.

mod convolution;
mod cublaslt;
mod cudnn;
pub(super) mod library;
pub(super) mod natives;
mod reduce;
mod sort;
mod tensor;
