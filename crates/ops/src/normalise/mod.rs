//! Normalise: scales each row by statistics of the row: softmax, layer and batch normalisation, and the statistics
//! alone; `shaders/normalise_held.wgsl`, `normalise.wgsl`.
//!
//! Bound by memory. A row that a workgroup can hold, up to 32,768 elements, is read once and written once, so the cost is
//! that of a copy. Longer ones are read twice; where rows are too few to fill the device, several workgroups share one,
//! in three launches. The order of additions is fixed, so the same input gives the same bits on a device.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod shape;
mod statistic;
mod wgsl;

pub(super) use shape::NORMALISE;

use super::fuse::{Several, read_slots};
use super::map::points;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};
use std::hash::{Hash, Hasher};

/// What the values of a row have in common, and what each becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normalisation {
    /// `exp(x)` over the sum of all: shares that add up to 1.
    Softmax,
    /// The logarithm of these shares.
    LogSoftmax,
    /// The logarithm of the sum of `exp(x)`: one value for a row.
    LogSumExp,
    /// Mean 0 and variance 1.
    Layer {
        /// Added to the variance.
        epsilon: f64,
    },
    /// Mean square 1.
    Rms {
        /// Added to the mean square.
        epsilon: f64,
    },
    /// The mean and the variance: two values for a row.
    MeanVariance {
        /// The variance is the sum of squared distances over the count less this.
        freedom: f64,
    },
}

impl Hash for Normalisation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        if let Normalisation::Layer { epsilon: number }
        | Normalisation::Rms { epsilon: number }
        | Normalisation::MeanVariance { freedom: number } = self
        {
            number.to_bits().hash(state);
        }
    }
}

/// A normalisation of an expression's values along some axes.
#[derive(Clone, Debug, Hash)]
pub struct Normalise {
    /// The values that are normalised.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The axes of a row.
    pub reduced: Vec<bool>,
    /// How.
    pub normalisation: Normalisation,
    /// What each value is multiplied with in the end: a leaf over the same index space.
    pub weight: Option<Expression>,
    /// The bias that is then added to each: likewise.
    pub bias: Option<Expression>,
    /// The slot of the first output, after all inputs. They are fresh and filled without gaps.
    pub output: usize,
}

impl Normalisation {
    /// Whether each element gets a value; else each row does.
    pub fn is_elementwise(self) -> bool {
        !matches!(self, Normalisation::LogSumExp | Normalisation::MeanVariance { .. })
    }

    /// Whether exponentials are in it, which f64 does not have.
    pub fn is_exponential(self) -> bool {
        self.kind().is_exponential()
    }

    /// Operations on each element.
    fn flops(self) -> u64 {
        match self {
            Normalisation::Softmax | Normalisation::LogSoftmax => 5,
            Normalisation::LogSumExp => 4,
            Normalisation::Layer { .. } => 6,
            Normalisation::Rms { .. } => 3,
            Normalisation::MeanVariance { .. } => 4,
        }
    }

    /// The values of a row, or its statistics, by definition.
    fn meaning(self, row: &[f64]) -> Vec<f64> {
        let count = row.len() as f64;
        let mean_of = |f: &dyn Fn(f64) -> f64| row.iter().map(|&x| f(x)).sum::<f64>() / count;
        // NaN is passed over here, and comes back with the sum.
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = row.iter().map(|&x| (x - top).exp()).sum::<f64>();
        match self {
            Normalisation::Softmax => row.iter().map(|&x| (x - top).exp() / total).collect(),
            Normalisation::LogSoftmax => row.iter().map(|&x| x - top - total.ln()).collect(),
            Normalisation::LogSumExp if top.is_infinite() && !row.iter().any(|x| x.is_nan()) => vec![top],
            Normalisation::LogSumExp => vec![top + total.ln()],
            Normalisation::Layer { epsilon } => {
                let mean = mean_of(&|x| x);
                let scale = (mean_of(&|x| (x - mean).powi(2)) + epsilon).sqrt();
                row.iter().map(|&x| (x - mean) / scale).collect()
            }
            Normalisation::Rms { epsilon } => {
                let scale = (mean_of(&|x| x * x) + epsilon).sqrt();
                row.iter().map(|&x| x / scale).collect()
            }
            Normalisation::MeanVariance { freedom } => {
                let mean = mean_of(&|x| x);
                vec![mean, mean_of(&|x| (x - mean).powi(2)) * count / (count - freedom).max(0.0)]
            }
        }
    }
}

/// The type of statistics of values of a type.
fn number(dtype: DType) -> DType {
    if dtype == DType::F16 { DType::F32 } else { dtype }
}

impl Normalise {
    fn dtype(&self) -> DType {
        self.expression.dtype()
    }

