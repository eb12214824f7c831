//! Products of matrices and of tensors.

pub(crate) mod contract;
pub(crate) mod einsum;
pub(crate) mod kronecker;
pub(crate) mod matmul;

pub use einsum::einsum;
