//! Recurrence: linear difference equations along an axis, `y[n] = sum b[k] x[n - k] - sum a[k] y[n - k]`, one or several in a
//! cascade; `shaders/recurrence.wgsl`, `recurrence_carry.wgsl`.
//!
//! Bound by memory where rows fill the device: each value is read once and written once. Where they do not, rows are cut into
//! spans, and values are read twice, in three launches. Error: that of the recurrence in the array's type, whose rounding errors
//! are filtered as the signal is; carried states add one product with a matrix for each power of two of blocks between.

mod cascade;
#[cfg(feature = "cases")]
pub mod cases;
mod cut;
mod plan;
mod wgsl;

pub use cascade::{Cascade, MOST_STATES};

use super::dense::slot_of;
use super::fuse::{read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};

/// A recurrence along one axis of an expression's values.
#[derive(Clone, Debug, Hash)]
pub struct Recurrence {
    /// The values: f32 or f64.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// The order of each section, at least 1.
    pub order: usize,
    /// Sections, each of which takes what the one before gives.
    pub sections: usize,
    /// How many powers of the matrix of a step follow the coefficients: of 1, 2, 4 and so on steps, all of moderate numbers.
    pub powers: usize,
    /// One leaf without gaps, of the values' type: for each section `b[0..=order]` and `a[1..=order]`, then the powers by rows.
    pub coefficients: Expression,
    /// The states before the first values, without it zeros: one leaf without gaps, `order * sections` numbers for each row.
    pub initial: Option<Expression>,
    /// Whether the states after the last values follow the values in the output.
    pub finals: bool,
    /// The output's slot, after all inputs: fresh, values and states without gaps.
    pub output: usize,
}

impl Recurrence {
    fn dtype(&self) -> DType {
        self.expression.dtype()
    }

    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Values of a row.
    fn length(&self) -> usize {
        self.shape[self.axis]
    }

    fn rows(&self) -> usize {
        self.shape.iter().enumerate().filter(|(axis, _)| *axis != self.axis).map(|(_, &extent)| extent).product()
    }

    /// Numbers of a state.
    fn states(&self) -> usize {
        self.order * self.sections
    }

    /// Values, and final states after them.
    fn output_len(&self) -> usize {
        self.len() + if self.finals { self.rows() * self.states() } else { 0 }
    }

    fn inputs(&self) -> impl Iterator<Item = &Expression> {
        [&self.expression, &self.coefficients].into_iter().chain(&self.initial)
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        match slot == self.output {
            true => buffer_bytes(self.dtype(), self.output_len()),
            false => read_bytes(self.inputs(), slot).expect("a binding is a leaf"),
        }
    }
}

impl Op for Recurrence {
    fn name(&self) -> &'static str {
        "recurrence"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.dtype(), self.output_len());
        [read_slots(self.inputs()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.shape.contains(&0) {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let each = (self.sections * (4 * self.order + 2)) as u64 + self.expression.flops();
        self.len() as u64 * each
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        let initial = if self.initial.is_some() { self.rows() * self.states() } else { 0 };
        self.expression.bytes(&extents) + (self.dtype().size() * (self.output_len() + initial)) as u64
    }

    fn reference(&self, host: &mut Host) {
        let length = self.coefficients.leaves[0].len;
        let table: Vec<f64> = (0..length).map(|at| host.get(slot_of(&self.coefficients), at).float()).collect();
        let cascade = Cascade::of_table(self.order, self.sections, &table);
        let states = self.states();
        let mut kept = self.shape.clone();
        kept[self.axis] = 1;
        for (row, outer) in points(&kept).enumerate() {
            let initial = |at: usize| match &self.initial {
                Some(initial) => host.get(slot_of(initial), row * states + at).float(),
                None => 0.0,
            };
            let mut state: Vec<f64> = (0..states).map(initial).collect();
            for n in 0..self.length() {
                let mut point = outer.clone();
                point[self.axis] = n as u64;
                let value = self.expression.meaning(host, &point).float();
                let place = point.iter().zip(&self.shape).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
                host.set(self.output, place, Value::Float(cascade.step(&mut state, value)));
            }
            for (at, &value) in state.iter().enumerate().filter(|_| self.finals) {
                host.set(self.output, self.len() + row * states + at, Value::Float(value));
            }
        }
    }
}
