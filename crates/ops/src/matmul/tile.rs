//! Register tiles: how a product is laid over workgroups and their invocations.

use super::shape::{Work, groups, time};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::tuning::Tunable;

/// What a workgroup computes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    /// Rows and columns of the result.
    pub rows: u32,
    pub columns: u32,
    /// Inner elements that lie in workgroup memory at a time.
    pub depth: u32,
    /// Rows and columns of an invocation, multiples of four.
    pub high: u32,
    pub wide: u32,
    /// Copies of the tiles: with two, one is written while the other is read.
    pub stages: u32,
    /// Groups of invocations that share a step's inner elements, and add up their sums in the end.
    pub slices: u32,
    /// Inner elements whose text is written out.
    pub unroll: u32,
}

/// Rows, columns and depth of a workgroup's tile; an invocation's rows and columns; copies of the tiles.
///
/// H200, 2026-11-23, 4096, Vulkan and CUDA: 47.1 and 49.2 TFLOP/s for the first; cuBLAS 51.4.
pub const MATMUL: Tunable = Tunable {
    name: "matmul",
    numbers: &["rows", "columns", "depth", "high", "wide", "stages"],
    candidates: &[
        &[128, 256, 8, 16, 8, 1],
        &[256, 128, 8, 8, 16, 1],
        &[128, 128, 16, 8, 8, 1],
        &[128, 128, 8, 8, 8, 1],
        &[128, 128, 8, 8, 8, 2],
        &[128, 128, 16, 8, 8, 2],
        &[128, 64, 16, 8, 8, 1],
    ],
};

/// Tiles for results that the large one does not fill: numbers as its, and how fast they are taken to be where there are many,
/// in hundredths of it. The first is measured (H200, 2026-11-23, 0.95 through Vulkan, 0.88 through CUDA). The two long ones are
/// for results of few rows or columns, as convolutions of 64 channels have: 32.5 TFLOP/s through Vulkan, 64 x 64 23 (H200,
/// 2026-11-26). The others are guessed.
const SMALLER: [([u32; 6], u64); 6] = [
    ([128, 128, 16, 8, 8, 1], 92),
    ([64, 256, 8, 16, 8, 1], 91),
    ([256, 64, 8, 8, 16, 1], 91),
    ([64, 64, 16, 8, 4, 1], 80),
    ([32, 32, 16, 4, 4, 1], 45),
    ([16, 16, 16, 4, 4, 1], 20),
];
/// For few workgroups with many inner elements each: a step's latency counts, so that steps are long and shared.
const SHARED: Tile = Tile { slices: 8, unroll: 8, ..Tile::new([16, 32, 128, 4, 4, 1]) };

/// Registers of an invocation beside its values, for addresses and counters. A product of 64 bits is several instructions, which want
/// some too.
const OTHER_REGISTERS: [u32; 2] = [32, 48];

impl Tile {
    const fn new(numbers: [u32; 6]) -> Tile {
        let [rows, columns, depth, high, wide, stages] = numbers;
        Tile { rows, columns, depth, high, wide, stages, slices: 1, unroll: depth }
    }

    /// The tile for a product.
    pub fn choose(caps: &Caps, work: &Work) -> Tile {
        if caps.short_vectors() {
            // Barriers and loads are slow, so that large results want few lanes with many sums: 3.0 GFLOP/s for 0.9 on llvmpipe.
            // Such a text is compiled for seconds, which small ones are not worth.
            return match work.rows.min(work.columns) {
                128.. => Tile { unroll: 1, ..Tile::new([64, 128, 16, 16, 16, 1]) },
                _ => Tile { unroll: 4, ..Tile::new([32, 32, 16, 4, 4, 1]) },
            };
        }
        let tuned = caps.tuning.get(&MATMUL).try_into().expect("as many numbers as MATMUL names");
        let all = [(tuned, 100)].into_iter().chain(SMALLER);
        let all = all.map(|(numbers, speed)| (Tile::new(numbers).within(caps, work.sums), speed));
        let spills = |tile: &Tile| tile.registers(work.sums) > caps.registers;
        // The smallest one is taken where nothing fits.
        let is_smallest = |tile: &Tile| tile.threads() == 16;
        let fits = |tile: &Tile| tile.threads() <= caps.workgroup_invocations && (!spills(tile) || is_smallest(tile));
        let fitting = all.filter(|(tile, _)| fits(tile));
        let tile = fitting
            .min_by_key(|(tile, speed)| time(caps, [tile.rows, tile.columns], *speed, work))
            .expect("one fits")
            .0;
        let few = groups([32, 32], work) < caps.multiprocessors as u64 && work.inner >= SHARED.depth as u64;
        // 64 bits spill up to 36 registers on Apple's M1. Eight times as many invocations outweigh that.
        let fits =
            SHARED.bytes(work.sums) <= caps.workgroup_bytes as u64 && SHARED.threads() <= caps.workgroup_invocations;
        if few && fits && tile.rows <= 32 { SHARED } else { tile }
    }

    /// With so little depth that its copies fit the workgroup's memory, and, down to a depth of 8, its values the registers.
    fn within(self, caps: &Caps, sums: DType) -> Tile {
        let mut tile = self;
        let is_large = |tile: &Tile| tile.bytes(sums) > caps.workgroup_bytes as u64 && tile.depth > 4;
        while is_large(&tile) || (tile.registers(sums) > caps.registers && tile.depth > 8) {
            tile.depth /= 2;
            tile.unroll = tile.depth;
        }
        tile
    }

    fn bytes(self, sums: DType) -> u64 {
        let vectors = self.rows / 4 + 1 + self.columns / 4 + 1;
        self.stages as u64 * self.depth as u64 * vectors as u64 * 4 * sums.size() as u64
    }

    /// Registers of an invocation: its sums, what it multiplies, and what it loads for the next step meanwhile.
    fn registers(self, sums: DType) -> u32 {
        let words = (sums.size() as u32).div_ceil(4);
        let loaded = (self.rows + self.columns) * self.depth / self.threads();
        (self.high * self.wide + self.high + self.wide + loaded) * words + OTHER_REGISTERS[words as usize - 1]
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        vec![
            ("HIGH", self.high),
            ("WIDE", self.wide),
            ("DOWN", self.down()),
            ("RIGHT", self.right()),
            ("SLICES", self.slices),
            ("UNROLL", self.unroll),
        ]
    }

    /// Invocations of a workgroup.
    pub fn threads(self) -> u32 {
        self.slices * self.of_slice()
    }

    /// Invocations of a slice.
    pub fn of_slice(self) -> u32 {
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
