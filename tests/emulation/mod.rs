//! Kernels' text of another language on the processor: g++ compiles it with headers that stand for the language, and it runs in a
//! process of its own over files. `fibers.hpp` is the workgroup, `program.hpp` the launch.

use crate::support::{is_required, say};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest that one launch may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What these files need of the compiler. Kernels see memory through types of their own. They run for milliseconds: optimised
/// they take twice as long to compile.
const FLAGS: [&str; 6] = ["-std=c++17", "-O0", "-w", "-pipe", "-fno-strict-aliasing", "-ffp-contract=off"];

/// Whether there is a g++; says so where there is none, and fails where it is required.
pub fn available() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let there = Command::new("g++").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
        assert!(there || !is_required("g++"), "CROSSLANE_REQUIRE names g++, and it cannot be run");
        if !there {
            say("NO KERNEL'S TEXT IS RUN: there is no g++ (apt install g++)");
        }
        there
    })
}

/// A part of a buffer that a kernel sees as one binding, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub buffer: usize,
    pub offset: u64,
    pub bytes: u64,
}

/// One launch of one of a program's kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Launch<'a> {
    pub kernel: usize,
    pub grid: [u32; 3],
    pub workgroup_size: [u32; 3],
    pub dynamic_bytes: u32,
    pub windows: &'a [Window],
    pub immediates: &'a [u8],
}

impl Launch<'_> {
    /// As `program::Launch` reads it.
    fn file(&self, buffers: &[Vec<u8>]) -> Vec<u8> {
        let sizes = [self.grid, self.workgroup_size].concat();
        let mut words: Vec<u64> = [self.kernel as u64].into_iter().chain(sizes.into_iter().map(u64::from)).collect();
        words.extend([u64::from(self.dynamic_bytes), self.immediates.len() as u64]);
        words.extend([buffers.len() as u64, self.windows.len() as u64]);
        words.extend(buffers.iter().map(|buffer| buffer.len() as u64));
        words.extend(self.windows.iter().flat_map(|w| [w.buffer as u64, w.offset, w.bytes]));
        let head = words.iter().flat_map(|word| word.to_le_bytes());
        head.chain(self.immediates.iter().copied()).chain(buffers.iter().flatten().copied()).collect()
    }
}

/// Kernels' text, compiled. Its folder is removed with it.
pub struct Program {
    folder: PathBuf,
    launches: AtomicU64,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Program {
    /// Compiles a C++ text whose `main` runs the launch in the file that its argument names.
    pub fn new(text: &str, headers: &Path, flags: &[&str]) -> Result<Program, String> {
        let program = Program { folder: folder()?, launches: AtomicU64::new(0) };
        let file = program.folder.join("kernel.cpp");
        std::fs::write(&file, text).map_err(|e| error("kernel.cpp", e))?;
        compile(&file, &program.folder.join("kernel"), headers, flags)?;
        Ok(program)
    }

    /// Runs a kernel over buffers, in place. Several threads may, each over its own.
    pub fn run(&self, launch: &Launch, buffers: &mut [Vec<u8>]) -> Result<(), String> {
        let file = self.folder.join(format!("launch{}", self.launches.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&file, launch.file(buffers)).map_err(|e| error("launch", e))?;
        execute(&self.folder.join("kernel"), &file)?;
        let bytes = std::fs::read(&file).map_err(|e| error("launch", e))?;
        let _ = std::fs::remove_file(&file);
        let mut rest = &bytes[..];
        for buffer in buffers {
            let (own, others) = rest.split_at_checked(buffer.len()).ok_or("the emulation wrote too little")?;
            buffer.copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }
}

fn error(what: &str, error: impl std::fmt::Display) -> String {
    format!("{what}: {error}")
}

/// A folder that no other program has.
pub fn folder() -> Result<PathBuf, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("emulation-{}-{count}", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).map_err(|e| error("folder", e))?;
    Ok(path)
}

/// Compiles a C++ file. The emulation's headers are in reach, and so are those of a folder.
pub fn compile(file: &Path, output: &Path, headers: &Path, flags: &[&str]) -> Result<(), String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("emulation");
    let mut command = Command::new("g++");
    command.args(FLAGS).args(flags).arg("-I").arg(headers).arg("-I").arg(own).arg(file).arg("-o").arg(output);
    let result = command.output().map_err(|e| error("g++", e))?;
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
