//! Pad: an expression continued past the ends of some axes; `shaders/map.wgsl`.
//!
//! Bound by memory: the input once, the output once. One launch on a card. On a processor, and for arrays past one binding, a
//! map for each piece: what is continued without a turn along every axis.

#[cfg(feature = "cases")]
pub mod cases;
mod pieces;
mod wgsl;

use super::Boundary;
use super::fuse::{Several, read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Vary};
use std::ops::Range;
use wgsl::{PadSpec, VARIABLES};

/// An expression's values, continued past the ends of some axes.
#[derive(Clone, Debug, Hash)]
pub struct Pad {
    /// The values.
    pub expression: Expression,
    /// Its index space: no axis is empty, unless the boundary is a constant.
    pub shape: Vec<usize>,
    /// Elements before and after each axis. At most [`Pad::AXES`] axes have any.
    pub widths: Vec<(usize, usize)>,
    /// What they are. The number of a constant is `outside`.
    pub boundary: Boundary,
    /// The constant, of the values' type: an expression without arrays.
    pub outside: Expression,
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

/// Elements of an axis at most in one launch: places are 32-bit numbers, and twice an extent is one too.
const LONGEST: usize = 1 << 30;

impl Pad {
    /// Axes that get longer, at most.
    pub const AXES: usize = (VARIABLES.len() - 1) / 2;

    fn dtype(&self) -> DType {
        self.expression.dtype()
    }

    fn output_shape(&self) -> Vec<usize> {
        self.shape.iter().zip(&self.widths).map(|(extent, (before, after))| before + extent + after).collect()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.expression, &self.outside].into_iter()
    }

    /// The axes that belong to each of the kernel's variables: one that gets longer, or neighbours that do not.
    fn variables(&self) -> Vec<Range<usize>> {
        let longer = |axis: usize| self.widths[axis] != (0, 0);
        let mut variables: Vec<Range<usize>> = vec![];
        for axis in 0..self.shape.len() {
            match variables.last_mut() {
                Some(last) if !longer(axis) && !longer(axis - 1) => last.end = axis + 1,
                _ => variables.push(axis..axis + 1),
            }
        }
        variables
    }

    /// One launch, if all arrays fit the bindings.
    fn launch(&self, caps: &Caps) -> Option<Pass> {
        let (shape, variables) = (self.output_shape(), self.variables());
        let len: usize = shape.iter().product();
        let written = buffer_bytes(self.dtype(), len);
        if shape.iter().any(|&extent| extent > LONGEST) || len > 1 << 31 || written > caps.binding_bytes {
            return None;
        }
        let axes: Vec<(usize, usize)> =
            variables.iter().enumerate().flat_map(|(nth, axes)| axes.clone().map(move |axis| (axis, nth))).collect();
        let expressions = [(&self.expression, "x_"), (&self.outside, "outside_")];
        let several = Several::over(&self.shape, &axes, VARIABLES, &expressions, None);
        let space = several.space();
        if space.chunks_of(caps.binding_bytes, 1, u64::MAX) != space.extents {
            return None;
        }
        let whole: Vec<_> = several.0[0].dims.iter().map(|dim| 0..dim.extent).collect();
        let bytes = |slot: usize| read_bytes(self.expressions(), slot).expect("a binding is a leaf");
        let (params, mut buffers) = several.params(&whole, caps.offset_alignment, &bytes);
        buffers.push(Binding::new(self.output, 0, written));
        let longer = variables.iter().map(|axes| axes.len() == 1 && self.widths[axes.start] != (0, 0)).collect();
        let spec = PadSpec { several: several.spec(), longer, boundary: self.boundary.rule() };
        let units = len.div_ceil(spec.per_unit());
        let extents = variables.iter().flat_map(|axes| {
            let extent: usize = shape[axes.clone()].iter().product();
            let size: usize = self.shape[axes.clone()].iter().product();
            [extent, size, self.widths[axes.start].0]
        });
        Some(Pass {
            kernel: Kernel::of(spec, caps),
            buffers,
            params: [units].into_iter().chain(extents).map(|word| Param::of(word as u64)).chain(params).collect(),
            grid: Grid::Count(units.div_ceil(caps.workgroup() as usize) as u64),
        })
    }
}

impl Op for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.dtype(), self.output_shape().iter().product());
        let output = Slot::write("output", dtype, len);
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
        by.expression(&mut self.outside);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.output_shape().contains(&0) {
            return Ok(Plan::default());
        }
        if (caps.processor.is_some() && self.few_pieces()) || self.shape.contains(&0) {
            return self.in_pieces(caps);
        }
        match self.launch(caps) {
            Some(pass) => Ok(Plan { scratch: vec![], passes: vec![pass] }),
            None => self.in_pieces(caps),
        }
    }

    fn flops(&self) -> u64 {
        self.expression.flops() * self.output_shape().iter().map(|&extent| extent as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        let written = self.output_shape().iter().product::<usize>() * self.dtype().size();
        self.expression.bytes(&extents) + written as u64
    }

    fn reference(&self, host: &mut Host) {
        for (at, point) in points(&self.output_shape()).enumerate() {
            let place = |(axis, &at): (usize, &u64)| {
                let index = at as i64 - self.widths[axis].0 as i64;
                self.boundary.place(index, self.shape[axis] as i64).map(|place| place as u64)
            };
            let value = match point.iter().enumerate().map(place).collect::<Option<Vec<u64>>>() {
                Some(from) => self.expression.meaning(host, &from),
                None => self.outside.meaning(host, &point),
            };
            host.set(self.output, at, value);
        }
    }
}
