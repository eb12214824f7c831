//! Neighbours: what is made of the values of windows other than sums: the least, the greatest, one by its rank, means weighed by
//! distance; `shaders/neighbours.wgsl`, on a processor `shaders/neighbours_rows.wgsl`.
//!
//! Bound by loads from caches: a load for each value of a window. Windows whose greatest or least is wanted are split by the
//! caller, so that no launch loads many.

mod body;
#[cfg(feature = "cases")]
pub mod cases;
mod network;
mod plan;
mod ranks;
mod wgsl;

use super::Boundary;
use super::fuse::{flat, read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};
use std::cmp::Ordering;

/// The most values of windows of which one by its rank is wanted: they are registers of an invocation.
pub const RANKED: usize = 49;

/// Along one axis: the window of result `i` begins at `i * step + first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Results.
    pub count: usize,
    /// Where the first result's window begins.
    pub first: i64,
    /// From one result's window to the next one's.
    pub step: usize,
}

/// Which values a window has, relative to where it begins, along z, y and x.
#[derive(Clone, Debug, Hash)]
pub enum Points {
    /// Along each axis so many, `jump` apart, of which none is past `last`.
    Box {
        /// How many.
        taps: [usize; 3],
        /// From one to the next.
        jump: [usize; 3],
        /// The last one.
        last: [usize; 3],
    },
    /// These, which are a part of the kernel.
    Fixed(Vec<[i32; 3]>),
    /// So many, which lie in memory: i32 without gaps, three for each.
    Listed(Expression, usize),
}

/// What is made of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The least; NaN if any is.
    Minimum,
    /// The greatest; NaN if any is.
    Maximum,
    /// The mean of the two with these numbers in ascending order, or the one; NaN if any is. Of integers the first.
    Rank(usize, usize),
    /// The mean of a box weighed by bells of the distance and of the difference from the middle, without what is farther away
    /// than half the box. The bells are `exp(-d^2 space)` and `exp(-d^2 range)`, by the bits of f64.
    Bilateral {
        /// Of distances.
        space: u64,
        /// Of differences.
        range: u64,
    },
}

/// What is made of the neighbours of an expression's values.
#[derive(Clone, Debug, Hash)]
pub struct Neighbours {
    /// The values.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// Which of the variables k, z, y, x each axis is part of, ascending.
    pub variables: Vec<usize>,
    /// The windows along z, y and x. Variables of several axes, or none, have windows of one value.
    pub spans: [Span; 3],
    /// The windows' values.
    pub points: Points,
    /// What is made of them.
    pub rule: Rule,
    /// What stands past the ends.
    pub boundary: Boundary,
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

impl Neighbours {
    fn dtype(&self) -> DType {
        self.expression.dtype()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let listed = match &self.points {
            Points::Listed(list, _) => Some(list),
            _ => None,
        };
        std::iter::once(&self.expression).chain(listed)
    }

    /// The extents along k, z, y and x.
    fn sizes(&self) -> [usize; 4] {
        let mut sizes = [1; 4];
        self.variables.iter().zip(&self.shape).for_each(|(&variable, extent)| sizes[variable] *= extent);
        sizes
    }

    fn output_shape(&self) -> [usize; 4] {
        let [z, y, x] = self.spans.map(|span| span.count);
        [self.sizes()[0], z, y, x]
    }

    fn output_len(&self) -> usize {
        self.output_shape().iter().product()
    }

    fn bytes_of(&self, slot: usize) -> u64 {
        match slot == self.output {
            true => buffer_bytes(self.dtype(), self.output_len()),
            false => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
        }
    }

    /// How many values a window has.
    fn taps(&self) -> usize {
        match &self.points {
            Points::Box { taps, .. } => taps.iter().product(),
            Points::Fixed(list) => list.len(),
            Points::Listed(_, count) => *count,
        }
    }

