//! Filters that find edges: differences along an axis, smoothed along the others.

use super::PerAxis;
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::{Axes, axis};
use crate::element::Part;
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

/// The difference of the neighbours of a value, and of both and the value.
const SLOPE: [f64; 3] = [-1.0, 0.0, 1.0];
const CURVE: [f64; 3] = [1.0, -2.0, 1.0];

/// Methods of a slope along an axis with weights along the others.
macro_rules! slopes {
    ($($name:ident $weights:expr, $doc:literal, $gives:literal;)*) => {
        impl<R: Part> Array<R> {$(
            #[doc = $doc]
            ///
            /// Cost: a launch for each axis. Along the other axes the weights sum to more than 1: divide where slopes are wanted.
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// use crosslane::Array;
            /// use crosslane::array::PadMode;
            /// let ramp = Array::arange(device, 0.0f32, 20.0, 1.0).reshape(&[4, 5]);
            #[doc = concat!("let slope = ramp.", stringify!($name), "(1, PadMode::Edge).to_vec()?;")]
            #[doc = concat!("assert_eq!(slope[7], ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// Boundaries are those of each of the array's axes, or one for all.
            ///
            /// Errors (kept in the array): an axis out of range, or without values; another number of boundaries than of axes.
            #[track_caller]
            pub fn $name(&self, along: isize, boundary: impl Into<PerAxis<PadMode<R>>>) -> Array<R> {
                self.slope(stringify!($name), along, &$weights, &boundary.into(), Location::caller())
            }
        )*}
    };
}

slopes! {
    sobel [1.0, 2.0, 1.0], "The slope along an axis by Sobel's filter, as SciPy's `sobel`: differences of neighbours, weighed `1 2 1` along the other axes.", "8.0";
    prewitt [1.0, 1.0, 1.0], "The slope along an axis by Prewitt's filter, as SciPy's `prewitt`: differences of neighbours, summed along the other axes.", "6.0";
    scharr [3.0, 10.0, 3.0], "The slope along an axis by Scharr's filter, which is closest to the same in all directions: weighed `3 10 3` along the other axes.", "32.0";
}

impl<R: Part> Array<R> {
    fn slope(
        &self,
        operation: &'static str,
        along: isize,
        others: &[f64],
        boundary: &PerAxis<PadMode<R>>,
        at: CallSite,
    ) -> Array<R> {
        let result = || {
            let rank = self.check()?.rank();
            let along = axis(operation, along, rank, at)?;
            let boundaries = boundary.of(operation, "boundary", rank, at)?;
            let first = self.weighted_along(operation, &SLOPE, along, boundaries[along], at)?;
            let others_of = (0..rank).filter(|&axis| axis != along);
            others_of
                .into_iter()
                .try_fold(first, |x, axis| x.weighted_along(operation, others, axis, boundaries[axis], at))
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// The sum of second differences along some axes: SciPy's `laplace`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let squares = Array::from_slice(device, &[0.0f32, 1.0, 4.0, 9.0]);
    /// assert_eq!(squares.laplace(.., PadMode::Edge).to_vec()?, [1.0, 2.0, 2.0, -5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis; an axis out of range or given twice, or without values; another number of boundaries
    /// than of axes.
    #[track_caller]
    pub fn laplace(&self, axes: impl Into<Axes>, boundary: impl Into<PerAxis<PadMode<R>>>) -> Array<R> {
        let (axes, at) = (axes.into(), Location::caller());
        let result = || -> Result<Array<R>> {
            let places = axes.once("laplace", self.check()?.rank(), at)?;
            let boundaries = boundary.into().of("laplace", "boundary", places.len(), at)?;
            let along = places.iter().zip(boundaries);
            let mut curves = along.map(|(&axis, own)| self.weighted_along("laplace", &CURVE, axis, own, at));
            let first = curves.next().unwrap_or_else(|| {
                Err(crosslane_core::error::Error::argument("laplace", "axes", "one axis at least", "none", at))
            })?;
            curves.try_fold(first, |sum, curve| Ok(sum + curve?))
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }
}
