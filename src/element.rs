//! The types that arrays hold, and what may be computed with them: traits, so that a wrong type does not compile.

pub(crate) use crosslane_core::element::*;
pub use crosslane_core::element::{DType, Scalar};

use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;

mod sealed {
    pub trait Sealed {}
}

/// An argument of an [`Elementwise`](crate::Elementwise) or a [`Reduction`](crate::Reduction): an array or a scalar, by
/// value or by reference.
pub trait Input {
    /// The array or the scalar, without its type.
    #[doc(hidden)]
    fn input(&self) -> Given<'_>;
}

/// The array or scalar of an [`Input`].
#[doc(hidden)]
pub enum Given<'a> {
    Scalar(Scalar),
    /// A node of the graph.
    Array(&'a dyn std::any::Any),
}

impl<I: Input> Input for &I {
    fn input(&self) -> Given<'_> {
        (*self).input()
    }
}

/// A type that arrays can hold.
pub trait Element:
    sealed::Sealed + Input + bytemuck::NoUninit + bytemuck::Zeroable + Copy + PartialEq + fmt::Debug + Send + Sync + 'static
{
    /// The type as a value.
    const DTYPE: DType;
    /// What it is in memory: itself, or a byte for `bool`.
    #[doc(hidden)]
    type Stored: bytemuck::Pod + Send + Sync;
    /// Values from memory.
    #[doc(hidden)]
    fn from_stored(stored: Vec<Self::Stored>) -> Vec<Self>;
    /// The destination as memory, where every bit pattern is a value.
    #[doc(hidden)]
    fn as_stored_mut(values: &mut [Self]) -> Option<&mut [Self::Stored]>;
    /// This value as a [`Scalar`].
    fn scalar(self) -> Scalar;
    /// The value that a [`Scalar`] of this type holds.
    fn from_scalar(scalar: Scalar) -> Self;
}

/// A type whose elements have an order: all but complex numbers.
///
/// ```compile_fail
/// # crosslane::example(|device| {
/// let z = crosslane::Array::from_slice(device, &[crosslane::Complex::new(1.0f32, 2.0)]);
/// z.sort().to_vec()?;
/// # Ok(()) });
/// ```
pub trait Ordered: Element {}
/// A type with arithmetic: `f16 f32 f64 i32 i64 u32 u64`, `Complex<f32>` and `Complex<f64>`.
pub trait Arithmetic: Element {}
/// A type with arithmetic and an order: `f16 f32 f64 i32 i64 u32 u64`.
pub trait Number: Arithmetic + Ordered {}
/// A floating-point type with arithmetic: `f16 f32 f64`.
pub trait Float: Number {}
/// A floating-point type with exponentials, logarithms and angles: `f16 f32 f64`.
pub trait Transcendental: Float {}
/// An integer with arithmetic and bit operations: `i32 i64 u32 u64`.
pub trait Integer: Number {}
/// A type that complex numbers have parts of: `f32 f64`.
pub trait Part: Float + bytemuck::Pod {
    /// The type of these complex numbers.
    #[doc(hidden)]
    const COMPLEX: DType;
    /// The nearest number of this type.
    #[doc(hidden)]
    fn rounded(value: f64) -> Self;
}

impl Part for f32 {
    const COMPLEX: DType = DType::Complex32;
    fn rounded(value: f64) -> f32 {
        value as f32
    }
}
impl Part for f64 {
    const COMPLEX: DType = DType::Complex64;
    fn rounded(value: f64) -> f64 {
        value
    }
}

macro_rules! element {
    ($($type:ty, $dtype:ident, $to:expr, $from:expr, [$($more:ident)*];)*) => {$(
        impl sealed::Sealed for $type {}
        impl Input for $type {
            fn input(&self) -> Given<'_> {
                Given::Scalar(self.scalar())
            }
        }
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            type Stored = $type;
            fn from_stored(stored: Vec<$type>) -> Vec<$type> {
                stored
            }
            fn as_stored_mut(values: &mut [$type]) -> Option<&mut [$type]> {
                Some(values)
            }
            fn scalar(self) -> Scalar {
                Scalar { dtype: DType::$dtype, bits: ($to)(self) }
            }
            fn from_scalar(scalar: Scalar) -> $type {
                ($from)(scalar.bits)
            }
        }
        $(impl $more for $type {})*
    )*};
}

element! {
    bf16, BF16, |x: bf16| x.to_bits() as u128, |b| bf16::from_bits(b as u16), [Ordered];
    f16, F16, |x: f16| x.to_bits() as u128, |b| f16::from_bits(b as u16), [Ordered Arithmetic Number Float Transcendental];
    f32, F32, |x: f32| x.to_bits() as u128, |b| f32::from_bits(b as u32), [Ordered Arithmetic Number Float Transcendental];
    f64, F64, |x: f64| x.to_bits() as u128, |b| f64::from_bits(b as u64), [Ordered Arithmetic Number Float Transcendental];
    i8, I8, |x: i8| x as u8 as u128, |b| b as i8, [Ordered];
    i16, I16, |x: i16| x as u16 as u128, |b| b as i16, [Ordered];
    i32, I32, |x: i32| x as u32 as u128, |b| b as i32, [Ordered Arithmetic Number Integer];
    i64, I64, |x: i64| x as u64 as u128, |b| b as i64, [Ordered Arithmetic Number Integer];
    u8, U8, |x: u8| x as u128, |b| b as u8, [Ordered];
    u16, U16, |x: u16| x as u128, |b| b as u16, [Ordered];
    u32, U32, |x: u32| x as u128, |b| b as u32, [Ordered Arithmetic Number Integer];
    u64, U64, |x: u64| x as u128, |b| b as u64, [Ordered Arithmetic Number Integer];
}

impl<R: Part> sealed::Sealed for Complex<R> {}
impl<R: Part> Input for Complex<R> {
    fn input(&self) -> Given<'_> {
        Given::Scalar(self.scalar())
    }
}
impl<R: Part> Element for Complex<R> {
    const DTYPE: DType = R::COMPLEX;
    type Stored = Complex<R>;
    fn from_stored(stored: Vec<Complex<R>>) -> Vec<Complex<R>> {
        stored
    }
    fn as_stored_mut(values: &mut [Complex<R>]) -> Option<&mut [Complex<R>]> {
        Some(values)
    }
    fn scalar(self) -> Scalar {
        let bits = self.re.scalar().bits | self.im.scalar().bits << (4 * R::COMPLEX.size());
        Scalar { dtype: R::COMPLEX, bits }
    }
    fn from_scalar(scalar: Scalar) -> Complex<R> {
        let [re, im] = scalar.parts().map(R::from_scalar);
        Complex::new(re, im)
    }
}
impl<R: Part> Arithmetic for Complex<R> {}

impl Ordered for bool {}
impl sealed::Sealed for bool {}

impl Input for bool {
    fn input(&self) -> Given<'_> {
        Given::Scalar(self.scalar())
    }
}
impl Element for bool {
    const DTYPE: DType = DType::Bool;
    type Stored = u8;
    fn from_stored(stored: Vec<u8>) -> Vec<bool> {
        stored.into_iter().map(|byte| byte != 0).collect()
    }
    fn as_stored_mut(_: &mut [bool]) -> Option<&mut [u8]> {
        None
    }
    fn scalar(self) -> Scalar {
        Scalar { dtype: DType::Bool, bits: self as u128 }
    }
    fn from_scalar(scalar: Scalar) -> bool {
        scalar.bits != 0
    }
}
