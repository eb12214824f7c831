//! Pipelines, their layouts, and bind groups, made once and kept.

use super::Scopes;
use crate::backend::Window;
use crate::caps::Caps;
use crate::error::{ErrorKind, Result};
use crate::kernel::{Kernel, travels_inside};
use crate::op::Access;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

/// A compiled kernel and how it is bound.
pub(super) struct Pipeline {
    pub raw: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// Whether parameters travel inside the command buffer.
    pub immediates: bool,
    pub uniform: bool,
}

/// Bytes that a uniform parameter binding spans: the most that a kernel's parameters take.
pub(super) const UNIFORM_BYTES: u64 = 4096;

/// Bind groups kept before all are dropped and made anew.
const KEPT_BIND_GROUPS: usize = 8192;

/// Access of each binding, bytes of immediates, whether parameters lie in a uniform buffer.
type LayoutKey = (Vec<Access>, u32, bool);

/// Kernel, and the windows: memory, offset, bytes.
type GroupKey = (u64, Vec<(u64, u64, u64)>);

#[derive(Default)]
pub(super) struct Cache {
    pipelines: RwLock<HashMap<u64, Arc<Pipeline>>>,
    layouts: Mutex<HashMap<LayoutKey, (wgpu::BindGroupLayout, wgpu::PipelineLayout)>>,
    groups: Mutex<HashMap<GroupKey, wgpu::BindGroup>>,
    uniform_layout: Mutex<Option<wgpu::BindGroupLayout>>,
}

impl Cache {
    pub fn forget(&self) {
        self.groups.lock().expect("no panic while held").clear();
    }

    /// The compiled kernel.
    pub fn pipeline(&self, device: &wgpu::Device, name: &str, caps: &Caps, kernel: &Kernel) -> Result<Arc<Pipeline>> {
        if let Some(pipeline) = self.pipelines.read().expect("no panic while held").get(&kernel.id()) {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(self.compile(device, name, caps, kernel)?);
        self.pipelines.write().expect("no panic while held").insert(kernel.id(), pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, device: &wgpu::Device, name: &str, caps: &Caps, kernel: &Kernel) -> Result<Pipeline> {
        let immediates = kernel.param_words() > 0 && travels_inside(kernel.param_words(), caps);
        let uniform = kernel.param_words() > 0 && !immediates;
        if uniform && kernel.param_words() as u64 * 4 > UNIFORM_BYTES {
            let message =
                format!("it has {} words of parameters; {} is the most", kernel.param_words(), UNIFORM_BYTES / 4);
            return Err(
                ErrorKind::Compile { kernel: kernel.name().into(), device: name.into(), message, at: None }.into()
            );
        }
        let scopes = Scopes::push(device);
        let immediate_size = if immediates { kernel.param_words() as u32 * 4 } else { 0 };
        let (layout, pipeline_layout) = self.layout(device, kernel.access(), immediate_size, uniform);
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name()),
            source: wgpu::ShaderSource::Wgsl(kernel.source().into()),
        };
        let checks = match kernel.trusted() {
            true => wgpu::ShaderRuntimeChecks::unchecked(),
            false => wgpu::ShaderRuntimeChecks::checked(),
        };
        // SAFETY: unchecked only for kernels whose text is the library's own; their plans bind windows that hold every
        // index they compute, which the conformance tests prove on devices that check.
        let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
        let raw = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name()),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(kernel.entry()),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[],
                zero_initialize_workgroup_memory: !kernel.trusted(),
            },
            cache: None,
        });
        match scopes.pop() {
            Some(error) => {
                let message = format!("{error}\n{}", kernel.source());
                Err(ErrorKind::Compile { kernel: kernel.name().into(), device: name.into(), message, at: None }.into())
            }
            None => Ok(Pipeline { raw, layout, immediates, uniform }),
        }
    }

    fn layout(
        &self,
        device: &wgpu::Device,
        access: &[Access],
        immediate_size: u32,
        uniform: bool,
    ) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
        let mut layouts = self.layouts.lock().expect("no panic while held");
        let key = (access.to_vec(), immediate_size, uniform);
        let make = || {
            let entries: Vec<_> = access
                .iter()
                .zip(0..)
                .map(|(&access, binding)| {
                    let ty = wgpu::BufferBindingType::Storage { read_only: access == Access::Read };
                    entry(binding, ty, false, None)
                })
                .collect();
            let own =
                device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
            let shared = uniform.then(|| self.uniform_layout(device));
            let groups: Vec<Option<&wgpu::BindGroupLayout>> =
                [Some(&own)].into_iter().chain(shared.iter().map(Some)).collect();
            let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &groups,
                immediate_size,
            });
            (own, pipeline)
        };
        layouts.entry(key).or_insert_with(make).clone()
    }

    /// The layout of group 1: parameters in a uniform buffer, at a dynamic offset.
    pub fn uniform_layout(&self, device: &wgpu::Device) -> wgpu::BindGroupLayout {
        let mut layout = self.uniform_layout.lock().expect("no panic while held");
        let make = || {
            let ty = wgpu::BufferBindingType::Uniform;
            let entries = [entry(0, ty, true, wgpu::BufferSize::new(UNIFORM_BYTES))];
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
        };
        layout.get_or_insert_with(make).clone()
    }

    /// The bind group of a pipeline over these windows.
    pub fn group(
        &self,
        device: &wgpu::Device,
        pipeline: &Pipeline,
        kernel: u64,
        windows: &[Window],
    ) -> wgpu::BindGroup {
        let key = (kernel, windows.iter().map(|w| (w.memory.id(), w.offset, w.bytes)).collect::<Vec<_>>());
        let mut groups = self.groups.lock().expect("no panic while held");
        if let Some(group) = groups.get(&key) {
            return group.clone();
        }
        let entries: Vec<_> = windows
            .iter()
            .zip(0..)
            .map(|(window, binding)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: super::buffer(&window.memory),
                    offset: window.offset,
                    size: wgpu::BufferSize::new(window.bytes),
                }),
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.layout,
            entries: &entries,
        });
        if groups.len() >= KEPT_BIND_GROUPS {
            groups.clear();
        }
        groups.insert(key, group.clone());
        group
    }
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
