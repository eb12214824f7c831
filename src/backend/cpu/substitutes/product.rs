//! Products of matrices by the crates of gemm. Sides whose elements gemm does not find, windows say, are copied a block at a time.

use super::super::block;
use super::walk::Walked;
use crate::element::DType;
use crate::kernel::Contraction;
use crate::threads;
use crate::work::{Launch, Window};
use gemm_common::Parallelism;
use rayon::prelude::*;
use std::ops::Range;

/// Products of fewer multiplications are the kernel's. gemm packs tiles first: it takes as long as the kernel for 16 x 16 x 16.
const LEAST: usize = 1 << 13;
/// Products of fewer multiplications are computed by one thread.
const SMALL: usize = 1 << 20;
/// Rows and columns of a block at most and at least, and its inner elements: copies of both sides stay in a cache of 2 MiB.
const MOST_ACROSS: usize = 256;
const LEAST_ACROSS: usize = 32;
const MOST_INNER: usize = 768;

/// A launch as products of matrices.
pub(in crate::backend::cpu) struct Product {
    dtype: DType,
    batch: usize,
    rows: usize,
    columns: usize,
    inner: usize,
    output: Window,
    sides: [Walked; 2],
}

impl Product {
    /// None where gemm does not compute all that the kernel does.
    pub fn of(product: &Contraction, launch: &Launch) -> Option<Product> {
        let dtype = known(product)?;
        let [batch, rows, columns, inner] = product.extents(&launch.params)?.map(|extent| extent as usize);
        let [output, a, b] = &launch.buffers[..] else { return None };
        if [batch, rows, columns, inner].contains(&0) {
            return None;
        }
        let side = |nth: usize, window, outer| {
            Walked::of(&product.sides[nth], window, [batch, outer, inner], dtype.size(), &launch.params)
        };
        let sides = [side(0, a, rows)?, side(1, b, columns)?];
        let bytes = batch as u128 * rows as u128 * columns as u128 * dtype.size() as u128;
        let output = (bytes <= output.bytes as u128).then(|| output.clone())?;
        Some(Product { dtype, batch, rows, columns, inner, output, sides })
    }

    /// Whether gemm takes less time than the kernel.
    pub fn is_worthwhile(&self) -> bool {
        self.batch.saturating_mul(self.multiplications()) >= LEAST
    }

    /// Of one product.
    fn multiplications(&self) -> usize {
        self.rows.saturating_mul(self.columns).saturating_mul(self.inner)
    }

    /// # Safety
    ///
    /// Nobody may use the output, and nobody may write to the sides, until it returns.
    pub unsafe fn run(&self) {
        // SAFETY: as the caller says.
        let run = || unsafe {
            match self.dtype {
                DType::F64 => self.run_by(gemm_f64::gemm::f64::get_gemm_fn(), 0.0, 1.0),
                _ => self.run_by(gemm_f32::gemm::f32::get_gemm_fn(), 0.0, 1.0),
            }
        };
        threads::within(run);
    }

    /// # Safety
    ///
    /// As [`Product::run`]; `T` must be the type of elements.
    unsafe fn run_by<T: Copy + Send + Sync>(&self, gemm: Gemm<T>, zero: T, one: T) {
        let is_shared = self.multiplications() >= SMALL && threads::is_own();
        if self.sides.iter().all(Walked::is_regular) {
            let parallel = if is_shared { Parallelism::Rayon(threads::count()) } else { Parallelism::None };
            let whole = [0..self.rows, 0..self.columns];
            for nth in 0..self.batch {
                // SAFETY: as the caller says.
                unsafe { self.block(gemm, nth, &whole, self.inner, &mut [vec![], vec![]], [zero, one], parallel) };
            }
            return;
        }
        let [high, wide] = self.tile();
        let tiles = [self.rows.div_ceil(high), self.columns.div_ceil(wide)];
        let tile = |room: &mut [Vec<T>; 2], nth: usize| {
            let (matrix, row, column) = (nth / (tiles[0] * tiles[1]), nth / tiles[1] % tiles[0], nth % tiles[1]);
            let range = |nth: usize, size: usize, end: usize| nth * size..end.min((nth + 1) * size);
            let ranges = [range(row, high, self.rows), range(column, wide, self.columns)];
            let depth = self.inner.div_ceil(self.inner.div_ceil(MOST_INNER));
            // SAFETY: as the caller says; no two tiles have elements of the output in common.
            unsafe { self.block(gemm, matrix, &ranges, depth, room, [zero, one], Parallelism::None) };
        };
        let (all, mut room) = (0..self.batch * tiles[0] * tiles[1], [vec![], vec![]]);
        match self.batch.saturating_mul(self.multiplications()) >= SMALL && threads::is_own() {
            true => all.into_par_iter().for_each_init(|| [vec![], vec![]], tile),
            false => all.for_each(|nth| tile(&mut room, nth)),
        }
    }

