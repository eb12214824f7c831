//! Searching in sorted arrays as methods.

use crate::array::index::reach;
use crate::array::windows::{ranges, window};
use crate::array::{Array, ArrayIndex};
use crate::element::{DType, Number, Ordered};
use crate::graph::{Node, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::SearchSorted;
use crosslane_ops::searchsorted::Side;
use std::panic::Location;
use std::sync::Arc;

fn searched(
    operation: &'static str,
    sorted: &Arc<Node>,
    values: &Arc<Node>,
    side: Side,
    at: CallSite,
) -> Result<Arc<Node>> {
    if let Some(error) = [sorted, values].iter().find_map(|node| node.error()) {
        return Err(error);
    }
    if sorted.device != values.device {
        let (wanted, got) = (format!("{:?}", sorted.device), format!("{:?}", values.device));
        return Err(Error::argument(operation, "device", wanted, got, at));
    }
    if sorted.shape.len() != 1 {
        let got = format!("shape {:?}", sorted.shape);
        return Err(Error::argument(operation, "sorted array", "one dimension", got, at));
    }
    if sorted.len() > u32::MAX as usize {
        return Err(Error::argument(
            operation,
            "sorted array",
            "fewer than 2^32 elements: a u32 holds the index (searchsorted_as gives others)",
            sorted.len().to_string(),
            at,
        ));
    }
    let (shape, len) = (values.shape.clone(), sorted.len());
    let make = move |mut inputs: Vec<_>, output| {
        let sorted = inputs.pop().expect("two inputs");
        let values = inputs.pop().expect("two inputs");
        Box::new(SearchSorted { values, shape: shape.clone(), sorted, len, side, output })
            as Box<dyn crosslane_core::op::Op>
    };
    let inputs = [(values, Take::Fused), (sorted, Take::Dense)];
    Ok(Task::nodes(&inputs, vec![(values.shape.clone(), DType::U32)], 1, make).remove(0))
}

/// The positions in a sorted array of any length: the sum of those in its windows.
pub(crate) fn positions<I: ArrayIndex + Number>(
    operation: &'static str,
    sorted: &Arc<Node>,
    values: &Arc<Node>,
    side: Side,
    at: CallSite,
) -> Result<Array<I>> {
    let (len, most) = (sorted.len(), sorted.device.most_numbered(u32::MAX as usize));
    let in_one = |sorted: &Arc<Node>| -> Result<Array<I>> {
        Ok(Array::<u32>::of(searched(operation, sorted, values, side, at)?).cast())
    };
    if sorted.error().is_some() || sorted.shape.len() != 1 {
        return in_one(sorted);
    }
    // An element may come behind the last.
    reach::<I>(operation, "sorted array", len.saturating_add(1), at)?;
    let mut parts = ranges(operation, len, most, at)?.into_iter().map(|range| in_one(&window(sorted, &range)));
    let first = parts.next().expect("there is a range")?;
    parts.try_fold(first, |sum, part| Ok(sum + part?))
}

impl<T: Ordered> Array<T> {
    /// The index at which each of `values` would be inserted into this sorted array of one dimension: NumPy's
    /// `searchsorted`. The [`Side`] chooses the index before equal elements, or after them. NaN is larger than
    /// anything, and equal to itself.
    ///
    /// The array must be sorted in ascending order; otherwise the result is unspecified.
    ///
    /// Cost: log2 of the length reads for each value, the first ten of them from workgroup memory.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::Side;
    /// let sorted = Array::from_slice(device, &[1, 3, 3, 7]);
    /// let values = Array::from_slice(device, &[0, 3, 9]);
    /// assert_eq!(sorted.searchsorted(&values, Side::Left).to_vec()?, [0, 1, 4]);
    /// assert_eq!(sorted.searchsorted(&values, Side::Right).to_vec()?, [0, 3, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of another rank, or on another device; 2^32 elements, since indices are
    /// u32: [`Array::searchsorted_as`] gives others.
    #[track_caller]
    pub fn searchsorted(&self, values: &Array<T>, side: Side) -> Array<u32> {
        let node = searched("searchsorted", &self.node, &values.node, side, Location::caller());
        Array::of(node.unwrap_or_else(|error| Node::failed(self.device(), DType::U32, error)))
    }

    /// The index of each element's bin, for edges in ascending or descending order: NumPy's `digitize`. Bin 0 is before
    /// the first edge.
    ///
    /// With [`Side::Right`] an element that is equal to an edge lies in the bin above it: with ascending edges bin `b`
    /// is `edges[b - 1] <= x < edges[b]`, with descending ones `edges[b - 1] > x >= edges[b]`. That is NumPy without
    /// `right`. With [`Side::Left`] it lies in the bin below: `edges[b - 1] < x <= edges[b]`, or
    /// `edges[b - 1] >= x > edges[b]`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::Side;
    /// let x = crosslane::Array::from_slice(device, &[0.2f32, 6.4, 3.0, 1.0]);
    /// assert_eq!(x.digitize(&[0.0, 1.0, 2.5, 4.0, 10.0], Side::Right).to_vec()?, [1, 4, 3, 2]);
    /// assert_eq!(x.digitize(&[4.0, 1.0], Side::Left).to_vec()?, [2, 0, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): edges in neither order, or NaN.
    #[track_caller]
    pub fn digitize(&self, edges: &[T], side: Side) -> Array<u32> {
        let at = Location::caller();
        let values: Vec<f64> = edges.iter().map(|edge| edge.scalar().to_f64()).collect();
        let rising = values.is_sorted();
        if values.iter().any(|x| x.is_nan()) || !(rising || values.is_sorted_by(|a, b| a >= b)) {
            let error =
                Error::argument("digitize", "edges", "all ascending or all descending", format!("{edges:?}"), at);
            return Array::failed(self.device(), error);
        }
        let rise: Vec<T> = if rising { edges.to_vec() } else { edges.iter().rev().copied().collect() };
        let sorted = Array::from_slice(self.device(), &rise);
        let node = searched("digitize", &sorted.node, &self.node, side, at);
        let places = Array::<u32>::of(node.unwrap_or_else(|error| Node::failed(self.device(), DType::U32, error)));
        match rising {
            true => places,
            false => Array::full(self.device(), &[], edges.len() as u32) - places,
        }
    }
}
