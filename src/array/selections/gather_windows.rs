//! Gathers from arrays of more elements than one kernel numbers: from windows of another axis than the indexed one, or from
//! windows of the indexed axis, whose elements are put together by masks.

use super::gather::{Along, Call, Extents, Space};
use crate::array::elementwise::call;
use crate::array::shapes::concatenate::joined;
use crate::array::windows::{ranges, window};
use crate::array::{Array, create};
use crate::element::{DType, Scalar};
use crate::graph::{Expr, Node, view};
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_core::op::Function;
use crosslane_ops::OutOfRange;
use std::ops::Range;
use std::sync::Arc;

/// Indices into a window of an axis, and where they point into it.
pub(super) struct Local {
    pub indices: Array<u32>,
    pub inside: Array<bool>,
}

/// Whether numbers lie in a range, of which 32 bits reach a part or nothing.
fn is_in(numbers: &Array<u32>, range: Range<u64>) -> Array<bool> {
    match (u32::try_from(range.start), u32::try_from(range.end)) {
        (Err(_), _) => Array::zeros(numbers.device(), numbers.shape()),
        (Ok(first), Err(_)) => numbers.greater_equal(first),
        (Ok(first), Ok(end)) => numbers.greater_equal(first) & numbers.less(end),
    }
}

/// Indices of which those past the axis are brought into it, where that is asked for and 32 bits reach past it.
pub(super) fn brought_in(indices: &Arc<Node>, extent: usize, outside: OutOfRange) -> Arc<Node> {
    let unsigned = || Array::<u32>::of(indices.clone());
    let signed = || Array::<i32>::of(indices.clone());
    match (outside, indices.dtype) {
        (OutOfRange::Wrap, DType::I32) => {
            i32::try_from(extent).map_or(indices.clone(), |extent| (signed() % extent).into_node())
        }
        (OutOfRange::Wrap, _) => {
            u32::try_from(extent).map_or(indices.clone(), |extent| (unsigned() % extent).into_node())
        }
        (OutOfRange::Clamp, DType::I32) => {
            let last = i32::try_from(extent - 1).unwrap_or(i32::MAX);
            signed().maximum(0).minimum(last).into_node()
        }
        (OutOfRange::Clamp, _) => unsigned().minimum(u32::try_from(extent - 1).unwrap_or(u32::MAX)).into_node(),
        (OutOfRange::Drop | OutOfRange::Error, _) => indices.clone(),
    }
}

/// Indices into an axis as seen from a window of it. Sums wrap: those of indices into the window do not leave it.
pub(super) fn localised(indices: &Arc<Node>, extent: usize, range: &Range<usize>) -> Local {
    let (first, end, extent) = (range.start as u64, range.end as u64, extent as u64);
    if indices.dtype == DType::U32 {
        let indices = Array::<u32>::of(indices.clone());
        return Local { inside: is_in(&indices, first..end), indices: indices - first as u32 };
    }
    if indices.dtype == DType::U64 {
        let places = Array::<u64>::of(indices.clone());
        let inside = places.greater_equal(first) & places.less(end);
        return Local { inside, indices: (places - first).cast() };
    }
    let indices = Array::<i32>::of(indices.clone());
    let (bits, from_end) = (indices.cast::<u32>(), indices.less(0));
    // -1 is the last: counted from the end, the window is another range.
    let behind = Array::<u32>::zeros(bits.device(), bits.shape()) - &bits;
    let inside = from_end.select(is_in(&behind, extent - end + 1..extent - first + 1), is_in(&bits, first..end));
    Local { inside, indices: from_end.select(&bits + (extent - first) as u32, &bits - first as u32) }
}

impl Call<'_> {
    /// A gather from an array of more than `most` elements.
    pub(super) fn gathered_in_windows(&self, most: usize) -> Result<Arc<Node>> {
        let Extents { space, extent, axis, .. } = self.extents()?;
        create::fits(self.operation, self.array.dtype, &space, self.at)?;
        let shape = &self.array.shape;
        match axis {
            Some(axis) if extent <= most => {
                let others = (0..shape.len()).filter(|&other| other != axis);
                let across = others.max_by_key(|&other| shape[other]).expect("one axis does not have all elements");
                self.gathered_across(axis, across, most)
            }
            _ => self.gathered_along(most),
        }
    }

    /// From windows of an axis beside the indexed one.
    fn gathered_across(&self, axis: usize, across: usize, most: usize) -> Result<Arc<Node>> {
        let (shape, given) = (&self.array.shape, &self.indices.shape);
        let step = (most / (self.array.len() / shape[across])).max(1);
        let part = |node: &Arc<Node>, range: &Range<usize>| {
            view(node, &|layout| Some(layout.slice(across, range.start, 1, range.len())))
        };
        let gathered = |range: Range<usize>| {
            let array = part(self.array, &range);
            let own = matches!(self.along, Along::Each(_)) && given[across] > 1;
            let indices = if own { part(self.indices, &range) } else { self.indices.clone() };
            Call { array: &array, indices: &indices, ..*self }.gathered()
        };
        let ranges = ranges(self.operation, shape[across], step, self.at)?;
        let parts = ranges.into_iter().map(gathered).collect::<Result<Vec<_>>>()?;
        let place = match self.along {
            Along::Rows(_) if across > axis => across - 1 + given.len(),
            _ => across,
        };
        joined(self.operation, &parts, place, self.at)
    }

    /// From windows of the indexed axis: each element is taken from the window that has it.
    fn gathered_along(&self, most: usize) -> Result<Arc<Node>> {
        let Extents { space, own, extent, axis, .. } = self.extents()?;
        let indices = brought_in(self.indices, extent, self.outside);
        let spread =
            |node: &Arc<Node>| view(node, &|layout| layout.reshape(&own).and_then(|layout| layout.broadcast(&space)));
        let mut all = self.outside_of_all(extent, &space)?;
        for range in ranges(self.operation, extent, most, self.at)? {
            let array = match axis {
                None => window(self.array, &range),
                Some(axis) => view(self.array, &|layout| Some(layout.slice(axis, range.start, 1, range.len()))),
            };
            let local = localised(&indices, extent, &range);
            let (indices, outside) = (local.indices.into_node(), OutOfRange::Clamp);
            let part = Call { array: &array, indices: &indices, outside, ..*self }.gathered()?;
            all = call(Function::Select, &[spread(&local.inside.into_node()), part, all], self.at);
        }
        Ok(all)
    }

    /// What indices past the axis give: zeros, and the error that they are. 32 bits reach past an axis of fewer than 2^32.
    fn outside_of_all(&self, extent: usize, space: &[usize]) -> Result<Arc<Node>> {
        let (device, dtype) = (&self.array.device, self.array.dtype);
        if self.outside != OutOfRange::Error || extent > u32::MAX as usize {
            let zero = Expr::Constant(Scalar { dtype, bits: 0 });
            return Ok(Node::lazy(device, space.to_vec(), dtype, zero));
        }
        // All addresses are that of one element: only the indices matter.
        let space = self.space()?;
        let still = Layout { shape: space.shape.clone(), strides: vec![0; space.shape.len()], offset: 0 };
        let base = Node::lazy(device, space.shape.clone(), DType::U32, Expr::Index(still));
        Ok(self.gathered_from(&window(self.array, &(0..1)), &Space { base, stride: 0, ..space }))
    }
}
