//! Special functions in f64, as references: the plainest way to each, where `libm` has none.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// The inverse of erf: Newton's method on erf where |x| <= 1/2, else by [`erfcinv`].
pub(super) fn erfinv(x: f64) -> f64 {
    match x.abs() {
        size if size > 0.5 => erfcinv(1.0 - size).copysign(x),
        // A denormal number is not a sum's rounding error away from its result.
        size if size < 1e-8 => x / FRAC_2_SQRT_PI,
        _ => (0..6).fold(x, |y, _| y - (libm::erf(y) - x) / (FRAC_2_SQRT_PI * (-y * y).exp())),
    }
}

/// The inverse of erfc, by Newton's method on ln erfc, which is concave and falls: from the right no step goes too far. erfc(y)
/// is less than e^(-y^2), which begins there; of denormal numbers where erfc is still a number.
pub(super) fn erfcinv(x: f64) -> f64 {
    match x {
        0.0 => f64::INFINITY,
        0.0..=0.5 => (0..60).fold((-x.ln()).sqrt().min(26.5), |y, _| {
            let tail = libm::erfc(y);
            y + (tail / x).ln() * tail / (FRAC_2_SQRT_PI * (-y * y).exp())
        }),
        0.5..=1.5 => erfinv(1.0 - x),
        1.5..=2.0 => -erfcinv(2.0 - x),
        _ => f64::NAN,
    }
}

/// The derivative of ln gamma: by its steps up to 10, then the asymptotic series (DLMF 5.11.2); below 0 by reflection.
pub(super) fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return (-1f64 / x).signum() * f64::INFINITY;
    }
    if x < 0.0 {
        let rest = x - x.round_ties_even();
        return if rest == 0.0 || x.is_infinite() { f64::NAN } else { digamma(1.0 - x) - PI / (PI * rest).tan() };
    }
    if x < 10.0 {
        return digamma(x + 1.0) - 1.0 / x;
    }
    let z = 1.0 / (x * x);
    let terms = [1.0 / 12.0, -691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0];
    x.ln() - 0.5 / x - z * terms.iter().fold(0.0, |sum, term| sum * z + term)
}

/// A number between 1/2 and 1 and the power of two to multiply it by; 0, infinities and NaN as they are.
pub(super) fn frexp(x: f64) -> (f64, i128) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (mantissa, exponent) = libm::frexp(x);
    (mantissa, exponent as i128)
}

/// `x * 2^n`.
pub(super) fn ldexp(x: f64, n: i128) -> f64 {
    libm::scalbn(x, n.clamp(-4400, 4400) as i32)
}

/// The modified Bessel function of the first kind by its power series, all of whose terms have one sign (DLMF 10.25.2).
pub(super) fn modified_bessel(x: f64, order: i32) -> f64 {
    if x.is_nan() || x.abs() > 720.0 {
        return if order == 1 { x * f64::INFINITY } else { x.abs() * f64::INFINITY };
    }
    let half = 0.5 * x;
    let mut term = half.powi(order);
    let mut sum = term;
    for k in 1.. {
        term *= half / k as f64 * (half / (k + order) as f64);
        sum += term;
        if term.abs() <= sum.abs() * 1e-18 {
            break;
        }
    }
    sum
}

/// The regularised incomplete beta function: its continued fraction (DLMF 8.17.22) from the last term on.
pub(super) fn betainc(a: f64, b: f64, x: f64) -> f64 {
    let outside = a < 0.0 || b < 0.0 || !(0.0..=1.0).contains(&x) || a.is_nan() || b.is_nan();
    match (a, b) {
        _ if outside || a == 0.0 && b == 0.0 || a.is_infinite() && b.is_infinite() => return f64::NAN,
        _ if x == 0.0 || x == 1.0 => return x,
        (0.0, _) | (_, f64::INFINITY) => return 1.0,
        (_, 0.0) | (f64::INFINITY, _) => return 0.0,
        _ if x > (a + 1.0) / (a + b + 2.0) => return 1.0 - betainc(b, a, 1.0 - x),
        _ => {}
    }
    let term = |n: i32| {
        let m = (n / 2) as f64;
        let (before, at) = (a + (n - 1) as f64, a + n as f64);
        match n % 2 {
            0 => m * (b - m) * x / (before * at),
            _ => -(a + m) * (a + b + m) * x / (before * at),
        }
    };
    let fraction = (1..2000).rev().fold(1.0, |rest, n| 1.0 + term(n) / rest);
    let logarithm = a * x.ln() + b * (-x).ln_1p() + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    logarithm.exp() / (a * fraction)
}
