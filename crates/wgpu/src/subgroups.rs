//! Whether a driver fills subgroups: what numbers lanes by subgroups may only run where it does.
//!
//! Selections and normalisations (`shared/lanes_subgroup.wgsl`) and sorts (`shared/sort_subgroup.wgsl`) take
//! `subgroup_id * size + subgroup_invocation_id` for the lane. Their workgroups are multiples of the largest size, but
//! Vulkan and WGSL promise full subgroups only to pipelines that ask for them, and wgpu-hal 30 has no way to ask
//! (`vulkan/device.rs:790` sets ALLOW_VARYING_SUBGROUP_SIZE alone). CUDA's warps of such blocks and Metal's SIMD groups
//! are full. (A program's collectives in `kernel/prelude.rs` need no full subgroups; cooperative matrices do, by
//! Vulkan's own rules.)
//!
//! So each adapter is asked once in a process, by a kernel in which every invocation looks whether
//!
//!   teams * size = WIDTH, team < teams, place < size.
//!
//! Where that holds for all, they are full, and the lanes are the numbers 0 to WIDTH - 1, each once: so many teams have
//! WIDTH invocations in all, and none has more than `size`, so that none has fewer. Where it does not, the device
//! counts as one without subgroups.

use super::answers::Scopes;
use crosslane_core::kernel::guarded;
use crosslane_core::platform::BROWSER;
use crosslane_core::properties::Properties;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;
use wgpu::BufferUsages;

/// Sizes of workgroups that kernels with subgroups have.
const WIDTHS: [u32; 6] = [32, 64, 128, 256, 512, 1024];
/// Workgroups of a probe: several run side by side.
const GROUPS: u32 = 64;
/// How long a probe is waited for: a driver may compile it first.
const PATIENCE: Duration = Duration::from_secs(10);

const TEXT: &str = "
@group(0) @binding(0) var<storage, read_write> odd: array<atomic<u32>>;
@compute @workgroup_size(WIDTH)
fn probe(
    @builtin(subgroup_id) team: u32,
    @builtin(num_subgroups) teams: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) place: u32,
) {
    atomicAdd(&odd[0], 1u);
    if (teams * size != WIDTHu || team >= teams || place >= size) {
        atomicAdd(&odd[1], 1u);
    }
}";

/// The properties, without subgroups if the driver does not fill them.
pub(super) fn checked(mut properties: Properties, device: &wgpu::Device, queue: &wgpu::Queue) -> Properties {
    static KNOWN: LazyLock<Mutex<HashMap<String, bool>>> = LazyLock::new(Mutex::default);
    let Some((_, most)) = properties.caps.subgroups else { return properties };
    if BROWSER {
        properties.caps.subgroups = None; // the answer would be waited for
        return properties;
    }
    let Properties { name, driver, backend, vendor_id, device_id, .. } = &properties;
    let key = format!("{backend:?} {vendor_id} {device_id} {name} {driver}");
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get(&key).copied();
    let full = found.unwrap_or_else(|| {
        let widths =
            WIDTHS.into_iter().filter(|&width| width >= most && width <= properties.caps.workgroup_invocations);
        let full = full(device, queue, &widths.collect::<Vec<_>>());
        *known().entry(key).or_insert(full)
    });
    if !full {
        log::warn!("{}: subgroups are not full, or not known to be: none are used", properties.label());
        properties.caps.subgroups = None;
    }
    properties
}

/// Whether workgroups of all these sizes have full subgroups. What goes wrong is no: calls say it again.
fn full(device: &wgpu::Device, queue: &wgpu::Queue, widths: &[u32]) -> bool {
    let scopes = Scopes::push(device);
    let asked = guarded(|| ask(device, queue, widths));
    let error = scopes.pop();
    let total: u32 = widths.iter().map(|width| width * GROUPS).sum();
    error.is_none() && asked == Ok(Some([total, 0]))
}

/// How many invocations have looked, and how many have found their subgroup not full.
fn ask(device: &wgpu::Device, queue: &wgpu::Queue, widths: &[u32]) -> Option<[u32; 2]> {
    let buffer = |usage| {
        let (label, size) = (Some("subgroups"), 8);
        device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
    };
    let found = buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let read = buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("subgroups") });
    for width in widths {
        let pipeline = pipeline(device, *width);
        let entries = [wgpu::BindGroupEntry { binding: 0, resource: found.as_entire_binding() }];
        let layout = &pipeline.get_bind_group_layout(0);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(GROUPS, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&found, 0, &read, 0, 8);
    let index = queue.submit([encoder.finish()]);
    let (done, mapped) = std::sync::mpsc::channel();
    read.map_async(wgpu::MapMode::Read, .., move |result| {
        let _ = done.send(result.is_ok()); // nobody waits any more: it took too long
    });
    device.poll(wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(PATIENCE) }).ok()?;
    if mapped.recv_timeout(PATIENCE) != Ok(true) {
        return None;
    }
    let view = read.get_mapped_range(..).ok()?;
    Some([0, 4].map(|at| u32::from_le_bytes(view[at..at + 4].try_into().expect("four bytes"))))
}

fn pipeline(device: &wgpu::Device, width: u32) -> wgpu::ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(TEXT.replace("WIDTH", &width.to_string()).into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("subgroups"), source });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("subgroups"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}
