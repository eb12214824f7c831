//! The plan of rows: how tiles are laid over them, and the chain that carries totals from tile to tile.

use super::super::clear::clear;
use super::super::fuse::{Fusion, Mode, Store};
use super::{Fusions, ScanOp};
use crate::caps::Caps;
use crate::op::{Binding, Grid, Pass, Plan};
use std::ops::Range;

/// How rows are laid over a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuning {
    /// Units of a lane, at most.
    pub rounds: u64,
    /// Looks at what another workgroup should publish before it is computed here.
    pub spins: u32,
}

pub(super) const TUNING: Tuning = Tuning { rounds: 4, spins: 64 };

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
            let states = caps.workgroup_bytes as u64 / self.state_bytes(segmented) - 2 * workgroup - 16;
            (states / workgroup).clamp(1, TUNING.rounds)
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

    pub(super) fn plan_rows(&self, mut fusions: Fusions, caps: &Caps) -> Plan {
        let kept = fusions.values.dims.iter().filter(|dim| dim.group == 0).count();
        let rows: u64 = fusions.values.dims[..kept].iter().map(|dim| dim.extent).product();
        // Windows begin where groups do, so that the chain goes on from one to the next.
        let group = caps.workgroup() as u64 * caps.workgroup() as u64 * TUNING.rounds * 4;
        let chunk = self.space(&fusions).chunks(caps.binding_bytes, group);
        fusions.widen(&chunk, rows == 1);
        let shape = self.lay_out(rows, fusions.values.width as u64, caps);
        let kernel = self.rows_kernel(&fusions, &shape, caps);
        let bytes = |slot: usize| self.slot_bytes(slot);
        let tiles_all = self.extent().div_ceil(shape.tile());
        let groups_all = tiles_all.div_ceil(shape.workgroup);
        let (scratch, parts) = (self.output + 1, self.parts(&shape));
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
            if let Some(heads) = &fusions.heads {
                let more = heads.params(&cut, caps.offset_alignment, &bytes);
                params.extend(more.0);
                // The output comes last of the values' bindings.
                buffers.extend(more.1);
            }
            if shape.chained {
                buffers.push(Binding { buffer: scratch, offset: 0, bytes: u64::MAX });
            }
            let first_tile = scanned.start / shape.tile();
            let own = [rows, tiles, scanned.end - scanned.start, first_tile, chain.first, chain.tiles, chain.groups];
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
        plan
    }
}

impl Fusions<'_> {
    /// Four neighbours at a time where that goes for all.
    pub(super) fn widen(&mut self, chunk: &[u64], alone: bool) {
        let wide = self.values.widen(chunk, 1, alone);
        let both = wide && self.heads.as_mut().is_none_or(|heads| heads.widen(chunk, 1, alone));
        if wide && !both {
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
