//! Analog low-pass filters with their bound at 1, moved to a band, as digital filters in sections of order 2.

use super::Band;
use crosslane_core::error::{CallSite, Error, Result};
use num_complex::Complex;
use std::f64::consts::PI;

type C = Complex<f64>;

/// The highest order.
const MOST: usize = 200;
/// Twice the rate at which SciPy transforms analog filters.
const TWICE: f64 = 4.0;
/// Shares of its size by which a real number may have an imaginary part: SciPy's.
const REAL: f64 = 100.0 * f64::EPSILON;

/// An analog low-pass filter without zeros: a constant over the product of `s - pole`.
pub(super) struct Prototype {
    poles: Vec<C>,
    /// The constant.
    gain: f64,
    /// The response at the frequency 0.
    level: f64,
}

impl Prototype {
    /// With poles on an ellipse of these half axes: along the real numbers, and along the imaginary ones.
    pub fn ellipse(order: usize, [real, imaginary]: [f64; 2], gain: f64, level: f64) -> Prototype {
        let angle = |k: usize| PI * (2.0 * k as f64 + 1.0 - order as f64) / (2.0 * order as f64);
        let pole = |k: usize| match 2 * k + 1 == order {
            true => C::new(-real, 0.0),
            false => C::new(-real * angle(k).cos(), -imaginary * angle(k).sin()),
        };
        Prototype { poles: (0..order).map(pole).collect(), gain, level }
    }

    /// For a band with these bounds.
    fn moved(self, band: Band, bounds: &[f64]) -> Filter {
        let Prototype { poles, gain, level } = self;
        let order = poles.len();
        match (band, bounds) {
            (Band::LowPass(_), _) => {
                let poles: Vec<C> = poles.iter().map(|pole| pole * bounds[0]).collect();
                Filter { zeros: vec![], poles, gain: gain * bounds[0].powi(order as i32) }
            }
            (Band::HighPass(_), _) => {
                let poles: Vec<C> = poles.iter().map(|pole| bounds[0] / pole).collect();
                Filter { zeros: vec![C::default(); order], poles, gain: level }
            }
            (Band::BandPass(..), _) => {
                let (width, middle) = (bounds[1] - bounds[0], (bounds[0] * bounds[1]).sqrt());
                let poles = split(poles.iter().map(|pole| pole * (width / 2.0)).collect(), middle);
                Filter { zeros: vec![C::default(); order], poles, gain: gain * width.powi(order as i32) }
            }
            (Band::BandStop(..), _) => {
                let (width, middle) = (bounds[1] - bounds[0], (bounds[0] * bounds[1]).sqrt());
                let poles = split(poles.iter().map(|pole| width / 2.0 / pole).collect(), middle);
                let zeros = [C::new(0.0, middle), C::new(0.0, -middle)].map(|zero| vec![zero; order]).concat();
                Filter { zeros, poles, gain: level }
            }
        }
    }
}

/// A design as sections: the prototype of its order, moved to a band, through the bilinear transform.
pub(super) fn designed(
    operation: &'static str,
    order: usize,
    band: Band,
    rate: f64,
    prototype: impl Fn(usize) -> Prototype,
    at: CallSite,
) -> Result<Vec<[f64; 6]>> {
    let shares = band.shares(operation, rate, at)?;
    if order == 0 || order > MOST {
        return Err(Error::argument(operation, "order", format!("1 to {MOST}"), order.to_string(), at));
    }
    let warped: Vec<f64> = shares.iter().map(|share| TWICE * (PI * share / 2.0).tan()).collect();
    let filter = digital(prototype(order).moved(band, &warped));
    let gain = filter.gain;
    let sos = filter.sections();
    if !gain.is_normal() || sos.iter().flatten().any(|value| !value.is_finite()) {
        let got = format!("order {order}, {band:?} of rate {rate}");
        return Err(Error::argument(operation, "order", "coefficients in the range of f64", got, at));
    }
    Ok(sos)
}

/// Zeros, poles and gain.
struct Filter {
    zeros: Vec<C>,
    poles: Vec<C>,
    gain: f64,
}

