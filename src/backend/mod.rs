//! The engines: what each must provide, and which are built in. No engine knows an operation.

#[cfg(feature = "cpu")]
pub(crate) mod cpu;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
pub(crate) mod current;
pub(crate) mod order;
#[cfg(feature = "wgpu")]
pub(crate) mod wgpu;

use crate::advice::Advice;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::Kernel;
use crate::memory::{Allocator, Block, Direction, Foreign, Home, Memory};
use crate::occupancy::Occupancy;
#[cfg(any(feature = "cpu", feature = "cuda"))]
use crate::properties::Backend;
use crate::properties::Properties;
use crate::trace::recorder::Recorder;
use crate::work::{Launch, Read, Write};

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What watches an engine: a record of what it does, and advice about what it is asked to do.
#[derive(Default)]
pub(crate) struct Observer {
    pub recorder: Recorder,
    pub advice: Advice,
}

/// Queues others' work in a CUDA stream, and is told where the memory lies that it uses.
#[cfg(feature = "cuda")]
pub(crate) type ForeignWork<'a> = dyn FnMut(*mut std::ffi::c_void, &[u64]) -> Result<()> + 'a;

/// Host memory that the device reads or writes without a copy on the way.
pub(crate) trait HostBlock: Send {
    /// The bytes, to read. Only for [`Direction::Download`].
    fn bytes(&self) -> Result<&[u8]>;
    /// Copies in. Only for [`Direction::Upload`].
    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()>;
    /// Copies to the device, or from it. An upload is not waited for: what is done with the block next waits.
    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()>;
    /// All of it, where it is plain memory that the program may read and write between transfers.
    fn memory(&self) -> Option<&[u8]> {
        None
    }
    /// As [`HostBlock::memory`].
    fn memory_mut(&mut self) -> Option<&mut [u8]> {
        None
    }
    /// Copies bytes from `at` on to the device, or from it. Only where there is [`HostBlock::memory`]. An upload is not
    /// waited for: [`HostBlock::memory_mut`] does it.
    fn transfer_part(&mut self, _: Direction, _at: usize, _: &Memory, _offset: u64, _bytes: u64) -> Result<()> {
        unreachable!("asked only where there is memory")
    }
}

/// Memory of the device that the host reads where it lies, until it is dropped.
pub(crate) trait Mapping: Send + Sync {
    fn bytes(&self) -> &[u8];
}

/// All that an engine provides.
pub(crate) trait Driver: Allocator + order::Order {
    /// Looks up and makes all that the launches need, so that running them is as cheap as it can be.
    fn prepare(&self, launches: &[Launch]) -> Result<Block>;
    /// Runs what [`Driver::prepare`] made of these launches: in order, each seeing what the ones before it wrote. Returns
    /// at once.
    fn submit_prepared(&self, prepared: &Block, launches: &[Launch]) -> Result<()>;
    /// Runs the launches once.
    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.submit_prepared(&self.prepare(launches)?, launches)
    }
    /// Copies to the device; the source is free when it returns.
    fn write(&self, writes: &[Write]) -> Result<()>;
    /// Copies from memory that lies in the host's, without waiting for anything; false if it does not lie there.
    fn peek(&self, _read: &mut Read) -> bool {
        false
    }
    /// Kernels may load what lies past this byte, up to a whole vector, and use none of it: a check is no longer to find it
    /// unset.
    fn pad(&self, _: &Memory, _from: u64) {}
    /// Runs the launches, then copies to the host; blocks until the bytes are there.
    /// `accepted` is called when the device has taken the launches, before anything is waited for.
    fn read(&self, launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()>;
    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>>;
    /// Whether host blocks are memory that the program may use as its own, and better than its own.
    fn pins(&self) -> bool {
        false
    }
    /// Waits, and lends memory to the host where it lies; `None` where the host does not reach it. Kernels that would
    /// disturb it are refused until it is given back.
    fn mapped(self: Arc<Self>, _: &Arc<Memory>, _offset: u64, _bytes: u64) -> Result<Option<Box<dyn Mapping>>> {
        Ok(None)
    }
    /// Where memory of this device lies, if it has an address there.
    fn home(&self) -> Option<Home> {
        None
    }
    /// The address of memory, where [`Driver::home`] says. What others do with it in this thread's stream from now on comes
    /// after what was asked of all streams.
    fn address(&self, _: &Memory) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Somebody else's memory as the engine's own, taking its owner; `None` if that cannot be without a copy.
    ///
    /// # Safety
    ///
    /// The bytes must be there until the owner is dropped, and nobody may write to them while they are used.
    unsafe fn adopt(&self, _: &mut Foreign) -> Option<Block> {
        None
    }
    /// The CUDA stream that this thread's work goes to.
    #[cfg(feature = "cuda")]
    fn stream(&self) -> Option<*mut std::ffi::c_void> {
        None
    }
    /// Lets others' work use memory so, in this thread's CUDA stream: behind what all streams were asked to do with it, and
    /// before what they will be. False where there is no such stream, and then nothing is done.
    #[cfg(feature = "cuda")]
    fn in_stream(&self, _: &[(crate::work::Window, bool)], _work: &mut ForeignWork) -> Result<bool> {
        Ok(false)
    }
    /// Starts summing the time that submissions take on the device; false if it has no clock.
    fn start_clock(&self) -> Result<bool>;
    /// Waits, and gives the time since [`Driver::start_clock`].
    fn stop_clock(&self) -> Result<Duration>;
    fn observer(&self) -> &Observer;
    /// Begins to time each launch, on a device that is idle; false if the host's clock must do.
    fn start_trace(&self) -> Result<bool>;
    /// Ends that, if it was begun, and gives the launches to the recorder, on a device that is idle.
    fn stop_trace(&self) -> Result<()>;
    /// How many workgroups, at least, run side by side when there are enough: multiprocessors, or threads.
    fn units(&self) -> Option<u32> {
        None
    }
    /// What the engine knows of how much of the device the kernel's workgroups fill.
    fn occupancy(&self, _kernel: &Kernel) -> Result<Option<Occupancy>> {
        Ok(None)
    }
    /// Which kernels written by hand run in place of translated ones, if the engine has any.
    #[cfg(feature = "cuda")]
    fn set_natives(&self, _natives: cuda::Natives) {}
    /// What runs for a launch, if there is a choice, and its text if that is not the kernel's.
    #[cfg(feature = "cuda")]
    fn explained(&self, _launch: &Launch) -> Option<(&'static str, Option<String>)> {
        None
    }
    /// The engine's own objects, for programs that use them.
    #[cfg(feature = "wgpu")]
    fn as_any(&self) -> &dyn std::any::Any;
}

