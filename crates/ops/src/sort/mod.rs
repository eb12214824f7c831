//! Sort: a stable radix sort by digits of 8 bits, of keys alone or with a value each; `shaders/sort_*.wgsl`.
//!
//! Rows longer than a tile: one read that counts all digits, then a pass for each digit that reads and writes every key
//! once (Onesweep: Adinets and Merrill, 2022), 36 bytes for a key of four. Shorter rows: one launch, in workgroup memory, by
//! digits, or by merging where that is faster.

#[cfg(feature = "cases")]
pub mod cases;
mod merge;
mod plan;
mod shape;
mod short;
mod steps;
mod wgsl;

use super::counted::count_on;
use super::dense::{Form, slot_of};
use super::map::read_slots;
use super::order;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value};
pub(crate) use merge::MERGED;
use shape::DIGIT;
pub(super) use shape::{KEYS, PAIRS, WIDE};
use std::ops::Range;
use wgsl::Values;

/// What moves with the keys.
#[derive(Clone, Debug, Hash)]
pub enum Payload {
    /// Nothing.
    None,
    /// Where each key was in its row, as u32: an argsort.
    Index,
    /// An array of as many elements, without gaps.
    Array(Expression),
}

/// A sort of each row of an array without gaps.
#[derive(Clone, Debug, Hash)]
pub struct Sort {
    /// The keys: one leaf.
    pub keys: Expression,
    /// What moves with them.
    pub payload: Payload,
    /// Rows, which are sorted each by itself.
    pub rows: usize,
    /// Elements of a row.
    pub length: usize,
    /// The largest first. NaNs are last either way.
    pub descending: bool,
    /// The bits of the keys that count, of numbers ordered as the keys are: all, `0..8 * size`.
    pub bits: Range<u32>,
    /// How many keys of the only row count, where the device alone knows: a leaf of one u32. The others are not read,
    /// and the output after the sorted ones is not written.
    pub count: Option<Expression>,
    /// Whether the sorted keys are an output.
    pub gives_keys: bool,
    /// The slot of the first output: the keys, if they are one; then what moves with them.
    pub output: usize,
}

impl Sort {
    /// Elements of a row at most: words that tiles publish distinguish a count from a position among this many.
    pub const MOST: usize = u32::MAX as usize - (1 << 16);

    fn key_type(&self) -> DType {
        self.keys.dtype()
    }

    fn len(&self) -> usize {
        self.rows * self.length
    }

    /// Passes: one for each digit; one at least.
    fn places(&self) -> u32 {
        (self.bits.end - self.bits.start).div_ceil(DIGIT).max(1)
    }

    /// First bit and mask of a digit.
    fn digit(&self, place: u32) -> (u32, u32) {
        let first = self.bits.start + place * DIGIT;
        (first, (1 << (self.bits.end - first).min(DIGIT)) - 1)
    }

    /// The type of what moves with the keys.
    fn value_type(&self) -> Option<DType> {
        match &self.payload {
            Payload::None => None,
            Payload::Index => Some(DType::U32),
            Payload::Array(values) => Some(values.dtype()),
        }
    }

    fn carried_value(&self) -> Form {
        self.value_type().map_or(Form::Words(1), Form::carried)
    }

    /// Where the values of the first pass come from.
    fn values(&self) -> Values {
        match &self.payload {
            Payload::None => Values::None,
            Payload::Index => Values::Index,
            Payload::Array(values) => Values::Of(Form::held(values.dtype())),
        }
    }

    fn output_types(&self) -> Vec<(&'static str, DType)> {
        let keys = self.gives_keys.then(|| ("sorted", self.key_type()));
        keys.into_iter().chain(self.value_type().map(|dtype| ("values", dtype))).collect()
    }
}

impl Op for Sort {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn slots(&self) -> Vec<Slot> {
        let mut slots = read_slots(&self.keys);
        if let Payload::Array(values) = &self.payload {
            let more = read_slots(values).into_iter().filter(|slot| slots.iter().all(|other| other.name != slot.name));
            slots.extend(more.collect::<Vec<_>>());
        }
        slots.extend(self.count.iter().flat_map(read_slots));
        let output = |(name, dtype): (&str, DType)| Slot::write(name, dtype, self.len());
        slots.into_iter().chain(self.output_types().into_iter().map(output)).collect()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        plan::plan(self, caps)
    }

    /// None: it moves.
    fn flops(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u64 {
        let read =
            self.key_type().size() + if let Payload::Array(values) = &self.payload { values.dtype().size() } else { 0 };
        let written: usize = self.output_types().iter().map(|(_, dtype)| dtype.size()).sum();
        (self.len() * (read + written)) as u64
    }

    fn reference(&self, host: &mut Host) {
        let dtype = self.key_type();
        let mask = ((1u128 << self.bits.end) - 1) as u64;
        for row in 0..self.rows {
            let key = |&index: &usize| host.get(slot_of(&self.keys), row * self.length + index);
            let number = |index: &usize| {
                let number = order::number(key(index).scalar(dtype).bits as u64, dtype, self.descending);
                (number & mask).checked_shr(self.bits.start).unwrap_or(0)
            };
            let mut order: Vec<usize> = (0..count_on(host, &self.count, self.length)).collect();
            order.sort_by_cached_key(number);
            let value = |index: &usize| match &self.payload {
                Payload::Array(values) => host.get(slot_of(values), row * self.length + index),
                _ => Value::Int(*index as i128),
            };
            let (keys, values): (Vec<_>, Vec<_>) = order.iter().map(|index| (key(index), value(index))).unzip();
            let outputs = [self.gives_keys.then_some(keys), self.value_type().map(|_| values)];
            for (slot, values) in outputs.into_iter().flatten().enumerate() {
                for (index, value) in values.into_iter().enumerate() {
                    host.set(self.output + slot, row * self.length + index, value);
                }
            }
        }
    }
}
