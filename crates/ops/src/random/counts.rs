//! Counts, step by step as in `counts.wgsl`.

use super::philox::Draw;
use super::reals::{exp, log, log_beyond, minus_log, real, reciprocal, root};

/// What Stirling's formula leaves of ln k!.
fn stirling(k: f32) -> f32 {
    let r = reciprocal(k);
    let s = r * r;
    ((0.00079365 * s - 0.0027777778) * s + 0.083333336) * r
}

/// k ln(m / k) - (m - k).
fn away(k: f32, m: f32) -> f32 {
    k * log_beyond(((m - k) * reciprocal(k)).max(-0.99999994))
}

/// ln of the chance of k of n, up to what does not depend on k.
fn binomial(k: f32, n: f32, p: f32, q: f32) -> f32 {
    if k < 0.5 {
        return n * (log_beyond(-p) - p) + (0.9189385 - stirling(n));
    }
    if k > n - 0.5 {
        return n * log(p) + (0.9189385 - stirling(n));
    }
    let other = n - k;
    let spread = 0.5 * (log(k) + log(other) - log(n));
    (away(k, n * p) + away(other, n * q) - spread) - (stirling(k) + stirling(other))
}

/// An attempt of transformed rejection: what is drawn, and how far it is from the ends.
struct Attempt {
    u: f32,
    us: f32,
    v: f32,
    minus_log: f32,
}

impl Draw {
    fn tried(&self, attempt: u32) -> Attempt {
        let [first, second, ..] = self.block(self.i, attempt);
        let u = real(first) - 0.5;
        Attempt { u, us: (0.5 - u.abs()).max(2.9802322e-8), v: real(second), minus_log: minus_log(second) }
    }

    pub fn poisson(&self, rate: f32) -> u32 {
        if rate.is_nan() || rate <= 0.0 {
            return 0;
        }
        let mean = rate.min(16_000_000.0);
        if mean < 10.0 {
            return self.few_events(mean);
        }
        let b = 2.53 * root(mean) + 0.931;
        let a = 0.02483 * b - 0.059;
        let scale = 1.1328 * reciprocal(b - 3.4) + 1.1239;
        let squeeze = 0.9277 - 3.6224 * reciprocal(b - 2.0);
        for Attempt { u, us, v, minus_log } in (0..64).map(|attempt| self.tried(attempt)) {
            let k = (((2.0 * a * reciprocal(us) + b) * u + mean) + 0.43).floor();
            if us >= 0.07 && v <= squeeze {
                return k as u32;
            }
            if !(0.0..4e9).contains(&k) || us < 0.013 && v > us {
                continue;
            }
            let left = -minus_log + (log(scale) - log(a * reciprocal(us * us) + b));
            let chance = || away(k, mean) - (0.5 * log(std::f32::consts::TAU * k) + stirling(k));
            if left <= if k > 0.0 { chance() } else { -mean } {
                return k as u32;
            }
        }
        mean as u32
    }

    fn few_events(&self, mean: f32) -> u32 {
        let (mut u, mut chance, mut k) = (real(self.block(self.i, 0)[0]), exp(-mean), 0);
        while u >= chance && (chance > 2e-8 || (k as f32) < mean) {
            u -= chance;
            k += 1;
            chance = chance * mean * reciprocal(k as f32);
        }
        k
    }

    pub fn binomial(&self, trials: u32, chance: f32) -> u32 {
        let flipped = chance > 0.5;
        let p = if flipped { 1.0 - chance } else { chance };
        let count = trials.min(1 << 24);
        let k = if count == 0 || p.is_nan() || p <= 0.0 { 0 } else { self.successes(count as f32, p).min(count) };
        if flipped { count - k } else { k }
    }

    fn successes(&self, n: f32, p: f32) -> u32 {
        let (q, mean) = (1.0 - p, n * p);
        if mean < 10.0 {
            return self.few_successes(n, p);
        }
        let spread = root(mean * q);
        let b = 2.53 * spread + 1.15;
        let a = 0.0248 * b + 0.01 * p - 0.0873;
        let alpha = (5.1 * reciprocal(b) + 2.83) * spread;
        let squeeze = 0.92 - 4.2 * reciprocal(b);
        let most = binomial(((n + 1.0) * p).floor(), n, p, q);
        for Attempt { u, us, v, minus_log } in (0..64).map(|attempt| self.tried(attempt)) {
            let k = (((2.0 * a * reciprocal(us) + b) * u + mean) + 0.5).floor();
            if !(0.0..=n).contains(&k) {
                continue;
            }
            let left = || -minus_log + (log(alpha) - log(a * reciprocal(us * us) + b));
            if us >= 0.07 && v <= squeeze || left() <= binomial(k, n, p, q) - most {
                return k as u32;
            }
        }
        mean as u32
    }

    fn few_successes(&self, n: f32, p: f32) -> u32 {
        let (mean, odds) = (n * p, p * reciprocal(1.0 - p));
        let (mut u, mut one, mut k) = (real(self.block(self.i, 0)[0]), exp(n * (log_beyond(-p) - p)), 0.0);
        while u >= one && (one > 2e-8 || k < mean) && k < n {
            u -= one;
            one = one * (n - k) * odds;
            k += 1.0;
            one *= reciprocal(k);
        }
        k as u32
    }

    pub fn geometric(&self, chance: f32) -> u32 {
        if chance.is_nan() || chance <= 0.0 {
            return 4_294_967_040;
        }
        if chance >= 1.0 {
            return 1;
        }
        let each = (chance - log_beyond(-chance)).max(1e-37);
        ((minus_log(self.word()) * reciprocal(each)).floor() + 1.0).min(4_294_967_040.0) as u32
    }
}
