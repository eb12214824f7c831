//! Map: one value of a fused expression for each element of the output; `shaders/map.wgsl`.
//!
//! Bound by memory: every input once, every output once. Contiguous arrays move four elements at a time. Where an input's
//! neighbours are not the output's, as in a transposition, they go through tiles in workgroup memory: `shaders/map_tiled.wgsl`;
//! on a processor all maps over several axes go by blocks: `shaders/map_blocks.wgsl`.

mod blocks;
#[cfg(feature = "cases")]
pub mod cases;
mod tiled;
mod tiles;

pub use tiles::TILE;

use super::counted::{bounded, count_on, count_pass};
use super::fuse::{Dim, Fusion, FusionSpec, Mode, Store, bits, collapse};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::kernel::{Draft, Kernel, Spec};
use crosslane_core::op::{
    Expression, ExpressionStep, Grid, Host, LeafSource, Op, Param, Pass, Plan, Slot, StepKind, Vary, Walk,
};
use std::ops::Range;

/// An elementwise expression and where its results go.
#[derive(Clone, Debug, Hash)]
pub struct Map {
    /// The expression that is computed.
    pub expression: Expression,
    /// The index space.
    pub shape: Vec<usize>,
    /// The output's slot, after all inputs.
    pub output: usize,
    /// Elements in the whole output buffer.
    pub output_len: usize,
    /// The output's first address.
    pub output_offset: i64,
    /// The output's strides.
    pub output_strides: Vec<i64>,
    /// The output is a fresh buffer, filled without gaps: what follows its last element may be overwritten.
    pub fresh: bool,
    /// How many elements of the only axis count, where the device alone knows: a leaf of one u32. The others are not read,
    /// and left as they are.
    pub count: Option<Expression>,
    /// What the others become, if they are not left as they are.
    pub fill: Option<Scalar>,
}

impl Map {
    fn fusion(&self) -> Fusion<'_> {
        let mut dims: Vec<Dim> = self.shape.iter().map(|&extent| Dim { group: 0, extent: extent as u64 }).collect();
        let mut walks = leaf_walks(&self.expression);
        let dtype = self.expression.dtype();
        walks.push(Walk {
            offset: self.output_offset,
            strides: self.output_strides.clone(),
            size: dtype.size() as u64,
        });
        collapse(&mut dims, &mut walks);
        let modes = vec![Mode::Scalar; walks.len()];
        let output = Some((self.output, dtype, Store::Element));
        Fusion {
            expression: &self.expression,
            prefix: "",
            variables: &["i"],
            dims,
            walks,
            modes,
            width: 1,
            lanes: 0,
            constant: false,
            output,
        }
    }

    /// Units of an invocation. H200, 2^28 f32, Vulkan, 2026-11-21, GB/s with 1, 2, 4: copy 4232, 4202, 4178;
    /// gelu_tanh 4089, 4170, 4179. Work between load and store hides behind a second unit's load.
    fn items(&self, caps: &Caps) -> u64 {
        if caps.processor.is_some() {
            return 4;
        }
        let costly = |step: &ExpressionStep| match &step.what {
            StepKind::Call(function, _) => function.costly(),
            StepKind::Formula(formula, _) => formula.costly(),
            _ => false,
        };
        if self.expression.steps.iter().any(costly) { 2 } else { 1 }
    }

    /// Chooses width and store for windows of these chunk lengths.
    fn shape_kernel(&self, fusion: &mut Fusion, chunk: &[u64], caps: &Caps) {
        let dtype = self.expression.dtype();
        // Four at a time would read past the count.
        if (self.count.is_some() || !fusion.widen(chunk, 0, self.fresh, caps)) && dtype.per_word() > 1 {
            let whole = chunk.iter().zip(&fusion.dims).all(|(&c, dim)| c == dim.extent);
            let store = if self.fresh && whole && self.fill.is_none() { Store::Word } else { Store::Atomic };
            fusion.output = Some((self.output, dtype, store));
        }
    }

    /// What fills all elements before those that count are written.
    fn filling(&self) -> Option<Map> {
        let fill = self.fill?;
        let steps = vec![ExpressionStep { what: StepKind::Scalar(0), dtype: fill.dtype }];
        let expression = Expression { scalars: vec![fill], steps, ..Expression::default() };
        Some(Map { expression, count: None, fill: None, ..self.clone() })
    }

    fn spec(&self, fusion: &Fusion, caps: &Caps) -> MapSpec {
        MapSpec { fusion: fusion.spec(), items: self.items(caps) as u32, counted: self.count.is_some() }
    }
}

/// What the text of a map's kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct MapSpec {
    fusion: FusionSpec,
    /// Units of an invocation.
    items: u32,
    /// Whether the device alone knows how many elements count.
    counted: bool,
}

impl Spec for MapSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let fusion = &self.fusion;
        let draft = Draft {
            constants: vec![("WORKGROUP", caps.workgroup()), ("ITEMS", self.items)],
            params: [vec!["units".into(), "count".into()], fusion.param_names()].concat(),
            access: fusion.access(),
            text: fusion.text(0) + &self.evaluate_text(),
            width: fusion.width,
            f16: fusion.uses_f16(),
            trusted: fusion.is_safe(),
            ..Draft::new(format!("map of {} steps", fusion.steps.len()), shader("map"))
        };
        bounded(draft, &[("units", self.per_unit()), ("count", 1)], self.counted)
    }
}

impl MapSpec {
    /// Elements of a unit.
    fn per_unit(&self) -> u32 {
        match self.fusion.store {
            Some(Store::Word) => self.fusion.dtype().per_word(),
            _ => self.fusion.width,
        }
    }

