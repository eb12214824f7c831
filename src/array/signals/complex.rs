//! Filters in time of complex signals. Coefficients are real, so that each part of a signal is filtered for itself.

use crate::array::Array;
use crate::element::Part;
use num_complex::Complex;

impl<R: Part> Array<Complex<R>> {
    /// As [`Array::lfilter`] of real signals, which filters each part: SciPy's `lfilter` with real coefficients.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(0.0, 0.0)]);
    /// let y = z.lfilter(&[1.0], &[1.0, -0.5], 0);
    /// assert_eq!(y.to_vec()?, [Complex::new(1.0, 2.0), Complex::new(0.5, 1.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn lfilter(&self, b: &[f64], a: &[f64], axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().lfilter(b, a, axis), self.imag().lfilter(b, a, axis))
    }

    /// As [`Array::lfilter_from`] of real signals, which filters each part; states are complex.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0)]);
    /// let states = Array::full(device, &[1], Complex::new(0.5, 0.0));
    /// let (y, states) = z.lfilter_from(&[1.0], &[1.0, -0.5], 0, &states);
    /// assert_eq!((y.item()?, states.item()?), (Complex::new(1.5, 2.0), Complex::new(0.75, 1.0)));
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn lfilter_from(
        &self,
        b: &[f64],
        a: &[f64],
        axis: isize,
        states: &Array<Complex<R>>,
    ) -> (Array<Complex<R>>, Array<Complex<R>>) {
        let (re, re_states) = self.real().lfilter_from(b, a, axis, &states.real());
        let (im, im_states) = self.imag().lfilter_from(b, a, axis, &states.imag());
        (Array::complex(&re, im), Array::complex(&re_states, im_states))
    }

    /// As [`Array::sosfilt`] of real signals, which filters each part: SciPy's `sosfilt`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(0.0, 0.0)]);
    /// let y = z.sosfilt(&[[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], 0);
    /// assert_eq!(y.to_vec()?, [Complex::new(1.0, 2.0), Complex::new(0.5, 1.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn sosfilt(&self, sos: &[[f64; 6]], axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().sosfilt(sos, axis), self.imag().sosfilt(sos, axis))
    }

    /// As [`Array::sosfilt_from`] of real signals, which filters each part; states are complex.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0)]);
    /// let nothing = Array::zeros(device, &[1, 2]);
    /// let (y, states) = z.sosfilt_from(&[[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], 0, &nothing);
    /// assert_eq!((y.item()?, states.to_vec()?[0]), (Complex::new(1.0, 2.0), Complex::new(0.5, 1.0)));
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn sosfilt_from(
        &self,
        sos: &[[f64; 6]],
        axis: isize,
        states: &Array<Complex<R>>,
    ) -> (Array<Complex<R>>, Array<Complex<R>>) {
        let (re, re_states) = self.real().sosfilt_from(sos, axis, &states.real());
        let (im, im_states) = self.imag().sosfilt_from(sos, axis, &states.imag());
        (Array::complex(&re, im), Array::complex(&re_states, im_states))
    }

    /// As [`Array::filtfilt`] of real signals, which filters each part: SciPy's `filtfilt` with real coefficients.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let level = Array::full(device, &[20], Complex::new(2.0f32, -1.0));
    /// let same = level.filtfilt(&[0.5, 0.5], &[1.0], 0).to_vec()?;
    /// assert!((same[7] - Complex::new(2.0, -1.0)).norm() < 1e-6);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn filtfilt(&self, b: &[f64], a: &[f64], axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().filtfilt(b, a, axis), self.imag().filtfilt(b, a, axis))
    }

    /// As [`Array::sosfiltfilt`] of real signals, which filters each part: SciPy's `sosfiltfilt`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::{Band, butterworth};
    /// use crosslane::{Array, Complex};
    /// let sos = butterworth(3, Band::LowPass(0.2), 2.0)?;
    /// let level = Array::full(device, &[30], Complex::new(2.0f32, -1.0));
    /// let same = level.sosfiltfilt(&sos, 0).to_vec()?;
    /// assert!((same[7] - Complex::new(2.0, -1.0)).norm() < 1e-4);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn sosfiltfilt(&self, sos: &[[f64; 6]], axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().sosfiltfilt(sos, axis), self.imag().sosfiltfilt(sos, axis))
    }

    /// As [`Array::resample`] of real signals, of each part: SciPy's `resample`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let turn = [(1.0f32, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(re, im)| Complex::new(re, im));
    /// let y = Array::from_slice(device, &turn).resample(8, 0).to_vec()?;
    /// let h = 0.5f32.sqrt();
    /// assert!((y[1] - Complex::new(h, h)).norm() < 1e-6);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn resample(&self, count: usize, axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().resample(count, axis), self.imag().resample(count, axis))
    }

    /// As [`Array::resample_poly`] of real signals, which filters each part: SciPy's `resample_poly`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let ramp = Array::arange(device, 0.0f32, 120.0, 1.0);
    /// let y = Array::complex(&ramp, &ramp * -2.0).resample_poly(3, 2, 0);
    /// assert_eq!(y.shape(), [180]);
    /// assert!((y.to_vec()?[90] - Complex::new(60.0, -120.0)).norm() < 0.1);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[doc(alias = "upfirdn")]
    #[track_caller]
    pub fn resample_poly(&self, up: usize, down: usize, axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().resample_poly(up, down, axis), self.imag().resample_poly(up, down, axis))
    }

    /// As [`Array::decimate`] of real signals, which filters each part: SciPy's `decimate(.., ftype='fir')`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let level = Array::full(device, &[200], Complex::new(1.0f32, -2.0));
    /// let y = level.decimate(4, 0);
    /// assert!(y.shape() == [50] && (y.to_vec()?[25] - Complex::new(1.0, -2.0)).norm() < 1e-5);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn decimate(&self, factor: usize, axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().decimate(factor, axis), self.imag().decimate(factor, axis))
    }

    /// As [`Array::decimate_iir`] of real signals, which filters each part: SciPy's `decimate` by its defaults.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let level = Array::full(device, &[200], Complex::new(1.0f32, -2.0));
    /// let y = level.decimate_iir(4, 0);
    /// assert!(y.shape() == [50] && (y.to_vec()?[25] - Complex::new(0.98855, -1.9771)).norm() < 3e-4);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy and errors as there. Cost: twice that, and a launch that joins both parts.
    #[track_caller]
    pub fn decimate_iir(&self, factor: usize, axis: isize) -> Array<Complex<R>> {
        Array::complex(&self.real().decimate_iir(factor, axis), self.imag().decimate_iir(factor, axis))
    }
}
