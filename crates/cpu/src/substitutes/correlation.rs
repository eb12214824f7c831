//! Sums of products of windows with weights: many results of a row at a time, whose sums stay in registers.
//!
//! Rows of values are read in place. Where a window reaches past an end, a copy of them with what stands there is.

use super::super::block;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Boundary, Correlation};
use crosslane_core::threads;
use crosslane_core::work::{Launch, Window};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use rayon::prelude::*;
use std::ops::Range;

/// Results of a row at a time, and rows of them that are neighbours: what a thread does at once.
const ALONG: usize = 4096;
const ROWS: usize = 16;
/// Rows of results up to this long are not cut where windows begin to reach past the ends: they are copied whole.
const SHORT: usize = 512;
/// Products that are not worth a second thread.
const SMALL: usize = 1 << 18;

/// A launch as sums of windows. Of three numbers the first is that along x, the last along z.
pub(crate) struct Correlated<'a> {
    sums: &'a Correlation,
    filters: usize,
    count: usize,
    results: [usize; 3],
    sizes: [usize; 3],
    firsts: [i64; 3],
    outside: f64,
    values: Array,
    weights: Array,
    output: Array,
}

/// An array in a window, from this element on.
struct Array {
    window: Window,
    first: usize,
}

impl Array {
    /// `None` where so many elements are not there.
    fn of(window: &Window, first: u32, count: u128, dtype: DType) -> Option<Array> {
        let first = first as usize;
        let fits = (first as u128 + count) * dtype.size() as u128 <= window.bytes as u128;
        fits.then(|| Array { window: window.clone(), first })
    }

    fn pointer<T>(&self) -> *mut T {
        let bytes = self.window.offset as usize + self.first * size_of::<T>();
        block(&self.window.memory).words.as_ptr().cast::<u8>().cast_mut().wrapping_add(bytes).cast()
    }
}

/// A line of values that windows meet, and the weights that it is multiplied by.
#[derive(Clone, Copy)]
struct Line<T> {
    values: *const T,
    weights: *const T,
}

/// A row's results: how many, and how their windows lie along it.
#[derive(Clone, Copy)]
struct Row<T> {
    to: *mut T,
    count: usize,
    taps: usize,
    step: usize,
    dilation: usize,
}

/// `f32` and `f64`.
trait Part: Copy + Send + Sync {
    const ZERO: Self;
    fn of(number: f64) -> Self;
    fn multiply_add(self, weight: Self, sum: Self, fused: bool) -> Self;
    /// # Safety
    ///
    /// As [`row`].
    unsafe fn row(row: Row<Self>, lines: &[Line<Self>]);
}

macro_rules! part {
    ($type:ident, $row:ident, $most:literal, $some:literal) => {
        impl Part for $type {
            const ZERO: $type = 0.0;
            fn of(number: f64) -> $type {
                number as $type
            }
            #[inline(always)]
            fn multiply_add(self, weight: $type, sum: $type, fused: bool) -> $type {
                if fused { self.mul_add(weight, sum) } else { self * weight + sum }
            }
            unsafe fn row(row: Row<$type>, lines: &[Line<$type>]) {
                // SAFETY: as the caller says.
                unsafe { $row(row, lines) }
            }
        }

        /// The same loops for processors with and without these instructions.
        #[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq+avx2+fma", "x86_64+avx2+fma"))]
        unsafe fn $row(whole: Row<$type>, lines: &[Line<$type>]) {
            // Without the instruction it would be a function of the C library.
            let fused = target_cfg_f!(any(target_feature = "fma", target_arch = "aarch64"));
            // SAFETY: as the caller says.
            unsafe { row::<$type, $most, $some>(whole, lines, fused) }
        }
    };
}

part!(f32, row_of_f32, 64, 16);
part!(f64, row_of_f64, 32, 8);

