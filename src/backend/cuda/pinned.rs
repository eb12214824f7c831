//! Host memory whose pages stay where they are, so that the card reads and writes it by itself: what CUDA calls pinned.

use super::Cuda;
use super::context::Context;
use super::memory::block;
use super::staging::{copy, zero};
use crate::backend::HostBlock;
use crate::error::Result;
use crate::memory::{Direction, Memory};
use cudarc::driver::sys;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Pinned memory. The card's own writes to it are seen after the stream has been waited for.
pub(super) struct HostMemory {
    pointer: NonNull<u8>,
    address: sys::CUdeviceptr,
    bytes: usize,
    context: Arc<Context>,
}

// SAFETY: it is plain memory that any thread may use.
unsafe impl Send for HostMemory {}
// SAFETY: shared references give its pointer only; who reads or writes through it answers for that.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Memory with any contents.
    pub fn new(context: &Arc<Context>, operation: &'static str, bytes: u64) -> Result<HostMemory> {
        let bytes = bytes.max(1) as usize;
        let (mut pointer, mut address) = (ptr::null_mut(), 0);
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the context is this thread's, and the pointer is to a variable that lives.
        context.check(operation, unsafe { sys::cuMemHostAlloc(&mut pointer, bytes, flags) })?;
        let pointer = NonNull::new(pointer.cast()).expect("a successful allocation is somewhere");
        let mut memory = HostMemory { pointer, address: 0, bytes, context: context.clone() };
        // SAFETY: the memory was allocated to be mapped, and the pointer is to a variable that lives.
        let mapped = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, pointer.as_ptr().cast(), 0) };
        context.check(operation, mapped)?;
        memory.address = address;
        Ok(memory)
    }

    /// Where the card finds it.
    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn pointer(&self) -> *mut u8 {
        self.pointer.as_ptr()
    }

    /// # Safety
    ///
    /// Neither the card nor another thread may write to it meanwhile, and the bytes must have been written once.
    pub unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the allocation has that length, and the caller answers for the rest.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    /// # Safety
    ///
    /// Neither the card nor another thread may use it meanwhile, and the bytes must have been written once.
    pub unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if !self.context.enter_to_free() {
            return;
        }
        // The stream may still use it.
        let waited = self.context.synchronize("free");
        // SAFETY: it was allocated so, is freed once, and nothing uses it any more.
        let freed = waited
            .and_then(|_| self.context.check("free", unsafe { sys::cuMemFreeHost(self.pointer.as_ptr().cast()) }));
        if let Err(error) = freed {
            log::warn!("{error}");
        }
    }
}

/// Pinned memory that the program fills or reads itself.
pub(super) struct PinnedBlock {
    engine: Arc<Cuda>,
    memory: HostMemory,
    direction: Direction,
}

impl PinnedBlock {
    pub fn create(engine: Arc<Cuda>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        engine.context.enter()?;
        let memory = HostMemory::new(&engine.context, "host buffer", bytes)?;
        // SAFETY: the memory is fresh, of that length, and this thread's alone.
        zero(unsafe { std::slice::from_raw_parts_mut(memory.pointer().cast(), memory.bytes) });
        Ok(Box::new(PinnedBlock { engine, memory, direction }))
    }
}

impl HostBlock for PinnedBlock {
    fn bytes(&self) -> Result<&[u8]> {
        // SAFETY: transfer() has waited for the card, and took this object for itself meanwhile; it began as zeros.
        Ok(unsafe { self.memory.bytes() })
    }

    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.engine.context.alive()?;
        // SAFETY: as above.
        copy(&mut unsafe { self.memory.bytes_mut() }[offset..][..bytes.len()], bytes);
        Ok(())
    }

    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        let context = &self.engine.context;
        context.enter()?;
        let bytes = bytes.min(self.memory.bytes as u64) as usize;
        let (there, here) = (block(memory).address() + offset, self.memory.pointer().cast());
        // SAFETY: both hold so many bytes: the array was made for the buffer's elements, or compared with them. Nothing
        // else uses the host's until the wait is over.
        let result = unsafe {
            match self.direction {
                Direction::Upload => sys::cuMemcpyHtoDAsync_v2(there, here, bytes, context.stream),
                Direction::Download => sys::cuMemcpyDtoHAsync_v2(here.cast(), there, bytes, context.stream),
            }
        };
        context.check("host buffer", result)?;
        context.synchronize("host buffer")
    }
}
