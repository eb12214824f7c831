//! The element types: what each is on the host, in memory and in WGSL.

mod scalar;

pub use scalar::Scalar;
pub(crate) use scalar::{half_of, word_suffixes};

use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;

/// What kind of number a [`DType`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Float,
    Signed,
    Unsigned,
    Bool,
    Complex,
}

/// The table of types: the name as in Rust, bytes of an element in memory, the kind of number, the type that computes with
/// it, and the WGSL type of its values in a kernel.
///
/// A type that another one computes with is storage only. Its values in a kernel are words that hold its bits, zero-extended:
/// only casts and comparisons know what they mean (`src/ops/fuse/cast.rs`, `src/op/function/own.rs`).
macro_rules! types {
    ($($(#[$doc:meta])* $variant:ident $name:literal $size:literal $class:ident $compute:ident $wgsl:literal;)*) => {
        /// The type of an array's elements, as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DType {
            $($(#[$doc])* $variant),*
        }

        impl DType {
            /// Every element type.
            pub const ALL: [DType; [$($size),*].len()] = [$(DType::$variant),*];

            /// Bytes of one element in device memory.
            pub const fn size(self) -> usize {
                match self {
                    $(DType::$variant => $size),*
                }
            }

            /// The name, as in Rust.
            pub const fn name(self) -> &'static str {
                match self {
                    $(DType::$variant => $name),*
                }
            }

            pub(crate) const fn class(self) -> Class {
                match self {
                    $(DType::$variant => Class::$class),*
                }
            }

            /// The type that computes with it: itself, if it is not for storage only.
            pub(crate) const fn compute(self) -> DType {
                match self {
                    $(DType::$variant => DType::$compute),*
                }
            }

            /// The WGSL type that values of this type have inside a kernel.
            pub(crate) const fn wgsl(self) -> &'static str {
                match self {
                    $(DType::$variant => $wgsl),*
                }
            }
        }
    };
}

types! {
    /// IEEE half precision; arithmetic in half precision, functions through f32.
    F16 "f16" 2 Float F16 "f16";
    /// IEEE single precision.
    F32 "f32" 4 Float F32 "f32";
    /// IEEE double precision. Its transcendental functions are computed in software: WGSL has none.
    F64 "f64" 8 Float F64 "f64";
    /// 32-bit signed.
    I32 "i32" 4 Signed I32 "i32";
    /// 64-bit signed.
    I64 "i64" 8 Signed I64 "i64";
    /// 8-bit unsigned, storage only: cast to compute.
    U8 "u8" 1 Unsigned U32 "u32";
    /// 16-bit unsigned, storage only: cast to compute.
    U16 "u16" 2 Unsigned U32 "u32";
    /// 32-bit unsigned.
    U32 "u32" 4 Unsigned U32 "u32";
    /// 64-bit unsigned.
    U64 "u64" 8 Unsigned U64 "u64";
    /// A mask; one byte an element in memory, 0 or 1.
    Bool "bool" 1 Bool Bool "bool";
    /// The upper half of single precision (bfloat16), storage only: cast to compute.
    BF16 "bf16" 2 Float F32 "u32";
    /// 8-bit signed, storage only: cast to compute.
    I8 "i8" 1 Signed I32 "u32";
    /// 16-bit signed, storage only: cast to compute.
    I16 "i16" 2 Signed I32 "u32";
    /// A complex number of two f32, `vec2<f32>` in WGSL.
    Complex32 "Complex32" 8 Complex Complex32 "vec2<f32>";
    /// A complex number of two f64, `vec2<f64>` in WGSL, with the functions of [`DType::Complex32`].
    Complex64 "Complex64" 16 Complex Complex64 "vec2<f64>";
}

impl DType {
    /// Whether it is for storage only: cast to compute.
    pub(crate) const fn is_stored(self) -> bool {
        self.compute() as u8 != self as u8
    }

    pub(crate) const fn is_complex(self) -> bool {
        matches!(self, DType::Complex32 | DType::Complex64)
    }

    /// The type of the parts of a complex number; itself for others.
    pub(crate) const fn real(self) -> DType {
        match self {
            DType::Complex32 => DType::F32,
            DType::Complex64 => DType::F64,
            other => other,
        }
    }

    /// The type of the complex numbers with parts of this type.
    pub(crate) const fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::Complex32),
            DType::F64 => Some(DType::Complex64),
            _ => None,
        }
    }

    /// Elements in one 32-bit word of memory where WGSL has no type of this size: 1 if it has one.
    pub(crate) const fn per_word(self) -> u32 {
        if self.is_stored() || matches!(self, DType::Bool) { 4 / self.size() as u32 } else { 1 }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
