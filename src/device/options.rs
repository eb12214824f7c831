//! Finding and choosing a device, and how to open it.

use super::Device;
use super::registry::{self, ENGINES, Listed};
use super::reopen::{Opening, Source};
use crosslane_core::engine::{Driver, Options};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::platform::BROWSER;
use crosslane_core::properties::{DeviceKind, Properties};
#[cfg(feature = "cpu")]
use crosslane_core::report::Checks;
use crosslane_core::tuning::Tuning;
#[cfg(feature = "cpu")]
use crosslane_cpu::Profile;
use std::sync::Arc;
use std::time::Duration;

/// Options for opening a device.
///
/// ```no_run
/// let device = crosslane::DeviceOptions::default().memory_limit(1 << 30).open("gpu")?;
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    pub(super) options: Options,
    memory_limit: Option<u64>,
    track: Option<bool>,
    pub(super) slice: Option<Duration>,
    pub(super) tuning: Option<Tuning>,
    pub(super) lineage: bool,
    pub(super) numbered: Option<usize>,
}

impl DeviceOptions {
    /// The most bytes that arrays and the pool may use together.
    pub fn memory_limit(mut self, bytes: u64) -> DeviceOptions {
        self.memory_limit = Some(bytes);
        self
    }

    /// Whether to record each allocation with its source line, for [`Device::live_allocations`]. By default on in debug
    /// builds. It costs a fraction of a microsecond each time memory is taken.
    pub fn track_allocations(mut self, track: bool) -> DeviceOptions {
        self.track = Some(track);
        self
    }

    /// Makes transfers go through staging memory even where host and device share memory.
    pub fn staged_transfers(mut self, staged: bool) -> DeviceOptions {
        self.options.staged = staged;
        self
    }

    /// For tests: arrays of more bytes than this are dedicated allocations in Vulkan, as those past wgpu's largest buffer are.
    #[cfg(feature = "cases")]
    #[doc(hidden)]
    pub fn dedicated_from(mut self, bytes: u64) -> DeviceOptions {
        self.options.shared_most = Some(bytes);
        self
    }

    /// For tests: operations that number elements with 32 bits take this many at once instead of some 2^32.
    #[cfg(feature = "cases")]
    #[doc(hidden)]
    pub fn numbered_most(mut self, elements: usize) -> DeviceOptions {
        self.numbered = Some(elements);
        self
    }

    /// Whether parameters of kernels are passed as immediates, inside the command buffer, on wgpu devices that have
    /// them. On by default. Otherwise they are passed in uniform buffers, as on a plain WebGPU device.
    ///
    /// ```
    /// # let lavapipe = |options: crosslane::DeviceOptions| options.open("lavapipe");
    /// # let Ok(device) = lavapipe(crosslane::DeviceOptions::default().immediates(false)) else { return };
    /// assert_eq!(device.caps().immediate_bytes, 0);
    /// ```
    pub fn immediates(mut self, immediates: bool) -> DeviceOptions {
        self.options.no_immediates = !immediates;
        self
    }

    /// Opens a wgpu device with the limits that every WebGPU implementation has, and without optional features: a
    /// kernel that runs there runs in every browser. Off by default. `Profile::webgpu()` is the same for the cpu
    /// engine.
    ///
    /// ```
    /// # let lavapipe = |options: crosslane::DeviceOptions| options.open("lavapipe");
    /// # let Ok(device) = lavapipe(crosslane::DeviceOptions::default().webgpu_limits(true)) else { return };
    /// assert_eq!((device.caps().bindings, device.caps().workgroup_invocations), (8, 256));
    /// assert!(!device.caps().f16 && device.caps().subgroups.is_none());
    /// ```
    pub fn webgpu_limits(mut self, limits: bool) -> DeviceOptions {
        self.options.webgpu_limits = limits;
        self
    }

