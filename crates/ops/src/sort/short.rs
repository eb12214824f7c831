//! The launches that sort short rows: each in the memory of a workgroup, by digits or by merging.

use super::merge::MergeTile;
use super::plan::Planner;
use super::wgsl::{Flow, Keys, SortSpec, Values};
use crate::dense::pieces;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Grid, Param, Pass};

impl Planner<'_> {
    /// By digits.
    pub(super) fn short_rows(&mut self) {
        let (sort, shape) = (self.sort, self.shape);
        let length = sort.length as u64;
        let group_rows = (shape.tile() / length).min(sort.rows as u64);
        let row_places = if group_rows == 1 { 0 } else { (64 - (group_rows - 1).leading_zeros()).div_ceil(8) };
        let (begin, _) = sort.digit(0);
        let (_, last_mask) = sort.digit(sort.places() - 1);
        let own = |rows: u64| vec![length as u32, (rows * length) as u32, begin, sort.places(), last_mask, row_places];
        self.rows(group_rows, &own, &|keys, flow| SortSpec::Rows { keys, flow, shape });
    }

    /// By merging.
    pub(super) fn merged_rows(&mut self, tile: MergeTile) {
        let sort = self.sort;
        let length = sort.length as u64;
        let row_lanes = tile.row_lanes(length);
        let group_rows = (tile.workgroup as u64 / row_lanes).min(sort.rows as u64);
        let [low, high] = sort.masks();
        let length = length as u32;
        let own = |rows: u64| vec![rows as u32, row_lanes as u32, length, length, low, high];
        self.rows(group_rows, &own, &|keys, flow| SortSpec::Merge { keys, flow, tile });
    }

    /// A workgroup for this many rows; one launch for each window. Parameters: workgroups and rows of one, those of the
    /// kernel's own, which depend on the rows of a launch, and where its windows begin.
    fn rows(&mut self, group_rows: u64, own: &dyn Fn(u64) -> Vec<u32>, spec: &dyn Fn(Keys, Flow) -> SortSpec) {
        let sort = self.sort;
        let homes = self.homes();
        let length = sort.length as u64;
        for batch in pieces(0..sort.rows as u64, (self.window / length).max(1)) {
            let elements = batch.start * length..batch.end * length;
            let rows = batch.end - batch.start;
            for (stores, values) in self.launches(homes, sort.values(), false, 1) {
                let flow = Flow { keys: self.keys_in().form, values, stores, cut: false };
                let (keys, keys_first) = self.keys_in().window(elements.clone(), self.caps);
                let (mut buffers, mut firsts) = (vec![keys], vec![keys_first]);
                let values = self.values_in().filter(|_| matches!(flow.values, Values::Of(_)));
                for (field, bound) in [(values, true), (homes[0], stores[0] > 0), (homes[1], stores[1] > 0)] {
                    let window = field.filter(|_| bound).map(|field| field.window(elements.clone(), self.caps));
                    firsts.push(window.map_or(0, |window| window.1));
                    buffers.extend(window.map(|window| window.0));
                }
                let groups = rows.div_ceil(group_rows);
                self.plan.passes.push(Pass {
                    kernel: Kernel::of(spec(sort.keys(), flow), self.caps),
                    buffers,
                    params: Param::all([vec![groups as u32, group_rows as u32], own(rows), firsts].concat()),
                    grid: Grid::Count(groups),
                });
                self.bound(0);
            }
        }
        self.pack(homes);
    }
}
