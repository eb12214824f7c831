//! Values and buffers on the host, with which [`super::Op::reference`] computes.

use crate::element::{Class, DType, Scalar};
use num_complex::Complex64;

/// A value on the host, wide enough for every element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A float, in double precision.
    Float(f64),
    /// An integer.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// The real and the imaginary part of a complex number, in double precision.
    Complex(f64, f64),
}

impl Value {
    /// As f64; of a complex number the real part.
    pub fn float(self) -> f64 {
        match self {
            Value::Float(x) | Value::Complex(x, _) => x,
            Value::Int(x) => x as f64,
            Value::Bool(x) => x as u8 as f64,
        }
    }

    /// As a complex number.
    #[doc(hidden)]
    pub fn complex(self) -> Complex64 {
        match self {
            Value::Complex(re, im) => Complex64::new(re, im),
            other => other.float().into(),
        }
    }

    /// How far it is from another value; NaN if either is NaN.
    pub fn distance(self, other: Value) -> f64 {
        (self.complex() - other.complex()).norm()
    }

    /// The absolute value.
    pub fn size(self) -> f64 {
        self.complex().norm()
    }

    /// Whether it is NaN, or has a part that is.
    pub fn is_nan(self) -> bool {
        self.complex().is_nan()
    }

    /// As an integer; floats saturate.
    pub fn int(self) -> i128 {
        match self {
            Value::Float(x) | Value::Complex(x, _) => x as i128,
            Value::Int(x) => x,
            Value::Bool(x) => x as i128,
        }
    }

    /// Whether it is not zero.
    pub fn truth(self) -> bool {
        match self {
            Value::Float(x) => x != 0.0,
            Value::Int(x) => x != 0,
            Value::Bool(x) => x,
            Value::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }

    /// Converted as Rust's `as` does: floats round to nearest even, float to integer saturates, integers wrap. Of a
    /// complex number the real part is converted, unless it becomes another complex number.
    pub fn cast(self, dtype: DType) -> Value {
        match dtype.class() {
            Class::Bool => Value::Bool(self.truth()),
            Class::Complex => {
                let Complex64 { re, im } = self.complex();
                let [re, im] = [re, im].map(|part| Value::Float(part).cast(dtype.real()).float());
                match self {
                    Value::Int(x) => Value::Complex(Value::Int(x).cast(dtype.real()).float(), 0.0),
                    _ => Value::Complex(re, im),
                }
            }
            Class::Float => Value::Float(match (dtype, self) {
                (DType::F32, Value::Int(x)) => x as f32 as f64, // rounded once
                (DType::BF16, Value::Int(x)) => Scalar::from_f64(dtype, odd(x)).to_f64(),
                _ => Scalar::from_f64(dtype, self.float()).to_f64(),
            }),
            class => {
                let bits = dtype.size() as u32 * 8;
                let signed = class == Class::Signed;
                let (low, high) =
                    if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
                match self {
                    Value::Float(x) | Value::Complex(x, _) => Value::Int((x as i128).clamp(low, high)),
                    other => {
                        let wrapped = other.int() & ((1i128 << bits) - 1);
                        Value::Int(if wrapped > high { wrapped - (1i128 << bits) } else { wrapped })
                    }
                }
            }
        }
    }

    /// The value a scalar holds.
    pub fn of(scalar: Scalar) -> Value {
        match scalar.dtype.class() {
            Class::Float => Value::Float(scalar.to_f64()),
            Class::Bool => Value::Bool(scalar.bits != 0),
            Class::Signed => Value::Int(scalar.signed() as i128),
            Class::Unsigned => Value::Int(scalar.bits as i128),
            Class::Complex => {
                let [re, im] = scalar.parts().map(Scalar::to_f64);
                Value::Complex(re, im)
            }
        }
    }

    /// As a scalar of `dtype`, converted first.
    pub fn scalar(self, dtype: DType) -> Scalar {
        match self.cast(dtype) {
            Value::Float(x) => Scalar::from_f64(dtype, x),
            Value::Int(x) => Scalar { dtype, bits: x as u128 & ((1 << (dtype.size() * 8)) - 1) },
            Value::Bool(x) => Scalar { dtype, bits: x as u128 },
            Value::Complex(re, im) => Scalar::from_parts(dtype, re, im),
        }
    }
}

/// An integer as a double whose last bit says that something was lost: rounded once more, it is rounded once in all.
fn odd(x: i128) -> f64 {
    let size = x.unsigned_abs();
    let spare = (u128::BITS - size.leading_zeros()).saturating_sub(f64::MANTISSA_DIGITS);
    let kept = size >> spare;
    let kept = kept | (kept << spare != size) as u128;
    let value = kept as f64 * 2f64.powi(spare as i32);
    if x < 0 { -value } else { value }
}

/// The buffers of an operation on the host, for [`crate::op::Op::reference`].
pub struct Host {
    slots: Vec<(DType, Vec<u8>)>,
}

impl Host {
    /// Buffers with these contents, one for each slot.
    pub fn new(slots: Vec<(DType, Vec<u8>)>) -> Host {
        Host { slots }
    }

    /// Element `index` of a slot.
    pub fn get(&self, slot: usize, index: usize) -> Value {
        let (dtype, bytes) = &self.slots[slot];
        let size = dtype.size();
        let mut word = [0u8; 16];
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        Value::of(Scalar { dtype: *dtype, bits: u128::from_le_bytes(word) })
    }

    /// Sets element `index` of a slot, converted to its type.
    pub fn set(&mut self, slot: usize, index: usize, value: Value) {
        let (dtype, bytes) = &mut self.slots[slot];
        let size = dtype.size();
        let word = value.scalar(*dtype).bits.to_le_bytes();
        bytes[index * size..][..size].copy_from_slice(&word[..size]);
    }

    /// A slot's bytes.
    pub fn bytes(&self, slot: usize) -> &[u8] {
        &self.slots[slot].1
    }
}
