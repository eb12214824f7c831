//! The types of indices and positions, and how many elements each numbers.

use crate::element::{DType, Number};
use crate::error::{CallSite, Error, Result};
use crate::op::Value;

/// An index type: `u32` and `u64`, or `i32` and `i64`, whose negative numbers count from the end. Those of 64 bits reach elements
/// past 2^32; there the host waits for the device where [`crate::array::OutOfRange::Error`] has to be found.
pub trait ArrayIndex: Number {}
impl ArrayIndex for u32 {}
impl ArrayIndex for i32 {}
impl ArrayIndex for u64 {}
impl ArrayIndex for i64 {}

/// A position as a number of a type.
pub(crate) fn position<I: Number>(number: usize) -> I {
    I::from_scalar(Value::Int(number as i128).scalar(I::DTYPE))
}

/// Whether a type numbers so many elements.
pub(crate) fn reach<I: ArrayIndex>(
    operation: &'static str,
    argument: &'static str,
    count: usize,
    at: CallSite,
) -> Result<()> {
    let bits = match I::DTYPE {
        DType::I32 => 31,
        DType::U32 => 32,
        _ => 63, // no array has more
    };
    match count as u64 <= 1 << bits {
        true => Ok(()),
        false => {
            let wanted = format!("at most 2^{bits} elements, whose positions {} holds", I::DTYPE);
            Err(Error::argument(operation, argument, wanted, count.to_string(), at))
        }
    }
}
