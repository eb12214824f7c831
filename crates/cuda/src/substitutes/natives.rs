//! Natives: CUDA written by hand in place of a kernel's translation. A native takes the same arguments and grid as its kernel.

use super::{reduce, sort, tensor};
use crate::compile::CudaBinary;
use crate::text::{CudaOptions, CudaSource, translation};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::{Contract, Kernel};
use wgsl_to_cuda::Translation;

/// A text of `shaders/native/` that computes what a kernel does, with the same arguments and grid. To be compared, both
/// run more than once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Native {
    /// The file without its ending, and the name of the function in it.
    pub file: &'static str,
    /// Names and values for the preprocessor.
    pub defines: Vec<(String, String)>,
    /// Threads of a block.
    pub workgroup_size: [u32; 3],
    /// Whether it reads its own outputs: then each run that is measured finds zeros there, which must do no harm.
    pub reads_back: bool,
    /// Bytes of dynamic shared memory.
    pub dynamic_bytes: u32,
    /// Whether it stands behind the kernel's translation, whose functions it calls: `PARAMETERS` are what its kernel takes,
    /// `MODULE` makes the `module` that has them.
    pub behind_translation: bool,
    /// The only architecture that it runs on, whose own instructions it has.
    pub architecture: Option<u32>,
}

/// The texts by their names.
const FILES: [(&str, &str); 3] = [
    ("matmul_tensor", include_str!("../../shaders/native/matmul_tensor.cu")),
    ("reduce_rows", include_str!("../../shaders/native/reduce_rows.cu")),
    ("sort_scatter", include_str!("../../shaders/native/sort_scatter.cu")),
];

impl CudaSource {
    /// The CUDA text that may replace a kernel's translation, if there is one for this architecture.
    #[doc(hidden)]
    pub fn native(kernel: &Kernel, options: &CudaOptions) -> Option<CudaSource> {
        source(kernel, &native_for(kernel, options.architecture)?, *options).ok()
    }
}

/// A kernel's native, if there is one for its contract, and on this architecture.
pub(crate) fn native_for(kernel: &Kernel, architecture: u32) -> Option<Native> {
    let native = match kernel.contract()? {
        Contract::Contraction(product) => tensor::native(product, kernel.param_names()),
        Contract::SumOfRows(sum) => Some(reduce::native(sum)),
        Contract::SortByDigit(pass) => sort::native(pass),
        Contract::SortRows(_) | Contract::Transforms(_) | Contract::Correlation(_) => None,
    }?;
    native.architecture.is_none_or(|only| only == architecture).then_some(native)
}

/// The text with its definitions, as if it had been translated.
pub fn source(kernel: &Kernel, native: &Native, options: CudaOptions) -> Result<CudaSource> {
    let file = FILES.iter().find(|(name, _)| *name == native.file).expect("a native names one of FILES").1;
    let defines: String = native.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let before = if native.behind_translation { functions(&translation(kernel)?) } else { String::new() };
    let after = if native.behind_translation { "\n} // namespace kernel\n" } else { "" };
    Ok(CudaSource {
        text: format!("{before}{defines}#line 1\n{file}{after}"),
        symbol: native.file.into(),
        workgroup_size: native.workgroup_size,
        shared_bytes: 0,
        dynamic_bytes: native.dynamic_bytes,
        specific: native.architecture.is_some(),
        options,
    })
}

/// A translation without its kernel, within whose namespace it ends: what the kernel takes, and how it makes its `module`, are
/// macros. Workgroup memory is the native's own `memory`: the functions that it calls must not use any.
fn functions(translation: &Translation) -> String {
    let Translation { definitions, parameters, body, shared_bytes, .. } = translation;
    let workgroup = match shared_bytes {
        0 => "",
        _ => "Workgroup& workgroup = reinterpret_cast<Workgroup&>(memory); ",
    };
    format!(
        "{definitions}#define PARAMETERS {}\n#define MODULE {workgroup}{}\n",
        parameters.join(", "),
        body.module.join(" ")
    )
}

/// A native's compilation failed: which, and why.
pub(crate) fn compiled(source: &CudaSource) -> Result<CudaBinary> {
    source.compile().map_err(|error| match error.kind() {
        ErrorKind::Compile { device, message, .. } => Error::from(ErrorKind::Compile {
            kernel: format!("shaders/native/{}.cu", source.symbol),
            device: device.clone(),
            message: message.clone(),
            at: None,
        }),
        _ => error,
    })
}

/// Compiles what takes the place of any kernel with this contract, where NVRTC is, for the tests of natives.
#[cfg(test)]
pub(super) fn compile(native: &Native) -> Option<CudaBinary> {
    if crate::nvrtc::version().is_err() {
        println!("not run: no NVRTC");
        return None;
    }
    let any = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let options = CudaOptions { fast_math: false, architecture: 90 };
    Some(compiled(&source(&any, native, options).unwrap()).unwrap())
}