    /// The longest that a program's kernel may run before it counts as endless: 20 s by default. The next call that
    /// waits for the device then returns [`ErrorKind::Endless`], and the kernel's results are invalid. The library's
    /// own kernels always end.
    ///
    /// - **The cpu engine** measures it for a launch; under [`Device::cpu_checked`]'s checks, for each workgroup.
    /// - **Elsewhere** it is counted for each invocation in its loops: about 10 ns an iteration, more for accesses to
    ///   memory, up to 42 s. Loops whose constants bound them below 65,536 iterations, nested loops multiplied, are not
    ///   counted. Not covered: a grid of very many short workgroups, [`crate::Kernel::trusted`] kernels, and kernels
    ///   that leave fewer than two bindings free. Drivers may have limits of their own.
    ///
    /// Mesa's llvmpipe silently stops an invocation's loops after 65,535 iterations in all. There the first wait after
    /// such a launch returns [`ErrorKind::LoopLeft`].
    pub fn time_limit(mut self, limit: Duration) -> DeviceOptions {
        self.options.time_limit = Some(limit);
        self
    }

    /// The most that one launch of the library's kernels may take: longer ones are cut into slices, several launches of parts
    /// of the grid, so that a device that also drives a screen can show pictures between them, and no watchdog of the system
    /// ends them. 50 ms by default where a screen is connected, off elsewhere
    /// and on [`DeviceOptions::deterministic`] devices; [`Duration::MAX`] turns it off.
    ///
    /// A launch's time is estimated: its bytes and operations at a quarter of the device's [`Device::roofline`], which is
    /// measured at the first launch that may be long. Kernels in slices have no substitutes (cuBLASLt, cuDNN, the crate gemm).
    /// A recording's launches are cut when it first runs. A program's own kernels are not: those that took longer are named by
    /// advice ([`Device::set_advice`]), where the device has timestamps, but for those in recordings.
    ///
    /// ```
    /// use crosslane::DeviceOptions;
    /// use std::time::Duration;
    /// # let Ok(device) = DeviceOptions::default().slice(Duration::from_millis(20)).open("") else { return Ok(()) };
    /// let x = crosslane::Array::linspace(&device, 0.0f32, 1.0, 256 * 256).reshape(&[256, 256]);
    /// assert_eq!(x.matmul(&x).shape(), [256, 256]);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[doc(alias = "TDR")]
    #[doc(alias = "watchdog")]
    pub fn slice(mut self, budget: Duration) -> DeviceOptions {
        self.slice = Some(budget);
        self
    }

    /// Faster and less exact arithmetic on the cuda engine: approximate division, square roots and functions, and
    /// denormals as zero. Off by default.
    pub fn fast_math(mut self, fast: bool) -> DeviceOptions {
        self.options.fast_math = fast;
        self
    }

    /// Always uses the same kernels, so that the same program gives the same bits in evaluations and recordings and
    /// from run to run. Off by default: then the cuda engine measures which kernel for a product or a sum is the
    /// fastest, and the last bits depend on the choice. With it, kernels written by hand run wherever there is one, and
    /// NVIDIA's libraries never, unless [`Device::natives`](crate::Device) turns them off. Other engines have no such choice.
    ///
    /// Functions that add floats by atomics elsewhere take their ordered forms, which sort first, and cost some ten times as
    /// much: [`Array::scatter_add`](crate::Array::scatter_add),
    /// [`Array::histogram_weights`](crate::Array::histogram_weights) and
    /// [`Array::bincount_weights`](crate::Array::bincount_weights) of f32. [`Array::put`](crate::Array::put) and
    /// [`Array::put_along_axis`](crate::Array::put_along_axis) keep the last of several values for one element, which
    /// takes some three times as long. A program's own kernels do as they say: their atomics have no order.
    ///
    /// ```
    /// # let options = crosslane::DeviceOptions::default().deterministic(true);
    /// # let Ok(device) = options.open("") else { return Ok(()) };
    /// let x = crosslane::Array::linspace(&device, 0.0f32, 1.0, 64 * 64).reshape(&[64, 64]);
    /// assert_eq!(x.matmul(&x).to_vec()?, x.matmul(&x).to_vec()?);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[doc(alias = "reproducible")]
    pub fn deterministic(mut self, deterministic: bool) -> DeviceOptions {
        self.options.deterministic = deterministic;
        self
    }

