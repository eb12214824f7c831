//! What an engine may offer to share memory and order with others: addresses, foreign memory, streams of the underlying
//! API.

use crate::error::{Error, ErrorKind, Result};
use crate::memory::{Block, Foreign, Home, Memory};
use crate::work::Window;
use std::ffi::c_void;
use std::sync::Arc;

/// Queues foreign work in a stream of the underlying API; receives the addresses of the memory that it uses.
pub type ForeignWork<'a> = dyn FnMut(*mut std::ffi::c_void, &[u64]) -> Result<()> + 'a;

/// Memory of the device that the host reads where it lies, until it is dropped.
pub trait Mapping: Send + Sync {
    /// The bytes, as the device left them.
    fn bytes(&self) -> &[u8];
}

/// Memory and order that are shared with others.
pub trait Interop {
    /// Waits, and lends memory to the host where it lies; `None` where the host does not reach it. Kernels that would
    /// disturb it are refused until it is given back.
    fn mapped(self: Arc<Self>, _: &Arc<Memory>, _offset: u64, _bytes: u64) -> Result<Option<Box<dyn Mapping>>> {
        Ok(None)
    }
    /// Where memory of this device lies, if it has an address there.
    fn home(&self) -> Option<Home> {
        None
    }
    /// The address of memory, where [`Interop::home`] says. What others do with it in this thread's stream from now on comes
    /// after what was asked of all streams.
    fn address(&self, _: &Memory) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Adopts foreign memory and takes its owner. `None` if that would need a copy.
    ///
    /// # Safety
    ///
    /// The bytes must be there until the owner is dropped, and nobody may write to them while they are used.
    unsafe fn adopt(&self, _: &mut Foreign) -> Option<Block> {
        None
    }
    /// The stream of the API beneath that this thread's work goes to.
    fn stream(&self) -> Option<*mut c_void> {
        None
    }
    /// Lets foreign work use memory in this way, in this thread's stream: behind what all streams were asked to do with
    /// it, and before what they will be. False where there is no such stream, and then nothing is done.
    fn in_stream(&self, _: &[(Window, bool)], _work: &mut ForeignWork) -> Result<bool> {
        Ok(false)
    }
}

/// The error for work on memory that the host sees at the moment.
pub fn lent(operation: &'static str) -> Error {
    let (wanted, got) = ("memory that only the device uses", "an array that a guard of Array::map_memory still shows");
    ErrorKind::Argument { operation, argument: "array".into(), wanted: wanted.into(), got: got.into(), at: None }.into()
}
