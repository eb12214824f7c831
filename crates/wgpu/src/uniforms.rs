//! Parameters of launches, where they are too many for the command buffer: in a buffer that is one submission's until it is
//! submitted.

use super::Wgpu;
use super::line::Commands;
use super::pipeline::UNIFORM_BYTES;
use super::submit::Prepared;
use crosslane_core::error::Result;
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

/// Parameters too many for the command buffer.
pub(super) struct Uniforms {
    pub buffer: wgpu::Buffer,
    pub group: wgpu::BindGroup,
}

/// The buffers that no submission has: as many as threads that submit at a time, the most of them small.
pub(super) type Free = Arc<Mutex<Vec<Uniforms>>>;

/// Buffers kept; what is more is given up.
const KEPT: usize = 16;

/// A buffer for one submission; the next takes it when this is dropped.
pub(super) struct Lease {
    uniforms: Option<Uniforms>,
    free: Free,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        free.extend(self.uniforms.take());
        if free.len() > KEPT {
            let smallest = (0..free.len()).min_by_key(|&nth| free[nth].buffer.size()).expect("there are several");
            free.swap_remove(smallest);
        }
    }
}

impl Wgpu {
    /// Writes the parameters that do not travel inside the command buffer; gives the offset of each. They are the commands'
    /// until those are submitted: what other threads write and submit in between has buffers of its own.
    pub(super) fn write_uniforms(
        &self,
        commands: &mut Commands,
        launches: &[Prepared],
    ) -> Result<(Option<wgpu::BindGroup>, Vec<u32>)> {
        let (bytes, offsets) = pack_uniforms(launches);
        if bytes.is_empty() {
            return Ok((None, offsets));
        }
        let size = (bytes.len() as u64 + UNIFORM_BYTES).next_power_of_two().max(1 << 16);
        let taken = {
            let mut free = self.uniforms.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let large = free.iter().position(|uniforms| uniforms.buffer.size() >= size);
            large.map(|nth| free.swap_remove(nth))
        };
        let uniforms = match taken {
            Some(uniforms) => uniforms,
            None => self.uniforms(size)?,
        };
        // Ordered after what was submitted with it before, and before whatever is submitted next.
        self.queue.write_buffer(&uniforms.buffer, 0, &bytes);
        let group = uniforms.group.clone();
        commands.keep(Lease { uniforms: Some(uniforms), free: self.uniforms.clone() });
        Ok((Some(group), offsets))
    }

    /// Room for this many bytes of parameters.
    pub(super) fn uniforms(&self, size: u64) -> Result<Uniforms> {
        let buffer = self.create_buffer("parameters", size, BufferUsages::UNIFORM | BufferUsages::COPY_DST)?;
        let binding = wgpu::BufferBinding { buffer: &buffer, offset: 0, size: wgpu::BufferSize::new(UNIFORM_BYTES) };
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("parameters"),
            layout: &self.cache.uniform_layout(&self.device),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
        });
        Ok(Uniforms { buffer, group })
    }
}

/// The parameters that do not travel inside the command buffer, and the offset of each launch's: none if none does.
pub(super) fn pack_uniforms(launches: &[Prepared]) -> (Vec<u8>, Vec<u32>) {
    if !launches.iter().any(|launch| launch.pipeline.uniform) {
        return (vec![], vec![]);
    }
    let mut bytes: Vec<u8> = Vec::new();
    let mut offsets = Vec::with_capacity(launches.len());
    for launch in launches {
        bytes.resize(bytes.len().next_multiple_of(256), 0);
        offsets.push(bytes.len() as u32);
        if launch.pipeline.uniform {
            bytes.extend_from_slice(bytemuck::cast_slice(&launch.params));
        }
    }
    (bytes, offsets)
}
