//! Devices: finding, choosing and opening them, and what they have.

use crate::array::Array;
#[cfg(feature = "cpu")]
use crate::backend::cpu::{Checks, Order, Profile};
use crate::backend::{self, Driver, Options, Window};
use crate::caps::Caps;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{BUDGET, Kernel, Message, Messages, Watch};
use crate::memory::{Allocation, Handles, MemoryUse, Pool};
use crate::trace::Roofline;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak, mpsc};
use std::time::Duration;

/// The API a device is reached through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL or OpenGL ES.
    Gl,
    /// CUDA: NVIDIA's own.
    Cuda,
    /// None: the library's own interpreter on the processor.
    Cpu,
}

impl Backend {
    pub(crate) fn is_wgpu(self) -> bool {
        !matches!(self, Backend::Cuda | Backend::Cpu)
    }
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A card with memory of its own.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU handed to a virtual machine.
    Virtual,
    /// What computes on the processor: lavapipe, SwiftShader, WARP, the cpu engine.
    Software,
    /// Something else.
    Other,
}

/// What a device is and has.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The device's name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// The vendor's PCI number, or the API's own.
    pub vendor_id: u32,
    /// The device's PCI number, or the API's own.
    pub device_id: u32,
    /// The place on the PCI bus, where known: `0000:01:00.0`.
    pub pci_bus: Option<String>,
    /// The driver and its version.
    pub driver: String,
    /// The API.
    pub backend: Backend,
    /// What it is.
    pub kind: Kind,
    /// Limits and features.
    pub caps: Caps,
}

impl Properties {
    /// How good a choice it is; larger is better.
    fn rank(&self) -> impl Ord + use<> {
        let kind = match self.kind {
            Kind::Discrete => 4,
            Kind::Integrated => 3,
            Kind::Virtual => 2,
            Kind::Other => 1,
            Kind::Software => 0,
        };
        // Among software, OpenGL comes last: naga's GLSL lacks WGSL's guards, and no type beside 32 bits is there.
        // The same card is faster through CUDA than through Vulkan.
        let api = match self.backend {
            Backend::Gl => 0,
            Backend::Cpu => 1,
            Backend::Cuda => 3,
            _ => 2,
        };
        let subgroup = self.caps.subgroups.map_or(0, |(_, max)| max);
        (kind, api, self.caps.f16, subgroup, self.caps.workgroup_invocations)
    }

    /// Whether a request names this device: `vulkan`, `nvidia`, `vulkan:nvidia`, `gpu`, `software`, a part of a name.
    fn matches(&self, request: &str) -> bool {
        let request = request.to_lowercase();
        let backend = format!("{:?}", self.backend).to_lowercase();
        if let Some((first, rest)) = request.split_once(':')
            && (first == backend || (first == "wgpu" && self.backend.is_wgpu()))
        {
            return rest.is_empty() || self.matches(rest);
        }
        // A word of the table means just that: "gl" is not a part of "Google".
        match request.as_str() {
            "wgpu" => return self.backend.is_wgpu(),
            "gpu" => return self.kind != Kind::Software,
            "vulkan" | "metal" | "dx12" | "gl" | "cuda" | "cpu" => return request == backend,
            "discrete" | "integrated" | "virtual" | "software" => {
                return format!("{:?}", self.kind).to_lowercase() == request;
            }
            _ => {}
        }
        let mut text = format!("{} {} {}", self.name, self.vendor, self.driver).to_lowercase();
        if text.contains("llvmpipe") && self.backend == Backend::Vulkan {
            text += " lavapipe"; // llvmpipe's Vulkan driver calls itself llvmpipe
        }
        text.contains(&request)
    }
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}, {:?}, {})", self.name, self.backend, self.kind, self.driver)
    }
}

/// A device, opened. A cheap handle: clones are the same device.
pub struct Device(Arc<Inner>, Handle);

/// Counts the program's handles; `None` in those of arrays.
struct Handle(Option<Arc<Handles>>);

