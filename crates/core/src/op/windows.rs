//! Arrays larger than one binding. The index space is cut into boxes, each of which accesses a window of every buffer
//! that fits a binding.

use crate::error::{Error, ErrorKind, Result};
use std::ops::Range;

/// An index space: its extents, and how far each array moves in each dimension.
#[derive(Clone, Debug)]
pub struct Space {
    /// The extents.
    pub extents: Vec<u64>,
    /// For each array: offset and strides in elements, and bytes of an element.
    pub arrays: Vec<Walk>,
}

/// How an array is walked.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The element at index 0 of all dimensions.
    pub offset: i64,
    /// Elements from index to index, of each dimension of the space.
    pub strides: Vec<i64>,
    /// Bytes of an element.
    pub size: u64,
}

impl Walk {
    /// The first and one past the last element that a box accesses.
    pub fn range(&self, cut: &[Range<u64>]) -> (i64, i64) {
        let (mut low, mut high) = (self.offset, self.offset + 1);
        for (range, &stride) in cut.iter().zip(&self.strides) {
            let ends = [range.start as i64 * stride, (range.end as i64 - 1) * stride];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        (low, high)
    }
}

/// The most elements in one box: indices are 32-bit, four elements a unit.
const MOST: u64 = 1 << 31;
/// The most boxes of a space: each is a launch or several, and all are listed before the first runs.
const MOST_BOXES: u64 = 1 << 17;
/// The most bytes in a window: kernels index single bytes with 32 bits, however much a device can bind.
pub const WINDOW: u64 = (1 << 32) - 64;

impl Space {
    /// Cuts every dimension into equal chunks so that each array's window is at most `limit` bytes.
    ///
    /// Returns the chunk length of each dimension. `keep` names dimensions whose chunks must begin at multiples of that
    /// number: those whose neighbours are loaded four at a time.
    pub fn chunks(&self, limit: u64, keep: u64) -> Vec<u64> {
        self.chunks_of(limit, keep, MOST)
    }

    /// As [`Space::chunks`], with at most `most` points in a box: where each array has its own indices, boxes may be
    /// larger.
    pub fn chunks_of(&self, limit: u64, keep: u64, most: u64) -> Vec<u64> {
        let mut chunk = self.extents.clone();
        // A window starts at an aligned byte before the first element.
        let limit = limit.min(WINDOW).saturating_sub(512);
        while let Some(axis) = self.longest(&chunk, limit, most) {
            chunk[axis] = chunk[axis].div_ceil(2).next_multiple_of(keep).min(chunk[axis] - 1).max(1);
        }
        chunk
    }

    /// The dimension to cut: the one that spans most of an array that is too wide for a binding.
    fn longest(&self, chunk: &[u64], limit: u64, most: u64) -> Option<usize> {
        let cut: Vec<Range<u64>> = chunk.iter().map(|&c| 0..c).collect();
        let span = |walk: &Walk, axis: usize| (chunk[axis] - 1) * walk.strides[axis].unsigned_abs();
        for walk in &self.arrays {
            let (low, high) = walk.range(&cut);
            if (high - low) as u64 * walk.size > limit {
                return (0..chunk.len()).max_by_key(|&axis| span(walk, axis));
            }
        }
        let count = chunk.iter().fold(1, |count: u64, &extent| count.saturating_mul(extent));
        (count > most).then(|| (0..chunk.len()).max_by_key(|&axis| chunk[axis]).expect("more than one element"))
    }

    /// The boxes, first dimension slowest.
    ///
    /// Errors: more of them than launches of one operation are planned.
    pub fn boxes(&self, operation: &'static str, chunk: &[u64]) -> Result<Vec<Vec<Range<u64>>>> {
        let along = self.extents.iter().zip(chunk).map(|(&extent, &step)| extent.div_ceil(step));
        let count = along.fold(1, |all: u64, count| all.saturating_mul(count));
        if count > MOST_BOXES {
            return Err(too_many(operation, &self.extents, count));
        }
        Ok(self.listed(chunk))
    }

    fn listed(&self, chunk: &[u64]) -> Vec<Vec<Range<u64>>> {
        let mut all: Vec<Vec<Range<u64>>> = vec![vec![]];
        for (&extent, &step) in self.extents.iter().zip(chunk) {
            all = all
                .into_iter()
                .flat_map(|cut| {
                    (0..extent.div_ceil(step)).map(move |i| {
                        let mut cut = cut.clone();
                        cut.push(i * step..((i + 1) * step).min(extent));
                        cut
                    })
                })
                .collect();
        }
        all
    }
}

/// An index space of these extents takes more boxes than are listed.
fn too_many(operation: &'static str, extents: &[u64], count: u64) -> Error {
    let wanted = format!("what {MOST_BOXES} launches can access, one window of each array at a time");
    let got = format!("{count} launches, for {extents:?} elements");
    ErrorKind::Argument { operation, argument: "shape".into(), wanted, got, at: None }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contiguous(extents: &[u64], size: u64) -> Walk {
        let mut strides = vec![1; extents.len()];
        for axis in (1..extents.len()).rev() {
            strides[axis - 1] = strides[axis] * extents[axis] as i64;
        }
        Walk { offset: 0, strides, size }
    }

    #[test]
    fn small_spaces_stay_whole() {
        let space = Space { extents: vec![100, 50], arrays: vec![contiguous(&[100, 50], 4)] };
        assert_eq!(space.chunks(1 << 20, 4), [100, 50]);
        assert_eq!(space.boxes("map", &[100, 50]).unwrap().len(), 1);
    }

    #[test]
    fn every_window_of_a_transpose_fits_and_every_element_is_covered_once() {
        let extents = vec![3000u64, 5000];
        let transposed = Walk { offset: 0, strides: vec![1, 3000], size: 4 };
        let space = Space { extents: extents.clone(), arrays: vec![contiguous(&extents, 4), transposed] };
        let chunk = space.chunks(1 << 20, 4);
        let boxes = space.boxes("map", &chunk).unwrap();
        let mut covered = 0;
        for cut in &boxes {
            for walk in &space.arrays {
                let (low, high) = walk.range(cut);
                assert!((high - low) as u64 * 4 <= 1 << 20);
            }
            assert!(cut.iter().all(|range| range.start % 4 == 0));
            covered += cut.iter().map(|range| range.end - range.start).product::<u64>();
        }
        assert_eq!(covered, 15_000_000);
    }

    #[test]
    fn repeated_elements_are_bounded_by_count() {
        let space =
            Space { extents: vec![1 << 20, 1 << 20], arrays: vec![Walk { offset: 0, strides: vec![0, 0], size: 4 }] };
        let chunk = space.chunks(1 << 27, 4);
        assert!(chunk.iter().product::<u64>() <= 1 << 31);
    }

    #[test]
    fn more_boxes_than_anyone_plans_are_refused_unlisted() {
        let space = Space { extents: vec![1 << 60], arrays: vec![Walk { offset: 0, strides: vec![0], size: 4 }] };
        let error = space.boxes("reduce", &space.chunks(1 << 27, 4)).unwrap_err().to_string();
        assert!(error.contains("wanted what 131072 launches") && error.contains("got 536870912 launches"), "{error}");
        let cubes = Space { extents: vec![1 << 40; 3], arrays: vec![] };
        assert!(cubes.boxes("map", &[1, 1, 1]).is_err());
    }
}
