//! Scatter: values put, added or compared where indices say; `shaders/scatter.wgsl`.
//!
//! Bound by atomics to memory that all share. Integers give the same result in any order, and so do smallest and largest
//! values; sums of f32 differ in their last bits, and of several values put in one place any one stays.

#[cfg(feature = "cases")]
pub mod cases;

use super::fuse::{Several, SeveralSpec, read_bytes, read_slots};
use super::indexing::{Indexing, IndexingSpec, PARAMS};
use super::map::{Map, buffer_bytes, points};
use super::reduce::is_nan;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};

/// How a value is combined with the element that it is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The value takes its place.
    Replace,
    /// Their sum; integers wrap.
    Add,
    /// The smaller one; NaN if any is NaN.
    Minimum,
    /// The larger one; NaN if any is NaN.
    Maximum,
}

/// An array with values scattered into it.
#[derive(Clone, Debug, Hash)]
pub struct Scatter {
    /// The array before.
    pub target: Expression,
    /// Its shape.
    pub target_shape: Vec<usize>,
    /// The scattered values, of the same type.
    pub values: Expression,
    /// Where.
    pub indexing: Indexing,
    /// The index space of the values.
    pub shape: Vec<usize>,
    /// How.
    pub combine: Combine,
    /// The output's slot, after all inputs: of the target's shape, fresh and without gaps.
    pub output: usize,
}

impl Combine {
    /// Whether there are atomics for it: all types can be replaced, 32-bit numbers combined.
    #[doc(hidden)]
    pub fn exists(self, dtype: DType) -> bool {
        self == Combine::Replace || matches!(dtype, DType::F32 | DType::I32 | DType::U32)
    }

    fn meaning(self, there: Value, value: Value, dtype: DType) -> Value {
        let less = |a: Value, b: Value| match (a, b) {
            (Value::Float(a), Value::Float(b)) => a < b || a.is_nan(),
            (a, b) => a.int() < b.int(),
        };
        let more = |a: Value, b: Value| match (a, b) {
            (Value::Float(a), Value::Float(b)) => a > b || a.is_nan(),
            (a, b) => a.int() > b.int(),
        };
        match (self, there, value) {
            (Combine::Replace, _, value) => value,
            (Combine::Add, Value::Float(a), b) => Value::Float(a + b.float()),
            (Combine::Add, a, b) => Value::Int(a.int() + b.int()).cast(dtype),
            (Combine::Minimum, a, b) => {
                if less(a, b) {
                    a
                } else {
                    b
                }
            }
            (Combine::Maximum, a, b) => {
                if more(a, b) {
                    a
                } else {
                    b
                }
            }
        }
    }
}

impl Scatter {
    fn dtype(&self) -> DType {
        self.values.dtype()
    }

    fn len(&self) -> usize {
        self.target_shape.iter().product()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let report = self.indexing.report.as_ref();
        [&self.target, &self.indexing.indices, &self.indexing.base, &self.values].into_iter().chain(report)
    }

    /// The array before, into the output.
    fn copy(&self) -> Map {
        let mut output_strides = vec![1; self.target_shape.len()];
        for axis in (1..self.target_shape.len()).rev() {
            output_strides[axis - 1] = output_strides[axis] * self.target_shape[axis] as i64;
        }
        Map {
            expression: self.target.clone(),
            shape: self.target_shape.clone(),
            output: self.output,
            output_len: self.len(),
            output_offset: 0,
            output_strides,
            fresh: true,
            count: None,
            fill: None,
        }
    }
}

/// What the text of a scatter depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ScatterSpec {
    /// The indices and bases, then the values.
    several: SeveralSpec,
    indexing: IndexingSpec,
    combine: Combine,
}

impl Spec for ScatterSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let ScatterSpec { several, indexing, .. } = self;
        let inputs = several.access();
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: [["units"].into_iter().chain(PARAMS).map(String::from).collect(), several.param_names()].concat(),
            access: inputs.iter().copied().chain([Access::Write]).chain(indexing.access()).collect(),
            text: several.text() + &indexing.text(several, inputs.len() + 1) + &self.deliver_text(inputs.len(), caps),
            f16: several.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("scatter of {}", self.dtype()), shader("scatter"))
        }
    }
}

impl ScatterSpec {
    fn dtype(&self) -> DType {
        self.several.0.last().expect("the values are the last").dtype()
    }