/// The error for work on memory that the host sees at the moment.
#[cfg(any(feature = "wgpu", feature = "cpu"))]
pub(crate) fn lent(operation: &'static str) -> Error {
    let (wanted, got) = ("memory that only the device uses", "an array that a guard of Array::map still shows");
    ErrorKind::Argument { operation, argument: "array".into(), wanted: wanted.into(), got: got.into(), at: None }.into()
}

/// How long a launch may take if nothing else is set.
pub(crate) const BUDGET: Duration = Duration::from_secs(20);

/// How to open the devices of the engines that are built in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Use staging memory even where arrays could be mapped.
    pub staged: bool,
    /// No parameters inside command buffers, through wgpu.
    pub no_immediates: bool,
    /// No limit and no feature past what every WebGPU implementation has, through wgpu.
    pub webgpu_limits: bool,
    /// The longest that one workgroup may run on the cpu engine.
    pub time_limit: Option<Duration>,
    /// Faster and less exact arithmetic on the cuda engine.
    pub fast_math: bool,
}

#[cfg(feature = "cpu")]
impl Options {
    pub fn budget(&self) -> Duration {
        self.time_limit.unwrap_or(BUDGET)
    }
}

/// Held while devices are looked for or opened. On an H200 (driver 580) tests hung whose threads did so side by side, through
/// Vulkan, EGL and CUDA; why, and whether this is the cure, is not known. One after the other has always run there.
static STARTING: Mutex<()> = Mutex::new(());

pub(crate) fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Every device of every engine that is built in: those of wgpu, then those of CUDA, then the processor.
pub(crate) fn list() -> Vec<Properties> {
    let _starting = starting();
    #[cfg(feature = "wgpu")]
    let wgpu = wgpu::list();
    #[cfg(not(feature = "wgpu"))]
    let wgpu = Vec::new();
    #[cfg(feature = "cuda")]
    let cuda = cuda::list();
    #[cfg(not(feature = "cuda"))]
    let cuda = Vec::new();
    #[cfg(feature = "cpu")]
    let cpu = Some(cpu::properties(&cpu::Profile::native(), None));
    #[cfg(not(feature = "cpu"))]
    let cpu = None;
    wgpu.into_iter().chain(cuda).chain(cpu).collect()
}

/// Opens the device at this place of [`list`].
pub(crate) fn open(index: usize, all: &[Properties], options: &Options) -> Result<Arc<dyn Driver>> {
    let _starting = starting();
    match all[index].backend {
        #[cfg(feature = "cuda")]
        Backend::Cuda => {
            let before = all[..index].iter().filter(|properties| properties.backend == Backend::Cuda);
            cuda::open(before.count(), options)
        }
        #[cfg(feature = "cpu")]
        Backend::Cpu => cpu::open(cpu::Profile::native(), None, options.budget()),
        #[cfg(feature = "wgpu")]
        _ => wgpu::open(index, options),
        #[cfg(not(feature = "wgpu"))]
        _ => {
            let _ = (index, options);
            Err(not_built("wgpu"))
        }
    }
}

/// The error for an engine that is not there.
pub(crate) fn not_built(engine: &'static str) -> Error {
    let help = match engine {
        "wgpu" => "enable the cargo feature `wgpu`",
        "cuda" => "enable the cargo feature `cuda`",
        _ => "enable the cargo feature `cpu`",
    };
    ErrorKind::NotBuilt { engine, help }.into()
}
