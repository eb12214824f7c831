//! Concatenate: expressions one after the other along an axis; `shaders/map.wgsl`.
//!
//! Bound by memory: every input once, every output once. One launch for as many parts as a kernel can bind; a part whose
//! neighbours are not the output's, or that is past one binding, is a map of its own.

#[cfg(feature = "cases")]
pub mod cases;

use super::counted::bounded;
use super::fuse::{
    Dim, Fusion, Mode, Several, SeveralSpec, atomic_store, bits, collapse, pack, read_bytes, read_slots, wide,
};
use super::map::{Map, buffer_bytes, leaf_walks, points};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Vary, WINDOW};
use std::ops::Range;

/// Expressions one after the other along an axis.
#[derive(Clone, Debug, Hash)]
pub struct Concatenate {
    /// The joined arrays, and the shape of each: the same but for the axis, none empty.
    pub parts: Vec<(Expression, Vec<usize>)>,
    /// The axis.
    pub axis: usize,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

/// What begins the names of each part of a launch.
const PREFIXES: [&str; 8] = ["p0_", "p1_", "p2_", "p3_", "p4_", "p5_", "p6_", "p7_"];
/// The parameters that all have, before the ends of the parts and the fusions' own.
const PARAMS: [&str; 5] = ["units", "count", "length", "row", "first"];

impl Concatenate {
    fn dtype(&self) -> DType {
        self.parts[0].0.dtype()
    }

    fn shape(&self) -> Vec<usize> {
        let mut shape = self.parts[0].1.clone();
        shape[self.axis] = self.parts.iter().map(|(_, part)| part[self.axis]).sum();
        shape
    }

    /// Where a part begins along the axis.
    fn start(&self, part: usize) -> usize {
        self.parts[..part].iter().map(|(_, shape)| shape[self.axis]).sum()
    }

    /// A part as a map into its place.
    fn map(&self, part: usize) -> Map {
        let shape = self.shape();
        let strides: Vec<i64> =
            (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as i64).collect();
        let (expression, own) = self.parts[part].clone();
        Map {
            expression,
            shape: own,
            output: self.output,
            output_len: shape.iter().product(),
            output_offset: self.start(part) as i64 * strides[self.axis],
            output_strides: strides,
            fresh: false,
            count: None,
            fill: None,
        }
    }

