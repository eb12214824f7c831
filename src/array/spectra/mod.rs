//! Fourier transforms as methods, and what is made of them: cosine transforms, short-time spectra, filters.

mod axes;
mod cosine;
mod fft;
mod filter;
mod frequencies;
mod short_time;

pub use axes::{FftOptions, Norm};
pub use cosine::CosineKind;
pub use filter::Mode as ConvolveMode;
pub use short_time::{SpectrumOptions, Window};

use crate::array::Array;
use crate::array::shapes::axes::axis;
use crate::element::{DType, Element, Part};
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Expression;
use crosslane_ops::Fft;
use crosslane_ops::fft::{is_smooth, next_smooth};
use num_complex::Complex;

/// The longest transform: indices have 32 bits, and a convolution is up to three times as long.
const LONGEST: usize = 1 << 28;

/// One transform along an axis.
#[derive(Clone, Copy)]
struct Transform {
    operation: &'static str,
    axis: usize,
    length: usize,
    inverse: bool,
    /// Whether the axis has the first half of values whose others are the conjugates of their mirror images.
    half: bool,
    /// How many values of the result are kept.
    kept: usize,
    scale: f64,
    at: CallSite,
}

impl Transform {
    /// Of all values along an axis.
    fn along(operation: &'static str, array: &Array<impl Element>, place: isize, at: CallSite) -> Result<Transform> {
        let axis = axis(operation, place, array.check()?.rank(), at)?;
        let length = array.shape()[axis];
        Ok(Transform { operation, axis, length, inverse: false, half: false, kept: length, scale: 1.0, at })
    }

    /// The result, complex or real.
    fn of<T: Element, R: Element>(self, x: &Array<T>) -> Result<Array<R>> {
        let Transform { operation, axis, length, at, .. } = self;
        x.check()?;
        if length == 0 || length > LONGEST || x.shape()[axis] == 0 {
            let wanted = format!("1 to {LONGEST} values, of which one is given at least");
            let got = format!("{length} of {}", x.shape()[axis]);
            return Err(Error::argument(operation, "length", wanted, got, at));
        }
        let mut shape = x.shape().to_vec();
        shape[axis] = self.kept;
        crate::array::create::fits(operation, R::DTYPE, &shape, at)?;
        match (is_smooth(length), R::DTYPE.real()) {
            (true, _) => Ok(self.node(x, shape)),
            (false, DType::F64) => self.by_convolution::<T, R, f64>(x),
            (false, _) => self.by_convolution::<T, R, f32>(x),
        }
    }

    fn node<T: Element, R: Element>(self, x: &Array<T>, shape: Vec<usize>) -> Array<R> {
        let Transform { axis, length, inverse, half, kept, scale, .. } = self;
        let (own, scale) = (x.shape().to_vec(), scale.to_bits());
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let expression = inputs.remove(0);
            let result = R::DTYPE;
            let shape = own.clone();
            Box::new(Fft { expression, shape, axis, length, half, inverse, kept, result, scale, output })
                as Box<dyn crosslane_core::op::Op>
        };
        // On a processor a library transforms what lies in memory.
        let take = if x.device().caps().processor.is_some() { Take::Dense } else { Take::Fused };
        Array::of(Task::nodes(&[(&*x.node, take)], vec![(shape, R::DTYPE)], 2, make).remove(0))
    }

    /// Any length as a convolution with a chirp, by transforms of a length that butterflies make (Bluestein, "A linear filtering
    /// approach to the computation of discrete Fourier transform", 1970).
    fn by_convolution<T: Element, R: Element, P: Part>(self, x: &Array<T>) -> Result<Array<R>> {
        let Transform { operation, axis, length: n, inverse, at, .. } = self;
        let m = next_smooth(2 * n - 1);
        // j k = (j^2 + k^2 - (j - k)^2) / 2; squares of half turns, exact.
        let sign = if inverse { std::f64::consts::PI } else { -std::f64::consts::PI };
        let turn = |k: usize| {
            let square = (k as u128 * k as u128 % (2 * n as u128)) as f64;
            let (s, c) = (sign * square / n as f64).sin_cos();
            Complex::new(c, s)
        };
        let chirp: Vec<Complex<f64>> = (0..n).map(turn).collect();
        let mut other = vec![Complex::default(); m];
        for (k, value) in chirp.iter().enumerate() {
            other[k] = value.conj();
            other[(m - k) % m] = value.conj();
        }
        let device = x.device();
        let along = |values: &[Complex<f64>]| {
            let mut shape = vec![1; x.rank()];
            shape[axis] = values.len();
            let rounded = values.iter().map(|value| Complex::new(P::rounded(value.re), P::rounded(value.im)));
            Array::from_slice(device, &rounded.collect::<Vec<Complex<P>>>()).reshape(&shape)
        };
        let given = x.shape()[axis];
        let values: Array<Complex<P>> = match self.half {
            true => mirrored(&x.cast::<Complex<P>>(), axis, n),
            false if given > n => x.cast::<Complex<P>>().narrow(axis, 0, n),
            false => x.cast(),
        };
        let count = values.shape()[axis];
        let part = Transform { operation, axis, length: m, inverse: false, half: false, kept: m, scale: 1.0, at };
        let spectrum: Array<Complex<P>> = part.of(&(&values * &along(&chirp[..count])))?;
        let filter: Array<Complex<P>> = part.of(&along(&other))?;
        let back = Transform { inverse: true, kept: self.kept, scale: self.scale / m as f64, ..part };
        let result: Array<Complex<P>> = back.of(&(&spectrum * &filter))?;
        let result = &result * &along(&chirp[..self.kept]);
        Ok(if R::DTYPE.is_complex() { result.cast() } else { result.real().cast() })
    }
}

/// A whole row of `length` values of its first half.
fn mirrored<P: Part>(half: &Array<Complex<P>>, axis: usize, length: usize) -> Array<Complex<P>> {
    let given = half.shape()[axis].min(length / 2 + 1);
    let mut widths = vec![(0, 0); half.rank()];
    widths[axis] = (0, length / 2 + 1 - given);
    let half = half
        .narrow(axis, 0, given)
        .pad(&widths, crate::array::PadMode::Constant(Complex::new(P::rounded(0.0), P::rounded(0.0))));
    let rest = half.narrow(axis, 1, length - (length / 2 + 1)).conj().flip(axis as isize);
    Array::concatenate(&[&half, &rest], axis as isize).unwrap_or_else(|error| Array::failed(half.device(), error))
}

impl<T: Element> Array<T> {
    /// So many elements along an axis.
    fn narrow(&self, axis: usize, first: usize, count: usize) -> Array<T> {
        let slices: Vec<crate::array::Slice> = (0..self.rank())
            .map(|place| if place == axis { (first..first + count).into() } else { (..).into() })
            .collect();
        self.slice(&slices)
    }
}
