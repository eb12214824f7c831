//! What runs WGSL over buffers of words, and is judged: the devices, and the CUDA text on the processor.

use crate::support;
use crosslane::device::{Backend, Caps};
use crosslane::{Argument, Array, DType, Device, Error, Kernel};
use std::sync::OnceLock;

/// Something that runs WGSL.
pub enum Judge {
    Device(Device),
    /// The CUDA text, compiled by g++.
    #[cfg(feature = "cuda")]
    Text(Caps),
}

/// All that are judged. Not OpenGL: naga's GLSL lacks WGSL's guards (7 / 0, `MIN % -1`, `i32(1e20)`).
pub fn judges() -> impl Iterator<Item = &'static Judge> {
    static JUDGES: [OnceLock<Vec<Judge>>; support::SIDE_BY_SIDE] = [const { OnceLock::new() }; support::SIDE_BY_SIDE];
    let all = || {
        let judged = |device: &&Device| device.properties().backend != Backend::Gl;
        let devices = support::apis().iter().filter(judged).map(|device| Judge::Device(device.clone()));
        devices.chain(text()).collect()
    };
    JUDGES[support::set()].get_or_init(all).iter()
}

/// The CUDA text, where g++ is there.
#[cfg(feature = "cuda")]
pub fn text() -> Option<Judge> {
    crate::emulation::available().then(|| Judge::Text(crate::emulate::caps()))
}

#[cfg(not(feature = "cuda"))]
pub fn text() -> Option<Judge> {
    None
}

impl Judge {
    pub fn name(&self) -> &str {
        match self {
            Judge::Device(device) => support::name(device),
            #[cfg(feature = "cuda")]
            Judge::Text(_) => "cuda text under g++",
        }
    }

    /// Whether the name has this part: defects are exempted by name, with the reason beside each.
    pub fn is(&self, part: &str) -> bool {
        self.name().contains(part)
    }

    /// Whether it is a device through Vulkan.
    pub fn is_vulkan(&self) -> bool {
        match self {
            Judge::Device(device) => device.properties().backend == Backend::Vulkan,
            #[cfg(feature = "cuda")]
            Judge::Text(_) => false,
        }
    }

    pub fn caps(&self) -> &Caps {
        match self {
            Judge::Device(device) => device.caps(),
            #[cfg(feature = "cuda")]
            Judge::Text(caps) => caps,
        }
    }

    /// Whether it has the type.
    pub fn has(&self, dtype: DType) -> bool {
        support::caps_have(self.caps(), dtype)
    }

    /// Runs `main` of a source in a grid of workgroups; binding `n` of group 0 is buffer `n`. Gives what the buffers
    /// then hold, or what went wrong.
    pub fn run(&self, source: &str, grid: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
        self.run_kernel(&main(source).map_err(|error| error.to_string())?, grid, buffers)
    }

    /// As [`Judge::run`], with a kernel.
    pub fn run_kernel(&self, kernel: &Kernel, grid: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
        match self {
            Judge::Device(device) => {
                let arrays: Vec<Array<u32>> = buffers.iter().map(|words| Array::from_slice(device, words)).collect();
                launch_kernel(device, kernel, grid, &arrays).map_err(|error| error.to_string())?;
                arrays.iter().map(|array| array.to_vec().map_err(|error| error.to_string())).collect()
            }
            #[cfg(feature = "cuda")]
            Judge::Text(_) => crate::emulate::run_words(kernel, grid, buffers),
        }
    }
}

impl From<&Device> for Judge {
    fn from(device: &Device) -> Judge {
        Judge::Device(device.clone())
    }
}

fn main(source: &str) -> Result<Kernel, Error> {
    Kernel::wgsl_with(source, Some("main"), &[])
}

/// Runs `main` over arrays, in place.
#[cfg(feature = "cpu")]
pub fn launch(device: &Device, source: &str, grid: [u32; 3], arrays: &[Array<u32>]) -> Result<(), Error> {
    launch_kernel(device, &main(source)?, grid, arrays)
}

fn launch_kernel(device: &Device, kernel: &Kernel, grid: [u32; 3], arrays: &[Array<u32>]) -> Result<(), Error> {
    let used = &kernel.reflection().expect("a program's kernel").bindings;
    let arguments: Vec<_> =
        used.iter().map(|resource| Argument::bytes_of(&arrays[resource.point.binding as usize])).collect();
    kernel.grid(grid).args(arguments).launch(device)
}