    /// A part over two variables: the axes before the axis, and what follows for each of their places.
    fn fusion(&self, part: usize, prefix: &'static str) -> Fusion<'_> {
        let (expression, shape) = &self.parts[part];
        let group =
            |(axis, &extent): (usize, &usize)| Dim { group: (axis >= self.axis) as usize, extent: extent as u64 };
        let mut dims: Vec<Dim> = shape.iter().enumerate().map(group).collect();
        let mut walks = leaf_walks(expression);
        collapse(&mut dims, &mut walks);
        let modes = vec![Mode::Scalar; walks.len()];
        Fusion {
            expression,
            prefix,
            variables: &["o", "r"],
            dims,
            walks,
            modes,
            width: 1,
            lanes: 1,
            constant: false,
            output: None,
        }
    }

    /// Parts that follow each other in one launch; nothing if they are too large or too many for one.
    fn together(&self, parts: Range<usize>, caps: &Caps) -> Option<Pass> {
        let shape = self.shape();
        let inner: usize = shape[self.axis + 1..].iter().product();
        let outer: usize = shape[..self.axis].iter().product();
        let ends: Vec<usize> = parts.clone().map(|part| self.start(part + 1) * inner).collect();
        let (first, row) = (self.start(parts.start) * inner, shape[self.axis] * inner);
        let length = ends[ends.len() - 1] - first;
        let mut several =
            Several(parts.clone().zip(PREFIXES).map(|(part, prefix)| self.fusion(part, prefix)).collect());
        let aligned = row.is_multiple_of(4) && [&[first], &ends[..]].concat().iter().all(|end| end.is_multiple_of(4));
        let whole = length == row;
        let kind = self.kind(&mut several, aligned, whole, caps);
        let cut = |fusion: &Fusion| fusion.dims.iter().map(|dim| 0..dim.extent).collect::<Vec<_>>();
        let (dtype, len) = (self.dtype(), shape.iter().product());
        let bytes = |slot| read_bytes(self.parts.iter().map(|part| &part.0), slot).expect("a binding is a leaf");
        let (mut params, mut buffers) = (vec![], vec![]);
        for fusion in &several.0 {
            let (more, windows) = fusion.params(&cut(fusion), caps.offset_alignment, &bytes);
            params.extend(more);
            buffers.extend(windows);
        }
        let written = buffer_bytes(dtype, len);
        buffers.push(Binding::new(self.output, 0, written));
        // What a part spans does not depend on where it begins.
        let whole = |fusion: &Fusion| {
            let space = fusion.space();
            space.chunks_of(caps.binding_bytes, 1, u64::MAX) == space.extents
        };
        let fits = written <= caps.binding_bytes.min(WINDOW) && several.0.iter().all(whole);
        if buffers.len() > caps.bindings as usize || !fits || len > 1 << 31 {
            return None;
        }
        let count = outer * length;
        let units = count.div_ceil(kind.per_unit(dtype) as usize);
        let own = [units, count, length, row, first].into_iter().chain(ends.iter().map(|end| end - first));
        Some(Pass {
            kernel: Kernel::of(ConcatenateSpec { parts: several.spec(), kind }, caps),
            buffers,
            params: own.map(|word| Param::of(word as u64)).chain(params).collect(),
            grid: Grid::Count(units.div_ceil(caps.workgroup() as usize) as u64),
        })
    }

    /// Takes four elements at a time if all parts can.
    fn kind(&self, several: &mut Several, aligned: bool, whole: bool, caps: &Caps) -> Kind {
        let packed = self.dtype().per_word() > 1;
        let widen = |fusion: &mut Fusion| {
            let chunk: Vec<u64> = fusion.dims.iter().map(|dim| dim.extent).collect();
            fusion.widen(&chunk, 1, false, caps) && (packed || !fusion.modes.contains(&Mode::Gather))
        };
        if aligned && several.0.iter_mut().all(widen) {
            return Kind::Four;
        }
        for fusion in &mut several.0 {
            fusion.modes.fill(Mode::Scalar);
            fusion.width = 1;
        }
        match packed {
            true if whole => Kind::Word,
            true => Kind::Atomic,
            false => Kind::One,
        }
    }
}

/// What the text of a concatenation depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ConcatenateSpec {
    parts: SeveralSpec,
    kind: Kind,
}

impl Spec for ConcatenateSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let parts = &self.parts;
        let ends = (0..parts.0.len()).map(|part| format!("end{part}"));
        let draft = Draft {
            constants: vec![("WORKGROUP", caps.workgroup()), ("ITEMS", 1)],
            params: PARAMS.map(String::from).into_iter().chain(ends).chain(parts.param_names()).collect(),
            access: [parts.access(), vec![Access::Write]].concat(),
            text: parts.text() + &self.evaluate_text(),
            width: parts.width(),
            f16: parts.uses_f16(),
            trusted: parts.is_safe(),
            ..Draft::new(format!("concatenation of {}", parts.0.len()), shader("map"))
        };
        bounded(draft, &[("units", 1)], false)
    }
}

