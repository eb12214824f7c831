//! Cosine and sine transforms, by Fourier transforms of twice the length, whose second half is zeros.

use super::{LONGEST, Norm, Transform};
use crate::array::Array;
use crosslane_core::error::{CallSite, Error, Result};
use num_complex::Complex;
use std::f64::consts::PI;
use std::panic::Location;

/// Which of the usual cosine or sine transforms, by its number: what values beyond the ends are taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CosineKind {
    /// Even or odd around the end values; its own inverse, but for a factor.
    I,
    /// Even or odd around the places half a step before the first and after the last: "the" DCT, of JPEG.
    #[default]
    II,
    /// The inverse of II, but for a factor.
    III,
    /// As II, with frequencies between those of II; its own inverse, but for a factor.
    IV,
}

/// A transform as a Fourier transform of `whole` values: y[k] is a part of after(k) times the sum over j of before(j) x[j]
/// exp(-2 pi i j (k + first) / whole).
struct Way {
    whole: usize,
    first: usize,
    /// The factor and the angle, in half turns, of each.
    before: fn(f64, f64) -> (f64, f64),
    after: fn(f64, f64) -> (f64, f64),
}

impl Way {
    /// SciPy's definitions, without norm.
    fn of(kind: CosineKind, sine: bool, n: usize) -> Way {
        let way = |whole, first, before, after| Way { whole, first, before, after };
        match (kind, sine) {
            (CosineKind::I, false) => {
                way(2 * (n - 1), 0, |j, n| (if j == 0.0 || j == n - 1.0 { 1.0 } else { 2.0 }, 0.0), |_, _| (1.0, 0.0))
            }
            (CosineKind::I, true) => way(2 * (n + 1), 1, |_, _| (2.0, 0.0), |k, n| (1.0, (k + 1.0) / (n + 1.0))),
            (CosineKind::II, false) => way(2 * n, 0, |_, _| (2.0, 0.0), |k, n| (1.0, k / (2.0 * n))),
            (CosineKind::II, true) => way(2 * n, 1, |_, _| (2.0, 0.0), |k, n| (1.0, (k + 1.0) / (2.0 * n))),
            (CosineKind::III, false) => {
                way(2 * n, 0, |j, n| (if j == 0.0 { 1.0 } else { 2.0 }, j / (2.0 * n)), |_, _| (1.0, 0.0))
            }
            (CosineKind::III, true) => {
                way(2 * n, 0, |j, n| (if j == n - 1.0 { 1.0 } else { 2.0 }, (j + 1.0) / (2.0 * n)), |k, n| (1.0, k / n))
            }
            (CosineKind::IV, _) => {
                way(2 * n, 0, |j, n| (2.0, j / (2.0 * n)), |k, n| (1.0, (2.0 * k + 1.0) / (4.0 * n)))
            }
        }
    }
}

/// Factors exp(-pi i angle).
fn factors(count: usize, of: impl Fn(f64) -> (f64, f64)) -> Vec<Complex<f32>> {
    let factor = |k: usize| {
        let (size, angle) = of(k as f64);
        // What is a half turn more is the negative, exactly.
        let (s, c) = (-PI * (angle % 2.0)).sin_cos();
        Complex::new((size * c) as f32, (size * s) as f32)
    };
    (0..count).map(factor).collect()
}

impl Array<f32> {
    /// The cosine transform along the last axis: SciPy's `dct`, without a norm. Kind II is `y[k] = 2 * sum over j of x[j]
    /// cos(pi k (2 j + 1) / (2 n))`.
    ///
    /// [`Norm::Ortho`] makes II, III and IV orthogonal: their inverses are III, II and IV. Error and cost: those of a
    /// transform of twice the length, and a pass.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{CosineKind, Norm};
    /// let x = Array::from_slice(device, &[4.0f32, 3.0, 5.0, 10.0]);
    /// let y = x.dct(CosineKind::II, Norm::Ortho);
    /// crosslane::assert_close(&y.dct(CosineKind::III, Norm::Ortho).to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis, or one without values; kind I with one value, or with a norm.
    #[track_caller]
    pub fn dct(&self, kind: CosineKind, norm: Norm) -> Array<f32> {
        self.trigonometric("dct", kind, false, norm, Location::caller())
    }

