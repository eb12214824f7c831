//! Scatters into arrays of more elements than one kernel numbers: into windows of another axis than the indexed one, or into windows
//! of the indexed axis, each of which takes the values whose indices lie in it.

use super::gather::{Along, Call, Extents, Space};
use super::gather_windows::{brought_in, localised};
use crate::array::shapes::concatenate::joined;
use crate::array::windows::{ranges, window};
use crate::array::{Array, create};
use crate::element::DType;
use crate::graph::{Expr, Node, broadcast, view};
use crosslane_core::error::Result;
use crosslane_core::layout::Layout;
use crosslane_ops::{Combine, OutOfRange};
use std::ops::Range;
use std::sync::Arc;

fn part(node: &Arc<Node>, axis: usize, range: &Range<usize>) -> Arc<Node> {
    view(node, &|layout| Some(layout.slice(axis, range.start, 1, range.len())))
}

impl Call<'_> {
    /// A scatter into an array of more than `most` elements, of values that are checked.
    pub(super) fn scattered_in_windows(&self, values: &Arc<Node>, combine: Combine, most: usize) -> Result<Arc<Node>> {
        let Extents { space, extent, axis, .. } = self.extents()?;
        create::fits(self.operation, self.array.dtype, &space, self.at)?;
        let values = broadcast(values, &space);
        let shape = &self.array.shape;
        match axis {
            Some(axis) if extent <= most => {
                let others = (0..shape.len()).filter(|&other| other != axis);
                let across = others.max_by_key(|&other| shape[other]).expect("one axis does not have all elements");
                self.scattered_across(&values, combine, axis, across, most)
            }
            _ => self.scattered_along(&values, combine, most),
        }
    }

    /// Into windows of an axis beside the indexed one.
    fn scattered_across(
        &self,
        values: &Arc<Node>,
        combine: Combine,
        axis: usize,
        across: usize,
        most: usize,
    ) -> Result<Arc<Node>> {
        let (shape, given) = (&self.array.shape, &self.indices.shape);
        let step = (most / (self.array.len() / shape[across])).max(1);
        let place = match self.along {
            Along::Rows(_) if across > axis => across - 1 + given.len(),
            _ => across,
        };
        let scattered = |range: Range<usize>| {
            let array = part(self.array, across, &range);
            let own = matches!(self.along, Along::Each(_)) && given[across] > 1;
            let indices = if own { part(self.indices, across, &range) } else { self.indices.clone() };
            Call { array: &array, indices: &indices, ..*self }.scattered(&part(values, place, &range), combine)
        };
        let ranges = ranges(self.operation, shape[across], step, self.at)?;
        let parts = ranges.into_iter().map(scattered).collect::<Result<Vec<_>>>()?;
        joined(self.operation, &parts, across, self.at)
    }

    /// Into windows of the indexed axis.
    fn scattered_along(&self, values: &Arc<Node>, combine: Combine, most: usize) -> Result<Arc<Node>> {
        let Extents { extent, axis, .. } = self.extents()?;
        let indices = brought_in(&self.checked(extent)?, extent, self.outside);
        let scattered = |range: Range<usize>| {
            let array = match axis {
                None => window(self.array, &range),
                Some(axis) => part(self.array, axis, &range),
            };
            let local = localised(&indices, extent, &range);
            let indices = local.inside.select(&local.indices, u32::MAX).into_node();
            Call { array: &array, indices: &indices, outside: OutOfRange::Drop, ..*self }.scattered(values, combine)
        };
        let ranges = ranges(self.operation, extent, most, self.at)?;
        let parts = ranges.into_iter().map(scattered).collect::<Result<Vec<_>>>()?;
        let whole = joined(self.operation, &parts, axis.unwrap_or(0), self.at)?;
        Ok(view(&whole, &|layout| layout.reshape(&self.array.shape)))
    }

    /// The indices, of which one past an axis is an error, where that is asked for and 32 bits reach past it: zeros are added that a
    /// gather makes which looks for it.
    fn checked(&self, extent: usize) -> Result<Arc<Node>> {
        if self.outside != OutOfRange::Error || extent > u32::MAX as usize || self.indices.len() == 0 {
            return Ok(self.indices.clone());
        }
        let device = &self.array.device;
        let (given, zeros) = (self.indices.shape.clone(), Array::<u32>::zeros(device, &[1]));
        let still = Layout { shape: given.clone(), strides: vec![0; given.len()], offset: 0 };
        let base = Node::lazy(device, given.clone(), DType::U32, Expr::Index(still));
        let report = self.report()?;
        let space = Space { shape: given, indices: self.indices.clone(), base, extent, stride: 0, report };
        let nothing = Call { array: &zeros.node, ..*self }.gathered_from(&zeros.node, &space);
        let nothing = Array::<u32>::of(nothing);
        Ok(match self.indices.dtype {
            DType::I32 => (Array::<i32>::of(self.indices.clone()) + nothing.cast::<i32>()).into_node(),
            _ => (Array::<u32>::of(self.indices.clone()) + nothing).into_node(),
        })
    }
}
