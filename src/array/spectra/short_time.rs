//! Spectra of short pieces of a signal: spectrograms, their inverse, and the power spectrum.

use super::{LONGEST, Transform};
use crate::array::{Array, PadMode};
use crosslane_core::error::{CallSite, Error, Result};
use num_complex::Complex;
use std::f64::consts::TAU;
use std::panic::Location;

/// What a piece is multiplied with, so that its ends do not show in the spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Window {
    /// Nothing: all ones.
    Rectangular,
    /// `(1 - cos) / 2`, periodic.
    #[default]
    Hann,
    /// `0.54 - 0.46 cos`, periodic.
    Hamming,
    /// `0.42 - 0.5 cos + 0.08 cos`, periodic.
    Blackman,
    /// Kaiser's, of this parameter.
    Kaiser(f64),
}

impl Window {
    /// Its values for a piece of this length: SciPy's `get_window`. A piece of one value has a weight of 1, whatever the window.
    ///
    /// ```
    /// use crosslane::array::Window;
    /// assert_eq!(Window::Hann.values(4), [0.0, 0.5, 1.0, 0.5]);
    /// assert_eq!(Window::Hann.values(1), [1.0]);
    /// ```
    pub fn values(self, length: usize) -> Vec<f32> {
        if length == 1 {
            return vec![1.0];
        }
        (0..length).map(|k| self.at(k, length) as f32).collect()
    }

    /// Its value at a place of a period.
    pub(in crate::array) fn at(self, place: usize, period: usize) -> f64 {
        let turn = TAU * place as f64 / period as f64;
        match self {
            Window::Rectangular => 1.0,
            Window::Hann => 0.5 - 0.5 * turn.cos(),
            Window::Hamming => 0.54 - 0.46 * turn.cos(),
            Window::Blackman => 0.42 - 0.5 * turn.cos() + 0.08 * (2.0 * turn).cos(),
            Window::Kaiser(beta) => {
                let x = 2.0 * place as f64 / period as f64 - 1.0;
                bessel(beta * (1.0 - x * x).max(0.0).sqrt()) / bessel(beta)
            }
        }
    }
}

/// The modified Bessel function of order 0, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..500 {
        term *= (x / 2.0 / k as f64).powi(2);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

/// How a signal is cut into pieces: their length, the step from one to the next, and the window.
///
/// ```
/// use crosslane::array::{SpectrumOptions, Window};
/// let pieces = SpectrumOptions::new(512).step(128).window(Window::Blackman);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpectrumOptions {
    length: usize,
    step: usize,
    window: Window,
}

impl SpectrumOptions {
    /// Pieces of this length, half of it apart, with Hann's window.
    pub fn new(length: usize) -> SpectrumOptions {
        SpectrumOptions { length, step: (length / 2).max(1), window: Window::Hann }
    }

    /// With this step from one piece to the next.
    pub fn step(self, step: usize) -> SpectrumOptions {
        SpectrumOptions { step, ..self }
    }

    /// With this window.
    pub fn window(self, window: Window) -> SpectrumOptions {
        SpectrumOptions { window, ..self }
    }

    fn checked(&self, operation: &'static str, at: CallSite) -> Result<()> {
        if [self.length, self.step].iter().all(|number| (1..=LONGEST).contains(number)) {
            return Ok(());
        }
        let wanted = format!("a length and a step of 1 to {LONGEST}");
        let got = format!("a length of {} and a step of {}", self.length, self.step);
        Err(Error::argument(operation, "options", wanted, got, at))
    }
}