    /// The sine transform along the last axis: SciPy's `dst`, without a norm. Kind II is `y[k] = 2 * sum over j of x[j]
    /// sin(pi (k + 1) (2 j + 1) / (2 n))`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{CosineKind, Norm};
    /// let x = Array::from_slice(device, &[4.0f32, 3.0, 5.0, 10.0]);
    /// let y = x.dst(CosineKind::IV, Norm::Ortho);
    /// crosslane::assert_close(&y.dst(CosineKind::IV, Norm::Ortho).to_vec()?, &x.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis, or one without values; kind I with a norm.
    #[track_caller]
    pub fn dst(&self, kind: CosineKind, norm: Norm) -> Array<f32> {
        self.trigonometric("dst", kind, true, norm, Location::caller())
    }

    fn trigonometric(
        &self,
        operation: &'static str,
        kind: CosineKind,
        sine: bool,
        norm: Norm,
        at: CallSite,
    ) -> Array<f32> {
        let result = || self.trigonometric_of(operation, kind, sine, norm, at);
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    fn trigonometric_of(
        &self,
        operation: &'static str,
        kind: CosineKind,
        sine: bool,
        norm: Norm,
        at: CallSite,
    ) -> Result<Array<f32>> {
        let whole = Transform::along(operation, self, -1, at)?;
        let n = whole.length;
        let least = if kind == CosineKind::I && !sine { 2 } else { 1 };
        if n < least {
            return Err(Error::argument(operation, "length", format!("{least} values at least"), n.to_string(), at));
        }
        if kind == CosineKind::I && norm != Norm::Backward {
            let wanted = "Norm::Backward: kind I is not orthogonal by one factor";
            return Err(Error::argument(operation, "norm", wanted, format!("{norm:?}"), at));
        }
        let way = Way::of(kind, sine, n);
        // Before the factors take memory: an array without values may be long along this axis.
        if way.whole > LONGEST {
            let wanted = format!("a transform of {LONGEST} values at most");
            return Err(Error::argument(operation, "length", wanted, format!("{} of {n}", way.whole), at));
        }
        let count = n as f64;
        // By its root a vector's length is kept, but for the values that come once.
        let scale = match norm {
            Norm::Backward => 1.0,
            Norm::Ortho => 1.0 / (2.0 * count).sqrt(),
            Norm::Forward => 1.0 / (2.0 * count),
        };
        let once = |k: f64, at: f64| if norm == Norm::Ortho && k == at { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
        let end = if sine { count - 1.0 } else { 0.0 };
        let before = factors(n, |j| {
            let (size, angle) = (way.before)(j, count);
            // Kind III has the value that comes once with 1 in place of 2: for the orthogonal one with sqrt 2.
            let size = if kind == CosineKind::III && norm == Norm::Ortho && j == end { 2f64.sqrt() } else { size };
            (size, angle)
        });
        let after = factors(n, |k| {
            let (size, angle) = (way.after)(k, count);
            (size * if kind == CosineKind::II { once(k, end) } else { 1.0 }, angle)
        });
        let transform = Transform { length: way.whole, kept: way.first + n, scale, ..whole };
        let plain = before.iter().all(|factor| *factor == Complex::new(2.0, 0.0));
        let spectrum: Array<Complex<f32>> = match plain {
            true => Transform { scale: 2.0 * scale, ..transform }.of(self)?,
            false => transform.of(&(self.cast::<Complex<f32>>() * Array::from_slice(self.device(), &before)))?,
        };
        let axis = self.rank() - 1;
        let turned = spectrum.narrow(axis, way.first, n) * Array::from_slice(self.device(), &after);
        Ok(if sine { -turned.imag() } else { turned.real() })
    }
}
