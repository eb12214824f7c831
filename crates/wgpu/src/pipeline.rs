//! Pipelines, their layouts, and bind groups, made once and kept.

use super::answers::Scopes;
use super::{barriers, nesting};
use crosslane_core::caps::Caps;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{
    Access, BindPoint, Kernel, for_directx, guarded, has_matrices, travels_inside, with_layout,
};
use crosslane_core::platform::BROWSER;
use crosslane_core::properties::Properties;
use crosslane_core::recent::Recent;
use crosslane_core::trace::{SpanKind, recorder::Recorder};
use crosslane_core::work::Window;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// A compiled kernel and how it is bound.
pub(super) struct Pipeline {
    pub raw: wgpu::ComputePipeline,
    pub kernel: Kernel,
    /// The layout of each group that buffers go to, from 0 on; group 0 is there always.
    layouts: Vec<wgpu::BindGroupLayout>,
    /// Whether parameters travel inside the command buffer.
    pub immediates: bool,
    pub uniform: bool,
    /// Whether submissions of it need a large stack: drivers of OpenGL compile a kernel in the thread that submits it first.
    pub needs_large_stack: bool,
}

/// Bytes that a uniform parameter binding spans: the most that a kernel's parameters take.
pub(super) const UNIFORM_BYTES: u64 = 4096;

/// Pipelines that are kept, layouts, and bind groups. What a submission uses it holds itself.
const KEPT: usize = 1024;
const KEPT_LAYOUTS: usize = 256;
const KEPT_BIND_GROUPS: usize = 8192;

/// The bind groups of a launch.
#[derive(Clone)]
pub(super) struct Groups {
    /// Group 0.
    pub first: wgpu::BindGroup,
    /// Group 1 and on: the library's own kernels have none.
    pub more: Option<Arc<[wgpu::BindGroup]>>,
}

/// Bindings, bytes of immediates, whether parameters lie in a uniform buffer.
type LayoutKey = (Vec<BindPoint>, u32, bool);

/// Of each group, and of all.
type Layouts = (Vec<wgpu::BindGroupLayout>, wgpu::PipelineLayout);

/// Kernel, and the windows: memory, offset, bytes.
type GroupKey = (u64, Vec<(u64, u64, u64)>);

pub(super) struct Cache {
    pipelines: Recent<u64, Arc<Pipeline>>,
    layouts: Recent<LayoutKey, Layouts>,
    groups: Recent<GroupKey, Groups>,
    uniform_layout: Mutex<Option<wgpu::BindGroupLayout>>,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            pipelines: Recent::new(KEPT),
            layouts: Recent::new(KEPT_LAYOUTS),
            groups: Recent::new(KEPT_BIND_GROUPS),
            uniform_layout: Mutex::default(),
        }
    }
}

impl Cache {
    pub fn forget(&self) {
        self.groups.clear();
    }

    /// The compiled kernel.
    pub fn pipeline(
        &self,
        device: &wgpu::Device,
        properties: &Properties,
        caps: &Caps,
        kernel: &Kernel,
        recorder: &Recorder,
    ) -> Result<Arc<Pipeline>> {
        if let Some(pipeline) = self.pipelines.get(&kernel.id()) {
            return Ok(pipeline);
        }
        let _compiling = recorder.open(SpanKind::Compile, kernel.name(), 0);
        let pipeline = kernel.on_its_stack(|| self.compile(device, properties, caps, kernel))?;
        let pipeline = Arc::new(pipeline);
        Ok(self.pipelines.keep(kernel.id(), pipeline))
    }

