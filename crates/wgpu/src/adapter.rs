//! Finding adapters, and their capabilities as [`Properties`] and [`Caps`].

use crosslane_core::caps::{Caps, IMMEDIATES, MANY};
use crosslane_core::engine::Options;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::platform::BROWSER;
use crosslane_core::properties::{Backend, DeviceKind, Properties};
use crosslane_core::tuning::Tuning;
use wgpu::{Features, Limits};

/// What is asked for where the adapter has it.
const WANTED: Features = Features::SHADER_F16
    .union(Features::SHADER_F64)
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Features::SHADER_FLOAT32_ATOMIC)
    .union(Features::SUBGROUP)
    .union(Features::SUBGROUP_BARRIER)
    .union(Features::IMMEDIATES)
    .union(Features::TIMESTAMP_QUERY)
    .union(Features::PIPELINE_CACHE)
    .union(Features::EXPERIMENTAL_COOPERATIVE_MATRIX);

/// All adapters that compute, in the order wgpu finds them.
pub(super) async fn adapters() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        flags: wgpu::InstanceFlags::empty().with_env(),
        ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
    });
    let mut all = instance.enumerate_adapters(wgpu::Backends::all()).await;
    all.retain(|adapter| {
        let keep = computes(adapter);
        if !keep {
            log::info!("left out {}: it has no compute shaders", adapter.get_info().name);
        }
        keep
    });
    all
}

/// Whether kernels can run there. wgpu 30.0.1 says yes for OpenGL 3.3 with ARB_compute_shader, but naga writes no such
/// kernel below 4.3: seen with NVIDIA's driver 580 on an H200, whose version text is "3.3.0 NVIDIA 580.159.04".
fn computes(adapter: &wgpu::Adapter) -> bool {
    let flags = adapter.get_downlevel_capabilities().flags;
    let info = adapter.get_info();
    let version: String = info.driver_info.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    let old = info.backend == wgpu::Backend::Gl
        && numbers.next().is_some_and(|major| (major, numbers.next().unwrap_or(0)) < (4, 3));
    flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) && !old
}

/// Opens an adapter with all it has, but for what the options leave out.
pub(super) async fn request(adapter: &wgpu::Adapter, options: &Options) -> Result<(wgpu::Device, wgpu::Queue)> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("crosslane"),
        required_features: features(adapter, options),
        required_limits: limits(adapter, options),
        // SAFETY: only for cooperative matrices; kernels that use them are the library's, or a program vouches for them
        // by the unsafe Kernel::trusted().
        experimental_features: unsafe { wgpu::ExperimentalFeatures::enabled() },
        memory_hints: wgpu::MemoryHints::Performance,
        trace: wgpu::Trace::Off,
    };
    adapter.request_device(&descriptor).await.map_err(|error| {
        let device = adapter.get_info().name;
        ErrorKind::Backend { operation: "open", device, message: error.to_string() }.into()
    })
}

/// Says that Vulkan's devices in this process only compile: that what answers their drivers is a shim, of which Vulkan tells nothing.
const NULL: &str = "CROSSLANE_NULL_DEVICE";

/// Whether the driver only compiles: as the environment says, or RADV of Mesa before 25 for a card that is not there, whose null winsys
/// gives the name, <https://gitlab.freedesktop.org/mesa/mesa/-/blob/24.0/src/amd/vulkan/winsys/null/radv_null_winsys.c>.
pub(super) fn is_null(info: &wgpu::AdapterInfo) -> bool {
    let told = || std::env::var_os(NULL).is_some_and(|value| !value.is_empty());
    let radv = info.driver == "radv" && info.name.starts_with("Null hardware");
    radv || (info.backend == wgpu::Backend::Vulkan && told())
}

/// Whether host and device share memory.
fn shares_memory(info: &wgpu::AdapterInfo) -> bool {
    !is_null(info) && matches!(info.device_type, wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::Cpu)
}

