//! Filters by order: the least, the greatest, the middle of neighbours.

use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::Axes;
use crate::element::{Float, Number};
use crate::error::{CallSite, Error, Result};
use std::panic::Location;

impl<T: Number> Array<T> {
    /// The least of so many neighbours along some axes: SciPy's `minimum_filter`, the erosion of an image by a box.
    ///
    /// Cost: for each axis the ends, and a reduction over windows that lie in cache.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// assert_eq!(x.minimum_filter(3, 0, PadMode::Edge).to_vec()?, [1, 1, 1, 1, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a size of 0; an axis out of range or given twice, or without values.
    #[doc(alias = "erode")]
    #[track_caller]
    pub fn minimum_filter(&self, size: usize, axes: impl Into<Axes>, boundary: PadMode<T>) -> Array<T> {
        let least = |windows: &Array<T>| windows.min_axes(-1);
        self.by_windows("minimum_filter", size, axes.into(), boundary, least, Location::caller())
    }

    /// The greatest of so many neighbours along some axes: SciPy's `maximum_filter`, the dilation of an image by a box.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// assert_eq!(x.maximum_filter(3, 0, PadMode::Edge).to_vec()?, [3, 4, 4, 5, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::minimum_filter`].
    #[doc(alias = "dilate")]
    #[track_caller]
    pub fn maximum_filter(&self, size: usize, axes: impl Into<Axes>, boundary: PadMode<T>) -> Array<T> {
        let greatest = |windows: &Array<T>| windows.max_axes(-1);
        self.by_windows("maximum_filter", size, axes.into(), boundary, greatest, Location::caller())
    }

    fn by_windows(
        &self,
        operation: &'static str,
        size: usize,
        axes: Axes,
        boundary: PadMode<T>,
        reduced: impl Fn(&Array<T>) -> Array<T>,
        at: CallSite,
    ) -> Array<T> {
        let result = || {
            let places = axes.once(operation, self.check()?.rank(), at)?;
            let continued = |x: Array<T>, axis: usize| x.continued(operation, &[axis], size, boundary, at);
            places
                .iter()
                .try_fold(self.clone(), |x, &axis| Ok(reduced(&continued(x, axis)?.windows(axis as isize, size, 1))))
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// Continued past its ends, so that each value is the middle of a window.
    fn continued(
        &self,
        operation: &'static str,
        axes: &[usize],
        size: usize,
        boundary: PadMode<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let shape = self.check()?.shape();
        if size == 0 || axes.iter().any(|&axis| shape[axis] == 0) {
            let wanted = "windows of at least 1 value, and values along each axis of theirs";
            return Err(Error::argument(operation, "size", wanted, format!("{size}, of {shape:?}"), at));
        }
        let mut widths = vec![(0, 0); shape.len()];
        axes.iter().for_each(|&axis| widths[axis] = (size / 2, size - 1 - size / 2));
        Ok(self.pad(&widths, boundary))
    }
}

impl<T: Float> Array<T> {
    /// The middle of so many neighbours along each of some axes: SciPy's `median_filter`. NaN where a window has one; of an even
    /// number the mean of the two in the middle.
    ///
    /// Cost: memory for all windows, `size` to the number of axes for each value, which are then sorted.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 99.0, 3.0, 4.0]);
    /// assert_eq!(x.median_filter(3, 0, PadMode::Edge).to_vec()?, [1.0, 2.0, 3.0, 4.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::minimum_filter`]; more memory than there is.
    #[doc(alias = "medfilt")]
    #[track_caller]
    pub fn median_filter(&self, size: usize, axes: impl Into<Axes>, boundary: PadMode<T>) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        let result = || {
            let shape = self.check()?.shape();
            let places = axes.once("median_filter", shape.len(), at)?;
            let whole = self.continued("median_filter", &places, size, boundary, at)?;
            let windows = places.iter().fold(whole, |x, &axis| x.windows(axis as isize, size, 1));
            let count = size.checked_pow(places.len() as u32).ok_or_else(|| {
                let got = format!("{size} along {} axes", places.len());
                Error::argument("median_filter", "size", "windows of fewer than 2^64 values", got, at)
            })?;
            Ok(windows.reshape(&[shape, &[count]].concat()).median_axis(-1))
        };
        result().unwrap_or_else(|error: Error| Array::failed(self.device(), error))
    }
}
