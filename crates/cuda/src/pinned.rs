//! Host memory whose pages stay where they are, so that the card reads and writes it by itself: what CUDA calls pinned.

use super::Cuda;
use super::context::Context;
use super::event::Event;
use super::memory::block;
use super::staging::{copy, touch};
use crosslane_core::engine::HostBlock;
use crosslane_core::error::Result;
use crosslane_core::memory::{Direction, Memory, zeros};
use cudarc::driver::sys::{self, CUresult};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Pinned memory. The card's own writes to it are seen after their stream has been waited for.
pub(super) struct HostMemory {
    pointer: NonNull<u8>,
    address: sys::CUdeviceptr,
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
        let mut memory = HostMemory { pointer, address: 0, context: context.clone() };
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
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let Ok(_entered) = self.context.enter() else { return };
        // A stream may still use it.
        let waited =
            self.context.synchronize_for(self.address).and_then(|()| self.context.freed(self.address, || Ok(())));
        // SAFETY: it was allocated so, is freed once, and nothing uses it any more.
        let freed = waited
            .and_then(|_| self.context.check("free", unsafe { sys::cuMemFreeHost(self.pointer.as_ptr().cast()) }));
        if let Err(error) = freed {
            log::warn!("{error}");
        }
    }
}

/// Memory of the program's own that the card reaches while the device works, and that stays when the device is lost: the
/// program may be reading it then.
pub(super) struct PinnedBlock {
    engine: Arc<Cuda>,
    /// Whole pages of it are pinned, and no page that anything else lies in.
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
    direction: Direction,
    pinned: bool,
    /// After the last upload.
    event: Event,
    /// Whether an upload may be under way.
    busy: bool,
}

const PAGE: usize = 4096;

impl PinnedBlock {
    pub fn create(engine: Arc<Cuda>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        let context = engine.context.clone();
        let _entered = context.enter()?;
        let bytes = bytes.max(1) as usize;
        let pages = bytes.next_multiple_of(PAGE);
        let mut memory = zeros::<u8>("pinned memory", pages + PAGE, Location::caller())?;
        let start = memory.as_ptr().align_offset(PAGE);
        touch(&mut memory[start..][..pages]);
        let event = Event::new(&context, false)?;
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        // SAFETY: the pages are this vector's, which is neither moved nor freed before they are given back.
        let result = unsafe { sys::cuMemHostRegister_v2(memory[start..].as_mut_ptr().cast(), pages, flags) };
        let pinned = match result {
            // Not every system lets it: the driver then copies by way of memory of its own.
            CUresult::CUDA_ERROR_NOT_SUPPORTED
            | CUresult::CUDA_ERROR_NOT_PERMITTED
            | CUresult::CUDA_ERROR_OPERATING_SYSTEM
            | CUresult::CUDA_ERROR_INVALID_VALUE => {
                log::warn!("host memory cannot be pinned here ({result:?}): transfers are slower");
                false
            }
            other => context.check("host buffer", other).map(|_| true)?,
        };
        Ok(Box::new(PinnedBlock { engine, memory, start, bytes, direction, pinned, event, busy: false }))
    }

    /// Copies to the device, or from it, in this thread's stream. A download is waited for, an upload is not.
    fn start(&mut self, way: Direction, at: usize, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        let context = self.engine.context.clone();
        let _entered = context.enter()?;
        self.finish()?;
        let bytes = bytes as usize;
        let here = self.memory[self.start..][at..self.bytes][..bytes].as_mut_ptr();
        let there = block(memory).address() + offset;
        let access = (block(memory).address(), way == Direction::Upload);
        context.ordered([access].into_iter(), |stream| {
            // SAFETY: both hold so many bytes: the array was made for the buffer's elements, or compared with them. Nothing
            // else uses the host's until the card is done or has failed: a download is waited for here, an upload before
            // the block is used again, given to the program or dropped.
            let result = unsafe {
                match way {
                    Direction::Upload => sys::cuMemcpyHtoDAsync_v2(there, here.cast(), bytes, stream),
                    Direction::Download => sys::cuMemcpyDtoHAsync_v2(here.cast(), there, bytes, stream),
                }
            };
            context.check("host buffer", result)?;
            match way {
                Direction::Upload => {
                    let recorded = self.event.record(stream);
                    self.busy = recorded.is_ok();
                    recorded.or_else(|error| context.synchronize_stream("host buffer", stream).and(Err(error)))
                }
                Direction::Download => context.synchronize_stream("host buffer", stream),
            }
        })
    }

    /// Waits for an upload under way.
    fn finish(&mut self) -> Result<()> {
        if std::mem::take(&mut self.busy) && !self.event.is_done()? {
            self.engine.context.waits.one();
            self.event.wait("host buffer")?;
        }
        Ok(())
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        let context = self.engine.context.clone();
        // On a context that is lost the card does nothing more, but the pages stay registered: nothing else may come to lie there.
        let Ok(_entered) = context.enter() else {
            std::mem::forget(std::mem::take(&mut self.memory));
            return;
        };
        if let Err(error) = self.finish() {
            log::warn!("{error}");
            if context.alive().is_ok() {
                std::mem::forget(std::mem::take(&mut self.memory)); // the card may still read it
            }
            return;
        }
        if !self.pinned {
            return;
        }
        // SAFETY: it was registered so, and the card is done with it.
        let result = unsafe { sys::cuMemHostUnregister(self.memory[self.start..].as_mut_ptr().cast()) };
        if let Err(error) = self.engine.context.check("host buffer", result) {
            log::warn!("{error}");
        }
    }
}

impl HostBlock for PinnedBlock {
    fn bytes(&self) -> Result<&[u8]> {
        self.engine.context.alive()?;
        Ok(&self.memory[self.start..][..self.bytes])
    }

    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        let context = self.engine.context.clone();
        let _entered = context.enter()?;
        self.finish()?;
        copy(&mut self.memory[self.start + offset..][..bytes.len()], bytes);
        Ok(())
    }

    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        self.start(self.direction, 0, memory, offset, bytes.min(self.bytes as u64))
    }

    fn memory(&self) -> Option<&[u8]> {
        Some(&self.memory[self.start..][..self.bytes])
    }

    fn memory_mut(&mut self) -> Option<&mut [u8]> {
        // An upload may be under way. If waiting fails the card is lost, and reads nothing more.
        let context = self.engine.context.clone();
        if self.busy
            && let Err(error) = context.enter().and_then(|_entered| self.finish())
        {
            log::warn!("{error}");
        }
        Some(&mut self.memory[self.start..][..self.bytes])
    }

    fn transfer_part(&mut self, way: Direction, at: usize, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        self.start(way, at, memory, offset, bytes)
    }
}
