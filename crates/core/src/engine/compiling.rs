//! Kernels before they run: compilation, and what a compiler says of them.

use crate::error::Result;
use crate::kernel::Kernel;
use crate::occupancy::Occupancy;

/// Compilation apart from launches.
pub trait Compiling {
    /// Compiles the kernel, unless a compiled one is kept. Gives what the compiler says of it, by the compiler's own names;
    /// nothing where the API tells nothing.
    fn compile(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>>;
    /// What the engine knows of how much of the device the kernel's workgroups fill.
    fn occupancy(&self, _kernel: &Kernel) -> Result<Option<Occupancy>> {
        Ok(None)
    }
}
