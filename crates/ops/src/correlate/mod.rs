//! Correlate: sums of products of windows with weights; `shaders/correlate.wgsl`, and for short windows over arrays in memory
//! `shaders/correlate_sliding.wgsl`.
//!
//! Bound by memory for few weights: each value is read once, with the margins of tiles twice. For many bound by arithmetic, a
//! multiplication and an addition for each weight and result. Error: that of a sum of so many products, in their order.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod sliding;
mod tile;
mod wgsl;

pub(super) use sliding::GUARDS;

use super::Boundary;
use super::fuse::{flat, read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};

/// Along one axis: `result[i]` is the sum over t of `weight[t] * value[i * step + t * dilation + first]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Weights.
    pub taps: usize,
    /// Results.
    pub count: usize,
    /// Where the first result's window begins.
    pub first: i64,
    /// From one result's window to the next one's.
    pub step: usize,
    /// From a value of a window to the next one.
    pub dilation: usize,
}

impl Window {
    /// One value, which is the result.
    pub fn single(count: usize) -> Window {
        Window { taps: 1, count, first: 0, step: 1, dilation: 1 }
    }

    /// The index of the value that a weight meets.
    fn index(&self, result: usize, tap: usize) -> i64 {
        (result * self.step + tap * self.dilation) as i64 + self.first
    }
}

/// A correlation of an expression's values with weights along its last axes.
#[derive(Clone, Debug, Hash)]
pub struct Correlate {
    /// The values: f32 or f64.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The weights: one leaf without gaps, of the values' type, filter by filter.
    pub weights: Expression,
    /// The windows along the last axes, one to three.
    pub windows: Vec<Window>,
    /// Sets of weights, one after the other: what lies along the axes before takes them in turns. One for all of it, or as many as
    /// a multiple of them has of channels.
    pub filters: usize,
    /// What stands past the ends.
    pub boundary: Boundary,
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

impl Correlate {
    fn dtype(&self) -> DType {
        self.expression.dtype()
    }

    /// Axes before those of the windows.
    fn kept(&self) -> &[usize] {
        &self.shape[..self.shape.len() - self.windows.len()]
    }

    fn output_shape(&self) -> Vec<usize> {
        [self.kept().to_vec(), self.windows.iter().map(|window| window.count).collect()].concat()
    }

    fn output_len(&self) -> usize {
        self.output_shape().iter().product()
    }

    fn taps(&self) -> usize {
        self.windows.iter().map(|window| window.taps).product()
    }

    /// Bytes of the largest array.
    fn slots_bytes(&self) -> u64 {
        self.slots().iter().enumerate().map(|(slot, _)| self.bytes_of(slot)).max().expect("there is the output")
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        match slot == self.output {
            true => buffer_bytes(self.dtype(), self.output_len()),
            false => read_bytes([&self.expression, &self.weights].into_iter(), slot).expect("a binding is a leaf"),
        }
    }
}

impl Op for Correlate {
    fn name(&self) -> &'static str {
        "correlate"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.dtype(), self.output_len());
        [read_slots([&self.expression, &self.weights].into_iter()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
        by.expression(&mut self.weights);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.output_len() == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let values: u64 = self.shape.iter().map(|&extent| extent as u64).product();
        2 * (self.output_len() * self.taps()) as u64 + values * self.expression.flops()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        let size = self.dtype().size();
        self.expression.bytes(&extents) + (size * (self.filters * self.taps() + self.output_len())) as u64
    }

    fn reference(&self, host: &mut Host) {
        let kept = self.kept().len();
        let taps: Vec<usize> = self.windows.iter().map(|window| window.taps).collect();
        let results: usize = self.windows.iter().map(|window| window.count).product();
        for (at, point) in points(&self.output_shape()).enumerate() {
            let first = at / results % self.filters * self.taps();
            let term = |(nth, tap): (usize, Vec<u64>)| {
                let mut from = point.clone();
                let inside = self.windows.iter().enumerate().all(|(axis, window)| {
                    let index = window.index(point[kept + axis] as usize, tap[axis] as usize);
                    let place = self.boundary.place(index, self.shape[kept + axis] as i64);
                    from[kept + axis] = place.unwrap_or(0) as u64;
                    place.is_some()
                });
                let value = match inside {
                    true => self.expression.meaning(host, &from).float(),
                    false => self.boundary.outside(),
                };
                value * flat(&self.weights, "").expression.meaning(host, &[(first + nth) as u64]).float()
            };
            let sum: f64 = points(&taps).enumerate().map(term).sum();
            host.set(self.output, at, Value::Float(sum));
        }
    }
}
