//! Butterworth filters as sections of order 2.

use super::Band;
use super::prototype::{Prototype, designed};
use crosslane_core::error::Result;
use std::panic::Location;

/// A Butterworth filter of this order as sections of order 2 for [`Array::sosfilt`](crate::Array::sosfilt): SciPy's
/// `butter(order, .., output='sos', fs=rate)`, of the same sections in the same order. Bands have twice the order. Frequencies where
/// the power is half are in the unit of the sampling rate. In f64, on the host.
///
/// ```
/// use crosslane::array::{Band, butterworth};
/// let sos = butterworth(2, Band::LowPass(0.5), 2.0)?;
/// let [b0, b1, b2, a0, a1, a2] = sos[0];
/// assert!((b0 - 0.29289).abs() < 1e-5 && (b1 - 2.0 * b0).abs() < 1e-15 && b2 == b0);
/// assert!(a0 == 1.0 && a1.abs() < 1e-15 && (a2 - 0.17157).abs() < 1e-5);
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: an order of 0 or above 200; frequencies not ascending between 0 and half the rate; a high order of a narrow band, whose
/// gain is out of the range of f64.
///
/// Source: the analog filter, moved to the band and transformed bilinearly (Oppenheim and Schafer, Discrete-time signal processing);
/// poles are paired with the nearest zeros, the poles nearest to the circle last.
#[doc(alias = "butter")]
#[track_caller]
pub fn butterworth(order: usize, band: Band, rate: f64) -> Result<Vec<[f64; 6]>> {
    // The product of the negative poles is 1.
    let prototype = |order| Prototype::ellipse(order, [1.0, 1.0], 1.0, 1.0);
    designed("butterworth", order, band, rate, prototype, Location::caller())
}
