//! Runs a kernel over buffers of words: the only file here that knows how a device is driven.

use crate::support;
use crosslane::{Backend, Device};
use naga::{AddressSpace, Module, StorageAccess};
use std::sync::Mutex;
use std::time::Duration;

/// How long one kernel may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The devices that are judged. Not OpenGL: naga's GLSL lacks WGSL's guards (7 / 0, `MIN % -1`, `i32(1e20)`).
pub fn devices() -> impl Iterator<Item = &'static Device> {
    support::drivers().iter().filter(|device| device.properties().backend != Backend::Gl)
}

/// Runs `main` of a source in a grid of workgroups; binding `n` of group 0 is buffer `n`. Gives what the buffers then
/// hold, or what went wrong.
pub fn run(device: &Device, source: &str, grid: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    // One at a time: two threads on a driver took 23 to 54 s for generated programs, one 15.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (device, queue) = device.wgpu().ok_or("no wgpu device behind this one")?;
    let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory]
        .map(|filter| device.push_error_scope(filter));
    let result = launch(&device, &queue, &module, source, grid, buffers);
    for scope in scopes.into_iter().rev() {
        if let Some(error) = futures::executor::block_on(scope.pop()) {
            return Err(error.to_string());
        }
    }
    result
}

fn launch(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    module: &Module,
    source: &str,
    grid: [u32; 3],
    buffers: &[Vec<u32>],
) -> Result<Vec<Vec<u32>>, String> {
    let entry = |(_, variable): (_, &naga::GlobalVariable)| {
        let (Some(binding), AddressSpace::Storage { access }) = (&variable.binding, variable.space) else {
            return None;
        };
        let read_only = !access.contains(StorageAccess::STORE);
        Some(wgpu::BindGroupLayoutEntry {
            binding: binding.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
    };
    let entries: Vec<_> = module.global_variables.iter().filter_map(entry).collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = |size, usage| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let bytes = |words: &Vec<u32>| words.len() as u64 * 4;
    let here = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let bound: Vec<_> = buffers.iter().map(|words| buffer(bytes(words), here)).collect();
    bound.iter().zip(buffers).for_each(|(to, from)| queue.write_buffer(to, 0, bytemuck::cast_slice(from)));
    let entries: Vec<_> = (0..)
        .zip(&bound)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let group =
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
    let total: u64 = buffers.iter().map(bytes).sum();
    let back = buffer(total, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);

    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(grid[0], grid[1], grid[2]);
    drop(pass);
    let mut at = 0;
    for (from, words) in bound.iter().zip(buffers) {
        encoder.copy_buffer_to_buffer(from, 0, &back, at, bytes(words));
        at += bytes(words);
    }
    queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    back.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
    let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(LIMIT) };
    device.poll(wait).map_err(|error| error.to_string())?;
    // Another thread's poll may be the one that calls back.
    let mapped = receiver.recv_timeout(LIMIT).map_err(|_| "the kernel did not end")?;
    mapped.map_err(|error| error.to_string())?;
    let view = back.get_mapped_range(..).map_err(|error| error.to_string())?;
    let mut words = view.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")));
    Ok(buffers.iter().map(|buffer| words.by_ref().take(buffer.len()).collect()).collect())
}
