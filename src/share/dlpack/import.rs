//! Import of DLPack tensors as arrays.

use super::{CPU, CUDA, CUDA_HOST, FLAG_READ_ONLY, Tensor, data_type};
use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crate::share::foreign::{Elements, aligned};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Adopted, Home, Owner};
use std::panic::Location;

const OPERATION: &str = "from_dlpack";

impl<T: Element> Array<T> {
    /// Another library's tensor as an array: in its own memory where the engine can use that, as the table of
    /// [`dlpack`](crate::share::dlpack) says, else as a copy. The tensor is deleted when nothing uses the memory any more, at
    /// once if it was copied or refused.
    ///
    /// Others may read that memory, so it is not written implicitly: assigning to a part of the array, or passing it to
    /// a kernel for writing, copies it first. [`Argument::in_place`](crate::Argument::in_place) does write there, and
    /// is refused if the tensor is marked read-only, as those of [`Array::to_dlpack`] are.
    ///
    /// Errors: another element type, or vectors of it; memory of another device; an address that is no multiple of the
    /// element's size; a null pointer to elements; extents that are negative or too large; a copy that the host or the
    /// device has no memory for.
    #[track_caller]
    pub fn from_dlpack(device: &Device, tensor: Tensor) -> Result<Array<T>> {
        let at = Location::caller();
        let wanted = data_type(T::DTYPE);
        let raw = *tensor.tensor();
        if raw.dtype != wanted {
            let wanted = format!("{} ({wanted:?})", T::DTYPE);
            return Err(Error::argument(OPERATION, "element type", wanted, format!("{:?}", raw.dtype), at));
        }
        let layout = layout(&tensor, at)?;
        crate::array::check::<T>(OPERATION, device, &layout.shape, at)?;
        if layout.is_empty() {
            return Array::from_shape(device, &layout.shape, &[]).check().cloned();
        }
        let home = match raw.device.device_type {
            CPU | CUDA_HOST => Home::Host,
            CUDA => Home::Cuda(raw.device.device_id as usize),
            _ => return Err(elsewhere(device, &tensor, at)),
        };
        let first = (raw.data as usize as u64).wrapping_add(raw.byte_offset);
        aligned::<T>(OPERATION, if raw.data.is_null() { 0 } else { first }, at)?;
        let address = first - (layout.offset * T::DTYPE.size()) as u64;
        let read_only = tensor.flags() & FLAG_READ_ONLY != 0;
        let how = Adopted { copies: true, shared: true, read_only };
        let elements = Elements { home, address, layout: layout.clone(), how };
        let mut owner: Option<Owner> = Some(Box::new(tensor));
        // SAFETY: whoever made the Tensor promised that its memory is there and written until it is dropped.
        if let Some(array) = unsafe { elements.adopt(device, &mut owner) } {
            return Ok(array);
        }
        let tensor = owner.as_ref().and_then(|owner| owner.downcast_ref::<Tensor>()).expect("what was put in");
        match home {
            Home::Host => copied(device, address as usize as *const T::Stored, &layout, at),
            Home::Cuda(_) => Err(elsewhere(device, tensor, at)),
        }
    }
}

fn elsewhere(device: &Device, tensor: &Tensor, at: CallSite) -> Error {
    let wanted = format!("memory of the host, or of {device:?}");
    Error::argument(OPERATION, "device", wanted, format!("{:?}", tensor.tensor().device), at)
}

/// Shape and strides; the offset is that of the first element from the lowest address.
fn layout(tensor: &Tensor, at: CallSite) -> Result<Layout> {
    let mistake =
        |argument: &str, wanted: &str, got: String| Err(Error::argument(OPERATION, argument, wanted, got, at));
    let ndim = tensor.tensor().ndim;
    if ndim < 0 || tensor.shape().len() != ndim as usize {
        return mistake("ndim", "as many extents", format!("{ndim}"));
    }
    let Some(shape) = tensor.shape().iter().map(|&extent| usize::try_from(extent).ok()).collect::<Option<Vec<_>>>()
    else {
        return mistake("shape", "no negative extent", format!("{:?}", tensor.shape()));
    };
    let mut layout = Layout::contiguous(&shape);
    if let Some(strides) = tensor.strides() {
        layout.strides = strides.iter().map(|&stride| stride as isize).collect();
    }
    // How far it reaches each way, in elements, must fit an address space even if elements repeat.
    let mut reach = [0i128; 2];
    for (&extent, &stride) in shape.iter().zip(&layout.strides).filter(|_| !layout.is_empty()) {
        reach[(stride < 0) as usize] += (extent as i128 - 1) * (stride as i128).abs();
    }
    if reach.iter().any(|&reach| reach >= 1 << 58) {
        return mistake("strides", "an array in memory", format!("{:?} of {shape:?}", layout.strides));
    }
    layout.offset = reach[1] as usize;
    Ok(layout)
}

/// A copy of elements on the host. Those of `layout` count from `lowest` on.
fn copied<T: Element>(device: &Device, lowest: *const T::Stored, layout: &Layout, at: CallSite) -> Result<Array<T>> {
    // Elements may repeat: there may be more of them than any memory holds.
    crate::array::holds(OPERATION, device, T::DTYPE, layout.len(), at)?;
    let mut values: Vec<T::Stored> = crosslane_core::memory::room(OPERATION, layout.len(), at)?;
    match layout.is_contiguous() {
        // SAFETY: the tensor's memory holds the elements, aligned, as whoever made it promised.
        true => {
            values.extend_from_slice(unsafe { std::slice::from_raw_parts(lowest.add(layout.offset), layout.len()) })
        }
        false => {
            // SAFETY: as above, for each.
            let element = |index: usize| unsafe { lowest.add(layout.address(index)).read() };
            values.extend((0..layout.len()).map(element));
        }
    }
    Array::from_shape(device, &layout.shape, &T::from_stored(values)).check().cloned()
}
