//! Capabilities: the limits and features that a plan may rely on, as plain data, so that plans are tested without the
//! hardware.

use crate::element::DType;
use crate::tuning::Tuning;

/// The most bytes of immediates that naga 30 can track: one bit a word in its `ImmediateSlots`, overflow beyond.
pub const IMMEDIATES: u32 = 256;

/// Invocations that a processor's thread runs together: four vectors of 128 bits, as many as hide an addition's latency.
pub const LANES: u32 = 16;

/// Multiprocessors of a large card, where nobody tells how many there are.
pub const MANY: u32 = 128;

/// Capabilities of a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Caps {
    /// 16-bit floats in kernels and in memory.
    pub f16: bool,
    /// 64-bit floats.
    pub f64: bool,
    /// 64-bit integers.
    pub i64: bool,
    /// Whether arithmetic keeps denormal f32. If not, the device may flush them to 0, and functions that need no
    /// arithmetic work on the bits.
    pub denormals: bool,
    /// 64-bit atomics, all operations.
    pub atomic_i64: bool,
    /// f32 add as an atomic.
    pub atomic_f32: bool,
    /// Smallest and largest subgroup size, if subgroup operations exist.
    pub subgroups: Option<(u32, u32)>,
    /// Rows and columns of the cooperative matrices that tensor cores multiply: 16 for f16 (NVIDIA, AMD), 8 for f16 or
    /// f32 (Apple). Sums are in f32.
    pub tensor: Option<u32>,
    /// GPU timestamps.
    pub timestamps: bool,
    /// Bytes of immediates: parameters inside the command buffer. 0 if the device has none.
    pub immediate_bytes: u32,
    /// Invocations of one workgroup.
    pub workgroup_invocations: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Workgroups in one dimension of a grid.
    pub grid: u32,
    /// Words of 32 bits that an invocation can keep in registers; a kernel that wants more spills to memory. No API tells: it is what
    /// the vendor's compiler allocates at most, 128 where the vendor is not known.
    pub registers: u32,
    /// Storage buffers that one kernel can bind.
    pub bindings: u32,
    /// Bytes of one binding.
    pub binding_bytes: u64,
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Bytes that a binding's offset must be a multiple of.
    pub offset_alignment: u64,
    /// Whether host and device share memory, so that arrays can be mapped in place.
    pub unified: bool,
    /// Workgroups that fill the device, roughly: as many as it has multiprocessors, up to 128. Through wgpu 128 for every
    /// device, those of a large card, since no API tells how many there are.
    pub multiprocessors: u32,
    /// The processor, where kernels run as machine code that the library compiles.
    pub processor: Option<Processor>,
    /// The tuned variant of each operation.
    pub tuning: Tuning,
}

/// A processor that runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Processor {
    /// Threads that run at the same time.
    pub threads: u32,
    /// Invocations that one thread runs together: a workgroup of as many needs no barriers.
    pub lanes: u32,
    /// Bytes of the cache that each thread has for itself.
    pub cache: u32,
}