    /// `deliver(i)` and the array that it writes to, at this binding.
    fn deliver_text(&self, binding: usize, caps: &Caps) -> String {
        let dtype = self.dtype();
        let (element, body) = match (self.combine, dtype) {
            (Combine::Add, DType::F32) if caps.atomic_f32 => {
                ("atomic<f32>".to_string(), "    atomicAdd(&y[at], v);\n".into())
            }
            (_, DType::F32) if self.combine != Combine::Replace => ("atomic<u32>".into(), self.swap_text()),
            (Combine::Replace, _) if dtype.per_word() > 1 => ("atomic<u32>".into(), part_text(dtype)),
            (Combine::Replace, _) if dtype.size() != 4 => (dtype.wgsl().into(), "    y[at] = v;\n".into()),
            (Combine::Replace, _) => ("atomic<u32>".into(), "    atomicStore(&y[at], bitcast<u32>(v));\n".into()),
            (combine, _) => {
                let function = match combine {
                    Combine::Minimum => "atomicMin",
                    Combine::Maximum => "atomicMax",
                    _ => "atomicAdd",
                };
                (format!("atomic<{}>", dtype.wgsl()), format!("    {function}(&y[at], v);\n"))
            }
        };
        format!(
            "@group(0) @binding({binding}) var<storage, read_write> y: array<{element}>;\n\
             fn bring(at: u32, v: {}) {{\n{body}}}\n\
             fn deliver(i: u32) {{\n    let at = place(i);\n    let here = at - params.first;\n    \
             if (at != NOWHERE && here < params.window) {{\n        bring(here, v_value(i));\n    }}\n}}\n",
            dtype.wgsl()
        )
    }

    /// f32 by comparing and swapping, as bits; nothing is written where nothing would change.
    fn swap_text(&self) -> String {
        let nan = is_nan("there", DType::F32);
        let combined = match self.combine {
            Combine::Minimum => format!("select(v, there, (there < v) | {nan})"),
            Combine::Maximum => format!("select(v, there, (there > v) | {nan})"),
            _ => "there + v".to_string(),
        };
        format!(
            "    var old = atomicLoad(&y[at]);\n    loop {{\n        let there = bitcast<f32>(old);\n        \
             let next = bitcast<u32>({combined});\n        if (next == old) {{ break; }}\n        \
             let swap = atomicCompareExchangeWeak(&y[at], old, next);\n        if (swap.exchanged) {{ break; }}\n        \
             old = swap.old_value;\n    }}\n"
        )
    }
}

/// Replaces a part of a word by comparing and swapping: parts of two different values are never mixed.
fn part_text(dtype: DType) -> String {
    let per_word = dtype.per_word();
    let (bits, mask) = (32 / per_word, if per_word == 2 { "0xffffu" } else { "0xffu" });
    let value = if dtype == DType::Bool { "select(0u, 1u, v)".to_string() } else { format!("v & {mask}") };
    format!(
        "    let word = at / {per_word}u;\n    let shift = (at % {per_word}u) * {bits}u;\n    \
         var old = atomicLoad(&y[word]);\n    loop {{\n        \
         let next = (old & ~({mask} << shift)) | (({value}) << shift);\n        \
         let swap = atomicCompareExchangeWeak(&y[word], old, next);\n        if (swap.exchanged) {{ break; }}\n        \
         old = swap.old_value;\n    }}\n"
    )
}

impl Op for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.dtype(), self.len());
        let mut slots = read_slots(self.expressions());
        self.indexing.mark(&mut slots);
        [slots, vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.target);
        self.indexing.vary(by);
        by.expression(&mut self.values);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = self.copy().plan(caps)?;
        if self.shape.contains(&0) || self.len() == 0 {
            return Ok(plan);
        }
        let bytes = |slot: usize| read_bytes(self.expressions(), slot).expect("a binding is a leaf");
        let [indices, base] = self.indexing.expressions();
        let several = Several::new(&self.shape, &[indices, base, (&self.values, "v_")]);
        let space = several.space();
        let size = self.dtype().size() as u64;
        let spec = ScatterSpec { several: several.spec(), indexing: self.indexing.spec(), combine: self.combine };
        let kernel = Kernel::of(spec, caps);
        // Windows begin where every device lets bindings begin.
        let most = (caps.binding_bytes / size / 4096 * 4096).max(4096);
        for cut in space.boxes(self.name(), &space.chunks(caps.binding_bytes, 4096))? {
            let units: u64 = cut.iter().map(|range| range.end - range.start).product();
            for first in (0..self.len() as u64).step_by(most as usize) {
                let window = most.min(self.len() as u64 - first);
                let (params, mut buffers) = several.params(&cut, caps.offset_alignment, &bytes);
                let end = buffer_bytes(self.dtype(), self.len()) - first * size;
                let bytes = (window * size).next_multiple_of(64).min(end);
                buffers.push(Binding::new(self.output, first * size, bytes));
                buffers.extend(self.indexing.report_window());
                plan.passes.push(Pass {
                    kernel: kernel.clone(),
                    buffers,
                    params: [vec![Param::of(units)], self.indexing.params(self.len(), first, window).to_vec(), params]
                        .concat(),
                    grid: Grid::Count(units.div_ceil(caps.workgroup() as u64)),
                });
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        let each = self.indexing.indices.flops() + self.values.flops() + 1;
        each * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let moved = extents.iter().product::<u64>() * self.dtype().size() as u64;
        self.copy().bytes() + self.indexing.indices.bytes(&extents) + self.values.bytes(&extents) + moved
    }

    fn reference(&self, host: &mut Host) {
        self.copy().reference(host);
        for point in points(&self.shape) {
            if let Some(at) = self.indexing.meaning(host, &point) {
                let there = host.get(self.output, at);
                let value = self.combine.meaning(there, self.values.meaning(host, &point), self.dtype());
                host.set(self.output, at, value);
            }
        }
    }
}
