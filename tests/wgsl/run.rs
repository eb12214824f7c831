//! Runs a kernel over buffers of words: the only file here that knows how a device is driven.

use crate::support;
use crosslane::{Argument, Array, Backend, Device, Error, Kernel};
use std::sync::Mutex;

/// The devices that are judged. Not OpenGL: naga's GLSL lacks WGSL's guards (7 / 0, `MIN % -1`, `i32(1e20)`).
pub fn devices() -> impl Iterator<Item = &'static Device> {
    support::drivers().iter().filter(|device| device.properties().backend != Backend::Gl)
}

/// Runs `main` of a source in a grid of workgroups; binding `n` of group 0 is buffer `n`. Gives what the buffers then
/// hold, or what went wrong.
pub fn run(device: &Device, source: &str, grid: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    // One at a time: two threads on a driver took 23 to 54 s for generated programs, one 15.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let arrays: Vec<Array<u32>> = buffers.iter().map(|words| Array::from_slice(device, words)).collect();
    launch(device, source, grid, &arrays).map_err(|error| error.to_string())?;
    arrays.iter().map(|array| array.to_vec().map_err(|error| error.to_string())).collect()
}

/// Runs `main` over arrays, in place.
pub fn launch(device: &Device, source: &str, grid: [u32; 3], arrays: &[Array<u32>]) -> Result<(), Error> {
    let kernel = Kernel::wgsl_with(source, Some("main"), &[])?;
    let used = &kernel.reflection().expect("a program's kernel").bindings;
    let arguments: Vec<_> =
        used.iter().map(|resource| Argument::bytes_of(&arrays[resource.point.binding as usize])).collect();
    device.launch(&kernel, grid, &arguments)
}
