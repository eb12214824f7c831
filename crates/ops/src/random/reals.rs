//! Normals, gammas and what they are made with, step by step as in `real.wgsl`, `normal.wgsl` and `gamma.wgsl`.

use super::philox::Draw;

pub(super) fn real(word: u32) -> f32 {
    (word >> 8) as f32 / (1 << 24) as f32
}

/// A polynomial from its highest coefficient on.
fn horner(coefficients: &[f32], x: f32) -> f32 {
    coefficients.iter().copied().reduce(|sum, c| sum * x + c).expect("there is a coefficient")
}

/// ln(1 + y) - y near 0.
fn log_rest(y: f32) -> f32 {
    const REST: [f32; 9] = [
        -0.07727895,
        0.12720646,
        -0.13124096,
        0.14209016,
        -0.16625799,
        0.20000803,
        -0.25000867,
        0.33333334,
        -0.49999997,
    ];
    horner(&REST, y) * y * y
}

/// How far the nearer of m and m / 2 is from 1, and whether that is m / 2.
fn near_one(m: f32) -> (f32, f32) {
    if m > std::f32::consts::SQRT_2 { (0.5 * m - 1.0, 1.0) } else { (m - 1.0, 0.0) }
}

fn log_of(e: f32, y: f32) -> f32 {
    e * 0.69314575 + ((e * 1.4286068e-6 + log_rest(y)) + y)
}

pub(super) fn log(x: f32) -> f32 {
    let bits = x.to_bits();
    let (y, half) = near_one(f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000));
    log_of((bits >> 23) as i32 as f32 - 127.0 + half, y)
}

/// ln(1 + y) - y.
pub(super) fn log_beyond(y: f32) -> f32 {
    if y > -0.29 && y < 0.41 { log_rest(y) } else { log((1.0 + y).max(1.2e-38)) - y }
}

pub(super) fn minus_log(word: u32) -> f32 {
    let n = (word | 1).leading_zeros();
    let mantissa = (word | 1) << n;
    let (y, half) = near_one(f32::from_bits(mantissa >> 8 & 0x7f_ffff | 0x3f80_0000));
    -log_of(half - (n + 1) as f32, y)
}

pub(super) fn exp(x: f32) -> f32 {
    const EXP: [f32; 6] = [0.00019949247, 0.0013929451, 0.008333202, 0.041666523, 0.16666667, 0.5];
    if x > 88.72 {
        return f32::INFINITY;
    }
    if x < -87.0 {
        return 0.0;
    }
    let k = (x * std::f32::consts::LOG2_E + 0.5).floor();
    let r = (x - k * 0.69314575) - k * 1.4286068e-6;
    let value = horner(&EXP, r) * r * r + r + 1.0;
    let two_to = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    let half = k as i32 / 2;
    value * two_to(half) * two_to(k as i32 - half)
}

fn reciprocal_root(x: f32) -> f32 {
    let y = f32::from_bits(0x5f37_5a86 - (x.to_bits() >> 1));
    (0..3).fold(y, |y, _| y * (1.5 - (0.5 * x) * y * y))
}

pub(super) fn root(x: f32) -> f32 {
    x * reciprocal_root(x.max(1.2e-38))
}

pub(super) fn reciprocal(x: f32) -> f32 {
    let y = f32::from_bits(0x7ef3_11c7u32.wrapping_sub(x.to_bits()));
    (0..4).fold(y, |y, _| y * (2.0 - x * y))
}

