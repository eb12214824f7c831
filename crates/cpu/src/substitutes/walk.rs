//! Sides of products: where their elements lie, and copies of blocks of them for gemm.

use super::super::block;
use crosslane_core::kernel::{Axis, Side};
use crosslane_core::work::Window;
use half::f16;
use half::slice::HalfFloatSliceExt;
use std::iter::successors;
use std::ops::Range;
use std::slice;

/// Elements in memory, and the numbers `T` that gemm multiplies.
pub(super) trait Stored<T>: Copy + Send + Sync {
    /// Whether these are the same.
    const SAME: bool;

    /// # Safety
    ///
    /// So many can be read, and written.
    unsafe fn widen(from: *const Self, to: *mut T, count: usize);

    /// # Safety
    ///
    /// As [`Stored::widen`].
    unsafe fn narrow(from: *const T, to: *mut Self, count: usize);
}

impl<T: Copy + Send + Sync> Stored<T> for T {
    const SAME: bool = true;

    unsafe fn widen(from: *const T, to: *mut T, count: usize) {
        // SAFETY: as the caller says.
        unsafe { to.copy_from_nonoverlapping(from, count) }
    }

    unsafe fn narrow(from: *const T, to: *mut T, count: usize) {
        // SAFETY: as the caller says.
        unsafe { to.copy_from_nonoverlapping(from, count) }
    }
}

impl Stored<f32> for f16 {
    const SAME: bool = false;

    unsafe fn widen(from: *const f16, to: *mut f32, count: usize) {
        // SAFETY: as the caller says; elements begin at multiples of their size, and any bits are a number.
        unsafe { slice::from_raw_parts(from, count).convert_to_f32_slice(slice::from_raw_parts_mut(to, count)) }
    }

    unsafe fn narrow(from: *const f32, to: *mut f16, count: usize) {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(to, count).convert_from_f32_slice(slice::from_raw_parts(from, count)) }
    }
}

/// An axis: its extent, and the elements from index to index.
type Step = (usize, usize);

/// Elements of an axis that are neighbours in memory: the first one's index, its offset, and how many.
pub(super) struct Run {
    pub first: usize,
    pub offset: usize,
    pub count: usize,
}

/// The axes of several that count as one, the outermost first. None has an extent of 1, and neighbours do not continue one
/// another.
struct Walk(Vec<Step>);

/// A side: its matrices, its rows (of `b`, columns), and its inner elements.
pub(super) struct Walked {
    window: Window,
    first: usize,
    batch: Walk,
    outer: Walk,
    inner: Walk,
}

/// A block of a side as gemm takes it: the first element, and the elements from row (of `b`, column) to the next, and from one
/// inner element to the next.
pub(super) struct Block<T> {
    pub first: *const T,
    pub outer: usize,
    pub inner: usize,
}

impl Walk {
    /// `count` elements in all.
    fn of(axes: &[Axis], count: usize, params: &[u32]) -> Walk {
        let extents: Vec<Option<usize>> =
            axes.iter().map(|axis| axis.extent.map(|word| word.of(params) as usize)).collect();
        let known: usize = extents.iter().flatten().product();
        let mut joined: Vec<Step> = Vec::new();
        for (axis, extent) in axes.iter().zip(extents) {
            let (extent, step) = (extent.unwrap_or(count / known), axis.step.of(params) as usize);
            match joined.last_mut() {
                _ if extent == 1 => {}
                Some(last) if last.1 == step * extent => *last = (last.0 * extent, step),
                _ => joined.push((extent, step)),
            }
        }
        Walk(joined)
    }

    /// Elements from one to the next, if that is the same everywhere.
    fn step(&self) -> Option<usize> {
        match self.0[..] {
            [] => Some(0),
            [(_, step)] => Some(step),
            _ => None,
        }
    }

    /// From the first element to the last.
    fn reach(&self) -> u128 {
        self.0.iter().map(|&(extent, step)| (extent - 1) as u128 * step as u128).sum()
    }

    /// From the first element to the last, both included, where lines of neighbours follow one another.
    fn extent(&self) -> Option<usize> {
        let mut extent = 1;
        for (nth, &(count, step)) in self.0.iter().rev().enumerate() {
            let follows = if nth == 0 { step == 1 } else { step >= extent };
            extent = follows.then_some((count - 1) * step + extent)?;
        }
        Some(extent)
    }

    /// From the first element to the nth.
    fn offset(&self, nth: usize) -> usize {
        let (mut rest, mut offset) = (nth, 0);
        for &(extent, step) in self.0.iter().rev() {
            offset += rest % extent * step;
            rest /= extent;
        }
        offset
    }

    fn last(&self) -> Step {
        self.0.last().copied().unwrap_or((1, 0))
    }

    /// A range as runs along the last axis: the offset of the first element, and how many.
    fn runs(&self, range: Range<usize>) -> Vec<(usize, usize)> {
        let extent = self.last().0;
        let run = |start: usize| (start < range.end).then(|| (start, (extent - start % extent).min(range.end - start)));
        let all = successors(run(range.start), |&(start, count)| run(start + count));
        all.map(|(start, count)| (self.offset(start), count)).collect()
    }
}

