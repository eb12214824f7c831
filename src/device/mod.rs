//! Devices: finding, choosing and opening them, waiting for them, their memory and their thread.

pub(crate) mod advice;
mod claims;
#[cfg(target_family = "wasm")]
mod event_loop;
mod faults;
#[cfg(feature = "cases")]
mod inject;
mod judge;
mod messages;
mod names;
mod occupancy;
mod open;
mod open_async;
mod options;
mod plans;
mod registry;
mod reopen;
mod run;
mod slices;
mod submit;
mod watch;
#[cfg(not(target_family = "wasm"))]
mod worker;

use crosslane_core::countdown::Countdown;
use crosslane_core::engine::Driver;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::memory::{Handles, Memory, Pool, Site};
use crosslane_core::op::{Op, Values};
use crosslane_core::trace::{Costs, Roofline};
use crosslane_core::work::Window;
#[cfg(target_family = "wasm")]
use event_loop as worker;
use messages::Messages;
use plans::{Planned, Plans};
use reopen::Opening;
pub(crate) use slices::Sliced;
use slices::Slices;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;
use worker::Worker;

pub(crate) use claims::{Claim, Claims};
pub use crosslane_core::caps::{Caps, Processor};
pub use crosslane_core::engine::Natives;
pub use crosslane_core::memory::{Allocation, MemoryUse};
pub use crosslane_core::properties::{Backend, DeviceKind, Properties};
pub use crosslane_core::tuning::{Tunable, Tuning};
pub use crosslane_ops::{save_tuning, saved_tuning, tunable, tunables};
pub(crate) use faults::Faults;
pub use messages::Message;
pub(crate) use watch::Watch;
pub(crate) use worker::Begun;

pub use options::DeviceOptions;

/// A device, opened. A cheap handle: clones are the same device.
pub struct Device(Arc<Inner>, Handle);

/// Counts the program's handles; `None` in those of arrays.
struct Handle(Option<Arc<Handles>>);

struct Inner {
    driver: Arc<dyn Driver>,
    opening: Opening,
    /// The driver's, tuned.
    caps: Caps,
    pool: Arc<Pool>,
    /// What the program's handles share.
    handles: Weak<Handles>,
    /// What is being submitted.
    claims: Claims,
    plans: Plans,
    watch: Watch,
    messages: Messages,
    faults: Faults,
    /// Blocking work of asynchronous calls, done in order by one thread.
    worker: OnceLock<Worker>,
    roofline: Mutex<Option<Roofline>>,
    slices: Slices,
    costs: Mutex<Option<Costs>>,
    /// In tests, the submissions that find no memory.
    shortage: Countdown,
}

impl Device {
    /// The device's properties.
    pub fn properties(&self) -> &Properties {
        self.driver().properties()
    }

    /// The device's capabilities.
    pub fn caps(&self) -> &Caps {
        &self.0.caps
    }

    /// Whether the same program gives the same bits each time: [`DeviceOptions::deterministic`].
    pub(crate) fn is_deterministic(&self) -> bool {
        self.0.opening.options.options.deterministic
    }

    /// An operation's plan, made now or before, and what it is filled with, which is taken out of the operation.
    pub(crate) fn plan(&self, op: &mut dyn Op) -> Result<(Arc<Planned>, Values)> {
        self.0.plans.of(op, self.caps())
    }

    /// Waits until all work queued on the device is done, in every stream but detached ones
    /// ([`crate::Stream::detached`]).
    ///
    /// Errors: device lost; a kernel whose loops did not end ([`DeviceOptions::time_limit`]), or were stopped early by
    /// the driver ([`crate::ErrorKind::LoopLeft`]), or whose `assert_that(id, condition)` failed; an index out of range
    /// under [`crate::array::OutOfRange::Error`] that no other call has reported.
    pub fn synchronize(&self) -> Result<()> {
        self.driver().wait()?;
        self.look(true)?;
        self.tell_faults()
    }

    /// After a wait, for `all` that was asked of the device or a part: whether a kernel had to be stopped, and what kernels
    /// said.
    pub(crate) fn look(&self, all: bool) -> Result<()> {
        self.look_at_times();
        self.0.watch.look(&**self.driver(), all)?;
        if !all {
            return Ok(());
        }
        self.0.messages.look(&**self.driver())
    }

