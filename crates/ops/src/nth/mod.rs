//! The element at a place of each sorted row, without sorting: a radix select by digits of 11 bits; `shaders/nth_*.wgsl`.
//!
//! Bound by memory: every element once for each digit, three times for 32 bits and six for 64. A read counts how often
//! each digit occurs among what has the digits found so far; then one workgroup for each row finds the next digit.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod wgsl;

use super::dense::slot_of;
use super::map::read_slots;
use super::order;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot};

/// The element at one place of each row, were it sorted.
#[derive(Clone, Debug, Hash)]
pub struct Nth {
    /// The array: one leaf, of 32- or 64-bit elements.
    pub keys: Expression,
    /// Rows, each for itself.
    pub rows: usize,
    /// Elements of a row.
    pub length: usize,
    /// The place, the smallest element's being 0. NaN is larger than all others.
    pub n: usize,
    /// The slot of the result: an element for each row. Zeros are +0, and NaNs one NaN.
    pub output: usize,
}

impl Nth {
    fn key_type(&self) -> DType {
        self.keys.dtype()
    }
}

impl Op for Nth {
    fn name(&self) -> &'static str {
        "nth"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.key_type(), self.rows);
        read_slots(&self.keys).into_iter().chain([output]).collect()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        Ok(plan::plan(self, caps))
    }

    /// None: it counts.
    fn flops(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u64 {
        (self.rows * (self.length + 1) * self.key_type().size()) as u64
    }

    fn reference(&self, host: &mut Host) {
        let dtype = self.key_type();
        for row in 0..self.rows {
            let mut keys: Vec<_> =
                (0..self.length).map(|index| host.get(slot_of(&self.keys), row * self.length + index)).collect();
            keys.sort_by_cached_key(|key| order::number(key.scalar(dtype).bits as u64, dtype, false));
            host.set(self.output, row, keys[self.n]);
        }
    }
}
