//! How rows are cut into tiles and spans.

use super::Recurrence;
use crosslane_core::caps::Caps;

/// Values of a block, which one invocation runs over: the most that workgroup memory holds. On cards from 16 on, which registers
/// hold; of 64 a processor made 397 million values a second in two threads, of 16 it made 160 (2026-11-26).
const BLOCKS: [usize; 5] = [64, 32, 16, 8, 4];
const CARDS: usize = 2;
/// Rows that lie side by side in a workgroup at least, where neighbours in memory belong to neighbouring rows.
const SIDE: usize = 32;
/// Invocations of a row at least, so that neighbours in memory are read together.
const LANES: usize = 4;
/// Workgroups for each multiprocessor: as many as are wanted, and as few as rows are not cut for.
const GROUPS: usize = 8;
const FEW: usize = 2;
/// Spans of a row at least: they are read twice.
const SPANS: usize = 4;

/// The parts of rows: of a row, spans of tiles of blocks. A workgroup has one span, of several rows where these are short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cut {
    pub workgroup: usize,
    /// Values of a block.
    pub per: usize,
    /// Invocations of a row: blocks of a tile.
    pub lanes: usize,
    /// Tiles of a span.
    pub tiles: usize,
    /// Spans of a row.
    pub spans: usize,
}

impl Cut {
    /// Rows of a workgroup.
    pub fn rows(&self) -> usize {
        self.workgroup / self.lanes
    }

    /// Values of a tile along its row.
    pub fn tile(&self) -> usize {
        self.lanes * self.per
    }

    /// Numbers in workgroup memory: the values, without conflicts of banks, or twice the states.
    pub fn held(&self, states: usize) -> usize {
        self.workgroup * (self.per + 1).max(2 * states)
    }
}

/// Of the largest blocks that workgroup memory holds, of as many invocations as it can.
fn largest(op: &Recurrence, caps: &Caps) -> Cut {
    let most = 1usize << caps.workgroup().ilog2();
    let workgroups = std::iter::successors(Some(most), |&lanes| (lanes > 1).then_some(lanes / 2));
    // None that is at least twice as long as a row.
    let first = BLOCKS.iter().position(|&per| per / 2 < op.length()).unwrap_or(BLOCKS.len() - 1);
    let longest = if caps.processor.is_some() { 0 } else { CARDS };
    let blocks = &BLOCKS[first.max(longest)..];
    let mut all = workgroups
        .flat_map(|workgroup| blocks.iter().map(move |&per| Cut { workgroup, per, lanes: 1, tiles: 1, spans: 1 }));
    let fits = |cut: &Cut| cut.held(op.states()) * op.dtype().size() <= caps.workgroup_bytes as usize;
    all.find(fits).expect("a workgroup's memory holds a block")
}

/// The cut of an operation; `columns`: neighbours in memory belong to neighbouring rows.
pub(super) fn cut(op: &Recurrence, columns: bool, caps: &Caps) -> Cut {
    let cut = largest(op, caps);
    let fill = caps.multiprocessors as usize * cut.workgroup * GROUPS;
    // By the first so many powers a state is carried over 2^powers steps.
    let known = |unit: usize| 1usize << op.powers.saturating_sub(unit.ilog2() as usize);
    let side = if columns { SIDE.min(op.rows().next_power_of_two()).min(cut.workgroup) } else { 1 };
    let most = cut.workgroup / side;
    let wanted = fill.div_ceil(op.rows()).next_power_of_two().max(if columns { 1 } else { LANES });
    let blocks = op.length().div_ceil(cut.per).next_power_of_two();
    let lanes = wanted.min(most).min(blocks).min(known(cut.per));
    let mut cut = Cut { lanes, ..cut };
    let tiles = op.length().div_ceil(cut.tile());
    let groups = op.rows().div_ceil(cut.rows());
    cut.tiles = tiles;
    if groups < FEW * caps.multiprocessors as usize {
        let span = (tiles * groups).div_ceil(caps.multiprocessors as usize * GROUPS).next_power_of_two();
        let spans = tiles.div_ceil(span);
        // All of them in one workgroup: powers of so many steps.
        let whole = span * cut.tile() * spans.next_power_of_two();
        if spans >= SPANS && whole <= known(1) {
            (cut.tiles, cut.spans) = (span, spans);
        }
    }
    cut
}
