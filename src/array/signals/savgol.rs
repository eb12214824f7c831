//! Smoothing by polynomials that fit windows best.

use super::lfilter::place;
use crate::array::{Array, ConvolveMode, ConvolveOptions, PadMode};
use crate::element::Part;
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

/// The longest window: what is computed for it on the host grows with its square where ends are fitted.
const LONGEST: usize = 1 << 12;
/// The highest degree: beyond, windows of equally far values determine none in f64.
const HIGHEST: usize = 20;

impl<R: Part> Array<R> {
    /// Along an axis the value, or a derivative, of the polynomial of this degree that fits a window of neighbours best: SciPy's
    /// `savgol_filter`. A derivative counts in values of the axis: times `delta^-derivative` it is SciPy's with `delta`.
    ///
    /// `boundary` continues the axis past its ends; without it the first and the last half window are values of the polynomial of
    /// the first and the last window: SciPy's `interp`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let square = Array::arange(device, 0.0f32, 9.0, 1.0).square();
    /// crosslane::assert_close(&square.savgol_filter(5, 2, 0, 0, None).to_vec()?, &square.to_vec()?);
    /// let slopes = square.savgol_filter(5, 2, 1, 0, None).to_vec()?;
    /// assert!(slopes.iter().zip(0..).all(|(&slope, i)| (slope - 2.0 * i as f32).abs() < 1e-4));
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: one launch; where ends are fitted three more for them, of half a window each, and to join them. Error: that of a sum of
    /// products with the weights.
    ///
    /// Errors (kept in the array): as [`savgol_coefficients`]; an axis out of range; without `boundary` one that is shorter than a
    /// window.
    ///
    /// Source: Savitzky and Golay, Smoothing and differentiation of data by simplified least squares procedures, 1964.
    #[track_caller]
    pub fn savgol_filter(
        &self,
        length: usize,
        degree: usize,
        derivative: usize,
        axis: isize,
        boundary: Option<PadMode<R>>,
    ) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let axis = place("savgol_filter", self, axis, at)?;
            let fit = Fit::new("savgol_filter", length, degree, derivative, at)?;
            let x = self.move_axis(axis as isize, -1);
            let result = match boundary {
                _ if self.is_empty() && self.shape()[axis] > 0 => x,
                Some(boundary) => x.correlate_with(&fit.weights(&x), &ConvolveOptions::default().boundary(boundary)),
                None => fit.whole(&x, axis, at)?,
            };
            Ok(result.check()?.move_axis(-1, axis as isize))
        };
        Array::kept(self.device(), result())
    }
}

/// The weights by which a window's values give the middle value, or a derivative there, of the polynomial of this degree that fits
/// them best: SciPy's `savgol_coeffs(.., use='dot')`. In f64, on the host.
///
/// ```
/// let weights = crosslane::array::savgol_coefficients(5, 2, 0)?;
/// let wanted = [-3.0, 12.0, 17.0, 12.0, -3.0].map(|value| value / 35.0);
/// assert!(weights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14));
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: a length that is even or above 4095; a degree that is not below the length, or above 20.
#[doc(alias = "savgol_coeffs")]
#[track_caller]
pub fn savgol_coefficients(length: usize, degree: usize, derivative: usize) -> Result<Vec<f64>> {
    let fit = Fit::new("savgol_coefficients", length, degree, derivative, Location::caller())?;
    Ok(fit.at(0.0))
}

/// Polynomials that fit windows, by a base that is orthonormal over a window's places.
struct Fit {
    length: usize,
    derivative: usize,
    /// Each polynomial's coefficients, by powers of the place over half a window.
    polynomials: Vec<Vec<f64>>,
    /// Each polynomial's values.
    values: Vec<Vec<f64>>,
}

