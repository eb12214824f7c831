//! DLPack: arrays from and to other libraries, in one process and where possible without a copy.
//!
//! The structures are those of `dlpack.h`, version 1; [`Tensor`] owns one of them. NumPy, PyTorch, CuPy, JAX and others
//! export and import them, in Python as a capsule's pointer.
//!
//! | the array is on | [`Array::to_dlpack`] | [`Array::from_dlpack`] of the host's memory | of CUDA memory |
//! |---|---|---|---|
//! | the cpu engine | no copy | no copy, from multiples of 4 bytes on | refused |
//! | CUDA | no copy | a copy | no copy, from the same card |
//! | wgpu | a copy, in the host's memory | a copy | refused |
//!
//! ```
//! # crosslane::example(|device| {
//! use crosslane::Array;
//! use crosslane::share::dlpack::Tensor;
//! let x = Array::from_shape(device, &[2, 2], &[1.0f32, 2.0, 3.0, 4.0]);
//! let pointer = x.transpose().to_dlpack()?.into_raw(); // for a library that takes it over
//! // SAFETY: the pointer is of a valid tensor that nobody else owns.
//! let tensor = unsafe { Tensor::from_raw(pointer) }?;
//! assert_eq!(Array::<f32>::from_dlpack(device, tensor)?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
//! # Ok(()) });
//! ```

mod export;
mod import;
mod raw;

pub use raw::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, FLAG_IS_COPIED,
    FLAG_READ_ONLY,
};

#[cfg(doc)]
use crate::Array;
use crate::element::{Class, DType};
use crosslane_core::error::{Error, Result};
use std::ffi::c_void;
use std::panic::Location;
use std::ptr::NonNull;

/// A DLPack tensor that the program owns. Dropping it calls its deleter.
#[doc(alias = "capsule")]
pub struct Tensor(Raw);

/// Either structure.
#[derive(Clone, Copy)]
enum Raw {
    Versioned(NonNull<DLManagedTensorVersioned>),
    Old(NonNull<DLManagedTensor>),
}

// SAFETY: who made it promised that any thread may use and delete it: from_raw asks for that.
unsafe impl Send for Tensor {}
// SAFETY: shared references only read the structure, which nobody changes.
unsafe impl Sync for Tensor {}

/// `kDLCPU`.
const CPU: i32 = 1;
/// `kDLCUDA`.
const CUDA: i32 = 2;
/// `kDLCUDAHost`: pinned memory of the host.
const CUDA_HOST: i32 = 3;

impl Tensor {
    /// Takes over a tensor of DLPack 1.
    ///
    /// Errors: a null pointer; another major version, after calling the deleter as DLPack requires.
    ///
    /// # Safety
    ///
    /// The pointer must be null, or point to a valid structure that no one else deletes. Any thread must be able to
    /// call its deleter. Until then the memory that it describes must be valid, its data complete, and no other code
    /// may write to it.
    #[track_caller]
    pub unsafe fn from_raw(tensor: *mut DLManagedTensorVersioned) -> Result<Tensor> {
        let tensor = Tensor(Raw::Versioned(not_null(tensor)?));
        // SAFETY: as the caller says; the version lies first in every version.
        let version = match tensor.0 {
            Raw::Versioned(raw) => unsafe { (*raw.as_ptr()).version },
            Raw::Old(_) => unreachable!("just made"),
        };
        match version.major {
            1 => Ok(tensor),
            _ => {
                let got = format!("{}.{}", version.major, version.minor);
                Err(Error::argument("from_raw", "version of DLPack", "1", got, Location::caller()))
            }
        }
    }

    /// Takes over a tensor of DLPack 0, which most libraries still export by default.
    ///
    /// Errors: a null pointer.
    ///
    /// # Safety
    ///
    /// As [`Tensor::from_raw`].
    #[track_caller]
    pub unsafe fn from_raw_unversioned(tensor: *mut DLManagedTensor) -> Result<Tensor> {
        Ok(Tensor(Raw::Old(not_null(tensor)?)))
    }

    /// The tensor for another library, which calls the deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        match std::mem::ManuallyDrop::new(self).0 {
            Raw::Versioned(raw) => raw.as_ptr(),
            old @ Raw::Old(_) => export::versioned(Tensor(old)),
        }
    }

    /// The tensor for a library that supports only DLPack 0, which has no read-only flag.
    pub fn into_raw_unversioned(self) -> *mut DLManagedTensor {
        match std::mem::ManuallyDrop::new(self).0 {
            Raw::Old(raw) => raw.as_ptr(),
            versioned @ Raw::Versioned(_) => export::unversioned(Tensor(versioned)),
        }
    }

    /// The description of the tensor.
    pub fn tensor(&self) -> &DLTensor {
        match self.0 {
            // SAFETY: the structure is valid as long as this owns it.
            Raw::Versioned(raw) => unsafe { &(*raw.as_ptr()).dl_tensor },
            // SAFETY: as above.
            Raw::Old(raw) => unsafe { &(*raw.as_ptr()).dl_tensor },
        }
    }

    /// [`FLAG_READ_ONLY`], [`FLAG_IS_COPIED`]; none from DLPack 0.
    pub fn flags(&self) -> u64 {
        match self.0 {
            // SAFETY: as above.
            Raw::Versioned(raw) => unsafe { (*raw.as_ptr()).flags },
            Raw::Old(_) => 0,
        }
    }

    /// The extent of each dimension.
    pub fn shape(&self) -> &[i64] {
        let tensor = self.tensor();
        slice(tensor.shape, tensor.ndim)
    }

    /// The distance between elements in each dimension; `None` for row-major order without gaps.
    pub fn strides(&self) -> Option<&[i64]> {
        let tensor = self.tensor();
        (!tensor.strides.is_null()).then(|| slice(tensor.strides, tensor.ndim))
    }
}

/// The numbers of a valid structure.
fn slice<'a>(first: *const i64, count: i32) -> &'a [i64] {
    if count <= 0 || first.is_null() {
        return &[];
    }
    // SAFETY: a valid structure has so many numbers there.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this owns the structure, and deletes it once.
        unsafe {
            match self.0 {
                Raw::Versioned(raw) => (*raw.as_ptr()).deleter.into_iter().for_each(|delete| delete(raw.as_ptr())),
                Raw::Old(raw) => (*raw.as_ptr()).deleter.into_iter().for_each(|delete| delete(raw.as_ptr())),
            }
        }
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DLTensor { device, dtype, .. } = self.tensor();
        write!(f, "Tensor({dtype:?}, shape {:?}, {device:?})", self.shape())
    }
}

#[track_caller]
fn not_null<T>(pointer: *mut T) -> Result<NonNull<T>> {
    NonNull::new(pointer)
        .ok_or_else(|| Error::argument("from_raw", "tensor", "a pointer to one", "null", Location::caller()))
}

/// DLPack's name of an element type.
fn data_type(dtype: DType) -> DLDataType {
    let code = match dtype.class() {
        Class::Signed => 0,
        Class::Unsigned => 1,
        Class::Float if dtype == DType::BF16 => 4,
        Class::Float => 2,
        Class::Complex => 5,
        Class::Bool => 6,
    };
    DLDataType { code, bits: 8 * dtype.size() as u8, lanes: 1 }
}

/// The context of a structure, as a pointer.
fn context<T>(value: Box<T>) -> *mut c_void {
    Box::into_raw(value).cast()
}
