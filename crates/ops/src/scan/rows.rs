//! The plan of rows: how tiles are laid over them, and the chain that carries totals from tile to tile.

use super::super::clear::clear;
use super::super::fuse::{Fusion, Store};
use super::scanned::{Fusions, Scanned};
use super::spec::Form;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan};
use crosslane_core::tuning::Tunable;
use std::ops::Range;

/// Units of a lane, at most. H200, exclusive sum of 2^28 f32, 2026-11-22, GB/s through Vulkan and CUDA (CUB 3133): 2: 2082, 2290;
/// 4: 3092, 2831; 6: 3213, 3169; 8: 3099, 3137. Workgroups of 512 with 4 and 8: 2771, 2655 and 3019, 2669.
pub const SCAN: Tunable = Tunable { name: "scan", numbers: &["rounds"], candidates: &[&[6], &[2], &[3], &[4], &[8]] };
/// The same of a selection, which holds a bit for each element. A quarter kept (CUB 2550), 6: 2447, 2433; 8: 2444, 2690.
pub(crate) const SELECT: Tunable =
    Tunable { name: "select", numbers: &["rounds"], candidates: &[&[8], &[2], &[4], &[6]] };
/// Registers of an invocation beside its units.
const OTHER_REGISTERS: u32 = 40;
/// Looks at what another workgroup should publish before it is computed here. 1000: as 64.
pub(super) const SPINS: u32 = 64;
/// Places where a group of tiles publishes: all tiles of the next one look at them, again and again. 1 and 16: 3238 and
/// 3309, 3129 and 3200.
pub(super) const COPIES: u64 = 16;

/// Windows begin at multiples of a tile of any of these rounds.
const ROUNDS: [u64; 6] = [8, 6, 4, 3, 2, 1];
const ALL_ROUNDS: u64 = 24;
/// Elements that are worth a kernel that takes a software driver seconds to compile.
const LARGE: u64 = 1 << 18;

/// What the kernel's constants depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Whether it counts segments instead.
    pub counted: bool,
    /// Words of a published total: each has room for its share of the bits and for saying that it is there.
    pub parts: u64,
    /// Lanes of a subgroup, where states are passed within subgroups: all have this size.
    pub subgroup: Option<u32>,
}

impl Shape {
    /// Elements of a tile that is full.
    pub fn tile(&self) -> u64 {
        self.workgroup * self.rounds * self.width
    }

    pub fn constants(&self) -> Vec<(&'static str, u32)> {
        vec![
            ("WORKGROUP", self.workgroup as u32),
            ("ROUNDS", self.rounds as u32),
            ("TOTALS", (self.workgroup * self.rounds) as u32),
            ("SPINS", SPINS),
            ("COPIES", COPIES as u32),
            ("CHAINED", self.chained as u32),
        ]
    }
}

/// Where the chain of some rows lies: `rows` of this many tiles and groups from an entry on.
#[derive(Clone, Copy)]
struct Chain {
    first: u64,
    tiles: u64,
    groups: u64,
}

/// Invocations of a workgroup, and the most units of each, for this many elements.
///
/// Where vectors are short, barriers cost more than what a kernel with many units of few invocations does without them: for
/// 2^20 elements 33 ms instead of 79 on llvmpipe. But its text is compiled for seconds, which few elements are not worth.
pub(super) fn spread(caps: &Caps, elements: u64, rounds: u64) -> (u64, u64) {
    let most = caps.workgroup() as u64;
    // llvmpipe's vectors of eight. SwiftShader's are of four: it compiles such a text for minutes.
    let worth = elements >= LARGE && caps.subgroups.is_some_and(|(_, lanes)| lanes == 8);
    match caps.short_vectors() {
        false => (most, rounds),
        true if worth => (most.min(128), 8),
        true => (most, 2),
    }
}

/// The most units of an invocation that registers hold, of so many elements whose states have this size. Beside its state an element
/// takes three words: Intel's compiler in Mesa 26.1 took 131 for six units of four f32, 169 of i64.
pub(super) fn held(caps: &Caps, width: u64, state_bytes: u64) -> u64 {
    (caps.registers.saturating_sub(OTHER_REGISTERS) as u64 / (width * (3 + state_bytes / 4))).max(1)
}

impl Scanned {
    /// The kernel's shape for rows of this extent.
    fn lay_out(&self, rows: u64, width: u64, caps: &Caps) -> Shape {
        let extent = self.extent();
        let tuned = caps.tuning.get(if self.picked.is_some() { &SELECT } else { &SCAN })[0];
        let (workgroup, rounds) = spread(caps, rows * extent, tuned as u64);
        let room = |segmented: bool| {
            let states = (caps.workgroup_bytes as u64 / self.state_bytes(segmented)).saturating_sub(2 * workgroup + 16);
            // A selection holds a bit for each element.
            let held = if self.picked.is_some() { rounds } else { held(caps, width, self.state_bytes(false)) };
            let most = (states / workgroup).min(rounds).min(held);
            ROUNDS.into_iter().find(|&rounds| rounds <= most).unwrap_or(1)
        };
        let shape = Shape {
            workgroup,
            rounds: room(self.heads.is_some()),
            width,
            packed: None,
            chained: false,
            segmented: self.heads.is_some(),
            counted: false,
            parts: 0,
            subgroup: if self.picked.is_some() { self.subgroup(caps) } else { None },
        };
        let packed = workgroup * room(true) * width / extent;
        if rows > 1 && packed > 1 {
            let packed = packed.min(rows);
            let rounds = (packed * extent).div_ceil(workgroup * width);
            return Shape { rounds, packed: Some(packed), segmented: true, ..shape };
        }
        self.chain(shape)
    }

