//! Convolution and correlation by transforms, and the analytic signal.

use super::Transform;
use crate::array::Array;
use crate::element::Part;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::fft::next_smooth;
use num_complex::Complex;
use std::panic::Location;

/// Which part of a convolution: NumPy's `mode`. Of a kernel longer than the array [`Array::convolve`] has fewer values, as its
/// page says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All of it: `n + m - 1` values.
    #[default]
    Full,
    /// The middle, as long as the longer input.
    Same,
    /// Where both overlap whole: `max(n, m) - min(n, m) + 1` values.
    Valid,
}

impl<P: Part> Array<P> {
    /// The convolution with a kernel of one dimension along the last axis, by transforms: SciPy's `fftconvolve`.
    /// Of a kernel longer than the array [`ConvolveMode::Same`](Mode::Same) is as long as the kernel, as NumPy's; SciPy's is as
    /// long as the array.
    ///
    /// Cost: two transforms of the array's rows and one of the kernel, of the next length of small primes.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvolveMode;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// let kernel = Array::from_slice(device, &[1.0f32, 1.0]);
    /// crosslane::assert_close(&x.fft_convolve(&kernel, ConvolveMode::Full).to_vec()?, &[1.0, 3.0, 5.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a kernel of another rank, on another device, or without values; an array without axes.
    #[doc(alias = "fftconvolve")]
    #[track_caller]
    pub fn fft_convolve(&self, kernel: &Array<P>, mode: Mode) -> Array<P> {
        let result = self.convolved("fft_convolve", kernel, mode, false, Location::caller());
        result.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// The correlation with a pattern of one dimension along the last axis, by transforms: the convolution with the reversed
    /// pattern.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvolveMode;
    /// let x = Array::from_slice(device, &[0.0f32, 1.0, 2.0, 0.0]);
    /// let pattern = Array::from_slice(device, &[1.0f32, 2.0]);
    /// let found = x.fft_correlate(&pattern, ConvolveMode::Valid);
    /// crosslane::assert_close(&found.to_vec()?, &[2.0, 5.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft_convolve`].
    #[track_caller]
    pub fn fft_correlate(&self, pattern: &Array<P>, mode: Mode) -> Array<P> {
        let result = self.convolved("fft_correlate", pattern, mode, true, Location::caller());
        result.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    pub(in crate::array) fn convolved(
        &self,
        operation: &'static str,
        kernel: &Array<P>,
        mode: Mode,
        reversed: bool,
        at: CallSite,
    ) -> Result<Array<P>> {
        let whole = Transform::along(operation, self, -1, at)?;
        let &[taps] = kernel.check()?.shape() else {
            let got = format!("{:?}", kernel.shape());
            return Err(Error::argument(operation, "kernel", "one axis", got, at));
        };
        if taps == 0 {
            return Err(Error::argument(operation, "kernel", "values", "none", at));
        }
        let (n, full) = (whole.length, whole.length + taps - 1);
        let length = next_smooth(full);
        let forward = Transform { length, kept: length / 2 + 1, ..whole };
        let kernel = if reversed { kernel.flip(0) } else { kernel.clone() };
        let other: Array<Complex<P>> = Transform { axis: 0, ..forward }.of(&kernel)?;
        let own: Array<Complex<P>> = forward.of(self)?;
        let (inverse, scale) = (true, 1.0 / length as f64);
        let back = Transform { length, inverse, half: true, kept: full, scale, ..whole };
        let result: Array<P> = back.of(&(&own * &other))?;
        let (long, short) = (n.max(taps), n.min(taps));
        let (first, count) = match mode {
            Mode::Full => (0, full),
            Mode::Same => ((full - long) / 2, long),
            Mode::Valid => (short - 1, long - short + 1),
        };
        Ok(result.narrow(whole.axis, first, count))
    }

    /// The analytic signal along the last axis: this array as its real part, its Hilbert transform as the imaginary one. SciPy's
    /// `hilbert`. The absolute value is the envelope.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let turns = Array::arange(device, 0.0f32, 8.0, 1.0) * (std::f32::consts::TAU / 8.0);
    /// let envelope = turns.cos().analytic_signal().abs();
    /// crosslane::assert_close(&envelope.to_vec()?, &[1.0; 8]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis, or one without values.
    #[doc(alias = "hilbert")]
    #[track_caller]
    pub fn analytic_signal(&self) -> Array<Complex<P>> {
        let at = Location::caller();
        let result = || {
            let whole = Transform::along("analytic_signal", self, -1, at)?;
            let n = whole.length;
            // Only frequencies that are not negative, those with a negative twin twice: zeros follow the first half.
            let kept = n / 2 + 1;
            let spectrum: Array<Complex<P>> = Transform { kept, ..whole }.of(self)?;
            let factor = |k: usize| if k == 0 || 2 * k == n { 1.0 } else { 2.0 };
            let factors = Array::from_slice(self.device(), &(0..kept).map(factor).map(P::rounded).collect::<Vec<P>>());
            let back = Transform { inverse: true, scale: 1.0 / n as f64, ..whole };
            back.of(&(spectrum * factors.cast::<Complex<P>>()))
        };
        result().unwrap_or_else(|error: Error| Array::failed(self.device(), error))
    }
}
