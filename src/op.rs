//! The waist: an operation says what it means ([`Op::reference`]), what it costs, and which kernels do it
//! ([`Op::plan`]); engines run plans and know no operation.

use crate::caps::Caps;
use crate::element::{Class, DType, Scalar};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::values::{Param, Reach, Vary};
use std::hash::{Hash, Hasher};

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read; several passes may read it at the same time.
    Read,
    /// Written, and possibly read.
    Write,
}

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

/// What tells an operation from others of its kind: all that its plan depends on beside capabilities. Devices keep plans by it.
pub trait Identify {
    /// Feeds it to a hasher.
    fn identify(&self, to: &mut dyn Hasher);
}

impl<T: Hash> Identify for T {
    fn identify(&self, mut to: &mut dyn Hasher) {
        self.hash(&mut to);
    }
}

/// An operation on one problem size.
pub trait Op: Identify {
    /// The operation's name, the same word as its file and shader.
    fn name(&self) -> &'static str;
    /// The buffers, in argument order.
    fn slots(&self) -> Vec<Slot>;
    /// Goes over what its plan is filled with: scalars, and where arrays begin. [`crate::Values`] take it out; what stays
    /// decides the plan, and is what [`Identify`] feeds.
    fn vary(&mut self, _by: &mut dyn Vary) {}
    /// The kernels that compute it on a device with these capabilities. Pure: same caps, same plan.
    fn plan(&self, caps: &Caps) -> Result<Plan>;
    /// Arithmetic operations, counting one for each elementwise function.
    fn flops(&self) -> u64;
    /// The least memory traffic possible: every input element read once, every output written once.
    fn bytes(&self) -> u64;
    /// The result by definition, in double precision: slow, obvious, and the judge of every engine.
    fn reference(&self, host: &mut Host);
}

/// What a device does for one operation: plain data. Of an operation whose values were taken out ([`Op::vary`]) it is a
/// template, which [`Plan::filled`] fills.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Sizes in bytes of the temporary buffers, which come after the slots in [`Binding::buffer`].
    pub scratch: Vec<u64>,
    /// The kernel launches, in order.
    pub passes: Vec<Pass>,
}

/// One kernel launch.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The kernel.
    pub kernel: Kernel,
    /// Its buffers, in binding order.
    pub buffers: Vec<Binding>,
    /// Its parameters: the words of its `Params` structure.
    pub params: Vec<Param>,
    /// How many workgroups run.
    pub grid: Grid,
}

/// A window of a buffer that a kernel sees as one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Index into the operation's slots, then its scratch buffers.
    pub buffer: usize,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where it really lies, if that depends on where an array begins.
    pub reach: Option<Reach>,
}

impl Binding {
    /// A window that does not move.
    pub fn new(buffer: usize, offset: u64, bytes: u64) -> Binding {
        Binding { buffer, offset, bytes, reach: None }
    }
}

/// The number of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// So many, folded into two dimensions where one is too short; kernels unfold by
    /// `group.x + group.y * groups.x` and check against their own count.
    Count(u64),
    /// Exactly this grid.
    Fixed([u32; 3]),
}

impl Grid {
    /// The workgroups in each dimension, none above `limit`.
    ///
    /// ```
    /// use crosslane::Grid;
    /// assert_eq!(Grid::Count(10).fold(65535), [10, 1, 1]);
    /// let [x, y, _] = Grid::Count(100_000).fold(65535);
    /// assert!(x <= 65535 && (x as u64 * y as u64) >= 100_000);
    /// ```
    pub fn fold(self, limit: u32) -> [u32; 3] {
        match self {
            Grid::Count(count) => {
                let rows = count.div_ceil(limit as u64).max(1);
                [count.div_ceil(rows) as u32, rows as u32, 1]
            }
            Grid::Fixed(grid) => grid,
        }
    }
}

/// A value on the host, wide enough for every element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A float, in double precision.
    Float(f64),
    /// An integer.
    Int(i128),
    /// A truth value.
    Bool(bool),
}

impl Value {
    /// As a double.
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
                DType::F16 => crate::element::half_of(self.float()).to_f64(),
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

/// The buffers of an operation on the host, for [`Op::reference`].
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
