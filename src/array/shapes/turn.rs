//! Axes moved and rotated: views.

use crate::array::Array;
use crate::array::shapes::axes::axis as place;
use crate::array::shapes::diagonal::two_axes;
use crate::element::Element;
use crate::graph::view;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// An axis moved to another position; the others keep their order: NumPy's `moveaxis`. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[2, 3, 4]);
    /// assert_eq!(x.move_axis(0, -1).shape(), [3, 4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range.
    #[track_caller]
    pub fn move_axis(&self, from: isize, to: isize) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        let places = [from, to].map(|axis| place("move_axis", axis, self.rank(), at));
        match places {
            [Ok(from), Ok(to)] => {
                let mut order: Vec<usize> = (0..self.rank()).filter(|&axis| axis != from).collect();
                order.insert(to, from);
                Array::of(view(&self.node, &|layout| Some(layout.permute(&order))))
            }
            [Err(error), _] | [_, Err(error)] => Array::failed(self.device(), error),
        }
    }

    /// Rotated by 90 degrees `times` times, from the first of two axes to the second: NumPy's `rot90`. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2], &[1, 2, 3, 4]);
    /// assert_eq!(x.rot90(1, 0, 1).to_vec()?, [2, 4, 1, 3]);
    /// assert_eq!(x.rot90(-1, 0, 1).to_vec()?, [3, 1, 4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn rot90(&self, times: isize, from: isize, to: isize) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        match two_axes("rot90", [from, to], self.rank(), at) {
            Err(error) => Array::failed(self.device(), error),
            Ok([from, to]) => {
                let (from, to) = (from as isize, to as isize);
                match times.rem_euclid(4) {
                    0 => self.clone(),
                    1 => self.flip(to).swap_axes(from, to),
                    2 => self.flip(from).flip(to),
                    _ => self.swap_axes(from, to).flip(to),
                }
            }
        }
    }
}
