//! Device memory as this engine keeps it: a buffer, and its state that matters before the host maps it.

use super::line::Ticket;
use crosslane_core::memory::{Block, Memory};
use std::sync::{Mutex, MutexGuard};
use wgpu::BufferUsages;

pub struct Buffer {
    pub raw: wgpu::Buffer,
    /// Whether the host can map it: then its users are recorded.
    pub mappable: bool,
    host: Mutex<Host>,
}

/// Changed only while the line of submissions is locked.
#[derive(Default)]
pub(super) struct Host {
    /// The last submission that used it.
    pub last: Option<Ticket>,
    /// Whether it is mapped, or about to be: submitted work must not use it then.
    pub mapped: bool,
    /// Whether a mapping was given up that waited for a submission. wgpu 30 would map it for that one the next time, though
    /// others that came after it are not done: all that use it have to be waited for first.
    pub given_up: bool,
}

impl Buffer {
    pub fn new(raw: wgpu::Buffer) -> Buffer {
        let mappable = raw.usage().intersects(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE);
        Buffer { raw, mappable, host: Mutex::default() }
    }

    pub(super) fn host(&self) -> MutexGuard<'_, Host> {
        self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A buffer of the program's as memory.
pub fn adopted(raw: wgpu::Buffer) -> Block {
    Box::new(Buffer::new(raw))
}

/// The wgpu buffer behind a block, if it is this engine's.
pub fn shown(block: &Block) -> Option<&wgpu::Buffer> {
    block.downcast_ref::<Buffer>().map(|buffer| &buffer.raw)
}

pub(super) fn kept(memory: &Memory) -> &Buffer {
    memory.block().downcast_ref().expect("memory of a wgpu device is a buffer of this engine's")
}

/// The wgpu buffer behind device memory.
pub(super) fn buffer(memory: &Memory) -> &wgpu::Buffer {
    &kept(memory).raw
}
