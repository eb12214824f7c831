//! Test cases of operations: the operation, the contents of its inputs, and how far results may be from its reference.

use super::host::{Host, Value};
use super::plan::Op;
use super::slot::Slot;
use crate::element::{Class, DType};
use crate::kernel::{Access, Kernel};
use half::f16;

/// A test case of an operation. Cases with few elements run on every device, and are compared with [`Op::reference`];
/// of the others only plans and kernels' texts are checked.
pub struct Case {
    /// Its name in messages.
    pub what: String,
    /// The operation.
    pub op: Box<dyn Op>,
    /// Its Rust type, as by [`std::any::type_name`].
    pub type_name: &'static str,
    /// The contents of inputs other than [`Fill::Numbers`], by slot.
    pub fills: Vec<(usize, Fill)>,
    /// An operation of the same slots and meaning that has a reference, if it has none itself, as with a program's own
    /// functions.
    pub meaning: Option<Box<dyn Op>>,
    /// Results may differ from the reference by their size, and by this, in units of [`Case::precision`].
    pub scale: f64,
}

/// The contents of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Multiples of 1/4 from 1/4 to 3: valid arguments of every function, with exact sums and products. For integers 1
    /// to 12.
    Numbers,
    /// Numbers in ascending order, many of them equal.
    Sorted,
    /// Arbitrary bits that are numbers, among them negative ones and zeros.
    Any,
    /// Distinct integers below this, in any order: fewer than this.
    Distinct(usize),
    /// Integers from 0 to below this; for signed types, from its negative.
    Indices(usize),
    /// This number.
    Number(u64),
    /// These values.
    Values(Vec<Value>),
}

impl Case {
    /// Elements of all slots at most where the case runs.
    const MOST: usize = 40_000;

    /// Arithmetic operations at most of those that are compared with their references.
    const JUDGED: u64 = 4_000_000;

    /// A problem with numbers in all inputs.
    pub fn new<O: Op + 'static>(what: impl Into<String>, op: O) -> Case {
        let (what, op, type_name) = (what.into(), Box::new(op), std::any::type_name::<O>());
        Case { what, op, type_name, fills: vec![], meaning: None, scale: 0.0 }
    }

    /// With other contents in a slot.
    pub fn fill(mut self, slot: usize, fill: Fill) -> Case {
        self.fills.push((slot, fill));
        self
    }

    /// Allows small results the error of results of this size.
    pub fn scale(self, scale: f64) -> Case {
        Case { scale, ..self }
    }

    /// Its results must be those of this operation's reference.
    pub fn means(self, op: impl Op + 'static) -> Case {
        Case { meaning: Some(Box::new(op)), ..self }
    }

    /// Elements of all slots.
    pub fn len(&self) -> usize {
        self.op.slots().iter().map(|slot| slot.len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is small enough to run on every device.
    pub fn runs(&self) -> bool {
        self.len() <= Case::MOST
    }

    /// Whether its reference is fast.
    pub fn is_judged(&self) -> bool {
        self.op.flops() <= Case::JUDGED
    }

    /// The identity of a kernel: its name, its entry point and all of its text, as a hash.
    pub fn identity(kernel: &Kernel) -> u64 {
        kernel.identity()
    }

    /// The contents of an input.
    pub fn filled(&self, slot: usize) -> &Fill {
        self.fills.iter().find(|(other, _)| *other == slot).map_or(&Fill::Numbers, |(_, fill)| fill)
    }

    /// The relative error that a result of this type may have: some units in the last place, for functions and for sums
    /// in another order.
    pub fn precision(dtype: DType) -> f64 {
        match dtype {
            DType::F16 => 4e-3,
            DType::BF16 => 2f64.powi(-8),
            DType::F32 | DType::Complex32 => 4e-6,
            DType::F64 | DType::Complex64 => 1e-13,
            other => match other.class() {
                Class::Float | Class::Complex => unreachable!("all floats are above"),
                _ => 0.0,
            },
        }
    }

    /// The slots before it runs: inputs with their contents, the same each time, and outputs full of garbage.
    pub fn slots(&self) -> Vec<Vec<u8>> {
        self.filled_with(GARBAGE)
    }

    fn filled_with(&self, garbage: u8) -> Vec<Vec<u8>> {
        let fill = |(nth, slot): (usize, &Slot)| match slot.access {
            Access::Read => contents(slot, self.filled(nth), nth as u64),
            Access::Write => vec![garbage; slot.len * slot.dtype.size()],
        };
        self.op.slots().iter().enumerate().map(fill).collect()
    }

    /// The defects of the slots after it ran. Elements that the reference does not write are not compared.
    pub fn wrong(&self, got: Vec<Vec<u8>>) -> Option<String> {
        self.wrong_within(got, 1.0)
    }

    /// The same, where results may differ by this share of what [`Case::precision`] allows.
    pub fn wrong_within(&self, got: Vec<Vec<u8>>, share: f64) -> Option<String> {
        self.judged(got, share, false)
    }

    /// The same of a device that gives 0 for results too small for a normal number, as WGSL allows.
    pub fn wrong_where_flushed(&self, got: Vec<Vec<u8>>) -> Option<String> {
        self.judged(got, 1.0, true)
    }

    fn judged(&self, got: Vec<Vec<u8>>, share: f64, flushes: bool) -> Option<String> {
        let slots = self.op.slots();
        let host = |bytes: Vec<Vec<u8>>| Host::new(slots.iter().map(|slot| slot.dtype).zip(bytes).collect());
        let reference = |garbage: u8| {
            let mut host = host(self.filled_with(garbage));
            self.meaning.as_ref().unwrap_or(&self.op).reference(&mut host);
            host
        };
        let (wanted, got) = (reference(GARBAGE), host(got));
        let outputs = || slots.iter().enumerate().filter(|(_, slot)| slot.access == Access::Write);
        let left = |(nth, slot): (usize, &Slot)| {
            wanted.bytes(nth).chunks(slot.dtype.size()).any(|element| element.iter().all(|&byte| byte == GARBAGE))
        };
        let again = outputs().any(left).then(|| reference(0));
        for (nth, slot) in outputs() {
            let precision = if MOVED.contains(&self.op.name()) { 0.0 } else { share * Case::precision(slot.dtype) };
            for at in 0..slot.len {
                let (g, w) = (got.get(nth, at), wanted.get(nth, at));
                let other = again.as_ref().map_or(w, |again| again.get(nth, at));
                let same = |a: Value, b: Value| a == b || a.is_nan() && b.is_nan();
                let close = || g.distance(w) <= precision * (w.size() + self.scale);
                let flushed = || flushes && g.size() == 0.0 && w.size() < smallest_normal(slot.dtype);
                if same(w, other) && !same(g, w) && !close() && !flushed() {
                    return Some(format!("{} at {at}: got {g:?}, wanted {w:?}", slot.name));
                }
            }
        }
        None
    }
}

/// Of floats: the least number with all of its digits. Of others 0.
fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F64 | DType::Complex64 => f64::MIN_POSITIVE,
        DType::F32 | DType::BF16 | DType::Complex32 => f32::MIN_POSITIVE as f64,
        DType::F16 => f16::MIN_POSITIVE.to_f64(),
        _ => 0.0,
    }
}

