//! The buffers that an operation takes.

use crate::element::DType;
use crate::kernel::Access;

/// A buffer that an operation takes.
#[derive(Clone, Debug, PartialEq)]
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
