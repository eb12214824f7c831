//! Tiles of an index space: which dimensions they lie over, how large they are, and what is kept in them.

use super::super::fuse::{Dim, Fusion, Mode, Several, collapse};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind, Walk};
use crosslane_core::tuning::Tunable;

/// Rows and columns of a tile, and how many rows of tiles a band has; none at all.
///
/// H200, 2026-11-23, transposing 16384 x 16384 f32, Vulkan and CUDA: 3,902 and 4,001 GB/s for the first, 3,356 and 3,913 for
/// 64 x 64 in bands of 16, which leaves Vulkan three workgroups a processor.
pub const TILE: Tunable = Tunable {
    name: "map_tiled",
    numbers: &["rows", "columns", "band"],
    candidates: &[
        &[64, 32, 2],
        &[64, 32, 1],
        &[64, 32, 8],
        &[64, 64, 1],
        &[64, 64, 16],
        &[32, 64, 4],
        &[32, 32, 16],
        &[128, 32, 16],
        &[0, 0, 0], // no tiles
    ],
};

/// Tiles in workgroup memory at most, by the prefixes of what fills them.
const PREFIXES: [&str; 4] = ["t0_", "t1_", "t2_", "t3_"];
/// Elements of a tile at least: with fewer, a cache does as well.
const LEAST: u64 = 1024;
/// Bytes of workgroup memory at most: on cards a few workgroups share what a processor has.
const MOST_BYTES: u64 = 34 << 10;

/// Tiles over an index space, whose dimensions are in the order: those that no tile lies over, rows, columns.
pub(super) struct Tiles {
    dims: Vec<Dim>,
    /// The leaves', then the output's.
    walks: Vec<Walk>,
    pub rows: u32,
    pub columns: u32,
    pub band: u32,
    /// Rows are whole, and in the output one follows the other.
    pub follows: bool,
    /// The leaves that go into each tile: all of them into one, which keeps the result, or one into each.
    kept: Vec<Vec<usize>>,
}

impl Tiles {
    /// Tiles for a map, if it has an input whose neighbours are not the output's, and enough of them.
    pub fn of(fusion: &Fusion, caps: &Caps) -> Option<Tiles> {
        let [rows, columns, band] = *caps.tuning.get(&TILE) else { unreachable!("it has three numbers") };
        if rows == 0 {
            return None;
        }
        let output = fusion.walks.last().expect("a map has an output");
        let leaves = 0..fusion.expression.leaves.len();
        let (across, along, served) = turned(fusion)?;
        let columns_of = run(&fusion.dims, output, along, &[across], columns as u64);
        let rows_of = run(&fusion.dims, &fusion.walks[served[0]], across, &columns_of, rows as u64);
        let suits = |leaf: usize| {
            let walk = &fusion.walks[leaf];
            fusion.slot(leaf).is_none() || walk.strides[across] == 0 || fastest(walk) == Some(across)
        };
        let mut kept = match leaves.clone().all(suits) {
            true => vec![leaves.collect()],
            false => served.iter().map(|&leaf| vec![leaf]).take(PREFIXES.len()).collect(),
        };
        let extent = |of: &[usize]| of.iter().map(|&dim| fusion.dims[dim].extent).product::<u64>();
        let extents = [extent(&rows_of), extent(&columns_of)];
        if extents[0] * extents[1] < LEAST {
            return None;
        }
        let (rows, columns) = loop {
            let bytes = kept.iter().map(|leaves| bytes_kept(fusion.expression, leaves)).sum();
            match shape([rows as u64, columns as u64], extents, bytes, caps) {
                Some(shape) => break shape,
                None if kept.len() > 1 => kept.pop(),
                None => return None,
            };
        };
        let (dims, walks) = ordered(fusion, &rows_of, &columns_of);
        let follows = follows(&dims, walks.last().expect("a map has an output"), columns);
        Some(Tiles { dims, walks, follows, rows: rows as u32, columns: columns as u32, band, kept })
    }