/// What outputs hold before.
const GARBAGE: u8 = 0xcd;

/// Operations that only move elements: what comes out is what went in.
const MOVED: [&str; 9] = ["concatenate", "gather", "nth", "runs", "scatter", "searchsorted", "select", "sort", "top_k"];

/// A slot's contents.
fn contents(slot: &Slot, fill: &Fill, seed: u64) -> Vec<u8> {
    let (len, class) = (slot.len as u64, slot.dtype.class());
    let quarters = |number: u64| match class {
        Class::Bool => Value::Bool(number > 6),
        Class::Float => Value::Float(number as f64 / 4.0),
        // Imaginary parts of either sign, so that products do not all turn one way.
        Class::Complex => Value::Complex(number as f64 / 4.0, (number as f64 * 5.0 % 13.0 - 6.0) / 4.0),
        Class::Signed | Class::Unsigned => Value::Int(number as i128),
    };
    let random = |at: u64| mixed(seed << 48 | at);
    let eighths = |random: u64| ((random % 8001) as f64 - 4000.0) / 8.0;
    let value = |at: u64| match fill {
        Fill::Numbers => quarters(1 + random(at) % 12),
        Fill::Sorted => quarters(1 + at * 12 / len.max(1)),
        Fill::Any => match class {
            Class::Bool => Value::Bool(random(at) & 1 == 1),
            Class::Float => Value::Float(eighths(random(at))),
            Class::Complex => Value::Complex(eighths(random(at)), eighths(random(at) >> 32)),
            Class::Signed | Class::Unsigned => Value::Int(random(at) as i128),
        },
        Fill::Distinct(below) => Value::Int((at as usize * 7919 % below) as i128),
        Fill::Indices(below) if slot.dtype == DType::I32 => {
            Value::Int((random(at) % (2 * *below as u64)) as i128 - *below as i128)
        }
        Fill::Indices(below) => Value::Int((random(at) % *below as u64) as i128),
        Fill::Number(number) => Value::Int(*number as i128),
        Fill::Values(values) => values[at as usize],
    };
    let size = slot.dtype.size();
    let mut bytes = Vec::with_capacity(slot.len * size);
    (0..len).for_each(|at| bytes.extend_from_slice(&value(at).scalar(slot.dtype).bits.to_le_bytes()[..size]));
    bytes
}

/// A number that looks random, of a number: SplitMix64's (Steele, Lea and Flood, 2014).
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