    /// The type of statistics: half floats add up in f32.
    fn number(&self) -> DType {
        number(self.dtype())
    }

    /// The normalisation's own numbers, in the order of [`Kind::scalars`](statistic::Kind::scalars).
    fn scalars(&self) -> Vec<Scalar> {
        let number = |value: f64| Scalar::from_f64(self.number(), value);
        match self.normalisation {
            Normalisation::Layer { epsilon } => vec![number(epsilon)],
            Normalisation::Rms { epsilon } => vec![number(epsilon), number(self.count(true) as f64)],
            Normalisation::MeanVariance { freedom } => vec![number(freedom)],
            _ => vec![],
        }
    }

    fn count(&self, which: bool) -> u64 {
        self.shape.iter().zip(&self.reduced).filter(|(_, r)| **r == which).map(|(&e, _)| e as u64).product()
    }

    /// Values of all outputs, each.
    fn output_len(&self) -> usize {
        let rows = self.count(false) as usize;
        if self.normalisation.is_elementwise() { rows * self.count(true) as usize } else { rows }
    }

    fn outputs(&self) -> usize {
        if matches!(self.normalisation, Normalisation::MeanVariance { .. }) { 2 } else { 1 }
    }

    fn inputs(&self) -> impl Iterator<Item = &Expression> {
        [Some(&self.expression), self.weight.as_ref(), self.bias.as_ref()].into_iter().flatten()
    }

    /// The values, weight and bias, and the output if each element gets a value, over (kept, reduced) dimensions.
    fn fusions(&self) -> Several<'_> {
        let axes = 0..self.shape.len();
        let order = axes.clone().filter(|&a| !self.reduced[a]).chain(axes.filter(|&a| self.reduced[a]));
        let order: Vec<(usize, usize)> = order.map(|axis| (axis, self.reduced[axis] as usize)).collect();
        let named = [(Some(&self.expression), ""), (self.weight.as_ref(), "weight_"), (self.bias.as_ref(), "bias_")];
        let named: Vec<_> = named.into_iter().filter_map(|(input, prefix)| Some((input?, prefix))).collect();
        let output = self.normalisation.is_elementwise().then_some((self.output, self.dtype()));
        Several::over(&self.shape, &order, &["k", "r"], &named, output)
    }
}

impl Op for Normalise {
    fn name(&self) -> &'static str {
        "normalise"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = |name: &str| Slot::write(name, self.dtype(), self.output_len());
        let outputs =
            if self.outputs() == 2 { vec![output("mean"), output("variance")] } else { vec![output("output")] };
        [read_slots(self.inputs()), outputs].concat()
    }

    /// Not for statistics of empty rows: they are known.
    fn vary(&mut self, by: &mut dyn Vary) {
        let more = self.weight.iter_mut().chain(&mut self.bias);
        [&mut self.expression].into_iter().chain(more).for_each(|expression| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.shape.contains(&0) { Ok(Plan::default()) } else { plan::plan(self, caps) }
    }

    fn flops(&self) -> u64 {
        let own = self.normalisation.flops() + self.weight.is_some() as u64 + self.bias.is_some() as u64;
        (self.expression.flops() + own) * self.count(false) * self.count(true)
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let read: u64 = self.inputs().map(|input| input.bytes(&extents)).sum();
        read + (self.outputs() * self.output_len() * self.dtype().size()) as u64
    }

    fn reference(&self, host: &mut Host) {
        let pick = |which: bool| -> Vec<usize> {
            self.shape.iter().zip(&self.reduced).map(|(&e, &r)| if r == which { e } else { 1 }).collect()
        };
        let (kept, reduced) = (pick(false), pick(true));
        for (nth, outer) in points(&kept).enumerate() {
            let at = |inner: &Vec<u64>| -> Vec<u64> { outer.iter().zip(inner).map(|(a, b)| a + b).collect() };
            let row: Vec<Vec<u64>> = points(&reduced).map(|inner| at(&inner)).collect();
            let values: Vec<f64> = row.iter().map(|point| self.expression.meaning(host, point).float()).collect();
            let results = self.normalisation.meaning(&values);
            if !self.normalisation.is_elementwise() {
                for (output, value) in results.into_iter().enumerate() {
                    host.set(self.output + output, nth, Value::Float(value));
                }
                continue;
            }
            for (point, value) in row.iter().zip(results) {
                let of = |input: &Option<Expression>, otherwise: f64| {
                    input.as_ref().map_or(otherwise, |input| input.meaning(host, point).float())
                };
                let value = value * of(&self.weight, 1.0) + of(&self.bias, 0.0);
                let place = point.iter().zip(&self.shape).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
                host.set(self.output, place, Value::Float(value));
            }
        }
    }
}
