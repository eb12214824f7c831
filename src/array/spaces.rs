//! Numbers at equal ratios.

use crate::array::{Array, create};
use crate::device::Device;
use crate::element::{Float, Scalar};
use crosslane_core::error::{CallSite, Error};
use std::panic::Location;

impl<T: Float> Array<T> {
    /// `count` powers of 10 whose exponents lie at equal distances from `start` to `stop`, both included: NumPy's
    /// `logspace`.
    ///
    /// Cost: computed on the host in f64 and rounded once, then uploaded, unlike [`Array::linspace`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::logspace(device, 0.0f32, 3.0, 4).to_vec()?, [1.0, 10.0, 100.0, 1000.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn logspace(device: &Device, start: T, stop: T, count: usize) -> Array<T> {
        let [start, stop] = [start, stop].map(|x| x.scalar().to_f64());
        let power = |i: usize| 10f64.powf(place(start, stop, i, count));
        Array::computed("logspace", device, count, power, Location::caller())
    }

    /// `count` numbers from `start` to `stop`, both included, each the same multiple of the one before: NumPy's
    /// `geomspace`.
    ///
    /// Cost: as [`Array::logspace`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::geomspace(device, -1.0f32, -8.0, 4).to_vec()?, [-1.0, -2.0, -4.0, -8.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`]; ends that are 0, or of which one is negative.
    #[track_caller]
    pub fn geomspace(device: &Device, start: T, stop: T, count: usize) -> Array<T> {
        let at = Location::caller();
        let [from, to] = [start, stop].map(|x| x.scalar().to_f64());
        if from * to.signum() <= 0.0 || to == 0.0 {
            let got = format!("{start:?} and {stop:?}");
            return Array::failed(device, Error::argument("geomspace", "ends", "two of one sign, not 0", got, at));
        }
        let (low, high) = (from.abs().ln(), to.abs().ln());
        let number = |i: usize| match i {
            0 => from,
            _ if i + 1 == count => to,
            _ => place(low, high, i, count).exp().copysign(from),
        };
        Array::computed("geomspace", device, count, number, at)
    }

    /// Numbers that the host computes, by their places.
    fn computed(
        operation: &'static str,
        device: &Device,
        count: usize,
        number: impl Fn(usize) -> f64,
        at: CallSite,
    ) -> Array<T> {
        if let Err(error) = create::check::<T>(operation, device, &[count], at) {
            return Array::failed(device, error);
        }
        Array::from_iter(device, (0..count).map(|i| T::from_scalar(Scalar::from_f64(T::DTYPE, number(i)))))
    }
}

/// The `i`th of this many numbers at equal distances.
fn place(start: f64, stop: f64, i: usize, count: usize) -> f64 {
    if i > 0 && i + 1 == count { stop } else { start + (stop - start) * (i as f64 / (count.max(2) - 1) as f64) }
}
