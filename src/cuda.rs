//! CUDA: a kernel's text as CUDA C++, and its machine code.

pub use crosslane_cuda::{CudaBinary, CudaOptions, CudaSource};

use crate::error::Result;
use crate::kernel::Kernel;

impl Kernel {
    /// The kernel as CUDA C++. Needs neither a card nor CUDA.
    ///
    /// As on every device, indices are clamped, integer division is guarded and workgroup memory begins as zeros,
    /// unless the kernel is [`Kernel::trusted`].
    ///
    /// ```
    /// use crosslane::Kernel;
    /// use crosslane::cuda::CudaOptions;
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<f32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&y) { y[id.x] = 2.0 * x[id.x]; }
    ///     }
    /// ")?;
    /// let cuda = kernel.cuda(&CudaOptions::new(90))?;
    /// assert_eq!((cuda.symbol.as_str(), cuda.workgroup_size), ("main_kernel", [64, 1, 1]));
    /// assert!(cuda.text.contains("const f32* __restrict__ x, u64 x_bytes"));
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: WGSL that has no CUDA form, with line and column.
    pub fn cuda(&self, options: &CudaOptions) -> Result<CudaSource> {
        CudaSource::translated(self, options)
    }

    /// The CUDA text that may replace this kernel's translation, if there is one for this architecture.
    pub fn cuda_native(&self, options: &CudaOptions) -> Option<CudaSource> {
        CudaSource::native(self, options)
    }
}