impl Caps {
    /// What a device lacks for elements of this type, or `None` if it can.
    #[doc(hidden)]
    pub fn lacks(&self, dtype: DType) -> Option<&'static str> {
        let (has, feature) = match dtype {
            DType::F16 => (self.f16, "16-bit floats (SHADER_F16)"),
            DType::F64 | DType::Complex64 => (self.f64, "64-bit floats (SHADER_F64)"),
            DType::I64 | DType::U64 => (self.i64, "64-bit integers (SHADER_INT64)"),
            _ => (true, ""),
        };
        (!has).then_some(feature)
    }

    /// The same capabilities with a change.
    ///
    /// ```
    /// use crosslane::device::Caps;
    /// let caps = Caps::webgpu().with(|caps| caps.bindings = 4);
    /// assert_eq!((caps.bindings, caps.grid), (4, 65535));
    /// ```
    pub fn with(mut self, change: impl FnOnce(&mut Caps)) -> Caps {
        change(&mut self);
        self
    }

    /// What every WebGPU implementation has: the lowest common denominator.
    ///
    /// ```
    /// let caps = crosslane::device::Caps::webgpu();
    /// assert_eq!(caps.binding_bytes, 128 << 20);
    /// assert!(!caps.f16);
    /// ```
    pub fn webgpu() -> Caps {
        Caps {
            f16: false,
            f64: false,
            i64: false,
            denormals: false,
            atomic_i64: false,
            atomic_f32: false,
            subgroups: None,
            tensor: None,
            timestamps: false,
            immediate_bytes: 0,
            workgroup_invocations: 256,
            workgroup_bytes: 16384,
            grid: 65535,
            registers: 128,
            bindings: 8,
            binding_bytes: 128 << 20,
            buffer_bytes: 256 << 20,
            offset_alignment: 256,
            unified: false,
            // Few, so that small shapes fill them in tests.
            multiprocessors: 16,
            processor: None,
            tuning: Tuning::default(),
        }
    }

    /// The cpu engine where kernels are interpreted: every feature, and no limits but memory.
    pub fn processor() -> Caps {
        Caps {
            denormals: true,
            immediate_bytes: IMMEDIATES,
            workgroup_bytes: 64 << 10,
            binding_bytes: (1 << 32) - 64,
            buffer_bytes: (1 << 32) - 64,
            unified: true,
            tuning: Tuning::of_processor(),
            ..Caps::nvidia_like()
        }
    }

    /// As [`Caps::processor`], where kernels are compiled.
    pub fn compiled() -> Caps {
        Caps {
            // As a thread's vectors: a workgroup of a subgroup needs no barriers.
            subgroups: Some((LANES, LANES)),
            processor: Some(Processor { threads: crate::threads::count() as u32, lanes: LANES, cache: 512 << 10 }),
            tuning: Tuning::of_compiled(),
            ..Caps::processor()
        }
    }

    /// An AMD card through Vulkan: subgroups of 32 or 64.
    pub fn amd_like() -> Caps {
        Caps {
            subgroups: Some((32, 64)),
            immediate_bytes: 128,
            workgroup_bytes: 64 << 10,
            registers: 256,
            binding_bytes: (1 << 32) - 4,
            ..Caps::nvidia_like()
        }
    }

    /// An Intel GPU through Vulkan: subgroups of 8, 16 or 32.
    pub fn intel_like() -> Caps {
        Caps {
            f16: true,
            i64: true,
            subgroups: Some((8, 32)),
            timestamps: true,
            immediate_bytes: 256,
            workgroup_invocations: 1024,
            workgroup_bytes: 32 << 10,
            registers: 116,
            bindings: 64,
            binding_bytes: 1 << 30,
            buffer_bytes: (1 << 32) - 4,
            offset_alignment: 64,
            unified: true,
            ..Caps::webgpu()
        }
    }

    /// A large NVIDIA card through Vulkan.
    pub fn nvidia_like() -> Caps {
        Caps {
            f16: true,
            f64: true,
            i64: true,
            atomic_i64: true,
            atomic_f32: true,
            subgroups: Some((32, 32)),
            tensor: Some(16),
            timestamps: true,
            immediate_bytes: 256,
            workgroup_invocations: 1024,
            workgroup_bytes: 48 << 10,
            registers: 255,
            bindings: 64,
            binding_bytes: (1 << 31) - 1,
            buffer_bytes: 1 << 40,
            offset_alignment: 16,
            ..Caps::webgpu()
        }
    }

    /// An Apple GPU through Metal.
    pub fn apple_like() -> Caps {
        Caps {
            f16: true,
            subgroups: Some((32, 32)),
            tensor: Some(8),
            i64: true,
            immediate_bytes: IMMEDIATES,
            workgroup_invocations: 1024,
            workgroup_bytes: 32 << 10,
            bindings: 29,
            binding_bytes: 1 << 33,
            buffer_bytes: 1 << 33,
            unified: true,
            ..Caps::webgpu()
        }
    }

    /// A phone: small limits, few features.
    pub fn mobile_like() -> Caps {
        Caps { workgroup_invocations: 128, workgroup_bytes: 16352, registers: 64, bindings: 4, ..Caps::webgpu() }
    }

    /// A software Vulkan driver: unified memory, small bindings.
    pub fn software_like() -> Caps {
        Caps {
            f16: true,
            f64: true,
            i64: true,
            subgroups: Some((8, 8)),
            immediate_bytes: 128,
            workgroup_invocations: 1024,
            workgroup_bytes: 32 << 10,
            registers: 255,
            bindings: 32,
            buffer_bytes: (1 << 31) - 1,
            offset_alignment: 16,
            unified: true,
            ..Caps::webgpu()
        }
    }

    /// Every preset with its name.
    pub fn presets() -> Vec<(&'static str, Caps)> {
        vec![
            ("webgpu", Caps::webgpu()),
            ("nvidia-like", Caps::nvidia_like()),
            ("amd-like", Caps::amd_like()),
            ("intel-like", Caps::intel_like()),
            ("apple-like", Caps::apple_like()),
            ("mobile-like", Caps::mobile_like()),
            ("software-like", Caps::software_like()),
            ("compiled", Caps::compiled()),
        ]
    }

    /// Whether subgroups are a processor's vectors: there unrolled kernels gain nothing, and take seconds to compile.
    #[doc(hidden)]
    pub fn short_vectors(&self) -> bool {
        self.subgroups.is_some_and(|(_, most)| most <= 8)
    }

    /// Invocations of a workgroup for kernels that want as many as are good: 256, or what there is; on a processor what a
    /// thread runs together.
    #[doc(hidden)]
    pub fn workgroup(&self) -> u32 {
        self.processor.map_or(256, |processor| processor.lanes).min(self.workgroup_invocations)
    }

    /// Whether an invocation should take four neighbours at a time. A processor's vectors are neighbouring invocations.
    #[doc(hidden)]
    pub fn wide(&self, dtype: DType) -> bool {
        self.processor.is_none() || dtype.size() < 4
    }
}
