//! Arrays as arguments of a program's kernel.

use super::Array;
use super::transfer::copied;
use crate::device::Device;
use crate::element::{DType, Element};
use crate::graph::{Node, evaluate, storage_of};
use crosslane_core::error::{Error, Result};
use crosslane_core::memory::Memory;
use crosslane_core::work::Window;
use std::sync::Arc;

/// An array without its type.
#[derive(Clone)]
pub(crate) struct Untyped(Arc<Node>);

impl<T: Element> From<&Array<T>> for Untyped {
    fn from(array: &Array<T>) -> Untyped {
        Untyped(array.node.clone())
    }
}

impl Untyped {
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The error that it holds.
    pub fn error(&self) -> Option<Error> {
        self.0.error()
    }

    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Bytes of its elements, rounded up to whole words.
    pub fn bytes(&self) -> u64 {
        (self.0.len() as u64).saturating_mul(self.dtype().size() as u64).next_multiple_of(4)
    }

    /// The array's own memory, computed if need be; `None` if it is not contiguous from a multiple of `alignment` on.
    #[track_caller]
    pub fn in_place(&self, alignment: u64) -> Result<Option<Window>> {
        evaluate(std::slice::from_ref(&self.0))?;
        let storage = storage_of(&self.0)?;
        let offset = (storage.layout.offset * self.dtype().size()) as u64;
        let fits = storage.layout.is_contiguous() && offset.is_multiple_of(alignment);
        Ok(fits.then(|| Window { memory: storage.memory, offset, bytes: self.bytes() }))
    }

    /// The array's memory, and the end of its contents in bytes; the array is computed.
    pub fn end(&self) -> Result<(Arc<Memory>, u64)> {
        let storage = storage_of(&self.0)?;
        Ok((storage.memory, storage.len as u64 * self.dtype().size() as u64))
    }

    /// A copy of the array.
    pub fn copied(&self) -> Untyped {
        Untyped(copied(&self.0))
    }
}
