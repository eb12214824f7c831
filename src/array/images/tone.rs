//! Light and contrast, value by value: elementwise work, which fuses.

use super::Pixel;
use super::channels::{of_shares, share};
use crate::array::Array;
use crate::array::shapes::axes::axis as place;
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

impl<T: Pixel<Sums = f32>> Array<T> {
    /// The light that sRGB values stand for, from 0 to 1: IEC 61966-2-1. Integers are shares of their largest. Fuses: no launch
    /// of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let light = device.array([0u8, 255]).srgb_to_linear();
    /// crosslane::assert_close(&light.to_vec()?, &[0.0, 1.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn srgb_to_linear(&self) -> Array<f32> {
        linear(&share::<T>(&self.cast()))
    }

    /// Each value to a power, as a share of the largest integer: scikit-image's `adjust_gamma`. Values below 0 become NaN, 0 of
    /// integers. Fuses.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(device.array([0u8, 64, 255]).adjust_gamma(0.5).to_vec()?, [0, 128, 255]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn adjust_gamma(&self, gamma: f64) -> Array<T> {
        of_shares(share::<T>(&self.cast()).pow(gamma as f32))
    }

    /// Each value times a contrast, with a brightness added: OpenCV's `convertTo`. Fuses.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(device.array([0u8, 100, 200]).adjust_contrast(1.5, -10.0).to_vec()?, [0, 140, 255]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn adjust_contrast(&self, contrast: f64, brightness: f64) -> Array<T> {
        Array::of_results(self.cast::<f32>() * contrast as f32 + brightness as f32)
    }

    /// Each channel less its mean, over its deviation, in f32; integers are shares of their largest: torchvision's `Normalize`
    /// after `ToTensor`. The channels are along an axis. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[2, 1, 1], &[255u8, 0]);
    /// assert_eq!(image.normalise_channels(&[0.5, 0.5], &[0.5, 0.25], 0).to_vec()?, [1.0, -2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range; another number of means or deviations than there are channels.
    #[track_caller]
    pub fn normalise_channels(&self, means: &[f64], deviations: &[f64], axis: isize) -> Array<f32> {
        let at = Location::caller();
        Array::kept(self.device(), self.less_means(means, deviations, axis, at))
    }

    fn less_means(&self, means: &[f64], deviations: &[f64], axis: isize, at: CallSite) -> Result<Array<f32>> {
        let axis = place("normalise_channels", axis, self.check()?.rank(), at)?;
        let channels = self.shape()[axis];
        if means.len() != channels || deviations.len() != channels {
            let wanted = format!("{channels} means and deviations, as there are channels");
            let got = format!("{} and {}", means.len(), deviations.len());
            return Err(Error::argument("normalise_channels", "means", wanted, got, at));
        }
        let mut shape = vec![1; self.rank()];
        shape[axis] = channels;
        let along = |numbers: Vec<f32>| Array::from_shape(self.device(), &shape, &numbers);
        let means = along(means.iter().map(|&mean| mean as f32).collect());
        let deviations = along(deviations.iter().map(|&deviation| deviation as f32).collect());
        Ok((share::<T>(&self.cast()) - means) / deviations)
    }
}

impl Array<f32> {
    /// sRGB values of light from 0 to 1, in a type: the inverse of [`Array::srgb_to_linear`]. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let light = device.array([0.0f32, 0.2158605, 1.0]);
    /// assert_eq!(light.linear_to_srgb::<u8>().to_vec()?, [0, 128, 255]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn linear_to_srgb<T: Pixel<Sums = f32>>(&self) -> Array<T> {
        of_shares(encoded(self))
    }
}

/// Light of sRGB values.
pub(super) fn linear(values: &Array<f32>) -> Array<f32> {
    let power = ((values + 0.055) / 1.055).maximum(0.0).pow(2.4);
    values.less_equal(0.04045).select(values / 12.92, power)
}

/// sRGB values of light.
pub(super) fn encoded(light: &Array<f32>) -> Array<f32> {
    let power = light.maximum(0.0).pow(1.0f32 / 2.4) * 1.055 - 0.055;
    light.less_equal(0.0031308).select(light * 12.92, power)
}
