//! Signals at a rate that is lower by a whole factor.

use super::Band;
use super::chebyshev;
use super::design::weights;
use super::lfilter::place;
use super::resample::MOST;
use crate::array::{Array, Window};
use crate::element::Part;
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

/// The order of the recursive filter, its ripple in decibels, and its bound as a share of half the lower rate: SciPy's.
const ORDER: usize = 8;
const RIPPLE: f64 = 0.05;
const BOUND: f64 = 0.8;
/// The highest factor for a recurrence in f32.
const MOST_OF_F32: usize = 256;

impl<R: Part> Array<R> {
    /// Every so-many-th value along an axis, after a low-pass filter of `20 factor + 1` weights by a Hamming window that shifts no phase:
    /// SciPy's `decimate(.., ftype='fir')`. At half the lower rate the amplitude is half; [`Array::decimate_iir`] is steeper.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::<f32>::ones(device, &[200]);
    /// let y = x.decimate(4, 0);
    /// assert!(y.shape() == [50] && (y.to_vec()?[25] - 1.0).abs() < 1e-5);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: one launch: a correlation with steps; from a factor of 75 on a product as of [`Array::resample_poly`]. Error: that of a sum of `20 factor` products.
    ///
    /// Errors (kept in the array): a factor of 0 or above 2^20; an axis out of range.
    #[track_caller]
    pub fn decimate(&self, factor: usize, axis: isize) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let axis = place("decimate", self, axis, at)?;
            valid("decimate", factor, MOST, at)?;
            if factor == 1 {
                return Ok(self.clone());
            }
            let taps = weights(20 * factor + 1, &[(0.0, 1.0 / factor as f64)], Window::Hamming);
            self.polyphase(&taps, 1, factor, axis)
        };
        Array::kept(self.device(), result())
    }

    /// Every so-many-th value along an axis, after a recursive low-pass filter forwards and backwards, which shifts no phase: SciPy's
    /// `decimate` by its defaults. The filter is [`chebyshev1`](crate::array::chebyshev1) of order 8 with a ripple of 0.05 dB up to 0.8
    /// of half the lower rate, by [`Array::sosfiltfilt`].
    ///
    /// After both passes what is kept is at most 0.1 dB lower, which is 1.2 %, and a constant is lower by just that; at half the lower
    /// rate the amplitude is 45 dB down or more. For one pass, another order or another ripple: [`Array::sosfilt`] and a slice with
    /// steps.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::<f32>::ones(device, &[200]);
    /// let y = x.decimate_iir(4, 0);
    /// assert!(y.shape() == [50] && (y.to_vec()?[25] - 0.98855).abs() < 1e-4);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: [`Array::sosfiltfilt`] over all values, and a copy of those that are kept. Error: that of the recurrence, up to
    /// `16 max(factor, 5)^2` roundings of the largest value, the continued ends' included: in f32 2e-4 of it for a factor of 13, 1e-2
    /// for 100. For more exact results decimate by two smaller factors one after the other, in f64 where the device has it, or by
    /// [`Array::decimate`].
    ///
    /// Errors (kept in the array): a factor of 0, above 256 in f32 or above 2^20 in f64; an axis out of range, or of less than 28
    /// values; as [`Array::sosfilt`].
    #[track_caller]
    pub fn decimate_iir(&self, factor: usize, axis: isize) -> Array<R> {
        let (operation, at) = ("decimate_iir", Location::caller());
        let result = || {
            let axis = place(operation, self, axis, at)?;
            valid(operation, factor, if R::DTYPE.size() == 4 { MOST_OF_F32 } else { MOST }, at)?;
            let band = Band::LowPass(BOUND / factor as f64);
            let sos = spread(chebyshev::sections(operation, ORDER, RIPPLE, band, 2.0, at)?);
            let filtered = self.sections_both_ways(operation, &sos, axis, at)?;
            let count = self.shape()[axis].div_ceil(factor);
            // The values that are not kept free their memory.
            Ok(filtered.part(axis, 0, factor as isize, count).copy())
        };
        Array::kept(self.device(), result())
    }
}

fn valid(operation: &'static str, factor: usize, most: usize, at: CallSite) -> Result<()> {
    match (1..=most).contains(&factor) {
        true => Ok(()),
        false => Err(Error::argument(operation, "factor", format!("1 to {most}"), factor.to_string(), at)),
    }
}

/// The gain, which is the first section's, spread evenly: that of a high factor is below the least f32.
fn spread(mut sos: Vec<[f64; 6]>) -> Vec<[f64; 6]> {
    let (gain, count) = (sos[0][0], sos.len());
    let even = gain.powf(1.0 / count as f64);
    for (nth, section) in sos.iter_mut().enumerate() {
        let factor = if nth == 0 { even / gain } else { even };
        section[..3].iter_mut().for_each(|value| *value *= factor);
    }
    sos
}
