//! Medians and quantiles that leave out NaN: NumPy's `nanmedian` and `nanquantile`.
//!
//! A sort puts NaN last, so that a row's quantile lies among as many elements as are no NaN. That number is known to the device
//! only, and with it the place.

use crate::array::orders::joined::Joined;
use crate::array::orders::quantile::{Asked, Interpolation, QuantileOptions, on_line};
use crate::array::shapes::axes::Axes;
use crate::array::{Array, axes};
use crate::element::{DType, Float};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::OutOfRange;
use std::panic::Location;

/// Where quantiles lie: before or at which place, and how far on the way to the next.
struct Between<W: Float> {
    low: Array<u32>,
    way: Array<W>,
}

/// The product of whole numbers with one, as its upper and its lower word.
fn wide_product(a: &Array<u32>, b: u32) -> (Array<u32>, Array<u32>) {
    let (a_low, a_high) = (a & 0xffffu32, a >> 16u32);
    let (b_low, b_high) = (b & 0xffff, b >> 16);
    let first = &a_low * b_low;
    let second = &a_high * b_low + (&first >> 16u32);
    let third = a_low * b_high + (&second & 0xffffu32);
    let high = a_high * b_high + (second >> 16u32) + (&third >> 16u32);
    (high, (third << 16u32) + (first & 0xffffu32))
}

/// `q` times whole numbers, whose fractions have 32 bits: where the f64 product that NumPy rounds is a whole number, this is too.
fn fixed_product(steps: &Array<u32>, q: f64) -> (Array<u32>, Array<u32>) {
    if q >= 1.0 {
        return (steps.clone(), steps.full_like(0));
    }
    // 64 bits of q; a float to an integer saturates.
    let bits = (q * 2f64.powi(64)) as u64;
    let (whole, parts) = wide_product(steps, (bits >> 32) as u32);
    let (carried, _) = wide_product(steps, bits as u32);
    let fraction = &parts + carried;
    let whole = whole + fraction.less(&parts).cast::<u32>();
    // f64 rounds by up to 2^-53 of the product, and 64 bits of q by less than one in the last bit of the fraction.
    let near = (&whole >> 20u32) + 1u32;
    let above = fraction.greater_equal(&(!&near + 1u32));
    let below = fraction.less(&near) & whole.greater(0u32);
    // Before the first whole number f64 has what is smaller than the last bit.
    let least = if q > 0.0 { steps.minimum(1u32) } else { steps.full_like(0) };
    let some = whole.equal(0u32).select(fraction.maximum(&least), &fraction);
    (whole + above.cast::<u32>(), (above | below).select(0u32, some))
}

impl<W: Float> Between<W> {
    /// Of rows with so many elements after the first one.
    fn of(steps: &Array<u32>, q: f64, interpolation: Interpolation) -> Between<W> {
        let linear = match W::DTYPE {
            DType::F64 => {
                let place = steps.cast::<f64>() * q;
                let low = place.floor();
                Between { low: low.cast(), way: (place - &low).cast() }
            }
            _ => {
                let (low, fraction) = fixed_product(steps, q);
                Between { low, way: fraction.cast::<W>() * Array::<W>::scalar(2f64.powi(-32)) }
            }
        };
        linear.rounded(interpolation)
    }

    fn rounded(self, interpolation: Interpolation) -> Between<W> {
        let Between { low, way } = self;
        let [none, half] = [0.0, 0.5].map(Array::<W>::scalar);
        let whole = |low: Array<u32>| Between { low, way: &way * none };
        match interpolation {
            Interpolation::Linear => Between { low, way },
            Interpolation::Lower => whole(low),
            Interpolation::Higher => whole(low + way.greater(none).cast::<u32>()),
            Interpolation::Nearest => {
                let even = way.equal(half).select(&low & 1u32, way.greater(half).cast::<u32>());
                whole(low + even)
            }
            Interpolation::Midpoint => Between { low, way: way.greater(none).select(half, none) },
        }
    }

