//! Sets: membership, union, intersection, differences; two sorted arrays merged.
//!
//! Elements are equal if a sort treats them as equal: all NaNs, and -0 and +0.

use crate::array::selections::runs::Edges;
use crate::array::{Array, Selected, Side, SortOptions};
use crate::element::{Number, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::OutOfRange;
use std::panic::Location;

impl<T: Ordered> Array<T> {
    /// Whether each element occurs in `set`, an array of any shape: NumPy's `isin`. Elements are equal as in
    /// [`Array::unique`]: NaN is in a set with NaN, unlike in NumPy.
    ///
    /// Cost: a sort of the set, and two binary searches in it for each element.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (x, set) = (device.array([1, 5, 2, 7]), device.array([2, 3, 1]));
    /// assert_eq!(x.is_in(&set).to_vec()?, [true, false, true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a set on another device; 2^32 elements in it.
    #[track_caller]
    #[doc(alias = "isin")]
    #[doc(alias = "in1d")]
    pub fn is_in(&self, set: &Array<T>) -> Array<bool> {
        let at = Location::caller();
        let found = || {
            self.check()?;
            Ok(self.found_in(&set.ascending("is_in", self, at)?))
        };
        Array::kept(self.device(), found())
    }

    /// The elements of this array or of `other`, each once, in ascending order: NumPy's `union1d`. The count stays on
    /// the device.
    ///
    /// Cost: as [`Array::unique`] of both together.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (a, b) = (device.array([3, 1, 3]), device.array([2, 1]));
    /// assert_eq!(a.union(&b).to_vec()?, [1, 2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): arrays on different devices; as [`Array::unique`].
    #[track_caller]
    #[doc(alias = "union1d")]
    pub fn union(&self, other: &Array<T>) -> Selected<T> {
        let at = Location::caller();
        let made = || {
            let all = self.both("union", other, at)?;
            Ok(Edges::of("union", &all, at)?.firsts(&all))
        };
        selected(self, made())
    }

    /// The elements that occur in both arrays, each once, in ascending order: NumPy's `intersect1d`. The count stays on
    /// the device.
    ///
    /// Cost: a sort of each, and two binary searches for each element of this array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (a, b) = (device.array([3, 1, 3, 7]), device.array([2, 3, 1]));
    /// assert_eq!(a.intersect(&b).to_vec()?, [1, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): arrays on different devices; as [`Array::unique`].
    #[track_caller]
    #[doc(alias = "intersect1d")]
    pub fn intersect(&self, other: &Array<T>) -> Selected<T> {
        let (operation, at) = ("intersect", Location::caller());
        let made = || {
            let (own, others) = (self.ascending(operation, self, at)?, other.ascending(operation, self, at)?);
            let edges = Edges::of(operation, &own, at)?;
            Ok(own.compress(&(edges.begins().cast::<bool>() & own.found_in(&others))))
        };
        selected(self, made())
    }

    /// The elements of this array that `other` does not have, each once, in ascending order: NumPy's `setdiff1d`. The
    /// count stays on the device.
    ///
    /// Cost: as [`Array::intersect`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (a, b) = (device.array([3, 1, 3, 7]), device.array([2, 1]));
    /// assert_eq!(a.difference(&b).to_vec()?, [3, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): arrays on different devices; as [`Array::unique`].
    #[track_caller]
    #[doc(alias = "setdiff1d")]
    pub fn difference(&self, other: &Array<T>) -> Selected<T> {
        let (operation, at) = ("difference", Location::caller());
        let made = || {
            let (own, others) = (self.ascending(operation, self, at)?, other.ascending(operation, self, at)?);
            let edges = Edges::of(operation, &own, at)?;
            Ok(own.compress(&(edges.begins().cast::<bool>() & !own.found_in(&others))))
        };
        selected(self, made())
    }

    /// The elements that only one of both arrays has, each once, in ascending order: NumPy's `setxor1d`. The count
    /// stays on the device.
    ///
    /// Cost: a sort of each and of both together, and four binary searches for each element.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (a, b) = (device.array([3, 1, 3, 7]), device.array([2, 1]));
    /// assert_eq!(a.symmetric_difference(&b).to_vec()?, [2, 3, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): arrays on different devices; as [`Array::unique`].
    #[track_caller]
    #[doc(alias = "setxor1d")]
    pub fn symmetric_difference(&self, other: &Array<T>) -> Selected<T> {
        let (operation, at) = ("symmetric_difference", Location::caller());
        let made = || {
            let both = self.both(operation, other, at)?;
            let (own, others) = (self.ascending(operation, self, at)?, other.ascending(operation, self, at)?);
            let edges = Edges::of(operation, &both, at)?;
            let one = both.found_in(&own).not_equal(both.found_in(&others));
            Ok(both.compress(&(edges.begins().cast::<bool>() & one)))
        };
        selected(self, made())
    }

    /// The elements of two sorted arrays of one dimension, sorted; of equal ones those of this array come first. If an
    /// array is not sorted, the order is unspecified.
    ///
    /// Cost: a binary search for each element in the other array, and a scatter of each.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (a, b) = (device.array([1, 3, 3]), device.array([2, 3, 9]));
    /// assert_eq!(a.merge(&b).to_vec()?, [1, 2, 3, 3, 3, 9]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of another rank or device; 2^32 - 1 elements in all.
    #[track_caller]
    pub fn merge(&self, other: &Array<T>) -> Array<T>
    where
        T: Number,
    {
        Array::kept(self.device(), self.merged(other, Location::caller()))
    }

    fn merged(&self, other: &Array<T>, at: CallSite) -> Result<Array<T>> {
        for array in [self, other] {
            if array.check()?.rank() != 1 {
                let got = format!("shape {:?}", array.shape());
                return Err(Error::argument("merge", "array", "one dimension", got, at));
            }
        }
        same_device("merge", self, other, at)?;
        let device = self.device();
        let before = |array: &Array<T>, other: &Array<T>, side| {
            other.searchsorted(array, side) + Array::<u32>::counting(device, array.len())
        };
        // Equal elements of the other array come after these, and these before those.
        let (own, others) = (before(self, other, Side::Left), before(other, self, Side::Right));
        let merged = Array::<T>::zeros(device, &[self.len() + other.len()]);
        Ok(merged.put(&own, self, OutOfRange::Drop).put(&others, other, OutOfRange::Drop))
    }

    /// All elements in ascending order, on the device of another.
    fn ascending(&self, operation: &'static str, like: &Array<T>, at: CallSite) -> Result<Array<T>> {
        self.check()?;
        same_device(operation, like, self, at)?;
        Ok(self.flatten().sorted(operation, &SortOptions::default(), at))
    }

    /// The elements of both in ascending order.
    fn both(&self, operation: &'static str, other: &Array<T>, at: CallSite) -> Result<Array<T>> {
        self.check()?;
        other.check()?;
        same_device(operation, self, other, at)?;
        Array::concatenate(&[&self.flatten(), &other.flatten()], 0)?.ascending(operation, self, at)
    }

    /// Whether each element occurs in a sorted array.
    fn found_in(&self, sorted: &Array<T>) -> Array<bool> {
        sorted.searchsorted(self, Side::Left).less(sorted.searchsorted(self, Side::Right))
    }
}

fn same_device<T: Ordered>(operation: &'static str, a: &Array<T>, b: &Array<T>, at: CallSite) -> Result<()> {
    match a.device() == b.device() {
        true => Ok(()),
        false => {
            Err(Error::argument(operation, "device", format!("{:?}", a.device()), format!("{:?}", b.device()), at))
        }
    }
}

fn selected<T: Ordered>(array: &Array<T>, made: Result<Selected<T>>) -> Selected<T> {
    made.unwrap_or_else(|error| Selected::failed(array.device(), error))
}
