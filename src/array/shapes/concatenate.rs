//! Arrays joined along an axis, and split.

use crate::array::shapes::axes::axis as place;
use crate::array::{Array, create};
use crate::element::Element;
use crate::graph::{Expr, Node, Take, Task, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Concatenate;
use std::panic::Location;
use std::sync::Arc;

/// The most parts that an array is split into: each is an array of its own.
const MOST_PARTS: usize = 1 << 20;

impl<T: Element> Array<T> {
    /// Arrays one after the other along an axis: NumPy's `concatenate`. Deferred elementwise work of the arrays is
    /// fused into the kernel.
    ///
    /// Cost: every array is read once and the result written once, in one launch for as many arrays as a kernel can
    /// bind; a transposed array takes a launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_shape(device, &[2, 2], &[1, 2, 3, 4]);
    /// let y = Array::from_shape(device, &[2, 1], &[5, 6]);
    /// assert_eq!(Array::concatenate(&[&x, &y], 1)?.to_vec()?, [1, 2, 5, 3, 4, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no array; shapes that differ in another axis; an axis out of range; arrays on several devices; the error
    /// that an array holds.
    #[track_caller]
    #[doc(alias = "cat")]
    pub fn concatenate(arrays: &[&Array<T>], axis: isize) -> Result<Array<T>> {
        let at = Location::caller();
        let nodes = checked("concatenate", arrays, at)?;
        let axis = place("concatenate", axis, nodes[0].shape.len(), at)?;
        let fits = |shape: &[usize]| {
            let others = |shape: &[usize]| [&shape[..axis], &shape[axis + 1..]].concat();
            shape.len() == nodes[0].shape.len() && others(shape) == others(&nodes[0].shape)
        };
        if let Some(other) = nodes.iter().find(|node| !fits(&node.shape)) {
            let wanted = format!("{:?} but for axis {axis}", nodes[0].shape);
            return Err(Error::argument("concatenate", "shapes", wanted, format!("{:?}", other.shape), at));
        }
        joined("concatenate", &nodes, axis, at).map(Array::of)
    }

    /// Arrays of one shape one after the other along a new axis at this position: NumPy's `stack`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let (x, y) = (Array::from_slice(device, &[1, 2]), Array::from_slice(device, &[3, 4]));
    /// assert_eq!(Array::stack(&[&x, &y], 0)?.to_vec()?, [1, 2, 3, 4]);
    /// assert_eq!(Array::stack(&[&x, &y], -1)?.to_vec()?, [1, 3, 2, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::concatenate`]; shapes that differ.
    #[track_caller]
    pub fn stack(arrays: &[&Array<T>], before: isize) -> Result<Array<T>> {
        let at = Location::caller();
        let nodes = checked("stack", arrays, at)?;
        let axis = place("stack", before, nodes[0].shape.len() + 1, at)?;
        if let Some(other) = nodes.iter().find(|node| node.shape != nodes[0].shape) {
            let wanted = format!("{:?}", nodes[0].shape);
            return Err(Error::argument("stack", "shapes", wanted, format!("{:?}", other.shape), at));
        }
        let mut shape = nodes[0].shape.clone();
        shape.insert(axis, 1);
        let nodes: Vec<_> = nodes.iter().map(|node| view(node, &|layout| layout.reshape(&shape))).collect();
        joined("stack", &nodes, axis, at).map(Array::of)
    }

    /// The array in this many equal parts along an axis: NumPy's `split` with a number. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 6, 1);
    /// assert_eq!(x.split(3, 0)?[1].to_vec()?, [2, 3]);
    /// assert!(x.split(4, 0).is_err());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a number that does not divide the axis; more than 2^20 parts; an axis out of range; the error that the array holds.
    #[track_caller]
    pub fn split(&self, parts: usize, axis: isize) -> Result<Vec<Array<T>>> {
        let at = Location::caller();
        let axis = self.axis_to_split("split", parts, axis, at)?;
        let extent = self.shape()[axis];
        if !extent.is_multiple_of(parts) {
            let wanted = format!("a divisor of the axis' {extent}: array_split gives parts that differ by one");
            return Err(Error::argument("split", "parts", wanted, parts.to_string(), at));
        }
        Ok(self.cut(axis, (1..parts).map(|part| part * (extent / parts)).collect()))
    }

    /// The array in this many parts along an axis, the first of which may be longer by one: NumPy's `array_split`. No
    /// copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let parts = crosslane::Array::arange(device, 0, 5, 1).array_split(3, 0)?;
    /// assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [2, 2, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no part; more than 2^20 parts; an axis out of range; the error that the array holds.
    #[track_caller]
    pub fn array_split(&self, parts: usize, axis: isize) -> Result<Vec<Array<T>>> {
        let axis = self.axis_to_split("array_split", parts, axis, Location::caller())?;
        let (least, longer) = (self.shape()[axis] / parts, self.shape()[axis] % parts);
        Ok(self.cut(axis, (1..parts).map(|part| part * least + part.min(longer)).collect()))
    }

    /// The parts between these positions of an axis: NumPy's `split` with a list. Positions past the end give empty
    /// parts; negative ones count from the end. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let parts = crosslane::Array::arange(device, 0, 6, 1).split_at(&[1, -1], 0)?;
    /// assert_eq!(parts[1].to_vec()?, [1, 2, 3, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: an axis out of range; the error that the array holds.
    #[track_caller]
    pub fn split_at(&self, places: &[isize], axis: isize) -> Result<Vec<Array<T>>> {
        let axis = self.axis_to_split("split_at", places.len() + 1, axis, Location::caller())?;
        let extent = self.shape()[axis] as isize;
        let resolve = |&place: &isize| if place < 0 { place + extent } else { place }.clamp(0, extent) as usize;
        Ok(self.cut(axis, places.iter().map(resolve).collect()))
    }

    fn axis_to_split(&self, operation: &'static str, parts: usize, axis: isize, at: CallSite) -> Result<usize> {
        self.check()?;
        let axis = place(operation, axis, self.rank(), at)?;
        match parts {
            0 => Err(Error::argument(operation, "parts", "at least one", "0", at)),
            1..=MOST_PARTS => Ok(axis),
            _ => Err(Error::argument(operation, "parts", format!("at most {MOST_PARTS}"), parts.to_string(), at)),
        }
    }

    /// The parts between places in range.
    fn cut(&self, axis: usize, places: Vec<usize>) -> Vec<Array<T>> {
        let starts = [0].into_iter().chain(places.iter().copied());
        let ends = places.iter().copied().chain([self.shape()[axis]]);
        let part = |(start, end): (usize, usize)| self.part(axis, start, 1, end.saturating_sub(start));
        starts.zip(ends).map(part).collect()
    }

    /// `len` elements of an axis from `start` on, in range.
    pub(crate) fn part(&self, axis: usize, start: usize, step: isize, len: usize) -> Array<T> {
        Array::of(view(&self.node, &|layout| Some(layout.slice(axis, start, step, len))))
    }

    /// Arrays that are known to fit, one after the other.
    pub(crate) fn joined(operation: &'static str, parts: &[Array<T>], axis: usize, at: CallSite) -> Array<T> {
        let device = parts[0].device().clone();
        let nodes: Vec<_> = parts.iter().map(|part| part.node.clone()).collect();
        joined(operation, &nodes, axis, at).map_or_else(|error| Array::failed(&device, error), Array::of)
    }
}

/// The nodes of arrays without mistakes on one device.
fn checked<T: Element>(operation: &'static str, arrays: &[&Array<T>], at: CallSite) -> Result<Vec<Arc<Node>>> {
    let Some(first) = arrays.first() else {
        return Err(Error::argument(operation, "arrays", "at least one", "none", at));
    };
    if let Some(error) = arrays.iter().find_map(|array| array.node.error()) {
        return Err(error);
    }
    if let Some(other) = arrays.iter().find(|array| array.device() != first.device()) {
        let (wanted, got) = (format!("{:?}", first.device()), format!("{:?}", other.device()));
        return Err(Error::argument(operation, "device", wanted, got, at));
    }
    Ok(arrays.iter().map(|array| array.node.clone()).collect())
}

/// Nodes whose shapes fit, one after the other along an axis.
pub(crate) fn joined(operation: &'static str, nodes: &[Arc<Node>], axis: usize, at: CallSite) -> Result<Arc<Node>> {
    if let Some(error) = nodes.iter().find_map(|node| node.error()) {
        return Err(error);
    }
    let (device, dtype) = (&nodes[0].device, nodes[0].dtype);
    let mut shape = nodes[0].shape.clone();
    shape[axis] = nodes.iter().fold(0, |sum, node| node.shape[axis].saturating_add(sum));
    create::fits(operation, dtype, &shape, at)?;
    let parts: Vec<&Arc<Node>> = nodes.iter().filter(|node| node.len() > 0).collect();
    match parts[..] {
        [] => {
            let nothing = crosslane_core::op::Scalar { dtype, bits: 0 };
            Ok(Node::lazy(device, shape, dtype, Expr::Constant(nothing)))
        }
        [part] => Ok(part.clone()),
        _ => {
            let shapes: Vec<Vec<usize>> = parts.iter().map(|node| node.shape.clone()).collect();
            let make = move |inputs: Vec<_>, output| {
                let parts = inputs.into_iter().zip(shapes.iter().cloned()).collect();
                Box::new(Concatenate { parts, axis, output }) as Box<dyn crosslane_core::op::Op>
            };
            let inputs: Vec<_> = parts.iter().map(|&node| (node, Take::Fused)).collect();
            Ok(Task::nodes(&inputs, vec![(shape, dtype)], 1, make).remove(0))
        }
    }
}