impl Fit {
    fn new(operation: &'static str, length: usize, degree: usize, derivative: usize, at: CallSite) -> Result<Fit> {
        if length.is_multiple_of(2) || length > LONGEST {
            let wanted = format!("an odd length below {LONGEST}");
            return Err(Error::argument(operation, "length", wanted, length.to_string(), at));
        }
        if degree >= length || degree > HIGHEST {
            let wanted = format!("a degree below the length, at most {HIGHEST}");
            return Err(Error::argument(operation, "degree", wanted, degree.to_string(), at));
        }
        let mut fit = Fit { length, derivative, polynomials: vec![], values: vec![] };
        (0..=degree).for_each(|power| fit.add(power));
        Ok(fit)
    }

    fn half(&self) -> f64 {
        ((self.length - 1) as f64 / 2.0).max(1.0)
    }

    /// The next polynomial: the last one times the place, less its parts along the others, twice for exactness.
    fn add(&mut self, power: usize) {
        let half = self.half();
        let place = |k: usize| (k as f64 - (self.length - 1) as f64 / 2.0) / half;
        let mut polynomial = vec![0.0; power + 1];
        let mut values = vec![1.0; self.length];
        match (self.polynomials.last(), self.values.last()) {
            (Some(last), Some(held)) => {
                polynomial[1..].copy_from_slice(last);
                values = held.iter().enumerate().map(|(k, value)| value * place(k)).collect();
            }
            _ => polynomial[0] = 1.0,
        }
        for _ in 0..2 {
            for (other, held) in self.polynomials.iter().zip(&self.values) {
                let part = dot(&values, held);
                values.iter_mut().zip(held).for_each(|(value, held)| *value -= part * held);
                polynomial.iter_mut().zip(other).for_each(|(value, other)| *value -= part * other);
            }
        }
        let size = dot(&values, &values).sqrt();
        values.iter_mut().chain(&mut polynomial).for_each(|value| *value /= size);
        self.polynomials.push(polynomial);
        self.values.push(values);
    }

    /// The weights for the derivative at so many places from the middle.
    fn at(&self, place: f64) -> Vec<f64> {
        let half = self.half();
        let there = |polynomial: &[f64]| {
            let term = |power: usize| {
                let factor: f64 = (0..self.derivative).map(|k| (power - k) as f64).product();
                factor * (place / half).powi((power - self.derivative) as i32) * polynomial[power]
            };
            let sum: f64 = (self.derivative..polynomial.len()).map(term).sum();
            sum / half.powi(self.derivative.min(HIGHEST + 1) as i32)
        };
        let mut weights = vec![0.0; self.length];
        for (polynomial, values) in self.polynomials.iter().zip(&self.values) {
            let factor = there(polynomial);
            weights.iter_mut().zip(values).for_each(|(weight, value)| *weight += factor * value);
        }
        weights
    }

    fn weights<R: Part>(&self, x: &Array<R>) -> Array<R> {
        let weights: Vec<R> = self.at(0.0).into_iter().map(R::rounded).collect();
        Array::from_slice(x.device(), &weights)
    }

    /// Along the last axis, whose ends are of the first and the last window's polynomials.
    fn whole<R: Part>(&self, x: &Array<R>, axis: usize, at: CallSite) -> Result<Array<R>> {
        let last = x.rank() - 1;
        let (count, half) = (x.shape()[last], self.length / 2);
        if count < self.length {
            let wanted = format!("at least {} values along axis {axis}, or a boundary", self.length);
            return Err(Error::argument("savgol_filter", "array", wanted, count.to_string(), at));
        }
        let middle = x.correlate_with(&self.weights(x), &ConvolveOptions::default().mode(ConvolveMode::Valid));
        if half == 0 {
            return Ok(middle);
        }
        let end = |first: usize, from: f64| {
            let weights: Vec<R> = (0..half).flat_map(|k| self.at(from + k as f64)).map(R::rounded).collect();
            let weights = Array::from_slice(x.device(), &weights).reshape(&[half, self.length]);
            (x.part(last, first, 1, self.length).expand_dims(last as isize) * weights).sum_axes(-1)
        };
        let ends = [end(0, -(half as f64)), middle, end(count - self.length, 1.0)];
        Ok(Array::joined("savgol_filter", &ends, last, at))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
