//! What is made of the neighbours of each value, as nodes of the graph.

use crate::array::shapes::PadMode;
use crate::array::{Array, create};
use crate::element::{Class, Element, Ordered};
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::neighbours::{Points, Rule, Span};
use crosslane_ops::{Boundary, Neighbours};

/// The most values along an axis that one launch compares. Not tuned: a launch costs about as much as these loads from cache.
const TAPS: usize = 16;
/// The most values of a box whose windows are compared in one launch.
const FEW: usize = 25;
/// The longest axis and window: indices have 32 bits.
pub(super) const REACH: usize = 1 << 28;

/// An axis, how many values windows have along it before and after their own, and what stands past its ends.
pub(super) type Side<T> = (usize, [usize; 2], PadMode<T>);

/// Windows along the last axes or along one axis, and what is made of them.
pub(super) struct Windows {
    /// Which of the kernel's variables k, z, y, x each axis is part of.
    pub variables: Vec<usize>,
    pub spans: [Span; 3],
    pub points: Points,
    pub rule: Rule,
    /// The result's shape.
    pub shape: Vec<usize>,
}

/// As many results as values, whose windows begin so far from each.
fn span(count: usize, first: i64) -> Span {
    Span { count, first, step: 1 }
}

impl Windows {
    /// Windows of the last axes, as many results as values; `before` is where a window begins, before its value.
    pub fn of_last(shape: &[usize], before: &[usize], points: Points, rule: Rule) -> Windows {
        let (rank, axes) = (shape.len(), before.len());
        let variables = (0..rank).map(|axis| if axis + axes < rank { 0 } else { 4 - (rank - axis) }).collect();
        let mut spans = [span(1, 0); 3];
        for (axis, &before) in before.iter().enumerate() {
            spans[3 - axes + axis] = span(shape[rank - axes + axis], -(before as i64));
        }
        Windows { variables, spans, points, rule, shape: shape.to_vec() }
    }

    /// Windows along one axis: so many results, of windows with values `jump` apart up to `last`.
    pub fn along(shape: &[usize], axis: usize, span_of: Span, [taps, jump, last]: [usize; 3], rule: Rule) -> Windows {
        let behind: usize = shape[axis + 1..].iter().product();
        let is_last = axis + 1 == shape.len();
        let place = if is_last { 2 } else { 1 };
        let variables = (0..shape.len())
            .map(|other| match other.cmp(&axis) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => place + 1,
                std::cmp::Ordering::Greater => 3,
            })
            .collect();
        let mut spans = [span(1, 0), span(1, 0), span(behind, 0)];
        spans[place] = span_of;
        let on_axis = |value: usize, other: usize| std::array::from_fn(|at| if at == place { value } else { other });
        let points = Points::Box { taps: on_axis(taps, 1), jump: on_axis(jump, 0), last: on_axis(last, 0) };
        let mut shape = shape.to_vec();
        shape[axis] = span_of.count;
        Windows { variables, spans, points, rule, shape }
    }
}

/// A boundary as operations have it.
pub(super) fn boundary_of<T: Element>(operation: &'static str, boundary: PadMode<T>, at: CallSite) -> Result<Boundary> {
    let made = boundary.boundary();
    if let (PadMode::Constant(value), Boundary::Constant(bits)) = (boundary, made) {
        // The ends of types of 64 bits are saturated to.
        let exact = crate::element::Scalar::from_f64(T::DTYPE, f64::from_bits(bits)).bits == value.scalar().bits;
        if !exact && T::DTYPE.class() != Class::Float {
            let wanted = "a constant that f64 has exactly";
            return Err(Error::argument(operation, "boundary", wanted, format!("{value:?}"), at));
        }
    }
    Ok(made)
}

