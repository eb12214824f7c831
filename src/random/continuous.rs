//! Draws of real numbers.

use super::Generator;
use super::draw::{Draw, Given};
use crate::array::{Array, Input};
use crate::element::{DType, Float};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Scalar, Shared};
use crosslane_ops::random::{
    BETA, EXPONENTIAL, GAMMA, LOG_GAMMA, LOGNORMAL, NORMAL, UNIFORM, UNIFORM_WIDE, UNIT, UNIT_HALF, UNIT_WIDE,
};
use half::f16;
use std::ops::Range;
use std::panic::Location;

const POSITIVE: (&str, fn(f64) -> bool) = ("a number above 0, at most 1e30", |x| x > 0.0 && x <= 1e30);
const FINITE: (&str, fn(f64) -> bool) = ("a finite number", |x| x.is_finite());
const NOT_NEGATIVE: (&str, fn(f64) -> bool) = ("a finite number, 0 or above", |x| x.is_finite() && x >= 0.0);

impl Generator {
    /// Numbers of [0, 1), each as likely: f32 of 24 bits, f64 of 53, f16 of 11.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.uniform::<f32>(&[1000]);
    /// assert!(x.min().item()? >= 0.0 && x.max().item()? < 1.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a type that the device lacks; more than 2^32 elements.
    #[doc(alias = "random")]
    #[doc(alias = "rand")]
    #[track_caller]
    pub fn uniform<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        let (operation, at) = ("uniform", Location::caller());
        let draw = |function, words| Draw { operation, function, words, at };
        match T::DTYPE {
            DType::F16 => self.draw::<f32>(draw(&UNIT_HALF, 1), shape, Ok(vec![])).cast(),
            DType::F64 => self.draw(draw(&UNIT_WIDE, 2), shape, Ok(vec![])),
            _ => self.draw(draw(&UNIT, 1), shape, Ok(vec![])),
        }
    }

    /// Numbers of a half-open range, each as likely: `low + (high - low) * u`, and never `high`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.uniform_in(-1.0f32..1.0, &[1000]);
    /// assert!(x.min().item()? >= -1.0 && x.max().item()? < 1.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::uniform`]; a range that is empty, or not finite.
    #[track_caller]
    pub fn uniform_in<T: Float>(&mut self, range: Range<T>, shape: &[usize]) -> Array<T> {
        let (operation, at) = ("uniform_in", Location::caller());
        let [low, high] = [range.start, range.end].map(|x| x.scalar().to_f64());
        // The largest number below the end, in the type itself.
        let last = match T::DTYPE {
            DType::F16 => {
                below(f16::from_f64(high).to_bits() as u64, 1 << 15, |bits| f16::from_bits(bits as u16).to_f64())
            }
            DType::F64 => below(high.to_bits(), 1 << 63, f64::from_bits),
            _ => below((high as f32).to_bits() as u64, 1 << 31, |bits| f32::from_bits(bits as u32) as f64),
        };
        let draw = |function, words| Draw { operation, function, words, at };
        let most = if T::DTYPE == DType::F64 { f64::MAX } else { f32::MAX as f64 };
        let given = match low < high && high - low <= most {
            true => Ok([("offset", low), ("scale", high - low), ("last", last)]),
            false => {
                let (wanted, got) = ("a range that is finite and not empty", format!("{low}..{high}"));
                Err(Error::argument(operation, "range", wanted, got, at))
            }
        };
        let given_as = |dtype: DType| {
            let scalar = |(name, value)| Given::scalar(name, Scalar::from_f64(dtype, value));
            given.map(|given| given.map(scalar).into())
        };
        match T::DTYPE {
            DType::F64 => self.draw(draw(&UNIFORM_WIDE, 2), shape, given_as(DType::F64)),
            _ => {
                let drawn: Array<f32> = self.draw(draw(&UNIFORM, 1), shape, given_as(DType::F32));
                // Rounding to f16 may give the end.
                if T::DTYPE == DType::F16 {
                    drawn.cast::<f16>().minimum(f16::from_f64(last)).cast()
                } else {
                    drawn.cast()
                }
            }
        }
    }

    fn single(
        &mut self,
        (operation, function, words): (&'static str, &'static Shared, u64),
        shape: &[usize],
        at: CallSite,
        given: impl FnOnce(&Draw) -> Result<Vec<Given>>,
    ) -> Array<f32> {
        let draw = Draw { operation, function, words, at };
        let given = given(&draw);
        self.draw(draw, shape, given)
    }

    /// Standard normal numbers, of mean 0 and deviation 1; `random.normal(shape) * s + m` is one kernel. Computed in f32, up
    /// to 6.7 deviations.
    ///
    /// Source: Box and Muller, 1958; logarithm, root and angle by polynomials, 5e-7 relative.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.normal::<f32>(&[10_000]) * 2.0 + 5.0;
    /// assert!((x.mean().item()? - 5.0).abs() < 0.1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::uniform`].
    #[doc(alias = "randn")]
    #[doc(alias = "standard_normal")]
    #[track_caller]
    pub fn normal<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        self.single(("normal", &NORMAL, 1), shape, Location::caller(), |_| Ok(vec![])).cast()
    }

    /// Numbers whose logarithms are normal, of this mean and deviation; each an array or a scalar.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.lognormal(0.0, 0.5, &[10_000]);
    /// assert!((x.mean().item()? - (0.125f32).exp()).abs() < 0.05);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::uniform`]; a scalar that is not finite, or a negative deviation; an array
    /// of a shape that does not broadcast to the result's.
    #[track_caller]
    pub fn lognormal(&mut self, mean: impl Input, deviation: impl Input, shape: &[usize]) -> Array<f32> {
        self.single(("lognormal", &LOGNORMAL, 1), shape, Location::caller(), |draw| {
            Ok(vec![Given::of(draw, "mean", &mean, FINITE)?, Given::of(draw, "deviation", &deviation, NOT_NEGATIVE)?])
        })
    }

    /// Exponential numbers of mean 1; multiply by another mean.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// assert!((random.exponential(&[10_000]).mean().item()? - 1.0).abs() < 0.05);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::uniform`].
    #[track_caller]
    pub fn exponential(&mut self, shape: &[usize]) -> Array<f32> {
        self.single(("exponential", &EXPONENTIAL, 1), shape, Location::caller(), |_| Ok(vec![]))
    }

    /// Gamma numbers of a shape parameter, an array or a scalar, and scale 1. An array's elements that are not above 0 give
    /// NaN.
    ///
    /// Source: Marsaglia and Tsang, 2000.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.gamma(2.5, &[10_000]);
    /// assert!((x.mean().item()? - 2.5).abs() < 0.1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::uniform`]; a scalar that is not above 0; an array of a shape that does not
    /// broadcast to the result's.
    #[track_caller]
    pub fn gamma(&mut self, parameter: impl Input, shape: &[usize]) -> Array<f32> {
        self.single(("gamma", &GAMMA, 4), shape, Location::caller(), |draw| {
            Ok(vec![Given::of(draw, "shape", &parameter, POSITIVE)?])
        })
    }

    /// Chi-square numbers of so many degrees of freedom: a number above 0.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// assert!((random.chi_square(3.0, &[10_000]).mean().item()? - 3.0).abs() < 0.15);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::gamma`].
    #[track_caller]
    pub fn chi_square(&mut self, degrees: f32, shape: &[usize]) -> Array<f32> {
        let half = self.single(("chi_square", &GAMMA, 4), shape, Location::caller(), |draw| {
            Ok(vec![Given::of(draw, "shape", &(degrees * 0.5), POSITIVE)?])
        });
        half * 2.0
    }

    /// Beta numbers of two parameters, each an array or a scalar. An array's elements that are not above 0 give NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// assert!((random.beta(2.0, 6.0, &[10_000]).mean().item()? - 0.25).abs() < 0.02);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::gamma`]; more than 2^31 elements.
    #[track_caller]
    pub fn beta(&mut self, a: impl Input, b: impl Input, shape: &[usize]) -> Array<f32> {
        self.single(("beta", &BETA, 8), shape, Location::caller(), |draw| {
            Ok(vec![Given::of(draw, "a", &a, POSITIVE)?, Given::of(draw, "b", &b, POSITIVE)?])
        })
    }

    /// Dirichlet numbers: along a new last axis, parts of 1, one for each of these weights above 0.
    ///
    /// The last bits may differ between devices, as each row is divided by its sum.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.dirichlet(&[1.0, 2.0, 3.0], &[100]);
    /// assert_eq!(x.shape(), [100, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::gamma`]; no weights.
    #[track_caller]
    pub fn dirichlet(&mut self, weights: &[f32], shape: &[usize]) -> Array<f32> {
        let (operation, at) = ("dirichlet", Location::caller());
        if weights.is_empty() || weights.iter().any(|&weight| !POSITIVE.1(weight as f64)) {
            let error =
                Error::argument(operation, "weights", "numbers above 0, one at least", format!("{weights:?}"), at);
            return Array::failed(&self.device, error);
        }
        let shape = [shape, &[weights.len()]].concat();
        let weights = Array::from_slice(&self.device, weights);
        let logarithms = self.single((operation, &LOG_GAMMA, 4), &shape, at, |draw| {
            Ok(vec![Given::of(draw, "shape", &weights, POSITIVE)?])
        });
        logarithms.softmax(-1)
    }
}

/// The largest value below the one of these bits, whose sign is a bit.
fn below(bits: u64, sign: u64, value: impl Fn(u64) -> f64) -> f64 {
    value(match bits {
        _ if bits & !sign == 0 => sign | 1,
        _ if bits & sign == 0 => bits - 1,
        _ => bits + 1,
    })
}
