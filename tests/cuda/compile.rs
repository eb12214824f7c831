//! NVRTC compiles the text of every kernel for every architecture. It needs no card.

use crate::support::{is_required, say};
use crate::{corpus, library};
use crosslane::{CudaOptions, Kernel};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Ten times the compute capability: Turing, the last before it does async copies, Hopper, Blackwell.
const ARCHITECTURES: [u32; 4] = [75, 80, 90, 100];

/// Whether there is an NVRTC; says so where there is none, and fails where it is required.
fn available() -> bool {
    let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let source = kernel.cuda(&CudaOptions { fast_math: false, architecture: 90 }).unwrap();
    match source.compile() {
        Ok(_) => true,
        Err(error) => {
            assert!(!is_required("nvrtc"), "CROSSLANE_REQUIRE names nvrtc: {error}");
            say(&format!("NO CUDA TEXT IS COMPILED: {error}"));
            false
        }
    }
}

/// The programs of `tests/wgsl/clean` and `faulty`, and the benchmark's.
fn programs() -> Vec<(String, Kernel)> {
    let mut all = vec![];
    for folder in ["tests/wgsl/clean", "tests/wgsl/faulty", "benches"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "wgsl")) {
            let name = file.display().to_string();
            let kernel =
                Kernel::wgsl(&std::fs::read_to_string(&file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
            if folder != "tests/wgsl/faulty" {
                // SAFETY: it is only compiled.
                all.push((format!("{name} without checks"), unsafe { kernel.unchecked() }));
            }
            all.push((name, kernel));
        }
    }
    all
}

/// Compiles all kernels for all architectures, on every core; gives what failed.
fn compile_all(kernels: &[(String, Kernel)]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(vec![]);
    let work = || {
        while let Some((name, kernel)) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            for architecture in ARCHITECTURES {
                let options = CudaOptions { fast_math: false, architecture };
                let native = kernel.cuda_native(&options).map_or(Ok(()), |native| native.compile().map(drop));
                let translated = kernel.cuda(&options).and_then(|source| source.compile());
                if let Err(error) = native.and(translated) {
                    wrong.lock().unwrap().push(format!("{name} for sm_{architecture}: {error}"));
                    break;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores).for_each(|_| drop(scope.spawn(work)));
    });
    wrong.into_inner().unwrap()
}

#[test]
fn every_kernel_for_every_architecture() {
    if !available() {
        return;
    }
    let (library, corpus, programs) = (library::kernels(), corpus::kernels(), programs());
    let started = Instant::now();
    let counts =
        format!("{} of the library, {} of the corpus, {} programs", library.len(), corpus.len(), programs.len());
    let wrong = compile_all(&[library, corpus, programs].concat());
    assert!(wrong.is_empty(), "{} kernels do not compile:\n{}", wrong.len(), wrong.join("\n"));
    let seconds = started.elapsed().as_secs();
    say(&format!("NVRTC compiled {counts} for {} architectures in {seconds} s", ARCHITECTURES.len()));
}
