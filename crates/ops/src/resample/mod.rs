//! Resample: images of another size, sums of pixels by weights from a table for each axis; `shaders/resample.wgsl`.
//!
//! Bound by memory for windows of few pixels: one launch, which reads pixels by way of the caches and writes results once. For
//! long windows two launches, one along each axis, the second over an image of f32 in scratch. Error: that of sums of so many
//! products, in their order.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod table;
mod wgsl;

pub use table::Resampling;
pub use table::Table;

use super::fuse::{read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use super::pixels::Extents;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};

/// Images of another size.
#[derive(Clone, Debug, Hash)]
pub struct Resample {
    /// The pixels, as f32 or f64, in which they are added up.
    pub expression: Expression,
    /// Their index space.
    #[doc(hidden)]
    pub extents: Extents,
    /// The tables of rows and of columns, one after the other: one leaf without gaps, of u32 for pixels of f32 (weights by their
    /// bits), of f64 for pixels of f64.
    pub tables: Expression,
    /// Pixels of a window along each axis; 0 where an axis stays as it is, which has no table.
    pub taps: [usize; 2],
    /// Rows and columns of the results.
    pub size: [usize; 2],
    /// What becomes of each result: over the results' index space.
    pub epilogue: Expression,
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

impl Resample {
    /// The type that pixels are added up in.
    fn sums(&self) -> DType {
        self.expression.dtype()
    }

    fn results(&self) -> Extents {
        self.extents.resized(self.size)
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.expression, &self.tables, &self.epilogue].into_iter()
    }

    /// The first words of both tables.
    fn bases(&self) -> [usize; 2] {
        [0, if self.taps[0] == 0 { 0 } else { (self.taps[0] + 1) * self.size[0] }]
    }

    /// Bytes of a slot, or of scratch after them.
    fn bytes_of(&self, slot: usize, scratch: &[u64]) -> u64 {
        match slot.checked_sub(self.output) {
            None => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
            Some(0) => buffer_bytes(self.epilogue.dtype(), self.results().len()),
            Some(after) => scratch[after - 1],
        }
    }

    /// The pixels of a result's window along an axis, and their weights.
    fn window(&self, host: &Host, axis: usize, result: usize) -> Vec<(usize, f64)> {
        let slot = self.tables.slots()[0].0;
        let held = |at: usize| host.get(slot, self.bases()[axis] + at * self.size[axis] + result);
        let first = || match self.sums() {
            DType::F64 => held(0).float() as usize,
            _ => held(0).int() as usize,
        };
        let weight = |tap: usize| match self.sums() {
            DType::F64 => held(tap + 1).float(),
            _ => f32::from_bits(held(tap + 1).int() as u32) as f64,
        };
        match self.taps[axis] {
            0 => vec![(result, 1.0)],
            taps => (0..taps).map(|tap| (first() + tap, weight(tap))).collect(),
        }
    }
}

impl Op for Resample {
    fn name(&self) -> &'static str {
        "resample"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.epilogue.dtype(), self.results().len());
        let output = Slot::write("output", dtype, len);
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        [&mut self.expression, &mut self.tables, &mut self.epilogue].into_iter().for_each(|e| by.expression(e));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.results().len() == 0 || self.extents.len() == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let taps: usize = self.taps.iter().map(|&taps| taps.max(1)).product();
        let each = 2 * taps as u64 + self.epilogue.flops();
        self.results().len() as u64 * each + self.extents.len() as u64 * self.expression.flops()
    }

    fn bytes(&self) -> u64 {
        let of = |extents: &Extents| -> Vec<u64> { extents.shape.iter().map(|&extent| extent as u64).collect() };
        let words: usize =
            self.taps.iter().zip(self.size).filter(|(taps, _)| **taps > 0).map(|(t, n)| (t + 1) * n).sum();
        let (results, written) = (self.results(), self.results().len() * self.epilogue.dtype().size());
        self.expression.bytes(&of(&self.extents))
            + self.epilogue.bytes(&of(&results))
            + (self.tables.dtype().size() * words + written) as u64
    }

    fn reference(&self, host: &mut Host) {
        let results = self.results();
        for (at, point) in points(&results.shape).enumerate() {
            let [_, y, x, _] = results.place(&point);
            let (rows, columns) = (self.window(host, 0, y), self.window(host, 1, x));
            let (mut sum, mut tap, axis) = (0.0, point.clone(), self.extents.row_axis());
            for (y, down) in &rows {
                for (x, along) in columns.iter().filter(|(_, along)| down * along != 0.0) {
                    (tap[axis], tap[axis + 1]) = (*y as u64, *x as u64);
                    sum += down * along * self.expression.meaning(host, &tap).float();
                }
            }
            let value = self.epilogue.meaning_of(host, &point, Some(Value::Float(sum)));
            host.set(self.output, at, value);
        }
    }
}
