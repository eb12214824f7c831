//! Random inputs that can be recomputed at any index, and comparison of results with the host.

use super::{Outcome, indices};

/// Largest relative error of a result: 8 units in the last place of f32. BabelStream allows 1.2e-5.
pub const BOUND: f64 = 1e-6;

/// Element `i` of a stream of random words: splitmix64 (Steele, Lea and Flood, 2014).
pub fn word(seed: u64, i: usize) -> u64 {
    let mut z = seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Element `i` of a stream of random numbers in 0..1, multiples of 2^-24.
pub fn random(seed: u64, i: usize) -> f32 {
    (word(seed, i) >> 40) as f32 / (1 << 24) as f32
}

/// Element `i` of a stream of normally distributed numbers, mean 0 and variance 1: Box and Muller, 1958.
pub fn normal(seed: u64, i: usize) -> f32 {
    let [radius, turn] = [2 * i, 2 * i + 1].map(|at| random(seed, at) as f64);
    ((-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * turn).cos()) as f32
}

/// `n` random numbers.
pub fn randoms(seed: u64, n: usize) -> Vec<f32> {
    indices::map(n, |i| random(seed, i))
}

/// The sum of `f` over `0..n`, in f64.
pub fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    const PART: usize = 1 << 16;
    let part = |p: usize| (p * PART..n.min((p + 1) * PART)).map(&f).sum::<f64>();
    indices::map(n.div_ceil(PART), part).into_iter().sum()
}

/// For each of `0..n` the sum of `f` over those before it, in f64.
pub fn prefixes(n: usize, f: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    const PART: usize = 1 << 16;
    let f = &f;
    let part = |p: usize| p * PART..n.min((p + 1) * PART);
    let totals: Vec<f64> = indices::map(n.div_ceil(PART), |p| part(p).map(f).sum());
    let starts = exclusive(0.0, totals.into_iter());
    indices::map(starts.len(), |p| exclusive(starts[p], part(p).map(f))).concat()
}

fn exclusive(mut sum: f64, values: impl Iterator<Item = f64>) -> Vec<f64> {
    let one = |value: f64| {
        let before = sum;
        sum += value;
        before
    };
    values.map(one).collect()
}

/// Compares all `n` elements.
pub fn compare(op: &str, got: &[f32], n: usize, bound: f64, wanted: impl Fn(usize) -> f64 + Sync) -> Outcome {
    if got.len() != n {
        return Err(format!("{op}: wrong result: wanted {n} elements, got {}", got.len()).into());
    }
    let right = |i: usize| {
        let wanted = wanted(i);
        (got[i] as f64 - wanted).abs() <= bound * wanted.abs() // false for NaN
    };
    match indices::first(n, |i| !right(i)) {
        None => Ok(()),
        Some(i) => {
            let (got, wanted) = (got[i], wanted(i));
            Err(format!("{op}: wrong result at index {i}: wanted {wanted:e} within {bound:e} of its size, got {got:e}")
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_element_is_named_and_nan_is_wrong() {
        let wanted = |i: usize| random(9, i) as f64;
        let mut got = randoms(9, 1000);
        compare("op", &got, 1000, 0.0, wanted).unwrap();
        for wrong in [got[700] + 0.001, f32::NAN] {
            got[700] = wrong;
            let error = compare("op", &got, 1000, BOUND, wanted).unwrap_err().to_string();
            assert!(error.starts_with("op: wrong result at index 700: wanted "), "{error}");
        }
        assert!(compare("op", &got[..10], 11, 0.0, wanted).is_err());
    }

    #[test]
    fn normals_have_mean_0_and_variance_1() {
        let n = 1 << 16;
        let (mean, square) = (sum(n, |i| normal(5, i) as f64), sum(n, |i| (normal(5, i) as f64).powi(2)));
        assert!((mean / n as f64).abs() < 0.02 && (square / n as f64 - 1.0).abs() < 0.03, "{mean} {square}");
    }

    #[test]
    fn prefixes_go_on_from_part_to_part() {
        let n = (1 << 17) + 3;
        let wanted = |i: usize| (i * i.saturating_sub(1) / 2) as f64;
        assert!(prefixes(n, |i| i as f64).iter().enumerate().all(|(i, &got)| got == wanted(i)));
        assert_eq!(prefixes(n, |i| i as f64).len(), n);
    }

    #[test]
    fn sums_cover_every_part() {
        for n in [0, 1, (1 << 16) - 1, 1 << 16, (1 << 17) + 1] {
            assert_eq!(sum(n, |i| i as f64), (n * n.saturating_sub(1) / 2) as f64);
        }
    }
}
