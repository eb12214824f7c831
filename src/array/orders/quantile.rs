//! Quantiles: elements at fractions of the sorted order, and between two of them.

use crate::array::Array;
use crate::array::orders::joined::Joined;
use crate::array::orders::nth::Ranked;
use crate::array::shapes::axes::Axes;
use crate::element::{DType, Float};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Value;
use std::panic::Location;

/// How to interpolate a quantile between two elements: NumPy's `method`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Linear interpolation.
    #[default]
    Linear,
    /// The smaller.
    Lower,
    /// The larger.
    Higher,
    /// The nearer; if both are equally near, the one at the even index.
    Nearest,
    /// The mean of both.
    Midpoint,
}

/// The axes and the interpolation of a quantile.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{Interpolation, QuantileOptions};
/// let x = Array::from_shape(device, &[2, 3], &[1.0f32, 5.0, 2.0, 9.0, 7.0, 8.0]);
/// let options = QuantileOptions::default().axis(1).interpolation(Interpolation::Lower);
/// assert_eq!(x.quantile_with(0.7, &options).to_vec()?, [2.0, 8.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuantileOptions {
    /// `None`: all of them.
    axes: Option<Axes>,
    pub(super) interpolation: Interpolation,
}

impl QuantileOptions {
    /// Along this axis; negative numbers count from the end, and the result lacks this axis. By default over all
    /// elements.
    pub fn axis(self, axis: isize) -> QuantileOptions {
        self.axes(axis)
    }

    /// Over all elements along some axes ([`Axes`]) together: NumPy's `axis` with a tuple, and its `keepdims`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::QuantileOptions;
    /// use crosslane::{Array, axes};
    /// let x = Array::from_shape(device, &[2, 2, 2], &[1.0f32, 5.0, 2.0, 9.0, 7.0, 8.0, 3.0, 4.0]);
    /// let options = QuantileOptions::default().axes(axes([0, 2]).keep_dims());
    /// let medians = x.quantile_with(0.5, &options);
    /// assert_eq!((medians.shape(), medians.to_vec()?), (&[1, 2, 1][..], vec![6.0, 3.5]));
    /// # Ok(()) });
    /// ```
    pub fn axes(self, axes: impl Into<Axes>) -> QuantileOptions {
        QuantileOptions { axes: Some(axes.into()), ..self }
    }

    /// The axes, all of them where none were named.
    pub(super) fn over(&self) -> Axes {
        self.axes.clone().unwrap_or_else(|| Axes::from(..))
    }

    /// The interpolation between two elements; by default [`Interpolation::Linear`].
    pub fn interpolation(self, interpolation: Interpolation) -> QuantileOptions {
        QuantileOptions { interpolation, ..self }
    }
}

/// A call that asks for quantiles: in parts of which whole, in which argument.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub operation: &'static str,
    argument: &'static str,
    pub whole: f64,
    pub at: CallSite,
}

impl Asked {
    #[track_caller]
    pub fn of(operation: &'static str, argument: &'static str, whole: f64) -> Asked {
        Asked { operation, argument, whole, at: Location::caller() }
    }

    /// That there are parts of the whole, and nothing else.
    pub fn check(self, qs: &[f64]) -> Result<()> {
        let Asked { operation, argument, whole, at } = self;
        let got = match qs.iter().find(|q| !(0.0..=whole).contains(*q)) {
            Some(q) => q.to_string(),
            None if qs.is_empty() => "none".into(),
            None => return Ok(()),
        };
        Err(Error::argument(operation, argument, format!("0 to {whole}"), got, at))
    }
}

impl Interpolation {
    /// The place before or at the quantile, and how far it lies on the way to the next.
    fn place(self, q: f64, length: usize) -> (usize, f64) {
        let place = q * (length - 1) as f64;
        let (low, way) = (place.floor(), place - place.floor());
        let (low, way) = match self {
            Interpolation::Linear => (low, way),
            Interpolation::Lower => (low, 0.0),
            Interpolation::Higher => (place.ceil(), 0.0),
            Interpolation::Nearest => (place.round_ties_even(), 0.0),
            Interpolation::Midpoint => (low, if way == 0.0 { 0.0 } else { 0.5 }),
        };
        ((low as usize).min(length - 1), way)
    }
}

