//! Transforms of complex and real arrays along axes.

use super::{FftOptions, Norm, Transform};
use crate::array::Array;
use crate::array::shapes::axes::axis;
use crate::element::{Element, Part};
use crosslane_core::error::{CallSite, Error, Result};
use num_complex::Complex;
use std::panic::Location;

/// A type that is transformed: `f32`, `f64`, `Complex<f32>`, `Complex<f64>`.
pub trait Spectral: Element {
    /// The type of the real parts.
    type Part: Part;
}
impl Spectral for f32 {
    type Part = f32;
}
impl Spectral for f64 {
    type Part = f64;
}
impl<P: Part> Spectral for Complex<P>
where
    Complex<P>: Element,
{
    type Part = P;
}

/// The axes of a transform with their lengths, the last one last.
fn places(
    operation: &'static str,
    array: &Array<impl Element>,
    options: &FftOptions,
    at: CallSite,
) -> Result<Vec<(usize, usize)>> {
    let rank = array.check()?.rank();
    let numbers = options.axes.clone().unwrap_or(vec![-1]);
    let axes: Vec<usize> = numbers.iter().map(|&number| axis(operation, number, rank, at)).collect::<Result<_>>()?;
    let repeated = axes.iter().enumerate().any(|(nth, axis)| axes[..nth].contains(axis));
    if axes.is_empty() || repeated {
        return Err(Error::argument(operation, "axes", "one axis at least, each once", format!("{numbers:?}"), at));
    }
    let lengths = match &options.lengths {
        None => axes.iter().map(|&axis| array.shape()[axis]).collect(),
        Some(lengths) if lengths.len() == axes.len() => lengths.clone(),
        Some(lengths) => {
            let wanted = format!("{}, one for each axis", axes.len());
            return Err(Error::argument(operation, "lengths", wanted, format!("{lengths:?}"), at));
        }
    };
    Ok(axes.into_iter().zip(lengths).collect())
}

/// Complex transforms along some axes.
fn complex<P: Part>(
    operation: &'static str,
    x: Array<Complex<P>>,
    places: &[(usize, usize)],
    inverse: bool,
    norm: Norm,
    at: CallSite,
) -> Result<Array<Complex<P>>> {
    places.iter().try_fold(x, |x, &(axis, length)| {
        let scale = norm.factor(length, inverse);
        Transform { operation, axis, length, inverse, half: false, kept: length, scale, at }.of(&x)
    })
}

impl<T: Spectral> Array<T> {
    /// The discrete Fourier transform along the last axis: `X[j]` is the sum over k of `x[k] exp(-2 pi i j k / n)`. NumPy's
    /// `fft`.
    ///
    /// Any length; fastest are those of small primes up to 13, others take three transforms of twice the length. Elementwise
    /// work on the input fuses, but on a processor, where a library transforms what lies in memory. Error: at most 3e-7 log2(n) of the values' root mean square, of f64 6e-16 log2(n). Cost: the array is read and
    /// written once up to some thousands of values, then twice, from some millions on three times.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let x = Array::from_slice(device, &[1.0f32, 0.0, 0.0, 0.0]);
    /// assert_eq!(x.fft().to_vec()?, [Complex::new(1.0, 0.0); 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis, or one without values; more than 2^28 values, or more than a kernel binds.
    #[track_caller]
    pub fn fft(&self) -> Array<Complex<T::Part>> {
        self.transformed("fft", &FftOptions::default(), false, Location::caller())
    }

    /// As [`Array::fft`] along some axes, with [`FftOptions`]: NumPy's `fft2` and `fftn`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::FftOptions;
    /// let x = Array::<f32>::ones(device, &[4, 6]);
    /// let spectrum = x.fft_with(&FftOptions::default().axes([0, 1]));
    /// crosslane::assert_close(&spectrum.real().to_vec()?[..2], &[24.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`]; an axis out of range or given twice; another number of lengths than axes.
    #[doc(alias = "fftn")]
    #[doc(alias = "fft2")]
    #[track_caller]
    pub fn fft_with(&self, options: &FftOptions) -> Array<Complex<T::Part>> {
        self.transformed("fft_with", options, false, Location::caller())
    }

    /// The inverse transform along the last axis: the sum over j of `X[j] exp(2 pi i j k / n)`, over n. NumPy's `ifft`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[3.0f32, 1.0, 4.0, 1.0, 5.0]);
    /// crosslane::assert_close(&x.fft().ifft().real().to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`].
    #[track_caller]
    pub fn ifft(&self) -> Array<Complex<T::Part>> {
        self.transformed("ifft", &FftOptions::default(), true, Location::caller())
    }

    /// As [`Array::ifft`] along some axes, with [`FftOptions`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::FftOptions;
    /// let x = Array::from_shape(device, &[2, 2], &[3.0f32, 1.0, 4.0, 1.0]);
    /// let both = FftOptions::default().axes([0, 1]);
    /// crosslane::assert_close(&x.fft_with(&both).ifft_with(&both).real().to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft_with`].
    #[doc(alias = "ifftn")]
    #[doc(alias = "ifft2")]
    #[track_caller]
    pub fn ifft_with(&self, options: &FftOptions) -> Array<Complex<T::Part>> {
        self.transformed("ifft_with", options, true, Location::caller())
    }

