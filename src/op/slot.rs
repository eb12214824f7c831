//! The buffers that an operation takes.

use crate::element::DType;
use crate::kernel::Access;

/// A buffer that an operation takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name in messages.
    pub name: String,
    /// How the operation uses it.
    pub access: Access,
    /// Its element type.
    pub dtype: DType,
    /// Its length in elements.
    pub len: usize,
}
