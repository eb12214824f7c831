//! Vulkan's compiler alone: a device without queues' work, pipelines, and what the driver tells of them
//! (`VK_KHR_pipeline_executable_properties`).

use super::spirv::{Binding, Shader};
use ash::{ext, khr, vk};
use std::ffi::{CStr, c_char};
use wgpu::hal::api::Vulkan;

pub struct Compiler {
    device: ash::Device,
    executables: khr::pipeline_executable_properties::Device,
    push_bytes: u32,
    /// Of SPIR-V.
    pub version: (u8, u8),
    /// As wgpu: the driver chooses the size of subgroups, where it has a choice.
    stage_flags: vk::PipelineShaderStageCreateFlags,
    /// Keeps the instance.
    _adapter: wgpu::Adapter,
}

/// What is used where the driver has it. Of Vulkan 1.3 and with all its features nothing but the first two is an extension.
const EXTENSIONS: [&CStr; 8] = [
    khr::pipeline_executable_properties::NAME,
    ext::robustness2::NAME,
    ext::subgroup_size_control::NAME,
    khr::_16bit_storage::NAME,
    khr::_8bit_storage::NAME,
    khr::shader_float16_int8::NAME,
    khr::storage_buffer_storage_class::NAME,
    khr::zero_initialize_workgroup_memory::NAME,
];

impl Compiler {
    /// With all features that the driver has, and robust accesses, as wgpu opens it.
    pub fn open(adapter: &wgpu::Adapter) -> Result<Compiler, String> {
        let told = |result: vk::Result| result.to_string();
        // SAFETY: the structures are whole, each of a version or an extension that the driver has; the handles are the adapter's, which
        // is kept; every feature and extension asked for is one that the driver has just reported.
        unsafe {
            let Some(hal) = adapter.as_hal::<Vulkan>() else { return Err("it is not reached through Vulkan".into()) };
            let (instance, physical) = (hal.shared_instance().raw_instance(), hal.raw_physical_device());
            let properties = instance.get_physical_device_properties(physical);
            let api = hal.shared_instance().instance_api_version().min(properties.api_version);
            let all = instance.enumerate_device_extension_properties(physical).map_err(told)?;
            let has = |name: &CStr| all.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
            if !has(EXTENSIONS[0]) {
                return Err("it does not tell what it compiles (VK_KHR_pipeline_executable_properties)".into());
            }
            let names: Vec<*const c_char> = EXTENSIONS.into_iter().filter(|name| has(name)).map(CStr::as_ptr).collect();
            let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
            let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
            let mut newest = vk::PhysicalDeviceVulkan13Features::default();
            let mut newer = vk::PhysicalDeviceVulkan12Features::default();
            let mut new = vk::PhysicalDeviceVulkan11Features::default();
            let mut numbers = vk::PhysicalDeviceShaderFloat16Int8Features::default();
            let mut halves = vk::PhysicalDevice16BitStorageFeatures::default();
            let mut sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut executables);
            if has(ext::robustness2::NAME) {
                features = features.push_next(&mut robust);
            }
            features = match api {
                ..vk::API_VERSION_1_2 => features.push_next(&mut numbers).push_next(&mut halves),
                _ => features.push_next(&mut new).push_next(&mut newer),
            };
            features = match api {
                ..vk::API_VERSION_1_3 => features.push_next(&mut sizes),
                _ => features.push_next(&mut newest),
            };
            instance.get_physical_device_features2(physical, &mut features);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut features);
            let device = instance.create_device(physical, &info, None).map_err(told)?;
            let executables = khr::pipeline_executable_properties::Device::new(instance, &device);
            let push_bytes = properties.limits.max_push_constants_size;
            let stage_flags = match sizes.subgroup_size_control + newest.subgroup_size_control {
                0 => vk::PipelineShaderStageCreateFlags::empty(),
                _ => vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE,
            };
            drop(hal);
            let (version, _adapter) = (version(api), adapter.clone());
            Ok(Compiler { device, executables, push_bytes, version, stage_flags, _adapter })
        }
    }

    /// Compiles, and gives the compiler's statistics by its own names.
    pub fn compile(&self, shader: &Shader) -> Result<Vec<(String, u64)>, String> {
        let mut made = Made::new(self);
        // SAFETY: naga wrote the words for this device's Vulkan; the layout has what the shader binds.
        unsafe { made.make(shader) }.map_err(|result| result.to_string())?;
        // SAFETY: the pipeline was made by this device a moment ago, to be asked.
        unsafe { self.statistics(made.pipeline) }.map_err(|result| result.to_string())
    }

    /// SAFETY: the pipeline is this device's, and was made with `CAPTURE_STATISTICS`.
    unsafe fn statistics(&self, pipeline: vk::Pipeline) -> Result<Vec<(String, u64)>, vk::Result> {
        let mut all = vec![];
        // SAFETY: as above; there is one executable for each of the properties.
        unsafe {
            let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
            let executables = self.executables.get_pipeline_executable_properties(&info)?;
            for (index, executable) in (0..).zip(&executables) {
                all.push(("Subgroup size".into(), executable.subgroup_size as u64));
                let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
                let statistics = self.executables.get_pipeline_executable_statistics(&info)?;
                all.extend(statistics.iter().filter_map(|one| Some((text(&one.name), number(one)?))));
            }
        }
        Ok(all)
    }
}