    fn transformed(
        &self,
        operation: &'static str,
        options: &FftOptions,
        inverse: bool,
        at: CallSite,
    ) -> Array<Complex<T::Part>> {
        let result = || {
            let places = places(operation, self, options, at)?;
            let (&(axis, length), rest) = places.split_last().expect("there is an axis");
            let scale = options.norm.factor(length, inverse);
            // The first one reads values as they are, real or complex.
            let first: Array<Complex<T::Part>> =
                Transform { operation, axis, length, inverse, half: false, kept: length, scale, at }.of(self)?;
            complex(operation, first, rest, inverse, options.norm, at)
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }
}

impl<P: Part> Array<P> {
    /// The first half of a real array's transform along the last axis, `n / 2 + 1` values: the others are the conjugates of
    /// their mirror images. NumPy's `rfft`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.rfft().shape(), [3]);
    /// crosslane::assert_close(&x.rfft().imag().to_vec()?, &[0.0, 2.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`].
    #[track_caller]
    pub fn rfft(&self) -> Array<Complex<P>> {
        self.half("rfft", &FftOptions::default(), Location::caller())
    }

    /// As [`Array::rfft`] along some axes, of which the last one becomes half as long; with [`FftOptions`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::FftOptions;
    /// let x = Array::<f32>::ones(device, &[4, 6]);
    /// assert_eq!(x.rfft_with(&FftOptions::default().axes([0, 1])).shape(), [4, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft_with`].
    #[doc(alias = "rfftn")]
    #[track_caller]
    pub fn rfft_with(&self, options: &FftOptions) -> Array<Complex<P>> {
        self.half("rfft_with", options, Location::caller())
    }

    fn half(&self, operation: &'static str, options: &FftOptions, at: CallSite) -> Array<Complex<P>> {
        let result = || {
            let places = places(operation, self, options, at)?;
            let (&(axis, length), rest) = places.split_last().expect("there is an axis");
            let scale = options.norm.factor(length, false);
            let kept = length / 2 + 1;
            let first: Array<Complex<P>> =
                Transform { operation, axis, length, inverse: false, half: false, kept, scale, at }.of(self)?;
            complex(operation, first, rest, false, options.norm, at)
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }
}

impl<P: Part> Array<Complex<P>> {
    /// The real array of this length whose [`Array::rfft`] this is, along the last axis. NumPy's `irfft`. The imaginary parts
    /// of the first value, and of the middle one of an even length, do not count.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[3.0f32, 1.0, 4.0, 1.0, 5.0]);
    /// crosslane::assert_close(&x.rfft().irfft(5).to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`].
    #[track_caller]
    pub fn irfft(&self, length: usize) -> Array<P> {
        self.whole("irfft", &FftOptions::default().lengths([length]), Location::caller())
    }

    /// As [`Array::irfft`] along some axes, of which the last one is half of a mirrored row. Without lengths it becomes
    /// `2 (n - 1)` long.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::FftOptions;
    /// let x = Array::from_shape(device, &[2, 4], &[3.0f32, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]);
    /// let both = FftOptions::default().axes([0, 1]);
    /// crosslane::assert_close(&x.rfft_with(&both).irfft_with(&both).to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft_with`].
    #[doc(alias = "irfftn")]
    #[track_caller]
    pub fn irfft_with(&self, options: &FftOptions) -> Array<P> {
        self.whole("irfft_with", options, Location::caller())
    }

    fn whole(&self, operation: &'static str, options: &FftOptions, at: CallSite) -> Array<P> {
        let result = || {
            let mut places = places(operation, self, options, at)?;
            if options.lengths.is_none() {
                let (_, length) = places.last_mut().expect("there is an axis");
                *length = 2 * length.saturating_sub(1);
            }
            let (&(axis, length), rest) = places.split_last().expect("there is an axis");
            let others = complex(operation, self.clone(), rest, true, options.norm, at)?;
            let scale = options.norm.factor(length, true);
            Transform { operation, axis, length, inverse: true, half: true, kept: length, scale, at }.of(&others)
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// The real transform of this length of what is the first half of an array that equals its mirrored conjugate, along the
    /// last axis. NumPy's `hfft`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let half = Array::from_slice(device, &[Complex::new(1.0f32, 0.0), Complex::new(2.0, 0.0), Complex::new(3.0, 0.0)]);
    /// crosslane::assert_close(&half.hfft(4).to_vec()?, &[8.0, -2.0, 0.0, -2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`].
    #[track_caller]
    pub fn hfft(&self, length: usize) -> Array<P> {
        let options = FftOptions::default().lengths([length]).norm(Norm::Forward);
        self.conj().whole("hfft", &options, Location::caller())
    }
}

impl<P: Part> Array<P> {
    /// The inverse of [`Array::hfft`]: the first half of a spectrum that equals its mirrored conjugate. NumPy's `ihfft`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[8.0f32, -2.0, 0.0, -2.0]);
    /// crosslane::assert_close(&x.ihfft().real().to_vec()?, &[1.0, 2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::fft`].
    #[track_caller]
    pub fn ihfft(&self) -> Array<Complex<P>> {
        self.half("ihfft", &FftOptions::default().norm(Norm::Forward), Location::caller()).conj()
    }
}