/// Interpolates between two elements, rounded as NumPy does, except where their difference is NaN. Equal elements give
/// that element.
fn between<T: Float>(low: &Array<T>, high: &Array<T>, way: f64) -> Array<T> {
    let scalar = |x: f64| T::from_scalar(Value::Float(x).scalar(T::DTYPE));
    let distance = high - low;
    let line = match way < 0.5 {
        true => low + &distance * scalar(way),
        false => high - &distance * scalar(1.0 - way),
    };
    let parts = low * scalar(1.0 - way) + high * scalar(way);
    on_line(low, high, line, parts)
}

/// The point of a line between two elements; the sum of their parts where the line overflows.
pub(super) fn on_line<T: Float>(low: &Array<T>, high: &Array<T>, line: Array<T>, parts: Array<T>) -> Array<T> {
    let split = !(high - low).is_finite() & parts.is_finite();
    low.equal(high).select(low, split.select(parts, line))
}

impl<T: Float> Array<T> {
    /// The `q`-quantile of all elements, `q` from 0 to 1: NumPy's `quantile`. Interpolates linearly between two
    /// elements. NaN if any element is NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, 1.0, 3.0, 2.0]);
    /// assert_eq!(x.quantile(0.5).item()?, 2.5);
    /// assert_eq!(x.quantile(0.25).item()?, 1.75);
    /// # Ok(()) });
    /// ```
    ///
    /// The position `q * (len - 1)` is computed in f64 on the host, and the interpolation in the elements' precision
    /// (f16 in f32): three roundings, so within 2 ULP of the larger neighbour and of their difference. Between two
    /// equal infinities, where NumPy gives NaN, the result is that infinity. For other element types see
    /// [`Array::nth`], or cast.
    ///
    /// Cost: one or two of [`Array::nth`], and one read that looks for NaN.
    ///
    /// Errors (kept in the array): `q` outside 0 to 1; no element; as for [`Array::sort`].
    #[track_caller]
    pub fn quantile(&self, q: f64) -> Array<T> {
        self.quantiled(Asked::of("quantile", "q", 1.0), q, &QuantileOptions::default())
    }

    /// As [`Array::quantile`], with [`QuantileOptions`].
    #[track_caller]
    pub fn quantile_with(&self, q: f64, options: &QuantileOptions) -> Array<T> {
        self.quantiled(Asked::of("quantile_with", "q", 1.0), q, options)
    }

