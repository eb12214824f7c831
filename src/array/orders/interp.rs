//! Linear interpolation between points.

use crate::array::selections::gather::Along;
use crate::array::{Array, Operand};
use crate::element::{DType, Float};
use crate::s;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::OutOfRange;
use crosslane_ops::searchsorted::Side;
use std::panic::Location;

impl<T: Float> Array<T> {
    /// Linear interpolation at these positions between points with coordinates `xs` and values `ys`: NumPy's `interp`.
    /// `xs` must be ascending; otherwise the result is unspecified. Positions before the first point get the first
    /// value, those past the last point the last value. NaN gives NaN.
    ///
    /// Cost: a search as [`Array::searchsorted`], and four reads for each place. f16 is computed in f32.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (xs, ys) = (device.array([1.0f32, 2.0, 4.0]), device.array([10.0f32, 20.0, 0.0]));
    /// let x = device.array([0.0f32, 1.5, 2.0, 3.0, 9.0]);
    /// assert_eq!(x.interp(&xs, &ys).to_vec()?, [10.0, 15.0, 20.0, 10.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): points not of one dimension, of two lengths, or none; 2^32 - 1 of them; another device.
    #[track_caller]
    pub fn interp(&self, xs: &Array<T>, ys: &Array<T>) -> Array<T> {
        let at = Location::caller();
        let made = fits(self, xs, ys, at).map(|()| interpolated(self, xs, ys, ys.slice(s![0]), ys.slice(s![-1]), at));
        Array::kept(self.device(), made)
    }

    /// As [`Array::interp`], with these values before the first point and past the last: NumPy's `left` and `right`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (xs, ys) = (device.array([1.0f32, 2.0]), device.array([10.0f32, 20.0]));
    /// let x = device.array([0.0f32, 1.5, 3.0]);
    /// assert_eq!(x.interp_outside(&xs, &ys, 0.0, -1.0).to_vec()?, [0.0, 15.0, -1.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn interp_outside(&self, xs: &Array<T>, ys: &Array<T>, left: T, right: T) -> Array<T> {
        let at = Location::caller();
        let ends = [left, right].map(|end| end.into_array(self.device()));
        let [left, right] = ends;
        Array::kept(self.device(), fits(self, xs, ys, at).map(|()| interpolated(self, xs, ys, left, right, at)))
    }
}

fn fits<T: Float>(x: &Array<T>, xs: &Array<T>, ys: &Array<T>, at: CallSite) -> Result<()> {
    let mistake = |wanted: String, got: String| Err(Error::argument("interp", "points", wanted, got, at));
    x.check()?;
    xs.check()?;
    ys.check()?;
    if xs.rank() != 1 || xs.shape() != ys.shape() || xs.is_empty() {
        let got = format!("shapes {:?} and {:?}", xs.shape(), ys.shape());
        return mistake("one dimension, as many coordinates as values, and at least one".into(), got);
    }
    match [xs, ys].into_iter().find(|array| array.device() != x.device()) {
        Some(other) => mistake(format!("on {:?}", x.device()), format!("{:?}", other.device())),
        None => Ok(()),
    }
}

fn interpolated<T: Float>(
    x: &Array<T>,
    xs: &Array<T>,
    ys: &Array<T>,
    left: Array<T>,
    right: Array<T>,
    at: CallSite,
) -> Array<T> {
    let next = xs.searchsorted(x, Side::Right);
    let last = xs.len() as u32 - 1;
    let (from, to) = (next.maximum(1).minimum(last.max(1)) - 1, next.maximum(1).minimum(last));
    let of = |array: &Array<T>, places| array.gather("interp", places, Along::Flat, OutOfRange::Clamp, at);
    let (x0, x1, y0, y1) = (of(xs, &from), of(xs, &to), of(ys, &from), of(ys, &to));
    let line = match T::DTYPE {
        DType::F16 => between([x, &x0, &x1, &y0, &y1].map(|array| array.cast::<f32>())).cast(),
        _ => between([x, &x0, &x1, &y0, &y1].map(Array::clone)),
    };
    // At a point its value, also where a difference or the slope is no number, as between infinities.
    let line = x.equal(&x0).select(&y0, x.equal(&x1).select(&y1, line));
    x.less(xs.slice(s![0])).select(left, x.greater(xs.slice(s![-1])).select(right, line))
}

fn between<T: Float>([x, x0, x1, y0, y1]: [Array<T>; 5]) -> Array<T> {
    (y1 - &y0) / (x1 - &x0) * (x - x0) + y0
}