    /// Whether to keep how each array was computed, so that [`Array::rebuild`](crate::Array::rebuild) can compute it again
    /// after the device was lost. Off by default.
    ///
    /// Cost: a copy, in the host's memory, of all data that the program uploads, and a description of each step, of some
    /// hundred bytes, for as long as an array that was computed from them is there. In a loop that updates an array, that is
    /// all steps of the loop: [`Array::checkpoint`](crate::Array::checkpoint) ends it. The device's memory is not kept.
    ///
    /// ```
    /// let options = crosslane::DeviceOptions::default().keep_lineage(true);
    /// # let Ok(device) = options.open("") else { return Ok(()) };
    /// let x = crosslane::Array::from_slice(&device, &[1.0f32, 2.0]) + 1.0;
    /// assert_eq!(x.rebuild(&device.reopen()?)?.to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn keep_lineage(mut self, keep: bool) -> DeviceOptions {
        self.lineage = keep;
        self
    }

    /// The tuning to use. By default the one saved by `crosslane tune` for this device, else the built-in one.
    pub fn tuning(mut self, tuning: Tuning) -> DeviceOptions {
        self.tuning = Some(tuning);
        self
    }

    /// As [`Device::cuda`].
    pub fn cuda(&self, ordinal: usize) -> Result<Device> {
        self.open(&format!("cuda:{ordinal}"))
    }

    /// A device with what is set here beside the options of the engine.
    pub(super) fn over(&self, driver: Arc<dyn Driver>, source: Source) -> Device {
        let device = Device::with_driver(driver, Opening { source, options: self.clone() });
        device.set_memory_limit(self.memory_limit);
        if let Some(track) = self.track {
            device.pool().track(track);
        }
        device
    }

    /// As [`Device::cpu_as`], with checks if any are given.
    ///
    /// ```
    /// use crosslane::DeviceOptions;
    /// use crosslane::cpu::{Checks, Profile};
    /// let checks = Checks::default().with(|checks| checks.nan = true);
    /// let device = DeviceOptions::default().cpu(Profile::amd_like(), Some(checks))?;
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu(&self, profile: Profile, checks: Option<Checks>) -> Result<Device> {
        let driver = crosslane_cpu::open(profile.clone(), checks, crosslane_cpu::Tier::default(), &self.options)?;
        Ok(self.over(driver, Source::Processor(profile, checks)))
    }

    /// As [`Device::open`].
    pub fn open(&self, request: &str) -> Result<Device> {
        if BROWSER {
            let (wanted, help) = ("calls that block".to_string(), "await Device::open_async".to_string());
            let (operation, device) = ("Device::open", "a browser".to_string());
            return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: None }.into());
        }
        let request = request.trim();
        let lower = request.to_lowercase();
        if let Some(opened) = registry::request(&lower, &self.options) {
            return Ok(self.over(opened?, Source::Request(lower))); // without asking other drivers
        }
        let all = registry::list();
        // A number is an index and nothing else: as a part of a name it would fit most versions.
        let number: Option<usize> = request.parse().ok();
        let fits = |(index, listed): &(usize, &Listed)| match number {
            Some(number) => number == *index,
            None => listed.properties.matches(request),
        };
        let mut fitting: Vec<(usize, &Listed)> = all.iter().enumerate().filter(fits).collect();
        if fitting.is_empty() {
            return Err(no_device(request, &all));
        }
        // The best first; of equals the first that is listed.
        fitting.sort_by_key(|(_, listed)| std::cmp::Reverse(listed.properties.rank()));
        let open = |(index, listed): (usize, &Listed)| {
            let opened = registry::open(listed, &self.options).map(|driver| (index, listed.properties.clone(), driver));
            opened.inspect_err(|error| log::warn!("device {index}, {}, does not open: {error}", listed.properties))
        };
        let count = fitting.len();
        let unused: Vec<&Properties> = fitting
            .iter()
            .map(|(_, listed)| &listed.properties)
            .filter(|properties| properties.missing.is_some())
            .collect();
        let (index, properties, driver) = first_that_opens(fitting, open)?;
        // Only where no card is used: another API may have had it.
        if properties.kind == DeviceKind::Software {
            for card in unused {
                log::warn!("{card}: {}", card.missing.as_deref().unwrap_or_default());
            }
        }
        log::info!(
            "took device {index}, {}: the best of {} that fit {request:?} and open, by kind, API, f16, subgroup and workgroup size",
            properties,
            count
        );
        Ok(self.over(driver, Source::Listed(Box::new(properties))))
    }
}

