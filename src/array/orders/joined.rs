//! Several axes as one, for work along an axis: quantiles over a tuple of axes.

use crate::array::Array;
use crate::array::shapes::axes::Axes;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};

/// An array with the axes that are reduced as one.
pub(super) struct Joined<T: Element> {
    pub array: Array<T>,
    pub axis: usize,
    /// The shape of what is left.
    pub shape: Vec<usize>,
}

impl<T: Element> Joined<T> {
    /// One axis stays where it is; several become the last one, in which they are copied unless they are last.
    pub fn of(operation: &'static str, array: &Array<T>, axes: &Axes, at: CallSite) -> Result<Joined<T>> {
        let rank = array.check()?.rank();
        let reduced = axes.reduced(operation, rank, at)?;
        let shape = axes.left(array.shape(), &reduced);
        let places = |which: bool| (0..rank).filter(|&place| reduced[place] == which).collect::<Vec<_>>();
        let (left, axes) = (places(false), places(true));
        let length: usize = axes.iter().map(|&axis| array.shape()[axis]).product();
        if length == 0 {
            let got = format!("shape {:?}", array.shape());
            return Err(Error::argument(operation, "array", "at least one element", got, at));
        }
        if let [axis] = axes[..] {
            return Ok(Joined { array: array.clone(), axis, shape });
        }
        let order: Vec<isize> = left.iter().chain(&axes).map(|&axis| axis as isize).collect();
        let extents: Vec<usize> = left.iter().map(|&axis| array.shape()[axis]).chain([length]).collect();
        Ok(Joined { array: array.permute(order).reshape(&extents), axis: left.len(), shape })
    }

    /// Elements along the axis.
    pub fn length(&self) -> usize {
        self.array.shape()[self.axis]
    }
}
