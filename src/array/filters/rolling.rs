//! Rolling statistics: of each value and those before it.

use super::neighbours::{REACH, Windows};
use super::pooling::number;
use crate::array::Array;
use crate::array::reductions::Scan;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::axis;
use crate::element::Float;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::neighbours::{Points, RANKED, Rule};
use std::panic::Location;

/// From so many values on a window's sum is taken from two scans. Not tuned: they move about six times what a reduction over windows
/// does.
const LONG: usize = 48;
/// The same on a processor: two cores, 2048 x 2048 f32, 2026-11-26: 700 ms by reductions of 20 values, 140 ms by scans.
const LONG_ON_PROCESSORS: usize = 8;

impl<T: Float> Array<T> {
    /// The sum of each value and the `window - 1` before it along an axis: pandas' `rolling(window).sum()`. NaN where there are fewer;
    /// NaN and infinity stay in their windows. pandas leaves out NaN with `min_periods`; here they count.
    ///
    /// Cost: a reduction over windows that lie in cache; from 48 values on (8 on a processor) two scans of blocks as long as a
    /// window, whatever its length. Nothing cancels: a window is the end of one block and the beginning of the next (van Herk,
    /// 1992). Error: that of the sum of a window.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 2.0, 4.0, 8.0]);
    /// let sums = x.rolling_sum(2, 0).to_vec()?;
    /// assert!(sums[0].is_nan());
    /// assert_eq!(sums[1..], [3.0, 6.0, 12.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a window of 0 values or of more than 2^28; an axis out of range.
    #[track_caller]
    pub fn rolling_sum(&self, window: usize, along: isize) -> Array<T> {
        Array::kept(self.device(), self.rolled_sum("rolling_sum", window, along, Location::caller()))
    }

    /// The mean of each value and the `window - 1` before it along an axis: pandas' `rolling(window).mean()`. As
    /// [`Array::rolling_sum`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 2.0, 4.0, 8.0]);
    /// assert_eq!(x.rolling_mean(2, 0).to_vec()?[1..], [1.5, 3.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rolling_sum`].
    #[track_caller]
    pub fn rolling_mean(&self, window: usize, along: isize) -> Array<T> {
        let sums = self.rolled_sum("rolling_mean", window, along, Location::caller());
        Array::kept(self.device(), sums.map(|sums| sums / number::<T>(window as f64)))
    }

    /// The variance of each value and the `window - 1` before it along an axis, with this many degrees of freedom less: pandas'
    /// `rolling(window).var(ddof=freedom)`. NaN where there are fewer values.
    ///
    /// Cost: a reduction over windows that lie in cache, which grows with the window: so it is as exact as [`Array::variance`], where
    /// differences of running sums cancel.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0, 5.0]);
    /// assert_eq!(x.rolling_variance(2, 0, 1).to_vec()?[1..], [2.0, 2.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rolling_sum`].
    #[track_caller]
    pub fn rolling_variance(&self, window: usize, along: isize, freedom: usize) -> Array<T> {
        let variance = |windows: Array<T>| windows.variance_axes(-1, freedom);
        Array::kept(self.device(), self.by_windows("rolling_variance", window, along, variance, Location::caller()))
    }

    /// The least of each value and the `window - 1` before it along an axis: pandas' `rolling(window).min()`. NaN where there are
    /// fewer, or one of them is.
    ///
    /// Cost: as [`Array::minimum_filter`]: one launch up to 16 values, one more for each further factor of 16.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3.0f32, 1.0, 4.0, 5.0]);
    /// assert_eq!(x.rolling_min(2, 0).to_vec()?[1..], [1.0, 1.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rolling_sum`].
    #[track_caller]
    pub fn rolling_min(&self, window: usize, along: isize) -> Array<T> {
        self.rolled_end("rolling_min", window, along, Rule::Minimum, Location::caller())
    }

    /// The greatest of each value and the `window - 1` before it along an axis: pandas' `rolling(window).max()`. As
    /// [`Array::rolling_min`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3.0f32, 1.0, 4.0, 5.0]);
    /// assert_eq!(x.rolling_max(2, 0).to_vec()?[1..], [3.0, 4.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rolling_sum`].
    #[track_caller]
    pub fn rolling_max(&self, window: usize, along: isize) -> Array<T> {
        self.rolled_end("rolling_max", window, along, Rule::Maximum, Location::caller())
    }

