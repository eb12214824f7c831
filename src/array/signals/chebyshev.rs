//! Chebyshev filters of type I as sections of order 2.

use super::Band;
use super::prototype::{Prototype, designed};
use crosslane_core::error::{CallSite, Error, Result};
use std::f64::consts::LN_10;
use std::panic::Location;

/// A Chebyshev filter of type I of this order as sections of order 2 for [`Array::sosfilt`](crate::Array::sosfilt): SciPy's
/// `cheby1(order, ripple, .., output='sos', fs=rate)`, of the same sections in the same order. In the band that passes, the amplitude
/// goes up and down between 1 and `ripple` decibels below; past it, the amplitude falls off more steeply than that of
/// [`butterworth`](crate::array::butterworth()). A low-pass filter of an even order has its lowest amplitude at the frequency 0.
/// Bands have twice the order. Frequencies where the amplitude last is `ripple` decibels below 1 are in the unit of the sampling rate.
/// In f64, on the host.
///
/// ```
/// use crosslane::array::{Band, chebyshev1};
/// let sos = chebyshev1(2, 1.0, Band::LowPass(100.0), 1000.0)?;
/// let [b0, b1, b2, a0, a1, a2] = sos[0];
/// let steady = (b0 + b1 + b2) / (a0 + a1 + a2);
/// assert!((20.0 * steady.log10() + 1.0).abs() < 1e-9); // 1 dB below 1
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: a ripple that is not above 0 and finite; as [`butterworth`](crate::array::butterworth()).
///
/// Source: Oppenheim and Schafer, Discrete-time signal processing; bands and sections as of
/// [`butterworth`](crate::array::butterworth()).
#[doc(alias = "cheby1")]
#[track_caller]
pub fn chebyshev1(order: usize, ripple: f64, band: Band, rate: f64) -> Result<Vec<[f64; 6]>> {
    sections("chebyshev1", order, ripple, band, rate, Location::caller())
}

pub(super) fn sections(
    operation: &'static str,
    order: usize,
    ripple: f64,
    band: Band,
    rate: f64,
    at: CallSite,
) -> Result<Vec<[f64; 6]>> {
    if !(ripple > 0.0 && ripple.is_finite()) {
        let wanted = "decibels above 0 that are a finite number";
        return Err(Error::argument(operation, "ripple", wanted, ripple.to_string(), at));
    }
    designed(operation, order, band, rate, |order| prototype(order, ripple), at)
}

/// The square of its response is `1 / (1 + epsilon^2 T(frequency)^2)` by the Chebyshev polynomial T of its order.
fn prototype(order: usize, ripple: f64) -> Prototype {
    let square = (ripple / 10.0 * LN_10).exp_m1();
    let epsilon = square.sqrt();
    let mu = (1.0 / epsilon).asinh() / order as f64;
    // T begins with 2^(order - 1); at 0 it is 0 for odd orders and 1 or -1 for even ones.
    let gain = 0.5f64.powi(order as i32 - 1) / epsilon;
    let level = if order.is_multiple_of(2) { 1.0 / (1.0 + square).sqrt() } else { 1.0 };
    Prototype::ellipse(order, [mu.sinh(), mu.cosh()], gain, level)
}
