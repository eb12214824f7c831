//! Partition: the elements that satisfy a condition, then the others.

use crate::array::selections::select::fits;
use crate::array::selections::selected_windows::{count_of, selected_parts};
use crate::array::windows::has_room;
use crate::array::{Array, SortOptions};
use crate::element::Element;
use crate::graph::Node;
use crosslane_core::error::{CallSite, Error};
use crosslane_ops::Sort;
use std::panic::Location;
use std::sync::Arc;

impl<T: Element> Array<T> {
    /// The elements whose condition is not zero, followed by the others, both in row-major order. The second array
    /// holds how many satisfied the condition, and stays on the device.
    ///
    /// Cost: a sort by one bit; 12 bytes of memory traffic for an element of four. More than 2^32 - 2^16 elements are parted at
    /// once, by two selections from each window, and the host waits for their counts.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[5, -2, 7, -1, 0]);
    /// let (parted, count) = x.partition(&x.less(0)); // nothing has run yet
    /// assert_eq!(parted.to_vec()?, [-2, -1, 5, 7, 0]);
    /// assert_eq!(count.to_vec()?, [2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): a condition of another shape or device. Of more than 2^32 - 2^16 elements also: more than 2^42
    /// of them, out of memory, device lost. Kept in the second: 2^32 elements that satisfy the condition.
    #[track_caller]
    #[doc(alias = "stable_partition")]
    pub fn partition<C: Element>(&self, condition: &Array<C>) -> (Array<T>, Array<u32>) {
        let at = Location::caller();
        if let Err(error) = fits("partition", &self.node, &condition.node, at) {
            return (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error));
        }
        let others = condition.flatten().cast::<bool>().equal(false);
        if self.len() > self.device().most_numbered(Sort::MOST) {
            return self.partition_of_many(&condition.node, &others.node, at);
        }
        let count = condition.count_nonzero().reshape(&[1]);
        (others.paired("partition", &self.flatten(), &SortOptions::default(), at).1, count)
    }

    /// What satisfies the condition in each window, then the others of each, at once.
    fn partition_of_many(&self, condition: &Arc<Node>, others: &Arc<Node>, at: CallSite) -> (Array<T>, Array<u32>) {
        let (operation, device) = ("partition", self.device());
        let made = || {
            has_room(operation, device, T::DTYPE, self.len(), at)?;
            let first = selected_parts::<T>(operation, &self.node, condition, at)?;
            let count = Array::kept(device, count_of(operation, &first, at));
            let rest = selected_parts::<T>(operation, &self.node, others, at)?;
            Ok((Array::joined(operation, &[first, rest].concat(), 0, at), count))
        };
        made().unwrap_or_else(|error: Error| (Array::failed(device, error.clone()), Array::failed(device, error)))
    }
}
