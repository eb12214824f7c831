//! Where the smallest or greatest element is, of more elements than one reduction numbers: by windows.

use crate::array::index::{ArrayIndex, position, reach};
use crate::array::reductions::reduce::reduced_node;
use crate::array::shapes::axes::Axes;
use crate::array::windows::ranges;
use crate::array::{Array, OutOfRange};
use crate::element::{Element, Number};
use crosslane_core::error::{CallSite, Result};
use crosslane_ops::Operator;

/// Which element.
#[derive(Clone, Copy)]
pub(crate) enum Extreme {
    Least,
    Greatest,
}

impl Extreme {
    fn operator(self) -> Operator {
        match self {
            Extreme::Least => Operator::ArgMinimum,
            Extreme::Greatest => Operator::ArgMaximum,
        }
    }

    fn places<T: Number>(self, x: &Array<T>, axis: isize) -> Array<u32> {
        match self {
            Extreme::Least => x.arg_min_axes(axis),
            Extreme::Greatest => x.arg_max_axes(axis),
        }
    }

    fn values<T: Number>(self, x: &Array<T>, axis: isize) -> Array<T> {
        match self {
            Extreme::Least => x.min_axes(axis),
            Extreme::Greatest => x.max_axes(axis),
        }
    }

    /// Where it is over axes, counted in row-major order: the first of equals, or the first NaN.
    pub fn positions<T: Number, I: ArrayIndex + Number>(
        self,
        operation: &'static str,
        x: &Array<T>,
        axes: &Axes,
        at: CallSite,
    ) -> Result<Array<I>> {
        x.check()?;
        let which = axes.reduced(operation, x.rank(), at)?;
        let (over, kept): (Vec<usize>, Vec<usize>) = (0..x.rank()).partition(|&axis| which[axis]);
        let extent = over.iter().fold(1, |extent: usize, &axis| extent.saturating_mul(x.shape()[axis]));
        reach::<I>(operation, "axes", extent, at)?;
        let most = x.device().most_numbered(u32::MAX as usize);
        if extent <= most || x.is_empty() {
            return Ok(Array::<u32>::of(reduced_node(&x.node, self.operator(), axes, at)?).cast());
        }
        let order: Vec<isize> = kept.iter().chain(&over).map(|&axis| axis as isize).collect();
        let rows = x.permute(order).reshape(&[x.len() / extent, extent]);
        let ranges = ranges(operation, extent, most, at)?;
        let windows: Vec<Array<T>> = ranges.iter().map(|range| rows.part(1, range.start, 1, range.len())).collect();
        let values: Vec<Array<T>> = windows.iter().map(|window| self.values(window, 1)).collect();
        let places: Vec<Array<u32>> = windows.iter().map(|window| self.places(window, 1)).collect();
        // A window of each row, and the place in it. A NaN is the extreme of its window, and the first of them that of all.
        let window = self.places(&stacked(&values)?, 0);
        let place = stacked(&places)?.take_along_axis(&window.expand_dims(0), 0, OutOfRange::Drop);
        let start = window.cast::<I>() * position::<I>(ranges[0].len());
        Ok((start + place.reshape(window.shape()).cast::<I>()).reshape(&axes.left(x.shape(), &which)))
    }
}

fn stacked<T: Element>(rows: &[Array<T>]) -> Result<Array<T>> {
    Array::stack(&rows.iter().collect::<Vec<_>>(), 0)
}
