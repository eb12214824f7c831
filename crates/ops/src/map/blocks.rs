//! Map by blocks on a processor; `shaders/map_blocks.wgsl`.
//!
//! Of maps over several axes: of arrays that are broadcast, parts of others, or turned. Bound by memory: every input once, every output
//! once. Places are found by division once for a row of a block; a plain map finds them for each element. Two cores of an EPYC,
//! 2048 x 2048 f32: plus a row 0.57 ms for 8.9 (2026-11-27), transposed 6.2 for 11.8 (2026-11-25).

use super::super::fuse::{Fusion, FusionSpec, Mode};
use super::tiles::{extents, ordered, turned};
use super::{Map, buffer_bytes, slot_bytes};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Draft, Kernel, Spec};
use crosslane_core::op::{Grid, Op, Param, Pass, Plan};
use std::ops::Range;

/// Rows of a block with a turned input: a cache line of an input of 32 bits.
const ROWS: u64 = 16;
/// Columns of another block at most, and its elements in about.
const COLUMNS: u64 = 4096;
const ELEMENTS: u64 = 4096;
/// Elements along either side, at least.
const LEAST: u64 = 16;

/// The parameters that all have, before the fusion's own.
const PARAMS: [&str; 7] = ["blocks", "plane", "across", "rows", "columns", "high", "wide"];

impl Map {
    /// The plan by blocks, if this is a processor and there are several axes.
    pub(super) fn in_blocks(&self, fusion: &Fusion, caps: &Caps) -> Result<Option<Plan>> {
        if caps.processor.is_none() || self.count.is_some() || self.expression.dtype().per_word() > 1 {
            return Ok(None);
        }
        let Some(Sides { across, along, turned }) = Sides::of(fusion) else { return Ok(None) };
        let (dims, walks) = ordered(fusion, &[across], &[along]);
        let modes = vec![Mode::Scalar; walks.len()];
        let fusion = Fusion { variables: &["k", "r", "c"], dims, walks, modes, ..fusion.clone() };
        let space = fusion.space();
        let chunk = space.chunks(caps.binding_bytes, 4096);
        let kernel = Kernel::of(BlocksSpec { fusion: fusion.spec() }, caps);
        let bytes = |slot: usize| {
            slot_bytes(&self.expression, slot).unwrap_or(buffer_bytes(self.expression.dtype(), self.output_len))
        };
        let pass = |cut: Vec<Range<u64>>| {
            let lengths: Vec<u64> = cut.iter().map(|range| range.end - range.start).collect();
            let [planes, rows, columns] = extents(&fusion, &lengths);
            let [high, wide] = block(rows, columns, turned, caps);
            let across = columns.div_ceil(wide);
            let plane = rows.div_ceil(high) * across;
            let own = [planes * plane, plane, across, rows, columns, high, wide].map(Param::of).to_vec();
            let (params, buffers) = fusion.params(&cut, caps.offset_alignment, &bytes);
            let grid = Grid::Count(planes * plane);
            Pass { kernel: kernel.clone(), buffers, params: [own, params].concat(), grid }
        };
        let boxes = space.boxes(self.name(), &chunk)?;
        Ok(Some(Plan { scratch: vec![], passes: boxes.into_iter().map(pass).collect() }))
    }
}

/// The dimensions of a block: the output's neighbours lie along the second.
struct Sides {
    across: usize,
    along: usize,
    /// Whether an input's neighbours lie along the first.
    turned: bool,
}

impl Sides {
    fn of(fusion: &Fusion) -> Option<Sides> {
        let extent = |dim: usize| fusion.dims[dim].extent;
        if let Some((across, along, _)) = turned(fusion) {
            let sides = Sides { across, along, turned: true };
            return (extent(across) >= LEAST && extent(along) >= LEAST).then_some(sides);
        }
        // Short rows: of pixels, say. Neighbours are computed by one invocation.
        let (across, along) = match fusion.dims.len().checked_sub(2)? {
            dim if extent(dim + 1) < LEAST => (dim + 1, dim),
            dim => (dim, dim + 1),
        };
        (extent(along) >= LEAST).then_some(Sides { across, along, turned: false })
    }
}

/// Rows and columns of a block.
fn block(rows: u64, columns: u64, turned: bool, caps: &Caps) -> [u64; 2] {
    let lanes = caps.workgroup() as u64;
    if turned {
        return [ROWS, lanes];
    }
    let most = if rows < LEAST { ELEMENTS / rows } else { COLUMNS };
    let wide = columns.min(most).next_multiple_of(lanes);
    [(ELEMENTS / wide).clamp(1, rows), wide]
}

/// What the text of the kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct BlocksSpec {
    fusion: FusionSpec,
}

impl Spec for BlocksSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let fusion = &self.fusion;
        let evaluate = "fn evaluate(k: u32, r: u32, c: u32) {\n    store(k, r, c, value(k, r, c));\n}\n";
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: [PARAMS.map(String::from).to_vec(), fusion.param_names()].concat(),
            access: fusion.access(),
            text: fusion.text(0) + evaluate,
            width: fusion.width,
            f16: fusion.uses_f16(),
            trusted: fusion.is_safe(),
            ..Draft::new(format!("map by blocks of {} steps", fusion.steps.len()), shader("map_blocks"))
        }
    }
}
