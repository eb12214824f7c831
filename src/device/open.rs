//! Opening devices, and those that a program has opened itself.

use super::registry;
use super::{Claims, Device, DeviceOptions, Faults, Handle, Inner, Properties, Slices};
use crate::device::reopen::{Opening, Source};
use crate::device::{Messages, Watch};
use crosslane_core::countdown::Countdown;
use crosslane_core::engine::{Driver, set_natives};
use crosslane_core::error::Result;
use crosslane_core::memory::{Handles, Pool};
use crosslane_core::properties::{Backend, DeviceKind};
use crosslane_core::threads::wait_at_the_end;
#[cfg(feature = "cpu")]
use crosslane_cpu::Profile;
use std::sync::{Arc, Mutex, OnceLock};

impl Device {
    /// All devices of this machine, in the order of their indices for [`Device::open`].
    ///
    /// ```
    /// for (index, device) in crosslane::Device::list().iter().enumerate() {
    ///     println!("{index}: {device}");
    /// }
    /// ```
    pub fn list() -> Vec<Properties> {
        registry::list().into_iter().map(|listed| listed.properties).collect()
    }

    /// The device named by the environment variable `CROSSLANE_DEVICE`, or the best one here: a card before an
    /// integrated GPU before the library's own engine on the processor ([`Device::cpu`]) before software drivers. If
    /// the best one does not open, the next is tried. The reason for the choice is logged at level info, why a device did not
    /// open at level warn.
    ///
    /// Errors: no device; the message lists what was looked for and what to install. None opens: the error of the best.
    pub fn new() -> Result<Device> {
        Device::open(&std::env::var("CROSSLANE_DEVICE").unwrap_or_default())
    }

    /// The best device that fits a request: an index of [`Device::list`], a part of a name, vendor or driver (`nvidia`,
    /// `lavapipe`), an API (`vulkan`), both (`vulkan:nvidia`), or a kind (`gpu`, `discrete`, `integrated`, `software`).
    /// `cuda` and `cuda:1` are NVIDIA's cards by their ordinals. `cpu` is the processor, `cpu:checked` with
    /// [`Device::cpu_checked`]'s checks, `cpu:apple-like` and the like simulate other hardware ([`Device::cpu_as`]).
    /// Case does not matter; an empty request takes the best of all. Where several fit and the best does not open, the next is
    /// tried, as in [`Device::new`].
    ///
    /// Errors: no such device; engine not built in; none of those that fit opens.
    pub fn open(request: &str) -> Result<Device> {
        DeviceOptions::default().open(request)
    }

