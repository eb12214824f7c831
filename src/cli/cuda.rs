//! A kernel as CUDA text, and what NVRTC makes of it.

use super::{Outcome, told};
use crosslane::{CudaOptions, CudaSource, ErrorKind, Kernel};

/// `sm_90` or `90`.
pub fn architecture(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("sm_").unwrap_or(text);
    digits.parse().map_err(|_| format!("wanted an architecture, as sm_90, got {text:?}"))
}

pub fn source(kernel: &Kernel, options: CudaOptions) -> Outcome<CudaSource> {
    Ok(kernel.cuda(&options).map_err(told)?)
}

/// What the text becomes, in a line; or why there is none.
pub fn figures(kernel: &Kernel, architecture: Option<u32>) -> String {
    let mut options = CudaOptions::here();
    options.architecture = architecture.unwrap_or(options.architecture);
    let source = match source(kernel, options) {
        Ok(source) => source,
        Err(error) => return error.to_string().trim().into(),
    };
    let text = format!("ok, {} bytes", source.text.len());
    match source.compile() {
        Ok(binary) if binary.ptx => format!("{text}; sm_{} by way of PTX: no figures", options.architecture),
        Ok(binary) => format!(
            "{text}; sm_{}: {} registers, {} bytes of shared memory, {} bytes spilled",
            options.architecture,
            binary.registers,
            binary.shared_bytes + source.dynamic_bytes,
            binary.spill_bytes
        ),
        Err(error) => match error.kind() {
            ErrorKind::NoDevice { looked, .. } => format!("{text}; not compiled: {looked}"),
            _ => format!("{text}; not compiled: {}", told(error).trim()),
        },
    }
}