    fn compile(
        &self,
        device: &wgpu::Device,
        properties: &Properties,
        caps: &Caps,
        kernel: &Kernel,
    ) -> Result<Pipeline> {
        let immediates = kernel.param_words() > 0 && travels_inside(kernel.param_words(), caps);
        let uniform = kernel.param_words() > 0 && !immediates;
        if uniform && kernel.param_words() as u64 * 4 > UNIFORM_BYTES {
            let message =
                format!("it has {} words of parameters; {} is the most", kernel.param_words(), UNIFORM_BYTES / 4);
            let (kernel, device) = (kernel.name().into(), properties.label());
            return Err(ErrorKind::Compile { kernel, device, message, at: None }.into());
        }
        let scopes = Scopes::push(device);
        let immediate_size = if immediates { kernel.param_words() as u32 * 4 } else { 0 };
        let (mut module, points) = as_given(kernel, caps)?;
        let (layouts, pipeline_layout) = self.layout(device, &points, immediate_size, uniform);
        match device.adapter_info().backend {
            wgpu::Backend::Vulkan => barriers::order(&mut module),
            wgpu::Backend::Dx12 => for_directx(&mut module),
            _ => {}
        }
        // naga writes neither GLSL nor a browser's WGSL with the places of members.
        let is_text = BROWSER || device.adapter_info().backend == wgpu::Backend::Gl;
        if is_text && let Some(name) = with_layout(&module) {
            let message = format!(
                "its structure {name} has an @align or @size, which this device's language cannot be told: write members that \
                 fill the gaps"
            );
            let (kernel, device) = (kernel.name().into(), properties.label());
            return Err(ErrorKind::Compile { kernel, device, message, at: None }.into());
        }
        if properties.forgets_conditions() {
            nesting::fit(&mut module).map_err(|message| {
                let (kernel, device) = (kernel.name().into(), properties.label());
                crate::Error::from(ErrorKind::Compile { kernel, device, message, at: None })
            })?;
        }
        let source = given(kernel, module);
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(kernel.name()), source };
        let checks = match kernel.is_trusted() {
            true => wgpu::ShaderRuntimeChecks::unchecked(),
            false => wgpu::ShaderRuntimeChecks::checked(),
        };
        let make = || {
            // SAFETY: unchecked only for kernels whose text is the library's own, whose plans bind windows that hold every
            // index they compute, which the conformance tests prove on devices that check; and for those that a program
            // vouches for by the unsafe Kernel::trusted().
            let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name()),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(kernel.entry()),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // The module has the overrides' values in it.
                    constants: &[],
                    zero_initialize_workgroup_memory: !kernel.is_trusted(),
                },
                cache: None,
            })
        };
        let made = guarded(make);
        let message = match (scopes.pop(), made) {
            (None, Ok(raw)) => {
                let needs_large_stack = device.adapter_info().backend == wgpu::Backend::Gl && kernel.is_long();
                return Ok(Pipeline { raw, kernel: kernel.clone(), layouts, immediates, uniform, needs_large_stack });
            }
            (Some(error), _) => error.to_string(),
            (None, Err(message)) => message,
        };
        let message = format!("{message}\n{}", kernel.source());
        let (kernel, device) = (kernel.name().into(), properties.label());
        Err(ErrorKind::Compile { kernel, device, message, at: None }.into())
    }

    fn layout(&self, device: &wgpu::Device, points: &[BindPoint], immediate_size: u32, uniform: bool) -> Layouts {
        let key = (points.to_vec(), immediate_size, uniform);
        let make = || {
            // Groups that nothing is bound to are there too, empty.
            let count = points.last().map_or(1, |point| point.group as usize + 1);
            let own: Vec<_> = (0..count as u32).map(|group| group_layout(device, points, group)).collect();
            let shared = uniform.then(|| self.uniform_layout(device));
            let groups: Vec<Option<&wgpu::BindGroupLayout>> = own.iter().chain(&shared).map(Some).collect();
            let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("bindings"),
                bind_group_layouts: &groups,
                immediate_size,
            });
            (own, pipeline)
        };
        self.layouts.get(&key).unwrap_or_else(|| self.layouts.keep(key, make()))
    }

    /// The layout of group 1: parameters in a uniform buffer, at a dynamic offset.
    pub fn uniform_layout(&self, device: &wgpu::Device) -> wgpu::BindGroupLayout {
        let mut layout = self.uniform_layout.lock().expect("no panic while held");
        let make = || {
            let ty = wgpu::BufferBindingType::Uniform;
            let entries = [entry(0, ty, true, wgpu::BufferSize::new(UNIFORM_BYTES))];
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("parameters"),
                entries: &entries,
            })
        };
        layout.get_or_insert_with(make).clone()
    }

    /// The bind groups of a pipeline over these windows.
    pub fn groups(&self, device: &wgpu::Device, pipeline: &Pipeline, kernel: &Kernel, windows: &[Window]) -> Groups {
        let key = (kernel.id(), windows.iter().map(|w| (w.memory.id(), w.offset, w.bytes)).collect::<Vec<_>>());
        if let Some(made) = self.groups.get(&key) {
            return made;
        }
        let make = |(layout, group)| bind_group(device, layout, kernel, windows, group);
        let mut all = pipeline.layouts.iter().zip(0..).map(make);
        let first = all.next().expect("group 0 is there always");
        let more: Vec<wgpu::BindGroup> = all.collect();
        self.groups.keep(key, Groups { first, more: (!more.is_empty()).then(|| more.into()) })
    }
}

/// What is compiled: what runs. A browser's compiler gets a text, for which naga would write the library's own anew: those it
/// has compiled in the tests, as they are.
fn given(kernel: &Kernel, module: naga::Module) -> wgpu::ShaderSource<'_> {
    match BROWSER && kernel.reflection().is_none() {
        true => wgpu::ShaderSource::Wgsl(kernel.source().into()),
        false => wgpu::ShaderSource::Naga(Cow::Owned(module)),
    }
}

