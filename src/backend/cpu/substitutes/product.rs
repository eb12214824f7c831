//! Products of matrices by the crates of gemm.

use super::super::block;
use crate::element::DType;
use crate::kernel::{Contraction, Side, Word};
use crate::threads;
use crate::work::{Launch, Window};
use gemm_common::Parallelism;

/// Products of fewer multiplications are the kernel's. gemm packs tiles first: it takes as long as the kernel for 16 x 16 x 16.
const LEAST: u64 = 1 << 13;
/// Products of fewer multiplications are computed by one thread.
const SMALL: u64 = 1 << 20;

/// A matrix, or several: the first element, and the elements from row to row, from column to column, from matrix to matrix.
struct Matrix {
    window: Window,
    first: u64,
    steps: [u64; 2],
    batch: u64,
}

impl Matrix {
    fn of(side: &Side, window: &Window, params: &[u32], rows_are_inner: bool) -> Matrix {
        let [first, step, batch] = [side.first, side.step, side.batch].map(|word: Word| word.of(params) as u64);
        let steps = if side.by_inner == rows_are_inner { [1, step] } else { [step, 1] };
        Matrix { window: window.clone(), first, steps, batch }
    }

    /// Whether so many matrices lie in the window.
    fn fits(&self, size: u64, [rows, columns]: [u64; 2], batch: u64) -> bool {
        let last = self.first as u128
            + (batch - 1) as u128 * self.batch as u128
            + (rows - 1) as u128 * self.steps[0] as u128
            + (columns - 1) as u128 * self.steps[1] as u128;
        (last + 1) * size as u128 <= self.window.bytes as u128
    }

    /// The first element of a matrix.
    fn pointer<T>(&self, nth: u64) -> *mut T {
        let bytes = self.window.offset + (self.first + nth * self.batch) * size_of::<T>() as u64;
        block(&self.window.memory).words.as_ptr().cast::<u8>().cast_mut().wrapping_add(bytes as usize).cast()
    }
}

/// A launch as products of matrices.
pub(in crate::backend::cpu) struct Product {
    dtype: DType,
    batch: u64,
    rows: u64,
    columns: u64,
    inner: u64,
    /// The output, a and b.
    matrices: [Matrix; 3],
}

impl Product {
    /// None where gemm does not compute all that the kernel does.
    pub fn of(product: &Contraction, launch: &Launch) -> Option<Product> {
        let dtype = known(product)?;
        let [batch, rows, columns, inner] = product.extents(&launch.params)?.map(u64::from);
        let [output, a, b] = &launch.buffers[..] else { return None };
        if [batch, rows, columns, inner].contains(&0) {
            return None;
        }
        let [left, right] = &product.sides;
        let output = Matrix { window: output.clone(), first: 0, steps: [columns, 1], batch: rows * columns };
        let a = Matrix::of(left, a, &launch.params, false);
        let b = Matrix::of(right, b, &launch.params, true);
        let size = dtype.size() as u64;
        let fits = output.fits(size, [rows, columns], batch)
            && a.fits(size, [rows, inner], batch)
            && b.fits(size, [inner, columns], batch);
        fits.then_some(Product { dtype, batch, rows, columns, inner, matrices: [output, a, b] })
    }

    /// Whether gemm takes less time than the kernel.
    pub fn is_worthwhile(&self) -> bool {
        self.multiplications() >= LEAST
    }

    fn multiplications(&self) -> u64 {
        self.batch.saturating_mul(self.rows).saturating_mul(self.columns).saturating_mul(self.inner)
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
    unsafe fn run_by<T: Copy>(&self, gemm: Gemm<T>, zero: T, one: T) {
        let [output, a, b] = &self.matrices;
        let parallel = match self.multiplications() / self.batch >= SMALL && threads::is_own() {
            true => Parallelism::Rayon(threads::count()),
            false => Parallelism::None,
        };
        let [m, n, k] = [self.rows, self.columns, self.inner].map(|extent| extent as usize);
        let [(to_row, to_column), (a_row, a_column), (b_row, b_column)] =
            [output, a, b].map(|matrix| (matrix.steps[0] as isize, matrix.steps[1] as isize));
        for nth in 0..self.batch {
            let (to, a, b) = (output.pointer::<T>(nth), a.pointer::<T>(nth), b.pointer::<T>(nth));
            // gemm computes columns of the result, which are ours where sides change places and are transposed.
            // SAFETY: all elements lie in their windows, as `of` has seen; the windows are words, so that elements are
            // aligned to 4 bytes, and gemm loads and stores vectors unaligned. The caller says that nobody else uses them.
            unsafe {
                gemm(
                    n, m, k, to, to_row, to_column, false, b, b_row, b_column, a, a_row, a_column, zero, one, false,
                    false, false, parallel,
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
