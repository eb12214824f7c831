//! Partition: the elements that satisfy a condition, then the others.

use crate::array::selections::select::fits;
use crate::array::{Array, SortOptions};
use crate::element::Element;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// The elements whose condition is not zero, followed by the others, both in row-major order. The second array
    /// holds how many satisfied the condition, and stays on the device.
    ///
    /// Cost: a sort by one bit; 12 bytes of memory traffic for an element of four.
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
    /// Errors (kept in both): a condition of another shape or device; more than 2^32 - 2^16 elements.
    #[track_caller]
    #[doc(alias = "stable_partition")]
    pub fn partition<C: Element>(&self, condition: &Array<C>) -> (Array<T>, Array<u32>) {
        let at = Location::caller();
        if let Err(error) = fits("partition", &self.node, &condition.node, at) {
            return (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error));
        }
        let others = condition.flatten().cast::<bool>().equal(false);
        let count = condition.count_nonzero().reshape(&[1]);
        (others.paired("partition", &self.flatten(), &SortOptions::default(), at).1, count)
    }
}
