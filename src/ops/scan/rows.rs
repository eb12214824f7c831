//! The plan of rows: how tiles are laid over them, and the chain that carries totals from tile to tile.

use super::super::clear::clear;
use super::super::fuse::{Fusion, Mode, Store};
use super::{Fusions, ScanOp};
use crate::caps::Caps;
use crate::error::{ErrorKind, Result};
use crate::op::{Binding, Grid, Op, Pass, Plan};
use std::ops::Range;

/// How rows are laid over a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuning {
    /// Units of a lane, at most.
    pub rounds: u64,
    /// Looks at what another workgroup should publish before it is computed here.
    pub spins: u32,
}

/// H200, exclusive sum of 2^28 f32, 2026-11-22, GB/s through Vulkan and CUDA (CUB 3133): rounds 2: 2082, 2290; 4: 3092,
/// 2831; 6: 3213, 3169; 8: 3099, 3137. Workgroups of 512 with 4 and 8 rounds: 2771, 2655 and 3019, 2669. 1000 spins: as 64.
pub(super) const TUNING: Tuning = Tuning { rounds: 6, spins: 64 };

/// Windows begin at multiples of a tile of any of these rounds.
const ROUNDS: [u64; 5] = [6, 4, 3, 2, 1];
const ALL_ROUNDS: u64 = 12;

/// What the kernel's constants depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub workgroup: u64,
    pub rounds: u64,
    /// Elements of a unit.
    pub width: u64,
    /// Rows in a tile: one, or as many as fit where they are short.
    pub packed: Option<u64>,
    /// Whether a row has several tiles.
    pub chained: bool,
    /// Whether what is combined says where a segment begins: segments, or rows in one tile.
    pub segmented: bool,
}

impl Shape {
    /// Elements of a tile that is full.
    pub fn tile(&self) -> u64 {
        self.workgroup * self.rounds * self.width
    }
}

/// Where the chain of some rows lies: `rows` of so many tiles and groups from an entry on.
#[derive(Clone, Copy)]
struct Chain {
    first: u64,
    tiles: u64,
    groups: u64,
}

impl ScanOp {
    /// The kernel's shape for rows of this extent.
    fn lay_out(&self, rows: u64, width: u64, caps: &Caps) -> Shape {
        let (workgroup, extent) = (caps.workgroup() as u64, self.extent());
        let room = |segmented: bool| {
            let states = (caps.workgroup_bytes as u64 / self.state_bytes(segmented)).saturating_sub(2 * workgroup + 16);
            let most = (states / workgroup).min(if caps.short_vectors() { 2 } else { TUNING.rounds });
            ROUNDS.into_iter().find(|&rounds| rounds <= most).unwrap_or(1)
        };
        let units = extent.div_ceil(width);
        let fit = |rounds: u64| rounds.min(units.div_ceil(workgroup)).max(1);
        let rounds = fit(room(self.heads.is_some()));
        let packed = workgroup * room(true) * width / extent;
        if rows > 1 && packed > 1 {
            let packed = packed.min(rows);
            let rounds = (packed * extent).div_ceil(workgroup * width);
            return Shape { workgroup, rounds, width, packed: Some(packed), chained: false, segmented: true };
        }
        let chained = extent > workgroup * rounds * width;
        Shape { workgroup, rounds, width, packed: None, chained, segmented: self.heads.is_some() }
    }

