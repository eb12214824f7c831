//! Diagonals and triangles of matrices.

use crate::array::Array;
use crate::array::shapes::axes::axis as place;
use crate::element::{Arithmetic, DType, Element, Scalar};
use crate::graph::{Expr, Node, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// The elements of a diagonal of two axes, as a last axis in place of these: NumPy's `diagonal`. `offset` goes to the
    /// right of the main diagonal, a negative one below. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 6, 1).reshape(&[2, 3]);
    /// assert_eq!(x.diagonal(0, 0, 1).to_vec()?, [0, 4]);
    /// assert_eq!(x.diagonal(1, 0, 1).to_vec()?, [1, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn diagonal(&self, offset: isize, row_axis: isize, column_axis: isize) -> Array<T> {
        self.diagonal_of("diagonal", offset, [row_axis, column_axis], Location::caller())
    }

    fn diagonal_of(&self, operation: &'static str, offset: isize, axes: [isize; 2], at: CallSite) -> Array<T> {
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        let axes = two_axes(operation, axes, self.rank(), at);
        match axes {
            Err(error) => Array::failed(self.device(), error),
            Ok([row, column]) => {
                Array::of(view(&self.node, &|layout| Some(along_diagonal(layout, offset, row, column))))
            }
        }
    }

    /// A matrix with this array of one dimension on a diagonal and zeros elsewhere; of a matrix, its diagonal: NumPy's
    /// `diag`. `offset` as for [`Array::diagonal`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2]);
    /// assert_eq!(x.diag(0).to_vec()?, [1, 0, 0, 2]);
    /// assert_eq!(x.diag(1).to_vec()?, [0, 1, 0, 0, 0, 2, 0, 0, 0]);
    /// assert_eq!(x.diag(1).diag(1).to_vec()?, [1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): neither one dimension nor two.
    #[track_caller]
    pub fn diag(&self, offset: isize) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        match self.rank() {
            1 => self.with_diagonal(offset),
            2 => self.diagonal_of("diag", offset, [0, 1], at),
            rank => {
                let error = Error::argument("diag", "rank", "1 or 2", rank.to_string(), at);
                Array::failed(self.device(), error)
            }
        }
    }

    fn with_diagonal(&self, offset: isize) -> Array<T> {
        let away = offset.unsigned_abs();
        let side = self.len().saturating_add(away);
        // The element of each row, where it has one.
        let ends = if offset < 0 { (away, 0) } else { (0, away) };
        let column = self.pad(&[ends], crate::array::PadMode::Constant(zero()));
        let column = column.reshape(&[side, 1]).broadcast_to(&[side, side]);
        let device = self.device();
        match column.check() {
            Err(error) => Array::failed(device, error),
            Ok(_) => {
                let (rows, columns) = (numbers(&column, 0, offset), numbers(&column, 1, offset.saturating_neg()));
                rows.equal(&columns).select(&column, zero::<T>())
            }
        }
    }

    /// The part of each matrix of the last two axes on and above a diagonal, zeros below: NumPy's `triu`. `offset` as
    /// for [`Array::diagonal`]. It fuses with the surrounding operations.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 1, 5, 1).reshape(&[2, 2]);
    /// assert_eq!(x.triu(0).to_vec()?, [1, 2, 0, 4]);
    /// assert_eq!(x.triu(1).to_vec()?, [0, 2, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): fewer than two dimensions.
    #[track_caller]
    pub fn triu(&self, offset: isize) -> Array<T> {
        self.triangle("triu", offset, Location::caller(), |rows, columns| columns.greater_equal(rows))
    }

    /// The part of each matrix of the last two axes on and below a diagonal, zeros above: NumPy's `tril`. `offset` as
    /// for [`Array::diagonal`]. It fuses with the surrounding operations.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 1, 5, 1).reshape(&[2, 2]);
    /// assert_eq!(x.tril(0).to_vec()?, [1, 0, 3, 4]);
    /// assert_eq!(x.tril(-1).to_vec()?, [0, 0, 3, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): fewer than two dimensions.
    #[track_caller]
    pub fn tril(&self, offset: isize) -> Array<T> {
        self.triangle("tril", offset, Location::caller(), |rows, columns| columns.less_equal(rows))
    }

    fn triangle(
        &self,
        operation: &'static str,
        offset: isize,
        at: CallSite,
        keeps: impl Fn(&Array<u32>, &Array<u32>) -> Array<bool>,
    ) -> Array<T> {
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        if self.rank() < 2 {
            let error = Error::argument(operation, "rank", "2 at least", self.rank().to_string(), at);
            return Array::failed(self.device(), error);
        }
        // A row's number plus the offset is the column of the diagonal.
        let (rows, columns) =
            (numbers(self, self.rank() - 2, offset), numbers(self, self.rank() - 1, offset.saturating_neg()));
        keeps(&rows, &columns).select(self, zero::<T>())
    }
}

impl<T: Arithmetic> Array<T> {
    /// The sum of a diagonal of two axes: NumPy's `trace`. The result has the other axes.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 9, 1).reshape(&[3, 3]);
    /// assert_eq!(x.trace(0, 0, 1).item()?, 12);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::diagonal`]; as [`Array::sum_axes`].
    #[track_caller]
    pub fn trace(&self, offset: isize, row_axis: isize, column_axis: isize) -> Array<T> {
        let diagonal = self.diagonal_of("trace", offset, [row_axis, column_axis], Location::caller());
        match diagonal.node.error() {
            Some(error) => Array::failed(self.device(), error),
            None => diagonal.sum_axes(-1),
        }
    }
}

fn zero<T: Element>() -> T {
    T::from_scalar(Scalar { dtype: T::DTYPE, bits: 0 })
}

/// The number of each element along an axis, moved by what of `from` is positive; past all others there is nothing to tell.
fn numbers<T: Element>(like: &Array<T>, axis: usize, from: isize) -> Array<u32> {
    let shape = like.shape();
    let mut strides = vec![0; shape.len()];
    strides[axis] = 1;
    let most = shape.iter().copied().max().unwrap_or(0);
    let layout = Layout { shape: shape.to_vec(), strides, offset: (from.max(0) as usize).min(most) };
    Array::of(Node::lazy(like.device(), shape.to_vec(), DType::U32, Expr::Index(layout)))
}

/// Two axes that differ.
pub(crate) fn two_axes(operation: &'static str, axes: [isize; 2], rank: usize, at: CallSite) -> Result<[usize; 2]> {
    let [first, second] = axes.map(|axis| place(operation, axis, rank, at));
    let places = [first?, second?];
    match places[0] == places[1] {
        true => Err(Error::argument(operation, "axes", "two that differ", format!("{axes:?}"), at)),
        false => Ok(places),
    }
}

/// The layout of a diagonal, as the last axis.
fn along_diagonal(layout: &Layout, offset: isize, row: usize, column: usize) -> Layout {
    let away = offset.unsigned_abs();
    let (rows, columns) = (layout.shape[row], layout.shape[column]);
    let (moved, len) = match offset >= 0 {
        true => (column, columns.saturating_sub(away).min(rows)),
        false => (row, rows.saturating_sub(away).min(columns)),
    };
    let mut view = layout.slice(moved, away, 1, len);
    let step = view.strides[row] + view.strides[column];
    for axis in [row.max(column), row.min(column)] {
        view.shape.remove(axis);
        view.strides.remove(axis);
    }
    view.shape.push(len);
    view.strides.push(step);
    view
}
