//! Histogram: the number of values of a fused expression in each bin; `shaders/histogram.wgsl`.
//!
//! Bound by memory, every value once, as long as counters of all bins fit into workgroup memory; then by additions
//! there. Integer counts and sums do not depend on the order; sums of f32 do in their last bits.

mod binning;
#[cfg(feature = "cases")]
pub mod cases;
mod wgsl;

pub use binning::{Binning, Rule};
pub use binning::{compared, even_edges, thresholds};

use super::fuse::{Several, read_bytes, read_slots};
use super::map::{Map, buffer_bytes, points};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{
    Binding, Expression, ExpressionStep, Grid, Host, Op, Param, Pass, Plan, Slot, StepKind, Value, Vary,
};
use crosslane_core::tuning::Tunable;
use std::ops::Range;

/// What the functions of each sample's fusion begin with.
const PREFIXES: [&str; 2] = ["x_", "y_"];
/// What those of the weights begin with.
const WEIGHTS: &str = "w_";

/// A histogram over one or two axes.
#[derive(Clone, Debug, Hash)]
pub struct Histogram {
    /// The values that are counted: an expression for each axis.
    pub samples: Vec<Expression>,
    /// What each value adds, of type u32, i32 or f32; 1 if there is none.
    pub weights: Option<Expression>,
    /// The index space of all of them.
    pub shape: Vec<usize>,
    /// How each sample finds its bin, slowest first.
    pub axes: Vec<Binning>,
    /// The thresholds of all axes one after the other, in memory without gaps.
    pub edges: Option<Expression>,
    /// The output's slot, after all inputs: a number for each bin, fresh and without gaps.
    pub output: usize,
}

/// How a histogram is laid over a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Policy {
    /// Workgroups for each part of the bins, at most.
    groups: u64,
    /// Values for each addition of a counter to the output, at least, unless workgroups were fewer than `few_groups`.
    per_counter: u64,
    few_groups: u64,
    /// Workgroups on a processor, at most: each clears its counters and adds them up, and few run at the same time.
    on_processor: u64,
    /// Values for each lane, at least.
    per_lane: u64,
    /// Bytes of counters and edges in a workgroup, at most.
    most_bytes: u64,
    /// Parts that the bins are cut into, at most; beyond, values are added to memory that all share.
    parts: u64,
}

/// H200, 2^28 f32, 256 bins, 2026-11-22, GB/s through Vulkan and CUDA: with 16 KiB of copies 2,794 and 3,901, 8 KiB 3,814 and
/// 3,966, 4 KiB 3,973 and 3,926, 2 KiB 4,118 and 3,920: NVIDIA's Vulkan driver gives a processor little workgroup memory, so
/// that large workgroups' memory leaves few of them. 1056 groups 3,693; unrolled four times 4,116. 2112 workgroups would add 4096 counters to global memory in 90 us, a third of the time
/// of 2^28 values: 1024 of them half that. CUB's additions to global memory reach 96 G/s with 4096 bins, a read of all values
/// 1,100 G/s: four reads cost less. Unrolled four times the kernel costs software drivers a second to compile.
pub(super) const COUNTERS: Tunable = Tunable {
    name: "histogram",
    numbers: &["values", "bytes of copies"],
    candidates: &[&[2, 4096], &[2, 2048], &[2, 8192], &[2, 16384], &[4, 2048], &[4, 4096], &[4, 8192]],
};

const POLICY: Policy = Policy {
    groups: 2112,
    per_counter: 64,
    few_groups: 528,
    on_processor: 64,
    per_lane: 16,
    most_bytes: 48 << 10,
    parts: 4,
};

/// Counters of values in no bin, as in the shader.
const NOWHERE: u64 = 32;

/// Copies of a counter at most: the banks of workgroup memory.
const MOST_COPIES: u64 = 32;

/// The kernel's shape, and one launch's.
#[derive(Clone, Debug, PartialEq)]
struct Shape {
    fixed: Fixed,
    parts: u64,
    part_bins: u64,
    copies: u64,
    chunks: u64,
    span: u64,
}

/// What the kernel's text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fixed {
    private: bool,
    unroll: u32,
    /// Counters in workgroup memory.
    counters: u32,
    /// Edges in workgroup memory; 0 if they are read where they lie.
    near: u32,
}

impl Histogram {
    /// All bins.
    fn bins(&self) -> u64 {
        self.axes.iter().map(|axis| axis.bins as u64).product()
    }

    fn dtype(&self) -> DType {
        self.weights.as_ref().map_or(DType::U32, |weights| weights.dtype())
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.samples.iter().chain(&self.weights).chain(&self.edges)
    }

