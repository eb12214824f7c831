//! Softmax, layer and batch normalisation as methods. Elementwise work on the input is fused into the kernel.

use crate::array::Array;
use crate::array::shapes::axes::{Axes, axis};
use crate::element::{DType, Element, Float, Scalar, Transcendental};
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use crosslane_core::op::Expression;
use crosslane_ops::{Normalisation, Normalise};
use std::panic::Location;

/// A call before it is checked.
struct Call<'a, T: Element> {
    operation: &'static str,
    normalisation: Normalisation,
    array: &'a Array<T>,
    axes: &'a Axes,
    weight: Option<&'a Array<T>>,
    bias: Option<&'a Array<T>>,
    at: CallSite,
}

impl<T: Float> Call<'_, T> {
    /// Which axes rows lie along.
    fn reduced(&self) -> Result<Vec<bool>> {
        self.axes.reduced(self.operation, self.array.check()?.rank(), self.at)
    }

    /// Weight and bias, if they fit.
    fn affine(&self) -> Result<Vec<&Array<T>>> {
        for (name, array) in [("weight", self.weight), ("bias", self.bias)] {
            let Some(array) = array else { continue };
            array.check()?;
            if array.device() != self.array.device() {
                let (wanted, got) = (format!("{:?}", self.array.device()), format!("{:?}", array.device()));
                return Err(Error::argument(self.operation, format!("device of the {name}"), wanted, got, self.at));
            }
            let fits = broadcast_shapes(&[array.shape(), self.array.shape()]);
            if fits.is_none_or(|shape| shape != self.array.shape()) {
                let wanted = format!("a shape that broadcasts to {:?}", self.array.shape());
                let got = format!("{:?}", array.shape());
                return Err(Error::argument(self.operation, format!("shape of the {name}"), wanted, got, self.at));
            }
        }
        Ok([self.weight, self.bias].into_iter().flatten().collect())
    }

    /// The outputs, of these shapes.
    fn nodes(&self, reduced: Vec<bool>, affine: &[&Array<T>], shapes: Vec<Vec<usize>>) -> Vec<Array<T>> {
        let (shape, normalisation) = (self.array.shape().to_vec(), self.normalisation);
        let has = [self.weight.is_some(), self.bias.is_some()];
        // They lie without gaps, each in its own shape.
        let repeated = |array: &&Array<T>| {
            let layout = Layout::contiguous(array.shape()).broadcast(&shape).expect("it was checked");
            layout.strides.iter().map(|&stride| stride as i64).collect::<Vec<i64>>()
        };
        let strides: Vec<Vec<i64>> = affine.iter().map(repeated).collect();
        let mut inputs = vec![(&*self.array.node, Take::Fused)];
        inputs.extend(affine.iter().map(|array| (&*array.node, Take::Dense)));
        let outputs = shapes.into_iter().map(|shape| (shape, T::DTYPE)).collect();
        let make = move |inputs: Vec<Expression>, output: usize| {
            let mut inputs = inputs.into_iter();
            let expression = inputs.next().expect("the array");
            let mut affine = inputs.zip(&strides).map(|(mut input, strides)| {
                input.leaves[0].strides = strides.clone();
                input
            });
            let [weight, bias] = has.map(|has| if has { affine.next() } else { None });
            let (shape, reduced) = (shape.clone(), reduced.clone());
            Box::new(Normalise { expression, shape, reduced, normalisation, weight, bias, output })
                as Box<dyn crosslane_core::op::Op>
        };
        Task::nodes(&inputs, outputs, OWN, make).into_iter().map(Array::of).collect()
    }

    /// The array with a value for each element.
    fn elements(&self) -> Array<T> {
        let result = || {
            let (reduced, affine) = (self.reduced()?, self.affine()?);
            let bindings = self.array.device().caps().bindings;
            if bindings < 1 + OWN + affine.len() as u32 {
                let plain = Call { weight: None, bias: None, ..*self }.elements();
                let scaled = self.weight.map_or(plain.clone(), |weight| &plain * weight);
                return Ok(self.bias.map_or(scaled.clone(), |bias| &scaled + bias));
            }
            Ok(self.nodes(reduced, &affine, vec![self.array.shape().to_vec()]).remove(0))
        };
        result().unwrap_or_else(|error| Array::failed(self.array.device(), error))
    }

    /// An array for each statistic, with a value for each row; `nothing` of empty rows.
    fn rows(&self, nothing: f64) -> Vec<Array<T>> {
        let count = if self.normalisation == Normalisation::LogSumExp { 1 } else { 2 };
        let result = || {
            let reduced = self.reduced()?;
            let shape = self.axes.left(self.array.shape(), &reduced);
            let empty = self.array.shape().iter().zip(&reduced).any(|(&e, &r)| r && e == 0);
            if empty && !shape.contains(&0) {
                let value = T::from_scalar(Scalar::from_f64(T::DTYPE, nothing));
                return Ok(vec![Array::full(self.array.device(), &shape, value); count]);
            }
            Ok(self.nodes(reduced, &[], vec![shape; count]))
        };
        result().unwrap_or_else(|error| vec![Array::failed(self.array.device(), error); count])
    }
}