    /// Between two elements, at one place each or each between two.
    fn interpolate(&self, low: &Array<W>, high: &Array<W>) -> Array<W> {
        let [one, half] = [1.0, 0.5].map(Array::<W>::scalar);
        let (distance, rest) = (high - low, self.way.full_like(one) - &self.way);
        let line = self.way.less(half).select(low + &distance * &self.way, high - &distance * &rest);
        let parts = low * rest + high * &self.way;
        on_line(low, high, line, parts)
    }
}

/// Sorted rows, and how many of their elements are numbers.
struct Present<T: Float> {
    joined: Joined<T>,
    sorted: Array<T>,
    count: Array<u32>,
}

impl<T: Float> Present<T> {
    fn of(operation: &'static str, array: &Array<T>, over: &Axes, at: CallSite) -> Result<Present<T>> {
        let joined = Joined::of(operation, array, over, at)?;
        if joined.length() > u32::MAX as usize {
            let (wanted, got) = ("fewer than 2^32 elements for a result", joined.length().to_string());
            return Err(Error::argument(operation, "axes", wanted, got, at));
        }
        let axis = joined.axis as isize;
        let (sorted, count) = (joined.array.sort_axis(axis), joined.array.present(&axes(axis).keep_dims()));
        Ok(Present { joined, sorted, count })
    }

    fn place(&self, index: &Array<u32>) -> Array<T> {
        self.sorted.take_along_axis(index, self.joined.axis as isize, OutOfRange::Clamp)
    }

    fn quantile<W: Float>(&self, q: f64, interpolation: Interpolation) -> Array<T> {
        let steps = self.count.maximum(1u32) - 1u32;
        let between = Between::<W>::of(&steps, q, interpolation);
        let next = between.way.greater(Array::<W>::scalar(0.0)).cast::<u32>();
        let (low, high) = (self.place(&between.low).cast(), self.place(&(&between.low + next)).cast());
        between.interpolate(&low, &high).cast::<T>().reshape(&self.joined.shape)
    }
}

impl<T: Float> Array<T> {
    /// The median of what is not NaN; of an even number of elements the mean of the two in the middle. NaN if all are
    /// NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, f32::NAN, 9.0, 1.0]);
    /// assert_eq!(x.nan_median().item()?, 4.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: a sort, and two gathers of one element for each result. Errors (kept in the array): no element; as for
    /// [`Array::sort`].
    #[track_caller]
    pub fn nan_median(&self) -> Array<T> {
        Array::kept(self.device(), self.median_present("nan_median", &Axes::from(..), Location::caller()))
    }