struct Inner {
    driver: Arc<dyn Driver>,
    pool: Arc<Pool>,
    /// What the program's handles share.
    handles: Weak<Handles>,
    /// Held from planning to submission: what one thread has planned, another must not read before it is submitted.
    evaluating: Mutex<()>,
    watch: Watch,
    messages: Messages,
    /// Blocking work of asynchronous calls, done in order by one thread.
    worker: OnceLock<mpsc::Sender<Job>>,
    roofline: Mutex<Option<Roofline>>,
}

type Job = Box<dyn FnOnce() + Send>;

/// How to open a device, where the defaults do not do.
///
/// ```no_run
/// let device = crosslane::DeviceOptions::default().memory_limit(1 << 30).open("gpu")?;
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    options: Options,
    memory_limit: Option<u64>,
    track: Option<bool>,
}

impl DeviceOptions {
    /// The most bytes that arrays and the pool may take together.
    pub fn memory_limit(mut self, bytes: u64) -> DeviceOptions {
        self.memory_limit = Some(bytes);
        self
    }

    /// Whether to write down what takes device memory, and where, for [`Device::live_allocations`]: on in debug builds if
    /// not set. It costs a fraction of a microsecond each time memory is taken.
    pub fn track_allocations(mut self, track: bool) -> DeviceOptions {
        self.track = Some(track);
        self
    }

    /// Transfers go through staging memory even where host and device share theirs.
    pub fn staged_transfers(mut self, staged: bool) -> DeviceOptions {
        self.options.staged = staged;
        self
    }

    /// The longest that a kernel may run before it counts as endless: 20 s if not set. The cpu engine measures it for each
    /// workgroup. Elsewhere the loops of checked kernels of a program count: about 10 ns a turn, more for accesses to
    /// memory, up to 42 s; the library's own kernels end. What waits for the device then gets
    /// [`ErrorKind::Endless`], and the kernel's results are worthless. Drivers may have limits of their own.
    pub fn time_limit(mut self, limit: Duration) -> DeviceOptions {
        self.options.time_limit = Some(limit);
        self
    }

    /// Faster and less exact arithmetic on the cuda engine: division, square roots and functions by approximation,
    /// denormals as zero. Off if not set.
    pub fn fast_math(mut self, fast: bool) -> DeviceOptions {
        self.options.fast_math = fast;
        self
    }

    /// As [`Device::cuda`].
    pub fn cuda(&self, ordinal: usize) -> Result<Device> {
        #[cfg(feature = "cuda")]
        return Ok(self.over(backend::cuda::open(ordinal, &self.options)?));
        #[cfg(not(feature = "cuda"))]
        {
            let _ = ordinal;
            Err(backend::not_built("cuda"))
        }
    }

    /// A device with what is set here beside the options of the engine.
    fn over(&self, driver: Arc<dyn Driver>) -> Device {
        let device = Device::with_driver(driver, self.options.time_limit.unwrap_or(BUDGET));
        device.set_memory_limit(self.memory_limit);
        if let Some(track) = self.track {
            device.pool().track(track);
        }
        device
    }

    /// As [`Device::cpu_as`], with checks if any are given.
    ///
    /// ```
    /// use crosslane::{Checks, DeviceOptions, Profile};
    /// let checks = Checks { nan: true, ..Checks::default() };
    /// let device = DeviceOptions::default().cpu(Profile::amd_like(), Some(checks))?;
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu(&self, profile: Profile, checks: Option<Checks>) -> Result<Device> {
        Ok(self.over(backend::cpu::open(profile, checks, self.options.budget())?))
    }