/// # Safety
///
/// All values that the windows meet can be read, all weights too, and all results can be written.
#[inline(always)]
unsafe fn row<T: Part, const MOST: usize, const SOME: usize>(row: Row<T>, lines: &[Line<T>], fused: bool) {
    // SAFETY: as the caller says.
    unsafe {
        match (row.step, row.count) {
            (1, count) if count >= SOME => {
                let done = blocks::<T, MOST, true>(row, 0, lines, fused);
                rest::<T, SOME, true>(row, done, lines, fused);
            }
            (_, count) if count >= 8 => rest::<T, 8, false>(row, 0, lines, fused),
            _ => rest::<T, 1, false>(row, 0, lines, fused),
        }
    }
}

/// Blocks of results from `at` on, as many as there are whole ones; where the next would begin.
///
/// # Safety
///
/// As [`row`].
#[inline(always)]
unsafe fn blocks<T: Part, const N: usize, const NEIGHBOURS: bool>(
    row: Row<T>,
    mut at: usize,
    lines: &[Line<T>],
    fused: bool,
) -> usize {
    while at + N <= row.count {
        // SAFETY: as the caller says; the block ends with the row.
        unsafe { results::<T, N, NEIGHBOURS>(row, at, lines, fused) };
        at += N;
    }
    at
}

/// All results from `at` on of a row that has `N` or more: the last block may begin before others end.
///
/// # Safety
///
/// As [`row`].
#[inline(always)]
unsafe fn rest<T: Part, const N: usize, const NEIGHBOURS: bool>(
    row: Row<T>,
    at: usize,
    lines: &[Line<T>],
    fused: bool,
) {
    // SAFETY: as the caller says.
    unsafe {
        if blocks::<T, N, NEIGHBOURS>(row, at, lines, fused) < row.count {
            results::<T, N, NEIGHBOURS>(row, row.count - N, lines, fused);
        }
    }
}

/// `N` results, whose windows are neighbours or a step apart.
///
/// # Safety
///
/// As [`row`].
#[inline(always)]
unsafe fn results<T: Part, const N: usize, const NEIGHBOURS: bool>(
    row: Row<T>,
    at: usize,
    lines: &[Line<T>],
    fused: bool,
) {
    let (mut sums, step) = ([T::ZERO; N], if NEIGHBOURS { 1 } else { row.step });
    // SAFETY: as the caller says.
    unsafe {
        for line in lines {
            for tap in 0..row.taps {
                let (from, weight) = (line.values.add(at * step + tap * row.dilation), *line.weights.add(tap));
                for (nth, sum) in sums.iter_mut().enumerate() {
                    *sum = (*from.add(nth * step)).multiply_add(weight, *sum, fused);
                }
            }
        }
        row.to.add(at).cast::<[T; N]>().write_unaligned(sums);
    }
}

