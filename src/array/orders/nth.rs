//! The element at a position of the sorted order, and partitions around it.

use crate::array::shapes::axes::axis as checked_axis;
use crate::array::{Array, Slice};
use crate::element::Ordered;
use crate::graph::{Take, Task, axis_last};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Nth;
use std::panic::Location;

/// Rows up to this length are sorted, in one launch; and elements smaller than a word, whose sort is two passes.
const SORTED: usize = 8 << 10;

/// An axis whose elements are wanted by their places in its order.
pub(crate) struct Ranked<'a, T: Ordered> {
    array: &'a Array<T>,
    axis: usize,
    /// The sorted axis, where that is as cheap as to search.
    sorted: Option<Array<T>>,
}

impl<'a, T: Ordered> Ranked<'a, T> {
    /// For one quantile or place, or for several: three searches cost what a sort does, and a quantile may take two.
    pub fn new(
        operation: &'static str,
        array: &'a Array<T>,
        axis: isize,
        several: bool,
        at: CallSite,
    ) -> Result<Ranked<'a, T>> {
        let axis = checked_place(operation, array, axis, at)?;
        let sorts = array.shape()[axis] <= SORTED || T::DTYPE.size() < 4 || several || array.is_long(axis);
        Ok(Ranked { array, axis, sorted: sorts.then(|| array.sort_axis(axis as isize)) })
    }

    /// Elements along the axis.
    pub fn length(&self) -> usize {
        self.array.shape()[self.axis]
    }

    /// The elements at place `n`, which is there, of all rows; without the axis.
    pub fn place(&self, n: usize) -> Array<T> {
        if let Some(sorted) = &self.sorted {
            let at = |a: usize| if a == self.axis { (n as isize).into() } else { (..).into() };
            return sorted.slice(&(0..sorted.rank()).map(at).collect::<Vec<Slice>>());
        }
        let (last, _) = axis_last(&self.array.node, self.axis);
        let (length, shape) = (self.length(), last.shape[..last.shape.len() - 1].to_vec());
        let rows = last.len() / length;
        let make = move |mut inputs: Vec<_>, output: usize| {
            let keys = inputs.pop().expect("the array");
            Box::new(Nth { keys, rows, length, n, output }) as Box<dyn crosslane_core::op::Op>
        };
        Array::of(Task::nodes(&[(&last, Take::Dense)], vec![(shape, T::DTYPE)], 3, make).remove(0))
    }
}

/// An axis that can be sorted.
fn checked_place<T: Ordered>(operation: &'static str, array: &Array<T>, axis: isize, at: CallSite) -> Result<usize> {
    array.check()?;
    checked_axis(operation, axis, array.rank(), at)
}

/// An index that the caller gave, among this many elements.
fn checked(operation: &'static str, n: usize, length: usize, at: CallSite) -> Result<()> {
    match n < length {
        true => Ok(()),
        false => {
            let wanted = format!("a place among {length} elements");
            Err(Error::argument(operation, "n", wanted, n.to_string(), at))
        }
    }
}

impl<T: Ordered> Array<T> {
    /// The element at index `n` of the elements in ascending order: the smallest at 0. NaN is larger than all others.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[7, 3, 9, 3]);
    /// assert_eq!(x.nth(2).item()?, 7);
    /// # Ok(()) });
    /// ```
    ///
    /// A radix select: one read of the array for each 11 bits of an element (AIR top-k: Zhang et al., Parallel Top-K
    /// Algorithms on GPU, 2023, whose later passes read only the remaining candidates). Up to 8192 elements, and
    /// elements of 8 and 16 bits, and more than 2^32 - 2^16, are sorted instead. A zero may lose its sign, and a NaN its payload.
    ///
    /// Errors (kept in the array): no element at `n`; as for [`Array::sort`].
    #[track_caller]
    #[doc(alias = "nth_element")]
    #[doc(alias = "kthvalue")]
    pub fn nth(&self, n: usize) -> Array<T> {
        self.flatten().at_place("nth", n, 0, Location::caller())
    }

    /// As [`Array::nth`] along an axis; negative numbers count from the end. The result lacks this axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 3], &[3, 1, 2, 9, 8, 7]);
    /// assert_eq!(x.nth_axis(1, -1).to_vec()?, [2, 8]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nth_axis(&self, n: usize, axis: isize) -> Array<T> {
        self.at_place("nth_axis", n, axis, Location::caller())
    }

    fn at_place(&self, operation: &'static str, n: usize, axis: isize, at: CallSite) -> Array<T> {
        // A long axis is sorted at once, so that the place is looked at before.
        let ranked =
            self.check_place(operation, n, axis, at).and_then(|()| Ranked::new(operation, self, axis, false, at));
        Array::kept(self.device(), ranked.map(|ranked| ranked.place(n)))
    }

    /// A copy in which the element at index `n` along an axis is the one that a sort would put there, no element before
    /// it is larger, and none after it is smaller: NumPy's `partition`. The axis is sorted, as a radix sort costs
    /// little more.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[7, 3, 9, 3]);
    /// assert_eq!(x.partition_nth(2, 0).slice(crosslane::s![2]).item()?, 7);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no element at `n`; as for [`Array::sort`].
    #[track_caller]
    pub fn partition_nth(&self, n: usize, axis: isize) -> Array<T> {
        match self.check_place("partition_nth", n, axis, Location::caller()) {
            Ok(()) => self.sort_axis(axis),
            Err(error) => Array::failed(self.device(), error),
        }
    }

    /// The indices that partition an axis as [`Array::partition_nth`] does: NumPy's `argpartition`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[7, 3, 9, 3]);
    /// assert_eq!(x.argpartition(2, 0).slice(crosslane::s![2]).item()?, 0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as for [`Array::partition_nth`].
    #[track_caller]
    pub fn argpartition(&self, n: usize, axis: isize) -> Array<u32> {
        match self.check_place("argpartition", n, axis, Location::caller()) {
            Ok(()) => self.argsort_axis(axis),
            Err(error) => Array::failed(self.device(), error),
        }
    }

    fn check_place(&self, operation: &'static str, n: usize, axis: isize, at: CallSite) -> Result<()> {
        let axis = checked_place(operation, self, axis, at)?;
        checked(operation, n, self.shape()[axis], at)
    }
}
