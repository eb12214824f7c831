//! Where images lie in an array: which axes are rows and columns.

use crate::array::Array;
use crate::array::shapes::axes::axis;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Extents;

/// Rows and columns as the last axes, and before the channels.
pub(super) const PLANAR: [isize; 2] = [-2, -1];
pub(super) const INTERLEAVED: [isize; 2] = [-3, -2];

/// Pixels along an axis at most: f32 counts them exactly.
pub(super) const MOST: usize = 1 << 24;

/// An array's images.
pub(super) struct Images<T: Element> {
    pub array: Array<T>,
    pub extents: Extents,
    /// Where each of the array's axes went, if they did not stay.
    order: Option<Vec<usize>>,
}

impl<T: Element> Images<T> {
    /// Those of an array with these axes of rows and of columns.
    pub fn of(operation: &'static str, array: &Array<T>, axes: [isize; 2], at: CallSite) -> Result<Images<T>> {
        Images::laid(operation, array, axes, true, at)
    }

    /// As [`Images::of`], with channels before the rows too.
    pub fn planar(operation: &'static str, array: &Array<T>, axes: [isize; 2], at: CallSite) -> Result<Images<T>> {
        Images::laid(operation, array, axes, false, at)
    }

    fn laid(
        operation: &'static str,
        array: &Array<T>,
        axes: [isize; 2],
        interleaved: bool,
        at: CallSite,
    ) -> Result<Images<T>> {
        let rank = array.check()?.rank();
        if rank < 2 {
            let got = format!("{:?}", array.shape());
            return Err(Error::argument(operation, "array", "an axis of rows and an axis of columns", got, at));
        }
        let [y, x] = axes.map(|number| axis(operation, number, rank, at));
        let (y, x) = (y?, x?);
        if y == x {
            return Err(Error::argument(operation, "axes", "two axes", format!("{axes:?}"), at));
        }
        let extents = [array.shape()[y], array.shape()[x]];
        if extents.iter().any(|&extent| extent == 0 || extent > MOST) {
            let wanted = format!("1 to {MOST} rows and columns");
            return Err(Error::argument(operation, "array", wanted, format!("{extents:?}"), at));
        }
        let (last, before) = (y + 2 == rank && x + 1 == rank, interleaved && y + 3 == rank && x + 2 == rank);
        if last || before {
            let extents = Extents { shape: array.shape().to_vec(), interleaved: before };
            return Ok(Images { array: array.clone(), extents, order: None });
        }
        let order: Vec<usize> = (0..rank).filter(|&axis| axis != y && axis != x).chain([y, x]).collect();
        let array = permuted(array, &order);
        let extents = Extents { shape: array.shape().to_vec(), interleaved: false };
        Ok(Images { array, extents, order: Some(order) })
    }

    /// The axes of results where they were in the array.
    pub fn back<R: Element>(&self, results: Array<R>) -> Array<R> {
        let Some(order) = &self.order else { return results };
        let place = |axis| order.iter().position(|&from| from == axis).expect("an order has each axis");
        permuted(&results, &(0..order.len()).map(place).collect::<Vec<_>>())
    }
}

fn permuted<T: Element>(array: &Array<T>, order: &[usize]) -> Array<T> {
    array.permute(order.iter().map(|&axis| axis as isize).collect::<Vec<isize>>())
}