/// The features to open an adapter with.
fn features(adapter: &wgpu::Adapter, options: &Options) -> Features {
    if options.webgpu_limits {
        return Features::empty();
    }
    // On a card only results of a few bytes use it: wgpu's warning about it does not apply.
    let map = if options.staged { Features::empty() } else { Features::MAPPABLE_PRIMARY_BUFFERS };
    let without = if options.no_immediates { Features::IMMEDIATES } else { Features::empty() };
    adapter.features() & (WANTED | map) & !without
}

/// The limits to open an adapter with.
fn limits(adapter: &wgpu::Adapter, options: &Options) -> Limits {
    let all = adapter.limits();
    match options {
        // GL may have less.
        Options { webgpu_limits: true, .. } => Limits::default().or_worse_values_from(&all),
        Options { no_immediates: true, .. } => Limits { max_immediate_size: 0, ..all },
        _ => all,
    }
}

/// Rows and columns of the matrices that tensor cores have: of f16 if they are of 16 x 16, of f16 and f32 if they are of
/// 8 x 8.
fn matrices(adapter: &wgpu::Adapter) -> Option<u32> {
    use wgpu::CooperativeScalarType::{F16, F32};
    let all = adapter.cooperative_matrix_properties();
    let has = |size: u32, of| {
        all.iter().any(|m| [m.m_size, m.n_size, m.k_size] == [size; 3] && (m.ab_type, m.cr_type) == (of, F32))
    };
    let small = has(8, F16) && has(8, F32);
    if has(16, F16) { Some(16) } else { small.then_some(8) }
}

/// What a plan may rely on, with these features and limits.
fn caps(info: &wgpu::AdapterInfo, features: Features, limits: &Limits, tensor: Option<u32>) -> Caps {
    let has = |feature| features.contains(feature);
    let mut caps = Caps::webgpu();
    caps.f16 = has(Features::SHADER_F16);
    caps.f64 = has(Features::SHADER_F64);
    caps.i64 = has(Features::SHADER_INT64);
    caps.denormals = false; // wgpu does not tell
    caps.atomic_i64 = has(Features::SHADER_INT64_ATOMIC_ALL_OPS);
    caps.atomic_f32 = has(Features::SHADER_FLOAT32_ATOMIC);
    caps.subgroups = has(Features::SUBGROUP).then_some((info.subgroup_min_size, info.subgroup_max_size));
    caps.tensor = tensor.filter(|_| has(Features::EXPERIMENTAL_COOPERATIVE_MATRIX));
    caps.timestamps = has(Features::TIMESTAMP_QUERY);
    caps.immediate_bytes = if has(Features::IMMEDIATES) { limits.max_immediate_size.min(IMMEDIATES) } else { 0 };
    caps.workgroup_invocations = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    caps.workgroup_bytes = limits.max_compute_workgroup_storage_size;
    caps.grid = limits.max_compute_workgroups_per_dimension;
    caps.registers = registers(info);
    caps.bindings = limits.max_storage_buffers_per_shader_stage;
    caps.binding_bytes = limits.max_storage_buffer_binding_size & !3;
    caps.buffer_bytes = 0; // told by buffer_bytes()
    caps.offset_alignment = limits.min_storage_buffer_offset_alignment as u64;
    caps.multiprocessors = MANY;
    caps.processor = None;
    caps.unified = has(Features::MAPPABLE_PRIMARY_BUFFERS) && shares_memory(info);
    caps.tuning = match info.device_type {
        wgpu::DeviceType::Cpu => Tuning::of_processor(),
        _ => Tuning::default(),
    };
    caps
}

/// Registers of an invocation, as its vendor's compiler in Mesa 26.1 allocates them; NVIDIA's own has 255 too. Apple's are those at
/// which a multiprocessor's threads are the fewest. Qualcomm's spill past 128 of 192. Intel's are those of subgroups of 8, less some
/// for values that all invocations share: others have registers apart for these.
fn registers(info: &wgpu::AdapterInfo) -> u32 {
    match info.vendor {
        0x10de => 255,
        0x1002 | 0x1022 => 256,
        0x8086 => 116,
        0x13b5 | 0x14e4 => 64, // Arm, Broadcom
        _ if info.device_type == wgpu::DeviceType::Cpu => 255,
        _ => 128,
    }
}

