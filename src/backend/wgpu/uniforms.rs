//! Parameters of launches, where they are too many for the command buffer.

use super::Wgpu;
use super::pipeline::UNIFORM_BYTES;
use super::submit::Prepared;
use crate::error::Result;
use wgpu::BufferUsages;

/// Parameters too many for the command buffer.
pub(super) struct Uniforms {
    pub buffer: wgpu::Buffer,
    pub group: wgpu::BindGroup,
}

impl Wgpu {
    /// Writes the parameters that do not travel inside the command buffer; gives the offset of each.
    pub(super) fn write_uniforms(&self, launches: &[Prepared]) -> Result<(Option<wgpu::BindGroup>, Vec<u32>)> {
        if !launches.iter().any(|launch| launch.pipeline.uniform) {
            return Ok((None, vec![]));
        }
        let (bytes, offsets) = pack_uniforms(launches);
        let size = (bytes.len() as u64 + UNIFORM_BYTES).next_power_of_two().max(1 << 16);
        let mut uniforms = self.uniforms.lock().expect("no panic while held");
        if uniforms.as_ref().is_none_or(|u| u.buffer.size() < size) {
            *uniforms = Some(self.uniforms(size)?);
        }
        let uniforms = uniforms.as_ref().expect("just made");
        // Ordered before the next submission and after the last: the buffer can be used again each time.
        self.queue.write_buffer(&uniforms.buffer, 0, &bytes);
        Ok((Some(uniforms.group.clone()), offsets))
    }

    /// Room for so many bytes of parameters.
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