impl ConcatenateSpec {
    /// `part(o, r)`: the value of the part that has it. `evaluate(unit)`: stores the elements of a unit.
    fn evaluate_text(&self) -> String {
        let ConcatenateSpec { parts: several, kind } = self;
        let (kind, dtype) = (*kind, several.0[0].dtype());
        let (width, last) = (several.width(), several.0.len() - 1);
        let mut parts = String::new();
        for part in 0..=last {
            let before = if part == 0 { String::new() } else { format!(" - params.end{}", part - 1) };
            let value = format!("return p{part}_value(o, r{before});");
            parts += &match part == last {
                true => format!("    {value}\n"),
                false => format!("    if (r < params.end{part}) {{\n        {value}\n    }}\n"),
            };
        }
        let element = match (kind, dtype.per_word(), kind == Kind::Four) {
            (Kind::Atomic, ..) => "atomic<u32>".to_string(),
            (_, 1, four) => wide(dtype.wgsl(), if four { 4 } else { 1 }),
            (_, 2, true) => "vec2<u32>".to_string(),
            _ => "u32".to_string(),
        };
        let value = "    let o = i / params.length;\n    let r = i % params.length;\n    let v = part(o, r);\n    \
                     let at = o * params.row + params.first + r;\n";
        let evaluate = match kind {
            Kind::Four => format!("    let i = unit * 4u;\n{value}    y[at >> 2u] = {};\n", pack(dtype)),
            Kind::One | Kind::Atomic => format!("    let i = unit;\n{value}{}", atomic_store("y", dtype)),
            Kind::Word => {
                let (per_word, bits) = (dtype.per_word(), bits("v", dtype));
                format!(
                    "    var word = 0u;\n    for (var j = 0u; j < {per_word}u; j++) {{\n        \
                     let i = unit * {per_word}u + j;\n        if (i < params.count) {{\n            \
                     let v = part(i / params.length, i % params.length);\n            \
                     word |= {bits} << (j * {}u);\n        }}\n    }}\n    y[unit] = word;\n",
                    32 / per_word
                )
            }
        };
        format!(
            "@group(0) @binding({}) var<storage, read_write> y: array<{element}>;\n\
             fn part(o: u32, r: u32) -> {} {{\n{parts}}}\nfn evaluate(unit: u32) {{\n{evaluate}}}\n",
            several.access().len(),
            wide(dtype.wgsl(), width),
        )
    }
}

/// What an invocation stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// One element that has a type of its own.
    One,
    /// Four neighbours.
    Four,
    /// All elements of a word.
    Word,
    /// One element in a word that others write too.
    Atomic,
}

impl Kind {
    fn per_unit(self, dtype: DType) -> u32 {
        match self {
            Kind::Four => 4,
            Kind::Word => dtype.per_word(),
            Kind::One | Kind::Atomic => 1,
        }
    }
}

impl Op for Concatenate {
    fn name(&self) -> &'static str {
        "concatenate"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.dtype(), self.shape().iter().product());
        let output = Slot::write("output", dtype, len);
        [read_slots(self.parts.iter().map(|part| &part.0)), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        self.parts.iter_mut().for_each(|(expression, _)| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = Plan::default();
        let mut next = 0;
        let tiled: Vec<bool> = (0..self.parts.len()).map(|part| self.map(part).is_tiled(caps)).collect();
        while next < self.parts.len() {
            // As many as go into one launch.
            let most = tiled[next..].iter().take(PREFIXES.len()).take_while(|tiled| !**tiled).count();
            let pass = (2..=most).rev().find_map(|count| Some((count, self.together(next..next + count, caps)?)));
            match pass {
                Some((count, pass)) => {
                    plan.passes.push(pass);
                    next += count;
                }
                None => {
                    plan.passes.extend(self.map(next).plan(caps)?.passes);
                    next += 1;
                }
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        let of = |(expression, shape): &(Expression, Vec<usize>)| {
            expression.flops() * shape.iter().map(|&extent| extent as u64).product::<u64>()
        };
        self.parts.iter().map(of).sum()
    }

    fn bytes(&self) -> u64 {
        let of = |(expression, shape): &(Expression, Vec<usize>)| {
            expression.bytes(&shape.iter().map(|&extent| extent as u64).collect::<Vec<_>>())
        };
        let written = self.shape().iter().product::<usize>() * self.dtype().size();
        self.parts.iter().map(of).sum::<u64>() + written as u64
    }

    fn reference(&self, host: &mut Host) {
        for part in 0..self.parts.len() {
            let map = self.map(part);
            for point in points(&map.shape) {
                let at: i64 = map.output_strides.iter().zip(&point).map(|(stride, &p)| stride * p as i64).sum();
                let value = map.expression.meaning(host, &point);
                host.set(self.output, (map.output_offset + at) as usize, value);
            }
        }
    }
}
