//! The parts of distributions that lie below a place.

/// The part of a standard normal distribution below a place.
pub fn normal_below(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The regularised incomplete gamma function: the series below, the continued fraction above (Numerical Recipes, 6.2).
pub fn gamma_below(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (shape * x.ln() - x - libm::lgamma(shape)).exp();
    if x < shape + 1.0 {
        let terms = (0..10_000).scan(1.0 / shape, |term, nth| {
            let now = *term;
            *term *= x / (shape + nth as f64 + 1.0);
            (now > 1e-18).then_some(now)
        });
        return front * terms.sum::<f64>();
    }
    let (mut b, mut c) = (x + 1.0 - shape, 1e300);
    let mut d = 1.0 / b;
    let mut fraction = d;
    for nth in 1..10_000 {
        let a = -(nth as f64) * (nth as f64 - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - front * fraction
}

/// The regularised incomplete beta function, by Simpson's rule over a substitution that has no poles at the ends.
pub fn beta_below(a: f64, b: f64, x: f64) -> f64 {
    let whole = (libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)).exp();
    // x = sin^2 t: x^(a-1) (1-x)^(b-1) dx = 2 sin^(2a-1) t cos^(2b-1) t dt.
    let f = |t: f64| 2.0 * t.sin().max(0.0).powf(2.0 * a - 1.0) * t.cos().max(0.0).powf(2.0 * b - 1.0);
    let (end, steps) = (x.clamp(0.0, 1.0).sqrt().asin(), 200);
    let h = end / steps as f64;
    let inner: f64 = (1..steps).map(|nth| f(nth as f64 * h) * if nth % 2 == 1 { 4.0 } else { 2.0 }).sum();
    h / 3.0 * (f(0.0) + inner + f(end)) / whole
}
