//! Map by blocks on a processor; `shaders/map_blocks.wgsl`.
//!
//! Bound by memory: every input once, every output once, in whole cache lines. Two cores of an EPYC, 2026-11-25, 2048 x 2048 f32
//! transposed: 6.2 ms, and 11.8 where an invocation takes neighbours of the output alone.

use super::super::fuse::{Fusion, FusionSpec, Mode};
use super::tiles::{extents, ordered, turned};
use super::{Map, buffer_bytes, slot_bytes};
use crate::caps::Caps;
use crate::error::Result;
use crate::kernel::{Draft, Kernel, Spec};
use crate::op::{Grid, Op, Param, Pass, Plan};
use std::ops::Range;

/// Rows of a block: a cache line of an input of 32 bits.
const ROWS: u32 = 16;
/// Elements along either side, at least.
const LEAST: u64 = 16;

/// The parameters that all have, before the fusion's own.
const PARAMS: [&str; 5] = ["blocks", "plane", "across", "rows", "columns"];

impl Map {
    /// The plan by blocks, if this is a processor and an input is turned.
    pub(super) fn in_blocks(&self, fusion: &Fusion, caps: &Caps) -> Result<Option<Plan>> {
        if caps.processor.is_none() || self.count.is_some() || self.expression.dtype().per_word() > 1 {
            return Ok(None);
        }
        let Some((across, along, _)) = turned(fusion) else { return Ok(None) };
        if fusion.dims[across].extent < LEAST || fusion.dims[along].extent < LEAST {
            return Ok(None);
        }
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
            let across = columns.div_ceil(caps.workgroup() as u64);
            let plane = rows.div_ceil(ROWS as u64) * across;
            let own = [planes * plane, plane, across, rows, columns].map(Param::of).to_vec();
            let (params, buffers) = fusion.params(&cut, caps.offset_alignment, &bytes);
            let grid = Grid::Count(planes * plane);
            Pass { kernel: kernel.clone(), buffers, params: [own, params].concat(), grid }
        };
        let boxes = space.boxes(self.name(), &chunk)?;
        Ok(Some(Plan { scratch: vec![], passes: boxes.into_iter().map(pass).collect() }))
    }
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
            constants: vec![("WORKGROUP", caps.workgroup()), ("ROWS", ROWS)],
            params: [PARAMS.map(String::from).to_vec(), fusion.param_names()].concat(),
            access: fusion.access(),
            text: fusion.text(0) + evaluate,
            width: fusion.width,
            f16: fusion.uses_f16(),
            trusted: fusion.is_safe(),
            ..Draft::new(format!("map by blocks of {} steps", fusion.steps.len()), "map_blocks")
        }
    }
}
