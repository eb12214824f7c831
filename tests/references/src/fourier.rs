//! Fourier transforms.

use num_complex::Complex;
use std::f64::consts::TAU;

/// The transform of a row, without a factor. By definition for primes; else of every p-th value, p the smallest prime.
pub fn dft(x: &[Complex<f64>], inverse: bool) -> Vec<Complex<f64>> {
    let n = x.len();
    let sign = if inverse { TAU } else { -TAU };
    let turns: Vec<_> = (0..n).map(|k| Complex::from_polar(1.0, sign * k as f64 / n as f64)).collect();
    let p = (2..=n).find(|&p| n.is_multiple_of(p)).unwrap_or(1);
    let part = |first: usize| x.iter().skip(first).step_by(p).copied().collect::<Vec<_>>();
    let parts: Vec<_> = (0..p).map(|first| if p == n { part(first) } else { dft(&part(first), inverse) }).collect();
    (0..n).map(|j| (0..p).map(|first| parts[first][j % (n / p)] * turns[j * first % n]).sum()).collect()
}
