//! WGSL to CUDA C++, by naga's intermediate representation.

use crate::error::Result;
use crate::kernel::Kernel;

/// How a kernel is translated to CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CudaOptions {
    /// Inexact but faster division, square roots and functions, denormals as zero. Off by default.
    pub fast_math: bool,
    /// Ten times the compute capability: 75, 80, 90, 100.
    pub architecture: u32,
}

/// A kernel as CUDA C++: complete, without includes.
#[derive(Clone, Debug)]
pub struct CudaSource {
    /// The text.
    pub text: String,
    /// The name of the `__global__` function.
    pub symbol: String,
    /// Threads of a block in each dimension.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of dynamic shared memory that a launch passes: 0 where workgroup memory is static.
    pub dynamic_bytes: u32,
    /// What it was translated with.
    pub options: CudaOptions,
}

impl Kernel {
    /// The kernel as CUDA C++. Needs neither a card nor CUDA.
    ///
    /// Errors: WGSL that has no CUDA form, with line and column.
    pub fn cuda(&self, options: &CudaOptions) -> Result<CudaSource> {
        let _ = options;
        todo!()
    }
}