    /// Rows and columns of a tile: enough tiles for all threads, if that leaves them large enough.
    fn tile(&self) -> [usize; 2] {
        let mut tile = [self.rows.min(MOST_ACROSS), self.columns.min(MOST_ACROSS)];
        let tiles = |tile: [usize; 2]| self.batch * self.rows.div_ceil(tile[0]) * self.columns.div_ceil(tile[1]);
        while tiles(tile) < 4 * threads::count() {
            let longer = if tile[0] > tile[1] { 0 } else { 1 };
            if tile[longer] / 2 < LEAST_ACROSS {
                break;
            }
            tile[longer] = tile[longer].div_ceil(2);
        }
        tile
    }

    /// A block of a matrix of the output: the sum over all inner elements, so many at a time.
    ///
    /// # Safety
    ///
    /// As [`Product::run_by`], of this block.
    #[allow(clippy::too_many_arguments, reason = "what gemm takes, once")]
    unsafe fn block<T: Copy>(
        &self,
        gemm: Gemm<T>,
        matrix: usize,
        [rows, columns]: &[Range<usize>; 2],
        depth: usize,
        [left_room, right_room]: &mut [Vec<T>; 2],
        [zero, one]: [T; 2],
        parallel: Parallelism,
    ) {
        let first = (matrix * self.rows + rows.start) * self.columns + columns.start;
        let bytes = self.output.offset as usize + first * size_of::<T>();
        let to = block(&self.output.memory).words.as_ptr().cast::<u8>().cast_mut().wrapping_add(bytes).cast::<T>();
        let [left, right] = &self.sides;
        for start in (0..self.inner).step_by(depth) {
            let inner = start..self.inner.min(start + depth);
            // gemm computes columns of the result, which are ours where sides change places and are transposed.
            // SAFETY: all elements lie in their windows, as `of` has seen; the windows are words, so that elements are
            // aligned to 4 bytes, and gemm loads and stores vectors unaligned. The caller says that nobody else uses them.
            unsafe {
                let a = left.block(matrix, rows.clone(), inner.clone(), left_room);
                let b = right.block(matrix, columns.clone(), inner.clone(), right_room);
                gemm(
                    columns.len(),
                    rows.len(),
                    inner.len(),
                    to,
                    self.columns as isize,
                    1,
                    start > 0,
                    b.first,
                    b.inner as isize,
                    b.outer as isize,
                    a.first,
                    a.outer as isize,
                    a.inner as isize,
                    if start > 0 { one } else { zero },
                    one,
                    false,
                    false,
                    false,
                    parallel,
                );
            }
        }
    }
}

/// `to = alpha * to + beta * left * right`, for an alpha of 0 without reading `to`: rows, columns, and the inner extent; each
/// matrix by its first element and the elements from column to column and from row to row.
type Gemm<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// The type of elements, if gemm multiplies them and nothing is to be done with the sums.
fn known(product: &Contraction) -> Option<DType> {
    let [a, b, output] = product.dtypes;
    let is_known = matches!(a, DType::F32 | DType::F64) && a == b && a == output;
    (product.plain && !product.tensor && is_known).then_some(a)
}
