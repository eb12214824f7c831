//! Products whose columns are windows of an array: values are loaded where they lie, and a tile's sums stay in registers.
//!
//! Marat Dukhan, The Indirect Convolution Algorithm (2019): a table says where a window has its values, so that windows are not
//! copied. Columns are counted in memory, gaps between rows of windows included, so that vectors reach from row to row.

use super::walk::{Run, Walked};
use crosslane_core::threads;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Vectors of columns of a tile.
const VECTORS: usize = 3;
/// Numbers of a tile at most: of 8 rows, with the widest vectors.
const MOST: usize = 8 * VECTORS * 16;
/// Rows that a tile has at least: fewer are not worth a tile of them.
const LEAST_ROWS: usize = 4;

/// A product of matrices: rows by the weights' elements, columns by windows.
pub(super) struct Windowed<'a> {
    /// Rows of the left side, and the windows.
    pub sides: &'a [Walked; 2],
    pub batch: usize,
    pub rows: usize,
    pub columns: usize,
    pub inner: usize,
}

/// What a tile's registers hold: `f32` and `f64`.
pub(super) trait Element: Copy + Send + Sync + Default {
    fn lanes<S: Simd>() -> usize;

    /// The sums of a tile: `ROWS` rows, of three vectors each.
    ///
    /// # Safety
    ///
    /// All values and weights of the tile can be read, and all its sums written.
    unsafe fn sums<S: Simd, const ROWS: usize>(simd: S, tile: Tile<Self>, inner: &[usize], sums: &mut [Self; MOST]);
}

/// Where a tile's first value is, and its first weight: those of a row of weights follow one another.
#[derive(Clone, Copy)]
pub(super) struct Tile<T> {
    values: *const T,
    weights: *const T,
}

macro_rules! element {
    ($type:ident, $vector:ident, $lanes:ident, $splat:ident, $multiply_add:ident) => {
        impl Element for $type {
            fn lanes<S: Simd>() -> usize {
                S::$lanes
            }

            #[inline(always)]
            unsafe fn sums<S: Simd, const ROWS: usize>(
                simd: S,
                tile: Tile<$type>,
                inner: &[usize],
                sums: &mut [$type; MOST],
            ) {
                let mut totals = [[simd.$splat(0.0); VECTORS]; ROWS];
                let mut weights = tile.weights;
                // SAFETY: as the caller says; the sums of the widest vectors are `MOST`.
                unsafe {
                    for &offset in inner {
                        let values = tile.values.add(offset).cast::<[S::$vector; VECTORS]>().read_unaligned();
                        for (row, totals) in totals.iter_mut().enumerate() {
                            let weight = simd.$splat(*weights.add(row));
                            for (total, value) in totals.iter_mut().zip(values) {
                                *total = simd.$multiply_add(value, weight, *total);
                            }
                        }
                        weights = weights.add(ROWS);
                    }
                    sums.as_mut_ptr().cast::<[[S::$vector; VECTORS]; ROWS]>().write_unaligned(totals);
                }
            }
        }
    };
}

element!(f32, f32s, F32_LANES, splat_f32s, mul_add_f32s);
element!(f64, f64s, F64_LANES, splat_f64s, mul_add_f64s);

/// Rows and columns of this processor's tiles; `None` without vectors.
fn shape<T: Element>() -> Option<[usize; 2]> {
    struct Shape<T>(std::marker::PhantomData<T>);
    impl<T: Element> WithSimd for Shape<T> {
        type Output = Option<[usize; 2]>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> Option<[usize; 2]> {
            (T::lanes::<S>() > 1).then(|| [rows_of::<S>(), VECTORS * T::lanes::<S>()])
        }
    }
    Arch::new().dispatch(Shape::<T>(std::marker::PhantomData))
}

/// As many rows as registers hold, beside values and a weight.
const fn rows_of<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 8 } else { 4 }
}

