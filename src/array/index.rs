//! The types of indices and positions, and how many elements each numbers.

use crate::element::{DType, Number, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Value;

/// An index type: `u8`, `u16`, `u32` and `u64`, or `i8`, `i16`, `i32` and `i64`, whose negative numbers count from the end. Those
/// of 8 and 16 bits become ones of 32 as they are read. Those of 64 bits reach elements past 2^32; there the host waits for the
/// device where [`crate::array::OutOfRange::Error`] has to be found.
///
/// Positions that a method gives are of those of them that are a [`Number`].
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::OutOfRange;
/// let x = Array::from_slice(device, &[10, 20, 30]);
/// let bytes = Array::from_slice(device, &[2u8, 0, 2]);
/// assert_eq!(x.take(&bytes, OutOfRange::Error).to_vec()?, [30, 10, 30]);
/// let from_end = Array::from_slice(device, &[-1i16, 0]);
/// assert_eq!(x.take(&from_end, OutOfRange::Error).to_vec()?, [30, 10]);
/// # Ok(()) });
/// ```
pub trait ArrayIndex: Ordered {
    /// The type that kernels compute with.
    #[doc(hidden)]
    type Wide: ArrayIndex<Wide = Self::Wide> + Number;
}

macro_rules! indices {
    ($($index:ty => $wide:ty),*) => {$(
        impl ArrayIndex for $index {
            type Wide = $wide;
        }
    )*};
}
indices! { u8 => u32, u16 => u32, u32 => u32, u64 => u64, i8 => i32, i16 => i32, i32 => i32, i64 => i64 }

/// A position as a number of a type.
pub(crate) fn position<I: Number>(number: usize) -> I {
    I::from_scalar(Value::Int(number as i128).scalar(I::DTYPE))
}

/// Whether a type numbers so many elements.
pub(crate) fn reach<I: ArrayIndex + Number>(
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
