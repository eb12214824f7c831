//! Filters that smooth: by one-dimensional weights along one axis after the other.

use super::ConvolveOptions;
use super::neighbours::REACH;
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::Axes;
use crate::element::Part;
use crate::error::{CallSite, Error, Result};
use std::panic::Location;

/// Standard deviations after which a bell's weights are left out: SciPy's `truncate`.
const WIDTH: f64 = 4.0;
/// From so many weights on the next to last axis is filtered as the last one.
const LONG: usize = 128;

impl<R: Part> Array<R> {
    /// Smoothed by a bell of this standard deviation, in elements, along some axes: SciPy's `gaussian_filter`, with weights up
    /// to four standard deviations.
    ///
    /// Cost: a launch for each axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[0.0f32, 0.0, 1.0, 0.0, 0.0]);
    /// let smooth = x.gaussian_filter(1.0, .., PadMode::Symmetric).to_vec()?;
    /// assert!((smooth[2] - 0.3991).abs() < 1e-3 && (smooth.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a deviation that is not positive or past 10^6; an axis out of range or given twice, or without
    /// values.
    #[track_caller]
    pub fn gaussian_filter(&self, sigma: f64, axes: impl Into<Axes>, boundary: PadMode<R>) -> Array<R> {
        let at = Location::caller();
        if !(sigma > 0.0 && sigma <= 1e6) {
            let error = Error::argument("gaussian_filter", "sigma", "above 0, at most 10^6", sigma.to_string(), at);
            return Array::failed(self.device(), error);
        }
        let radius = (WIDTH * sigma + 0.5) as i64;
        let bell: Vec<f64> = (-radius..=radius).map(|t| (-0.5 * (t as f64 / sigma).powi(2)).exp()).collect();
        let sum: f64 = bell.iter().sum();
        let weights: Vec<f64> = bell.iter().map(|weight| weight / sum).collect();
        self.along_each("gaussian_filter", &weights, axes.into(), boundary, at)
    }

    /// The mean of so many neighbours along some axes: SciPy's `uniform_filter`, a box blur.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[3.0f32, 0.0, 3.0, 6.0]);
    /// crosslane::assert_close(&x.uniform_filter(3, 0, PadMode::Edge).to_vec()?, &[2.0, 2.0, 3.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a size of 0 or past 2^28; an axis out of range or given twice, or without values.
    #[doc(alias = "box_filter")]
    #[track_caller]
    pub fn uniform_filter(&self, size: usize, axes: impl Into<Axes>, boundary: PadMode<R>) -> Array<R> {
        let at = Location::caller();
        if !(1..=REACH).contains(&size) {
            let error = Error::argument("uniform_filter", "size", format!("1 to {REACH}"), size.to_string(), at);
            return Array::failed(self.device(), error);
        }
        self.along_each("uniform_filter", &vec![1.0 / size as f64; size], axes.into(), boundary, at)
    }

    fn along_each(
        &self,
        operation: &'static str,
        weights: &[f64],
        axes: Axes,
        boundary: PadMode<R>,
        at: CallSite,
    ) -> Array<R> {
        let result = || {
            let places = axes.once(operation, self.check()?.rank(), at)?;
            places.iter().try_fold(self.clone(), |x, &axis| x.weighted_along(operation, weights, axis, boundary, at))
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// Weights of the values of one axis.
    pub(super) fn weighted_along(
        &self,
        operation: &'static str,
        weights: &[f64],
        axis: usize,
        boundary: PadMode<R>,
        at: CallSite,
    ) -> Result<Array<R>> {
        let weights: Vec<R> = weights.iter().map(|&weight| R::rounded(weight)).collect();
        let behind = self.rank() - 1 - axis;
        // The next to last axis as columns of a plane, unless the plane's margin would be most of a tile.
        let columns = behind == 1 && weights.len() < LONG;
        let shape = if columns { vec![weights.len(), 1] } else { vec![weights.len()] };
        let weights = Array::from_shape(self.device(), &shape, &weights);
        let options = ConvolveOptions::default().boundary(boundary);
        let result = match behind == 0 || columns {
            true => self.by_weights(operation, &weights, &options, false, at),
            false => {
                let last = self.rank() as isize - 1;
                self.move_axis(axis as isize, last)
                    .by_weights(operation, &weights, &options, false, at)
                    .move_axis(last, axis as isize)
            }
        };
        Ok(result.check()?.clone())
    }
}
