//! The structures of `dlpack.h`, by their own names.

use std::ffi::c_void;

/// The consumer of the tensor must not write to it.
pub const FLAG_READ_ONLY: u64 = 1;
/// The tensor is a copy that the consumer alone owns.
pub const FLAG_IS_COPIED: u64 = 2;

/// The version of the structures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Structures of another one are laid out in another way.
    pub major: u32,
    /// Adds names only.
    pub minor: u32,
}

/// The device of the memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 for the host (`kDLCPU`), 2 for CUDA, 3 for the host's memory pinned by CUDA, and so on.
    pub device_type: i32,
    /// Which of them.
    pub device_id: i32,
}

/// The type of the elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0 signed, 1 unsigned, 2 float, 6 bool. Arrays have no others.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes of a vector; 1 here.
    pub lanes: u16,
}

/// A tensor without its owner.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// Where the memory begins.
    pub data: *mut c_void,
    /// The device that it is on.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The extent of each dimension.
    pub shape: *mut i64,
    /// The distance between elements in each dimension, in elements; null for row-major order without gaps.
    pub strides: *mut i64,
    /// The offset of the first element from `data`, in bytes.
    pub byte_offset: u64,
}

/// A tensor with its owner, since DLPack 1.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of this structure.
    pub version: DLPackVersion,
    /// Private data of the owner.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`FLAG_READ_ONLY`], [`FLAG_IS_COPIED`].
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// A tensor with its owner, before DLPack 1.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// Private data of the owner.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}
