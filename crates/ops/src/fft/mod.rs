//! Fft: discrete Fourier transforms along an axis; `shaders/fft.wgsl`.
//!
//! `X[j] = scale * sum over k of x[k] exp(-+ 2 pi i j k / n)`. Bound by memory: a length that a workgroup's memory holds, up to
//! some thousands, is read once and written once; longer ones are two or three such launches over scratch memory, whose columns
//! are read and written in segments (the four-step method of Bailey, "FFTs in external or hierarchical memory", 1990). On a
//! processor, whose caches hold rows of any length, it is one launch always. Lengths have no prime above 13: for others arrays
//! use a convolution.
//!
//! Factors are computed, to 1e-7 or 2e-16, not read. Error of f32: 3e-7 * log2(n) of the root mean square at most, in practice a
//! quarter; of f64 6e-16 * log2(n).

mod butterflies;
#[cfg(feature = "cases")]
pub mod cases;
mod long;
mod plan;
mod radices;
mod wgsl;

pub use radices::{is_smooth, next_smooth};

use super::map::{points, read_slots};
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};
use std::f64::consts::TAU;

/// A transform of an expression's values along an axis.
#[derive(Clone, Debug, Hash)]
pub struct Fft {
    /// The values: complex or real.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// The length of the transform. Values past it are left out; where there are fewer, zeros follow.
    pub length: usize,
    /// Whether values past `length / 2` are not those of the axis, but the conjugates of their mirror images.
    pub half: bool,
    /// Whether the sign of the exponent is positive.
    pub inverse: bool,
    /// How many values of a row the result has: all, or the first `length / 2 + 1`.
    pub kept: usize,
    /// The type of the result: complex, or real where only real parts are wanted.
    pub result: DType,
    /// The bits of an f64 that the result is multiplied by.
    pub scale: u64,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

impl Fft {
    fn output_shape(&self) -> Vec<usize> {
        let mut shape = self.shape.clone();
        shape[self.axis] = self.kept;
        shape
    }

    fn output_len(&self) -> usize {
        self.output_shape().iter().product()
    }

    /// Whether its arithmetic is that of f64.
    fn is_double(&self) -> bool {
        self.result.real() == DType::F64
    }

    /// How many rows are memory's neighbours: 1 where the values of a row are.
    fn inner(&self) -> usize {
        self.shape[self.axis + 1..].iter().product()
    }

    /// Transforms.
    fn rows(&self) -> u64 {
        self.shape.iter().enumerate().filter(|(axis, _)| *axis != self.axis).map(|(_, &extent)| extent as u64).product()
    }
}

impl Op for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.result, self.output_len());
        let output = Slot::write("output", dtype, len);
        [read_slots(&self.expression), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.rows() == 0 || self.shape[self.axis] == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    /// 5 n log2 n, as is usual.
    fn flops(&self) -> u64 {
        let n = self.length as f64;
        let values = self.rows() * self.length as u64;
        self.rows() * (5.0 * n * n.log2()) as u64 + values * self.expression.flops()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        self.expression.bytes(&extents) + (self.output_len() * self.result.size()) as u64
    }

    fn reference(&self, host: &mut Host) {
        let n = self.length;
        let kept: Vec<usize> =
            self.shape.iter().enumerate().map(|(axis, &extent)| if axis == self.axis { 1 } else { extent }).collect();
        let output = self.output_shape();
        let scale = f64::from_bits(self.scale);
        for mut point in points(&kept) {
            let mut value = |k: usize| {
                point[self.axis] = k as u64;
                match self.expression.meaning(host, &point) {
                    Value::Complex(re, im) => (re, im),
                    real => (real.float(), 0.0),
                }
            };
            let row: Vec<(f64, f64)> = (0..self.shape[self.axis]).map(&mut value).collect();
            let given = |k: usize| row.get(k).copied().unwrap_or((0.0, 0.0));
            let mirrored = |k: usize| (given(n - k).0, -given(n - k).1);
            let row: Vec<(f64, f64)> =
                (0..n).map(|k| if self.half && k > n / 2 { mirrored(k) } else { given(k) }).collect();
            for (j, (re, im)) in transform(&row, self.inverse).into_iter().take(self.kept).enumerate() {
                point[self.axis] = j as u64;
                let place = point.iter().zip(&output).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
                let value = match self.result.class() {
                    Class::Float => Value::Float(re * scale),
                    _ => Value::Complex(re * scale, im * scale),
                };
                host.set(self.output, place, value);
            }
        }
    }
}

/// The transform by definition; long ones of the transforms of every p-th value, p the smallest prime.
fn transform(row: &[(f64, f64)], inverse: bool) -> Vec<(f64, f64)> {
    /// Lengths up to which the definition is fast enough.
    const SHORT: usize = 500;
    let n = row.len();
    let sign = if inverse { TAU } else { -TAU };
    let factors: Vec<(f64, f64)> = (0..n).map(|k| (sign * k as f64 / n as f64).sin_cos()).collect();
    let prime = (2..=n).find(|&p| n.is_multiple_of(p)).unwrap_or(1);
    let (parts, length) = if n <= SHORT || prime == n { (n, 1) } else { (prime, n / prime) };
    let part = |nth: usize| row.iter().skip(nth).step_by(parts).copied().collect::<Vec<_>>();
    let parts: Vec<Vec<(f64, f64)>> = match length {
        1 => (0..parts).map(part).collect(),
        _ => (0..parts).map(|nth| transform(&part(nth), inverse)).collect(),
    };
    let sum = |j: usize| {
        parts.iter().enumerate().fold((0.0, 0.0), |(re, im), (nth, part)| {
            let ((x, y), (s, c)) = (part[j % length], factors[(j * nth) % n]);
            (re + x * c - y * s, im + x * s + y * c)
        })
    };
    (0..n).map(sum).collect()
}