    /// The processor: nothing need be installed. Use it where there is no GPU, or as the reference for one: it follows the
    /// WGSL specification exactly.
    ///
    /// Kernels are compiled to machine code (Cranelift; feature `jit`): a kernel's first launches are interpreted until
    /// they have computed 2^20 words, then while another thread compiles. Both give the same bits, but for the order of
    /// atomics. `Device::open("cpu:compiled")` compiles before the first launch, `"cpu:one-pass"` too, in half of the time to
    /// slower code; `"cpu:interpreted"` never compiles. Devices of one process share the library's kernels, compiled or not.
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
        Device::cpu_as(Profile::default())
    }

    /// The processor with every access of every kernel checked ([`crate::cpu::Checks`]). A call that runs a defective
    /// kernel returns [`crate::ErrorKind::Defects`], which reports line, invocation and binding of each defect. Runs
    /// one workgroup at a time, the last first, 10 to 100 times slower than [`Device::cpu`], and takes about 16 bytes
    /// of the host's memory for each byte that kernels touch. `Device::open("cpu:checked")` is the same.
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

    /// The processor with the limits, features, subgroup size and order of workgroups of other hardware.
    ///
    /// ```
    /// use crosslane::{Array, Device};
    /// use crosslane::cpu::Profile;
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

    /// The CUDA device with this ordinal: an NVIDIA card through its own driver. The driver must be installed, and so
    /// must NVRTC, the run-time compiler of the CUDA toolkit. Compiled kernels are kept in the system's cache folder;
    /// the environment variable `CROSSLANE_CACHE` names another folder, or `off`.
    ///
    /// ```no_run
    /// let device = crosslane::Device::cuda(0)?;
    /// let x = crosslane::Array::<f32>::ones(&device, &[1000]);
    /// assert_eq!(x.sum().item()?, 1000.0);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a missing library (the message lists where it was looked for); no such card;
    /// [`crate::ErrorKind::NotBuilt`] without the cargo feature `cuda`.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        DeviceOptions::default().cuda(ordinal)
    }

    /// Chooses whether kernels written by hand, cuBLASLt and cuDNN replace translated WGSL on CUDA: where faster, never,
    /// always, or the libraries alone. On the processor the crate gemm replaces kernels of products of f32 and f64: `Auto` from
    /// 2^13 multiplications on, `Library` for all. The default is the environment variable `CROSSLANE_NATIVES` (`auto`, `off`, `on`,
    /// `library`); `auto` if it is not set. [`Array::explain`](crate::Array::explain) shows what runs.
    ///
    /// ```no_run
    /// let device = crosslane::Device::cuda(0)?.natives(crosslane::device::Natives::Off);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn natives(self, natives: crate::device::Natives) -> Device {
        set_natives(&**self.driver(), natives);
        self
    }

    /// A device over a wgpu device of the program. Features that it was opened without are not used.
    #[cfg(feature = "wgpu")]
    pub fn from_wgpu(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Device {
        let driver = crosslane_wgpu::adopt(adapter, device, queue);
        let source = Source::Listed(Box::new(driver.properties().clone()));
        DeviceOptions::default().over(driver, source)
    }

    /// The wgpu device and queue behind this device. Work that the program submits runs after all work submitted here
    /// before.
    #[cfg(feature = "wgpu")]
    pub fn wgpu(&self) -> Option<(wgpu::Device, wgpu::Queue)> {
        let engine = self.driver().any().downcast_ref::<crosslane_wgpu::Wgpu>()?;
        engine.share();
        Some((engine.device.clone(), engine.queue.clone()))
    }

    /// With what was tuned for it, if nothing else is said.
    pub(super) fn with_driver(driver: Arc<dyn Driver>, opening: Opening) -> Device {
        let budget = opening.options.options.budget();
        let tuning = opening.options.tuning.clone().unwrap_or_else(|| crosslane_ops::saved_tuning(driver.properties()));
        let caps = driver.caps().clone().with(|caps| caps.tuning = tuning);
        let pool = Pool::new(driver.clone());
        // A software driver computes on threads of the process.
        if driver.properties().kind == DeviceKind::Software && driver.properties().backend != Backend::Cpu {
            let driver = Arc::downgrade(&driver);
            let there = driver.clone();
            // What its work failed with is told to nobody any more.
            let wait = move || drop(driver.upgrade().map(|driver| driver.wait()));
            wait_at_the_end(move || there.strong_count() > 0, wait);
        }
        let slices = Slices::new(opening.options.slice, opening.options.options.deterministic, driver.properties());
        let handles = Arc::new(Handles { pool: pool.clone(), device: driver.properties().label() });
        let inner = Inner {
            pool,
            handles: Arc::downgrade(&handles),
            driver,
            opening,
            caps,
            claims: Claims::default(),
            plans: Default::default(),
            watch: Watch::new(budget),
            messages: Messages::default(),
            faults: Faults::default(),
            worker: OnceLock::new(),
            roofline: Mutex::default(),
            slices,
            costs: Mutex::default(),
            shortage: Countdown::default(),
        };
        Device(Arc::new(inner), Handle(Some(handles)))
    }

    /// A handle for an array: it does not count as one of the program's.
    pub(crate) fn uncounted(&self) -> Device {
        Device(self.0.clone(), Handle(None))
    }
}