    fn fusions(&self) -> Several<'_> {
        let samples = self.samples.iter().zip(PREFIXES);
        let all: Vec<_> = samples.chain(self.weights.iter().map(|weights| (weights, WEIGHTS))).collect();
        Several::new(&self.shape, &all)
    }

    /// Zeros in the output.
    fn clear(&self) -> Map {
        let (dtype, len) = (self.dtype(), self.bins() as usize);
        let steps = vec![ExpressionStep { what: StepKind::Scalar(0), dtype }];
        let expression = Expression { scalars: vec![Scalar { dtype, bits: 0 }], steps, ..Expression::default() };
        let (output, output_strides) = (self.output, vec![1]);
        Map {
            expression,
            shape: vec![len],
            output,
            output_len: len,
            output_offset: 0,
            output_strides,
            fresh: true,
            count: None,
            fill: None,
        }
    }

    fn lay_out(&self, caps: &Caps, width: u64, extent: u64) -> Shape {
        let (policy, bins) = (POLICY, self.bins());
        let &[unroll, copy_bytes] = caps.tuning.get(&COUNTERS) else { unreachable!("two numbers") };
        let workgroup = caps.workgroup() as u64;
        let memory = policy.most_bytes.min(caps.workgroup_bytes as u64) - NOWHERE * 4;
        // Even bins look at edges seldom; a search reads several for each value.
        let searched = self.axes.iter().any(|axis| matches!(axis.rule, Rule::Search { .. }));
        let edges = self.axes.iter().map(|axis| axis.thresholds() as u64).sum::<u64>();
        let near = edges.next_power_of_two();
        let near_bytes = near * compared(self.samples[0].dtype()).size() as u64;
        let near = if searched && near_bytes + bins * 4 <= memory { near } else { 0 };
        let room = (memory - if near > 0 { near_bytes } else { 0 }) / 4;
        let parts = bins.div_ceil(room);
        let private = parts <= policy.parts;
        let parts = if private { parts } else { 1 };
        let part_bins = bins.div_ceil(parts);
        let tile = workgroup * width;
        let flushes = (extent / (policy.per_counter * part_bins)).max(policy.few_groups).min(policy.groups);
        let groups = if private { flushes } else { policy.groups };
        let groups = groups.min(if caps.processor.is_some() { policy.on_processor } else { groups });
        let chunks = extent.div_ceil(workgroup * policy.per_lane).min(groups).max(1);
        let span = extent.div_ceil(chunks).next_multiple_of(tile);
        // Clearing and adding up more counters than a workgroup has values would cost more than counting.
        let most = (copy_bytes as u64 / 4).min(room).min(span).max(part_bins);
        let copies = 1 << (most / part_bins).min(MOST_COPIES).ilog2();
        let counters = (part_bins * copies).next_power_of_two().min(room).max(1);
        let counters = if private { counters as u32 } else { 1 };
        let chunks = extent.div_ceil(span);
        Shape { fixed: Fixed { private, unroll, counters, near: near as u32 }, parts, part_bins, copies, chunks, span }
    }
}

impl Op for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.dtype(), self.bins() as usize);
        let output = Slot::write("output", dtype, len);
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        self.samples.iter_mut().chain(&mut self.weights).for_each(|expression| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = self.clear().plan(caps)?;
        if self.shape.contains(&0) {
            return Ok(plan);
        }
        let mut several = self.fusions();
        let space = several.space();
        let chunk = space.chunks(caps.binding_bytes, 4096);
        several.widen(&chunk, caps);
        let bytes = |slot: usize| read_bytes(self.expressions(), slot).expect("a fusion's bindings are its leaves");
        for cut in space.boxes(self.name(), &chunk)? {
            plan.passes.push(self.pass(&several, &cut, caps, &bytes));
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        let each: u64 = self.samples.iter().chain(&self.weights).map(|expression| expression.flops() + 1).sum();
        each * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let read: u64 = self.samples.iter().chain(&self.weights).map(|expression| expression.bytes(&extents)).sum();
        read + self.bins() * self.dtype().size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let mut sums = vec![Value::Int(0).cast(self.dtype()); self.bins() as usize];
        for point in points(&self.shape) {
            let (mut bin, mut first) = (Some(0), 0);
            for (axis, sample) in self.axes.iter().zip(&self.samples) {
                let threshold = |i: usize| host.get(self.edges_slot(), first + i);
                let own = axis.meaning(sample.meaning(host, &point), threshold);
                bin = bin.zip(own).map(|(bin, own)| bin * axis.bins + own);
                first += axis.thresholds();
            }
            let weight = self.weights.as_ref().map_or(Value::Int(1), |weights| weights.meaning(host, &point));
            if let Some(bin) = bin {
                sums[bin] = match (sums[bin], weight) {
                    (Value::Float(a), b) => Value::Float(a + b.float()),
                    (a, b) => Value::Int(a.int() + b.int()).cast(self.dtype()),
                };
            }
        }
        for (bin, sum) in sums.into_iter().enumerate() {
            host.set(self.output, bin, sum);
        }
    }
}

impl Histogram {
    fn edges_slot(&self) -> usize {
        self.edges.as_ref().expect("bins with edges have them").slots()[0].0
    }

    /// The launch for one box of the index space.
    fn pass(&self, several: &Several, cut: &[Range<u64>], caps: &Caps, bytes: &dyn Fn(usize) -> u64) -> Pass {
        let extent: u64 = cut.iter().map(|range| range.end - range.start).product();
        let shape = self.lay_out(caps, several.width() as u64, extent);
        let (params, mut buffers) = several.params(cut, caps.offset_alignment, bytes);
        if self.edges.is_some() {
            let slot = self.edges_slot();
            buffers.push(Binding::new(slot, 0, bytes(slot)));
        }
        let len = self.bins() as usize;
        buffers.push(Binding::new(self.output, 0, buffer_bytes(self.dtype(), len)));
        let own = [self.bins(), extent, shape.parts, shape.part_bins, shape.copies, shape.span].map(Param::of);
        let axes = self.axes_params().into_iter().map(|(_, word)| Param::Is(word));
        Pass {
            kernel: Kernel::of(self.spec(several, &shape), caps),
            buffers,
            params: [own.to_vec(), axes.collect(), params].concat(),
            grid: Grid::Count(shape.chunks * shape.parts),
        }
    }
}
