//! The first k of each row: the indices of the smallest or largest elements, in order; `shaders/top_k.wgsl`.
//!
//! Bound by memory, every element once: each workgroup keeps a list of candidates below a bound that tightens; one
//! workgroup merges the lists. For long rows a sample gives the first bound, so that few elements are appended.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod shape;
mod wgsl;

use super::dense::slot_of;
use super::map::read_slots;
use super::order;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value};

/// The first elements of each row of an array without gaps, as indices.
#[derive(Clone, Debug, Hash)]
pub struct TopK {
    /// The array: one leaf.
    pub keys: Expression,
    /// Rows, each for itself.
    pub rows: usize,
    /// Elements of a row.
    pub length: usize,
    /// How many of each, [`TopK::most`] at most.
    pub k: usize,
    /// The largest first, NaN before all others; else the smallest, NaN after all others.
    pub largest: bool,
    /// The slot of the indices: k for each row, as u32.
    pub output: usize,
}

impl TopK {
    /// How many it can find of rows of this length: lists are in workgroup memory, and merged ones in one binding.
    pub fn most(caps: &Caps, dtype: DType, length: usize) -> usize {
        plan::most(caps, dtype, length as u64)
    }

    fn key_type(&self) -> DType {
        self.keys.dtype()
    }
}

impl Op for TopK {
    fn name(&self) -> &'static str {
        "top_k"
    }

    fn slots(&self) -> Vec<Slot> {
        let len = self.rows * self.k;
        let output = Slot::write("indices", DType::U32, len);
        read_slots(&self.keys).into_iter().chain([output]).collect()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        Ok(plan::plan(self, caps))
    }

    /// None: it compares.
    fn flops(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u64 {
        (self.rows * (self.length * self.key_type().size() + self.k * 4)) as u64
    }

    fn reference(&self, host: &mut Host) {
        let dtype = self.key_type();
        let all = u64::MAX >> (64 - 8 * dtype.size());
        for row in 0..self.rows {
            let number = |&index: &usize| {
                let key = host.get(slot_of(&self.keys), row * self.length + index);
                order::number(key.scalar(dtype).bits as u64, dtype, false) ^ if self.largest { all } else { 0 }
            };
            let mut indices: Vec<usize> = (0..self.length).collect();
            indices.sort_by_cached_key(number);
            for (place, index) in indices.into_iter().take(self.k).enumerate() {
                host.set(self.output, row * self.k + place, Value::Int(index as i128));
            }
        }
    }
}
