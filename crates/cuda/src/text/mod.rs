//! A kernel's text as CUDA C++.

#[cfg(test)]
mod tests;

use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::{Access, BindPoint, Kernel, guarded};
use naga::Span;
use wgsl_to_cuda::{Binding, Input, Refused, Translation, translate};

/// How a kernel is translated to CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CudaOptions {
    /// Inexact but faster division, square roots and functions, denormals as zero. Off by default.
    pub fast_math: bool,
    /// Ten times the compute capability: 75, 80, 90, 100.
    pub architecture: u32,
}

impl CudaOptions {
    /// For ten times this compute capability, and exact.
    pub const fn new(architecture: u32) -> CudaOptions {
        CudaOptions { fast_math: false, architecture }
    }

    /// Whether division, square roots and functions are faster and inexact, and denormals zero.
    pub const fn fast_math(self, fast: bool) -> CudaOptions {
        CudaOptions { fast_math: fast, ..self }
    }
}

/// A kernel as CUDA C++: complete, without includes.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// Whether it uses what only this architecture has: it is compiled for `sm_90a`, not `sm_90`.
    pub specific: bool,
    /// The options of its translation.
    pub options: CudaOptions,
}

impl CudaSource {
    /// A kernel as CUDA C++.
    ///
    /// Errors: WGSL that has no CUDA form, with line and column.
    #[doc(hidden)]
    pub fn translated(kernel: &Kernel, options: &CudaOptions) -> Result<CudaSource> {
        Ok(source(&translation(kernel)?, *options))
    }
}

/// A kernel as CUDA C++, in parts.
pub(crate) fn translation(kernel: &Kernel) -> Result<Translation> {
    let refuse = |message: String| -> Error {
        let (kernel, device) = (kernel.name().to_string(), "the cuda engine".to_string());
        ErrorKind::Compile { kernel, device, message, at: None }.into()
    };
    let text = || guarded(|| translated(kernel, &refuse)).unwrap_or_else(|message| Err(refuse(message)));
    kernel.on_its_stack(text)
}

fn translated(kernel: &Kernel, refuse: &dyn Fn(String) -> Error) -> Result<Translation> {
    let parsed = kernel.parsed()?;
    let found = parsed.module.entry_points.iter().position(|entry| entry.name == kernel.entry());
    let index = found.ok_or_else(|| refuse(format!("it has no compute entry point `{}`", kernel.entry())))?;
    let binding = |point: &BindPoint| Binding {
        group: point.group,
        binding: point.binding,
        is_read_only: point.access == Access::Read,
    };
    let bindings: Vec<Binding> = kernel.bindings().iter().map(binding).collect();
    let input = Input {
        name: kernel.name(),
        module: &parsed.module,
        info: &parsed.info,
        entry: index,
        bindings: &bindings,
        words: kernel.param_words(),
        checked: !kernel.is_trusted(),
    };
    translate(&input).map_err(|Refused { message, span }| match span {
        None | Some(Span::UNDEFINED) => refuse(message),
        Some(span) => {
            let place = span.location(kernel.source());
            refuse(format!("line {}, column {}: {message}", place.line_number, place.line_position))
        }
    })
}

/// A translation with what its launch needs.
fn source(translation: &Translation, options: CudaOptions) -> CudaSource {
    CudaSource {
        text: translation.text(),
        symbol: translation.symbol.clone(),
        workgroup_size: translation.workgroup_size,
        shared_bytes: translation.shared_bytes,
        dynamic_bytes: translation.dynamic_bytes(),
        specific: false,
        options,
    }
}