    pub(super) fn plan_rows(&self, mut fusions: Fusions, caps: &Caps) -> Result<Plan> {
        let kept = fusions.values.dims.iter().filter(|dim| dim.group == 0).count();
        let rows: u64 = fusions.values.dims[..kept].iter().map(|dim| dim.extent).product();
        // Windows begin where tiles do, so that the chain goes on from one to the next.
        let chunk = self.space(&fusions).chunks(caps.binding_bytes, caps.workgroup() as u64 * ALL_ROUNDS * 4);
        fusions.widen(&chunk, rows == 1);
        let shape = self.lay_out(rows, fusions.values.width as u64, caps);
        let kernel = self.rows_kernel(&fusions, &shape, caps);
        self.check(&shape, chunk.get(kept).copied(), caps)?;
        let bytes = |slot: usize| self.slot_bytes(slot);
        let tiles_all = self.extent().div_ceil(shape.tile());
        let groups_all = tiles_all.div_ceil(shape.workgroup);
        let (scratch, parts) = (self.output + 1 + self.picked.is_some() as usize, self.parts(&shape));
        let identity: Vec<u32> = self.operator.identity(self.expression.dtype()).words().collect();
        let mut plan = Plan::default();
        let (mut chain, mut of) = (Chain { first: 0, tiles: tiles_all, groups: groups_all }, None::<Vec<Range<u64>>>);
        let mut entries = 0;
        for cut in self.space(&fusions).boxes(&chunk) {
            let rows: u64 = cut[..kept].iter().map(|range| range.end - range.start).product();
            let scanned = cut.get(kept).cloned().unwrap_or(0..1);
            if of.as_deref() != Some(&cut[..kept]) {
                (chain.first, of) = (entries, Some(cut[..kept].to_vec()));
                entries += rows * (chain.tiles + chain.groups);
            }
            let (tiles, groups) = match shape.packed {
                Some(packed) => (1, rows.div_ceil(packed)),
                None => {
                    let tiles = (scanned.end - scanned.start).div_ceil(shape.tile());
                    (tiles, tiles * rows)
                }
            };
            let (mut params, mut buffers) = fusions.values.params(&cut, caps.offset_alignment, &bytes);
            for more in [&fusions.heads, &fusions.picked].into_iter().flatten() {
                let more = more.params(&cut, caps.offset_alignment, &bytes);
                params.extend(more.0);
                buffers.extend(more.1);
            }
            if self.picked.is_some() {
                params.extend([scanned.start as u32, self.extent() as u32]);
                params.extend(self.fill.iter().flat_map(|fill| fill.words()));
                let whole = bytes(self.output);
                buffers.push(Binding { buffer: self.output, offset: 0, bytes: whole });
                buffers.push(Binding { buffer: self.output + 1, offset: 0, bytes: 4 });
            }
            if shape.chained {
                buffers.push(Binding { buffer: scratch, offset: 0, bytes: u64::MAX });
            }
            let last = (scanned.end == self.extent()) as u64;
            let first_tile = scanned.start / shape.tile();
            let own =
                [rows, tiles, scanned.end - scanned.start, first_tile, chain.first, chain.tiles, chain.groups, last];
            plan.passes.push(Pass {
                kernel: kernel.clone(),
                buffers,
                params: [own.map(|word| word as u32).to_vec(), identity.clone(), params].concat(),
                grid: Grid::Count(groups),
            });
        }
        if shape.chained {
            let bytes = (entries * parts * 4).next_multiple_of(64);
            for pass in &mut plan.passes {
                pass.buffers.last_mut().expect("the chain is one").bytes = bytes;
            }
            plan.passes.insert(0, clear(scratch, entries * parts, caps));
            plan.scratch.push(bytes);
        }
        Ok(plan)
    }

    /// Whether windows of this length along the axis are whole tiles, and a selection's output fits one.
    fn check(&self, shape: &Shape, chunk: Option<u64>, caps: &Caps) -> Result<()> {
        let refused = |wanted: String, got: String| {
            Err(ErrorKind::Argument { operation: self.name(), argument: "array".into(), wanted, got, at: None }.into())
        };
        let output = super::super::buffer_bytes(self.result(), self.shape.iter().product());
        if self.picked.is_some() && output > caps.binding_bytes {
            return refused(
                format!("a result of at most one binding, {} bytes", caps.binding_bytes),
                output.to_string(),
            );
        }
        let chunk = chunk.unwrap_or(1);
        let whole = chunk == self.extent();
        match whole || (shape.packed.is_none() && chunk.is_multiple_of(shape.tile())) {
            true => Ok(()),
            false => refused(
                format!("{} neighbours along the axis within one binding: copy() puts them side by side", shape.tile()),
                format!("{chunk}"),
            ),
        }
    }
}

impl Fusions<'_> {
    /// Four neighbours at a time where that goes for all.
    pub(super) fn widen(&mut self, chunk: &[u64], alone: bool) {
        let wide = self.values.widen(chunk, 1, alone);
        let both = wide
            && [&mut self.heads, &mut self.picked].into_iter().flatten().all(|fusion| fusion.widen(chunk, 1, alone));
        if wide && !both {
            [&mut self.heads, &mut self.picked].into_iter().flatten().for_each(narrow);
            narrow(&mut self.values);
        }
        if self.values.width == 4
            && let Some(output) = &mut self.values.output
        {
            output.2 = Store::Element;
        }
    }
}

fn narrow(fusion: &mut Fusion) {
    fusion.modes.fill(Mode::Scalar);
    (fusion.width, fusion.lanes) = (1, 1);
}