    /// The median of each value and the `window - 1` before it along an axis: pandas' `rolling(window).median()`; of an even number
    /// the mean of the two in the middle. NaN where there are fewer, or one of them is.
    ///
    /// Cost: up to 49 values one launch, as [`Array::rank_filter`]; more take memory for all windows, which are then sorted.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3.0f32, 1.0, 4.0, 5.0]);
    /// assert_eq!(x.rolling_median(3, 0).to_vec()?[2..], [3.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rolling_sum`]; more memory than there is.
    #[track_caller]
    pub fn rolling_median(&self, window: usize, along: isize) -> Array<T> {
        let (name, at) = ("rolling_median", Location::caller());
        let result = || {
            if !(1..=RANKED).contains(&window) {
                return self.by_windows(name, window, along, |windows| windows.median_axis(-1), at);
            }
            let (axis, last) = (self.rolls(name, window, along, at)?, self.rank() as isize - 1);
            let rows = self.move_axis(axis as isize, last);
            let points = (0..window as i32).map(|nth| [0, 0, nth]).collect();
            let rule = Rule::Rank((window - 1) / 2, window / 2);
            let windows = Windows::of_last(rows.shape(), &[window - 1], Points::Fixed(points), rule);
            let medians = rows.of_windows(name, windows, None, PadMode::Constant(number(f64::NAN)), at)?;
            Ok(medians.move_axis(last, axis as isize))
        };
        Array::kept(self.device(), result())
    }

    /// The axis.
    fn rolls(&self, operation: &'static str, window: usize, along: isize, at: CallSite) -> Result<usize> {
        let place = axis(operation, along, self.check()?.rank(), at)?;
        match (1..=REACH).contains(&window) {
            true => Ok(place),
            false => {
                let wanted = format!("1 to {REACH} values");
                Err(Error::argument(operation, "window", wanted, window.to_string(), at))
            }
        }
    }

    /// What is made of the windows that end at each value; NaN where there are fewer values.
    fn by_windows(
        &self,
        operation: &'static str,
        window: usize,
        along: isize,
        made: impl Fn(Array<T>) -> Array<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let axis = self.rolls(operation, window, along, at)?;
        let missing = number::<T>(f64::NAN);
        if window > self.shape()[axis] {
            return Ok(Array::full(self.device(), self.shape(), missing));
        }
        let mut widths = vec![(0, 0); self.rank()];
        widths[axis] = (window - 1, 0);
        let whole = self.pad(&widths, PadMode::Constant(missing));
        Ok(made(whole.windows(axis as isize, window, 1)))
    }

    fn rolled_end(&self, operation: &'static str, window: usize, along: isize, rule: Rule, at: CallSite) -> Array<T> {
        let result = || {
            let axis = self.rolls(operation, window, along, at)?;
            let missing = PadMode::Constant(number(f64::NAN));
            self.extreme(operation, &[(axis, [window - 1, 0], missing)], rule, at)
        };
        Array::kept(self.device(), result())
    }

    fn rolled_sum(&self, operation: &'static str, window: usize, along: isize, at: CallSite) -> Result<Array<T>> {
        let axis = self.rolls(operation, window, along, at)?;
        let extent = self.shape()[axis];
        let long = if self.device().caps().processor.is_some() { LONG_ON_PROCESSORS } else { LONG };
        if window < long || window > extent || self.is_empty() {
            return self.by_windows(operation, window, along, |windows| windows.sum_axes(-1), at);
        }
        // Blocks of a window: NaN before the values, zeros after them up to a whole number of blocks.
        let last = self.rank() - 1;
        let rows = self.move_axis(axis as isize, last as isize);
        let blocks = extent.div_ceil(window) + 1;
        let mut widths = vec![(0, 0); rows.rank()];
        widths[last] = (0, blocks * window - (window - 1) - extent);
        let padded = rows.pad(&widths, PadMode::Constant(number(0.0)));
        widths[last] = (window - 1, 0);
        let padded = padded.pad(&widths, PadMode::Constant(number(f64::NAN)));
        let flat = padded.shape().to_vec();
        let split = [&flat[..last], &[blocks, window]].concat();
        let padded = padded.reshape(&split);
        let ends: Array<T> = Scan::sum().reverse().call(&padded);
        let begins: Array<T> = Scan::sum().exclusive().call(&padded);
        let ends = ends.reshape(&flat).part(last, 0, 1, extent);
        let begins = begins.reshape(&flat).part(last, window, 1, extent);
        Ok((ends + begins).move_axis(last as isize, axis as isize))
    }
}
