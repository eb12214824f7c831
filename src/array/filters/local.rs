//! Filters by the values near each value: bilateral means, statistics of windows, local maxima, sharpening, integral images.

use super::neighbours::Windows;
use super::{PerAxis, Sizes};
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::Axes;
use crate::element::{Arithmetic, Number, Part};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::neighbours::{Points, Rule};
use std::panic::Location;

/// The widest window of a bilateral filter.
const WIDEST: usize = 1 << 10;
/// The largest factor of an exponent: what f32 has.
const LARGEST: f64 = 1e38;

/// The number of rows' axis of an image, which has two axes at least.
pub(super) fn image_axes<T: Arithmetic>(operation: &'static str, x: &Array<T>, at: CallSite) -> Result<usize> {
    match x.check()?.rank() {
        rank @ 2.. => Ok(rank - 2),
        rank => Err(Error::argument(operation, "array", "an image of two axes at least", format!("{rank}"), at)),
    }
}

impl<R: Part> Array<R> {
    /// The mean of the neighbours of each value of an image, weighed by a bell of their distance and one of how they differ from the
    /// value, which smooths and keeps edges. Along the last two axes. OpenCV's `bilateralFilter`, in its order of arguments and
    /// with its round window: neighbours not farther away than half the diameter, rounded down. (Tomasi and Manduchi, 1998.)
    ///
    /// Cost: one launch, an exponential for each neighbour. Error: that of the weights, which are within 2 ULP for small exponents,
    /// and of their sums. OpenCV takes weights from a table.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let step = Array::from_shape(device, &[1, 6], &[0.0f32, 0.25, 0.0, 9.0, 9.25, 9.0]);
    /// let smooth = step.bilateral_filter(3, 1.0, 1.0, PadMode::Edge).to_vec()?;
    /// assert!(smooth[1] > 0.1 && smooth[1] < 0.2 && smooth[2] < 0.1 && smooth[3] > 9.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of fewer than two axes, or without values along them; a diameter of 0 or past 1024; a
    /// deviation that is not positive and finite; boundaries for another number of axes than two; more bytes than a kernel binds.
    #[track_caller]
    pub fn bilateral_filter(
        &self,
        diameter: usize,
        sigma_value: f64,
        sigma_space: f64,
        boundary: impl Into<PerAxis<PadMode<R>>>,
    ) -> Array<R> {
        let (name, at) = ("bilateral_filter", Location::caller());
        let result = || {
            let rows = image_axes(name, self, at)?;
            super::ranks::has_values(name, self.shape(), rows..rows + 2, at)?;
            if !(1..=WIDEST).contains(&diameter) {
                return Err(Error::argument(name, "diameter", format!("1 to {WIDEST}"), diameter.to_string(), at));
            }
            for (argument, sigma) in [("sigma_value", sigma_value), ("sigma_space", sigma_space)] {
                if !(sigma > 0.0 && sigma.is_finite()) {
                    return Err(Error::argument(name, argument, "a finite number above 0", sigma.to_string(), at));
                }
            }
            let radius = diameter / 2;
            let last = [0, 2 * radius, 2 * radius];
            let points = Points::Box { taps: last.map(|last| last + 1), jump: [1; 3], last };
            let factor = |sigma: f64| (0.5 / (sigma * sigma)).min(LARGEST).to_bits();
            let rule = Rule::Bilateral { space: factor(sigma_space), range: factor(sigma_value) };
            let windows = Windows::of_last(self.shape(), &[radius; 2], points, rule);
            let boundaries = boundary.into().of(name, "boundary", 2, at)?;
            self.of_last_windows(name, windows, &[[radius; 2]; 2], None, &boundaries, at)
        };
        Array::kept(self.device(), result())
    }

