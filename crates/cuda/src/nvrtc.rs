//! NVIDIA's run-time compiler: its library, found when the program runs by the names of its releases, and its functions.
//!
//! cudarc has its own list of names, and of Windows' files only that of one CUDA: `nvrtc64_120_0.dll` is missing there.

use super::library::{missing, no_device};
use crosslane_core::error::Result;
use cudarc::nvrtc::sys::{nvrtcProgram, nvrtcResult};
use libloading::Library;
use std::ffi::{c_char, c_int};
use std::sync::OnceLock;

/// The library's files, in the order of looking. A file's name has the first CUDA that its functions are compatible with: 12.9's
/// file is that of 12.0.
const NAMES: &[&str] = if cfg!(windows) { &WINDOWS } else { &LINUX };
const LINUX: [&str; 4] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
/// Windows has no file without a version.
const WINDOWS: [&str; 3] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

macro_rules! functions {
    ($($name:ident($($kind:ty),*);)*) => {
        /// What the engine calls in the compiler.
        #[expect(non_snake_case, reason = "the library's names")]
        pub(super) struct Functions {
            $(pub $name: unsafe extern "C" fn($($kind),*) -> nvrtcResult,)*
        }

        impl Functions {
            /// The functions of a library, or the name of one that it lacks.
            ///
            /// # Safety
            ///
            /// The library must be NVRTC, and stay loaded.
            unsafe fn of(library: &Library) -> std::result::Result<Functions, &'static str> {
                // SAFETY: NVRTC's functions have these types since 11.2.
                Ok(Functions { $($name: *unsafe { library.get(stringify!($name)) }.map_err(|_| stringify!($name))?,)* })
            }
        }
    };
}

functions! {
    nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    nvrtcCreateProgram(*mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    nvrtcDestroyProgram(*mut nvrtcProgram);
    nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
    nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    nvrtcGetNumSupportedArchs(*mut c_int);
    nvrtcGetPTX(nvrtcProgram, *mut c_char);
    nvrtcGetPTXSize(nvrtcProgram, *mut usize);
    nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
    nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    nvrtcGetSupportedArchs(*mut c_int);
    nvrtcVersion(*mut c_int, *mut c_int);
}

/// The compiler, for as long as the process lives.
struct Nvrtc {
    functions: Functions,
    version: (u32, u32),
    /// The functions are in it.
    _library: Library,
}

/// The compiler's functions, loading it the first time.
///
/// Errors: it is not there, or too old.
pub(super) fn functions() -> Result<&'static Functions> {
    loaded().map(|nvrtc| &nvrtc.functions)
}

/// The compiler's version, loading it the first time.
///
/// Errors: it is not there, or too old.
pub(super) fn version() -> Result<(u32, u32)> {
    loaded().map(|nvrtc| nvrtc.version)
}

fn loaded() -> Result<&'static Nvrtc> {
    static LOADED: OnceLock<Result<Nvrtc>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Nvrtc> {
    // SAFETY: loading runs the initialisers of NVIDIA's library, which have no requirements.
    let found = NAMES.iter().find_map(|name| Some((name, unsafe { Library::new(*name) }.ok()?)));
    let Some((name, library)) = found else {
        let variable = super::library::variable();
        let install = format!(
            "Install NVRTC, a part of the CUDA toolkit (or `pip install nvidia-cuda-nvrtc`), and name its folder in {variable}"
        );
        return Err(missing(NAMES[0], "the run-time compiler", NAMES, &install));
    };
    // Its handlers are new: the end of the process waits before they run.
    crosslane_core::threads::watch_the_end();
    // SAFETY: a file of NVRTC's name is NVRTC, and the library is kept beside its functions.
    let functions = unsafe { Functions::of(&library) }.map_err(|lacks| {
        no_device(format!("{name} is there, but has no {lacks}: it is older than CUDA 11.2"), "Install a newer NVRTC")
    })?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the pointers are to integers that live.
    unsafe { (functions.nvrtcVersion)(&mut major, &mut minor) };
    Ok(Nvrtc { functions, version: (major as u32, minor as u32), _library: library })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of NVIDIA's packages `nvidia-cuda-nvrtc` 13.0, `nvidia-cuda-nvrtc-cu12` and `-cu11`, for win_amd64 and for Linux.
    #[test]
    fn the_files_of_each_cuda_are_looked_for() {
        for (cuda, windows, linux) in [
            (13, "nvrtc64_130_0.dll", "libnvrtc.so.13"),
            (12, "nvrtc64_120_0.dll", "libnvrtc.so.12"),
            (11, "nvrtc64_112_0.dll", "libnvrtc.so.11.2"),
        ] {
            assert!(WINDOWS.contains(&windows) && LINUX.contains(&linux), "CUDA {cuda}");
        }
    }

    #[test]
    fn a_missing_compiler_is_named_with_where_it_was_looked_for() {
        for names in [&LINUX[..], &WINDOWS] {
            let error = missing(names[0], "the run-time compiler", names, "Install it").to_string();
            let parts = [names, &[super::super::library::variable(), "Install it"]].concat();
            assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in {error}");
        }
    }

    /// A library that is no NVRTC lacks its functions, and says which.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_function_that_is_missing_is_named() {
        // SAFETY: the C library is loaded already; no function of it is called.
        let lacks = unsafe { Functions::of(&Library::new("libc.so.6").unwrap()) }.err();
        assert_eq!(lacks, Some("nvrtcCompileProgram"));
    }
}