    /// Whether an operation was ever asked to look for faults.
    pub(crate) fn faults_are_used(&self) -> bool {
        self.0.faults.are_used()
    }

    /// An error if something was found wrong where the contents of memory were computed; waits for it.
    pub(crate) fn faults_of(&self, memory: &Memory) -> Result<()> {
        self.0.faults.of(&**self.driver(), memory)
    }

    /// After a wait for all of the device: an error if a fault was found and not reported yet.
    pub(crate) fn tell_faults(&self) -> Result<()> {
        self.0.faults.tell(&**self.driver())
    }

    /// The same after a wait for this thread's stream.
    pub(crate) fn look_in_stream(&self) -> Result<()> {
        self.look(!self.driver().several())
    }

    /// Launches with memory of [`Device::watch_windows`] or [`Device::message_window`] run again.
    pub(crate) fn watch_again(&self) {
        self.0.watch.again();
        self.0.messages.again();
    }

    /// The words in which the kernels of one operation report an index past its axis.
    pub(crate) fn fault_cell(&self, site: Site) -> Result<Arc<Memory>> {
        self.0.faults.cell(&**self.driver(), self.pool(), site)
    }

    /// The memory by which loops of this kernel are stopped.
    pub(crate) fn watch_windows(&self, kernel: &Kernel) -> Result<[Window; 2]> {
        self.0.watch.windows(&**self.driver(), self.pool(), kernel)
    }

    /// The memory for what this kernel says.
    pub(crate) fn message_window(&self, kernel: &Kernel) -> Result<Window> {
        self.0.messages.window(&**self.driver(), self.pool(), kernel)
    }

    /// Waits, and returns the values that kernels printed since the last call, ordered by line, then invocation.
    /// Kernels print by `print_f32(id, value)`, `print_i32` and `print_u32`, where `id` is a `vec3<u32>` that
    /// identifies the invocation, for instance the global invocation id. At most 16,384 messages are kept between two
    /// waits, and the last 65,536 until they are collected by this.
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
    /// Errors: as [`Device::synchronize`]; the messages are then kept for the next call.
    #[doc(alias = "printf")]
    pub fn messages(&self) -> Result<Vec<Message>> {
        self.synchronize()?;
        Ok(self.0.messages.take())
    }

    /// Waits, and returns what a device that checks found since the last call and is no error
    /// ([`Defect::is_error`](crate::cpu::Defect::is_error)): values that were read out of bounds, or before they were
    /// written, and that nothing used. One finding for each line and launch, and 1,024 until they are collected. Empty on
    /// all other devices. The same is logged as advice ([`Device::set_advice`]).
    ///
    /// ```
    /// # fn main() -> crosslane::Result<()> {
    /// use crosslane::{Array, Device, Kernel};
    /// let checked = Device::cpu_checked()?;
    /// let guarded = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    ///     @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    ///         y[i] = select(7u, x[i], i < arrayLength(&x));
    ///     }
    /// ")?;
    /// let (mut x, mut y) = (Array::arange(&checked, 0u32, 3, 1), Array::<u32>::zeros(&checked, &[4]));
    /// guarded.grid([1]).args((&mut x, &mut y)).launch(&checked)?;
    /// assert_eq!(y.to_vec()?, [0, 1, 2, 7]);
    /// assert_eq!(checked.remarks()?.findings[0].spot.line, 5);
    /// # Ok(()) }
    /// ```
    ///
    /// Errors: as [`Device::synchronize`].
    #[cfg(feature = "cpu")]
    pub fn remarks(&self) -> Result<crosslane_core::report::Report> {
        self.synchronize()?;
        Ok(self.driver().observer().remarks.take())
    }

