//! Values grouped by keys in any order.

use crate::array::selections::runs::Edges;
use crate::array::{Array, Scan, Selected, SortOptions};
use crate::element::{Element, Float, Number, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

/// Values grouped by their keys: see [`Array::group_by`].
#[derive(Debug)]
pub struct GroupBy<K: Ordered, T: Element> {
    /// Both in the order of the keys.
    sorted: Result<(Array<K>, Array<T>)>,
    /// For errors.
    keys: Array<K>,
}

impl<T: Element> Array<T> {
    /// These values in groups of equal keys, one key for each value: pandas' `groupby`, SQL's `GROUP BY`. Each
    /// aggregation returns the distinct keys, ascending, and one result for each. The number of groups stays on the
    /// device.
    ///
    /// Keys are equal if a sort treats them as equal.
    ///
    /// Cost: a sort of the keys with the values, at the first aggregation, shared by all; then as
    /// [`Scan::reduce_by_key`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let customer = device.array([7, 3, 7, 3, 9]);
    /// let paid = device.array([1.0f32, 2.0, 3.0, 4.0, 5.0]);
    /// let (who, total) = paid.group_by(&customer).sum(); // nothing has run yet
    /// assert_eq!(who.to_vec()?, [3, 7, 9]);
    /// assert_eq!(total.to_vec()?, [6.0, 4.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the results): values and keys not of one dimension, length and device; as for
    /// [`Array::sort_pairs`].
    #[track_caller]
    pub fn group_by<K: Ordered>(&self, keys: &Array<K>) -> GroupBy<K, T> {
        GroupBy { sorted: self.brought_together(keys, Location::caller()), keys: keys.clone() }
    }

    fn brought_together<K: Ordered>(&self, keys: &Array<K>, at: CallSite) -> Result<(Array<K>, Array<T>)> {
        self.check()?;
        keys.check()?;
        if keys.rank() != 1 || keys.shape() != self.shape() {
            let got = format!("keys of shape {:?} for values of shape {:?}", keys.shape(), self.shape());
            return Err(Error::argument("group_by", "keys", "one dimension, and a key for each value", got, at));
        }
        let (keys, values) = keys.paired("group_by", self, &SortOptions::default(), at);
        keys.check()?;
        values.check()?;
        Ok((keys, values))
    }
}

/// Methods that combine each group: documentation, name, scan, and what they give in the example.
macro_rules! combined {
    ($kind:ident: $($name:ident $scan:ident -> $result:ty, $doc:literal => $gives:literal;)*) => {
        impl<K: Ordered, T: $kind> GroupBy<K, T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// let (keys, x) = (device.array([7, 3, 7]), device.array([2, 5, 4]));
            #[doc = concat!("let (keys, made) = x.group_by(&keys).", stringify!($name), "();")]
            #[doc = concat!("assert_eq!((keys.to_vec()?, made.to_vec()?), (vec![3, 7], vec!", $gives, "));")]
            /// # Ok(()) });
            /// ```
            #[track_caller]
            pub fn $name(&self) -> (Selected<K>, Selected<$result>) {
                self.reduce(&Scan::$scan())
            }
        )*}
    };
}

combined! { Number:
    sum sum -> T, "The sum of each group. Integers wrap." => "[5, 6]";
    product product -> T, "The product of each group. Integers wrap." => "[5, 8]";
    min min -> T, "The smallest of each group; NaN if any is NaN." => "[5, 2]";
    max max -> T, "The largest of each group; NaN if any is NaN." => "[5, 4]";
}

impl<K: Ordered, T: Element> GroupBy<K, T> {
    /// The number of values in each group.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let keys = device.array([7, 3, 7]);
    /// let (groups, counts) = keys.group_by(&keys).count();
    /// assert_eq!((groups.to_vec()?, counts.to_vec()?), (vec![3, 7], vec![1, 2]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn count(&self) -> (Selected<K>, Selected<u32>) {
        let edges =
            self.sorted.clone().and_then(|(keys, _)| Ok((Edges::of("group_by", &keys, Location::caller())?, keys)));
        Selected::both(self.keys.device(), edges.map(|(edges, keys)| edges.encoded(&keys)))
    }

    /// Each group's values combined in their order, by any [`Scan`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Scan;
    /// let (keys, x) = (device.array([7, 3, 7]), device.array([2u32, 5, 4]));
    /// let (_, bits) = x.group_by(&keys).reduce::<u32>(&Scan::new("a | b", "0"));
    /// assert_eq!(bits.to_vec()?, [5, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): as [`Scan::reduce_by_key`].
    #[track_caller]
    pub fn reduce<R: Element>(&self, scan: &Scan) -> (Selected<K>, Selected<R>) {
        let at = Location::caller();
        let reduced = self.sorted.clone().and_then(|(keys, values)| scan.reduced_by_key(&keys, &values, at));
        Selected::both(self.keys.device(), reduced)
    }
}

impl<K: Ordered, T: Float> GroupBy<K, T> {
    /// The mean of each group.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (keys, x) = (device.array([7, 3, 7]), device.array([2.0f32, 5.0, 4.0]));
    /// let (keys, means) = x.group_by(&keys).mean();
    /// assert_eq!((keys.to_vec()?, means.to_vec()?), (vec![3, 7], vec![5.0, 3.0]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn mean(&self) -> (Selected<K>, Selected<T>) {
        let ((keys, sums), (_, counts)) = (self.sum(), self.count());
        // As long, and as many of them.
        (keys, sums.map(|sums| sums / counts.values.cast::<T>()))
    }
}
