//! Slots: the buffers of an operation.

use crate::element::DType;
use crate::kernel::Access;

/// A buffer of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slot {
    /// The buffer's name in messages.
    pub name: String,
    /// How the operation uses the buffer.
    pub access: Access,
    /// The element type.
    pub dtype: DType,
    /// The length in elements.
    pub len: usize,
}

impl Slot {
    /// A buffer that the operation reads.
    pub fn read(name: &str, dtype: DType, len: usize) -> Slot {
        Slot { name: name.into(), access: Access::Read, dtype, len }
    }

    /// A buffer that the operation writes, all of it.
    pub fn write(name: &str, dtype: DType, len: usize) -> Slot {
        Slot { name: name.into(), access: Access::Write, dtype, len }
    }

    /// The bytes that the elements take.
    #[doc(hidden)]
    pub fn bytes(&self) -> u64 {
        self.len as u64 * self.dtype.size() as u64
    }
}