    /// The mean and the variance of so many neighbours of each value along some axes; the square root of the variance is the
    /// standard deviation. The variance is that of the neighbours themselves, NumPy's `var`.
    ///
    /// Cost: the ends, and for each axis three or four reductions over windows that lie in cache. Nothing cancels, as it does in the
    /// mean of squares less the square of the mean: along each further axis the variance is the mean of the variances and the
    /// variance of the means, and beside each mean lies by how much it was rounded. So in f32 the mean is within 1e-6 of its size and
    /// the variance within 1e-5 of its own, however far from 0.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[1.0f32, 1.0, 4.0, 1.0]);
    /// let (mean, variance) = x.local_statistics(3, 0, PadMode::Edge);
    /// crosslane::assert_close(&mean.to_vec()?, &[1.0, 2.0, 2.0, 2.0]);
    /// crosslane::assert_close(&variance.sqrt().to_vec()?, &[0.0, 2f32.sqrt(), 2f32.sqrt(), 2f32.sqrt()]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): a size of 0; an axis out of range or given twice, or without values; another number of boundaries
    /// than of axes.
    #[track_caller]
    pub fn local_statistics(
        &self,
        size: usize,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<R>>>,
    ) -> (Array<R>, Array<R>) {
        let (name, at, axes) = ("local_statistics", Location::caller(), axes.into());
        let result = || {
            let places = axes.once(name, self.check()?.rank(), at)?;
            self.has_windows(name, size, &places, at)?;
            let boundaries = boundary.into().of(name, "boundary", places.len(), at)?;
            if boundaries.windows(2).any(|pair| pair[0] != pair[1]) {
                let continued = self.continued_along(name, size, &places, &boundaries, at)?;
                return Ok(continued.statistics_of_windows(size, &places));
            }
            let boundary = boundaries.first().copied().unwrap_or(PadMode::Edge);
            let mut widths = vec![(0, 0); self.rank()];
            places.iter().for_each(|&axis| widths[axis] = (size / 2, size - 1 - size / 2));
            Ok(self.pad(&widths, boundary).statistics_of_windows(size, &places))
        };
        result().unwrap_or_else(|error: Error| {
            (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error))
        })
    }

    /// One axis after the other. `low` is what the means were rounded by: a variance of means that differ by little is that of their
    /// distances from a mean nearby, which are exact.
    fn statistics_of_windows(&self, size: usize, places: &[usize]) -> (Array<R>, Array<R>) {
        let mut done: Option<(Array<R>, Array<R>)> = None;
        let mut mean = self.clone();
        for &axis in places {
            let windows = |x: &Array<R>| x.windows(axis as isize, size, 1);
            let near = windows(&mean).mean_axes(-1).copy();
            // An expression for each reduction, which becomes a part of its kernel.
            let distances = || {
                let from_near = windows(&mean) - near.expand_dims(-1);
                done.as_ref().map_or_else(|| from_near.clone(), |(_, low)| &from_near + windows(low))
            };
            let between = distances().variance_axes(-1, 0);
            let low = distances().mean_axes(-1).copy();
            let variance = match &done {
                Some((variance, _)) => windows(variance).mean_axes(-1) + between,
                None => between,
            };
            done = Some((variance.copy(), low));
            mean = near;
        }
        match done {
            // Of an infinite mean nothing is a distance.
            Some((variance, low)) => (mean.is_finite().select(&mean + low, &mean), variance),
            None => (mean.clone(), mean.zeros_like()),
        }
    }

    /// With the margins of windows of `size` along the axes, each continued by a boundary of its own.
    fn continued_along(
        &self,
        operation: &'static str,
        size: usize,
        places: &[usize],
        boundaries: &[PadMode<R>],
        at: CallSite,
    ) -> Result<Array<R>> {
        places.iter().zip(boundaries).try_fold(self.clone(), |x, (&axis, &boundary)| {
            let mut widths = vec![(0, 0); self.rank()];
            widths[axis] = (size / 2, size - 1 - size / 2);
            x.padded(operation, &widths, boundary, at)
        })
    }

    /// The array, and `amount` times what a bell smooths away: scikit-image's `unsharp_mask` with `preserve_range`, whose radius is
    /// the bell's standard deviation. Nothing is clipped.
    ///
    /// Cost: that of [`Array::gaussian_filter`], and a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let step = Array::from_slice(device, &[0.0f32, 0.0, 0.0, 1.0, 1.0, 1.0]);
    /// let sharp = step.unsharp_mask(1.0, 0.5, .., PadMode::Edge).to_vec()?;
    /// assert!(sharp[2] < -0.1 && sharp[3] > 1.1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::gaussian_filter`].
    #[track_caller]
    pub fn unsharp_mask(
        &self,
        sigma: f64,
        amount: R,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<R>>>,
    ) -> Array<R> {
        (self - &self.gaussian_filter(sigma, axes, boundary)).multiply_add(amount, self)
    }
}

impl<T: Number> Array<T> {
    /// Where a value is the greatest of so many neighbours along some axes: peaks without the others near them. All values of a
    /// level peak count. The mask of scikit-image's `peak_local_max` with a size of twice the distance and 1, before its
    /// threshold: `image.local_maxima(size, .., PadMode::Edge) & image.greater(threshold)`.
    ///
    /// Cost: that of [`Array::maximum_filter`], and a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[1, 3, 2, 2, 5, 4]);
    /// let peaks = x.local_maxima(3, 0, PadMode::Edge);
    /// assert_eq!(peaks.to_vec()?, [false, true, false, false, true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::maximum_filter`].
    #[doc(alias = "peak_local_max")]
    #[doc(alias = "non_maximum_suppression")]
    #[track_caller]
    pub fn local_maxima(
        &self,
        size: impl Into<Sizes>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<bool> {
        let (size, axes, boundary) = (size.into(), axes.into(), boundary.into());
        let greatest = self.by_box("local_maxima", &size, &axes, &boundary, Rule::Maximum, Location::caller());
        self.equal(&greatest)
    }
}

impl<T: Arithmetic> Array<T> {
    /// The sum of all values above and to the left of each, its own row and column included, along the last two axes: scikit-image's
    /// `integral_image`. OpenCV's `integral` has a row and a column of zeros before it. Integers wrap.
    ///
    /// Cost: two scans. The sum of any box of an integer image is that of four values.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    /// assert_eq!(x.integral_image().to_vec()?, [1, 3, 6, 5, 12, 21]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of fewer than two axes.
    #[doc(alias = "summed_area_table")]
    #[track_caller]
    pub fn integral_image(&self) -> Array<T> {
        match image_axes("integral_image", self, Location::caller()) {
            Ok(_) => self.cumsum(-1).cumsum(-2),
            Err(error) => Array::failed(self.device(), error),
        }
    }
}
