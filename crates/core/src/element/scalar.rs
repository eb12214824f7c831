//! One value of any element type, and how doubles are rounded to the types that Rust has not.

use super::{Class, DType};
use half::{bf16, f16};
use std::fmt;

/// The half nearest to a double. `f16::from_f64` goes through f32 and rounds twice where processors have that conversion.
pub fn half_of(value: f64) -> f16 {
    f16::from_f32(odd_of(value))
}

/// A double as a single whose last bit says that something was lost: rounded once more, it is rounded once in all.
fn odd_of(value: f64) -> f32 {
    const SPARE: u64 = (1 << 29) - 1;
    let bits = value.to_bits();
    let sticky = if bits & SPARE == 0 { 0 } else { SPARE + 1 };
    f64::from_bits(bits & !SPARE | sticky) as f32
}

/// The bfloat16 nearest to a double, rounded once.
fn bfloat_of(value: f64) -> bf16 {
    // In the range of denormal numbers a bfloat16 has steps of 2^-133: there are few of them.
    if value != 0.0 && value.abs() < 2f64.powi(-126) {
        let steps = (value * 2f64.powi(133)).round_ties_even();
        return bf16::from_bits(steps.abs() as u16 | ((value.is_sign_negative() as u16) << 15));
    }
    bf16::from_f32(odd_of(value))
}

/// One value of any element type: its bits, as wide as memory holds them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The type.
    pub dtype: DType,
    /// The value's bits, zero-extended. Of a complex number the real part is the lower half.
    pub bits: u128,
}

macro_rules! from {
    ($($type:ident $dtype:ident $bits:expr;)*) => {
        $(impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar { dtype: DType::$dtype, bits: $bits(value) }
            }
        })*
    };
}

from! {
    u32 U32 u128::from;
    u64 U64 u128::from;
    f32 F32 |x: f32| x.to_bits().into();
    f64 F64 |x: f64| x.to_bits().into();
}

impl Scalar {
    /// `value` in the type `dtype`, rounded and saturated as Rust's `as` does; a complex number gets no imaginary part.
    #[doc(hidden)]
    pub fn from_f64(dtype: DType, value: f64) -> Scalar {
        let bits = match dtype {
            DType::BF16 => bfloat_of(value).to_bits() as u128,
            DType::F16 => half_of(value).to_bits() as u128,
            DType::F32 | DType::Complex32 => (value as f32).to_bits() as u128,
            DType::F64 | DType::Complex64 => value.to_bits() as u128,
            DType::I8 => value as i8 as u8 as u128,
            DType::I16 => value as i16 as u16 as u128,
            DType::I32 => value as i32 as u32 as u128,
            DType::I64 => value as i64 as u64 as u128,
            DType::U8 => value as u8 as u128,
            DType::U16 => value as u16 as u128,
            DType::U32 => value as u32 as u128,
            DType::U64 => value as u64 as u128,
            DType::Bool => (value != 0.0) as u128,
        };
        Scalar { dtype, bits }
    }

    /// A complex number of this type; only its real part, if the type has no other.
    pub(crate) fn from_parts(dtype: DType, re: f64, im: f64) -> Scalar {
        let [re, im] = [re, im].map(|part| Scalar::from_f64(dtype.real(), part).bits);
        Scalar { dtype, bits: if dtype.is_complex() { re | im << (4 * dtype.size()) } else { re } }
    }

    /// The real and the imaginary part, as scalars; the latter is 0 for all but complex numbers.
    #[doc(hidden)]
    pub fn parts(self) -> [Scalar; 2] {
        let (dtype, half) = (self.dtype.real(), 4 * self.dtype.size());
        match self.dtype.is_complex() {
            true => [self.bits & ((1 << half) - 1), self.bits >> half].map(|bits| Scalar { dtype, bits }),
            false => [self, Scalar { dtype, bits: 0 }],
        }
    }

    /// The value as f64; exact for all types but 64-bit integers. Of a complex number the real part.
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::BF16 => bf16::from_bits(self.bits as u16).to_f64(),
            DType::F16 => f16::from_bits(self.bits as u16).to_f64(),
            DType::F32 | DType::Complex32 => f32::from_bits(self.bits as u32) as f64,
            DType::F64 | DType::Complex64 => f64::from_bits(self.bits as u64),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => self.signed() as f64,
            _ => self.bits as f64,
        }
    }

    /// The bits as a signed integer of the type's size.
    #[doc(hidden)]
    pub fn signed(self) -> i64 {
        let spare = 64 - 8 * self.dtype.size().min(8);
        (self.bits as i64) << spare >> spare
    }

    /// The 32-bit words that carry the value to a kernel, low word first.
    #[doc(hidden)]
    pub fn words(self) -> impl Iterator<Item = u32> {
        // A half travels as a single: kernel parameters cannot hold f16 on every device.
        let bits = if self.dtype == DType::F16 { (self.to_f64() as f32).to_bits() as u128 } else { self.bits };
        let count = self.dtype.size().div_ceil(4);
        [0, 32, 64, 96].into_iter().map(move |shift| (bits >> shift) as u32).take(count)
    }
}

/// What the names of the words of a scalar end with, low word first.
pub fn word_suffixes(dtype: DType) -> impl Iterator<Item = &'static str> {
    ["", "_high", "_third", "_fourth"].into_iter().take(dtype.size().div_ceil(4))
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype.class() {
            Class::Signed => write!(f, "{}{}", self.signed(), self.dtype),
            Class::Unsigned => write!(f, "{}{}", self.bits, self.dtype),
            Class::Complex => {
                let [re, im] = self.parts().map(Scalar::to_f64);
                write!(f, "({re}{im:+}i){}", self.dtype)
            }
            Class::Float | Class::Bool => write!(f, "{}{}", self.to_f64(), self.dtype),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bfloat_of, half_of};

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

    #[test]
    fn bfloats_are_rounded_once() {
        let step = 2f64.powi(-133);
        let rows = [
            (1.0, 0x3f80),
            (1.003_906_25, 0x3f80), // half way to an odd one
            (1.003_906_25 + 1e-12, 0x3f81),
            (1.011_718_75, 0x3f82),
            (-1.003_906_25 - 1e-12, 0xbf81),
            (f32::MAX as f64, 0x7f80),
            (3.39e38, 0x7f7f),
            (1e300, 0x7f80),
            (step * 0.5, 0),
            (step * 0.500_001, 1),
            (step * -1.5, 0x8002),
            (step * 127.6, 0x0080),
            (-1e-300, 0x8000),
            (-0.0, 0x8000),
        ];
        for (value, bits) in rows {
            assert_eq!(bfloat_of(value).to_bits(), bits, "{value:e}");
        }
        assert!(bfloat_of(f64::NAN).is_nan());
    }
}
