//! Variances and standard deviations of complex numbers, which are real.

use crate::array::{Array, Axes};
use crate::element::Part;
use crosslane_core::error::CallSite;
use num_complex::Complex;
use std::panic::Location;

impl<R: Part> Array<Complex<R>> {
    /// The mean of `|z - mean|^2`, a real number, with the count less `freedom` as divisor (0: population, 1: sample): NumPy's
    /// `var` with its `ddof`. NaN for no elements, and where an element is NaN or infinite.
    ///
    /// It is the sum of the variances of both parts, each as of [`Array::variance`] of real numbers: in f32 within 2e-6 of its
    /// size, however far from 0.
    ///
    /// Cost: two reductions, one of each part; each reads the array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)]);
    /// assert_eq!(z.variance(0).item()?, 10.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    #[doc(alias = "var")]
    pub fn variance(&self, freedom: usize) -> Array<R> {
        self.variance_axes(.., freedom)
    }

    /// The variance over some axes ([`Axes`]): that of both parts together.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)]).reshape(&[2, 1]);
    /// assert_eq!(z.variance_axes(0, 1).to_vec()?, [20.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn variance_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<R> {
        self.complex_moments("variance", &axes.into(), freedom, Location::caller()).1
    }

    /// The standard deviation: the square root of [`Array::variance`], a real number. NumPy's `std`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(7.0, -6.0)]);
    /// assert_eq!(z.std(0).item()?, 5.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn std(&self, freedom: usize) -> Array<R> {
        self.std_axes(.., freedom)
    }

    /// The standard deviation over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(7.0, -6.0)]).reshape(&[1, 2]);
    /// assert_eq!(z.std_axes(1, 0).to_vec()?, [5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn std_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<R> {
        self.complex_moments("std", &axes.into(), freedom, Location::caller()).1.sqrt()
    }

    /// The mean and the variance over some axes ([`Axes`]): each as far from the exact one as [`Array::mean_variance`] of real
    /// numbers says of each part.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)]);
    /// let (mean, variance) = z.mean_variance(.., 0);
    /// assert_eq!((mean.item()?, variance.item()?), (Complex::new(2.0, -1.0), 10.0));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the arrays): an axis out of range, or given twice.
    #[track_caller]
    pub fn mean_variance(&self, axes: impl Into<Axes>, freedom: usize) -> (Array<Complex<R>>, Array<R>) {
        self.complex_moments("mean_variance", &axes.into(), freedom, Location::caller())
    }

    fn complex_moments(
        &self,
        operation: &'static str,
        axes: &Axes,
        freedom: usize,
        at: CallSite,
    ) -> (Array<Complex<R>>, Array<R>) {
        let (re, re_variance) = self.real().moments(operation, axes, freedom, at);
        let (im, im_variance) = self.imag().moments(operation, axes, freedom, at);
        (Array::complex(&re, &im), re_variance + im_variance)
    }
}