/// The newest SPIR-V that this Vulkan takes, but for the steps between 1.0 and 1.3, which has subgroups.
fn version(api: u32) -> (u8, u8) {
    match api {
        vk::API_VERSION_1_3.. => (1, 6),
        vk::API_VERSION_1_2.. => (1, 5),
        vk::API_VERSION_1_1.. => (1, 3),
        _ => (1, 0),
    }
}

/// Vulkan's text.
fn text(name: &[c_char]) -> String {
    let bytes: Vec<u8> = name.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The value, if it is a count.
fn number(statistic: &vk::PipelineExecutableStatisticKHR) -> Option<u64> {
    // SAFETY: the format says which of the union's members the driver wrote.
    unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => Some(statistic.value.u64),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => statistic.value.i64.try_into().ok(),
            _ => None,
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: what was made of it is destroyed, since each `Made` borrows it.
        unsafe { self.device.destroy_device(None) }
    }
}

/// What a compilation makes, destroyed with it; null until it is made, which may be destroyed.
struct Made<'a> {
    compiler: &'a Compiler,
    module: vk::ShaderModule,
    groups: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Made<'_> {
    fn new(compiler: &Compiler) -> Made<'_> {
        let (module, groups, layout, pipeline) = Default::default();
        Made { compiler, module, groups, layout, pipeline }
    }

    /// SAFETY: the shader is valid SPIR-V for the device.
    unsafe fn make(&mut self, shader: &Shader) -> Result<(), vk::Result> {
        let device = &self.compiler.device;
        // SAFETY: the structures are whole, and the handles were made by this device.
        unsafe {
            let code = vk::ShaderModuleCreateInfo::default().code(&shader.words);
            self.module = device.create_shader_module(&code, None)?;
            let groups = shader.bindings.iter().map(|at| at.group + 1).max().unwrap_or(0);
            for group in 0..groups {
                let entries: Vec<_> = shader.bindings.iter().filter(|at| at.group == group).map(entry).collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&entries);
                self.groups.push(device.create_descriptor_set_layout(&info, None)?);
            }
            let stages = vk::ShaderStageFlags::COMPUTE;
            let pushed = [vk::PushConstantRange::default().stage_flags(stages).size(self.compiler.push_bytes)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&self.groups).push_constant_ranges(&pushed);
            self.layout = device.create_pipeline_layout(&info, None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .flags(self.compiler.stage_flags)
                .stage(stages)
                .module(self.module)
                .name(&shader.entry);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .stage(stage)
                .layout(self.layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            self.pipeline = made.map_err(|(_, result)| result)?.into_iter().next().unwrap_or_default();
            Ok(())
        }
    }
}

fn entry(at: &Binding) -> vk::DescriptorSetLayoutBinding<'static> {
    let kind = if at.uniform { vk::DescriptorType::UNIFORM_BUFFER } else { vk::DescriptorType::STORAGE_BUFFER };
    let entry = vk::DescriptorSetLayoutBinding::default().binding(at.binding).descriptor_type(kind);
    entry.descriptor_count(1).stage_flags(vk::ShaderStageFlags::COMPUTE)
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        let device = &self.compiler.device;
        // SAFETY: they are this device's or null, and nothing uses them: nothing is ever submitted.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            self.groups.iter().for_each(|&group| device.destroy_descriptor_set_layout(group, None));
            device.destroy_shader_module(self.module, None);
        }
    }
}
