//! Mapped staging memory that the program fills or reads itself: `crosslane::HostBuffer`.

use super::Wgpu;
use super::buffer::buffer;
use super::line::Ticket;
use super::staging::fill;
use super::wait::Mapping;
use crosslane_core::engine::{HostBlock, lent};
use crosslane_core::error::Result;
use crosslane_core::memory::{Direction, Memory};
use std::sync::Arc;
use wgpu::{BufferUsages, BufferView, MapMode};

/// Mapped staging memory that the program fills or reads itself.
pub(super) struct PinnedBlock {
    engine: Arc<Wgpu>,
    buffer: wgpu::Buffer,
    view: Option<BufferView>,
    /// An upload under way: the memory can be filled again when it is mapped.
    pending: Option<Arc<Mapping>>,
    direction: Direction,
}

impl PinnedBlock {
    pub fn create(engine: Arc<Wgpu>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        let usage = match direction {
            Direction::Upload => BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
            Direction::Download => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        };
        let buffer = engine.create_buffer("host buffer", bytes, usage)?;
        let mut block = PinnedBlock { engine, buffer, view: None, pending: None, direction };
        block.map(None)?;
        Ok(Box::new(block))
    }

    /// Waits for an upload under way.
    fn finish(&mut self) -> Result<()> {
        match self.pending.take() {
            Some(mapping) => self.engine.mapped_counted("host buffer", &mapping),
            None => Ok(()),
        }
    }

    fn map(&mut self, sent: Option<Ticket>) -> Result<()> {
        let mode = if self.direction == Direction::Upload { MapMode::Write } else { MapMode::Read };
        self.engine.map("host buffer", &self.buffer, mode, 0..self.buffer.size(), sent)?;
        if self.direction == Direction::Download {
            let view = self.buffer.get_mapped_range(..);
            self.view = Some(view.map_err(|e| self.engine.backend_error("host buffer", e.to_string()))?);
        }
        Ok(())
    }
}

impl HostBlock for PinnedBlock {
    fn bytes(&self) -> Result<&[u8]> {
        let view = self.view.as_deref();
        view.ok_or_else(|| self.engine.backend_error("host buffer", "its last transfer failed".into()))
    }

    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.engine.begin()?;
        self.finish()?;
        if !bytes.is_empty() {
            let view = self.buffer.get_mapped_range_mut(..);
            let mut view = view.map_err(|e| self.engine.backend_error("host buffer", e.to_string()))?;
            fill(&mut view, offset, bytes);
        }
        Ok(())
    }

    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        if memory.is_lent() {
            return Err(lent("host buffer"));
        }
        self.finish()?;
        self.view = None;
        let engine = self.engine.clone();
        let sent = engine.guarded("host buffer", || {
            self.buffer.unmap();
            let mut commands = engine.commands();
            commands.uses(memory);
            let encoder = &mut commands.encoder;
            match self.direction {
                Direction::Upload => encoder.copy_buffer_to_buffer(&self.buffer, 0, buffer(memory), offset, bytes),
                Direction::Download => encoder.copy_buffer_to_buffer(buffer(memory), offset, &self.buffer, 0, bytes),
            }
            engine.queue_up(commands)
        })??;
        match self.direction {
            Direction::Upload => {
                let whole = 0..self.buffer.size();
                self.pending =
                    Some(engine.begin_map("host buffer", &self.buffer, MapMode::Write, whole, Some(sent))?);
                Ok(())
            }
            Direction::Download => {
                engine.waits.one();
                self.map(Some(sent))
            }
        }
    }
}