    /// What is kept in each tile, and what is stored: of the tiles and of what is read beside them.
    pub fn split(&self, expression: &Expression) -> (Vec<Expression>, Expression) {
        if self.keeps_result(expression) {
            let dtype = expression.dtype();
            let leaves = vec![Leaf { source: LeafSource::Tile(0), dtype, len: 0, offset: 0, strides: vec![] }];
            let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype }];
            return (vec![expression.clone()], Expression { leaves, steps, ..Expression::default() });
        }
        let mut result = expression.clone();
        let one = |(tile, leaves): (usize, &Vec<usize>)| {
            let leaf = result.leaves[leaves[0]].clone();
            result.leaves[leaves[0]].source = LeafSource::Tile(tile);
            let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype: leaf.dtype }];
            Expression { leaves: vec![leaf], steps, ..Expression::default() }
        };
        (self.kept.iter().enumerate().map(one).collect(), result)
    }

    /// Whether one tile keeps all there is to compute.
    pub fn keeps_result(&self, expression: &Expression) -> bool {
        self.kept.len() == 1 && self.kept[0].len() == expression.leaves.len()
    }

    /// The fusion of what is stored, then those of what is kept, over variables `k`, `r` and `c`.
    pub fn fusions<'a>(&self, kept: &'a [Expression], result: &'a Expression, like: &Fusion) -> Several<'a> {
        let fusion = |expression: &'a Expression, prefix: &'static str, walks: Vec<Walk>| Fusion {
            expression,
            prefix,
            variables: &["k", "r", "c"],
            dims: self.dims.clone(),
            modes: vec![Mode::Scalar; walks.len()],
            walks,
            width: 1,
            lanes: 0,
            constant: false,
            output: None,
        };
        let nowhere = |dtype: DType| Walk { offset: 0, strides: vec![0; self.dims.len()], size: dtype.size() as u64 };
        let own = |(leaf, of): (usize, &Leaf)| match of.source {
            LeafSource::Tile(_) => nowhere(of.dtype),
            _ => self.walks[leaf].clone(),
        };
        let mut walks: Vec<Walk> = result.leaves.iter().enumerate().map(own).collect();
        walks.extend(self.walks.last().cloned());
        let stored = Fusion { output: like.output, ..fusion(result, "", walks) };
        let tiles = kept.iter().zip(&self.kept).zip(PREFIXES);
        let tiles = tiles.map(|((expression, leaves), prefix)| {
            fusion(expression, prefix, leaves.iter().map(|&leaf| self.walks[leaf].clone()).collect())
        });
        Several([stored].into_iter().chain(tiles).collect())
    }
}

/// The dimension along which neighbours of some inputs lie, another one along which those of the output do, and these inputs.
pub(super) fn turned(fusion: &Fusion) -> Option<(usize, usize, Vec<usize>)> {
    let along = fastest(fusion.walks.last().expect("a map has an output"))?;
    let turned = |leaf: &usize| {
        let walk = &fusion.walks[*leaf];
        fusion.slot(*leaf).is_some() && fastest(walk).is_some_and(|first| reach(walk, along) > reach(walk, first))
    };
    let turned: Vec<usize> = (0..fusion.expression.leaves.len()).filter(turned).collect();
    // Several inputs may be turned in several ways: those that move the most are served.
    let first = |leaf: usize| fastest(&fusion.walks[leaf]).expect("a turned one moves");
    let moved = |dim: usize| -> u64 {
        turned.iter().filter(|&&leaf| first(leaf) == dim).map(|&leaf| touched(fusion, leaf)).sum()
    };
    let across = turned.iter().map(|&leaf| first(leaf)).max_by_key(|&dim| moved(dim))?;
    let served = turned.iter().copied().filter(|&leaf| first(leaf) == across).collect();
    Some((across, along, served))
}

/// Elements in each group of dimensions.
pub(super) fn extents(fusion: &Fusion, lengths: &[u64]) -> [u64; 3] {
    let of = |group| lengths.iter().zip(&fusion.dims).filter(|(_, dim)| dim.group == group).map(|(e, _)| e).product();
    [0, 1, 2].map(of)
}

/// The dimension along which an array's neighbours lie.
fn fastest(walk: &Walk) -> Option<usize> {
    (0..walk.strides.len()).filter(|&dim| walk.strides[dim] != 0).min_by_key(|&dim| reach(walk, dim))
}

fn reach(walk: &Walk, dim: usize) -> u64 {
    walk.strides[dim].unsigned_abs()
}

