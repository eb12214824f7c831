//! The CUDA text on the processor: compiled by g++ with `emulation.hpp`, run in a process of its own over files.

use crate::support::{is_required, say};
use crosslane::cuda::{CudaOptions, CudaSource};
use crosslane::device::Caps;
use crosslane::{ErrorKind, Kernel};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest that one launch may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What the emulation's and the program's files need of the compiler. Kernels see memory through types of their own.
const FLAGS: [&str; 6] = ["-std=c++17", "-O1", "-w", "-pipe", "-fno-strict-aliasing", "-ffp-contract=off"];

/// Whether there is a g++; says so where there is none, and fails where it is required.
pub fn available() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let there = Command::new("g++").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
        assert!(there || !is_required("g++"), "CROSSLANE_REQUIRE names g++, and it cannot be run");
        if !there {
            say("THE CUDA TEXT IS NOT RUN: there is no g++ (apt install g++)");
        }
        there
    })
}

/// What the emulated card has: an NVIDIA card's, through CUDA.
pub fn caps() -> Caps {
    Caps::nvidia_like().with(|caps| {
        (caps.binding_bytes, caps.workgroup_bytes) = (1 << 40, 99 << 10);
        caps.tuning.set("correlate_sliding", &[1]).expect("it may");
    })
}

/// The text is the same for all; the emulation says that it is the newest.
pub const OPTIONS: CudaOptions = CudaOptions::new(90);

/// A part of a buffer that a kernel sees as one binding, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub buffer: usize,
    pub offset: u64,
    pub bytes: u64,
}

/// A kernel's text, compiled. Its folder is removed with it.
pub struct Program {
    folder: PathBuf,
    workgroup_size: [u32; 3],
    dynamic_bytes: u32,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn error(what: &str, error: impl std::fmt::Display) -> String {
    format!("{what}: {error}")
}

/// A folder that no other program has.
pub fn folder() -> Result<PathBuf, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("cuda-text-{}-{count}", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).map_err(|e| error("folder", e))?;
    Ok(path)
}

/// `tests/cuda`.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda")
}

/// Compiles a C++ file, with the emulation in reach.
pub fn compile(file: &Path, output: &Path) -> Result<(), String> {
    let result = Command::new("g++")
        .args(FLAGS)
        .arg("-I")
        .arg(here())
        .arg(file)
        .arg("-o")
        .arg(output)
        .output()
        .map_err(|e| error("g++", e))?;
    let text = String::from_utf8_lossy(&result.stderr);
    let head: String = text.lines().take(40).map(|line| format!("{line}\n")).collect();
    if result.status.success() { Ok(()) } else { Err(format!("g++ on {}:\n{head}", file.display())) }
}

/// Runs a program with a time limit.
pub fn execute(program: &Path, argument: &Path) -> Result<(), String> {
    let mut child = Command::new(program)
        .arg(argument)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| error("emulation", e))?;
    let started = Instant::now();
    let status: ExitStatus = loop {
        match child.try_wait().map_err(|e| error("emulation", e))? {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the emulation did not end within {} s", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    };
    let said = child.wait_with_output().map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    match status.success() {
        true => Ok(()),
        false => Err(format!("the emulation ended with {status}: {}", String::from_utf8_lossy(&said).trim())),
    }
}

/// A kernel's own part of its text: the prelude is in the repository.
pub fn own(source: &CudaSource) -> &str {
    &source.text[source.text.find("\nnamespace kernel").unwrap_or(0)..]
}

impl Program {
    /// Compiles the text of a kernel with so many bindings, and immediates or not.
    pub fn new(source: &CudaSource, bindings: usize, immediates: bool) -> Result<Program, String> {
        let program =
            Program { folder: folder()?, workgroup_size: source.workgroup_size, dynamic_bytes: source.dynamic_bytes };
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
        let file = program.folder.join("kernel.cpp");
        std::fs::write(&file, text).map_err(|e| error("kernel.cpp", e))?;
        compile(&file, &program.folder.join("kernel"))?;
        Ok(program)
    }

    /// Runs it over buffers, in place.
    pub fn run(
        &self,
        grid: [u32; 3],
        buffers: &mut [Vec<u8>],
        windows: &[Window],
        immediates: &[u8],
    ) -> Result<(), String> {
        let mut words: Vec<u64> = [grid, self.workgroup_size].concat().into_iter().map(u64::from).collect();
        words.extend([self.dynamic_bytes as u64, immediates.len() as u64, buffers.len() as u64, windows.len() as u64]);
        words.extend(buffers.iter().map(|buffer| buffer.len() as u64));
        words.extend(windows.iter().flat_map(|w| [w.buffer as u64, w.offset, w.bytes]));
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(immediates);
        buffers.iter().for_each(|buffer| bytes.extend(buffer));
        let file = self.folder.join("launch");
        std::fs::write(&file, bytes).map_err(|e| error("launch", e))?;
        execute(&self.folder.join("kernel"), &file)?;
        let bytes = std::fs::read(&file).map_err(|e| error("launch", e))?;
        let mut at = 0;
        for buffer in buffers {
            let len = buffer.len();
            buffer.copy_from_slice(bytes.get(at..at + len).ok_or("the emulation wrote too little")?);
            at += len;
        }
        Ok(())
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
