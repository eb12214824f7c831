//! Register tiles: how a product is laid over workgroups and their invocations.

use super::shape::{Work, groups};
use crate::caps::Caps;
use crate::element::DType;
use crate::tuning::Tunable;

/// What a workgroup computes, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tile {
    /// Rows and columns of the result.
    pub rows: u32,
    pub columns: u32,
    /// Inner ones that lie in workgroup memory at a time.
    pub depth: u32,
    /// Rows and columns of an invocation, multiples of four.
    pub high: u32,
    pub wide: u32,
    /// Copies of the tiles: with two, one is written while the other is read.
    pub stages: u32,
    /// Inner ones whose text is written out.
    pub unroll: u32,
}

/// Rows, columns and depth of a workgroup's tile; an invocation's rows and columns; copies of the tiles.
///
/// Not measured yet on a card; the probe with 128 x 128 x 16, 8 x 8 and one copy did 38.5 TFLOP/s in f32 through Vulkan and
/// 46.5 through CUDA (H200, 8192, 2026-11).
pub(in crate::ops) const MATMUL: Tunable = Tunable {
    name: "matmul",
    numbers: &["rows", "columns", "depth", "high", "wide", "stages"],
    candidates: &[
        &[128, 128, 16, 8, 8, 1],
        &[128, 128, 8, 8, 8, 2],
        &[128, 128, 16, 8, 8, 2],
        &[128, 128, 8, 8, 8, 1],
        &[128, 64, 16, 8, 8, 1],
        &[128, 256, 8, 16, 8, 1],
        &[256, 128, 8, 8, 16, 1],
    ],
};

/// Workgroups that fill a large card: where there are fewer, they become smaller.
pub(super) const FILLED: u64 = 132;

impl Tile {
    const fn new(numbers: [u32; 6]) -> Tile {
        let [rows, columns, depth, high, wide, stages] = numbers;
        Tile { rows, columns, depth, high, wide, stages, unroll: depth }
    }

    /// The tile for a product.
    pub fn choose(caps: &Caps, work: &Work) -> Tile {
        if caps.short_vectors() {
            // Every text is compiled for seconds, and registers are few.
            return Tile { unroll: 4, ..Tile::new([32, 32, 16, 4, 4, 1]) };
        }
        let tuned = caps.tuning.get(&MATMUL).try_into().expect("as many numbers as MATMUL names");
        let smaller = [[64, 64, 16, 8, 4, 1], [32, 32, 16, 4, 4, 1], [16, 16, 16, 4, 4, 1]];
        let all = [tuned].into_iter().chain(smaller).map(Tile::new).map(|tile| tile.within(caps, work.sums));
        let fitting: Vec<Tile> = all.filter(|tile| tile.threads() <= caps.workgroup_invocations).collect();
        let large = fitting.iter().find(|tile| groups([tile.rows, tile.columns], work) >= FILLED);
        // The smallest is for what is smaller than a tile.
        *large.or(fitting.iter().find(|tile| tile.rows == 32)).unwrap_or(&fitting[fitting.len() - 1])
    }

    /// With so little depth that its copies fit the workgroup's memory.
    fn within(self, caps: &Caps, sums: DType) -> Tile {
        let mut tile = self;
        while tile.bytes(sums) > caps.workgroup_bytes as u64 && tile.depth > 4 {
            tile.depth /= 2;
            tile.unroll = tile.depth;
        }
        tile
    }

    fn bytes(self, sums: DType) -> u64 {
        let vectors = self.rows / 4 + 1 + self.columns / 4 + 1;
        self.stages as u64 * self.depth as u64 * vectors as u64 * 4 * sums.size() as u64
    }

    /// Invocations of a workgroup.
    pub fn threads(self) -> u32 {
        self.down() * self.right()
    }

    /// Invocations below one another.
    pub fn down(self) -> u32 {
        self.rows / self.high
    }

    /// Invocations beside one another.
    pub fn right(self) -> u32 {
        self.columns / self.wide
    }
}