/// The largest array: past wgpu's largest buffer if the device was opened with all that the adapter has.
fn buffer_bytes(adapter: &wgpu::Adapter, limits: &Limits) -> u64 {
    let most = match limits.max_buffer_size == adapter.limits().max_buffer_size {
        true => super::dedicated::most(adapter).unwrap_or(0),
        false => 0,
    };
    // Addresses of the page's own memory have 32 bits.
    let all = if BROWSER { 1 << 31 } else { u64::MAX };
    most.max(limits.max_buffer_size).min(all) & !63
}

/// The properties of an adapter as it would be opened.
pub(super) fn properties(adapter: &wgpu::Adapter, options: &Options) -> Properties {
    describe(adapter, features(adapter, options), &limits(adapter, options))
}

pub(super) fn describe(adapter: &wgpu::Adapter, features: Features, limits: &Limits) -> Properties {
    let info = &adapter.get_info();
    let name = if info.name.is_empty() { "unnamed adapter".into() } else { info.name.clone() };
    let backend = match info.backend {
        wgpu::Backend::Vulkan => Backend::Vulkan,
        wgpu::Backend::Metal => Backend::Metal,
        wgpu::Backend::Dx12 => Backend::Dx12,
        wgpu::Backend::BrowserWebGpu => Backend::WebGpu,
        _ => Backend::Gl,
    };
    let kind = match info.device_type {
        _ if is_null(info) => DeviceKind::Null,
        wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
        wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
        wgpu::DeviceType::Cpu => DeviceKind::Software,
        wgpu::DeviceType::Other => DeviceKind::Other,
    };
    let mut caps = caps(info, features, limits, matrices(adapter));
    caps.buffer_bytes = buffer_bytes(adapter, limits);
    let mut properties = Properties::new(name, backend, kind, caps);
    (properties.vendor_id, properties.device_id) = (info.vendor, info.device);
    properties.vendor = vendor(info);
    properties.driver = format!("{} {}", info.driver, info.driver_info).trim().to_string();
    properties.driver += compiler(info.backend, adapter.features());
    properties.pci_bus = (!info.device_pci_bus_id.is_empty()).then(|| info.device_pci_bus_id.clone());
    properties
}

/// Which compiler of HLSL wgpu has found, for DX12. It does not tell, but takes DXC where `dxcompiler.dll` is to be had, and shader model
/// 5.1 with FXC otherwise, which has none of these; what has shader model 6 has subgroups.
fn compiler(backend: wgpu::Backend, features: Features) -> &'static str {
    let of_model_6 = Features::SUBGROUP | Features::SHADER_F16 | Features::SHADER_INT64;
    match backend {
        wgpu::Backend::Dx12 if features.intersects(of_model_6) => ", kernels by DXC",
        wgpu::Backend::Dx12 => ", kernels by FXC (no dxcompiler.dll)",
        _ => "",
    }
}

fn vendor(info: &wgpu::AdapterInfo) -> String {
    let known = match info.vendor {
        0 if info.backend == wgpu::Backend::BrowserWebGpu => "not told",
        0x10de => "NVIDIA",
        0x1002 | 0x1022 => "AMD",
        0x8086 => "Intel",
        0x106b => "Apple",
        0x13b5 => "Arm",
        0x5143 => "Qualcomm",
        0x1010 => "Imagination",
        0x10005 => "Mesa",
        0x1ae0 => "Google",
        0x1414 => "Microsoft",
        _ => return format!("{:#06x}", info.vendor),
    };
    known.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_dx12_say_which_compiler_is_there() {
        let (dx12, timestamps) = (wgpu::Backend::Dx12, Features::TIMESTAMP_QUERY);
        assert_eq!(compiler(dx12, timestamps | Features::SUBGROUP), ", kernels by DXC");
        assert_eq!(compiler(dx12, timestamps), ", kernels by FXC (no dxcompiler.dll)");
        assert_eq!(compiler(wgpu::Backend::Vulkan, timestamps), "");
    }
}