impl<'a> Correlated<'a> {
    pub fn of(sums: &'a Correlation, launch: &Launch) -> Option<Correlated<'a>> {
        let params = &launch.params[..];
        let &[
            filters,
            count,
            _,
            _,
            out_x,
            out_y,
            out_z,
            size_x,
            size_y,
            size_z,
            first_x,
            first_y,
            first_z,
            ref rest @ ..,
        ] = params
        else {
            return None;
        };
        let outside = match (sums.boundary, sums.dtype, rest) {
            (Boundary::Constant(_), DType::F32, &[bits, ..]) => f32::from_bits(bits) as f64,
            (Boundary::Constant(_), _, &[low, high, ..]) => f64::from_bits(low as u64 | (high as u64) << 32),
            _ => 0.0,
        };
        let [values, weights, output] = &launch.buffers[..] else { return None };
        let (results, sizes) = ([out_x, out_y, out_z], [size_x, size_y, size_z]);
        let product = |numbers: &[u32]| numbers.iter().map(|&number| number as u128).product::<u128>();
        let taps: usize = sums.taps.iter().product();
        let correlated = Correlated {
            sums,
            filters: filters as usize,
            count: count as usize,
            results: results.map(|number| number as usize),
            sizes: sizes.map(|number| number as usize),
            firsts: [first_x, first_y, first_z].map(|first| first as i32 as i64),
            outside,
            values: Array::of(values, sums.values.of(params), count as u128 * product(&sizes), sums.dtype)?,
            weights: Array::of(weights, sums.weights.of(params), filters as u128 * taps as u128, sums.dtype)?,
            output: Array::of(output, 0, count as u128 * product(&results), sums.dtype)?,
        };
        (!correlated.results.contains(&0) && !correlated.sizes.contains(&0)).then_some(correlated)
    }

    /// # Safety
    ///
    /// Nobody may use the output, and nobody may write to values and weights, until it returns.
    pub unsafe fn run(&self) {
        // SAFETY: as the caller says.
        threads::within(|| unsafe {
            match self.sums.dtype {
                DType::F64 => self.run_by::<f64>(),
                _ => self.run_by::<f32>(),
            }
        });
    }

    /// # Safety
    ///
    /// As [`Correlated::run`]; `T` must be the type of elements.
    unsafe fn run_by<T: Part>(&self) {
        let [along, down, deep] = self.results;
        let pieces = [along.div_ceil(ALONG), down.div_ceil(ROWS)];
        let piece = |room: &mut Room<T>, nth: usize| {
            let (plane, y, x) = (nth / (pieces[0] * pieces[1]), nth / pieces[0] % pieces[1], nth % pieces[0]);
            let range = |nth: usize, size: usize, end: usize| nth * size..end.min((nth + 1) * size);
            let ranges = [range(x, ALONG, along), range(y, ROWS, down)];
            // SAFETY: as the caller says; no two pieces have results in common.
            unsafe { self.piece(plane / deep, plane % deep, ranges, room) };
        };
        let all = 0..self.count * deep * pieces[0] * pieces[1];
        let products = self.count * along * down * deep * self.sums.taps.iter().product::<usize>();
        match products >= SMALL && threads::is_own() {
            true => all.into_par_iter().for_each_init(Room::default, piece),
            false => {
                let mut room = Room::default();
                all.for_each(|nth| piece(&mut room, nth));
            }
        }
    }

    /// The results of some rows of a plane: those whose windows reach past no end, and those before and behind them.
    ///
    /// # Safety
    ///
    /// As [`Correlated::run_by`], of these results.
    unsafe fn piece<T: Part>(&self, k: usize, z: usize, [xs, ys]: [Range<usize>; 2], room: &mut Room<T>) {
        if xs.len() <= SHORT {
            // SAFETY: as the caller says.
            unsafe { self.part(k, z, [xs, ys], room) };
            return;
        }
        let inside = self.inside();
        let (from, to) = (inside.start.clamp(xs.start, xs.end), inside.end.clamp(xs.start, xs.end));
        let parts = if from < to { vec![xs.start..from, from..to, to..xs.end] } else { vec![xs] };
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            // SAFETY: as the caller says.
            unsafe { self.part(k, z, [part, ys.clone()], room) };
        }
    }

    /// The results along x whose windows reach past no end.
    fn inside(&self) -> Range<usize> {
        let (step, first) = (self.sums.steps[0] as i64, self.firsts[0]);
        let reach = ((self.sums.taps[0] - 1) * self.sums.dilations[0]) as i64 + first;
        let from = (-first).max(0).unsigned_abs().div_ceil(step as u64);
        let to = ((self.sizes[0] as i64 - 1 - reach).div_euclid(step) + 1).max(from as i64) as usize;
        from as usize..to
    }

    /// Results of which all or none have windows that reach past an end along x.
    ///
    /// # Safety
    ///
    /// As [`Correlated::piece`].
    unsafe fn part<T: Part>(&self, k: usize, z: usize, [xs, ys]: [Range<usize>; 2], room: &mut Room<T>) {
        let ([taps_x, taps_y, taps_z], [step_x, step_y, _]) = (self.sums.taps, self.sums.steps);
        let (dilation_x, dilation_y) = (self.sums.dilations[0], self.sums.dilations[1]);
        let reach = |results: usize, taps: usize, step: usize, gap: usize| (results - 1) * step + (taps - 1) * gap + 1;
        let (width, height) =
            (reach(xs.len(), taps_x, step_x, dilation_x), reach(ys.len(), taps_y, step_y, dilation_y));
        let first_x = (xs.start * step_x) as i64 + self.firsts[0];
        let first_y = (ys.start * step_y) as i64 + self.firsts[1];
        // SAFETY: as the caller says; `of` has seen that all of the arrays is there.
        unsafe {
            self.find_rows(k, z, [first_x, first_y], [width, height], room);
            let weights = self.weights.pointer::<T>().add(k % self.filters * taps_z * taps_y * taps_x);
            for y in ys.clone() {
                room.lines.clear();
                for dz in 0..taps_z {
                    for dy in 0..taps_y {
                        let values = room.rows[dz * height + (y - ys.start) * step_y + dy * dilation_y];
                        let weights = weights.add((dz * taps_y + dy) * taps_x);
                        room.lines.push(Line { values, weights });
                    }
                }
                let [along, down, deep] = self.results;
                let at = ((k * deep + z) * down + y) * along + xs.start;
                let to = self.output.pointer::<T>().add(at);
                T::row(Row { to, count: xs.len(), taps: taps_x, step: step_x, dilation: dilation_x }, &room.lines);
            }
        }
    }

