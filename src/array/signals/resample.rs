//! Signals at other rates.

use super::design::weights;
use super::lfilter::place;
use crate::array::{Array, ConvolveOptions, FftOptions, PadMode, Window, gcd};
use crate::element::Part;
use crosslane_core::error::{Error, Result};
use num_complex::Complex;
use std::panic::Location;

/// The highest rates: weights are 20 times as many.
pub(super) const MOST: usize = 1 << 20;
/// Weights of a correlation with steps at most: the least workgroup memory holds these and a few windows.
const MOST_IN_TILES: usize = 1500;
/// Weights of a matrix at most, of the windows' length by the phases.
const MOST_WEIGHTS: usize = 1 << 26;

impl<R: Part> Array<R> {
    /// So many values of the periodic signal that an axis' values are of, by its frequencies: SciPy's `resample`. Frequencies above
    /// half the new rate are left out.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[0.0f32, 1.0, 0.0, -1.0]);
    /// let h = 0.5f32.sqrt();
    /// crosslane::assert_close(&x.resample(8, 0).to_vec()?, &[0.0, h, 1.0, h, 0.0, -h, -1.0, -h]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: two transforms. Error: theirs.
    ///
    /// Errors (kept in the array): a count of 0; an axis out of range or without values; as [`Array::rfft`].
    #[track_caller]
    pub fn resample(&self, count: usize, axis: isize) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let axis = place("resample", self, axis, at)?;
            let given = self.shape()[axis];
            if count == 0 || given == 0 {
                let wanted = "at least 1 value, of 1 at least";
                return Err(Error::argument("resample", "count", wanted, format!("{count} of {given}"), at));
            }
            let along = FftOptions::default().axes([axis as isize]);
            let spectrum = self.rfft_with(&along);
            let least = count.min(given);
            let kept = least / 2 + 1;
            // The middle frequency of an even number stands for two.
            let middle = match (least % 2, count.cmp(&given)) {
                (0, std::cmp::Ordering::Less) => 2.0,
                (0, std::cmp::Ordering::Greater) => 0.5,
                _ => 1.0,
            };
            let scale = count as f64 / given as f64;
            let factor = |k: usize| R::rounded(if k + 1 == kept { scale * middle } else { scale });
            let mut shape = vec![1; self.rank()];
            shape[axis] = kept;
            let factors = Array::from_slice(self.device(), &(0..kept).map(factor).collect::<Vec<R>>()).reshape(&shape);
            let part = spectrum.check()?.part(axis, 0, 1, kept) * factors.cast::<Complex<R>>();
            Ok(part.irfft_with(&along.lengths([count])))
        };
        Array::kept(self.device(), result())
    }

    /// Along an axis `up / down` times as many values, by a low-pass filter: SciPy's `resample_poly` by its defaults, a Kaiser window
    /// of 5 over 20 weights for each value of the lower rate, and zeros past the ends.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::arange(device, 0.0f32, 120.0, 1.0);
    /// let y = x.resample_poly(3, 2, 0);
    /// assert_eq!(y.shape(), [180]);
    /// assert!((y.to_vec()?[90] - 60.0).abs() < 0.05);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: one launch where `up` is 1 after reduction, and `down` below 75: a correlation with steps. Else the values with zeros around, of which windows
    /// `down` apart are multiplied by a matrix of the weights of each phase, and two copies.
    /// Error: that of a sum of some 20 products, or 20 for each value that is left out.
    ///
    /// Errors (kept in the array): `up` or `down` of 0, or above 2^20 after reduction; both so large that the matrix has more than
    /// 2^26 weights; an axis out of range.
    #[doc(alias = "upfirdn")]
    #[track_caller]
    pub fn resample_poly(&self, up: usize, down: usize, axis: isize) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let axis = place("resample_poly", self, axis, at)?;
            if up == 0 || down == 0 {
                let got = format!("{up} and {down}");
                return Err(Error::argument("resample_poly", "up, down", "at least 1", got, at));
            }
            let common = gcd(up, down);
            let (up, down) = (up / common, down / common);
            let (most, window) = (up.max(down), (20 * up.max(down).min(MOST) + 1) / up.min(MOST) + down.min(MOST));
            if most > MOST || window.saturating_mul(up) > MOST_WEIGHTS {
                let wanted = format!("at most {MOST}, and a matrix of at most {MOST_WEIGHTS} weights");
                return Err(Error::argument("resample_poly", "up, down", wanted, format!("{up} and {down}"), at));
            }
            if most == 1 {
                return Ok(self.clone());
            }
            let mut taps = weights(20 * most + 1, &[(0.0, 1.0 / most as f64)], Window::Kaiser(5.0));
            taps.iter_mut().for_each(|tap| *tap *= up as f64);
            self.polyphase(&taps, up, down, axis)
        };
        Array::kept(self.device(), result())
    }

    /// `result[i]` is the sum over j of `taps[i down + half - j up] x[j]`, of an odd number of weights.
    pub(super) fn polyphase(&self, taps: &[f64], up: usize, down: usize, axis: usize) -> Result<Array<R>> {
        let (half, given) = (taps.len() / 2, self.shape()[axis]);
        let count = given.saturating_mul(up).div_ceil(down);
        if self.is_empty() {
            let mut shape = self.shape().to_vec();
            shape[axis] = count;
            return Ok(Array::zeros(self.device(), &shape));
        }
        let x = self.move_axis(axis as isize, -1);
        let rounded = |values: Vec<f64>| values.into_iter().map(R::rounded).collect::<Vec<R>>();
        let zero = PadMode::Constant(R::rounded(0.0));
        if up == 1 && taps.len() <= MOST_IN_TILES {
            let taps = Array::from_slice(self.device(), &rounded(taps.iter().rev().copied().collect()));
            let options = ConvolveOptions::default().boundary(zero).steps([down]);
            return Ok(x.correlate_with(&taps, &options).check()?.move_axis(-1, axis as isize));
        }
        // Results i = q up + r, of windows that begin at q down - before. Phase r meets x[j] by taps[r down + half - (j - q down) up].
        let before = (taps.len() - 1 - half) / up;
        let after = ((up - 1) * down + half) / up;
        let length = before + after + 1;
        let weight = |at: usize| {
            let (j, r) = ((at / up) as i64 - before as i64, at % up);
            let tap = (r * down + half) as i64 - j * up as i64;
            usize::try_from(tap).ok().and_then(|tap| taps.get(tap)).copied().unwrap_or(0.0)
        };
        let matrix = Array::from_slice(self.device(), &rounded((0..length * up).map(weight).collect()));
        let windows = count.div_ceil(up);
        let end = ((windows - 1) * down + length).saturating_sub(before + given);
        let mut widths = vec![(0, 0); self.rank()];
        widths[self.rank() - 1] = (before, end);
        let products = x.pad(&widths, zero).windows(-1, length, down).matmul(&matrix.reshape(&[length, up]));
        // A window more may fit where `down` leaves a rest.
        let products = products.check()?;
        let by = products.rank() - 2;
        let products = products.part(by, 0, 1, windows);
        let flat = products.reshape(&[&products.shape()[..by], &[windows * up]].concat());
        Ok(flat.check()?.part(by, 0, 1, count).move_axis(-1, axis as isize))
    }
}
