//! The distinct elements: in order, how often each occurs, and where.

use crate::array::index::position;
use crate::array::selections::gather::Along;
use crate::array::selections::runs::Edges;
use crate::array::{Array, ArrayIndex, Selected, SortOptions};
use crate::element::{Number, Ordered};
use crosslane_core::error::{CallSite, Result};
use crosslane_ops::{Combine, OutOfRange};
use std::panic::Location;

/// The distinct elements of an array, with indices and counts; see [`Array::unique_all`]. Fields that are not used are
/// not computed.
#[derive(Debug)]
pub struct Unique<T: Ordered, I: ArrayIndex = u32> {
    /// The distinct values, ascending.
    pub values: Selected<T>,
    /// The row-major index of the first occurrence of each.
    pub firsts: Selected<I>,
    /// The number of occurrences of each.
    pub counts: Selected<u32>,
    /// For each element of the array, in the array's shape, its index in `values`.
    pub inverse: Array<I>,
}

impl<T: Ordered> Array<T> {
    /// The distinct elements, in ascending order: NumPy's `unique`. The count stays on the device.
    ///
    /// Elements are equal if a sort treats them as equal: all NaNs are one value, the last; -0 and +0 are one. The
    /// first of equal elements is returned.
    ///
    /// Cost: a sort, then 10 bytes of memory traffic for an element of four, and the writes of the result. More than
    /// 2^32 - 2^16 elements are sorted and selected at once, as [`Array::sort`] and [`Array::compress`] do.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3.0f32, 1.0, 2.0, 1.0, 3.0, 3.0]);
    /// let distinct = x.unique(); // nothing has run yet
    /// assert_eq!(distinct.count()?, 3);
    /// assert_eq!(distinct.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): a result that would not fit one binding. Of more than 2^32 - 2^16 elements: as [`Array::sort`] and
    /// [`Array::compress`].
    #[track_caller]
    #[doc(alias = "distinct")]
    pub fn unique(&self) -> Selected<T> {
        let at = Location::caller();
        let sorted = self.flatten().sorted("unique", &SortOptions::default(), at);
        match Edges::of("unique", &sorted, at) {
            Ok(edges) => edges.firsts(&sorted),
            Err(error) => Selected::failed(self.device(), error),
        }
    }

    /// The distinct elements as [`Array::unique`], and how often each occurs.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3u8, 1, 2, 1, 3, 3]);
    /// let (values, counts) = x.unique_counts();
    /// assert_eq!((values.to_vec()?, counts.to_vec()?), (vec![1, 2, 3], vec![2, 1, 3]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): as [`Array::unique`]; kept in the counts: an element that occurs 2^32 times.
    #[track_caller]
    #[doc(alias = "value_counts")]
    pub fn unique_counts(&self) -> (Selected<T>, Selected<u32>) {
        let at = Location::caller();
        let sorted = self.flatten().sorted("unique_counts", &SortOptions::default(), at);
        match Edges::of("unique_counts", &sorted, at) {
            Ok(edges) => edges.encoded(&sorted),
            Err(error) => (Selected::failed(self.device(), error.clone()), Selected::failed(self.device(), error)),
        }
    }

    /// The distinct elements as [`Array::unique`], with the index of each one's first occurrence, the number of its
    /// occurrences, and the inverse: for each element of the array its index among them. The array API's `unique_all`.
    ///
    /// Cost: a sort with indices. Parts of the result that are not used are not computed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[30, 10, 20, 10]);
    /// let unique = x.unique_all();
    /// assert_eq!(unique.values.to_vec()?, [10, 20, 30]);
    /// assert_eq!(unique.firsts.to_vec()?, [1, 2, 0]);
    /// assert_eq!(unique.counts.to_vec()?, [2, 1, 1]);
    /// assert_eq!(unique.inverse.to_vec()?, [2, 0, 1, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in all): more than 2^32 elements, since indices are u32 ([`Array::unique_all_as`] gives others); a result that
    /// would not fit one binding; as [`Array::unique`] and, for the counts, [`Array::unique_counts`].
    #[track_caller]
    #[doc(alias = "unique_inverse")]
    #[doc(alias = "factorize")]
    pub fn unique_all(&self) -> Unique<T> {
        self.distinct("unique_all", Location::caller())
    }

    /// As [`Array::unique_all`], with indices of any type: of 64 bits they number more than 2^32 elements, which are sorted and
    /// selected at once.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[30, 10, 20, 10]);
    /// let unique = x.unique_all_as::<i32>();
    /// assert_eq!(unique.firsts.to_vec()?, [1, 2, 0]);
    /// assert_eq!(unique.inverse.to_vec()?, [2, 0, 1, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in all): as there; more elements than the type numbers; a type that the device has not.
    #[track_caller]
    pub fn unique_all_as<I: ArrayIndex + Number>(&self) -> Unique<T, I> {
        self.distinct("unique_all_as", Location::caller())
    }

    fn distinct<I: ArrayIndex + Number>(&self, operation: &'static str, at: CallSite) -> Unique<T, I> {
        let made = || -> Result<Unique<T, I>> {
            let (sorted, places) = self.flatten().sorted_with_places::<I>(operation, &SortOptions::default(), at);
            let edges = Edges::of(operation, &sorted, at)?;
            let ranks = edges.begins().cast::<I>().cumsum(0) - position::<I>(1);
            let inverse = Array::<I>::zeros(self.device(), &[self.len()]);
            let (replace, outside) = (Combine::Replace, OutOfRange::Drop);
            let inverse = inverse.scatter(operation, &places, &ranks, replace, Along::Flat, outside, at);
            Ok(Unique {
                values: edges.firsts(&sorted),
                firsts: edges.firsts(&places),
                counts: edges.lengths(),
                inverse: inverse.reshape(self.shape()),
            })
        };
        made().unwrap_or_else(|error| Unique {
            values: Selected::failed(self.device(), error.clone()),
            firsts: Selected::failed(self.device(), error.clone()),
            counts: Selected::failed(self.device(), error.clone()),
            inverse: Array::failed(self.device(), error),
        })
    }
}
