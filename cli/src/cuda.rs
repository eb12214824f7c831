//! A kernel as CUDA text, and its compilation by NVRTC.

use super::{Outcome, told};
use crosslane::cuda::{CudaOptions, CudaSource};
use crosslane::{ErrorKind, Kernel};

/// `sm_90` or `90`.
pub fn architecture(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("sm_").unwrap_or(text);
    digits.parse().map_err(|_| format!("wanted an architecture, as sm_90, got {text:?}"))
}

pub fn source(kernel: &Kernel, options: CudaOptions) -> Outcome<CudaSource> {
    Ok(kernel.cuda(&options).map_err(told)?)
}

/// The result of the compilation in a line, with run-time checks and without; or the reason why there is none.
pub fn figures(kernel: &Kernel, architecture: Option<u32>) -> String {
    let mut options = CudaOptions::here();
    options.architecture = architecture.unwrap_or(options.architecture);
    // SAFETY: it is only compiled.
    let trusted = unsafe { kernel.trusted() };
    let (checked, trusted) = match (source(kernel, options), source(&trusted, options)) {
        (Ok(checked), Ok(trusted)) => (checked, trusted),
        // What has no text with checks may have one without, and the other way round never.
        (Err(error), _) | (_, Err(error)) => return error.to_string().trim().into(),
    };
    let text = format!("ok, {} bytes", checked.text.len());
    match (compiled(&checked), compiled(&trusted)) {
        (Ok(with), Ok(without)) => {
            format!("{text}; sm_{}: {with}; without checks: {without}", options.architecture)
        }
        (Err(error), _) | (_, Err(error)) => format!("{text}; not compiled: {error}"),
    }
}

/// What NVRTC says of a text.
fn compiled(source: &CudaSource) -> Outcome<String> {
    match source.compile() {
        Ok(binary) if binary.ptx => Ok("PTX, for the driver to compile".into()),
        Ok(binary) => Ok(format!(
            "{} registers, {} bytes of shared memory, {} bytes spilled",
            binary.registers,
            binary.shared_bytes + source.dynamic_bytes,
            binary.spill_bytes
        )),
        Err(error) => Err(match error.kind() {
            // Without the list of places: most machines have none, and the rest of the report is what is wanted.
            ErrorKind::NoDevice { looked, .. } => looked.split(": looked").next().unwrap_or_default().into(),
            _ => told(error).trim().into(),
        }),
    }
}