    /// As [`Array::nan_median`] along an axis; negative numbers count from the end. The result lacks this axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, f32::NAN, 8.0, 5.0]).reshape(&[2, 2]);
    /// assert_eq!(x.nan_median_axis(1).to_vec()?, [1.0, 6.5]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_median_axis(&self, axis: isize) -> Array<T> {
        Array::kept(self.device(), self.median_present("nan_median_axis", &axes(axis), Location::caller()))
    }

    /// As [`Array::nan_median`] over some axes together ([`Axes`]): NumPy's `nanmedian` with a tuple of axes.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 8.0, f32::NAN]).reshape(&[2, 1, 2]);
    /// assert_eq!(x.nan_median_axes([0, 2]).to_vec()?, [3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: as [`Array::nan_median`]; the array is copied where several axes are not its last. Errors (kept in the array): no
    /// element; an axis out of range, or given twice; 2^32 elements for a result; as for [`Array::sort`].
    #[track_caller]
    pub fn nan_median_axes(&self, axes: impl Into<Axes>) -> Array<T> {
        Array::kept(self.device(), self.median_present("nan_median_axes", &axes.into(), Location::caller()))
    }

    fn median_present(&self, operation: &'static str, axes: &Axes, at: CallSite) -> Result<Array<T>> {
        let rows = Present::of(operation, self, axes, at)?;
        let (low, high) = (rows.place(&((rows.count.maximum(1u32) - 1u32) / 2u32)), rows.place(&(&rows.count / 2u32)));
        let half = Array::<T>::scalar(0.5);
        let middle = low.equal(&high).select(&low, &low * half + &high * half);
        Ok(middle.reshape(&rows.joined.shape))
    }

    /// The `q`-quantile of what is not NaN, `q` from 0 to 1: NumPy's `nanquantile`. Interpolates linearly between two elements.
    /// NaN if all are NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, f32::NAN, 1.0, 3.0, 2.0]);
    /// assert_eq!(x.nan_quantile(0.25).item()?, 1.75);
    /// # Ok(()) });
    /// ```
    ///
    /// The position, `q` times the number of elements less one, is that of f64 to within 2^-32 of an element, of f64 elements the
    /// same. Interpolation and accuracy are those of [`Array::quantile`].
    ///
    /// Cost: a sort, a count, and two gathers of one element for each result. Errors (kept in the array): `q` outside 0 to 1; no
    /// element; 2^32 elements for a result; as for [`Array::sort`].
    #[track_caller]
    #[doc(alias = "nanquantile")]
    #[doc(alias = "nanpercentile")]
    pub fn nan_quantile(&self, q: f64) -> Array<T> {
        self.quantile_present(Asked::of("nan_quantile", "q", 1.0), q, &QuantileOptions::default())
    }

    /// As [`Array::nan_quantile`], with [`QuantileOptions`]: axes, the interpolation.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::{Interpolation, QuantileOptions};
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, f32::NAN, 9.0, 1.0]).reshape(&[1, 2, 2]);
    /// let lower = QuantileOptions::default().axes([0, 1]).interpolation(Interpolation::Lower);
    /// assert_eq!(x.nan_quantile_with(0.9, &lower).to_vec()?, [4.0, 1.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_quantile_with(&self, q: f64, options: &QuantileOptions) -> Array<T> {
        self.quantile_present(Asked::of("nan_quantile_with", "q", 1.0), q, options)
    }

    /// Several quantiles of what is not NaN, with one sort: NumPy's `nanquantile` with a list. The axis of `qs` is the result's
    /// first.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::QuantileOptions;
    /// let x = crosslane::Array::from_slice(device, &[4.0f32, f32::NAN, 9.0, 1.0]).reshape(&[2, 2]);
    /// let ends = x.nan_quantiles_with(&[0.0, 1.0], &QuantileOptions::default().axis(1));
    /// assert_eq!((ends.shape(), ends.to_vec()?), (&[2, 2][..], vec![4.0, 1.0, 4.0, 9.0]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_quantiles_with(&self, qs: &[f64], options: &QuantileOptions) -> Array<T> {
        let found = self.quantiles_present(Asked::of("nan_quantiles_with", "qs", 1.0), qs, options);
        let stacked = found.and_then(|found| Array::stack(&found.iter().collect::<Vec<_>>(), 0));
        Array::kept(self.device(), stacked)
    }

    fn quantile_present(&self, asked: Asked, q: f64, options: &QuantileOptions) -> Array<T> {
        let found = self.quantiles_present(asked, &[q], options);
        Array::kept(self.device(), found.map(|mut found| found.remove(0)))
    }

    /// An array for each quantile.
    fn quantiles_present(&self, asked: Asked, qs: &[f64], options: &QuantileOptions) -> Result<Vec<Array<T>>> {
        asked.check(qs)?;
        let rows = Present::of(asked.operation, self, &options.over(), asked.at)?;
        let one = |&q: &f64| match T::DTYPE {
            DType::F16 => rows.quantile::<f32>(q / asked.whole, options.interpolation),
            _ => rows.quantile::<T>(q / asked.whole, options.interpolation),
        };
        Ok(qs.iter().map(one).collect())
    }
}
