//! The frequencies of a transform's values, and zero in the middle.

use crate::array::Array;
use crate::array::shapes::axes::Axes;
use crate::device::Device;
use crate::element::Element;
use crate::error::{CallSite, Result};
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
    pub fn fftfreq(device: &Device, length: usize, spacing: f64) -> Array<f32> {
        let frequency = |k: usize| {
            let k = if k < length.div_ceil(2) { k as f64 } else { k as f64 - length as f64 };
            (k / (length as f64 * spacing)) as f32
        };
        Array::from_slice(device, &(0..length).map(frequency).collect::<Vec<f32>>())
    }

    /// The frequencies of [`Array::rfft`]: NumPy's `rfftfreq`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let frequencies = crosslane::Array::rfftfreq(device, 4, 0.25);
    /// assert_eq!(frequencies.to_vec()?, [0.0, 1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    pub fn rfftfreq(device: &Device, length: usize, spacing: f64) -> Array<f32> {
        let frequency = |k: usize| (k as f64 / (length as f64 * spacing)) as f32;
        let count = if length == 0 { 0 } else { length / 2 + 1 };
        Array::from_slice(device, &(0..count).map(frequency).collect::<Vec<f32>>())
    }
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
