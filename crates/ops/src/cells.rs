//! What is combined along some axes of arrays past one binding: the results cut into cells that lie side by side, and the
//! boxes of the index space that each cell combines.

use super::fuse::Dim;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::op::{Space, WINDOW, Walk};
use std::ops::Range;

/// Results that lie side by side, and the boxes of the index space that they combine.
pub(super) struct Cell {
    pub first_output: u64,
    pub outputs: u64,
    pub parts: Vec<Vec<Range<u64>>>,
}

/// How many dimensions are kept: those of group 0, which come first.
pub(super) fn kept(dims: &[Dim]) -> usize {
    dims.iter().filter(|dim| dim.group == 0).count()
}

/// How many elements of a box are combined into each of its results.
pub(super) fn extent(dims: &[Dim], cut: &[Range<u64>]) -> u64 {
    cut[kept(dims)..].iter().map(|range| range.end - range.start).product()
}

/// Chunk lengths of the (kept, reduced) dimensions so that every buffer fits its binding, results of a chunk lie side
/// by side, and the partial states fit too. Results and states take this many bytes.
pub(super) fn chunks(dims: &[Dim], mut space: Space, result_bytes: u64, state_bytes: u64, caps: &Caps) -> Vec<u64> {
    let kept = kept(dims);
    let mut strides = vec![0; dims.len()];
    let mut step = 1;
    for dim in (0..kept).rev() {
        strides[dim] = step;
        step *= dims[dim].extent as i64;
    }
    space.arrays.push(Walk { offset: 0, strides, size: state_bytes.max(result_bytes) });
    let mut chunk = space.chunks(caps.binding_bytes, 4096);
    loop {
        if let Some(cut) = (0..kept).rev().find(|&dim| chunk[dim] < space.extents[dim]) {
            chunk[..cut].fill(1);
        }
        let parts: u64 = (kept..chunk.len()).map(|dim| space.extents[dim].div_ceil(chunk[dim])).product();
        let outputs: u64 = chunk[..kept].iter().product();
        match (0..kept).find(|&dim| chunk[dim] > 1) {
            Some(dim) if parts > 1 && parts * outputs * state_bytes > caps.binding_bytes.min(WINDOW) => {
                chunk[dim] = chunk[dim].div_ceil(2).next_multiple_of(4).min(chunk[dim] - 1);
            }
            _ => return chunk,
        }
    }
}

/// The cells for chunks of these lengths, in the order of their results.
pub(super) fn cells(operation: &'static str, dims: &[Dim], space: &Space, chunk: &[u64]) -> Result<Vec<Cell>> {
    let kept = kept(dims);
    let mut cells: Vec<Cell> = Vec::new();
    for cut in space.boxes(operation, chunk)? {
        let first_output = cut[..kept].iter().zip(dims).fold(0, |flat, (range, dim)| flat * dim.extent + range.start);
        let outputs = cut[..kept].iter().map(|range| range.end - range.start).product();
        match cells.last_mut() {
            Some(cell) if cell.first_output == first_output => cell.parts.push(cut),
            _ => cells.push(Cell { first_output, outputs, parts: vec![cut] }),
        }
    }
    Ok(cells)
}
