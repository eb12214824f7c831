//! Properties of a device, and matching of requests against them.

use crate::caps::Caps;
use crate::kernel::Driven;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

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
    /// WebGPU, as a browser has it.
    WebGpu,
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

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A card with memory of its own.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU handed to a virtual machine.
    Virtual,
    /// Software on the processor: lavapipe, SwiftShader, WARP, the cpu engine.
    Software,
    /// Something else.
    Other,
    /// A driver that compiles for a card that is not there: each of Vulkan's where the environment has `CROSSLANE_NULL_DEVICE=1`, for
    /// a driver that a shim answers in the kernel's place. Kernels can be compiled (`crosslane::Launcher::compile`); whatever would run is
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported). It is opened only by its index, name, vendor or
    /// driver, or as `null`.
    Null,
}

/// Properties of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Properties {
    /// The device's name.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// The vendor's PCI number, or the API's own.
    pub vendor_id: u32,
    /// The device's PCI number, or the API's own.
    pub device_id: u32,
    /// The PCI bus address, where known: `0000:01:00.0`.
    pub pci_bus: Option<String>,
    /// The driver and its version.
    pub driver: String,
    /// The API.
    pub backend: Backend,
    /// The kind of device.
    pub kind: DeviceKind,
    /// Limits and features.
    pub caps: Caps,
    /// Why it cannot be opened, and what to install: a card whose driver is there and whose compiler of kernels is not. It is
    /// opened only where nothing else fits, which gives this as an error.
    pub missing: Option<String>,
    /// How many devices of this name the program has opened, with this one; 0 if it is not open.
    #[doc(hidden)]
    pub number: u32,
}

impl Properties {
    /// A device of which nothing else is known.
    #[doc(hidden)]
    pub fn new(name: String, backend: Backend, kind: DeviceKind, caps: Caps) -> Properties {
        let (vendor, driver) = Default::default();
        let (vendor_id, device_id, pci_bus, missing, number) = Default::default();
        Properties { name, vendor, vendor_id, device_id, pci_bus, driver, backend, kind, caps, missing, number }
    }

    /// The device's name in messages. If the program has opened others of the same name before, its number and its PCI
    /// bus address follow.
    ///
    /// ```
    /// let devices = [crosslane::Device::cpu()?, crosslane::Device::cpu()?];
    /// let [first, second] = devices.each_ref().map(|device| device.properties().label());
    /// assert!(first != second && second.contains("of this name"));
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn label(&self) -> String {
        let place = self.pci_bus.as_ref().map_or(String::new(), |place| format!(", at {place}"));
        match self.number {
            0 | 1 => self.name.clone(),
            number => format!("{} (number {number} of this name{place})", self.name),
        }
    }

    /// As a device has them that is being opened.
    #[doc(hidden)]
    pub fn opened(mut self) -> Properties {
        static OPENED: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());
        let mut opened = OPENED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let count = opened.entry(self.name.clone()).or_insert(0);
        *count += 1;
        self.number = *count;
        self
    }

    /// How good a choice it is; larger is better.
    #[doc(hidden)]
    pub fn rank(&self) -> impl Ord + use<> {
        let kind = match self.kind {
            DeviceKind::Discrete => 5,
            DeviceKind::Integrated => 4,
            DeviceKind::Virtual => 3,
            DeviceKind::Other => 2,
            DeviceKind::Software => 1,
            DeviceKind::Null => 0,
        };
        // Among software, the library's own engine comes first: it is right, and runs loops to their ends, which Mesa's
        // llvmpipe does not. OpenGL comes last: naga's GLSL lacks WGSL's guards, and no type beside 32 bits is there.
        // The same card is faster through CUDA than through Vulkan.
        let api = match self.backend {
            Backend::Gl => 0,
            Backend::Cuda | Backend::Cpu => 2,
            _ => 1,
        };
        let subgroup = self.caps.subgroups.map_or(0, |(_, max)| max);
        (self.missing.is_none(), kind, api, self.caps.f16, subgroup, self.caps.workgroup_invocations)
    }

    /// What its driver does with loops. Mesa's llvmpipe leaves all loops of an invocation after 65,535 turns together:
    /// LP_MAX_TGSI_LOOP_ITERATIONS of
    /// <https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/gallium/auxiliary/gallivm/lp_bld_limits.h>.
    #[doc(hidden)]
    pub fn driven(&self) -> Driven {
        match self.name.contains("llvmpipe") {
            true => Driven::Leaves,
            false => Driven::Runs,
        }
    }

    /// The most bytes of an invocation's variable that a number indexes, where the driver's compiler bears no more. Mesa 22.3.6's
    /// llvmpipe compiles an array of 512 words for 4 s, of 1024 for 17, of 2048 for over a minute, and dies of larger ones.
    #[doc(hidden)]
    pub fn most_indexed(&self) -> Option<u64> {
        self.name.contains("llvmpipe").then_some(4096)
    }

    /// Whether its driver forgets, without a word, what stands inside too many conditions: Mesa's llvmpipe does.
    #[doc(hidden)]
    pub fn forgets_conditions(&self) -> bool {
        self.name.contains("llvmpipe")
    }

    /// Whether a request names this device: `vulkan`, `nvidia`, `vulkan:nvidia`, `gpu`, `software`, a part of a name.
    #[doc(hidden)]
    pub fn matches(&self, request: &str) -> bool {
        let request = request.to_lowercase();
        let runs = self.kind != DeviceKind::Null; // an API or a kind of device is asked for to run kernels
        let backend = format!("{:?}", self.backend).to_lowercase();
        if let Some((first, rest)) = request.split_once(':')
            && (first == backend || (first == "wgpu" && self.backend.is_wgpu()))
        {
            return if rest.is_empty() { runs } else { self.matches(rest) };
        }
        // A word of the table means just that: "gl" is not a part of "Google".
        match request.as_str() {
            "" => return runs,
            "wgpu" => return runs && self.backend.is_wgpu(),
            "gpu" => return runs && self.kind != DeviceKind::Software,
            "vulkan" | "metal" | "dx12" | "gl" | "webgpu" | "cuda" | "cpu" => return runs && request == backend,
            "discrete" | "integrated" | "virtual" | "software" | "null" => {
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
        let place = self.pci_bus.as_ref().map_or(String::new(), |place| format!(", at {place}"));
        // A browser names no driver.
        let driver = if self.driver.is_empty() { String::new() } else { format!(", {}", self.driver) };
        let missing = if self.missing.is_some() { ", cannot be opened" } else { "" };
        write!(f, "{} ({:?}, {:?}{driver}{place}{missing})", self.name, self.backend, self.kind)
    }
}
