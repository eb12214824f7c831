//! Gather: elements of an array by their numbers along an axis; `shaders/gather.wgsl`.
//!
//! Bound by memory: neighbours that ask for neighbours share their reads, others take 32 bytes or more for each element.
//! A source past one binding is read window by window, each time with all indices.

#[cfg(feature = "cases")]
pub mod cases;

use super::fuse::{FusionSpec, Several, SeveralSpec, Store, bits, flat, read_bytes, read_slots};
use super::indexing::{Indexing, IndexingSpec, PARAMS};
use super::map::{buffer_bytes, points};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Draft, Kernel, Spec};
use crosslane_core::op::{Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};

/// The elements that indices name.
#[derive(Clone, Debug, Hash)]
pub struct Gather {
    /// The elements that are read: one leaf, without gaps.
    pub source: Expression,
    /// Where.
    pub indexing: Indexing,
    /// The index space.
    pub shape: Vec<usize>,
    /// The output's slot, after all inputs: an element for each index, fresh and without gaps.
    pub output: usize,
}

impl Gather {
    fn dtype(&self) -> DType {
        self.source.dtype()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let report = self.indexing.report.as_ref();
        [&self.indexing.indices, &self.indexing.base, &self.source].into_iter().chain(report)
    }
}

/// What the text of a gather depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct GatherSpec {
    /// The indices, with the output, and the bases.
    several: SeveralSpec,
    source: FusionSpec,
    indexing: IndexingSpec,
}

impl Spec for GatherSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let GatherSpec { several, source, indexing } = self;
        let inputs = [several.access(), source.access()].concat();
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: [
                ["units", "count"].into_iter().chain(PARAMS).map(String::from).collect(),
                several.param_names(),
                source.param_names(),
            ]
            .concat(),
            access: inputs.iter().copied().chain(indexing.access()).collect(),
            text: several.text()
                + &source.text(several.access().len())
                + &indexing.text(several, inputs.len())
                + &evaluate_text(&several.0[0], source.dtype()),
            f16: several.uses_f16() || source.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("gather of {}", source.dtype()), shader("gather"))
        }
    }
}

/// `evaluate(unit)`: one element where its window has it, or all of a word.
fn evaluate_text(fusion: &FusionSpec, dtype: DType) -> String {
    let zero = format!("{}()", dtype.wgsl());
    if fusion.store != Some(Store::Word) {
        return format!(
            "fn evaluate(unit: u32) {{\n    let at = place(unit);\n    let here = at - params.first;\n    \
             if (at == NOWHERE) {{\n        if (params.first == 0u) {{\n            store(unit, {zero});\n        }}\n    \
             }} else if (here < params.window) {{\n        store(unit, s_value(here));\n    }}\n}}\n"
        );
    }
    let (array, per_word) = (fusion.arrays.len() - 1, dtype.per_word());
    let (value, shift) = (bits("v", dtype), 32 / per_word);
    format!(
        "fn evaluate(unit: u32) {{\n    var word = 0u;\n    for (var j = 0u; j < {per_word}u; j++) {{\n        \
         let i = unit * {per_word}u + j;\n        if (i < params.count) {{\n            let at = place(i);\n            \
         if (at != NOWHERE) {{\n                let v = s_value(at);\n                \
         word |= {value} << (j * {shift}u);\n            }}\n        }}\n    }}\n    x{array}[unit] = word;\n}}\n"
    )
}

impl Op for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.dtype(), self.shape.iter().product());
        let output = Slot::write("output", dtype, len);
        let mut slots = read_slots(self.expressions());
        self.indexing.mark(&mut slots);
        [slots, vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        self.indexing.vary(by);
        by.expression(&mut self.source);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = Plan::default();
        if self.shape.contains(&0) {
            return Ok(plan);
        }
        let (dtype, len) = (self.dtype(), self.shape.iter().product());
        let bytes = |slot: usize| match slot == self.output {
            true => buffer_bytes(dtype, len),
            false => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
        };
        let mut several = Several::with_output(&self.shape, &self.indexing.expressions(), Some((self.output, dtype)));
        let space = several.space();
        let chunk = space.chunks(caps.binding_bytes, 4096);
        let mut source = flat(&self.source, "s_");
        // Places are words. A part of an array has the length of all its memory: of what lies past them nothing is read.
        source.dims[0].extent = source.dims[0].extent.min(u32::MAX as u64);
        let windows = source.space();
        let windows = windows.boxes(self.name(), &windows.chunks(caps.binding_bytes, 4096))?;
        let whole = chunk.iter().zip(&space.extents).all(|(chunk, extent)| chunk == extent);
        let mut per_unit = 1;
        if dtype.per_word() > 1 {
            let words = whole && windows.len() == 1;
            several.0[0].output = Some((self.output, dtype, if words { Store::Word } else { Store::Atomic }));
            per_unit = if words { dtype.per_word() as u64 } else { 1 };
        }
        let spec = GatherSpec { several: several.spec(), source: source.spec(), indexing: self.indexing.spec() };
        let kernel = Kernel::of(spec, caps);
        for cut in space.boxes(self.name(), &chunk)? {
            let count: u64 = cut.iter().map(|range| range.end - range.start).product();
            let units = count.div_ceil(per_unit);
            for window in &windows {
                let (params, mut buffers) = several.params(&cut, caps.offset_alignment, &bytes);
                let (more, read) = source.params(window, caps.offset_alignment, &bytes);
                buffers.extend(read.into_iter().chain(self.indexing.report_window()));
                let (first, last) = (window[0].start, window[0].end);
                let own = self.indexing.params(self.source.leaves[0].len, first, last - first);
                plan.passes.push(Pass {
                    kernel: kernel.clone(),
                    buffers,
                    params: [vec![Param::of(units), Param::of(count)], own.to_vec(), params, more].concat(),
                    grid: Grid::Count(units.div_ceil(caps.workgroup() as u64)),
                });
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        self.indexing.indices.flops() * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let moved = 2 * extents.iter().product::<u64>() * self.dtype().size() as u64;
        self.indexing.indices.bytes(&extents) + moved
    }

    fn reference(&self, host: &mut Host) {
        let slot = self.source.slots()[0].0;
        for (index, point) in points(&self.shape).enumerate() {
            let at = self.indexing.meaning(host, &point);
            let value = at.map_or(Value::Int(0), |at| host.get(slot, self.source.leaves[0].offset as usize + at));
            host.set(self.output, index, value);
        }
    }
}
