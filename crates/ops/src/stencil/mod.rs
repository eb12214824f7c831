//! Stencil: each element from its neighbours, over and over; `shaders/stencil.wgsl`, `shaders/stencil_tiled.wgsl`.
//!
//! Bound by memory: each field is read and written once a launch. Where a neighbourhood is small, a launch makes several steps in
//! workgroup memory, on tiles whose margins are computed by both neighbours: overlapped temporal blocking, as in Holewinski et al.,
//! "High-Performance Code Generation for Stencil Computations on GPU Architectures", 2012.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod tiled;
mod wgsl;

use super::fuse::{read_bytes, read_slots};
use super::map::buffer_bytes;
use super::{Boundary, dense::slot_of};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Formula, Host, Op, Plan, Slot, Value, Vary};

/// A value near an element: of a field, so far along the last three axes, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbour {
    /// The field.
    pub field: usize,
    /// How far from the element along z, y and x.
    pub offset: [i32; 3],
}

/// Steps of a stencil over fields of one type and shape.
#[derive(Clone, Debug, Hash)]
pub struct Stencil {
    /// The fields: one leaf without gaps each. The first ones are updated, the others stay.
    pub fields: Vec<Expression>,
    /// Their shape: the last axes are the stencil's.
    pub shape: Vec<usize>,
    /// How many axes are the stencil's: 1 to 3.
    pub axes: usize,
    /// What the formulas take, in this order.
    pub neighbours: Vec<Neighbour>,
    /// The next values of the first fields.
    pub formulas: Vec<Formula>,
    /// What stands past the ends.
    pub boundary: Boundary,
    /// The number that does, of a constant boundary.
    pub outside: Scalar,
    /// Steps: at least 1.
    pub steps: usize,
    /// The slot of the first field's last values, after all inputs; the others' follow. Fresh and without gaps.
    pub output: usize,
}

impl Stencil {
    fn dtype(&self) -> DType {
        self.outside.dtype
    }

    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The extents along k (all axes that are not the stencil's), z, y and x.
    fn extents(&self) -> [usize; 4] {
        let kept = self.shape.len() - self.axes;
        let mut extents = [self.shape[..kept].iter().product(), 1, 1, 1];
        extents[4 - self.axes..].copy_from_slice(&self.shape[kept..]);
        extents
    }

    /// The farthest neighbour along z, y and x.
    fn reach(&self) -> [u32; 3] {
        [0, 1, 2]
            .map(|axis: usize| self.neighbours.iter().map(|near| near.offset[axis].unsigned_abs()).max().unwrap_or(0))
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        read_bytes(self.fields.iter(), slot).unwrap_or(buffer_bytes(self.dtype(), self.len()))
    }
}

impl Op for Stencil {
    fn name(&self) -> &'static str {
        "stencil"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = |nth: usize| Slot::write(&format!("output{nth}"), self.dtype(), self.len());
        let outputs = (0..self.formulas.len()).map(output);
        read_slots(self.fields.iter()).into_iter().chain(outputs).collect()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        self.fields.iter_mut().for_each(|field| by.expression(field));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.len() == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let each: u64 = self.formulas.iter().map(|formula| formula.operations()).sum();
        (self.len() as u64).saturating_mul(each).saturating_mul(self.steps as u64)
    }

    fn bytes(&self) -> u64 {
        let each = (self.fields.len() + self.formulas.len()) * self.dtype().size();
        (self.len() * each) as u64
    }

    /// Formulas are a program's own, whose meaning engines alone know: cases have one of their own.
    fn reference(&self, host: &mut Host) {
        for (nth, formula) in self.formulas.iter().enumerate() {
            let mut results = vec![];
            for at in 0..self.len() {
                let near = |neighbour: &Neighbour| host.get(slot_of(&self.fields[neighbour.field]), at);
                let arguments: Vec<Value> = self.neighbours.iter().map(near).collect();
                results.push(formula.meaning(&arguments).expect("a stencil's cases have a meaning of their own"));
            }
            results.into_iter().enumerate().for_each(|(at, value)| host.set(self.output + nth, at, value));
        }
    }
}