/// Buffers that a launch binds beside its inputs: states and an output, or two outputs.
const OWN: u32 = 2;

impl<T: Transcendental> Array<T> {
    /// Softmax along an axis: `exp(x)` divided by the sum of all `exp(x)`. Nothing overflows, since the largest is
    /// subtracted first.
    ///
    /// An element of -inf gives 0. A row is NaN where one of its elements is NaN or +inf, or all are -inf; as PyTorch
    /// has it. f16 is computed in f32. The relative error of f32 is at most 6e-7, and 1.2e-7 more for each unit that
    /// the element is below the largest. Results below 2^-125 may be 0.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[1000.0f32, 1000.0, f32::NEG_INFINITY]);
    /// assert_close(&x.softmax(-1).to_vec()?, &[0.5, 0.5, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: rows of up to 32,768 elements are read once and written once, in one launch, with all elementwise work that
    /// is before it; longer ones are read twice (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018),
    /// and few long ones take three launches. Along another axis than the last one rows are short enough to be read once
    /// up to 512 elements or more. f64 takes three launches and three reads, and the bound is one of its own precision.
    ///
    /// Errors (kept in the array): an axis out of range.
    #[track_caller]
    pub fn softmax(&self, axis: isize) -> Array<T> {
        self.exponential(Normalisation::Softmax, &axis.into(), Location::caller())
    }

    /// The logarithm of [`Array::softmax`], also where the softmax itself would be 0.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[0.0f32, 0.0, -500.0]);
    /// let half = -std::f32::consts::LN_2;
    /// assert_close(&x.log_softmax(0).to_vec()?, &[half, half, half - 500.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// NaN, cost and errors as [`Array::softmax`].
    #[track_caller]
    pub fn log_softmax(&self, axis: isize) -> Array<T> {
        self.exponential(Normalisation::LogSoftmax, &axis.into(), Location::caller())
    }

    /// The logarithm of the sum of `exp(x)` over some axes ([`Axes`]). Nothing overflows.
    ///
    /// -inf for no elements or if all are -inf; +inf if any is +inf; NaN if any is NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[1000.0f32, 1000.0, 0.0, 0.0]).reshape(&[2, 2]);
    /// let two = std::f32::consts::LN_2;
    /// assert_close(&x.logsumexp(1).to_vec()?, &[1000.0 + two, two]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: one read. Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Array<T> {
        self.exponential(Normalisation::LogSumExp, &axes.into(), Location::caller())
    }

    fn exponential(&self, normalisation: Normalisation, axes: &Axes, at: CallSite) -> Array<T> {
        let operation = normalisation.name();
        let call = Call { operation, normalisation, array: self, axes, weight: None, bias: None, at };
        match T::DTYPE {
            DType::F64 => Array::kept(self.device(), call.composed()),
            _ if normalisation == Normalisation::LogSumExp => call.rows(f64::NEG_INFINITY).remove(0),
            _ => call.elements(),
        }
    }
}

