//! Components: the first value of the connected component of each value of a mask; `shaders/components_*.wgsl`.
//!
//! A union-find forest in the output: runs along rows, joined by atomics, flattened (Playne and Hawick, A New Algorithm for Parallel
//! Connected-Component Labelling on GPUs, 2018). Bound by memory and by the atomics of runs that meet.

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

/// Neighbours of a row whose runs the first pass finds, at most; a workgroup of fewer has one segment. Not tuned.
const SEGMENT: u32 = 32;
/// What is no value of the mask.
const NONE: u32 = u32::MAX;

/// For each value of a mask the number of the first one of its component, in row-major order; 2^32 - 1 for others.
#[derive(Clone, Debug, Hash)]
pub struct Components {
    /// The mask.
    pub expression: Expression,
    /// Its index space: one to three axes.
    pub shape: Vec<usize>,
    /// Along how many axes neighbours may differ, by one.
    pub connectivity: usize,
    /// The output's slot, after all inputs: u32, fresh and without gaps.
    pub output: usize,
}

/// The passes.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Step {
    Start(FusionSpec),
    Join { connectivity: u32 },
    Flatten,
}

impl Spec for Step {
    fn draft(&self, caps: &Caps) -> Draft {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let parent = |binding: usize, element: &str| {
            format!("@group(0) @binding({binding}) var<storage, read_write> parent: array<{element}>;\n")
        };
        let constants = vec![("WORKGROUP", caps.workgroup()), ("SEGMENT", SEGMENT.min(caps.workgroup()))];
        match self {
            Step::Start(fusion) => Draft {
                constants,
                params: [names(&["count", "size_x"]), fusion.param_names()].concat(),
                access: [fusion.access(), vec![Access::Write]].concat(),
                text: fusion.text(0) + &parent(fusion.access().len(), "u32"),
                f16: fusion.uses_f16(),
                trusted: fusion.is_safe(),
                ..Draft::new("components, their runs".to_string(), shader("components_start"))
            },
            Step::Join { connectivity } => Draft {
                constants: [constants, vec![("CONNECTIVITY", *connectivity)]].concat(),
                params: names(&["count", "size_x", "size_y"]),
                access: vec![Access::Write],
                text: parent(0, "atomic<u32>"),
                trusted: true,
                ..Draft::new("components, joined".to_string(), shader("components_join"))
            },
            Step::Flatten => Draft {
                constants,
                params: names(&["count"]),
                access: vec![Access::Write],
                text: parent(0, "atomic<u32>"),
                trusted: true,
                ..Draft::new("components, flattened".to_string(), shader("components_flatten"))
            },
        }
    }
}

impl Components {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The extents along z, y and x.
    fn sizes(&self) -> [usize; 3] {
        let mut sizes = [1; 3];
        self.shape.iter().rev().enumerate().for_each(|(back, &extent)| sizes[2 - back] = extent);
        sizes
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        match slot == self.output {
            true => buffer_bytes(DType::U32, self.len()),
            false => read_bytes([&self.expression].into_iter(), slot).expect("a binding is a leaf"),
        }
    }
}

impl Op for Components {
    fn name(&self) -> &'static str {
        "components"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", DType::U32, self.len());
        [read_slots([&self.expression].into_iter()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.len() == 0 {
            return Ok(Plan::default());
        }
        let largest = (0..=self.output).map(|slot| self.bytes_of(slot)).max().expect("there is the output");
        if largest > caps.binding_bytes || self.len() > 1 << 31 {
            let wanted = format!("a mask of at most {} bytes of labels, as one binding holds", caps.binding_bytes);
            let (operation, argument, got) = ("components", "array".into(), format!("{largest} bytes"));
            return Err(ErrorKind::Argument { operation, argument, wanted, got, at: None }.into());
        }
        let several = Several::new(&self.shape, &[(&self.expression, "")]);
        let fusion = &several.0[0];
        let whole: Vec<_> = fusion.dims.iter().map(|dim| 0..dim.extent).collect();
        let (own, reads) = fusion.params(&whole, caps.offset_alignment, &|slot| self.bytes_of(slot));
        let parent = Binding::new(self.output, 0, self.bytes_of(self.output));
        let [_, y, x] = self.sizes().map(|size| size as u32);
        let grid = Grid::Count((self.len() as u64).div_ceil(caps.workgroup() as u64));
        let pass = |step: Step, buffers: Vec<Binding>, words: Vec<Param>| Pass {
            kernel: Kernel::of(step, caps),
            buffers,
            params: words,
            grid,
        };
        let words = |more: &[u32]| Param::all([&[self.len() as u32], more].concat());
        let join = Step::Join { connectivity: self.connectivity as u32 };
        Ok(Plan {
            scratch: vec![],
            passes: vec![
                pass(Step::Start(fusion.spec()), [reads, vec![parent]].concat(), [words(&[x]), own].concat()),
                pass(join, vec![parent], words(&[x, y])),
                pass(Step::Flatten, vec![parent], words(&[])),
            ],
        })
    }

    fn flops(&self) -> u64 {
        self.len() as u64 * (self.expression.flops() + 13)
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        self.expression.bytes(&extents) + 4 * self.len() as u64
    }

    /// Floods each component from its first value.
    fn reference(&self, host: &mut Host) {
        let mask: Vec<bool> = points(&self.shape).map(|point| self.expression.meaning(host, &point).truth()).collect();
        let sizes = self.sizes().map(|size| size as i64);
        let mut first = vec![NONE; mask.len()];
        for start in 0..mask.len() {
            let mut open = if mask[start] && first[start] == NONE { vec![start] } else { vec![] };
            while let Some(at) = open.pop() {
                if first[at] != NONE {
                    continue;
                }
                first[at] = start as u32;
                let here = [at as i64 / (sizes[1] * sizes[2]), at as i64 / sizes[2] % sizes[1], at as i64 % sizes[2]];
                for near in points(&[3, 3, 3]) {
                    let step: [i64; 3] = std::array::from_fn(|axis| near[axis] as i64 - 1);
                    let there: [i64; 3] = std::array::from_fn(|axis| here[axis] + step[axis]);
                    let apart = step.iter().filter(|&&step| step != 0).count();
                    let inside = (0..3).all(|axis| (0..sizes[axis]).contains(&there[axis]));
                    let place = ((there[0] * sizes[1] + there[1]) * sizes[2] + there[2]) as usize;
                    if apart <= self.connectivity && inside && mask[place] {
                        open.push(place);
                    }
                }
            }
        }
        first.iter().enumerate().for_each(|(at, &root)| host.set(self.output, at, Value::Int(root as i128)));
    }
}