/// Bytes of different elements.
fn touched(fusion: &Fusion, leaf: usize) -> u64 {
    let walk = &fusion.walks[leaf];
    let moving = fusion.dims.iter().zip(&walk.strides).filter(|(_, stride)| **stride != 0);
    moving.map(|(dim, _)| dim.extent).product::<u64>() * walk.size
}

/// The dimensions through which an array goes without a gap, fastest first, until there are enough elements.
fn run(dims: &[Dim], walk: &Walk, first: usize, taken: &[usize], wanted: u64) -> Vec<usize> {
    let mut run = vec![first];
    let mut extent = dims[first].extent;
    while extent < wanted {
        let last = run[run.len() - 1];
        let next = walk.strides[last] * dims[last].extent as i64;
        let free = |dim: &usize| !taken.contains(dim) && !run.contains(dim) && walk.strides[*dim] == next;
        let Some(dim) = (0..dims.len()).find(free) else { break };
        extent *= dims[dim].extent;
        run.push(dim);
    }
    run
}

/// Whether a tile has whole rows, which follow each other in the output.
fn follows(dims: &[Dim], output: &Walk, columns: u64) -> bool {
    let extent = |group| dims.iter().filter(|dim| dim.group == group).map(|dim| dim.extent).product::<u64>();
    let mut next = extent(2) as i64;
    let mut rows = (0..dims.len()).rev().filter(|&dim| dims[dim].group == 1);
    next as u64 <= columns
        && rows.all(|dim| {
            let here = output.strides[dim] == next;
            next *= dims[dim].extent as i64;
            here
        })
}

/// Bytes of workgroup memory for an element of a tile.
fn bytes_kept(expression: &Expression, leaves: &[usize]) -> u64 {
    let dtype = match leaves {
        [leaf] if expression.leaves.len() > 1 => expression.leaves[*leaf].dtype,
        _ => expression.dtype(),
    };
    if dtype.per_word() > 1 { 4 } else { dtype.size() as u64 }
}

/// Rows and columns, powers of two: what the space lacks on one side, the other gets; halved until they fit. Nothing where most of
/// a tile would lie past the space.
fn shape(wanted: [u64; 2], extents: [u64; 2], bytes: u64, caps: &Caps) -> Option<(u64, u64)> {
    let most = extents.map(|extent| extent.next_power_of_two().max(4));
    let other = |n: usize| if most[1 - n] < wanted[1 - n] { wanted[0] * wanted[1] / most[1 - n] } else { 0 };
    let side = |n: usize| most[n].min(other(n).max(fitting(wanted[n], extents[n])));
    let (mut rows, mut columns) = (side(0), side(1));
    while columns * (rows + 1) * bytes > MOST_BYTES.min(caps.workgroup_bytes as u64) {
        if rows > columns { rows /= 2 } else { columns /= 2 }
    }
    let covered = extents[0].next_multiple_of(rows) * extents[1].next_multiple_of(columns);
    (rows * columns >= LEAST && covered * 2 <= extents[0] * extents[1] * 5).then_some((rows, columns))
}

/// A side as wanted, or half of it where so much less lies past the space.
fn fitting(wanted: u64, extent: u64) -> u64 {
    let half = (wanted / 2).max(32);
    if extent.next_multiple_of(half) * 5 <= extent.next_multiple_of(wanted) * 4 { half } else { wanted }
}

/// The dimensions in three groups, the fastest of each last, and the walks over them.
pub(super) fn ordered(fusion: &Fusion, rows: &[usize], columns: &[usize]) -> (Vec<Dim>, Vec<Walk>) {
    let rest = (0..fusion.dims.len()).filter(|dim| !rows.contains(dim) && !columns.contains(dim)).map(|dim| (0, dim));
    let rows = rows.iter().rev().map(|&dim| (1, dim));
    let columns = columns.iter().rev().map(|&dim| (2, dim));
    let order: Vec<(usize, usize)> = rest.chain(rows).chain(columns).collect();
    let mut dims = order.iter().map(|&(group, dim)| Dim { group, extent: fusion.dims[dim].extent }).collect();
    let mut walks = fusion.walks.clone();
    for walk in &mut walks {
        walk.strides = order.iter().map(|&(_, dim)| walk.strides[dim]).collect();
    }
    collapse(&mut dims, &mut walks);
    (dims, walks)
}
