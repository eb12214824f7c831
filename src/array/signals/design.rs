//! Bands of frequencies, and filters by windows.

use crate::array::Window;
use crosslane_core::error::{CallSite, Error, Result};
use std::f64::consts::PI;
use std::panic::Location;

/// The frequencies that a filter lets through, in the unit of the sampling rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// Those below.
    LowPass(f64),
    /// Those above.
    HighPass(f64),
    /// Those between.
    BandPass(f64, f64),
    /// Those outside.
    BandStop(f64, f64),
}

impl Band {
    /// The band's bounds.
    fn bounds(self) -> Vec<f64> {
        match self {
            Band::LowPass(bound) | Band::HighPass(bound) => vec![bound],
            Band::BandPass(low, high) | Band::BandStop(low, high) => vec![low, high],
        }
    }

    /// The bounds as shares of half the sampling rate, in (0, 1).
    pub(super) fn shares(self, operation: &'static str, rate: f64, at: CallSite) -> Result<Vec<f64>> {
        let shares: Vec<f64> = self.bounds().iter().map(|bound| 2.0 * bound / rate).collect();
        let ascending = shares.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = shares.iter().all(|&share| share > 0.0 && share < 1.0);
        if !(rate > 0.0 && rate.is_finite() && inside && ascending) {
            let wanted = "ascending frequencies above 0 and below half the sampling rate";
            return Err(Error::argument(operation, "band", wanted, format!("{self:?} of rate {rate}"), at));
        }
        Ok(shares)
    }
}

/// The weights of a filter without recursion, by the window method: SciPy's `firwin`. The ideal filter's response is cut off by a
/// symmetric window, and scaled to 1 at the middle of the first band that passes (0 for low-pass and band-stop, half the rate for
/// high-pass). In f64, on the host.
///
/// Filters with [`Array::convolve_with`](crate::Array::convolve_with), or [`Array::lfilter`](crate::Array::lfilter) by `a` of 1.
///
/// ```
/// use crosslane::array::{Band, Window, firwin};
/// let weights = firwin(21, Band::LowPass(100.0), 1000.0, Window::Hamming)?;
/// assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: no weight, or more than 2^28; frequencies not ascending between 0 and half the rate; an even number of weights for a filter
/// that lets half the rate through.
///
/// Source: Oppenheim and Schafer, Discrete-time signal processing.
#[track_caller]
pub fn firwin(taps: usize, band: Band, rate: f64, window: Window) -> Result<Vec<f64>> {
    let at = Location::caller();
    let shares = band.shares("firwin", rate, at)?;
    let odd = matches!(band, Band::HighPass(_) | Band::BandStop(..));
    if taps == 0 || taps > 1 << 28 || (odd && taps.is_multiple_of(2)) {
        let wanted = if odd { "an odd number, at most 2^28" } else { "1 to 2^28" };
        return Err(Error::argument("firwin", "taps", wanted, taps.to_string(), at));
    }
    let bands = match (band, &shares[..]) {
        (Band::LowPass(_), &[bound]) => vec![(0.0, bound)],
        (Band::HighPass(_), &[bound]) => vec![(bound, 1.0)],
        (Band::BandStop(..), &[low, high]) => vec![(0.0, low), (high, 1.0)],
        _ => vec![(shares[0], shares[shares.len() - 1])],
    };
    Ok(weights(taps, &bands, window))
}

/// The weights that let these bands through, as shares of half the rate.
pub(super) fn weights(taps: usize, bands: &[(f64, f64)], window: Window) -> Vec<f64> {
    let middle = 0.5 * (taps - 1) as f64;
    let weight = |k: usize| {
        let m = k as f64 - middle;
        let ideal: f64 = bands.iter().map(|&(low, high)| high * sinc(high * m) - low * sinc(low * m)).sum();
        ideal * if taps == 1 { 1.0 } else { window.at(k, taps - 1) }
    };
    let weights: Vec<f64> = (0..taps).map(weight).collect();
    let reference = match bands[0] {
        (0.0, _) => 0.0,
        (_, 1.0) => 1.0,
        (low, high) => 0.5 * (low + high),
    };
    let response = |(k, weight): (usize, &f64)| weight * (PI * (k as f64 - middle) * reference).cos();
    let scale: f64 = weights.iter().enumerate().map(response).sum();
    weights.iter().map(|weight| weight / scale).collect()
}

/// `sin(pi x) / (pi x)`.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}