impl Windowed<'_> {
    /// Whether it is computed here, and not from copies.
    pub fn is_worthwhile<T: Element>(&self) -> bool {
        let extent = self.sides[1].outer_extent();
        let wide = shape::<T>().is_some_and(|[_, wide]| extent.is_some_and(|extent| extent >= wide));
        // Of windows with more gaps than that a copy is faster.
        wide && self.rows >= LEAST_ROWS && extent.is_some_and(|extent| extent <= self.columns * 3 / 2)
    }

    /// # Safety
    ///
    /// The sides' elements are `T`. Nobody may use the output, which has room for all results, and nobody may write to the sides,
    /// until it returns.
    pub unsafe fn run<T: Element>(&self, output: *mut T, shared: bool) {
        let [high, wide] = shape::<T>().expect("vectors, as `is_worthwhile` has seen");
        let right = &self.sides[1];
        let extent = right.outer_extent().expect("windows, as `is_worthwhile` has seen");
        let blocks = self.rows.div_ceil(high);
        let (weights, matrices) = self.packed::<T>(high, shared);
        let tiles = extent.div_ceil(wide);
        // Few tiles: the rows of each are for several threads.
        let parts = (4 * threads::count()).div_ceil(self.batch * tiles).min(blocks);
        let work =
            Work { of: self, inner: right.inner_offsets(), runs: right.outer_runs(), output: Output(output), extent };
        let part = |nth: usize| {
            let (matrix, tile, part) = (nth / (tiles * parts), nth / parts % tiles, nth % parts);
            let rows = blocks * part / parts..blocks * (part + 1) / parts;
            let first = weights.as_ptr().wrapping_add(matrices[matrix] * blocks * high * self.inner);
            let columns = Columns { work: &work, matrix, blocks: rows, fresh: tile * wide, weights: first };
            Arch::new().dispatch(columns);
        };
        let all = 0..self.batch * tiles * parts;
        if shared { all.into_par_iter().for_each(part) } else { all.for_each(part) }
    }

    /// The left sides' matrices in blocks of so many rows, inner element after inner element, with zeros for rows that are none; and
    /// which of them each product has.
    fn packed<T: Element>(&self, high: usize, shared: bool) -> (Vec<T>, Vec<usize>) {
        let left = &self.sides[0];
        let mut firsts: Vec<usize> = (0..self.batch).map(|nth| left.batch_offset(nth)).collect();
        let matrices = firsts.clone();
        firsts.sort_unstable();
        firsts.dedup();
        let matrices = matrices.iter().map(|first| firsts.partition_point(|other| other < first)).collect();
        let (blocks, inner) = (self.rows.div_ceil(high), left.inner_offsets());
        let rows: Vec<usize> = (0..self.rows).map(|row| left.outer_offset(row)).collect();
        let mut packed = vec![T::default(); firsts.len() * blocks * self.inner * high];
        let block = |(nth, to): (usize, &mut [T])| {
            let first = left.element::<T>(firsts[nth / blocks]);
            let rows = &rows[nth % blocks * high..];
            for (to, inner) in to.chunks_exact_mut(high).zip(&inner) {
                for (to, row) in to.iter_mut().zip(rows) {
                    // SAFETY: `Walked::of` has seen that all elements lie in the window; the caller of `run` says that nobody
                    // writes to them. The window is of words: its elements are aligned to 4 bytes.
                    *to = unsafe { first.wrapping_add(row + inner).read_unaligned() };
                }
            }
        };
        let chunks = self.inner * high;
        match shared {
            true => packed.par_chunks_exact_mut(chunks).enumerate().for_each(block),
            false => packed.chunks_exact_mut(chunks).enumerate().for_each(block),
        }
        (packed, matrices)
    }
}

/// What threads share.
struct Work<'a, T> {
    of: &'a Windowed<'a>,
    /// Where a window has its values.
    inner: Vec<usize>,
    /// Columns that are neighbours in memory.
    runs: Vec<Run>,
    output: Output<T>,
    /// Elements from the first column's to the last one's, both included.
    extent: usize,
}

/// The results' first.
struct Output<T>(*mut T);

// SAFETY: each thread writes results of its own.
unsafe impl<T: Send> Sync for Output<T> {}

/// Columns of a matrix that a tile is wide, and blocks of its rows.
struct Columns<'a, T> {
    work: &'a Work<'a, T>,
    matrix: usize,
    blocks: Range<usize>,
    /// The first column, counted in memory, that no tile before has.
    fresh: usize,
    /// The first of the matrix.
    weights: *const T,
}

impl<T: Element> WithSimd for Columns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match rows_of::<S>() {
            8 => self.all::<S, 8>(simd),
            _ => self.all::<S, 4>(simd),
        }
    }
}

