//! Fourier transforms, read once and written once, in batches as the peers' are.

use super::Outcome;
use super::compare::random;
use super::measure::{Group, Row};
use crosslane::array::FftOptions;
use crosslane::{Array, Complex, Device};
use std::cell::OnceCell;

/// The values of all rows.
pub struct Signals {
    device: Device,
    n: usize,
    values: OnceCell<Array<Complex<f32>>>,
}

const SEED: u64 = 9;

/// Value `i`: the peers' are random too.
fn value(i: usize) -> Complex<f32> {
    Complex::new(random(SEED, 2 * i) - 0.5, random(SEED, 2 * i + 1) - 0.5)
}

impl Signals {
    pub fn new(device: &Device, quick: bool) -> Signals {
        Signals { device: device.clone(), n: if quick { 1 << 18 } else { 1 << 24 }, values: OnceCell::new() }
    }

    /// As rows of this length.
    fn rows_of(&self, length: usize) -> Array<Complex<f32>> {
        let values = self.values.get_or_init(|| {
            let values: Vec<Complex<f32>> = (0..self.n).map(value).collect();
            Array::from_slice(&self.device, &values)
        });
        let rows = (self.n / length).max(1);
        values.slice(&[(0..rows * length).into()]).reshape(&[rows, length])
    }

    fn side(&self) -> usize {
        self.n.isqrt()
    }
}

/// A transform in doubles, by even and odd values, of factors that are given for the whole length.
fn transform(x: &[Complex<f64>], turns: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let (n, step) = (x.len(), turns.len() / x.len());
    if n == 1 {
        return x.to_vec();
    }
    if !n.is_multiple_of(2) {
        return (0..n).map(|j| (0..n).map(|k| x[k] * turns[j * k % n * step]).sum()).collect();
    }
    let half = |first: usize| transform(&x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>(), turns);
    let (even, odd) = (half(0), half(1));
    (0..n).map(|j| even[j % (n / 2)] + turns[j * step] * odd[j % (n / 2)]).collect()
}

/// Compares a row's transform with that in doubles: the root mean square of the difference.
fn check(op: &str, got: &[Complex<f32>], x: &[Complex<f64>]) -> Outcome {
    let n = x.len();
    let turn = |k: usize| Complex::from_polar(1.0, -std::f64::consts::TAU * k as f64 / n as f64);
    let wanted = transform(x, &(0..n).map(turn).collect::<Vec<_>>());
    let apart: f64 =
        got.iter().zip(&wanted).map(|(a, b)| (Complex::new(a.re as f64, a.im as f64) - b).norm_sqr()).sum();
    let error = (apart / wanted.iter().map(Complex::norm_sqr).sum::<f64>()).sqrt();
    match error <= 3e-7 * (n as f64).log2() {
        true => Ok(()),
        false => Err(format!("{op} of {n}: relative error {error:e}").into()),
    }
}

fn wide(i: usize) -> Complex<f64> {
    let value = value(i);
    Complex::new(value.re as f64, value.im as f64)
}

pub fn rows(signals: &Signals) -> Vec<Row<'_>> {
    let bytes = Group::Memory { bytes: 16 * signals.n as u64 };
    let row = |length: usize| Row {
        op: "fft_c64",
        n: length,
        group: Group::Memory { bytes: 16 * (signals.n / length * length) as u64 },
        before: None,
        check: Box::new(move || {
            let got = signals.rows_of(length).fft().to_vec()?;
            let last = signals.n / length - 1;
            let row = |nth: usize| (nth * length..(nth + 1) * length).map(wide).collect::<Vec<_>>();
            check("fft_c64", &got[..length], &row(0))?;
            check("fft_c64", &got[last * length..][..length], &row(last))
        }),
        work: Box::new(move || signals.rows_of(length).fft().eval()),
    };
    let both = || FftOptions::default().axes([0, 1]);
    let side = signals.side();
    let square = Row {
        op: "fft2_c64",
        n: side,
        group: bytes,
        before: None,
        check: Box::new(move || {
            // The first row of the transform is that of the sums of columns.
            let sum = |c: usize| (0..side).map(|r| wide(r * side + c)).sum();
            let got = signals.rows_of(side).fft_with(&both()).to_vec()?;
            check("fft2_c64", &got[..side], &(0..side).map(sum).collect::<Vec<_>>())
        }),
        work: Box::new(move || signals.rows_of(side).fft_with(&both()).eval()),
    };
    let lengths = [1000, 1024, 1536, 10_007, 1 << 16, 1 << 20, 1 << 24];
    lengths.into_iter().filter(|&length| length <= signals.n).map(row).chain([square]).collect()
}
