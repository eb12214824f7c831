//! The frequencies of a transform's values, and zero in the middle.

use crate::array::shapes::axes::Axes;
use crate::array::{Array, create};
use crate::device::Device;
use crate::element::{DType, Element};
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

impl Array<f32> {
    /// The frequencies of a transform of `length` values that lie `spacing` apart, in cycles: NumPy's `fftfreq`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let frequencies = crosslane::Array::fftfreq(device, 4, 0.25);
    /// assert_eq!(frequencies.to_vec()?, [0.0, 1.0, -2.0, -1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more values than the host or the device has memory for.
    #[track_caller]
    pub fn fftfreq(device: &Device, length: usize, spacing: f64) -> Array<f32> {
        let turn = |k: usize| if k < length.div_ceil(2) { k as f64 } else { k as f64 - length as f64 };
        let frequency = |k: usize| (turn(k) / (length as f64 * spacing)) as f32;
        Array::kept(device, values("fftfreq", device, length, frequency, Location::caller()))
    }

    /// The frequencies of [`Array::rfft`]: NumPy's `rfftfreq`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let frequencies = crosslane::Array::rfftfreq(device, 4, 0.25);
    /// assert_eq!(frequencies.to_vec()?, [0.0, 1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fftfreq`].
    #[track_caller]
    pub fn rfftfreq(device: &Device, length: usize, spacing: f64) -> Array<f32> {
        let frequency = |k: usize| (k as f64 / (length as f64 * spacing)) as f32;
        let count = if length == 0 { 0 } else { length / 2 + 1 };
        Array::kept(device, values("rfftfreq", device, count, frequency, Location::caller()))
    }
}

/// So many values of a function, computed on the host.
fn values(
    operation: &'static str,
    device: &Device,
    count: usize,
    value: impl Fn(usize) -> f32,
    at: CallSite,
) -> Result<Array<f32>> {
    create::holds(operation, device, DType::F32, count, at)?;
    let mut values: Vec<f32> = crosslane_core::memory::room(operation, count, at)?;
    values.extend((0..count).map(value));
    Ok(Array::from_slice(device, &values))
}

impl<T: Element> Array<T> {
    /// With the frequency 0 in the middle of these axes: NumPy's `fftshift`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0, 1, 2, -2, -1]);
    /// assert_eq!(x.fftshift(0).to_vec()?, [-2, -1, 0, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range or given twice.
    #[track_caller]
    pub fn fftshift(&self, axes: impl Into<Axes>) -> Array<T> {
        self.shifted("fftshift", &axes.into(), |length| length / 2, Location::caller())
    }

    /// The inverse of [`Array::fftshift`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[-2, -1, 0, 1, 2]);
    /// assert_eq!(x.ifftshift(0).to_vec()?, [0, 1, 2, -2, -1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range or given twice.
    #[track_caller]
    pub fn ifftshift(&self, axes: impl Into<Axes>) -> Array<T> {
        self.shifted("ifftshift", &axes.into(), |length| length.div_ceil(2), Location::caller())
    }

    fn shifted(&self, operation: &'static str, axes: &Axes, shift: impl Fn(usize) -> usize, at: CallSite) -> Array<T> {
        let result = || -> Result<Array<T>> {
            let places = axes.once(operation, self.check()?.rank(), at)?;
            Ok(places.into_iter().fold(self.clone(), |x, place| {
                let shift = shift(x.shape()[place]) as isize;
                x.roll_axes(&[shift], place as isize)
            }))
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }
}
