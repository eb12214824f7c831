//! What a device is asked to do: kernel launches with their memory, and copies to and from the host.

use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::op::Grid;
use std::sync::Arc;

/// One kernel launch with its memory.
#[derive(Clone)]
pub struct Launch {
    /// The kernel that runs.
    pub kernel: Kernel,
    /// In the order of [`Kernel::bindings`].
    pub buffers: Vec<Window>,
    /// The words of the library's `Params`, or of a program's `var<immediate>`.
    pub params: Vec<u32>,
    /// The grid, in workgroups.
    pub grid: Grid,
    /// The least bytes and operations, if an operation's plan states them.
    pub cost: Option<Cost>,
}

/// What a launch moves and computes, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bytes read and written.
    pub bytes: u64,
    /// `None` if unknown.
    pub flops: Option<u64>,
}

impl Launch {
    /// The least bytes and operations of the launch. Without an operation, each window counts once.
    pub fn cost(&self) -> Cost {
        self.cost.unwrap_or_else(|| Cost { bytes: self.buffers.iter().map(|window| window.bytes).sum(), flops: None })
    }
}

/// A window of device memory.
#[derive(Clone)]
pub struct Window {
    /// The memory that holds the window.
    pub memory: Arc<Memory>,
    /// The first byte of the window in the memory.
    pub offset: u64,
    /// The size of the window in bytes.
    pub bytes: u64,
}

/// Bytes to read from device memory. Offsets are multiples of 4.
pub struct Read<'a> {
    /// The source on the device.
    pub from: &'a Memory,
    /// The first byte read, from the beginning of the memory.
    pub offset: u64,
    /// The destination on the host; its length says how many bytes are read.
    pub to: &'a mut [u8],
}

/// Bytes to write into device memory that is fresh: no other thread knows it. Offsets are multiples of 4; up to 3 bytes after the end may be overwritten.
pub struct Write<'a> {
    /// The destination on the device.
    pub to: &'a Memory,
    /// The first byte written, from the beginning of the memory.
    pub offset: u64,
    /// The bytes to write.
    pub from: &'a [u8],
}
