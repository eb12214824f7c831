//! CUDA's two libraries, found when the program runs: the driver and the run-time compiler.

use crosslane_core::error::{Error, ErrorKind, Result};
use cudarc::{driver, nvrtc};
use std::sync::OnceLock;

/// The driver's file, and the compiler's.
const FILES: (&str, &str) = if cfg!(windows) { ("nvcuda.dll", "nvrtc64.dll") } else { ("libcuda.so.1", "libnvrtc.so") };
/// Those of the names under which cudarc looks for them that installations have: it tries seventeen.
const NAMES: [&[&str]; 2] = if cfg!(windows) {
    [&["nvcuda.dll"], &["nvrtc64.dll", "nvrtc64_130_0.dll", "nvrtc64_12.dll"]]
} else {
    [&["libcuda.so", "libcuda.so.1"], &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]]
};

/// What the engine calls in the driver. All of it has been there since CUDA 12.0.
const DRIVER: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetPCIBusId",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorString",
    "cuGraphAddKernelNode_v2",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer_v2",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuPointerGetAttribute",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// What the engine calls in the compiler.
const NVRTC: &[&str] = &[
    "nvrtcCompileProgram",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetCUBIN",
    "nvrtcGetCUBINSize",
    "nvrtcGetNumSupportedArchs",
    "nvrtcGetPTX",
    "nvrtcGetPTXSize",
    "nvrtcGetProgramLog",
    "nvrtcGetProgramLogSize",
    "nvrtcGetSupportedArchs",
    "nvrtcVersion",
];

/// A function of a library, only to see that it is there.
type Function = unsafe extern "C" fn();
/// cuEventElapsedTime, in either version.
type Elapsed = unsafe extern "C" fn(*mut f32, driver::sys::CUevent, driver::sys::CUevent) -> driver::sys::CUresult;

/// Loads the driver and starts it, once.
///
/// Errors: it is not there, is too old, or has no card.
pub(super) fn driver() -> Result<()> {
    static LOADED: OnceLock<Result<()>> = OnceLock::new();
    LOADED.get_or_init(load_driver).clone()
}

fn load_driver() -> Result<()> {
    // SAFETY: loading runs the initialisers of NVIDIA's library, which have no requirements.
    if !unsafe { driver::sys::is_culib_present() } {
        return Err(missing(FILES.0, "the driver's library", NAMES[0], "Install NVIDIA's driver"));
    }
    // SAFETY: the library is there, so that this does not panic; the functions are looked up and not called.
    let absent = |name: &&&str| unsafe { driver::sys::culib().get::<Function>(name.as_bytes()).is_err() };
    if let Some(name) = DRIVER.iter().find(absent) {
        return Err(no_device(
            format!("{} is there, but has no {name}: it is older than CUDA 12.0", FILES.0),
            "Install a newer driver from NVIDIA",
        ));
    }
    // SAFETY: the function is there, and takes no pointers.
    match unsafe { driver::sys::cuInit(0) } {
        driver::sys::CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(no_device(
            format!("{} is there, but does not start: {}", FILES.0, super::context::text(other)),
            "`nvidia-smi` says whether the driver sees a card",
        )),
    }
}

/// The compiler's version, loading it the first time.
///
/// Errors: it is not there, or too old.
pub(super) fn nvrtc() -> Result<(u32, u32)> {
    static LOADED: OnceLock<Result<(u32, u32)>> = OnceLock::new();
    LOADED.get_or_init(load_nvrtc).clone()
}

fn load_nvrtc() -> Result<(u32, u32)> {
    // SAFETY: as for the driver.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        let install = "Install NVRTC, a part of the CUDA toolkit (or `pip install nvidia-cuda-nvrtc`), and name its \
                       folder in LD_LIBRARY_PATH";
        return Err(missing(FILES.1, "the run-time compiler", NAMES[1], install));
    }
    // Its handlers are new: the end of the process waits before they run.
    crosslane_core::threads::watch_the_end();
    // SAFETY: as for the driver.
    let absent = |name: &&&str| unsafe { nvrtc::sys::culib().get::<Function>(name.as_bytes()).is_err() };
    if let Some(name) = NVRTC.iter().find(absent) {
        let looked = format!("libnvrtc is there, but has no {name}: it is older than CUDA 11.2");
        return Err(no_device(looked, "Install a newer NVRTC"));
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the function is there, and the pointers are to integers that live.
    unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) };
    Ok((major as u32, minor as u32))
}

/// Milliseconds between two events that have passed.
///
/// # Safety
///
/// The events must have been recorded.
pub(super) unsafe fn elapsed(
    milliseconds: &mut f32,
    start: driver::sys::CUevent,
    end: driver::sys::CUevent,
) -> driver::sys::CUresult {
    static FUNCTION: OnceLock<Elapsed> = OnceLock::new();
    // SAFETY: the driver is loaded where there are events, and DRIVER has the second name, whose type is the first's.
    let function = FUNCTION.get_or_init(|| unsafe {
        let newer = driver::sys::culib().get::<Elapsed>(b"cuEventElapsedTime_v2");
        *newer.or_else(|_| driver::sys::culib().get(b"cuEventElapsedTime")).expect("looked up when it was loaded")
    });
    // SAFETY: as the caller says.
    unsafe { function(milliseconds, start, end) }
}

/// The error for a library that is nowhere.
fn missing(file: &str, what: &str, names: &[&str], install: &str) -> Error {
    let variable = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
    let path = match std::env::var(variable) {
        Ok(path) if !path.is_empty() => format!("{variable} ({path})"),
        _ => format!("{variable} (not set)"),
    };
    no_device(
        format!("{file}, {what}, is missing: looked for {} in {path} and in the system's folders", names.join(", ")),
        install,
    )
}

fn no_device(looked: String, install: &str) -> Error {
    ErrorKind::NoDevice { wanted: "cuda".into(), looked, install: install.into() }.into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_missing_library_is_named_with_where_it_was_looked_for() {
        let error = super::missing("libnvrtc.so", "the run-time compiler", super::NAMES[1], "Install it").to_string();
        for part in ["libnvrtc.so.13", "libnvrtc.so.12", "LD_LIBRARY_PATH", "Install it"] {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert_eq!(error.matches("libnvrtc.so").count(), 4, "three files, and what is missing: {error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn named_files_are_looked_for() {
        for (library, names) in ["cuda", "nvrtc"].into_iter().zip(super::NAMES) {
            let tried = cudarc::get_lib_name_candidates(library);
            assert!(names.iter().all(|name| tried.iter().any(|tried| tried == name)), "{names:?} in {tried:?}");
        }
    }
}
