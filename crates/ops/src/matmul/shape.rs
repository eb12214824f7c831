//! Which of the ways a product is computed in, and what both have in common.

use super::each::Each;
use super::side::Fetch;
use super::tensor::TensorTile;
use super::tile::Tile;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;

/// A workgroup's share of the result, and how its invocations compute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// Each invocation multiplies in its registers.
    Registers(Tile),
    /// Subgroups multiply small matrices together.
    Tensor(TensorTile),
    /// Each invocation computes an element by itself.
    Each(Each),
}

/// What the choice depends on, beside the device.
#[derive(Clone, Copy)]
pub(super) struct Work {
    /// The type of the sums, and the one in which tensor cores may take both sides.
    pub sums: DType,
    pub tensor: Option<DType>,
    pub batch: u64,
    pub rows: u64,
    pub columns: u64,
    pub inner: u64,
}

impl Shape {
    pub fn choose(caps: &Caps, work: &Work) -> Shape {
        let each = Each::choose(caps, work).map(Shape::Each);
        let special = each.or_else(|| TensorTile::choose(caps, work).map(Shape::Tensor));
        special.unwrap_or_else(|| Shape::Registers(Tile::choose(caps, work)))
    }

    /// Rows and columns of the result that belong together.
    pub fn tile(self) -> [u32; 2] {
        match self {
            Shape::Registers(tile) => [tile.rows, tile.columns],
            Shape::Tensor(tile) => [tile.rows, tile.columns],
            Shape::Each(_) => [1, 1],
        }
    }

    /// Whether tiles are arrays of elements, not of vectors.
    pub fn single(self) -> bool {
        matches!(self, Shape::Tensor(tile) if tile.single())
    }

    /// Inner elements that lie in workgroup memory at a time.
    pub fn depth(self) -> u32 {
        match self {
            Shape::Registers(tile) => tile.depth,
            Shape::Tensor(tile) => tile.depth,
            Shape::Each(_) => 1,
        }
    }

    /// Copies of the tiles.
    pub fn stages(self) -> u32 {
        match self {
            Shape::Registers(tile) => tile.stages,
            Shape::Tensor(tile) => tile.stages,
            Shape::Each(_) => 1,
        }
    }

    /// Groups of invocations that share a step's inner elements.
    pub fn slices(self) -> u32 {
        match self {
            Shape::Registers(tile) => tile.slices,
            Shape::Tensor(_) | Shape::Each(_) => 1,
        }
    }

    /// Invocations of a workgroup.
    pub fn threads(self) -> u32 {
        match self {
            Shape::Registers(tile) => tile.threads(),
            Shape::Tensor(tile) => tile.threads(),
            Shape::Each(each) => each.workgroup,
        }
    }

    /// Whether a side's tile has inner elements as lines, and vectors from one line to the next. Those between lines
    /// keep invocations that read or write together in different banks.
    pub fn lines(self, fetch: Fetch, across: u32) -> (bool, u32) {
        match self {
            // Four inner elements are written at once into four lines, where they are fetched as vectors.
            Shape::Registers(_) | Shape::Each(_) => (false, across / 4 + (fetch != Fetch::Outer) as u32),
            // As they are fetched; places and lines are multiples of 16 bytes, as Vulkan wants.
            Shape::Tensor(tile) => match matches!(fetch, Fetch::Inner | Fetch::EachInner) {
                true => (true, tile.depth / 4 + 2),
                false => (false, across / 4 + 2),
            },
        }
    }

    /// Named constants of its kernel.
    pub fn constants(self) -> Vec<(&'static str, u32)> {
        let own = match self {
            Shape::Registers(tile) => tile.constants(),
            Shape::Tensor(tile) => tile.constants(),
            Shape::Each(each) => return vec![("WORKGROUP", each.workgroup)],
        };
        let [rows, columns] = self.tile();
        let all = vec![
            ("BAND", 8),
            ("THREADS", self.threads()),
            ("ROWS", rows),
            ("COLUMNS", columns),
            ("DEPTH", self.depth()),
            ("STAGES", self.stages()),
        ];
        [all, own].concat()
    }

    /// Tiles of a product.
    pub fn tiles(self, work: &Work) -> u64 {
        groups(self.tile(), work)
    }

    /// Workgroups that compute this many tiles.
    pub fn groups(self, tiles: u64) -> u64 {
        match self {
            Shape::Each(each) => tiles.div_ceil(each.workgroup as u64),
            _ => tiles,
        }
    }
}

/// Workgroups of a product with tiles of this many rows and columns.
pub(super) fn groups([rows, columns]: [u32; 2], work: &Work) -> u64 {
    work.batch * work.rows.div_ceil(rows as u64) * work.columns.div_ceil(columns as u64)
}

/// How long a product takes in tiles of this many rows and columns, compared with other tiles: all that is computed,
/// useful or not, by a speed in hundredths, and as long with fewer workgroups than fill the device.
pub(super) fn time(caps: &Caps, tile: [u32; 2], speed: u64, work: &Work) -> u64 {
    let each = tile[0] as u64 * tile[1] as u64 * 100 / speed;
    groups(tile, work).max(caps.multiprocessors as u64).saturating_mul(each)
}
