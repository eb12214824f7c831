//! Functions of the library that expressions call by name: their WGSL is in `shaders/shared/`, and is linked to the kernels
//! that call it.

use crate::element::DType;
use crate::kernel::Feature;
use crate::op::host::Value;

/// A function of the library, with its meaning on the host.
pub struct Shared {
    /// The WGSL function, which takes the parameters in their order.
    pub name: &'static str,
    /// Names and types.
    pub parameters: &'static [(&'static str, DType)],
    /// The type of the value.
    pub result: DType,
    /// The WGSL function of four neighbours, where they are cheaper together: it takes vectors of four.
    pub four: Option<&'static str>,
    /// Operators and functions in it, about.
    pub operations: u64,
    /// Types that a device must have.
    pub features: &'static [Feature],
    /// The value by definition.
    pub meaning: fn(&[Value]) -> Value,
}
