//! Launches with their arguments laid out as the driver takes them: a pointer and a length for each binding, then the
//! parameters.

use super::context::Context;
use super::kernels::Function;
use super::ledger::Access;
use super::memory::block;
use super::substitutes::library;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::trace::recorder::Task;
use crosslane_core::work::{Cost, Launch, Window};
use cudarc::driver::sys;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// A launch that is ready.
pub(super) struct Call {
    pub function: Arc<Function>,
    pub grid: [u32; 3],
    arguments: Arguments,
    kernel: Kernel,
    cost: Cost,
}

/// The arguments of a kernel, and where each begins.
#[derive(Default)]
pub(super) struct Arguments {
    words: Vec<u64>,
    starts: Vec<*mut c_void>,
}

// SAFETY: the pointers are into the object's own vector, which nobody changes while it is shared.
unsafe impl Send for Arguments {}
// SAFETY: as above.
unsafe impl Sync for Arguments {}

impl Arguments {
    /// Takes a launch's windows and parameters in place of what was there.
    fn set_launch(&mut self, launch: &Launch) {
        let window = |window: &Window| (block(&window.memory).address() + window.offset, window.bytes);
        self.set(launch.buffers.iter().map(window), &launch.params);
    }

    /// Replaces addresses with lengths, and parameters.
    pub fn set(&mut self, windows: impl Iterator<Item = (u64, u64)>, params: &[u32]) {
        self.words.clear();
        self.starts.clear();
        self.words.extend(windows.flat_map(|(address, bytes)| [address, bytes]));
        let pairs = self.words.len();
        let pack = |pair: &[u32]| pair[0] as u64 | (pair.get(1).copied().unwrap_or(0) as u64) << 32;
        self.words.extend(params.chunks(2).map(pack));
        // The kernel's structure may be longer than what it holds, to be a multiple of 16 bytes.
        self.words.extend([0; 2]);
        let count = if params.is_empty() { pairs } else { pairs + 1 };
        let first = self.words.as_mut_ptr();
        self.starts.extend((0..count).map(|word| first.wrapping_add(word).cast::<c_void>()));
    }

    /// What cuLaunchKernel takes; it only reads.
    pub fn starts(&self) -> *mut *mut c_void {
        self.starts.as_ptr().cast_mut()
    }
}

impl Call {
    pub fn new(function: Arc<Function>, launch: &Launch, limit: u32) -> Call {
        let mut arguments = Arguments::default();
        arguments.set_launch(launch);
        let (kernel, cost) = (launch.kernel.clone(), launch.cost());
        Call { function, grid: launch.grid.fold(limit), arguments, kernel, cost }
    }

    pub fn task(&self) -> Task {
        Task { name: self.kernel.name().into(), cost: self.cost, launches: 1 }
    }

    /// Whether there is a workgroup to run. CUDA takes no empty grid.
    pub fn any(&self) -> bool {
        !self.grid.contains(&0)
    }

    pub fn run(&self, context: &Context, stream: sys::CUstream) -> Result<()> {
        run(context, stream, &self.function, self.grid, &self.arguments)
    }

    /// What a node of a graph is made from.
    pub fn node(&self) -> sys::CUDA_KERNEL_NODE_PARAMS {
        let ([x, y, z], [width, height, depth]) = (self.grid, self.function.block);
        sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.function.raw,
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: width,
            blockDimY: height,
            blockDimZ: depth,
            sharedMemBytes: self.function.dynamic,
            kernelParams: self.arguments.starts(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        }
    }
}

/// The memory that launches use, and have to wait for.
pub(super) fn accesses(launches: &[Launch]) -> impl Iterator<Item = Access> + Clone {
    launches.iter().flat_map(|launch| {
        let pairs = launch.kernel.bindings().iter().zip(&launch.buffers);
        let pairs = pairs.filter(|(_, window)| !window.memory.is_shared());
        pairs.map(|(point, window)| {
            (block(&window.memory).address(), point.access == crosslane_core::kernel::Access::Write)
        })
    })
}

/// The memory that kernels share by atomics: they wait only for what the host wrote there last.
pub(super) fn shared(launches: &[Launch]) -> impl Iterator<Item = u64> + Clone {
    let windows = launches.iter().flat_map(|launch| &launch.buffers);
    windows.filter(|window| window.memory.is_shared()).map(|window| block(&window.memory).address())
}

/// Runs launches at once, the same vectors holding the arguments of one after the other.
pub(super) fn run_all(
    context: &Context,
    stream: sys::CUstream,
    launches: &[Launch],
    work: &[Runner],
    limit: u32,
) -> Result<()> {
    let mut arguments = Arguments::default();
    for (launch, work) in launches.iter().zip(work) {
        match work {
            Runner::Function(function) => {
                arguments.set_launch(launch);
                run(context, stream, function, launch.grid.fold(limit), &arguments)?;
            }
            Runner::Library(call) => call.run(context, stream)?,
        }
    }
    Ok(())
}

/// What runs for a launch.
pub(super) enum Runner {
    Function(Arc<Function>),
    Library(library::Call),
}

/// Runs a function in a stream that has been put in order.
pub(super) fn run(
    context: &Context,
    stream: sys::CUstream,
    function: &Function,
    grid: [u32; 3],
    arguments: &Arguments,
) -> Result<()> {
    let ([x, y, z], [width, height, depth]) = (grid, function.block);
    if grid.contains(&0) {
        return Ok(());
    }
    // SAFETY: the function is loaded in this context. The arguments are as many and as large as its parameters, which
    // the translation made from the same bindings and parameters. Each window lies in its memory, as plans and
    // Device::launch see to; the memory is alive, and is freed behind the launch.
    let result = unsafe {
        let (starts, shared) = (arguments.starts(), function.dynamic);
        sys::cuLaunchKernel(function.raw, x, y, z, width, height, depth, shared, stream, starts, ptr::null_mut())
    };
    context.check("launch", result)
}