impl Array<f32> {
    /// The short-time Fourier transform of the last axis: for each piece, a row of the result, the first half of its
    /// transform. Pieces that would go past the end are left out; pad the signal if they should count.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::SpectrumOptions;
    /// let x = Array::linspace(device, 0.0f32, 100.0, 1000).sin();
    /// let spectra = x.stft(&SpectrumOptions::new(256));
    /// assert_eq!(spectra.shape(), [6, 129]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis, or one shorter than a piece; a length or step of 0 or past
    /// 2^28.
    #[doc(alias = "spectrogram")]
    #[track_caller]
    pub fn stft(&self, options: &SpectrumOptions) -> Array<Complex<f32>> {
        let result = self.short("stft", options, 1.0, Location::caller());
        result.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    fn short(
        &self,
        operation: &'static str,
        options: &SpectrumOptions,
        scale: f64,
        at: CallSite,
    ) -> Result<Array<Complex<f32>>> {
        options.checked(operation, at)?;
        let whole = Transform::along(operation, self, -1, at)?;
        if whole.length < options.length {
            let wanted = format!("{} values at least: a piece", options.length);
            return Err(Error::argument(operation, "array", wanted, whole.length.to_string(), at));
        }
        let pieces = self.windows(whole.axis as isize, options.length, options.step);
        let window = Array::from_slice(self.device(), &options.window.values(options.length));
        let (axis, length) = (pieces.rank() - 1, options.length);
        Transform { axis, length, kept: length / 2 + 1, scale, ..whole }.of(&(pieces * window))
    }

    /// The power spectrum of the last axis by Welch's method: the mean over pieces of the squared size of each frequency, as a
    /// density: over all frequencies, in steps of `rate / length`, it adds up to the signal's mean square. SciPy's `welch`,
    /// without detrending.
    ///
    /// Source: Welch, "The use of fast Fourier transform for the estimation of power spectra", 1967.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::SpectrumOptions;
    /// let x = (Array::arange(device, 0.0f32, 4096.0, 1.0) * (std::f32::consts::TAU / 16.0)).sin();
    /// let power = x.power_spectrum(&SpectrumOptions::new(256), 1.0);
    /// assert_eq!(power.arg_max().item()?, 16); // a sixteenth of the rate
    /// assert!((power.sum().item()? / 256.0 - 0.5).abs() < 1e-3); // a sine's mean square
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::stft`]; a rate that is not above 0.
    #[doc(alias = "welch")]
    #[track_caller]
    pub fn power_spectrum(&self, options: &SpectrumOptions, rate: f64) -> Array<f32> {
        let (operation, at) = ("power_spectrum", Location::caller());
        let result = || {
            if rate.is_nan() || rate <= 0.0 {
                return Err(Error::argument(operation, "rate", "above 0", rate.to_string(), at));
            }
            options.checked(operation, at)?;
            let energy: f64 = options.window.values(options.length).iter().map(|&x| x as f64 * x as f64).sum();
            let spectra = self.short(operation, options, 1.0 / (energy * rate).sqrt(), at)?;
            let twice = |k: usize| if k == 0 || 2 * k == options.length { 1.0f32 } else { 2.0 };
            let twice: Vec<f32> = (0..options.length / 2 + 1).map(twice).collect();
            Ok((spectra.norm_squared() * Array::from_slice(self.device(), &twice)).mean_axes(-2))
        };
        result().unwrap_or_else(|error: Error| Array::failed(self.device(), error))
    }
}

/// The sum of rows, each `step` after the one before it: always in the same order.
fn overlapped(pieces: &Array<f32>, step: usize) -> Array<f32> {
    let &[count, length] = pieces.shape() else { unreachable!("pieces are rows") };
    let parts = length.div_ceil(step);
    let nothing = PadMode::Constant(0.0);
    let pieces = pieces.pad(&[(0, 0), (0, parts * step - length)], nothing).reshape(&[count, parts, step]);
    let part = |nth: usize| {
        let part = pieces.slice(&[(..).into(), (nth..nth + 1).into(), (..).into()]).reshape(&[count, step]);
        part.pad(&[(nth, parts - 1 - nth), (0, 0)], PadMode::Constant(0.0))
    };
    let sum = (1..parts).fold(part(0), |sum, nth| sum + part(nth));
    sum.flatten()
}

impl Array<Complex<f32>> {
    /// The signal of one dimension whose [`Array::stft`] this is: pieces are transformed back, multiplied with the window and
    /// added where they overlap, over the sum of squared windows. Values that no window reaches are 0.
    ///
    /// Source: Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::SpectrumOptions;
    /// let x = Array::linspace(device, 0.0f32, 10.0, 1024).sin();
    /// let pieces = SpectrumOptions::new(128).step(32);
    /// let back = x.stft(&pieces).istft(&pieces);
    /// assert_eq!(back.len(), 1024);
    /// let middle = |x: &Array<f32>| x.slice(&[(128..896).into()]).to_vec();
    /// crosslane::assert_close(&middle(&back)?, &middle(&x)?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of another rank than 2; rows of another length than half a piece; no rows; a length
    /// or step of 0 or past 2^28; more values than the host has memory for.
    #[track_caller]
    pub fn istft(&self, options: &SpectrumOptions) -> Array<f32> {
        let (operation, at) = ("istft", Location::caller());
        let result = || {
            options.checked(operation, at)?;
            let (length, step) = (options.length, options.step);
            let &[count, kept] = self.check()?.shape() else {
                let got = format!("{:?}", self.shape());
                return Err(Error::argument(operation, "array", "two axes: pieces and frequencies", got, at));
            };
            if kept != length / 2 + 1 || count == 0 {
                let wanted = format!("[1 or more, {}]", length / 2 + 1);
                return Err(Error::argument(operation, "array", wanted, format!("{:?}", self.shape()), at));
            }
            let window = options.window.values(length);
            let whole = Transform::along(operation, self, 1, at)?;
            let scale = 1.0 / length as f64;
            let pieces: Array<f32> =
                Transform { length, inverse: true, half: true, kept: length, scale, ..whole }.of(self)?;
            let pieces = pieces * Array::from_slice(self.device(), &window);
            let total = (count - 1).saturating_mul(step).saturating_add(length);
            let mut energy: Vec<f64> = crosslane_core::memory::room(operation, total, at)?;
            energy.resize(total, 0.0);
            for piece in 0..count {
                (0..length).for_each(|at| energy[piece * step + at] += (window[at] as f64).powi(2));
            }
            let over: Vec<f32> = energy.iter().map(|&sum| if sum > 1e-10 { (1.0 / sum) as f32 } else { 0.0 }).collect();
            let sums = overlapped(&pieces, step).slice(&[(0..total).into()]);
            Ok(sums * Array::from_slice(self.device(), &over))
        };
        result().unwrap_or_else(|error: Error| Array::failed(self.device(), error))
    }
}
