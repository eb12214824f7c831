//! Natives: CUDA written by hand in place of a kernel's translation. A native takes the same arguments and grid as its kernel.

use super::compile::CudaBinary;
use super::translate::{CudaOptions, CudaSource};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{Kernel, Native};

/// The texts by their names.
const FILES: [(&str, &str); 3] = [
    ("matmul_tensor", include_str!("../../../shaders/native/matmul_tensor.cu")),
    ("reduce_rows", include_str!("../../../shaders/native/reduce_rows.cu")),
    ("sort_scatter", include_str!("../../../shaders/native/sort_scatter.cu")),
];

impl Kernel {
    /// The CUDA text that may run in the place of this kernel's translation, where somebody has written one for this
    /// architecture.
    pub fn cuda_native(&self, options: &CudaOptions) -> Option<CudaSource> {
        source(self, native_for(self, options.architecture)?, *options).ok()
    }
}

/// A kernel's native, if it runs on this architecture.
pub(super) fn native_for(kernel: &Kernel, architecture: u32) -> Option<&Native> {
    kernel.native().filter(|native| native.architecture.is_none_or(|only| only == architecture))
}

/// The text with its definitions, as if it had been translated.
pub(super) fn source(kernel: &Kernel, native: &Native, options: CudaOptions) -> Result<CudaSource> {
    let file = FILES.iter().find(|(name, _)| *name == native.file).expect("a native names one of FILES").1;
    let defines: String = native.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let before = if native.behind_translation { functions(&kernel.cuda(&options)?) } else { String::new() };
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

/// A translation without its kernel, within whose namespace it ends: what the kernel takes, and how it makes a `Module`, are
/// macros. Workgroup memory is the native's own `memory`: the functions that it calls must not use any.
fn functions(translation: &CudaSource) -> String {
    let (before, kernel) = translation.text.split_once("extern \"C\" __global__").expect("a translation has a kernel");
    let between = |start: &str, end: &str| {
        let rest = &kernel[kernel.find(start).expect("kernels have it") + start.len()..];
        rest[..rest.find(end).expect("it ends")].replace('\n', " ")
    };
    let parameters = between(&format!("{}(", translation.symbol), "\n) {");
    let module = between("Module module", ";").replace("workgroup", "reinterpret_cast<Workgroup&>(memory)");
    format!("{before}#define PARAMETERS {parameters}\n#define MODULE Module module{module}\n")
}

/// A native's compilation failed: which, and why.
pub(super) fn compiled(source: &CudaSource) -> Result<CudaBinary> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a native that does not stand behind its kernel's translation does not look at.
    fn any() -> Kernel {
        Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap()
    }

    /// Where NVRTC is: the sort's native compiles for each kind of keys and values, and keeps them in registers.
    #[test]
    fn sorts_compile() {
        if super::super::library::nvrtc().is_err() {
            println!("not run: no NVRTC");
            return;
        }
        for (kind, values, threads, items, blocks) in [(0, 0, 256, 32, 3), (1, 1, 256, 24, 2), (2, 2, 256, 24, 2)] {
            let tile = threads * items;
            let defines = [("WORKGROUP", threads), ("ITEMS", items), ("TILE", tile), ("BLOCKS", blocks)].into_iter();
            let defines = defines.chain([("PREFIX", tile + 2), ("SPINS", 64), ("KIND", kind), ("FLIP", 0)]);
            let defines = defines.chain([("LAST", u32::MAX), ("STORE_KEYS", 1), ("VALUES", values)]);
            let defines = defines.map(|(name, value)| (name.to_string(), format!("{value}u"))).collect();
            let workgroup_size = [threads, 1, 1];
            let native = Native { file: "sort_scatter", defines, workgroup_size, ..Native::default() };
            let options = CudaOptions { fast_math: false, architecture: 90 };
            let made = compiled(&source(&any(), &native, options).unwrap()).unwrap();
            assert!(made.spill_bytes == 0, "{}", made.log);
        }
    }

    /// Where NVRTC is: the sum's native compiles for rows and for one row, results and states.
    #[test]
    fn natives_compile() {
        if super::super::library::nvrtc().is_err() {
            println!("not run: no NVRTC");
            return;
        }
        for (strided, last) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let defines = [("WORKGROUP", 256), ("UNROLL", 8), ("STRIDED", strided), ("LAST", last)];
            let defines = defines.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
            let native = Native { file: "reduce_rows", defines, workgroup_size: [256, 1, 1], ..Native::default() };
            let options = CudaOptions { fast_math: false, architecture: 90 };
            let made = compiled(&source(&any(), &native, options).unwrap()).unwrap();
            assert!(made.spill_bytes == 0 && made.registers <= 64, "{}", made.log);
        }
    }
}