    /// `cpu:checked`, `cpu:apple-like`, `cpu:checked:apple-like`, in small letters.
    #[cfg(feature = "cpu")]
    fn open_cpu(&self, request: &str, words: &str) -> Result<Device> {
        let (mut profile, mut checks) = (None, None);
        for word in words.split(':') {
            match Profile::presets().into_iter().find(|preset| preset.name == word) {
                Some(preset) => profile = Some(preset),
                None if word == "checked" => checks = Some(Checks::default()),
                None => {
                    let names: Vec<&str> = Profile::presets().iter().map(|preset| preset.name).collect();
                    let looked = format!("looked for `checked` and the profiles {} after `cpu:`", names.join(", "));
                    let install = format!("There is no {word:?}");
                    return Err(ErrorKind::NoDevice { wanted: request.into(), looked, install }.into());
                }
            }
        }
        // As itself the processor may as well run the last workgroup first: what relies on their order shows.
        let order = if checks.is_some() { Order::Descending } else { Order::Ascending };
        self.cpu(profile.unwrap_or(Profile { order, ..Profile::native() }), checks)
    }

    /// As [`Device::open`].
    pub fn open(&self, request: &str) -> Result<Device> {
        let request = request.trim();
        let lower = request.to_lowercase();
        let engine = lower.split(':').next().unwrap_or_default();
        if engine == "cpu" && cfg!(not(feature = "cpu")) {
            return Err(backend::not_built("cpu"));
        }
        if let Some(ordinal) = ordinal(&lower) {
            return self.cuda(ordinal);
        }
        #[cfg(feature = "cpu")]
        if lower == "cpu" || lower == "cpu:" {
            return self.cpu(Profile::native(), None); // without asking the drivers
        }
        #[cfg(feature = "cpu")]
        if let Some(words) = lower.strip_prefix("cpu:") {
            return self.open_cpu(request, words);
        }
        let all = backend::list();
        // A number is an index and nothing else: as a part of a name it would fit most versions.
        let number: Option<usize> = request.parse().ok();
        let fits = |(index, properties): &(usize, &Properties)| match number {
            Some(number) => number == *index,
            None => request.is_empty() || properties.matches(request),
        };
        let best = all.iter().enumerate().filter(fits).max_by(|a, b| a.1.rank().cmp(&b.1.rank()).then(b.0.cmp(&a.0)));
        let Some((index, properties)) = best else { return Err(no_device(request, &all)) };
        log::info!(
            "took device {index}, {properties}: the best of {} that fit {request:?}, by kind, API, f16, subgroup and workgroup size",
            all.iter().enumerate().filter(fits).count()
        );
        Ok(self.over(backend::open(index, &all, &self.options)?))
    }
}

/// The card that `cuda` or `cuda:1` means, in small letters; without the cuda engine, anything that begins so.
fn ordinal(request: &str) -> Option<usize> {
    let (engine, rest) = request.split_once(':').unwrap_or((request, ""));
    match rest {
        _ if engine != "cuda" => None,
        "" => Some(0),
        rest if cfg!(feature = "cuda") => rest.parse().ok(),
        _ => Some(0),
    }
}