impl<T: Transcendental> Call<'_, T> {
    /// Of reductions and elementwise work: for f64, whose exponential is long, so that a kernel contains it once.
    fn composed(&self) -> Result<Array<T>> {
        let (reduced, x) = (self.reduced()?, self.array);
        let shape = self.axes.left(x.shape(), &reduced);
        let scalar = |value: f64| T::from_scalar(Scalar::from_f64(T::DTYPE, value));
        if x.is_empty() {
            // No row, or rows of nothing.
            let nothing = self.normalisation == Normalisation::LogSumExp;
            return Ok(if nothing { Array::full(x.device(), &shape, scalar(f64::NEG_INFINITY)) } else { x.clone() });
        }
        let rows = self.axes.clone().keep_dims();
        let top = x.max_axes(&rows);
        Ok(match self.normalisation {
            Normalisation::LogSumExp => {
                // An infinite sum has an infinite logarithm.
                let finite = top.clamp(scalar(f64::MIN), scalar(f64::MAX));
                let sum = (x - &finite).exp().sum_axes(&rows);
                top.is_infinite().select(&top, &finite + sum.ln()).reshape(&shape)
            }
            normalisation => {
                let distances = x - &top;
                let sum = distances.exp().sum_axes(&rows);
                match normalisation {
                    Normalisation::Softmax => distances.exp() / sum,
                    _ => distances - sum.ln(),
                }
            }
        })
    }
}

impl<T: Float> Array<T> {
    /// Mean 0 and variance 1 over some axes, then times `weight` plus `bias`, which are broadcast to the array's shape:
    /// `(x - mean) / sqrt(variance + epsilon) * weight + bias`, with the variance that divides by the count.
    ///
    /// Over the last axes it is layer normalisation. Over all but the axis of channels it is batch normalisation while a
    /// network is trained, with weight and bias of a shape as `[channels, 1, 1]`; and over a group of channels, after
    /// [`Array::reshape`], group normalisation.
    ///
    /// Distances are taken from the row's first element before they are added up, so that rows far from 0 lose nothing;
    /// the variance is of distances from the mean, and never negative. f16 is computed in f32. A row is NaN where an
    /// element is NaN or infinite; a row of equal elements with epsilon 0 is 0/0, which is NaN. Squares overflow for
    /// distances past 1e19 in f32, which then give 0.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[1.0f32, 3.0, 10.0, 30.0]).reshape(&[2, 2]);
    /// let weight = Array::from_slice(device, &[1.0f32, 2.0]);
    /// assert_close(&x.layer_norm(-1, Some(&weight), None, 0.0).to_vec()?, &[-1.0, 2.0, -1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: as [`Array::softmax`]; weight and bias are computed first if they are not in memory.
    ///
    /// Errors (kept in the array): an axis out of range, or given twice; a weight or bias on another device or of a
    /// shape that does not broadcast to the array's.
    #[track_caller]
    pub fn layer_norm(
        &self,
        axes: impl Into<Axes>,
        weight: Option<&Array<T>>,
        bias: Option<&Array<T>>,
        epsilon: f64,
    ) -> Array<T> {
        self.normalised(Normalisation::Layer { epsilon }, &axes.into(), weight, bias, Location::caller())
    }

    /// Mean square 1 over some axes, then times `weight`, which is broadcast to the array's shape:
    /// `x / sqrt(mean(x^2) + epsilon) * weight` (Zhang and Sennrich, Root mean square layer normalization, 2019).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[1.0f32, 7.0]);
    /// assert_close(&x.rms_norm(-1, None, 0.0).to_vec()?, &[0.2, 1.4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Accuracy, cost and errors as [`Array::layer_norm`].
    #[track_caller]
    pub fn rms_norm(&self, axes: impl Into<Axes>, weight: Option<&Array<T>>, epsilon: f64) -> Array<T> {
        self.normalised(Normalisation::Rms { epsilon }, &axes.into(), weight, None, Location::caller())
    }

    /// The mean and the variance over some axes ([`Axes`]), in one read. The variance is the sum of squared distances
    /// from the mean over the count less `freedom`; both are NaN for no elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0, 9.0]).reshape(&[2, 2]);
    /// let (mean, variance) = x.mean_variance(1, 0);
    /// assert_eq!((mean.to_vec()?, variance.to_vec()?), (vec![2.0, 7.0], vec![1.0, 4.0]));
    /// # Ok(()) });
    /// ```
    ///
    /// Partial results are merged by the formulas of Chan, Golub and LeVeque (1983), which avoid cancellation. In f32
    /// the mean is within 2e-6 of its own size and of its standard error (the deviation over the root of the count),
    /// the variance within 2e-6 of its size: for rows of any length, along any axis, and however far from 0. The sum of squared
    /// distances must be finite: the variance is infinite where its product with the count is past 3.4e38 (of f64 1.8e308), which
    /// takes distances of 1.8e19, or less of many elements; how large the values are does not matter. Divide by a scale before where
    /// distances may be so large. The sum is kept, and not the variance so far, so that small whole numbers have exact variances.
    ///
    /// Errors (kept in the arrays): an axis out of range, or given twice.
    #[track_caller]
    #[doc(alias = "var_mean")]
    pub fn mean_variance(&self, axes: impl Into<Axes>, freedom: usize) -> (Array<T>, Array<T>) {
        self.moments("mean_variance", &axes.into(), freedom, Location::caller())
    }