    /// The rows that windows meet, of all their planes: where they lie, or copies with what stands past the ends.
    ///
    /// # Safety
    ///
    /// As [`Correlated::run_by`].
    unsafe fn find_rows<T: Part>(
        &self,
        k: usize,
        z: usize,
        [first_x, first_y]: [i64; 2],
        [width, height]: [usize; 2],
        room: &mut Room<T>,
    ) {
        let [size_x, size_y, size_z] = self.sizes;
        let place = |index: i64, size: usize| self.sums.boundary.place(index, size as i64).map(|at| at as usize);
        // What of a row stands within the array, and where the rest of it does.
        let whole =
            (-first_x).clamp(0, width as i64) as usize..(size_x as i64 - first_x).clamp(0, width as i64) as usize;
        let inside = whole.len() == width;
        let (rows, outside) = (height * self.sums.taps[2], T::of(self.outside));
        room.rows.clear();
        room.places.clear();
        room.copies.clear();
        room.copies.resize(width * if inside { 1 } else { rows + 1 }, outside);
        if !inside {
            let rest = (0..width).filter(|x| !whole.contains(x));
            room.places.extend(rest.map(|x| (x, place(first_x + x as i64, size_x))));
        }
        let (nothing, copies) = room.copies.split_at_mut(width);
        let mut copies = copies.chunks_exact_mut(width);
        for nth in 0..rows {
            let (dz, y) = (nth / height, nth % height);
            let at_z = (z * self.sums.steps[2] + dz * self.sums.dilations[2]) as i64 + self.firsts[2];
            let row = match (place(at_z, size_z), place(first_y + y as i64, size_y)) {
                (Some(z), Some(y)) => {
                    let at = ((k * size_z + z) * size_y + y) * size_x;
                    // SAFETY: `of` has seen that all values are there.
                    unsafe { self.values.pointer::<T>().cast_const().add(at) }
                }
                _ => {
                    room.rows.push(nothing.as_ptr());
                    continue;
                }
            };
            if inside {
                // SAFETY: all of it is within the row.
                room.rows.push(unsafe { row.add(first_x as usize) });
                continue;
            }
            let copy = copies.next().expect("as many as rows");
            // SAFETY: places are within the row.
            unsafe {
                let from = row.wrapping_offset(first_x as isize).wrapping_add(whole.start);
                copy[whole.clone()].as_mut_ptr().copy_from_nonoverlapping(from, whole.len());
                room.places.iter().for_each(|&(to, at)| copy[to] = at.map_or(outside, |at| *row.add(at)));
            }
            room.rows.push(copy.as_ptr());
        }
    }
}

/// What a thread needs for a piece.
struct Room<T> {
    /// Rows with what stands past their ends, and one of what stands outside.
    copies: Vec<T>,
    /// The rows that windows meet, plane after plane.
    rows: Vec<*const T>,
    /// The lines of a row of results.
    lines: Vec<Line<T>>,
    /// Where those values of a copied row are that stand past its ends.
    places: Vec<(usize, Option<usize>)>,
}

impl<T> Default for Room<T> {
    fn default() -> Room<T> {
        Room { copies: vec![], rows: vec![], lines: vec![], places: vec![] }
    }
}
