//! The devices whose compilers are there without them: the driver, the shim that answers it in the kernel's place, and what is expected.

/// A device that a shim plays.
#[derive(Debug)]
pub struct Device {
    /// As people name it; unique.
    pub name: &'static str,
    pub driver: Driver,
    /// What makes the shim play it.
    pub environment: &'static [(&'static str, &'static str)],
    /// The sizes of subgroups that its kernels may run in.
    pub subgroups: &'static [u64],
    /// Whether CI's sample takes it: a device that differs little from another one waits for the night, and so does one whose shim is
    /// built from source.
    pub sampled: bool,
}

/// A driver of Mesa's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Apple's.
    Honeykrisp,
    /// Intel's, and what it was before Gen 9.
    Anv,
    Hasvk,
    /// Qualcomm's.
    Turnip,
    /// NVIDIA's, the open one.
    Nvk,
    /// AMD's.
    Radv,
    /// Arm's.
    Panvk,
    /// Broadcom's.
    V3dv,
}

impl Driver {
    /// The shim's library and the loader's description, as `.ci/vendors` lays them down.
    pub fn files(self) -> [&'static str; 2] {
        match self {
            Driver::Honeykrisp => ["libasahi_noop_drm_shim.so", "asahi_icd.json"],
            Driver::Anv => ["libintel_noop_drm_shim.so", "intel_icd.json"],
            Driver::Hasvk => ["libintel_noop_drm_shim.so", "intel_hasvk_icd.json"],
            Driver::Turnip => ["libfreedreno_noop_drm_shim.so", "freedreno_icd.json"],
            Driver::Nvk => ["libnouveau_noop_drm_shim.so", "nouveau_icd.json"],
            Driver::Radv => ["libamdgpu_noop_drm_shim.so", "radeon_icd.json"],
            Driver::Panvk => ["libpanfrost_noop_drm_shim.so", "panfrost_icd.json"],
            Driver::V3dv => ["libv3d_noop_drm_shim.so", "broadcom_icd.json"],
        }
    }

    /// The kernels after which a process is to end: the amdgpu shim's memory ends at 517, and RADV then crashes.
    pub fn kernels(self) -> usize {
        if self == Driver::Radv { 400 } else { usize::MAX }
    }

    /// The part of `.ci/vendors` that makes it, where it is not in Debian's packages.
    pub fn part(self) -> Option<&'static str> {
        match self {
            Driver::Anv | Driver::Hasvk => Some("intel"),
            Driver::Panvk | Driver::V3dv => Some("arm"),
            _ => None,
        }
    }
}

const fn device(
    name: &'static str,
    driver: Driver,
    environment: &'static [(&'static str, &'static str)],
    subgroups: &'static [u64],
    sampled: bool,
) -> Device {
    Device { name, driver, environment, subgroups, sampled }
}

/// NVK does not open Ada (chipset 192); V3D and Mali need `.ci/vendors arm`.
#[rustfmt::skip]
pub const DEVICES: [Device; 22] = [
    device("Apple M1", Driver::Honeykrisp, &[], &[32], true),
    device("Intel Arc DG2", Driver::Anv, &[("INTEL_STUB_GPU_PLATFORM", "dg2")], &[8, 16], false),
    device("Intel Skylake", Driver::Anv, &[("INTEL_STUB_GPU_PLATFORM", "skl")], &[8, 16, 32], false),
    device("Intel Tiger Lake", Driver::Anv, &[("INTEL_STUB_GPU_PLATFORM", "tgl")], &[8, 16, 32], false),
    device("Intel Battlemage", Driver::Anv, &[("INTEL_STUB_GPU_PLATFORM", "bmg")], &[16, 32], false),
    device("Intel Broadwell", Driver::Hasvk, &[("INTEL_STUB_GPU_PLATFORM", "bdw")], &[8, 16, 32], false),
    device("Adreno 630", Driver::Turnip, &[("FD_GPU_ID", "630")], &[64, 128], true),
    device("Adreno 660", Driver::Turnip, &[("FD_GPU_ID", "660")], &[64, 128], false),
    device("Adreno 740", Driver::Turnip, &[("FD_GPU_ID", "740")], &[64, 128], true),
    device("Adreno 830", Driver::Turnip, &[("FD_GPU_ID", "830")], &[64], false),
    device("NVIDIA Volta, NVK", Driver::Nvk, &[("NOUVEAU_CHIPSET", "140")], &[32], false),
    device("NVIDIA Turing, NVK", Driver::Nvk, &[("NOUVEAU_CHIPSET", "162")], &[32], true),
    device("NVIDIA Ampere, NVK", Driver::Nvk, &[("NOUVEAU_CHIPSET", "172")], &[32], false),
    device("AMD Vega, 64", Driver::Radv, &[("AMDGPU_GPU_ID", "vega20")], &[64], true),
    device("AMD RDNA 2, 64", Driver::Radv, &[("AMDGPU_GPU_ID", "navi21")], &[32, 64], false),
    device("AMD RDNA 2, 32", Driver::Radv, &[("AMDGPU_GPU_ID", "navi21"), ("RADV_PERFTEST", "cswave32")], &[32, 64], false),
    device("AMD RDNA 3, 64", Driver::Radv, &[("AMDGPU_GPU_ID", "navi31")], &[32, 64], false),
    device("AMD RDNA 3, 32", Driver::Radv, &[("AMDGPU_GPU_ID", "navi31"), ("RADV_PERFTEST", "cswave32")], &[32, 64], true),
    device("AMD RDNA 4, 64", Driver::Radv, &[("AMDGPU_GPU_ID", "gfx1201")], &[32, 64], false),
    device("Mali-G52", Driver::Panvk, &[("PAN_GPU_ID", "7212"), ("PAN_I_WANT_A_BROKEN_VULKAN_DRIVER", "1"), ("WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER", "1")], &[8], false),
    device("Mali-G610", Driver::Panvk, &[("PAN_GPU_ID", "a867"), ("PAN_I_WANT_A_BROKEN_VULKAN_DRIVER", "1")], &[8], false),
    device("V3D 4.2", Driver::V3dv, &[], &[16], false),
];