fn no_device(request: &str, all: &[Properties]) -> Error {
    let found: Vec<String> = all.iter().map(|p| p.to_string()).collect();
    let engines: Vec<&str> = [
        cfg!(feature = "wgpu").then_some("Vulkan, Metal, DX12 and GL through wgpu"),
        cfg!(feature = "cuda").then_some("CUDA"),
        cfg!(feature = "cpu").then_some("the processor"),
        cfg!(not(feature = "wgpu")).then_some("nothing through wgpu: the cargo feature `wgpu` is off"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let engines = engines.join(", ");
    let looked = match found.is_empty() {
        true => format!("looked for {engines}; found none"),
        false => format!("looked for {engines}; found {}", found.join(", ")),
    };
    let install = if !cfg!(feature = "wgpu") {
        "Enable the cargo feature `wgpu`"
    } else if cfg!(target_os = "linux") {
        "Install a Vulkan driver: your card's, or for the processor `apt install mesa-vulkan-drivers`"
    } else if cfg!(target_os = "windows") {
        "Install your card's driver; without a card Windows has WARP, a DX12 device"
    } else {
        "Install your GPU's driver"
    };
    let wanted = if request.is_empty() { "any" } else { request }.to_string();
    ErrorKind::NoDevice { wanted, looked, install: install.into() }.into()
}

impl Device {
    /// Every device here, in the order of their indices for [`Device::open`].
    ///
    /// ```
    /// for (index, device) in crosslane::Device::list().iter().enumerate() {
    ///     println!("{index}: {device}");
    /// }
    /// ```
    pub fn list() -> Vec<Properties> {
        backend::list()
    }

    /// The device named by the environment variable `CROSSLANE_DEVICE`, or the best one here: a card before an
    /// integrated GPU before software. Why it was chosen is logged at level info.
    ///
    /// Errors: no device; the error says what was looked for and what to install.
    pub fn new() -> Result<Device> {
        Device::open(&std::env::var("CROSSLANE_DEVICE").unwrap_or_default())
    }

    /// The best device that fits a request: an index of [`Device::list`], a part of a name, vendor or driver
    /// (`nvidia`, `lavapipe`), an API (`vulkan`), both (`vulkan:nvidia`), or a kind (`gpu`, `discrete`, `integrated`,
    /// `software`). `cuda` and `cuda:1` are NVIDIA's cards by their ordinals. `cpu` is the processor, `cpu:checked` with [`Device::cpu_checked`]'s checks, `cpu:apple-like` and the
    /// like stand in for other hardware. Case does not matter; an empty request takes the best of all.
    ///
    /// Errors: no such device; engine not built in.
    pub fn open(request: &str) -> Result<Device> {
        DeviceOptions::default().open(request)
    }

    /// The processor, by an interpreter of WGSL: nothing need be installed. Use it where there is no GPU, or as the
    /// judge of one: it follows the WGSL specification to the letter.
    ///
    /// ```
    /// use crosslane::{Array, Device};
    /// let device = Device::cpu()?;
    /// let x = Array::arange(&device, 0.0f32, 5.0, 1.0);
    /// assert_eq!((x * 2.0).to_vec()?, [0.0, 2.0, 4.0, 6.0, 8.0]);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Result<Device> {
        Device::cpu_as(Profile::native())
    }

    /// The processor with every access of every kernel watched ([`Checks`] says for what). What runs a kernel with a
    /// defect gives [`ErrorKind::Defects`]: a report of each with its line, its invocation and the binding. Runs one
    /// workgroup at a time, the last first, 10 to 100 times slower than [`Device::cpu`], and takes about 16 bytes of the
    /// host's memory for each byte that kernels touch. `Device::open("cpu:checked")` is the same.
    ///
    /// ```
    /// use crosslane::{Array, Device, ErrorKind, Kernel};
    /// let device = Device::cpu_checked()?;
    /// let mut x = Array::<u32>::zeros(&device, &[64]);
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(65) fn main(@builtin(local_invocation_index) i: u32) { x[i] = i; }
    /// ")?;
    /// let error = kernel.grid([1]).args(&mut x).launch(&device).unwrap_err();
    /// let ErrorKind::Defects { report } = error.kind() else { panic!("{error}") };
    /// assert_eq!((report.findings[0].spot.line, report.findings[0].index), (3, Some(64)));
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu_checked() -> Result<Device> {
        Device::open("cpu:checked")
    }

    /// The processor standing in for other hardware: its limits, features, subgroup size and order of workgroups.
    ///
    /// ```
    /// use crosslane::{Array, Device, Profile};
    /// let phone = Device::cpu_as(Profile::mobile_like())?;
    /// assert_eq!(phone.caps().workgroup_invocations, 128);
    /// assert_eq!(Array::<f32>::ones(&phone, &[1000]).sum().item()?, 1000.0);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a subgroup size that is no power of two from 4 to 128.
    #[cfg(feature = "cpu")]
    pub fn cpu_as(profile: Profile) -> Result<Device> {
        DeviceOptions::default().cpu(profile, None)
    }

    /// The CUDA device with this ordinal: an NVIDIA card by its own driver, which must be there, as must NVRTC, the
    /// run-time compiler of the CUDA toolkit. Compiled kernels are kept in the system's folder for caches; the environment
    /// variable `CROSSLANE_CACHE` names another folder, or `off`.
    ///
    /// ```no_run
    /// let device = crosslane::Device::cuda(0)?;
    /// let x = crosslane::Array::<f32>::ones(&device, &[1000]);
    /// assert_eq!(x.sum().item()?, 1000.0);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a library is missing, and where it was looked for; no such card; [`ErrorKind::NotBuilt`] without the
    /// cargo feature `cuda`.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        DeviceOptions::default().cuda(ordinal)
    }

    /// The same device with kernels written by hand in place of translated WGSL, where it has any: where they are
    /// faster, never, or always. Without this the environment variable `CROSSLANE_NATIVES` says which (`auto`, `off`,
    /// `on`); what it says is `auto` if it is not set. [`Array::explain`](crate::Array::explain) tells what runs.
    ///
    /// ```no_run
    /// let device = crosslane::Device::cuda(0)?.natives(crosslane::Natives::Off);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    pub fn natives(self, natives: crate::Natives) -> Device {
        self.driver().set_natives(natives);
        self
    }

    /// A device over one that the program already has. Features it was opened without are done without.
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Device {
        Device::with_driver(backend::wgpu::adopt(adapter, device, queue), BUDGET)
    }

    /// The wgpu device and queue behind this device.
    #[cfg(feature = "wgpu")]
    pub fn wgpu(&self) -> Option<(wgpu::Device, wgpu::Queue)> {
        let engine = self.driver().as_any().downcast_ref::<backend::wgpu::Wgpu>()?;
        Some((engine.device.clone(), engine.queue.clone()))
    }

    fn with_driver(driver: Arc<dyn Driver>, budget: Duration) -> Device {
        let pool = Pool::new(driver.clone());
        let handles = Arc::new(Handles { pool: pool.clone(), device: driver.properties().name.clone() });
        let inner = Inner {
            pool,
            handles: Arc::downgrade(&handles),
            driver,
            evaluating: Mutex::new(()),
            watch: Watch::new(budget),
            messages: Messages::default(),
            worker: OnceLock::new(),
            roofline: Mutex::default(),
        };
        Device(Arc::new(inner), Handle(Some(handles)))
    }

    /// A handle for an array: it does not count as one of the program's.
    pub(crate) fn uncounted(&self) -> Device {
        Device(self.0.clone(), Handle(None))
    }

    /// What the device is and has.
    pub fn properties(&self) -> &Properties {
        self.driver().properties()
    }

    /// What plans may rely on.
    pub fn caps(&self) -> &Caps {
        self.driver().caps()
    }

    /// Waits until everything that was asked of the device is done, in every stream.
    ///
    /// Errors: device lost; a kernel whose loops did not end ([`DeviceOptions::time_limit`]), or one whose
    /// `assert_that(id, condition)` failed.
    pub fn synchronize(&self) -> Result<()> {
        self.driver().wait()?;
        self.look()
    }

    /// After a wait: whether a kernel had to be stopped.
    pub(crate) fn look(&self) -> Result<()> {
        self.0.watch.look(&**self.driver())?;
        self.0.messages.look(&**self.driver())
    }

    /// Launches with memory of [`Device::watch_windows`] or [`Device::message_window`] run again.
    pub(crate) fn watch_again(&self) {
        self.0.watch.again();
        self.0.messages.again();
    }

    /// The memory by which loops of this kernel are stopped.
    pub(crate) fn watch_windows(&self, kernel: &Kernel) -> Result<[Window; 2]> {
        self.0.watch.windows(&**self.driver(), self.pool(), kernel)
    }

    /// The memory for what this kernel says.
    pub(crate) fn message_window(&self, kernel: &Kernel) -> Result<Window> {
        self.0.messages.window(&**self.driver(), self.pool(), kernel)
    }

    /// Waits, and gives what kernels printed since the last call, by line, then invocation: by `print_f32(id, value)`,
    /// `print_i32` and `print_u32`, where `id` is a `vec3<u32>` that says who speaks, the global invocation id for
    /// instance. 16,384 messages are kept from one wait to the next.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let kernel = crosslane::Kernel::wgsl("
    ///     @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x == 2u { print_f32(id, f32(id.x) / 4.0); }
    ///         assert_that(id, id.x < 4u);
    ///     }
    /// ")?;
    /// kernel.grid([1]).launch(device)?;
    /// assert_eq!(device.messages()?[0].to_string(), "main:3 (2, 0, 0): 0.5");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Device::synchronize`]; what was printed is kept for the next call then.
    #[doc(alias = "printf")]
    pub fn messages(&self) -> Result<Vec<Message>> {
        self.synchronize()?;
        Ok(self.0.messages.take())
    }

    /// An array of `len` elements that are whatever lies in memory, for kernels that write all of it. It comes from the
    /// device's pool, if that has a piece of such a size, and goes back when it is dropped with all its clones and views:
    /// nothing need be released.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let first = device.acquire::<f32>(10_000)?;
    /// drop(first);
    /// let before = device.memory();
    /// let second = device.acquire::<f32>(10_000)?;
    /// assert_eq!(device.memory().misses, before.misses); // nothing was allocated
    /// # drop(second);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::empty`](crate::Array::empty).
    #[doc(alias = "pool")]
    #[doc(alias = "release")]
    #[doc(alias = "cudaMallocAsync")]
    #[track_caller]
    pub fn acquire<T: Element>(&self, len: usize) -> Result<Array<T>> {
        let array = Array::empty(self, &[len]);
        array.check()?;
        Ok(array)
    }

    /// Every piece of device memory that is held, the largest first: what for, and by which line of the program. Empty
    /// if allocations are not tracked; see [`DeviceOptions::track_allocations`]. When the program's last handle of the
    /// device is dropped and arrays live on, the list is logged as a warning.
    ///
    /// ```
    /// let options = crosslane::DeviceOptions::default().track_allocations(true);
    /// # let Ok(device) = options.open("") else { return };
    /// let x = crosslane::Array::from_slice(&device, &[1.0f32; 1000]);
    /// let live = device.live_allocations();
    /// assert!(live.len() == 1 && live[0].bytes >= 4000 && live[0].what == "array");
    /// println!("{}", live[0]); // 4096 bytes for array (at src/main.rs:3:9)
    /// # drop(x);
    /// ```
    #[doc(alias = "leak")]
    pub fn live_allocations(&self) -> Vec<Allocation> {
        self.0.pool.held()
    }

    /// How often the host has waited for this device so far: calls that give back values or wait for work
    /// ([`crate::Array::to_vec`], [`crate::Array::map`], [`Device::synchronize`], [`crate::Event::wait`]), one each, on
    /// the cpu engine too, where the work is done already; and uploads that had to wait for staging memory, of more than a
    /// megabyte. Launches, lazy arrays, their evaluation and small uploads never wait.
    ///
    /// Beside these, CUDA counts one when memory of the host or of others, a recording or a compiled kernel is given up,
    /// when memory runs out, and when a native kernel is first compared with its translation.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 2.0]) + 1.0;
    /// let before = device.waits();
    /// x.eval()?;
    /// assert_eq!(device.waits(), before);
    /// x.to_vec()?;
    /// assert_eq!(device.waits(), before + 1);
    /// # Ok(()) });
    /// ```
    pub fn waits(&self) -> u64 {
        self.driver().waits().count()
    }

    /// Runs `callback` once everything is done that was asked of the stream that this thread is in, the main one outside
    /// of [`crate::Stream::run`]; returns at once. The callback is told whether it could be waited for: the device may be
    /// lost.
    ///
    /// It runs on the device's own thread, one for each device, which also does the waiting of `_async` calls: callbacks
    /// come in the order of asking, and long ones hold up what comes after. They may use the device, but must not wait
    /// for its `_async` calls, which that thread would have to do. One that panics is logged, and no more.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// crosslane::Array::<f32>::ones(device, &[1000]).copy().eval()?;
    /// device.then(move |result| drop(sender.send(result.is_ok())))?;
    /// assert_eq!(receiver.recv(), Ok(true));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost.
    #[doc(alias = "cudaLaunchHostFunc")]
    pub fn then(&self, callback: impl FnOnce(Result<()>) + Send + 'static) -> Result<()> {
        let (device, event) = (self.uncounted(), self.driver().record(false)?);
        let work = move || {
            callback(device.driver().wait_event(&event));
            Ok(())
        };
        drop(self.in_background(Box::new(work)));
        Ok(())
    }

    /// Memory held by arrays, kept for reuse, and the most there ever was.
    pub fn memory(&self) -> MemoryUse {
        self.0.pool.usage()
    }

    /// Sets or lifts the limit on live and pooled bytes.
    pub fn set_memory_limit(&self, bytes: Option<u64>) {
        self.0.pool.set_limit(bytes);
    }

    /// Gives memory that is kept for reuse back to the system.
    pub fn trim(&self) {
        self.0.pool.trim();
    }

    /// Runs `work` and gives the time that the kernels it submitted took on the device: as CUDA events do. `None`
    /// where the device has no clock, and while a [`Device::profile`] runs.
    ///
    /// Waits for the kernels. One measurement at a time; other threads' kernels count too.
    ///
    /// ```
    /// # let Ok(device) = crosslane::Device::new() else { return };
    /// let x = crosslane::Array::<f32>::ones(&device, &[1000]);
    /// let time = device.gpu_time(|| x.eval()).unwrap();
    /// println!("{time:?}");
    /// ```
    pub fn gpu_time<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<Option<Duration>> {
        if self.driver().observer().recorder.running() {
            return work().map(|_| None);
        }
        let running = self.driver().start_clock()?;
        let result = work();
        let time = self.driver().stop_clock()?;
        result.map(|_| running.then_some(time))
    }

    pub(crate) fn driver(&self) -> &Arc<dyn Driver> {
        &self.0.driver
    }

    pub(crate) fn kept_roofline(&self) -> MutexGuard<'_, Option<Roofline>> {
        self.0.roofline.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.0.pool
    }

    pub(crate) fn evaluating(&self) -> MutexGuard<'_, ()> {
        self.0.evaluating.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Does blocking work on the device's own thread; the future needs no particular executor.
    pub(crate) fn in_background<R: Send + 'static>(
        &self,
        work: Box<dyn FnOnce() -> Result<R> + Send>,
    ) -> impl Future<Output = Result<R>> + Send + use<R> {
        let (sender, receiver) = futures::channel::oneshot::channel();
        let streams = crate::stream::entered();
        let job: Job = Box::new(move || drop(sender.send(crate::stream::within(streams, work))));
        let worker = self.0.worker.get_or_init(|| {
            let (jobs, queue) = mpsc::channel::<Job>();
            std::thread::spawn(move || queue.into_iter().for_each(finish));
            jobs
        });
        let sent = worker.send(job).is_ok();
        let device = self.properties().name.clone();
        async move {
            let gone = || {
                let (operation, message) = ("background work", "the device's thread ended".to_string());
                ErrorKind::Backend { operation, device, message }.into()
            };
            match sent {
                true => receiver.await.unwrap_or_else(|_| Err(gone())),
                false => Err(gone()),
            }
        }
    }

    /// Waits, without blocking the executor, until everything that was asked of the device is done.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// futures::executor::block_on(device.synchronize_async())?;
    /// # Ok(()) });
    /// ```
    pub fn synchronize_async(&self) -> impl Future<Output = Result<()>> + Send + use<> {
        let device = self.clone();
        self.in_background(Box::new(move || device.synchronize()))
    }
}

impl Clone for Device {
    fn clone(&self) -> Device {
        Device(self.0.clone(), Handle(self.1.0.clone().or_else(|| self.0.handles.upgrade())))
    }
}

/// Does a job. One that panics, as a program's callback may, does not end the thread.
fn finish(job: Job) {
    if catch_unwind(AssertUnwindSafe(job)).is_err() {
        log::error!("a callback or background work of a device panicked");
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.properties())
    }
}
