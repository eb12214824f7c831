//! Device memory, allocated in the order of the stream that asks and freed in the main one's, and small memory of the host that the device writes.

use super::context::Context;
use super::pinned::HostMemory;
use crosslane_core::error::Result;
use crosslane_core::memory::{Memory, Owner, Place};
use cudarc::driver::sys::{self, CUresult};
use std::sync::Arc;

/// A block of memory.
pub(super) enum Block {
    Device(DeviceMemory),
    /// Memory of the host: a result in it needs no copy.
    Host(HostMemory),
    /// Foreign memory of the card.
    Foreign(ForeignMemory),
}

impl Block {
    pub fn new(context: &Arc<Context>, bytes: u64, place: Place) -> Result<Block> {
        let block = match place {
            Place::Device => Block::Device(DeviceMemory::new(context, bytes)?),
            Place::Result => Block::Host(HostMemory::new(context, "allocate", bytes)?),
        };
        context.born(block.address());
        Ok(block)
    }

    /// Where kernels and copies find it.
    pub fn address(&self) -> u64 {
        match self {
            Block::Device(memory) => memory.address,
            Block::Host(memory) => memory.address(),
            Block::Foreign(memory) => memory.address,
        }
    }
}

/// The engine's block behind memory of the pool.
pub(super) fn block(memory: &Memory) -> &Block {
    memory.block().downcast_ref().expect("memory of a cuda device is a block of its engine")
}

/// Memory of the card that its owner frees when it is dropped.
pub(super) struct ForeignMemory {
    pub address: sys::CUdeviceptr,
    pub owner: Option<Owner>,
    pub context: Arc<Context>,
}

impl Drop for ForeignMemory {
    fn drop(&mut self) {
        // What was queued here, in any stream, may still use it, and its owner does not know. There is none on a lost
        // card.
        let context = &self.context;
        let waited = context.enter().and_then(|_entered| {
            context.synchronize_for(self.address)?;
            context.freed(self.address, || Ok(()))
        });
        if let Err(error) = waited {
            log::warn!("{error}");
        }
        self.owner = None; // it may be the program's own, which finds its own context
    }
}

/// Memory of the card.
pub(super) struct DeviceMemory {
    address: sys::CUdeviceptr,
    context: Arc<Context>,
}

impl DeviceMemory {
    fn new(context: &Arc<Context>, bytes: u64) -> Result<DeviceMemory> {
        let result = match allocate(context, bytes) {
            // What was freed may still be in use, or reserved in pieces of other sizes.
            (CUresult::CUDA_ERROR_OUT_OF_MEMORY, _) => {
                context.synchronize("allocate")?;
                context.trim();
                allocate(context, bytes)
            }
            other => other,
        };
        context.check("allocate", result.0)?;
        Ok(DeviceMemory { address: result.1, context: context.clone() })
    }
}

fn allocate(context: &Context, bytes: u64) -> (CUresult, sys::CUdeviceptr) {
    let mut address = 0;
    let stream = context.current(); // the main one may be busy for long
    // SAFETY: the context is this thread's, the stream its own, and the pointer is to a variable that lives.
    let result = unsafe {
        match context.pool {
            Some(pool) => sys::cuMemAllocFromPoolAsync(&mut address, bytes as usize, pool, stream),
            None => sys::cuMemAlloc_v2(&mut address, bytes as usize),
        }
    };
    (result, address)
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let context = &self.context;
        let Ok(_entered) = context.enter() else { return };
        let free = || {
            // SAFETY: it was allocated so, and is freed once. What the streams still do with it comes before the freeing:
            // cuMemFree waits for it.
            context.check("free", unsafe {
                match context.pool {
                    Some(_) => sys::cuMemFreeAsync(self.address, context.stream),
                    None => sys::cuMemFree_v2(self.address),
                }
            })
        };
        if let Err(error) = context.freed(self.address, free) {
            log::warn!("{error}");
        }
    }
}
