//! Differences of neighbours along an axis.

use crate::array::selections::gather::Along;
use crate::array::shapes::axes::axis as place;
use crate::array::{Array, Slice};
use crate::element::Arithmetic;
use crosslane_core::error::CallSite;
use crosslane_ops::OutOfRange;
use std::panic::Location;

/// Differences in a row that stay one kernel: each doubles what it reads.
const FUSED: usize = 2;

impl<T: Arithmetic> Array<T> {
    /// The difference of each element and the one before it along an axis, `n` times: NumPy's `diff`. Each time the axis
    /// is one element shorter, down to none. Integers wrap.
    ///
    /// Cost: fused into the kernel that uses it, except for a copy after every second difference.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2, 4, 7, 0]);
    /// assert_eq!(x.diff(1, 0).to_vec()?, [1, 2, 3, -7]);
    /// assert_eq!(x.diff(2, 0).to_vec()?, [1, 1, -10]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range.
    #[track_caller]
    pub fn diff(&self, n: usize, axis: isize) -> Array<T> {
        let along = match self.along("diff", axis, Location::caller()) {
            Ok(along) => along,
            Err(failed) => return failed,
        };
        let mut x = self.clone();
        for round in 0..n.min(self.shape()[along]) {
            if round > 0 && round % FUSED == 0 {
                x = x.copy();
            }
            let part = |first: isize, end: isize| {
                let mut slices = vec![Slice::from(..); along];
                slices.push(Slice::from(first..end));
                x.slice(&slices)
            };
            let extent = x.shape()[along] as isize;
            x = part(1, extent) - part(0, extent - 1);
        }
        x
    }

    /// The difference of each element and the one before it along an axis, in this array's shape: the first element is
    /// unchanged. C++'s `adjacent_difference`; [`Array::cumsum`] undoes it. Integers wrap.
    ///
    /// Cost: the elements are read a second time, in a kernel of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[5u32, 7, 7, 12]);
    /// assert_eq!(x.adjacent_difference(0).to_vec()?, [5, 2, 0, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range; 2^32 - 1 elements.
    #[track_caller]
    pub fn adjacent_difference(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let along = match self.along("adjacent_difference", axis, at) {
            Ok(along) => along,
            Err(failed) => return failed,
        };
        if self.is_empty() {
            return self.clone();
        }
        // The first has none before it: that index is past the axis, and reads as 0.
        let before = Array::<u32>::counting(self.device(), self.shape()[along]) - 1;
        let along = Along::Rows(along as isize);
        self - self.gather("adjacent_difference", &before, along, OutOfRange::Drop, at)
    }

    /// The axis as a number from the first on; the mistake as an array.
    fn along(&self, operation: &'static str, axis: isize, at: CallSite) -> Result<usize, Array<T>> {
        let checked = self.check().and_then(|_| place(operation, axis, self.rank(), at));
        checked.map_err(|error| Array::failed(self.device(), error))
    }
}