impl Walked {
    /// Of so many matrices with so many rows (columns) and inner elements; `None` where the window is smaller.
    pub fn of(side: &Side, window: &Window, counts: [usize; 3], size: usize, params: &[u32]) -> Option<Walked> {
        let walk = |nth: usize| Walk::of(&side.axes[nth], counts[nth], params);
        let (first, window) = (side.first.of(params) as usize, window.clone());
        let walked = Walked { window, first, batch: walk(0), outer: walk(1), inner: walk(2) };
        let reach = [&walked.batch, &walked.outer, &walked.inner].map(Walk::reach).iter().sum::<u128>();
        let bytes = (first as u128 + reach + 1) * size as u128;
        (bytes <= walked.window.bytes as u128).then_some(walked)
    }

    /// Whether gemm takes it as it is.
    pub fn is_regular(&self) -> bool {
        self.outer.step().is_some() && self.inner.step().is_some()
    }

    /// From the first row's (column's) element to the last one's, both included, where they lie in lines that follow one another.
    pub fn outer_extent(&self) -> Option<usize> {
        self.outer.extent()
    }

    /// Lines of rows (columns).
    pub fn outer_runs(&self) -> Vec<Run> {
        let count = self.outer.0.iter().map(|&(extent, _)| extent).product();
        let mut first = 0;
        let run = |(offset, count)| {
            first += count;
            Run { first: first - count, offset, count }
        };
        self.outer.runs(0..count).into_iter().map(run).collect()
    }

    pub fn batch_offset(&self, nth: usize) -> usize {
        self.batch.offset(nth)
    }

    pub fn outer_offset(&self, nth: usize) -> usize {
        self.outer.offset(nth)
    }

    pub fn inner_offsets(&self) -> Vec<usize> {
        let count = self.inner.0.iter().map(|&(extent, _)| extent).product();
        (0..count).map(|nth| self.inner.offset(nth)).collect()
    }

    /// The first element of a matrix.
    fn matrix<T>(&self, nth: usize) -> *const T {
        self.element(self.batch.offset(nth))
    }

    /// So many elements behind the first.
    pub fn element<T>(&self, offset: usize) -> *const T {
        let bytes = self.window.offset as usize + (self.first + offset) * size_of::<T>();
        block(&self.window.memory).words.as_ptr().cast::<u8>().wrapping_add(bytes).cast()
    }

    /// A block of a matrix: in place where elements are so regular and numbers already, and else a copy.
    ///
    /// # Safety
    ///
    /// `E` is the type of elements. Nobody writes to them while the block is used.
    pub unsafe fn block<T: Copy, E: Stored<T>>(
        &self,
        nth: usize,
        outer: Range<usize>,
        inner: Range<usize>,
        room: &mut Vec<T>,
    ) -> Block<T> {
        let matrix = self.matrix::<E>(nth);
        if let (true, Some(by_outer), Some(by_inner)) = (E::SAME, self.outer.step(), self.inner.step()) {
            let first = matrix.wrapping_add(outer.start * by_outer + inner.start * by_inner);
            return Block { first: first.cast(), outer: by_outer, inner: by_inner };
        }
        let (outers, inners) = (outer.len(), inner.len());
        // Along those that lie the closest.
        let close = |walk: &Walk| if walk.last().1 == 0 { usize::MAX } else { walk.last().1 };
        let inner_lines = close(&self.inner) < close(&self.outer);
        // SAFETY: as the caller says; the ranges are within the counts, whose elements lie in the window.
        unsafe {
            match inner_lines {
                true => copy(matrix, (&self.outer, outer), (&self.inner, inner), room),
                false => copy(matrix, (&self.inner, inner), (&self.outer, outer), room),
            }
        }
        let first = room.as_ptr();
        match inner_lines {
            true => Block { first, outer: inners, inner: 1 },
            false => Block { first, outer: 1, inner: outers },
        }
    }
}

/// Copies lines along one walk, one after the other along another.
///
/// # Safety
///
/// The elements can be read.
unsafe fn copy<T, E: Stored<T>>(
    from: *const E,
    (across, lines): (&Walk, Range<usize>),
    (along, elements): (&Walk, Range<usize>),
    room: &mut Vec<T>,
) {
    let (runs, step) = (along.runs(elements.clone()), along.last().1);
    room.clear();
    room.reserve(lines.len() * elements.len());
    let mut to = room.as_mut_ptr();
    for line in lines.clone() {
        // SAFETY: room for so many was reserved; the caller says that elements can be read.
        unsafe {
            let line = from.add(across.offset(line));
            for &(offset, count) in &runs {
                let run = line.add(offset);
                match step {
                    1 => E::widen(run, to, count),
                    _ => (0..count).for_each(|nth| E::widen(run.add(nth * step), to.add(nth), 1)),
                }
                to = to.add(count);
            }
        }
    }
    // SAFETY: all of them were written.
    unsafe { room.set_len(lines.len() * elements.len()) };
}