    /// How many workgroups of its launch a device that checks has begun, for the program's progress bar.
    #[cfg(feature = "cpu")]
    #[doc(hidden)]
    pub fn checked_workgroups(&self) -> u64 {
        self.driver().observer().checked.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// All live allocations of device memory, the largest first, with their purpose and the line of the program that
    /// made them. Empty if allocations are not tracked; see [`DeviceOptions::track_allocations`]. When the program's
    /// last handle of the device is dropped and arrays live on, the list is logged as a warning.
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

    /// The number of times that the host has waited for this device: calls that return values or wait for work
    /// ([`crate::Array::to_vec`], [`crate::Array::map_memory`], [`Device::synchronize`], [`crate::Event::wait`]), one
    /// each, on the cpu engine too, where the work is done already; and uploads that had to wait for staging memory, of
    /// more than a megabyte. Launches, deferred arrays, their evaluation and small uploads never wait.
    ///
    /// CUDA also counts one wait when pinned or foreign memory, a recording or a compiled kernel is freed; when memory
    /// runs out; and when a native kernel is first measured against its translation.
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

    /// Runs `callback` when all work queued so far in this thread's stream is done (outside of [`crate::Stream::run`],
    /// the main stream). Returns at once. The callback receives an error if the wait failed, as on a lost device.
    ///
    /// It runs on the device's own thread, one for each device, which also does the waiting of `_async` calls:
    /// callbacks run in the order in which they were added, and a long one delays the next ones. Callbacks may use the
    /// device, but must not wait for its `_async` calls: those run on the same thread. A panic in a callback is logged
    /// and has no other effect.
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
        self.when(move || device.driver().wait_event(&event), callback);
        Ok(())
    }

    /// Bytes held by arrays, bytes kept in the pool, and the peak.
    pub fn memory(&self) -> MemoryUse {
        self.0.pool.usage()
    }

    /// Sets or lifts the limit on live and pooled bytes.
    pub fn set_memory_limit(&self, bytes: Option<u64>) {
        self.0.pool.set_limit(bytes);
    }

    /// Returns pooled memory to the system.
    pub fn trim(&self) {
        self.0.pool.trim();
    }

    /// Calls `work` and returns the time that its kernels took on the device, as CUDA events measure it. `None` if the
    /// device has no clock, and while a [`Device::profile`] runs.
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

    /// What a launch and a transfer cost: measured once, by one thread while others wait.
    pub(crate) fn kept_costs(&self, measure: impl FnOnce() -> Result<Costs>) -> Result<Costs> {
        let mut kept = self.0.costs.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match *kept {
            Some(costs) => Ok(costs),
            None => Ok(*kept.insert(measure()?)),
        }
    }

    pub(crate) fn kept_roofline(&self) -> MutexGuard<'_, Option<Roofline>> {
        self.0.roofline.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The roofline, measured if need be; `None` while another call measures it, or where that fails.
    pub(crate) fn roofline_if_free(&self) -> Option<Roofline> {
        match self.0.roofline.try_lock().map(|kept| *kept) {
            Ok(Some(roofline)) => Some(roofline),
            Ok(None) => self.roofline().ok(),
            Err(_) => None,
        }
    }

    /// Whether it is kept how each array was computed.
    pub(crate) fn keeps_lineage(&self) -> bool {
        self.0.opening.options.lineage
    }

    /// The most elements that an operation takes at once, where it can number `most`: fewer in tests.
    pub(crate) fn most_numbered(&self, most: usize) -> usize {
        self.0.opening.options.numbered.map_or(most, |fewer| fewer.clamp(1, most))
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.0.pool
    }

    pub(crate) fn claims(&self) -> &Claims {
        &self.0.claims
    }

    /// Waits, without blocking the executor, until all work queued on the device is done.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// futures::executor::block_on(device.synchronize_async())?;
    /// # Ok(()) });
    /// ```
    pub fn synchronize_async(&self) -> impl Future<Output = Result<()>> + Send + use<> {
        let device = self.clone();
        self.awaited(move || device.synchronize())
    }
}

impl Clone for Device {
    fn clone(&self) -> Device {
        Device(self.0.clone(), Handle(self.1.0.clone().or_else(|| self.0.handles.upgrade())))
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Devices of one name are distinguished in messages, also where one card was opened twice.
        match self.properties().number {
            0 | 1 => write!(f, "Device({})", self.properties()),
            number => write!(f, "Device({}, number {number} of this name)", self.properties()),
        }
    }
}
