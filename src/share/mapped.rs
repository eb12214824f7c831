//! Arrays that the host reads in place.

use crate::array::Array;
use crate::element::Element;
use crosslane_core::engine::Mapping;
use crosslane_core::error::{ErrorKind, Result};
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

/// The elements of an array in place, read by the host without a copy. See [`Array::map_memory`].
///
/// The elements are as stored in memory: `bool` as bytes of 0 and 1.
pub struct Mapped<T: Element> {
    /// None for an array without elements.
    mapping: Option<Box<dyn Mapping>>,
    marker: PhantomData<T>,
}

impl<T: Element> Deref for Mapped<T> {
    type Target = [T::Stored];

    fn deref(&self) -> &[T::Stored] {
        self.mapping.as_ref().map_or(&[], |mapping| bytemuck::cast_slice(mapping.bytes()))
    }
}

impl<T: Element> Array<T> {
    /// The elements in row-major order in the device's memory, without a copy: for devices that share the host's memory
    /// ([`Caps::unified`](crate::device::Caps::unified)). Computes the array if need be, and waits. A view with gaps is
    /// copied by the device first.
    ///
    /// While the guard lives, launches that write that memory are refused; on wgpu also those that read it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0.0f32, 4.0, 1.0);
    /// match x.map_memory() {
    ///     Ok(elements) => assert_eq!(elements[..], [0.0, 1.0, 2.0, 3.0]),
    ///     Err(_) => assert!(!device.caps().unified),
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`]; a device with memory of its own; on wgpu, another live guard of the same memory.
    #[doc(alias = "cudaHostGetDevicePointer")]
    #[doc(alias = "zero-copy")]
    #[track_caller]
    pub fn map_memory(&self) -> Result<Mapped<T>> {
        let at = Location::caller();
        self.check()?;
        let unsupported = || -> Result<Mapped<T>> {
            let (operation, device) = ("map_memory", self.device().properties().label());
            let wanted = "memory that the host shares".into();
            let help = "copy with Array::read_into, or with HostBuffer::download at the speed of the bus".into();
            Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into())
        };
        if !self.device().caps().unified {
            return unsupported();
        }
        if self.is_empty() {
            return Ok(Mapped { mapping: None, marker: PhantomData });
        }
        let (memory, offset) = self.contiguous_memory()?;
        let bytes = (self.len() * T::DTYPE.size()) as u64;
        match self.device().driver().clone().mapped(&memory, offset, bytes)? {
            Some(mapping) if is_aligned::<T>(mapping.bytes()) => {
                self.device().faults_of(&memory)?;
                Ok(Mapped { mapping: Some(mapping), marker: PhantomData })
            }
            _ => unsupported(),
        }
    }
}

fn is_aligned<T: Element>(bytes: &[u8]) -> bool {
    bytes.as_ptr().cast::<T::Stored>().is_aligned()
}
