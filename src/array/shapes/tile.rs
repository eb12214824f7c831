//! Repetition of elements and of arrays.

use crate::array::shapes::axes::axis as place;
use crate::array::{Array, create};
use crate::element::Element;
use crate::graph::{Expr, Node};
use crosslane_core::error::CallSite;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// The array repeated along each axis: NumPy's `tile`. With more numbers than axes the array gets new ones in
    /// front; with fewer, the first axes stay.
    ///
    /// Cost: one launch that writes the result; the array is read through caches.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2]);
    /// assert_eq!(x.tile(&[2]).to_vec()?, [1, 2, 1, 2]);
    /// assert_eq!(x.tile(&[2, 1]).shape(), [2, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): 2^63 bytes or more.
    #[track_caller]
    pub fn tile(&self, counts: &[usize]) -> Array<T> {
        let rank = self.rank().max(counts.len());
        let extents = [&vec![1; rank - self.rank()][..], self.shape()].concat();
        let counts = [&vec![1; rank - counts.len()][..], counts].concat();
        let apart: Vec<usize> = extents.iter().flat_map(|&extent| [1, extent]).collect();
        let repeated: Vec<usize> = counts.iter().zip(&extents).flat_map(|(&count, &extent)| [count, extent]).collect();
        self.copies("tile", &apart, &repeated, &pairs(&repeated), Location::caller())
    }

    /// Each element repeated this many times along an axis: NumPy's `repeat` with a number and an axis.
    /// [`Array::repeat`] takes a number for each element.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2], &[1, 2, 3, 4]);
    /// assert_eq!(x.repeat_axis(2, 1).to_vec()?, [1, 1, 2, 2, 3, 3, 4, 4]);
    /// assert_eq!(x.repeat_axis(2, 0).to_vec()?, [1, 2, 1, 2, 3, 4, 3, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range; 2^63 bytes or more.
    #[track_caller]
    pub fn repeat_axis(&self, count: usize, axis: isize) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        let axis = match place("repeat_axis", axis, self.rank(), at) {
            Ok(axis) => axis,
            Err(error) => return Array::failed(self.device(), error),
        };
        let (mut apart, mut repeated, mut shape) =
            (self.shape().to_vec(), self.shape().to_vec(), self.shape().to_vec());
        apart.insert(axis + 1, 1);
        repeated.insert(axis + 1, count);
        shape[axis] = shape[axis].saturating_mul(count);
        self.copies("repeat_axis", &apart, &repeated, &shape, at)
    }

    /// The array with axes of extent 1 in between, which are repeated, and reshaped.
    fn copies(
        &self,
        operation: &'static str,
        apart: &[usize],
        repeated: &[usize],
        shape: &[usize],
        at: CallSite,
    ) -> Array<T> {
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        if let Err(error) = create::fits(operation, T::DTYPE, repeated, at) {
            return Array::failed(self.device(), error);
        }
        let repeated = self.reshape(apart).broadcast_to(repeated);
        if self.len() == repeated.len() {
            return repeated.reshape(shape);
        }
        // Here, so that what the array waits for is computed on the way, and not copied with its inputs.
        let copy = Expr::Copy(repeated.node.clone());
        Array::of(Node::lazy(self.device(), repeated.shape().to_vec(), T::DTYPE, copy)).reshape(shape)
    }
}

/// The products of each two.
fn pairs(extents: &[usize]) -> Vec<usize> {
    extents.chunks(2).map(|pair| pair[0].saturating_mul(pair[1])).collect()
}