    /// A shape for one row or several, each in tiles of its own.
    pub(super) fn chain(&self, shape: Shape) -> Shape {
        let (workgroup, extent) = (shape.workgroup, self.extent());
        let rounds = shape.rounds.min(extent.div_ceil(shape.width).div_ceil(workgroup)).max(1);
        let bits = self.operator.accumulator(self.expression.dtype()).size() as u64 * 8;
        let parts = match self.picked.is_some() && extent < 1 << 31 {
            true => 1,
            false if shape.counted => bits.div_ceil(32) + 2,
            false => 2 + (bits + shape.segmented as u64 > 40) as u64,
        };
        Shape { rounds, parts, chained: extent > workgroup * rounds * shape.width, ..shape }
    }

    /// The size of subgroups, if all have the same and can pass what is combined.
    pub(super) fn subgroup(&self, caps: &Caps) -> Option<u32> {
        let (least, most) = caps.subgroups?;
        let fits = least == most && most >= 16 && caps.workgroup().is_multiple_of(most);
        (fits && self.operator.accumulator(self.expression.dtype()).size() == 4).then_some(most)
    }

    pub(super) fn plan_rows(&self, mut fusions: Fusions, caps: &Caps) -> Result<Plan> {
        let kept = fusions.values.dims.iter().filter(|dim| dim.group == 0).count();
        let rows: u64 = fusions.values.dims[..kept].iter().map(|dim| dim.extent).product();
        // Windows begin where tiles do, so that the chain goes on from one to the next.
        let chunk = self.space(&fusions).chunks(caps.binding_bytes, caps.workgroup() as u64 * ALL_ROUNDS * 4);
        fusions.widen(&|fusion| fusion.widen(&chunk, 1, rows == 1, caps));
        let shape = self.lay_out(rows, fusions.values.width as u64, caps);
        let kernel = Kernel::of(self.spec(&fusions, Form::Rows(shape)), caps);
        self.check(&shape, chunk.get(kept).copied())?;
        let tiles_all = self.extent().div_ceil(shape.tile());
        let groups_all = tiles_all.div_ceil(shape.workgroup);
        let (scratch, parts) = (self.scratch(), shape.parts);
        let identity: Vec<Param> = self.operator.identity(self.expression.dtype()).words().map(Param::Is).collect();
        let mut plan = Plan::default();
        let (mut chain, mut of) = (Chain { first: 0, tiles: tiles_all, groups: groups_all }, None::<Vec<Range<u64>>>);
        let mut entries = 0;
        for cut in self.space(&fusions).boxes(self.name(), &chunk)? {
            let rows: u64 = cut[..kept].iter().map(|range| range.end - range.start).product();
            let scanned = cut.get(kept).cloned().unwrap_or(0..1);
            if of.as_deref() != Some(&cut[..kept]) {
                (chain.first, of) = (entries, Some(cut[..kept].to_vec()));
                entries += rows * (chain.tiles + chain.groups * COPIES);
            }
            let (tiles, groups) = match shape.packed {
                Some(packed) => (1, rows.div_ceil(packed)),
                None => {
                    let tiles = (scanned.end - scanned.start).div_ceil(shape.tile());
                    (tiles, tiles * rows)
                }
            };
            let (params, mut buffers) = self.params(&fusions, &cut, kept, caps);
            if shape.chained {
                buffers.push(Binding::new(scratch, 0, u64::MAX));
            }
            let last = (scanned.end == self.extent()) as u64;
            let first_tile = scanned.start / shape.tile();
            let own =
                [rows, tiles, scanned.end - scanned.start, first_tile, chain.first, chain.tiles, chain.groups, last];
            plan.passes.push(Pass {
                kernel: kernel.clone(),
                buffers,
                params: [own.map(Param::of).to_vec(), identity.clone(), params].concat(),
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

    /// Whether windows of this length along the axis are whole tiles.
    fn check(&self, shape: &Shape, chunk: Option<u64>) -> Result<()> {
        let chunk = chunk.unwrap_or(1);
        let whole = chunk == self.extent();
        match whole || (shape.packed.is_none() && chunk.is_multiple_of(shape.tile())) {
            true => Ok(()),
            false => Err(self.refused(
                format!("{} neighbours along the axis within one binding: copy() puts them side by side", shape.tile()),
                format!("{chunk}"),
            )),
        }
    }
}

impl Fusions<'_> {
    /// Four neighbours at a time where that goes for all.
    pub(super) fn widen(&mut self, widen: &dyn Fn(&mut Fusion) -> bool) {
        let wide = widen(&mut self.values);
        let both = wide && [&mut self.heads, &mut self.picked].into_iter().flatten().all(widen);
        if wide && !both {
            [&mut self.heads, &mut self.picked].into_iter().flatten().for_each(Fusion::narrow);
            self.values.narrow();
        }
        if self.values.width == 4
            && let Some(output) = &mut self.values.output
        {
            output.2 = Store::Element;
        }
    }
}