impl<T: Ordered> Array<T> {
    /// What is made of windows; the places of listed points lie in an array.
    pub(super) fn of_windows(
        &self,
        operation: &'static str,
        windows: Windows,
        list: Option<&Array<i32>>,
        boundary: PadMode<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let boundary = boundary_of(operation, boundary, at)?;
        let shape = self.check()?.shape().to_vec();
        let Windows { variables, spans, points, rule, shape: output } = windows;
        create::fits(operation, T::DTYPE, &output, at)?;
        if let Some(&extent) = shape.iter().find(|&&extent| extent > REACH) {
            let wanted = format!("at most {REACH} values along each axis");
            return Err(Error::argument(operation, "array", wanted, extent.to_string(), at));
        }
        if output.contains(&0) {
            return Ok(Array::zeros(self.device(), &output));
        }
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let points = match (inputs.len(), &points) {
                (2, Points::Fixed(list)) => Points::Listed(inputs.remove(1), list.len()),
                _ => points.clone(),
            };
            let (expression, shape, variables) = (inputs.remove(0), shape.clone(), variables.clone());
            Box::new(Neighbours { expression, shape, variables, spans, points, rule, boundary, output }) as Box<dyn Op>
        };
        let mut inputs = vec![(&*self.node, Take::Fused)];
        inputs.extend(list.map(|list| (&*list.node, Take::Dense)));
        Ok(Array::of(Task::nodes(&inputs, vec![(output, T::DTYPE)], 1, make).remove(0)))
    }

    /// What is made of windows of the last axes, each with a boundary of its own; they have values so far before their own and after
    /// it.
    pub(super) fn of_last_windows(
        &self,
        operation: &'static str,
        mut windows: Windows,
        sides: &[[usize; 2]],
        list: Option<&Array<i32>>,
        boundaries: &[PadMode<T>],
        at: CallSite,
    ) -> Result<Array<T>> {
        let axes: Vec<usize> = (self.check()?.rank() - sides.len()..self.rank()).collect();
        let (whole, before) = self.continued(operation, &axes, sides, boundaries, at)?;
        for (axis, &before) in before.iter().enumerate() {
            windows.spans[3 - axes.len() + axis].first += before as i64;
        }
        let boundary = boundaries.last().expect("windows lie along an axis");
        whole.of_windows(operation, windows, list, *boundary, at)
    }

    /// The least or the greatest of windows along one axis, which begin so far before each value: of few values at once, then
    /// of windows of those, so that the number of launches is about the logarithm of the size to the base 16.
    fn extreme_along(
        &self,
        operation: &'static str,
        axis: usize,
        [before, after]: [usize; 2],
        rule: Rule,
        boundary: PadMode<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let extent = self.check()?.shape()[axis];
        // Windows that go on for twice the axis have everything.
        let [before, after] = [before, after].map(|side| side.min(2 * extent));
        let size = before + after + 1;
        let launches = (1..).find(|&launches| TAPS.checked_pow(launches).is_none_or(|most| most >= size));
        let radix = (size as f64).powf(1.0 / launches.expect("numbers end") as f64).ceil() as usize;
        let (mut array, mut have) = (self.clone(), 1);
        while have < size {
            let taps = radix.clamp(2, TAPS).min(size.div_ceil(have));
            let next = size.min(have * taps);
            // The first launch goes past the ends, for the others to stay inside.
            let first = if have == 1 { -(before as i64) } else { 0 };
            let span = span(extent + size - next, first);
            let windows = Windows::along(array.shape(), axis, span, [taps, have, next - have], rule);
            let boundary = if have == 1 { boundary } else { PadMode::Edge };
            array = array.of_windows(operation, windows, None, boundary, at)?;
            have = next;
        }
        Ok(array)
    }

    /// The least or the greatest of boxes along some axes, which begin so far before each value and end so far after it, each axis
    /// with its boundary.
    pub(super) fn extreme(
        &self,
        operation: &'static str,
        sides: &[Side<T>],
        rule: Rule,
        at: CallSite,
    ) -> Result<Array<T>> {
        let shape = self.check()?.shape();
        let sides: Vec<_> = sides.iter().filter(|(_, sides, _)| *sides != [0, 0]).collect();
        let count: usize = sides.iter().fold(1, |count, (_, [a, b], _)| count.saturating_mul(a.saturating_add(*b) + 1));
        let first = sides.iter().map(|(axis, ..)| *axis).min().unwrap_or(shape.len());
        let axes = shape.len() - first;
        let alike = sides.windows(2).all(|pair| pair[0].2 == pair[1].2);
        if (2..=3).contains(&axes) && sides.len() > 1 && count <= FEW && alike {
            let of =
                |axis: usize| sides.iter().find(|(other, ..)| *other == axis).map_or([0, 0], |(_, sides, _)| *sides);
            let before: Vec<usize> = (first..shape.len()).map(|axis| of(axis)[0]).collect();
            let mut last = [0; 3];
            (0..axes).for_each(|axis| last[3 - axes + axis] = of(first + axis).iter().sum());
            let points = Points::Box { taps: last.map(|last| last + 1), jump: [1; 3], last };
            let windows = Windows::of_last(shape, &before, points, rule);
            return self.of_windows(operation, windows, None, sides[0].2, at);
        }
        sides.iter().try_fold(self.clone(), |array, (axis, sides, boundary)| {
            array.extreme_along(operation, *axis, *sides, rule, *boundary, at)
        })
    }
}