/// A kernel and its bindings as a driver gets them: to those of cooperative matrices, buffers are never only read.
///
/// NVIDIA's (580) moves loads of what is only read up past barriers, and what is stored to workgroup memory then queues
/// behind them (H200, products of f16: 240 TFLOP/s instead of 312).
pub(super) fn as_given<'a>(kernel: &'a Kernel, caps: &Caps) -> Result<(naga::Module, Cow<'a, [BindPoint]>)> {
    let mut module = kernel.parsed()?.module.clone();
    if caps.tensor != Some(16) || !has_matrices(&module) {
        return Ok((module, kernel.bindings().into()));
    }
    for (_, global) in module.global_variables.iter_mut() {
        if let naga::AddressSpace::Storage { access } = &mut global.space {
            *access |= naga::StorageAccess::LOAD | naga::StorageAccess::STORE;
        }
    }
    let written = |point: &BindPoint| BindPoint { access: Access::Write, ..*point };
    Ok((module, kernel.bindings().iter().map(written).collect()))
}

/// A group of one storage buffer.
pub(super) fn one_buffer(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entries = [entry(0, wgpu::BufferBindingType::Storage { read_only: true }, false, None)];
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

/// The layout of one group.
fn group_layout(device: &wgpu::Device, points: &[BindPoint], group: u32) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = points
        .iter()
        .filter(|point| point.group == group)
        .map(|point| {
            let ty = match point.uniform {
                true => wgpu::BufferBindingType::Uniform,
                false => wgpu::BufferBindingType::Storage { read_only: point.access == Access::Read },
            };
            entry(point.binding, ty, false, None)
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("bindings"), entries: &entries })
}

/// One group over those of the windows that go there.
fn bind_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    kernel: &Kernel,
    windows: &[Window],
    group: u32,
) -> wgpu::BindGroup {
    let entries: Vec<_> = kernel
        .bindings()
        .iter()
        .zip(windows)
        .filter(|(point, _)| point.group == group)
        .map(|(point, window)| wgpu::BindGroupEntry {
            binding: point.binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: super::buffer(&window.memory),
                offset: window.offset,
                size: wgpu::BufferSize::new(window.bytes),
            }),
        })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(kernel.name()), layout, entries: &entries })
}

fn entry(
    binding: u32,
    ty: wgpu::BufferBindingType,
    has_dynamic_offset: bool,
    min_binding_size: Option<wgpu::BufferSize>,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size },
        count: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "enable f16; enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read> x: array<f16>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(32) fn square() {
            let a = coopLoad<coop_mat16x16<f16, A>>(&x[0], 16u);
            let b = coopLoad<coop_mat16x16<f16, B>>(&x[0], 16u);
            coopStore(coopMultiplyAdd(a, b, coop_mat16x16<f32, C>()), &y[0], 16u);
        }";

    /// Each buffer's access in what the driver gets.
    fn accesses(module: &naga::Module) -> Vec<naga::StorageAccess> {
        let capabilities = naga::valid::Capabilities::all();
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        validator.validate(module).unwrap();
        let access = |(_, global): (_, &naga::GlobalVariable)| match global.space {
            naga::AddressSpace::Storage { access } => Some(access),
            _ => None,
        };
        module.global_variables.iter().filter_map(access).collect()
    }

    #[test]
    fn matrices_come_from_writable_buffers() {
        let (read, both) = (naga::StorageAccess::LOAD, naga::StorageAccess::LOAD | naga::StorageAccess::STORE);
        for declared in ["var<storage, read>", "var<storage,read>", "var<storage>", "var < storage , read /* only */ >"]
        {
            let kernel = Kernel::wgsl(&TEXT.replace("var<storage, read>", declared)).unwrap();
            let (module, points) = as_given(&kernel, &Caps::nvidia_like()).unwrap();
            assert_eq!(accesses(&module), [both, both], "{declared}");
            assert!(points.iter().all(|point| point.access == Access::Write));
            assert_eq!(kernel.bindings()[0].access, Access::Read, "what a launch reads is as it was");
            for caps in [Caps::nvidia_like().with(|caps| caps.tensor = Some(8)), Caps::webgpu()] {
                let (module, points) = as_given(&kernel, &caps).unwrap();
                assert_eq!((accesses(&module), &*points), (vec![read, both], kernel.bindings()));
            }
        }
    }
    /// wgpu has no text of what it gets as a module: its errors name no place in it, and looking for one must not panic.
    #[test]
    fn errors_of_modules_are_told_without_a_text() {
        let text = "@compute @workgroup_size(32) fn main() {\n    let x = subgroupAdd(1u);\n}";
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let capabilities = naga::valid::Capabilities::empty();
        let refused = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities).validate(&module);
        let (source, label, inner) = (String::new(), Some("sums".to_string()), Box::new(refused.unwrap_err()));
        assert!(inner.spans().len() > 0, "{inner:?}");
        let told = naga::error::ShaderError { source, label, inner }.to_string();
        assert!(told.contains("sums") && told.contains("SUBGROUP"), "{told}");
    }
}