/// The cosine and the sine of an angle.
fn circle(word: u32) -> [f32; 2] {
    let f = ((word << 2) as i32 >> 8) as f32 / (1 << 24) as f32;
    let t = f * f;
    let s = horner(&[-0.004689316, 0.079713546, -0.6459667, 1.5707964], t) * f;
    let c = horner(&[0.0008333838, -0.020834092, 0.25366685, -1.2337005, 1.0], t);
    match word >> 30 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

fn two_normals(words: [u32; 2]) -> [f32; 2] {
    let radius = root(2.0 * minus_log(words[0]));
    circle(words[1]).map(|side| radius * side)
}

impl Draw {
    pub fn normal(&self) -> f32 {
        let [a, b, c, d] = self.block(self.i / 4, 0);
        let two = two_normals(if self.i & 2 == 0 { [a, b] } else { [c, d] });
        two[self.i as usize & 1]
    }

    pub fn gamma(&self, shape: f32) -> f32 {
        let (value, less) = self.gamma_parts(self.i, shape);
        value * exp(-less)
    }

    pub fn log_gamma(&self, shape: f32) -> f32 {
        self.log_gamma_of(self.i, shape)
    }

    fn log_gamma_of(&self, block: u32, shape: f32) -> f32 {
        let (value, less) = self.gamma_parts(block, shape);
        if value.is_nan() { value } else { log(value.max(1.2e-38)) - less }
    }

    /// A gamma number, and what its logarithm is less by.
    fn gamma_parts(&self, block: u32, shape: f32) -> (f32, f32) {
        if !(shape > 0.0 && shape <= 1e30) {
            return (f32::NAN, 0.0);
        }
        let boosted = shape < 1.0;
        let d = if boosted { shape + 1.0 } else { shape } - 0.33333334;
        let c = 0.33333334 * reciprocal_root(d);
        for attempt in 0..64 {
            let [a, b, e, f] = self.block(block, attempt);
            let x = two_normals([a, b])[0];
            let y = c * x;
            if y <= -1.0 {
                continue;
            }
            let rest = (3.0 * log_beyond(y) - 3.0 * (y * y)) - y * y * y;
            if -minus_log(e) < 0.5 * x * x + d * rest {
                let less = if boosted { minus_log(f) * reciprocal(shape.max(1e-37)) } else { 0.0 };
                return (d * ((1.0 + y) * (1.0 + y) * (1.0 + y)), less);
            }
        }
        (d, 0.0)
    }

    pub fn beta(&self, a: f32, b: f32) -> f32 {
        let [x, y] = [(0, a), (1, b)].map(|(nth, shape)| self.log_gamma_of(2 * self.i + nth, shape));
        let odds = y - x;
        if odds.is_nan() { odds } else { reciprocal(1.0 + exp(odds.clamp(-86.0, 80.0))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest relative difference of what is computed from what is right, of many arguments.
    fn worst(arguments: impl Iterator<Item = f32>, computed: fn(f32) -> f32, right: fn(f64) -> f64) -> f64 {
        let difference = |x: f32| ((computed(x) as f64 - right(x as f64)) / right(x as f64)).abs();
        arguments.map(difference).fold(0.0, f64::max)
    }

    fn between(low: f32, high: f32) -> impl Iterator<Item = f32> {
        (0..1 << 20).map(move |nth| low + (high - low) * ((nth as f32 + 0.5) / (1 << 20) as f32))
    }

    /// The bounds that `real.wgsl` states.
    #[test]
    fn functions_are_as_exact_as_stated() {
        assert!(worst(between(-0.29, -0.01), log_beyond, |y| y.ln_1p() - y) < 3e-7);
        assert!(worst(between(0.01, 0.41), log_beyond, |y| y.ln_1p() - y) < 3e-7);
        assert!(worst(between(0.41, 9.0), log_beyond, |y| y.ln_1p() - y) < 1e-6);
        assert!(worst(between(-80.0, 80.0), exp, f64::exp) < 3e-7);
        assert!(worst(between(1e-3, 1e3), root, f64::sqrt) < 3e-7);
        assert!(worst(between(1e-3, 1e3), reciprocal, |x| 1.0 / x) < 2e-7);
        assert!(worst(between(2e-38, 4e37), reciprocal, |x| 1.0 / x) < 2e-7);
        let words = || (0..1u32 << 16).map(|nth| nth.wrapping_mul(0x9e37_79b1) >> (nth % 31));
        for word in words().chain([0, 1, 2, u32::MAX, u32::MAX - 255, 1 << 31]) {
            // The word's first 24 bits from its highest on.
            let n = (word | 1).leading_zeros();
            let kept = ((word | 1) << n) as u64 >> 8;
            let u = kept as f64 * 2f64.powi(-24 - n as i32);
            let (got, right) = (minus_log(word) as f64, -u.ln());
            assert!(got > 0.0 && (got / right - 1.0).abs() < 3e-7, "{word:#x}: {got} for {right}");
            let angle = ((word << 2) as i32 >> 8) as f64 / (1 << 24) as f64 + (word >> 30) as f64;
            let [c, s] = circle(word).map(f64::from);
            let (sine, cosine) = (angle * std::f64::consts::FRAC_PI_2).sin_cos();
            assert!((c - cosine).abs() < 2e-7 && (s - sine).abs() < 2e-7, "{word:#x}");
        }
    }
}