    /// Like [`Array::quantile`], with `p` from 0 to 100.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, 1.0, 3.0, 2.0]);
    /// assert_eq!(x.percentile(100.0).item()?, 4.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn percentile(&self, p: f64) -> Array<T> {
        self.quantiled(Asked::of("percentile", "p", 100.0), p, &QuantileOptions::default())
    }

    /// As [`Array::percentile`], with [`QuantileOptions`].
    #[track_caller]
    pub fn percentile_with(&self, p: f64, options: &QuantileOptions) -> Array<T> {
        self.quantiled(Asked::of("percentile_with", "p", 100.0), p, options)
    }

    /// The median of all elements; for an even number of elements, the mean of the two in the middle. NaN if any
    /// element is NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, 1.0, 9.0]);
    /// assert_eq!(x.median().item()?, 4.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost and errors: as for [`Array::quantile`].
    #[track_caller]
    pub fn median(&self) -> Array<T> {
        self.quantiled(Asked::of("median", "q", 1.0), 0.5, &QuantileOptions::default())
    }

    /// As [`Array::median`] along an axis; negative numbers count from the end. The result lacks this axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2], &[1.0f32, 3.0, 8.0, 5.0]);
    /// assert_eq!(x.median_axis(1).to_vec()?, [2.0, 6.5]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn median_axis(&self, axis: isize) -> Array<T> {
        self.quantiled(Asked::of("median_axis", "q", 1.0), 0.5, &QuantileOptions::default().axis(axis))
    }

    /// As [`Array::median`] over some axes together ([`Axes`]): NumPy's `median` with a tuple of axes.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2, 2], &[1.0f32, 3.0, 8.0, 5.0, 2.0, 9.0, 7.0, 4.0]);
    /// assert_eq!(x.median_axes([0, 2]).to_vec()?, [2.5, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: as for [`Array::quantile`]; the array is copied where several axes are not its last. Errors (kept in the array): no
    /// element; an axis out of range, or given twice; as for [`Array::sort`].
    #[track_caller]
    pub fn median_axes(&self, axes: impl Into<Axes>) -> Array<T> {
        self.quantiled(Asked::of("median_axes", "q", 1.0), 0.5, &QuantileOptions::default().axes(axes))
    }

    /// Several quantiles of all elements: NumPy's `quantile` with a list. The result's axis is that of `qs`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, 1.0, 3.0, 2.0]);
    /// assert_eq!(x.quantiles(&[0.0, 0.25, 0.5]).to_vec()?, [1.0, 1.75, 2.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors: as for [`Array::quantile`]. Cost: one sort for all of them.
    #[track_caller]
    pub fn quantiles(&self, qs: &[f64]) -> Array<T> {
        self.several(Asked::of("quantiles", "qs", 1.0), qs, &QuantileOptions::default())
    }

    /// As [`Array::quantiles`], with [`QuantileOptions`]; the axis of `qs` is the result's first.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::QuantileOptions;
    /// let x = Array::from_shape(device, &[2, 3], &[1.0f32, 5.0, 2.0, 9.0, 7.0, 8.0]);
    /// let ends = x.quantiles_with(&[0.0, 1.0], &QuantileOptions::default().axis(1));
    /// assert_eq!((ends.shape(), ends.to_vec()?), (&[2, 2][..], vec![1.0, 7.0, 5.0, 9.0]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn quantiles_with(&self, qs: &[f64], options: &QuantileOptions) -> Array<T> {
        self.several(Asked::of("quantiles_with", "qs", 1.0), qs, options)
    }

    /// Like [`Array::quantiles`], with `ps` from 0 to 100: NumPy's `percentile` with a list.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, 1.0, 3.0, 2.0, 5.0]);
    /// assert_eq!(x.percentiles(&[25.0, 50.0, 75.0]).to_vec()?, [2.0, 3.0, 4.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn percentiles(&self, ps: &[f64]) -> Array<T> {
        self.several(Asked::of("percentiles", "ps", 100.0), ps, &QuantileOptions::default())
    }

    /// As [`Array::percentiles`], with [`QuantileOptions`]; the axis of `ps` is the result's first.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Interpolation, QuantileOptions};
    /// let x = Array::from_slice(device, &[4.0f32, 1.0, 3.0, 2.0]);
    /// let lower = QuantileOptions::default().interpolation(Interpolation::Lower);
    /// assert_eq!(x.percentiles_with(&[25.0, 50.0], &lower).to_vec()?, [1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn percentiles_with(&self, ps: &[f64], options: &QuantileOptions) -> Array<T> {
        self.several(Asked::of("percentiles_with", "ps", 100.0), ps, options)
    }

    fn quantiled(&self, asked: Asked, q: f64, options: &QuantileOptions) -> Array<T> {
        let found = self.found(asked, &[q], options);
        found.map_or_else(|error| Array::failed(self.device(), error), |mut found| found.remove(0))
    }

    fn several(&self, asked: Asked, qs: &[f64], options: &QuantileOptions) -> Array<T> {
        let found = self.found(asked, qs, options);
        let stacked = found.and_then(|found| Array::stack(&found.iter().collect::<Vec<_>>(), 0));
        stacked.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// An array for each quantile.
    fn found(&self, asked: Asked, qs: &[f64], options: &QuantileOptions) -> Result<Vec<Array<T>>> {
        asked.check(qs)?;
        let joined = Joined::of(asked.operation, self, &options.over(), asked.at)?;
        let (array, axis) = (&joined.array, joined.axis as isize);
        let ranked = Ranked::new(asked.operation, array, axis, qs.len() > 1, asked.at)?;
        // NaN where there is one.
        let largest = array.max_axes(axis);
        let one = |&q: &f64| {
            let (place, way) = options.interpolation.place(q / asked.whole, ranked.length());
            let low = ranked.place(place);
            let found = match (way > 0.0).then(|| ranked.place(place + 1)) {
                None => low,
                Some(high) if T::DTYPE == DType::F16 => between(&low.cast::<f32>(), &high.cast(), way).cast(),
                Some(high) => between(&low, &high, way),
            };
            largest.is_nan().select(&largest, &found).reshape(&joined.shape)
        };
        Ok(qs.iter().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numpys() {
        let places = |interpolation: Interpolation| [0.0, 0.3, 0.5, 1.0].map(|q| interpolation.place(q, 6));
        assert_eq!(places(Interpolation::Linear), [(0, 0.0), (1, 0.5), (2, 0.5), (5, 0.0)]);
        assert_eq!(places(Interpolation::Lower).map(|place| place.0), [0, 1, 2, 5]);
        assert_eq!(places(Interpolation::Higher).map(|place| place.0), [0, 2, 3, 5]);
        assert_eq!(places(Interpolation::Nearest).map(|place| place.0), [0, 2, 2, 5]);
        assert_eq!(places(Interpolation::Midpoint), [(0, 0.0), (1, 0.5), (2, 0.5), (5, 0.0)]);
    }
}
