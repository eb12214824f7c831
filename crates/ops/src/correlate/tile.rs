//! How a workgroup's results lie.

use super::Window;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;

/// Results of an invocation along y, and along x, where they are odd: the most first. An H200, 2026-11-26: 16 along y took 10 to 30 %
/// longer, 7 along x 5 %.
const PER: [usize; 4] = [8, 4, 2, 1];
const PER_ALONG_X: [usize; 5] = [11, 7, 5, 3, 1];
/// Blocks side by side on a processor, whose workgroups are one vector wide.
const ROUNDS: usize = 8;
/// Weights that are met at once.
const CHUNKS: std::ops::RangeInclusive<usize> = 1..=16;

/// The results of a workgroup: a block of lanes, each with `per` results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    /// Lanes along x and along y.
    pub lanes: [usize; 2],
    pub per: usize,
    pub along_x: bool,
    pub rounds: usize,
    pub chunk: usize,
}

impl Tile {
    /// Results along x and along y.
    pub fn extents(&self) -> [usize; 2] {
        let [x, y] = self.per_axis();
        [self.lanes[0] * x * self.rounds, self.lanes[1] * y]
    }

    /// Results of an invocation along x and along y.
    pub fn per_axis(&self) -> [usize; 2] {
        if self.along_x { [self.per, 1] } else { [1, self.per] }
    }

    /// Columns and rows of the values that a tile needs of a plane.
    pub fn halo(&self, [x, y]: [&Window; 2]) -> [usize; 2] {
        let [columns, rows] = self.extents();
        let reach =
            |results: usize, window: &Window| (results - 1) * window.step + (window.taps - 1) * window.dilation + 1;
        [reach(columns, x), reach(rows, y)]
    }

    /// Values in workgroup memory, in the end results, and weights.
    pub fn held(&self, windows: [&Window; 2]) -> [usize; 2] {
        let ([columns, rows], [x, y]) = (self.halo(windows), self.extents());
        [(columns * rows).max(x * y), windows.iter().map(|window| window.taps).product()]
    }
}

/// The chunk for so many weights along, and results of an invocation: the one with the fewest loads.
fn chunk(taps: usize, per: usize) -> usize {
    let loads = |chunk: &usize| taps / chunk * (per + 2 * chunk - 1) + taps % chunk * (per + 1);
    CHUNKS.min_by_key(loads).expect("there are some")
}

/// The largest tile that workgroup memory holds, of windows along x and along y: of fewer lanes where windows reach far or are far
/// apart. `None` if there is none.
pub(super) fn tile(x: &Window, y: &Window, dtype: DType, caps: &Caps) -> Option<Tile> {
    let mut lanes = std::iter::successors(Some(caps.workgroup() as usize), |&lanes| (lanes > 1).then_some(lanes / 2));
    lanes.find_map(|lanes| of_lanes(lanes, x, y, dtype, caps))
}

fn of_lanes(workgroup: usize, x: &Window, y: &Window, dtype: DType, caps: &Caps) -> Option<Tile> {
    let wide = y.taps == 1;
    // Along the longer side of the window; on a processor lanes are neighbours along x.
    let along_x = wide && caps.processor.is_none();
    let lanes_x = match (caps.processor, y.count) {
        (Some(_), _) | (None, 1) => workgroup,
        (None, _) if along_x => workgroup.min(32),
        (None, _) => workgroup.min(64),
    };
    let rounds = if caps.processor.is_some() { ROUNDS } else { 1 };
    let along = if along_x { x } else { y };
    let tile = |per: usize| Tile {
        lanes: [lanes_x, workgroup / lanes_x],
        per,
        along_x,
        rounds: rounds.min(x.count.div_ceil(lanes_x)),
        chunk: chunk(along.taps, per),
    };
    let needed = |per: usize| per == 1 || per / 2 < along.count;
    let fits = |tile: &Tile| tile.held([x, y]).iter().sum::<usize>() * dtype.size() <= caps.workgroup_bytes as usize;
    let pers = if along_x { &PER_ALONG_X[..] } else { &PER[..] };
    pers.iter().copied().filter(|&per| needed(per)).map(tile).find(fits)
}
