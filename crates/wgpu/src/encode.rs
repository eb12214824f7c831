//! What a program with a wgpu device of its own asks for: kernels in its command encoder, its buffers as memory.

use super::Wgpu;
use super::buffer::buffer;
use crosslane_core::engine::{Mapping, lent};
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
use crosslane_core::memory::{Kept, Lent, Memory, Share};
use crosslane_core::work::Launch;
use std::sync::Arc;
use wgpu::{BufferUsages, BufferView};

impl Wgpu {
    /// Records launches into a program's encoder. Their memory is kept until the device has run them, or the encoder is
    /// dropped.
    pub fn encode(&self, launches: &[Launch], encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        self.begin()?;
        // Lets go what earlier encoders kept, if it has run; what else the poll says is of no interest.
        let _ = self.device.poll(wgpu::PollType::Poll);
        let prepared = self.look_up(launches)?;
        if prepared.is_empty() {
            return Ok(());
        }
        self.guarded("encode", || {
            let (bytes, offsets) = super::uniforms::pack_uniforms(&prepared);
            // Not the engine's own: that is written again before the encoder is submitted.
            let uniforms = match bytes.is_empty() {
                true => None,
                false => Some(self.uniforms(bytes.len() as u64 + super::pipeline::UNIFORM_BYTES)?),
            };
            if let Some(uniforms) = &uniforms {
                self.queue.write_buffer(&uniforms.buffer, 0, &bytes);
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            super::submit::dispatch(&mut pass, &prepared, uniforms.as_ref().map(|uniforms| &uniforms.group), &offsets);
            Ok::<(), crate::Error>(())
        })??;
        let (mut read, mut written): (Vec<Share>, Vec<Kept>) = Default::default();
        for launch in launches {
            for (point, window) in launch.kernel.bindings().iter().zip(&launch.buffers) {
                match point.access {
                    // An assignment to it before the encoder is submitted makes a copy.
                    Access::Read => read.push(Share::new(&window.memory)),
                    Access::Write => written.push(window.memory.keep()),
                }
            }
        }
        encoder.on_submitted_work_done(move || drop((read, written)));
        Ok(())
    }

    /// Whether a buffer of the program's can be bound here.
    pub fn bindable(&self, operation: &'static str, buffer: &wgpu::Buffer) -> Result<()> {
        self.begin()?;
        self.guarded(operation, || {
            let layout = super::pipeline::one_buffer(&self.device);
            let size = wgpu::BufferSize::new(buffer.size().min(256) & !3);
            let binding = wgpu::BufferBinding { buffer, offset: 0, size };
            let entries = [wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }];
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            drop(self.device.create_bind_group(&descriptor));
        })
    }

    /// Memory where the host reads it, until it is dropped.
    pub(super) fn map_for_host(
        self: &Arc<Self>,
        memory: &Arc<Memory>,
        offset: u64,
        bytes: u64,
    ) -> Result<Option<Box<dyn Mapping>>> {
        let source = buffer(memory);
        if !self.unified() || !source.usage().contains(BufferUsages::MAP_READ) {
            return Ok(None);
        }
        crosslane_core::memory::Allocator::wait(&**self)?;
        let range = super::staging::map_range(offset, bytes as usize);
        let lent = self.map_and_lend(memory, range.clone())?.ok_or_else(|| lent("map"))?;
        let view = source.get_mapped_range(range.clone()).map_err(|e| self.backend_error("map", e.to_string()))?;
        let at = (offset - range.start) as usize;
        let (engine, buffer, bytes) = (self.clone(), source.clone(), bytes as usize);
        Ok(Some(Box::new(View { engine, view: Some(view), buffer, at, bytes, _lent: lent })))
    }
}

/// A mapped part of an array.
struct View {
    engine: Arc<Wgpu>,
    /// There until it is dropped.
    view: Option<BufferView>,
    buffer: wgpu::Buffer,
    at: usize,
    bytes: usize,
    _lent: Lent,
}

impl Mapping for View {
    fn bytes(&self) -> &[u8] {
        &self.view.as_ref().expect("only drop() takes it")[self.at..][..self.bytes]
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.view = None;
        self.engine.unmap(&self.buffer);
    }
}