/// What the first device that opens gives; where none does, the error of the best one, which is the first. A mistake in the options
/// is one on every device: none is tried after it.
fn first_that_opens<C, T>(candidates: Vec<C>, open: impl Fn(C) -> Result<T>) -> Result<T> {
    let mut first = None;
    for candidate in candidates {
        match open(candidate) {
            Ok(opened) => return Ok(opened),
            Err(error) if matches!(error.kind(), ErrorKind::Argument { .. }) => return Err(first.unwrap_or(error)),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.expect("there is a candidate"))
}

fn no_device(request: &str, all: &[Listed]) -> Error {
    let found: Vec<String> = all.iter().map(|listed| listed.properties.to_string()).collect();
    let mut engines: Vec<&str> = ENGINES.iter().map(|engine| engine.reaches).collect();
    let through_wgpu = ENGINES.iter().any(|engine| engine.name == "wgpu");
    if !through_wgpu {
        engines.push("nothing through wgpu: the cargo feature `wgpu` is off");
    }
    let engines = engines.join(", ");
    let looked = match found.is_empty() {
        true => format!("looked for {engines}; found none"),
        false => format!("looked for {engines}; found {}", found.join(", ")),
    };
    let install = if !through_wgpu {
        "Enable the cargo feature `wgpu`"
    } else if cfg!(target_os = "linux") {
        "Install your card's Vulkan driver, or a software one: `apt install mesa-vulkan-drivers`"
    } else if cfg!(target_os = "windows") {
        "Install your card's driver; without a card Windows has WARP, a DX12 device"
    } else {
        "Install your GPU's driver"
    };
    let wanted = if request.is_empty() { "any" } else { request }.to_string();
    ErrorKind::NoDevice { wanted, looked, install: install.into() }.into()
}

#[cfg(test)]
mod tests {
    use super::first_that_opens;
    use crosslane_core::error::{Error, ErrorKind};
    use std::cell::RefCell;

    fn fails(message: &str) -> Error {
        ErrorKind::DeviceLost { device: "a card".into(), reason: message.into() }.into()
    }

    #[test]
    fn the_next_device_is_tried() {
        let tried = RefCell::new(vec![]);
        let open = |nth: i32| {
            tried.borrow_mut().push(nth);
            if nth < 3 { Err(fails(&format!("{nth}"))) } else { Ok(nth) }
        };
        assert_eq!(first_that_opens(vec![1, 2, 3, 4], open).unwrap(), 3);
        assert_eq!(tried.take(), [1, 2, 3]);
        let error = first_that_opens(vec![2, 1], open).unwrap_err();
        assert!(error.to_string().contains("2") && tried.take() == [2, 1], "{error}");
    }

    #[test]
    fn a_mistake_in_the_options_is_told_at_once() {
        let wrong = || -> Error {
            let (argument, wanted, got) = ("slice".into(), "a time".into(), "none".into());
            ErrorKind::Argument { operation: "Device::open", argument, wanted, got, at: None }.into()
        };
        let tried = RefCell::new(0);
        let error = first_that_opens(vec![(), ()], |()| -> Result<(), Error> {
            *tried.borrow_mut() += 1;
            Err(wrong())
        });
        assert!(matches!(error.unwrap_err().kind(), ErrorKind::Argument { .. }) && tried.take() == 1);
    }
}
