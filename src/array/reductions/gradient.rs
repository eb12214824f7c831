//! Gradients of values along an axis.

use crate::array::shapes::axes::axis as place;
use crate::array::{Array, Slice};
use crate::element::{Float, Scalar};
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

impl<T: Float> Array<T> {
    /// The gradient along an axis with this spacing: NumPy's `gradient`. Central differences inside, one-sided
    /// differences at the ends.
    ///
    /// Cost: one launch that reads the array and writes the result.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1.0f32, 2.0, 4.0, 7.0]);
    /// assert_eq!(x.gradient(0.5, 0).to_vec()?, [2.0, 3.0, 5.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or of fewer than two elements.
    #[track_caller]
    pub fn gradient(&self, spacing: T, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = Along::of("gradient", self, axis, at).map(|along| {
            let twice = T::from_scalar(Scalar::from_f64(T::DTYPE, 2.0 * spacing.scalar().to_f64()));
            let inside = (along.from(2) - along.until(2)) / twice;
            along.between_ends(inside, |difference| difference / spacing)
        });
        Array::kept(self.device(), made)
    }

    /// As [`Array::gradient`], for elements at these coordinates along the axis: NumPy's `gradient` with an array.
    /// Exact for parabolas, except at the ends.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let places = device.array([0.0f32, 1.0, 3.0, 4.0]);
    /// assert_eq!(places.square().gradient_at(&places, 0).to_vec()?, [1.0, 2.0, 6.0, 7.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::gradient`]; coordinates not of one dimension and the axis' length, or on
    /// another device.
    #[track_caller]
    pub fn gradient_at(&self, coordinates: &Array<T>, axis: isize) -> Array<T> {
        Array::kept(self.device(), self.sloped(coordinates, axis, Location::caller()))
    }

    fn sloped(&self, coordinates: &Array<T>, axis: isize, at: CallSite) -> Result<Array<T>> {
        let along = Along::of("gradient_at", self, axis, at)?;
        coordinates.check()?;
        let extent = self.shape()[along.axis];
        if coordinates.shape() != [extent] {
            let (wanted, got) = (format!("shape [{extent}]"), format!("{:?}", coordinates.shape()));
            return Err(Error::argument("gradient_at", "coordinates", wanted, got, at));
        }
        // Along the axis, to be broadcast over the others.
        let mut shape = vec![1; self.rank()];
        shape[along.axis] = extent;
        let places = coordinates.reshape(&shape);
        let places = Along { array: &places, axis: along.axis, at };
        let steps = places.from(1) - places.until(1);
        let steps = Along { array: &steps, axis: along.axis, at };
        let rises = along.from(1) - along.until(1);
        let slopes = &rises / steps.array;
        let slopes = Along { array: &slopes, axis: along.axis, at };
        if extent == 2 {
            return Ok(Array::joined("gradient_at", &[slopes.array.clone(), slopes.array.clone()], along.axis, at));
        }
        // The mean of both slopes, each weighed by the other's step.
        let (before, after) = (steps.until(1), steps.from(1));
        let inside = (slopes.until(1) * &after + slopes.from(1) * &before) / (before + after);
        let parts = [slopes.part(..1), inside, slopes.part(-1..)];
        Ok(Array::joined("gradient_at", &parts, along.axis, at))
    }
}

/// An array that is taken apart along an axis.
struct Along<'a, T: Float> {
    array: &'a Array<T>,
    axis: usize,
    at: CallSite,
}

impl<'a, T: Float> Along<'a, T> {
    fn of(operation: &'static str, array: &'a Array<T>, axis: isize, at: CallSite) -> Result<Along<'a, T>> {
        array.check()?;
        let axis = place(operation, axis, array.rank(), at)?;
        match array.shape()[axis] {
            2.. => Ok(Along { array, axis, at }),
            extent => Err(Error::argument(operation, "axis", "at least two elements", extent.to_string(), at)),
        }
    }

    fn part(&self, range: impl Into<Slice>) -> Array<T> {
        let mut slices = vec![Slice::from(..); self.axis];
        slices.push(range.into());
        self.array.slice(&slices)
    }

    /// All but this many first ones, and all but this many last ones.
    fn from(&self, first: isize) -> Array<T> {
        self.part(first..)
    }

    fn until(&self, last: isize) -> Array<T> {
        self.part(..-last)
    }

    /// The inner values, between those of the differences at both ends.
    fn between_ends(&self, inside: Array<T>, end: impl Fn(Array<T>) -> Array<T>) -> Array<T> {
        let first = end(self.part(1..2) - self.part(..1));
        let last = end(self.part(-1..) - self.part(-2..-1));
        Array::joined("gradient", &[first, inside, last], self.axis, self.at)
    }
}
