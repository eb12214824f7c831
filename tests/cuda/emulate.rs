//! The CUDA text on the processor: compiled by g++ with `emulation.hpp`, run in a process of its own over files.

use crate::emulation::{self, Launch, Window};
use crate::support::is_required;
use crosslane::cuda::{CudaOptions, CudaSource};
use crosslane::device::{Caps, tunable};
use crosslane::{ErrorKind, Kernel};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the emulated card has: an NVIDIA card's, through CUDA.
pub fn caps() -> Caps {
    Caps::nvidia_like().with(|caps| {
        (caps.binding_bytes, caps.workgroup_bytes) = (1 << 40, 99 << 10);
        caps.tuning.set(tunable("correlate_sliding").unwrap(), &[1]).expect("it may");
    })
}

/// The text is the same for all; the emulation says that it is the newest.
pub const OPTIONS: CudaOptions = CudaOptions::new(90);

/// `tests/cuda`.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda")
}

/// A kernel's own part of its text: the prelude is in the repository.
pub fn own(source: &CudaSource) -> &str {
    &source.text[source.text.find("\nnamespace kernel").unwrap_or(0)..]
}

/// A kernel's text, compiled.
pub struct Program {
    program: emulation::Program,
    workgroup_size: [u32; 3],
    dynamic_bytes: u32,
}

impl Program {
    /// Compiles the text of a kernel with so many bindings, and immediates or not.
    pub fn new(source: &CudaSource, bindings: usize, immediates: bool) -> Result<Program, String> {
        let mut arguments: Vec<String> =
            (0..bindings).map(|n| format!("launch.pointer({n}), launch.bytes({n})")).collect();
        if immediates {
            arguments.push("launch.immediates()".into());
        }
        let text = format!(
            "#include \"emulation.hpp\"\n#include \"native.hpp\"\n{}\n#include \"program.hpp\"
int main(int, char** arguments) {{
    program::Launch launch(arguments[1]);
    emulation::launch(launch.grid, launch.block, launch.dynamic_bytes, [&] {{ {}({}); }});
    return launch.finish();
}}\n",
            source.text,
            source.symbol,
            arguments.join(", ")
        );
        let program = emulation::Program::new(&text, &here(), &[])?;
        Ok(Program { program, workgroup_size: source.workgroup_size, dynamic_bytes: source.dynamic_bytes })
    }

    /// Runs it over buffers, in place.
    pub fn run(
        &self,
        grid: [u32; 3],
        buffers: &mut [Vec<u8>],
        windows: &[Window],
        immediates: &[u8],
    ) -> Result<(), String> {
        let (workgroup_size, dynamic_bytes) = (self.workgroup_size, self.dynamic_bytes);
        self.program.run(&Launch { kernel: 0, grid, workgroup_size, dynamic_bytes, windows, immediates }, buffers)
    }
}

/// Where NVRTC is, it takes the text too: for one architecture, each program for the next. `tests/cuda/compile.rs` says
/// where there is none, and takes its own kernels to all.
#[allow(dead_code, reason = "only the program `wgsl` uses it")]
fn compiles(kernel: &Kernel) -> Result<(), String> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let architecture = [75, 80, 90, 100][NEXT.fetch_add(1, Ordering::Relaxed) as usize % 4];
    let source = kernel.cuda(&CudaOptions::new(architecture)).map_err(|error| error.to_string())?;
    match source.compile() {
        Err(error) if matches!(error.kind(), ErrorKind::NoDevice { .. }) && !is_required("nvrtc") => Ok(()),
        result => result.map(drop).map_err(|error| format!("{error}\n{}", own(&source))),
    }
}

/// Runs a program's kernel over buffers of words; binding `n` of group 0 is buffer `n`.
#[allow(dead_code, reason = "only the program `wgsl` uses it")]
pub fn run_words(kernel: &Kernel, grid: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    let source = kernel.cuda(&OPTIONS).map_err(|error| error.to_string())?;
    compiles(kernel)?;
    let program = Program::new(&source, kernel.bindings().len(), kernel.param_words() > 0)
        .map_err(|error| format!("{error}\n{}", own(&source)))?;
    let mut bytes: Vec<Vec<u8>> = buffers.iter().map(|words| bytemuck::cast_slice(words).to_vec()).collect();
    let window = |binding: u32| {
        let buffer = binding as usize;
        Window { buffer, offset: 0, bytes: bytes[buffer].len() as u64 }
    };
    let windows: Vec<Window> = kernel.bindings().iter().map(|point| window(point.binding)).collect();
    program.run(grid, &mut bytes, &windows, &[]).map_err(|error| format!("{error}\n{}", own(&source)))?;
    Ok(bytes.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
}