    /// The values of a window, relative to where it begins.
    fn offsets(&self, host: &Host) -> Vec<[i64; 3]> {
        match &self.points {
            Points::Box { taps, jump, last } => points(taps)
                .map(|tap| std::array::from_fn(|axis| (tap[axis] as usize * jump[axis]).min(last[axis]) as i64))
                .collect(),
            Points::Fixed(list) => list.iter().map(|point| point.map(i64::from)).collect(),
            Points::Listed(list, count) => {
                let list = flat(list, "").expression;
                let word = |nth: usize| list.meaning(host, &[nth as u64]).int() as i64;
                (0..*count).map(|nth| std::array::from_fn(|axis| word(3 * nth + axis))).collect()
            }
        }
    }

    /// The value at a place along k, z, y and x.
    fn value_at(&self, host: &Host, k: u64, places: [i64; 3]) -> Value {
        let sizes = self.sizes();
        let mut flat = [k; 4];
        for axis in 0..3 {
            match self.boundary.place(places[axis], sizes[axis + 1] as i64) {
                Some(place) => flat[axis + 1] = place as u64,
                None => return Value::Float(self.boundary.outside()).cast(self.dtype()),
            }
        }
        let mut point = vec![0; self.shape.len()];
        for axis in (0..self.shape.len()).rev() {
            let (rest, extent) = (&mut flat[self.variables[axis]], self.shape[axis] as u64);
            point[axis] = *rest % extent;
            *rest /= extent;
        }
        self.expression.meaning(host, &point)
    }

    /// What is made of a window's values, of which each has its distance from the middle.
    fn made_of(&self, mut values: Vec<Value>, distances: &[i64]) -> Value {
        let nan = values.iter().any(|value| value.is_nan());
        match self.rule {
            _ if nan => Value::Float(f64::NAN),
            Rule::Minimum => values.into_iter().min_by(order).expect("windows have values"),
            Rule::Maximum => values.into_iter().max_by(order).expect("windows have values"),
            Rule::Rank(low, high) => {
                values.sort_by(order);
                match (values[low], values[high]) {
                    (Value::Float(a), Value::Float(b)) => Value::Float(a / 2.0 + b / 2.0),
                    (a, _) => a,
                }
            }
            Rule::Bilateral { space, range } => {
                let [space, range] = [space, range].map(f64::from_bits);
                let middle = values[values.len() / 2].float();
                let radius = self.reach() * self.reach();
                let mut sums = [0.0; 2];
                for (value, &distance) in values.iter().zip(distances).filter(|(_, d)| **d <= radius) {
                    let apart = value.float() - middle;
                    let weight = (-(distance as f64) * space - apart * apart * range).exp();
                    sums = [sums[0] + weight * value.float(), sums[1] + weight];
                }
                Value::Float(sums[0] / sums[1])
            }
        }
    }

    /// Half of a box, along its longest axis.
    fn reach(&self) -> i64 {
        match &self.points {
            Points::Box { taps, .. } => taps.iter().max().map_or(0, |&taps| taps as i64 / 2),
            _ => 0,
        }
    }
}

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        _ => a.int().cmp(&b.int()),
    }
}

impl Op for Neighbours {
    fn name(&self) -> &'static str {
        "neighbours"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.dtype(), self.output_len());
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
        if let Points::Listed(list, _) = &mut self.points {
            by.expression(list);
        }
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.output_len() == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let values: u64 = self.shape.iter().map(|&extent| extent as u64).product();
        (self.output_len() * self.taps()) as u64 + values * self.expression.flops()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&extent| extent as u64).collect();
        self.expression.bytes(&extents) + (self.dtype().size() * self.output_len()) as u64
    }

    fn reference(&self, host: &mut Host) {
        let offsets = self.offsets(host);
        let middle = offsets[offsets.len() / 2];
        let apart = |offset: &[i64; 3]| (0..3).map(|axis| (offset[axis] - middle[axis]).pow(2)).sum();
        let distances: Vec<i64> = offsets.iter().map(apart).collect();
        for (at, point) in points(&self.output_shape()).enumerate() {
            let place = |offset: &[i64; 3]| {
                std::array::from_fn(|axis| {
                    let span = &self.spans[axis];
                    point[axis + 1] as i64 * span.step as i64 + span.first + offset[axis]
                })
            };
            let values = offsets.iter().map(|offset| self.value_at(host, point[0], place(offset))).collect();
            let made = self.made_of(values, &distances);
            host.set(self.output, at, made);
        }
    }
}