/// Of a pole at a low frequency the two about a middle one.
fn split(poles: Vec<C>, middle: f64) -> Vec<C> {
    let root = |pole: &C| (pole * pole - middle * middle).sqrt();
    poles.iter().map(|pole| pole + root(pole)).chain(poles.iter().map(|pole| pole - root(pole))).collect()
}

/// By the bilinear transform.
fn digital(analog: Filter) -> Filter {
    let moved = |values: &[C]| values.iter().map(|value| (TWICE + value) / (TWICE - value)).collect::<Vec<C>>();
    let (mut zeros, poles) = (moved(&analog.zeros), moved(&analog.poles));
    zeros.resize(poles.len(), C::new(-1.0, 0.0));
    // One after the other, so that products stay in range.
    let one = C::new(1.0, 0.0);
    let gain = (0..analog.poles.len()).fold(C::new(analog.gain, 0.0), |gain, k| {
        let zero = analog.zeros.get(k).map_or(one, |zero| TWICE - zero);
        gain * zero / (TWICE - analog.poles[k])
    });
    Filter { zeros, poles, gain: gain.re }
}

fn is_real(value: &C) -> bool {
    value.im == 0.0
}

/// One of each conjugate pair, then the real ones, each in ascending order.
fn halves(mut values: Vec<C>) -> Vec<C> {
    let real = |value: &C| value.im.abs() <= REAL * value.norm();
    values.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.abs().total_cmp(&b.im.abs())));
    let pairs = values.iter().filter(|value| !real(value) && value.im > 0.0).copied();
    pairs.chain(values.iter().filter(|value| real(value)).map(|value| C::new(value.re, 0.0))).collect()
}

/// Takes out the element for which this is least.
fn taken(values: &mut Vec<C>, key: impl Fn(&C) -> f64) -> Option<C> {
    let least = (0..values.len()).min_by(|&a, &b| key(&values[a]).total_cmp(&key(&values[b])))?;
    key(&values[least]).is_finite().then(|| values.remove(least))
}

impl Filter {
    /// SciPy's `zpk2sos` with the pairing `nearest`.
    fn sections(self) -> Vec<[f64; 6]> {
        let Filter { mut zeros, mut poles, gain } = self;
        if poles.len() % 2 == 1 {
            poles.push(C::default());
            zeros.push(C::default());
        }
        let count = poles.len() / 2;
        let (mut zeros, mut poles) = (halves(zeros), halves(poles));
        let mut sections: Vec<[f64; 6]> = (0..count).filter_map(|_| section(&mut zeros, &mut poles)).collect();
        sections.reverse();
        if let Some(first) = sections.first_mut() {
            first[..3].iter_mut().for_each(|value| *value *= gain);
        }
        sections
    }
}

/// The section of the pole that is nearest to the circle, of its partner, and of the zeros that are nearest to it.
fn section(zeros: &mut Vec<C>, poles: &mut Vec<C>) -> Option<[f64; 6]> {
    let reals = |values: &[C]| values.iter().filter(|value| is_real(value)).count();
    let real_only = |key: f64, value: &C| if is_real(value) { key } else { f64::INFINITY };
    let to_circle = |pole: &C| (1.0 - pole.norm()).abs();
    let pole = taken(poles, to_circle)?;
    // A real pole and a real zero that are left need each other.
    let complex = poles.len() + 1 == zeros.len() && !is_real(&pole) && reals(poles) == 1 && reals(zeros) == 1;
    let other = match is_real(&pole) {
        true => taken(poles, |other| real_only(to_circle(other), other))?,
        false => pole.conj(),
    };
    let far = |zero: &C| (zero - pole).norm();
    let zero = match complex {
        true => taken(zeros, |zero| if is_real(zero) { f64::INFINITY } else { far(zero) })?,
        false => taken(zeros, far)?,
    };
    let second = match is_real(&zero) {
        true => taken(zeros, |zero| real_only(far(zero), zero))?,
        false => zero.conj(),
    };
    let product = |a: C, b: C| [1.0, -(a + b).re, (a * b).re];
    let ([b0, b1, b2], [a0, a1, a2]) = (product(zero, second), product(pole, other));
    Some([b0, b1, b2, a0, a1, a2])
}
