//! Values and buffers on the host, with which [`super::Op::reference`] computes.

use crate::element::{Class, DType, Scalar, half_of};

/// A value on the host, wide enough for every element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A float, in double precision.
    Float(f64),
    /// An integer.
    Int(i128),
    /// A boolean.
    Bool(bool),
}

impl Value {
    /// As f64.
    pub fn float(self) -> f64 {
        match self {
            Value::Float(x) => x,
            Value::Int(x) => x as f64,
            Value::Bool(x) => x as u8 as f64,
        }
    }

    /// As an integer; floats saturate.
    pub fn int(self) -> i128 {
        match self {
            Value::Float(x) => x as i128,
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
        }
    }

    /// Converted as Rust's `as` does: floats round to nearest even, float to integer saturates, integers wrap.
    pub fn cast(self, dtype: DType) -> Value {
        match dtype.class() {
            Class::Bool => Value::Bool(self.truth()),
            Class::Float => Value::Float(match dtype {
                DType::F16 => half_of(self.float()).to_f64(),
                DType::F32 => match self {
                    Value::Int(x) => x as f32 as f64, // rounded once
                    _ => self.float() as f32 as f64,
                },
                _ => self.float(),
            }),
            class => {
                let bits = dtype.size() as u32 * 8;
                let signed = class == Class::Signed;
                let (low, high) =
                    if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
                match self {
                    Value::Float(x) => Value::Int((x as i128).clamp(low, high)),
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
            Class::Signed if scalar.dtype == DType::I32 => Value::Int(scalar.bits as u32 as i32 as i128),
            Class::Signed => Value::Int(scalar.bits as i64 as i128),
            Class::Unsigned => Value::Int(scalar.bits as i128),
        }
    }

    /// As a scalar of `dtype`, converted first.
    pub fn scalar(self, dtype: DType) -> Scalar {
        match self.cast(dtype) {
            Value::Float(x) => Scalar::from_f64(dtype, x),
            Value::Int(x) => {
                let mask = if dtype.size() == 8 { u64::MAX } else { (1 << (dtype.size() * 8)) - 1 };
                Scalar { dtype, bits: x as u64 & mask }
            }
            Value::Bool(x) => Scalar { dtype, bits: x as u64 },
        }
    }
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
        let mut word = [0u8; 8];
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        Value::of(Scalar { dtype: *dtype, bits: u64::from_le_bytes(word) })
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
