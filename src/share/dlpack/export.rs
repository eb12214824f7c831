//! Export of arrays as DLPack tensors.

use super::{
    CPU, CUDA, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, FLAG_IS_COPIED,
    FLAG_READ_ONLY, Raw, Tensor, context, data_type,
};
use crate::array::Array;
use crate::element::Element;
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Home, Owner};
use std::ffi::c_void;
use std::panic::Location;
use std::ptr::{self, NonNull};

/// The version that is written.
const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

/// What a tensor of an array points to.
struct Export {
    managed: DLManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// The memory.
    _owner: Owner,
}

impl<T: Element> Array<T> {
    /// Exports the array for another library. Computes it if need be, and waits for it.
    ///
    /// On the cpu engine and on CUDA the tensor is the array's own memory, views with their strides, and it is marked
    /// read-only: other arrays may share that memory. On wgpu, whose memory has no address, it is a copy on the host,
    /// marked as a copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let tensor = crosslane::Array::<f32>::ones(device, &[2, 3]).to_dlpack()?;
    /// assert_eq!(tensor.shape(), [2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`].
    #[doc(alias = "__dlpack__")]
    #[track_caller]
    pub fn to_dlpack(&self) -> Result<Tensor> {
        let driver = self.check()?.device().driver();
        let device = match driver.home() {
            Some(Home::Host) => DLDevice { device_type: CPU, device_id: 0 },
            Some(Home::Cuda(ordinal)) => DLDevice { device_type: CUDA, device_id: ordinal as i32 },
            None => return self.copied_tensor(),
        };
        let stored = self.in_memory()?;
        let (memory, layout) = (&stored.memory, stored.layout.clone());
        driver.wait()?; // for all streams: nobody knows in which the other library works
        self.device().faults_of(memory)?;
        let Some(address) = driver.address(memory)? else { return self.copied_tensor() };
        memory.history.note_write(); // perhaps, by the other library
        let first = address + (layout.offset * T::DTYPE.size()) as u64;
        Ok(export::<T>(first as usize as *mut c_void, device, &layout, FLAG_READ_ONLY, Box::new(stored)))
    }

    #[track_caller]
    fn copied_tensor(&self) -> Result<Tensor> {
        let mut values: Vec<T::Stored> = crosslane_core::memory::zeros("to_dlpack", self.len(), Location::caller())?;
        self.read_stored(&mut values)?;
        let first = values.as_mut_ptr().cast();
        let device = DLDevice { device_type: CPU, device_id: 0 };
        let layout = Layout::contiguous(self.shape());
        Ok(export::<T>(first, device, &layout, FLAG_IS_COPIED, Box::new(values)))
    }
}

fn export<T: Element>(first: *mut c_void, device: DLDevice, layout: &Layout, flags: u64, owner: Owner) -> Tensor {
    let managed = DLManagedTensorVersioned {
        version: VERSION,
        manager_ctx: ptr::null_mut(),
        deleter: Some(delete_export),
        flags,
        dl_tensor: DLTensor {
            data: first,
            device,
            ndim: layout.shape.len() as i32,
            dtype: data_type(T::DTYPE),
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        },
    };
    let shape = layout.shape.iter().map(|&extent| extent as i64).collect();
    let strides = layout.strides.iter().map(|&stride| stride as i64).collect();
    let export = Box::into_raw(Box::new(Export { managed, shape, strides, _owner: owner }));
    // SAFETY: the box is ours until the deleter takes it; what is pointed to stays where it is.
    unsafe {
        (*export).managed.manager_ctx = export.cast();
        (*export).managed.dl_tensor.shape = (*export).shape.as_mut_ptr();
        (*export).managed.dl_tensor.strides = (*export).strides.as_mut_ptr();
        Tensor(Raw::Versioned(NonNull::new_unchecked(&raw mut (*export).managed)))
    }
}

/// Deletes what [`export`] made.
unsafe extern "C" fn delete_export(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: whoever owns the tensor calls this once, and the context is the box.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Export>()) });
}

/// A tensor in the other structure, which owns it.
pub(super) fn unversioned(tensor: Tensor) -> *mut DLManagedTensor {
    let dl_tensor = *tensor.tensor();
    let managed =
        DLManagedTensor { dl_tensor, manager_ctx: context(Box::new(tensor)), deleter: Some(delete_unversioned) };
    Box::into_raw(Box::new(managed))
}

unsafe extern "C" fn delete_unversioned(tensor: *mut DLManagedTensor) {
    // SAFETY: as for delete_export: both boxes were made by unversioned().
    unsafe {
        let managed = Box::from_raw(tensor);
        drop(Box::from_raw(managed.manager_ctx.cast::<Tensor>()));
    }
}

/// A tensor in the other structure, which owns it.
pub(super) fn versioned(tensor: Tensor) -> *mut DLManagedTensorVersioned {
    let (dl_tensor, flags) = (*tensor.tensor(), tensor.flags());
    let (manager_ctx, deleter) = (context(Box::new(tensor)), Some(delete_versioned as _));
    Box::into_raw(Box::new(DLManagedTensorVersioned { version: VERSION, manager_ctx, deleter, flags, dl_tensor }))
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: as for delete_export: both boxes were made by versioned().
    unsafe {
        let managed = Box::from_raw(tensor);
        drop(Box::from_raw(managed.manager_ctx.cast::<Tensor>()));
    }
}

/// Without a device, so that Miri sees who owns what.
#[cfg(test)]
mod tests {
    use super::{CPU, DLDevice, FLAG_READ_ONLY, Tensor, export};
    use crosslane_core::layout::Layout;
    use std::sync::Arc;

    #[test]
    fn structures_are_deleted_once_whichever_way_they_go() {
        for ways in [&[][..], &[true], &[false], &[true, false], &[false, true, true]] {
            let values = Arc::new(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
            let device = DLDevice { device_type: CPU, device_id: 0 };
            let layout = Layout { shape: vec![2, 2], strides: vec![3, 1], offset: 0 };
            let first = values.as_ptr().cast_mut().cast();
            let mut tensor = export::<f32>(first, device, &layout, FLAG_READ_ONLY, Box::new(values.clone()));
            for &versioned in ways {
                // SAFETY: the pointers are those that this tensor gives, and each is taken once.
                tensor = unsafe {
                    match versioned {
                        true => Tensor::from_raw(tensor.into_raw()),
                        false => Tensor::from_raw_unversioned(tensor.into_raw_unversioned()),
                    }
                }
                .unwrap();
            }
            assert_eq!((tensor.shape(), tensor.strides()), (&[2, 2][..], Some(&[3, 1][..])));
            // SAFETY: the tensor keeps the values, of which this is the fifth.
            assert_eq!(unsafe { tensor.tensor().data.cast::<f32>().add(4).read() }, 5.0);
            assert_eq!(Arc::strong_count(&values), 2);
            drop(tensor);
            assert_eq!(Arc::strong_count(&values), 1, "{ways:?}");
        }
    }
}
