//! Products of matrices by the crates of gemm. Sides whose elements gemm does not find are copied a block at a time, but for windows
//! that can be read in place.

use super::super::block;
use super::walk::{Stored, Walked};
use super::windows::{Element, Windowed};
use crosslane_core::element::DType;
use crosslane_core::kernel::Contraction;
use crosslane_core::threads;
use crosslane_core::work::{Launch, Window};
use gemm_common::Parallelism;
use half::f16;
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
pub struct Product {
    /// Of the sides, and of the output.
    types: [DType; 2],
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
        let types = known(product)?;
        let [batch, rows, columns, inner] = product.extents(&launch.params)?.map(|extent| extent as usize);
        let [output, a, b] = &launch.buffers[..] else { return None };
        if [batch, rows, columns, inner].contains(&0) {
            return None;
        }
        let side = |nth: usize, window, outer| {
            Walked::of(&product.sides[nth], window, [batch, outer, inner], types[0].size(), &launch.params)
        };
        let sides = [side(0, a, rows)?, side(1, b, columns)?];
        let bytes = batch as u128 * rows as u128 * columns as u128 * types[1].size() as u128;
        let output = (bytes <= output.bytes as u128).then(|| output.clone())?;
        Some(Product { types, batch, rows, columns, inner, output, sides })
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
        let (singles, doubles) = (gemm_f32::gemm::f32::get_gemm_fn(), gemm_f64::gemm::f64::get_gemm_fn());
        // SAFETY: as the caller says.
        let run = || unsafe {
            match self.types {
                [DType::F64, _] => self.run_by::<f64, f64, f64>(doubles, [0.0, 1.0]),
                [DType::F16, DType::F16] => self.run_by::<f32, f16, f16>(singles, [0.0, 1.0]),
                [DType::F16, _] => self.run_by::<f32, f16, f32>(singles, [0.0, 1.0]),
                _ => self.run_by::<f32, f32, f32>(singles, [0.0, 1.0]),
            }
        };
        threads::within(run);
    }

    /// # Safety
    ///
    /// As [`Product::run`]; `E` must be the type of the sides' elements, `O` of the output's.
    unsafe fn run_by<T, E: Stored<T>, O: Stored<T>>(&self, gemm: Gemm<T>, numbers: [T; 2])
    where
        T: Element,
    {
        if E::SAME && O::SAME && self.sides.iter().all(Walked::is_regular) {
            let is_shared = self.multiplications() >= SMALL && threads::is_own();
            let parallel = if is_shared { Parallelism::Rayon(threads::count()) } else { Parallelism::None };
            let (by, whole) = (By { gemm, numbers, depth: self.inner, parallel }, [0..self.rows, 0..self.columns]);
            // SAFETY: as the caller says.
            (0..self.batch).for_each(|nth| unsafe { self.block::<T, E, O>(&by, nth, &whole, &mut Room::default()) });
            return;
        }
        let is_shared = self.batch.saturating_mul(self.multiplications()) >= SMALL && threads::is_own();
        let (batch, rows, columns, inner) = (self.batch, self.rows, self.columns, self.inner);
        let windowed = Windowed { sides: &self.sides, batch, rows, columns, inner };
        if E::SAME && O::SAME && windowed.is_worthwhile::<T>() {
            // SAFETY: as the caller says, and `of` has seen that the window has room for the output.
            unsafe { windowed.run(self.output::<T>(), is_shared) };
            return;
        }
        let [high, wide] = self.tile();
        let tiles = [self.rows.div_ceil(high), self.columns.div_ceil(wide)];
        let depth = self.inner.div_ceil(self.inner.div_ceil(MOST_INNER));
        let by = By { gemm, numbers, depth, parallel: Parallelism::None };
        let tile = |room: &mut Room<T>, nth: usize| {
            let (matrix, row, column) = (nth / (tiles[0] * tiles[1]), nth / tiles[1] % tiles[0], nth % tiles[1]);
            let range = |nth: usize, size: usize, end: usize| nth * size..end.min((nth + 1) * size);
            let ranges = [range(row, high, self.rows), range(column, wide, self.columns)];
            // SAFETY: as the caller says; no two tiles have elements of the output in common.
            unsafe { self.block::<T, E, O>(&by, matrix, &ranges, room) };
        };
        let (all, mut room) = (0..self.batch * tiles[0] * tiles[1], Room::default());
        match is_shared {
            true => all.into_par_iter().for_each_init(Room::default, tile),
            false => all.for_each(|nth| tile(&mut room, nth)),
        }
    }

    /// The first of the output.
    fn output<O>(&self) -> *mut O {
        let first = block(&self.output.memory).words.as_ptr().cast::<u8>().cast_mut();
        first.wrapping_add(self.output.offset as usize).cast()
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
    unsafe fn block<T: Copy, E: Stored<T>, O: Stored<T>>(
        &self,
        by: &By<T>,
        matrix: usize,
        [rows, columns]: &[Range<usize>; 2],
        room: &mut Room<T>,
    ) {
        let [zero, one] = by.numbers;
        let first = (matrix * self.rows + rows.start) * self.columns + columns.start;
        let output = self.output::<O>().wrapping_add(first);
        // What is to be converted is summed elsewhere.
        let (to, row) = match O::SAME {
            true => (output.cast::<T>(), self.columns),
            false => {
                room.sums.resize(rows.len() * columns.len(), zero);
                (room.sums.as_mut_ptr(), columns.len())
            }
        };
        let [left, right] = &self.sides;
        for start in (0..self.inner).step_by(by.depth) {
            let inner = start..self.inner.min(start + by.depth);
            let before = if start > 0 { one } else { zero };
            // gemm computes columns of the result, which are ours where sides change places and are transposed.
            // SAFETY: all elements lie in their windows, as `of` has seen; the windows are words, so that elements are
            // aligned to 4 bytes, and gemm loads and stores vectors unaligned. The caller says that nobody else uses them.
            unsafe {
                let a = left.block::<T, E>(matrix, rows.clone(), inner.clone(), &mut room.left);
                let b = right.block::<T, E>(matrix, columns.clone(), inner.clone(), &mut room.right);
                let [(b_inner, b_outer), (a_outer, a_inner)] =
                    [(b.inner, b.outer), (a.outer, a.inner)].map(|(one, other)| (one as isize, other as isize));
                let (m, n, k) = (columns.len(), rows.len(), inner.len());
                (by.gemm)(
                    m,
                    n,
                    k,
                    to,
                    row as isize,
                    1,
                    start > 0,
                    b.first,
                    b_inner,
                    b_outer,
                    a.first,
                    a_outer,
                    a_inner,
                    before,
                    one,
                    false,
                    false,
                    false,
                    by.parallel,
                );
            }
        }
        if !O::SAME {
            for nth in 0..rows.len() {
                // SAFETY: a row of the sums, and of the output, as above.
                unsafe { O::narrow(to.add(nth * row), output.add(nth * self.columns), columns.len()) };
            }
        }
    }
}

/// How blocks are multiplied: by which function, the numbers 0 and 1, how many inner elements at a time, on how many threads.
struct By<T> {
    gemm: Gemm<T>,
    numbers: [T; 2],
    depth: usize,
    parallel: Parallelism,
}

/// What a thread needs for a block: copies of the sides, and sums that are converted.
struct Room<T> {
    left: Vec<T>,
    right: Vec<T>,
    sums: Vec<T>,
}

impl<T> Default for Room<T> {
    fn default() -> Room<T> {
        Room { left: vec![], right: vec![], sums: vec![] }
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

/// The types of the sides' elements and of the output's, if gemm multiplies them and nothing else is to be done with the sums.
/// f16 is added up in f32 by tensor cores too.
fn known(product: &Contraction) -> Option<[DType; 2]> {
    let [a, b, output] = product.dtypes;
    let is_known = match a {
        DType::F16 => matches!(output, DType::F16 | DType::F32),
        // f32 that may be rounded need not be.
        DType::F32 | DType::F64 => output == a,
        _ => false,
    };
    (product.plain && a == b && is_known).then_some([a, output])
}