    pub(crate) fn moments(
        &self,
        operation: &'static str,
        axes: &Axes,
        freedom: usize,
        at: CallSite,
    ) -> (Array<T>, Array<T>) {
        let normalisation = Normalisation::MeanVariance { freedom: freedom as f64 };
        let call = Call { operation, normalisation, array: self, axes, weight: None, bias: None, at };
        let mut both = call.rows(f64::NAN);
        let variance = both.remove(1);
        (both.remove(0), variance)
    }

    /// Normalises each channel (an index along `axis`) by a given mean and variance of each channel:
    /// `(x - mean) / sqrt(variance + epsilon) * weight + bias`. This is batch normalisation at inference. For training,
    /// [`Array::layer_norm`] uses the statistics of the batch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_slice(device, &[1.0f32, 5.0, 3.0, 9.0]).reshape(&[2, 2]);
    /// let (mean, variance) = x.mean_variance(0, 0);
    /// assert_close(&x.batch_norm(1, &mean, &variance, None, None, 0.0).to_vec()?, &[-1.0, -1.0, 1.0, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: one read and one write, together with all elementwise work before and after, and a small launch for the
    /// channels' factors. f16 is computed in f32.
    ///
    /// Errors (kept in the array): an axis out of range; a mean, variance, weight or bias on another device, or that is
    /// not of the shape `[channels]`.
    #[track_caller]
    pub fn batch_norm(
        &self,
        axis: isize,
        mean: &Array<T>,
        variance: &Array<T>,
        weight: Option<&Array<T>>,
        bias: Option<&Array<T>>,
        epsilon: f64,
    ) -> Array<T> {
        let channels = Channels { array: self, axis, mean, variance, weight, bias, at: Location::caller() };
        let result = match T::DTYPE {
            DType::F16 => channels.normalised::<f32>(epsilon).map(|x| x.cast()),
            _ => channels.normalised::<T>(epsilon),
        };
        result.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    fn normalised(
        &self,
        normalisation: Normalisation,
        axes: &Axes,
        weight: Option<&Array<T>>,
        bias: Option<&Array<T>>,
        at: CallSite,
    ) -> Array<T> {
        let operation = normalisation.name();
        Call { operation, normalisation, array: self, axes, weight, bias, at }.elements()
    }
}

/// A batch normalisation before it is checked.
struct Channels<'a, T: Element> {
    array: &'a Array<T>,
    axis: isize,
    mean: &'a Array<T>,
    variance: &'a Array<T>,
    weight: Option<&'a Array<T>>,
    bias: Option<&'a Array<T>>,
    at: CallSite,
}

impl<T: Float> Channels<'_, T> {
    /// Computed in another type.
    fn normalised<S: Float>(&self, epsilon: f64) -> Result<Array<S>> {
        let place = axis("batch_norm", self.axis, self.array.check()?.rank(), self.at)?;
        let channels = self.array.shape()[place];
        let mut shape = vec![1; self.array.rank()];
        shape[place] = channels;
        let of = |name: &str, array: &Array<T>| -> Result<Array<S>> {
            array.check()?;
            if array.shape() != [channels] {
                let got = format!("{:?}", array.shape());
                let wanted = format!("[{channels}], as the axis has");
                return Err(Error::argument("batch_norm", format!("shape of the {name}"), wanted, got, self.at));
            }
            Ok(array.cast::<S>().reshape(&shape))
        };
        let epsilon = S::from_scalar(Scalar::from_f64(S::DTYPE, epsilon));
        let deviation = (of("variance", self.variance)? + epsilon).sqrt();
        let one = deviation.full_like(S::from_scalar(Scalar::from_f64(S::DTYPE, 1.0)));
        let factor = self.weight.map_or(Ok(one), |weight| of("weight", weight))? / deviation;
        // Once for each channel, not for each element.
        let scaled = (self.array.cast::<S>() - of("mean", self.mean)?) * factor.copy();
        self.bias.map_or(Ok(scaled.clone()), |bias| Ok(&scaled + of("bias", bias)?))
    }
}
