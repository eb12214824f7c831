//! Calls that move elements, with arguments of every size.

use super::{Call, axes, mode, shape, slices};
use crosslane::Array;
use crosslane::array::OutOfRange;

pub const VIEWS: &[Call] = &[
    |x, _, t| Ok(x.slice(&slices(t))),
    |x, _, t| Ok(x.permute(axes(t))),
    |x, _, t| Ok(x.swap_axes(t.number() as isize, t.number() as isize)),
    |x, _, t| Ok(x.flip(axes(t))),
    |x, _, t| Ok(x.reshape(&t.several(4, |t| t.number()))),
    |x, _, t| Ok(x.reshape(&shape(t))),
    |x, _, _| Ok(x.flatten()),
    |x, _, t| Ok(x.broadcast_to(&shape(t))),
    |x, _, t| Ok(x.windows(t.number() as isize, t.size(), t.size())),
    |x, _, t| Ok(x.expand_dims(t.number() as isize)),
    |x, _, _| Ok(x.squeeze()),
    |x, _, t| Ok(x.move_axis(t.number() as isize, t.number() as isize)),
    |x, _, t| Ok(x.rot90(t.number() as isize, t.number() as isize, t.number() as isize)),
    |x, _, t| Ok(x.tile(&shape(t))),
    |x, _, t| Ok(x.repeat_axis(t.size(), t.number() as isize)),
    |x, y, t| Array::concatenate(&[x, y, x], t.number() as isize),
    |x, y, t| Array::stack(&[x, y], t.number() as isize),
    |x, y, _| Array::vstack(&[x, y]),
    |x, y, _| Array::hstack(&[x, y]),
    |x, y, t| Ok(Array::meshgrid(&[x, y])?.swap_remove(t.below(2))),
    |x, _, t| x.split(t.size(), t.number() as isize).map(|mut parts| parts.pop().expect("a part at least")),
    |x, _, t| x.array_split(t.size(), t.number() as isize).map(|mut p| p.pop().expect("a part at least")),
    |x, _, t| {
        let places = t.several(3, |t| t.number() as isize);
        x.split_at(&places, t.number() as isize).map(|mut parts| parts.pop().expect("a part at least"))
    },
    |x, _, t| Ok(x.diagonal(t.number() as isize, t.number() as isize, t.number() as isize)),
    |x, _, t| Ok(x.diag(t.number() as isize)),
    |x, _, t| Ok(x.triu(t.number() as isize)),
    |x, _, t| Ok(x.tril(t.number() as isize)),
    |x, _, t| Ok(x.pad(&t.several(3, |t| (t.size(), t.size())), mode(t))),
    |x, _, t| Ok(x.roll(t.number() as isize)),
    |x, _, t| Ok(x.roll_axes(&t.several(3, |t| t.number() as isize), axes(t))),
    |x, y, _| x.repeat(&y.abs().cast::<u32>()),
    |x, y, t| Ok(x.repeat_to(&y.abs().cast::<u32>(), t.size())),
    |x, y, t| Ok(x.take(&y.cast::<u32>(), outside(t))),
    |x, y, t| Ok(x.take_axis(&y.cast::<i32>(), t.number() as isize, outside(t))),
    |x, y, t| Ok(x.take_along_axis(&y.cast::<u32>(), t.number() as isize, outside(t))),
    |x, y, t| Ok(x.put(&y.cast::<u32>(), y, outside(t))),
    |x, y, t| Ok(x.put_along_axis(&y.cast::<u32>(), y, t.number() as isize, outside(t))),
    |x, y, t| Ok(x.scatter_add(&y.cast::<u32>(), y, outside(t))),
    |x, y, _| Ok(x.compress(&y.greater(0.0)).or(7.0)),
    |x, y, _| x.compress(y).to_array(),
    |x, _, _| x.argwhere().map(|found| found.cast()),
    |x, _, t| Ok(x.abs().cast::<u32>().unravel_index(&shape(t))?.pop().map_or_else(|| x.clone(), |at| at.cast())),
    |x, y, t| {
        let [x, y] = [x, y].map(|array| array.abs().cast::<u32>());
        Array::ravel_multi_index(&[&x, &y], &shape(t)).map(|at| at.cast())
    },
    |x, y, t| {
        let mut own = x.clone();
        own.slice_mut(&slices(t)).assign(y)?;
        Ok(own)
    },
    |x, y, _| {
        let mut own = x.clone();
        own.assign(y)?;
        Ok(own)
    },
    |x, _, t| {
        let mut own = x.clone();
        own.write(t.size(), &[1.0, 2.0])?;
        Ok(own)
    },
    |x, y, _| Ok(x.put_where(&y.greater(0.0), 3.0)),
    |x, y, _| Ok(x.masked_scatter(&y.greater(0.0), y)),
    |x, _, t| Ok(Array::full(x.device(), &shape(t), 2.0)),
    |x, _, t| Ok(Array::eye(x.device(), t.size(), t.size(), t.number() as isize)),
    |x, _, t| Ok(Array::arange(x.device(), t.number() as f32, t.number() as f32, t.number() as f32)),
    |x, _, t| Ok(Array::linspace(x.device(), t.number() as f32, t.number() as f32, t.size())),
    |x, _, t| Ok(Array::<u32>::indices(x.device(), &shape(t)).cast()),
    |x, _, t| Ok(x.device().acquire::<f32>(t.size()).zeros_like()),
];

fn outside(t: &mut crate::tape::Tape) -> OutOfRange {
    t.one(&[OutOfRange::Error, OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop])
}
