//! CUDA's driver, found when the program runs.

use crosslane_core::error::{Error, ErrorKind, Result};
use cudarc::driver;
use std::sync::OnceLock;

/// The driver's file.
const FILE: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
/// Those of the names under which cudarc looks for it that installations have: it tries seventeen.
const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };

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
        return Err(missing(FILE, "the driver's library", NAMES, "Install NVIDIA's driver"));
    }
    // SAFETY: the library is there, so that this does not panic; the functions are looked up and not called.
    let absent = |name: &&&str| unsafe { driver::sys::culib().get::<Function>(name.as_bytes()).is_err() };
    if let Some(name) = DRIVER.iter().find(absent) {
        return Err(no_device(
            format!("{} is there, but has no {name}: it is older than CUDA 12.0", FILE),
            "Install a newer driver from NVIDIA",
        ));
    }
    // SAFETY: the function is there, and takes no pointers.
    match unsafe { driver::sys::cuInit(0) } {
        driver::sys::CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(no_device(
            format!("{} is there, but does not start: {}", FILE, super::context::text(other)),
            "`nvidia-smi` says whether the driver sees a card",
        )),
    }
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

/// The environment's variable with folders where libraries are looked for.
pub(super) fn variable() -> &'static str {
    if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" }
}

/// The error for a library that is nowhere.
pub(super) fn missing(file: &str, what: &str, names: &[&str], install: &str) -> Error {
    let variable = variable();
    let path = match std::env::var(variable) {
        Ok(path) if !path.is_empty() => format!("{variable} ({path})"),
        _ => format!("{variable} (not set)"),
    };
    no_device(
        format!("{file}, {what}, is missing: looked for {} in {path} and in the system's folders", names.join(", ")),
        install,
    )
}

pub(super) fn no_device(looked: String, install: &str) -> Error {
    ErrorKind::NoDevice { wanted: "cuda".into(), looked, install: install.into() }.into()
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(any(windows, target_os = "linux"))]
    fn named_files_are_looked_for() {
        let tried = ["cuda", "nvcuda"].map(cudarc::get_lib_name_candidates).concat();
        assert!(super::NAMES.iter().all(|name| tried.iter().any(|tried| tried == name)), "{tried:?}");
    }
}
