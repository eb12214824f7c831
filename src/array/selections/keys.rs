//! Scans and reductions of values whose neighbouring keys are equal.

use crate::array::selections::runs::{Edges, by_key};
use crate::array::selections::selected_windows::{is_long, selected_of_many};
use crate::array::{Array, Scan, Selected};
use crate::element::{Element, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

impl Scan {
    /// The scan of each run of values whose keys are equal neighbours, in one dimension: Thrust's
    /// `inclusive_scan_by_key` and `exclusive_scan_by_key`. Keys are equal if a sort treats them as equal.
    ///
    /// Cost: the keys are read once, and a byte written for each; then as [`Scan::call_segments`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let keys = Array::from_slice(device, &[1, 1, 7, 7, 1]);
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0]);
    /// let sums: Array<f32> = Scan::sum().call_by_key(&keys, &x);
    /// assert_eq!(sums.to_vec()?, [1.0, 3.0, 3.0, 7.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Scan::call`]; keys and values that are not of one dimension, length and device.
    #[track_caller]
    pub fn call_by_key<K: Ordered, T: Element, R: Element>(&self, keys: &Array<K>, values: &Array<T>) -> Array<R> {
        let at = Location::caller();
        let edges = of_keys("scan by key", keys, values, at);
        Array::kept(values.device(), edges.and_then(|edges| self.of_runs(&edges, values, at)))
    }

    /// For each run of equal neighbouring keys its first key, and its values combined. CUB's and Thrust's
    /// `reduce_by_key`. The count stays on the device, in both. To group by keys that are not adjacent, sort first:
    /// [`Array::sort_pairs`].
    ///
    /// The values of a run are combined in order, so that the operator need not commute; from the end if the scan is
    /// reversed.
    ///
    /// Cost: each key and value is read once, by one launch that gives keys and values together. A reversed scan, or an
    /// array larger than one binding, takes some 24 bytes of memory traffic for a key and a value of four bytes each.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let keys = Array::from_slice(device, &[1, 1, 7, 7, 1]);
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0]);
    /// let (keys, sums) = Scan::sum().reduce_by_key::<_, _, f32>(&keys, &x); // nothing has run yet
    /// assert_eq!(keys.to_vec()?, [1, 7, 1]);
    /// assert_eq!(sums.to_vec()?, [3.0, 7.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// From 2^32 elements on it selects at once, as [`Array::compress`].
    ///
    /// Errors (kept in both): as [`Scan::call_by_key`]; an exclusive scan; results that would not fit one binding. From 2^32
    /// elements on: as [`Array::compress`].
    #[track_caller]
    pub fn reduce_by_key<K: Ordered, T: Element, R: Element>(
        &self,
        keys: &Array<K>,
        values: &Array<T>,
    ) -> (Selected<K>, Selected<R>) {
        Selected::both(keys.device(), self.reduced_by_key(keys, values, Location::caller()))
    }

    pub(crate) fn reduced_by_key<K: Ordered, T: Element, R: Element>(
        &self,
        keys: &Array<K>,
        values: &Array<T>,
        at: CallSite,
    ) -> Result<(Selected<K>, Selected<R>)> {
        let operation = "reduce_by_key";
        self.check_inclusive(operation, at)?;
        let edges = of_keys(operation, keys, values, at)?;
        let scanned = self.of_runs::<T, R>(&edges, values, at)?;
        let whole = if self.reverse { edges.begins() } else { edges.ends() };
        if is_long(&keys.node) {
            let combined = selected_of_many(operation, &scanned.node, &whole.node, at)?;
            return Ok((edges.firsts(keys), combined));
        }
        let (firsts, combined) = (edges.firsts(keys), scanned.compress(&whole));
        let operator = self.operator(&values.node, at)?;
        let one = (!self.reverse).then(|| by_key(keys, &values.node, operator)).flatten();
        Ok(match one {
            Some((keys, values, count)) => (firsts.taken_from(keys, &count), combined.taken_from(values, &count)),
            None => (firsts, combined),
        })
    }

    /// Values scanned in runs, from where a scan comes into each.
    fn of_runs<T: Element, R: Element>(&self, edges: &Edges, values: &Array<T>, at: CallSite) -> Result<Array<R>> {
        let heads = if self.reverse { edges.ends() } else { edges.begins() };
        self.node::<R>(&values.node, Some(&heads.cast::<bool>().node), at).map(Array::of)
    }

    /// A reduction has the last element in it.
    pub(crate) fn check_inclusive(&self, operation: &'static str, at: CallSite) -> Result<()> {
        match self.exclusive {
            false => Ok(()),
            true => Err(Error::argument(operation, "scan", "an inclusive scan", "an exclusive one", at)),
        }
    }
}

/// The runs of keys beside values.
fn of_keys<K: Ordered, T: Element>(
    operation: &'static str,
    keys: &Array<K>,
    values: &Array<T>,
    at: CallSite,
) -> Result<Edges> {
    keys.check()?;
    values.check()?;
    if keys.rank() != 1 {
        return Err(Error::argument(operation, "keys", "one dimension", format!("shape {:?}", keys.shape()), at));
    }
    if values.shape() != keys.shape() {
        let (wanted, got) = (format!("the keys' shape {:?}", keys.shape()), format!("{:?}", values.shape()));
        return Err(Error::argument(operation, "values", wanted, got, at));
    }
    if values.node.device != keys.node.device {
        let (wanted, got) = (format!("{:?}", keys.node.device), format!("{:?}", values.node.device));
        return Err(Error::argument(operation, "values", wanted, got, at));
    }
    Edges::of(operation, keys, at)
}
