//! Filters that smooth: by one-dimensional weights along one axis after the other.

use super::{ConvolveOptions, Gaussian, PerAxis, Sizes};
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::Axes;
use crate::element::Part;
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

/// From so many weights on the next to last axis is filtered as the last one.
const LONG: usize = 128;

impl<R: Part> Array<R> {
    /// Smoothed by a bell of this standard deviation, in elements, along some axes, or its derivatives: SciPy's `gaussian_filter`.
    /// Weights go up to four standard deviations; [`Gaussian`] has other widths, derivatives, and deviations for each axis.
    ///
    /// Cost: a launch for each axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Gaussian, PadMode};
    /// let x = Array::from_slice(device, &[0.0f32, 0.0, 1.0, 0.0, 0.0]);
    /// let smooth = x.gaussian_filter(1.0, .., PadMode::Symmetric).to_vec()?;
    /// assert!((smooth[2] - 0.3991).abs() < 1e-3 && (smooth.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    /// // The slope along the second axis of what is smoothed more along it.
    /// let ramp = Array::arange(device, 0.0f32, 40.0, 1.0).broadcast_to(&[3, 40]);
    /// let bell = Gaussian::from([0.5, 2.0]).order([0, 1]).truncate(5.0);
    /// let slope = ramp.gaussian_filter(bell, .., [PadMode::Wrap, PadMode::Edge]).to_vec()?;
    /// assert!((slope[60] - 1.0).abs() < 1e-3);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a deviation that is not positive or past 10^6; another number of deviations, orders, radii or
    /// boundaries than of axes; an order past 32; a radius past 2^22; an axis out of range or given twice, or without values.
    #[track_caller]
    pub fn gaussian_filter(
        &self,
        sigma: impl Into<Gaussian>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<R>>>,
    ) -> Array<R> {
        let (at, bell) = (Location::caller(), sigma.into());
        let weights = |axes: usize| {
            let weights = bell.weights("gaussian_filter", axes, at)?;
            Ok(weights.into_iter().map(|weights| (weights, 0)).collect())
        };
        self.along_each("gaussian_filter", weights, &axes.into(), &boundary.into(), at)
    }

    /// The mean of so many neighbours along some axes: SciPy's `uniform_filter`, a box blur. [`Sizes`] has sizes for each axis, and
    /// SciPy's `origin`.
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
    /// Errors (kept in the array): a size of 0 or past 2^28; an origin outside of its window; another number of sizes, origins or
    /// boundaries than of axes; an axis out of range or given twice, or without values.
    #[doc(alias = "box_filter")]
    #[track_caller]
    pub fn uniform_filter(
        &self,
        size: impl Into<Sizes>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<R>>>,
    ) -> Array<R> {
        let (at, size) = (Location::caller(), size.into());
        let weights = |axes: usize| {
            // Of an origin outside of a window the mistake is this filter's.
            size.sides("uniform_filter", axes, at)?;
            let (sizes, origins) = (size.of("uniform_filter", axes, at)?, size.origins("uniform_filter", axes, at)?);
            Ok(sizes.into_iter().map(|size| vec![1.0 / size as f64; size]).zip(origins).collect())
        };
        self.along_each("uniform_filter", weights, &axes.into(), &boundary.into(), at)
    }

    /// Weights, and their origin, of each axis.
    fn along_each(
        &self,
        operation: &'static str,
        weights: impl Fn(usize) -> Result<Vec<(Vec<f64>, isize)>>,
        axes: &Axes,
        boundary: &PerAxis<PadMode<R>>,
        at: CallSite,
    ) -> Array<R> {
        let result = || {
            let places = axes.once(operation, self.check()?.rank(), at)?;
            let (weights, boundaries) = (weights(places.len())?, boundary.of(operation, "boundary", places.len(), at)?);
            let along = places.iter().zip(weights).zip(boundaries);
            along.into_iter().try_fold(self.clone(), |x, ((&axis, (weights, origin)), boundary)| {
                x.weighted_from(operation, &weights, origin, axis, boundary, at)
            })
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
        self.weighted_from(operation, weights, 0, axis, boundary, at)
    }

    /// The same, with windows so many places before the middle.
    fn weighted_from(
        &self,
        operation: &'static str,
        weights: &[f64],
        origin: isize,
        axis: usize,
        boundary: PadMode<R>,
        at: CallSite,
    ) -> Result<Array<R>> {
        let weights: Vec<R> = weights.iter().map(|&weight| R::rounded(weight)).collect();
        let behind = self.rank() - 1 - axis;
        // The next to last axis as columns of a plane, unless the plane has none or its margin would be most of a tile.
        let columns = behind == 1 && weights.len() < LONG && self.shape()[axis + 1] > 0;
        let shape = if columns { vec![weights.len(), 1] } else { vec![weights.len()] };
        let weights = Array::from_shape(self.device(), &shape, &weights);
        let origin = if columns { vec![origin, 0] } else { vec![origin] };
        let options = ConvolveOptions::default().boundary(boundary).origin(origin);
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