    /// `evaluate(unit)`: computes and stores the elements of a unit.
    fn evaluate_text(&self) -> String {
        let dtype = self.fusion.dtype();
        if self.fusion.store != Some(Store::Word) {
            let width = self.fusion.width;
            return format!("fn evaluate(unit: u32) {{\n    let i = unit * {width}u;\n    store(i, value(i));\n}}\n");
        }
        let (array, per_word) = (self.fusion.arrays.len() - 1, dtype.per_word());
        let value = bits("value(i)", dtype);
        let shift = 32 / per_word;
        format!(
            "fn evaluate(unit: u32) {{\n    var word = 0u;\n    for (var j = 0u; j < {per_word}u; j++) {{\n        \
         let i = unit * {per_word}u + j;\n        if (i < bounded_count()) {{\n            \
         word |= {value} << (j * {shift}u);\n        }}\n    }}\n    x{array}[unit] = word;\n}}\n"
        )
    }
}

/// How each leaf is walked.
pub(crate) fn leaf_walks(expression: &Expression) -> Vec<Walk> {
    let walk = |leaf: &crosslane_core::op::Leaf| Walk {
        offset: leaf.offset,
        strides: leaf.strides.clone(),
        size: leaf.dtype.size() as u64,
    };
    expression.leaves.iter().map(walk).collect()
}

/// The read slots of an expression.
pub(crate) fn read_slots(expression: &Expression) -> Vec<Slot> {
    let slot = |(slot, dtype, len)| Slot::read(&format!("x{slot}"), dtype, len);
    expression.slots().into_iter().map(slot).collect()
}

/// Buffers are padded to a multiple of this many bytes, so that four elements can be moved at the end.
pub(crate) const PADDING: u64 = 64;

/// Bytes of the buffer that an expression reads as this slot.
pub(crate) fn slot_bytes(expression: &Expression, slot: usize) -> Option<u64> {
    let leaf = expression.leaves.iter().find(|leaf| leaf.source == LeafSource::Slot(slot))?;
    Some(buffer_bytes(leaf.dtype, leaf.len))
}

/// Bytes of a buffer of `len` elements; more than any device has where 64 bits do not count them.
pub fn buffer_bytes(dtype: DType, len: usize) -> u64 {
    let bytes = (len as u64).checked_mul(dtype.size() as u64).and_then(|bytes| bytes.checked_next_multiple_of(PADDING));
    bytes.unwrap_or(u64::MAX).max(PADDING)
}

impl Op for Map {
    fn name(&self) -> &'static str {
        "map"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.expression.dtype(), self.output_len);
        let count = self.count.iter().flat_map(read_slots).collect();
        [read_slots(&self.expression), count, vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
        by.offset(&mut self.output_offset);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.shape.contains(&0) {
            return Ok(Plan::default());
        }
        let mut fusion = self.fusion();
        if let Some(plan) = self.tiled(&fusion, caps)? {
            return Ok(plan);
        }
        if let Some(plan) = self.in_blocks(&fusion, caps)? {
            return Ok(plan);
        }
        let space = fusion.space();
        // Windows begin at multiples of 4096 elements, so that each is as aligned as the whole.
        let chunk = space.chunks(caps.binding_bytes, 4096);
        self.shape_kernel(&mut fusion, &chunk, caps);
        let spec = self.spec(&fusion, caps);
        let per_unit = spec.per_unit() as u64;
        let kernel = Kernel::of(spec, caps);
        let bytes = |slot: usize| {
            slot_bytes(&self.expression, slot).unwrap_or(buffer_bytes(self.expression.dtype(), self.output_len))
        };
        let pass = |cut: Vec<Range<u64>>| {
            let count: u64 = cut.iter().map(|range| range.end - range.start).product();
            let units = count.div_ceil(per_unit);
            let (params, buffers) = fusion.params(&cut, caps.offset_alignment, &bytes);
            let mut pass = Pass {
                kernel: kernel.clone(),
                buffers,
                params: [vec![Param::of(units), Param::of(count)], params].concat(),
                grid: Grid::Count(units.div_ceil(caps.workgroup() as u64 * self.items(caps))),
            };
            if let Some(count) = &self.count {
                count_pass(&mut pass, count, cut.last().map_or(0, |range| range.start));
            }
            pass
        };
        let mut plan = self.filling().map_or(Ok(Plan::default()), |map| map.plan(caps))?;
        plan.passes.extend(space.boxes(self.name(), &chunk)?.into_iter().map(pass));
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        self.expression.flops() * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let written = extents.iter().product::<u64>() * self.expression.dtype().size() as u64;
        self.expression.bytes(&extents) + written
    }

    fn reference(&self, host: &mut Host) {
        self.filling().iter().for_each(|map| map.reference(host));
        let count = count_on(host, &self.count, usize::MAX);
        for point in points(&self.shape).take(count) {
            let moves: i64 = self.output_strides.iter().zip(&point).map(|(s, p)| s * *p as i64).sum();
            let value = self.expression.meaning(host, &point);
            host.set(self.output, (self.output_offset + moves) as usize, value);
        }
    }
}

/// Moves to the next point in row-major order, from the last one to the first.
pub(crate) fn to_next(point: &mut [u64], shape: &[usize]) {
    for (at, &extent) in point.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < extent as u64 {
            return;
        }
        *at = 0;
    }
}

/// Every point of an index space in row-major order.
pub fn points(shape: &[usize]) -> impl Iterator<Item = Vec<u64>> + '_ {
    let count: usize = shape.iter().product();
    (0..count).map(move |mut index| {
        let mut point = vec![0; shape.len()];
        for (p, &extent) in point.iter_mut().zip(shape).rev() {
            *p = (index % extent) as u64;
            index /= extent;
        }
        point
    })
}
