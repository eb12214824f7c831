//! The element types: what each is on the host, in memory and in WGSL.

use half::f16;
use std::fmt;

/// The type of an array's elements, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// IEEE half precision; arithmetic in half precision, functions through f32.
    F16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision; all functions, in software.
    F64,
    /// 32-bit signed.
    I32,
    /// 64-bit signed.
    I64,
    /// 8-bit unsigned, storage only: cast to compute.
    U8,
    /// 16-bit unsigned, storage only: cast to compute.
    U16,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// A mask; one byte an element in memory, 0 or 1.
    Bool,
}

/// What kind of number a [`DType`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Float,
    Signed,
    Unsigned,
    Bool,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 10] = [
        DType::F16,
        DType::F32,
        DType::F64,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::Bool,
    ];

    /// Bytes of one element in device memory.
    pub const fn size(self) -> usize {
        match self {
            DType::U8 | DType::Bool => 1,
            DType::F16 | DType::U16 => 2,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F64 | DType::I64 | DType::U64 => 8,
        }
    }

    /// The name, as in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F16 => "f16",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::Bool => "bool",
        }
    }

    pub(crate) const fn class(self) -> Class {
        match self {
            DType::F16 | DType::F32 | DType::F64 => Class::Float,
            DType::I32 | DType::I64 => Class::Signed,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Class::Unsigned,
            DType::Bool => Class::Bool,
        }
    }

    /// The WGSL type that values of this type have inside a kernel.
    pub(crate) const fn wgsl(self) -> &'static str {
        match self {
            DType::U8 | DType::U16 => "u32",
            other => other.name(),
        }
    }

    /// Elements in one 32-bit word of memory where WGSL has no type of this size: 1 if it has one.
    pub(crate) const fn per_word(self) -> u32 {
        match self {
            DType::U8 | DType::Bool => 4,
            DType::U16 => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The half nearest to a double. `f16::from_f64` goes through f32 and rounds twice where processors have that conversion:
/// what f32 has no room for becomes its last bit, which the second rounding looks at.
pub(crate) fn half_of(value: f64) -> f16 {
    const SPARE: u64 = (1 << 29) - 1;
    let bits = value.to_bits();
    let sticky = if bits & SPARE == 0 { 0 } else { SPARE + 1 };
    f16::from_f32(f64::from_bits(bits & !SPARE | sticky) as f32)
}

/// One value of any element type: its bits, as wide as memory holds them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The type.
    pub dtype: DType,
    /// The value's bits, zero-extended.
    pub bits: u64,
}

impl Scalar {
    /// `value` in the type `dtype`, rounded and saturated as Rust's `as` does.
    pub(crate) fn from_f64(dtype: DType, value: f64) -> Scalar {
        let bits = match dtype {
            DType::F16 => half_of(value).to_bits() as u64,
            DType::F32 => (value as f32).to_bits() as u64,
            DType::F64 => value.to_bits(),
            DType::I32 => value as i32 as u32 as u64,
            DType::I64 => value as i64 as u64,
            DType::U8 => value as u8 as u64,
            DType::U16 => value as u16 as u64,
            DType::U32 => value as u32 as u64,
            DType::U64 => value as u64,
            DType::Bool => (value != 0.0) as u64,
        };
        Scalar { dtype, bits }
    }

    /// The value as f64; exact for all types but 64-bit integers.
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::F16 => f16::from_bits(self.bits as u16).to_f64(),
            DType::F32 => f32::from_bits(self.bits as u32) as f64,
            DType::F64 => f64::from_bits(self.bits),
            DType::I32 => self.bits as u32 as i32 as f64,
            DType::I64 => self.bits as i64 as f64,
            _ => self.bits as f64,
        }
    }

    /// The 32-bit words that carry the value to a kernel, low word first.
    pub(crate) fn words(self) -> impl Iterator<Item = u32> {
        // A half travels as a single: kernel parameters cannot hold f16 on every device.
        let bits = if self.dtype == DType::F16 { (self.to_f64() as f32).to_bits() as u64 } else { self.bits };
        let wide = self.dtype.size() == 8;
        [bits as u32, (bits >> 32) as u32].into_iter().take(if wide { 2 } else { 1 })
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            DType::I64 => write!(f, "{}i64", self.bits as i64),
            DType::U64 => write!(f, "{}u64", self.bits),
            dtype => write!(f, "{}{dtype}", self.to_f64()),
        }
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

/// A type with arithmetic: `f16 f32 f64 i32 i64 u32 u64`.
pub trait Number: Element {}
/// A floating-point type: `f16 f32 f64`.
pub trait Float: Number {}
/// A floating-point type with exponentials, logarithms and angles: `f16 f32 f64`.
pub trait Transcendental: Float {}
/// An integer with arithmetic and bit operations: `i32 i64 u32 u64`.
pub trait Integer: Number {}

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
    f16, F16, |x: f16| x.to_bits() as u64, |b| f16::from_bits(b as u16), [Number Float Transcendental];
    f32, F32, |x: f32| x.to_bits() as u64, |b| f32::from_bits(b as u32), [Number Float Transcendental];
    f64, F64, |x: f64| x.to_bits(), f64::from_bits, [Number Float Transcendental];
    i32, I32, |x: i32| x as u32 as u64, |b| b as u32 as i32, [Number Integer];
    i64, I64, |x: i64| x as u64, |b| b as i64, [Number Integer];
    u8, U8, |x: u8| x as u64, |b| b as u8, [];
    u16, U16, |x: u16| x as u64, |b| b as u16, [];
    u32, U32, |x: u32| x as u64, |b| b as u32, [Number Integer];
    u64, U64, |x: u64| x, |b| b, [Number Integer];
}

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
        Scalar { dtype: DType::Bool, bits: self as u64 }
    }
    fn from_scalar(scalar: Scalar) -> bool {
        scalar.bits != 0
    }
}

#[cfg(test)]
mod tests {
    use super::half_of;

    #[test]
    fn halves_are_rounded_once() {
        let rows = [
            (1.000_488_281_250_91, 0x3c01),
            (1.000_488_281_25, 0x3c00),
            (1.001_464_843_75, 0x3c02),
            (-1.000_488_281_250_91, 0xbc01),
            (65_519.999_999_999, 0x7bff),
            (65_520.0, 0x7c00),
            (1e300, 0x7c00),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * (1.0 + 1e-15), 1),
            (-1e-300, 0x8000),
        ];
        for (value, bits) in rows {
            assert_eq!(half_of(value).to_bits(), bits, "{value:e}");
        }
        assert!(half_of(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
    }
}
