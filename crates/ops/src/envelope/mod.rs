//! Envelope: the least of what values and their distances along an axis make; `shaders/envelope.wgsl`.
//!
//! One pass of a distance transform for each axis (Saito and Toriwaki, 1994; the envelope of parabolas of Felzenszwalb and
//! Huttenlocher, 2012, found by search). Loads of an element: about twice its distance up to a block's
//! length, then one for each block, from caches.

#[cfg(feature = "cases")]
pub mod cases;

use super::fuse::{FusionSpec, Several, read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};

/// What is infinitely far away.
pub const NONE: u32 = u32::MAX;

/// Places of a block, whose least value tells whether to look into it.
pub const BLOCK: usize = 64;

/// What a value and a distance along the axis make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Squares of distances add up.
    Squares,
    /// Distances add up.
    Taxicab,
    /// The longer one counts.
    Chessboard,
}

impl Metric {
    /// `reached(x, d)` and `far(d)`. What is infinitely far stays so.
    fn text(self) -> &'static str {
        match self {
            Metric::Squares => {
                "fn far(d: u32) -> u32 {\n    return d * d;\n}\n\
                 fn reached(x: u32, d: u32) -> u32 {\n    return select(x + d * d, NONE, x == NONE);\n}\n"
            }
            Metric::Taxicab => {
                "fn far(d: u32) -> u32 {\n    return d;\n}\n\
                 fn reached(x: u32, d: u32) -> u32 {\n    return select(x + d, NONE, x == NONE);\n}\n"
            }
            Metric::Chessboard => {
                "fn far(d: u32) -> u32 {\n    return d;\n}\n\
                 fn reached(x: u32, d: u32) -> u32 {\n    return max(x, d);\n}\n"
            }
        }
    }

    fn meaning(self, x: u32, d: usize) -> u32 {
        match self {
            _ if x == NONE => NONE,
            Metric::Squares => x + (d * d) as u32,
            Metric::Taxicab => x + d as u32,
            Metric::Chessboard => x.max(d as u32),
        }
    }
}

/// The least of what the values along an axis and their distances make. Sums are below 2^32 - 1.
#[derive(Clone, Debug, Hash)]
pub struct Envelope {
    /// Of u32; 2^32 - 1 is infinity.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// The least values of blocks along the axis, 64 each but for the last one.
    pub blocks: Expression,
    /// What they make.
    pub metric: Metric,
    /// The output's slot, after all inputs: u32, fresh and without gaps.
    pub output: usize,
}

/// What the text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct EnvelopeSpec {
    values: FusionSpec,
    blocks: FusionSpec,
    metric: Metric,
}

impl Spec for EnvelopeSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let inputs = [self.values.access(), self.blocks.access()].concat();
        let binding = inputs.len();
        let result = format!("@group(0) @binding({binding}) var<storage, read_write> result: array<u32>;\n");
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup()), ("BLOCK", BLOCK as u32)],
            params: [
                ["count", "extent", "behind"].map(String::from).to_vec(),
                self.values.param_names(),
                self.blocks.param_names(),
            ]
            .concat(),
            access: [inputs, vec![Access::Write]].concat(),
            text: self.values.text(0) + &self.blocks.text(self.values.access().len()) + self.metric.text() + &result,
            f16: self.values.uses_f16() || self.blocks.uses_f16(),
            trusted: self.values.is_safe() && self.blocks.is_safe(),
            ..Draft::new("envelope of distances".to_string(), shader("envelope"))
        }
    }
}

impl Envelope {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.expression, &self.blocks].into_iter()
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        match slot == self.output {
            true => buffer_bytes(DType::U32, self.len()),
            false => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
        }
    }

    /// An expression over a shape as a function of what is before, along and after the axis; its parameters, and its windows.
    fn read(
        &self,
        (expression, prefix): (&Expression, &'static str),
        shape: &[usize],
        caps: &Caps,
    ) -> (FusionSpec, Vec<Param>, Vec<Binding>) {
        let variable = |axis: usize| (axis > self.axis) as usize + (axis >= self.axis) as usize;
        let axes: Vec<(usize, usize)> = (0..shape.len()).map(|axis| (axis, variable(axis))).collect();
        let several = Several::over(shape, &axes, &["k", "i", "m"], &[(expression, prefix)], None);
        let fusion = &several.0[0];
        let whole: Vec<_> = fusion.dims.iter().map(|dim| 0..dim.extent).collect();
        let (params, reads) = fusion.params(&whole, caps.offset_alignment, &|slot| self.bytes_of(slot));
        (fusion.spec(), params, reads)
    }
}

impl Op for Envelope {
    fn name(&self) -> &'static str {
        "envelope"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", DType::U32, self.len());
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
        by.expression(&mut self.blocks);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.len() == 0 {
            return Ok(Plan::default());
        }
        let largest = (0..=self.output).map(|slot| self.bytes_of(slot)).max().expect("there is the output");
        if largest > caps.binding_bytes || self.len() > 1 << 31 {
            let wanted = format!("an array of at most {} bytes of distances, as one binding holds", caps.binding_bytes);
            let (operation, argument, got) = ("envelope", "array".into(), format!("{largest} bytes"));
            return Err(ErrorKind::Argument { operation, argument, wanted, got, at: None }.into());
        }
        let mut blocks = self.shape.clone();
        blocks[self.axis] = blocks[self.axis].div_ceil(BLOCK);
        let (values, own, reads) = self.read((&self.expression, ""), &self.shape, caps);
        let (blocks, more, block_reads) = self.read((&self.blocks, "b_"), &blocks, caps);
        let behind: usize = self.shape[self.axis + 1..].iter().product();
        let words = Param::all([self.len(), self.shape[self.axis], behind].map(|word| word as u32));
        Ok(Plan {
            scratch: vec![],
            passes: vec![Pass {
                kernel: Kernel::of(EnvelopeSpec { values, blocks, metric: self.metric }, caps),
                buffers: [reads, block_reads, vec![Binding::new(self.output, 0, self.bytes_of(self.output))]].concat(),
                params: [words, own, more].concat(),
                grid: Grid::Count((self.len() as u64).div_ceil(caps.workgroup() as u64)),
            }],
        })
    }

    fn flops(&self) -> u64 {
        (self.len() * self.shape[self.axis]) as u64
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        self.expression.bytes(&extents) + 4 * self.len() as u64
    }

    fn reference(&self, host: &mut Host) {
        for (at, point) in points(&self.shape).enumerate() {
            let made = |other: usize| {
                let mut from = point.clone();
                from[self.axis] = other as u64;
                let value = self.expression.meaning(host, &from).int() as u32;
                self.metric.meaning(value, (point[self.axis] as usize).abs_diff(other))
            };
            let least = (0..self.shape[self.axis]).map(made).min().expect("an axis has values");
            host.set(self.output, at, Value::Int(least as i128));
        }
    }
}