impl<T: Element> Columns<'_, T> {
    #[inline(always)]
    fn all<S: Simd, const ROWS: usize>(self, simd: S) {
        let Work { of, inner, runs, output, extent } = self.work;
        let wide = VECTORS * T::lanes::<S>();
        // The last tile ends with the last column: values past it may not be there.
        let start = self.fresh.min(extent - wide);
        let right = &of.sides[1];
        let values = right.element::<T>(right.batch_offset(self.matrix)).wrapping_add(start);
        let within = runs.partition_point(|run| run.offset + run.count <= self.fresh);
        let mut sums = [T::default(); MOST];
        for block in self.blocks {
            let weights = self.weights.wrapping_add(block * of.inner * ROWS);
            // SAFETY: columns from the start on end with the last; their values lie in the window, as `Walked::of` has seen, and
            // the caller of `run` says that nobody writes to them. Weights are packed in blocks of as many rows.
            unsafe { T::sums::<S, ROWS>(simd, Tile { values, weights }, inner, &mut sums) };
            for row in 0..ROWS.min(of.rows - block * ROWS) {
                let to = output.0.wrapping_add((self.matrix * of.rows + block * ROWS + row) * of.columns);
                for run in runs[within..].iter().take_while(|run| run.offset < start + wide) {
                    let (from, end) = (run.offset.max(self.fresh), (run.offset + run.count).min(start + wide));
                    let sums = &sums[row * wide + from - start..];
                    // SAFETY: results of the matrix, which only this tile has; as many sums.
                    unsafe {
                        to.wrapping_add(run.first + from - run.offset)
                            .copy_from_nonoverlapping(sums[..end - from].as_ptr(), end - from);
                    }
                }
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use pulp::x86::{V3, V4};

    /// The sums of a tile of a kind of vectors are those of its definition: small integers, exact in every order.
    struct Tried<T>(std::marker::PhantomData<T>);

    impl<T: Element + From<i8> + PartialEq + std::fmt::Debug> WithSimd for Tried<T> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            match rows_of::<S>() {
                8 => Self::try_rows::<S, 8>(simd),
                _ => Self::try_rows::<S, 4>(simd),
            }
        }
    }

    impl<T: Element + From<i8> + PartialEq + std::fmt::Debug> Tried<T> {
        fn try_rows<S: Simd, const ROWS: usize>(simd: S) {
            let (wide, inner) = (VECTORS * T::lanes::<S>(), [0usize, 1, 7, 20, 3]);
            let small = |nth: usize, by: usize| (nth * by % 11) as i8 - 5;
            let values: Vec<T> = (0..wide + 20).map(|nth| T::from(small(nth, 7))).collect();
            let weights: Vec<T> = (0..ROWS * inner.len()).map(|nth| T::from(small(nth, 3))).collect();
            let mut sums = [T::from(99); MOST];
            let tile = Tile { values: values.as_ptr(), weights: weights.as_ptr() };
            // SAFETY: there are as many values and weights as the tile meets.
            unsafe { T::sums::<S, ROWS>(simd, tile, &inner, &mut sums) };
            for (row, column) in (0..ROWS).flat_map(|row| (0..wide).map(move |column| (row, column))) {
                let products = inner
                    .iter()
                    .enumerate()
                    .map(|(nth, offset)| small(nth * ROWS + row, 3) as i32 * small(column + offset, 7) as i32);
                let wanted = T::from(i8::try_from(products.sum::<i32>()).expect("it is small"));
                assert_eq!(sums[row * wide + column], wanted, "row {row}, column {column} of {ROWS} x {wide}");
            }
        }
    }

    #[test]
    fn tiles_of_every_width() {
        use std::marker::PhantomData;
        match V3::try_new() {
            Some(simd) => {
                pulp::Simd::vectorize(simd, Tried::<f32>(PhantomData));
                pulp::Simd::vectorize(simd, Tried::<f64>(PhantomData));
            }
            None => println!("not run: this processor has no AVX2"),
        }
        match V4::try_new() {
            Some(simd) => {
                pulp::Simd::vectorize(simd, Tried::<f32>(PhantomData));
                pulp::Simd::vectorize(simd, Tried::<f64>(PhantomData));
            }
            None => println!("not run: this processor has no AVX-512"),
        }
    }
}
