//! The order of rows by several keys.

use crate::array::index::reach;
use crate::array::selections::gather::Along;
use crate::array::{Array, ArrayIndex, SortOptions};
use crate::element::{Number, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::OutOfRange;
use std::panic::Location;

mod sealed {
    use super::*;

    pub trait Sorted {
        fn fit(&self, len: usize, device: &crate::Device, at: CallSite) -> Result<()>;
        fn device(&self) -> &crate::Device;
        fn rows(&self) -> usize;
        /// The order by this key, of rows that are in an order already.
        fn after(&self, order: Option<&Array<u32>>, at: CallSite) -> Array<u32>;
        /// The same of more than 2^32 rows.
        fn after_many(&self, order: Option<&Array<u64>>, at: CallSite) -> Array<u64>;
    }
}

/// A key of [`lexsort`]: an array of any type.
pub trait SortKey: sealed::Sorted {}

impl<T: Ordered> SortKey for Array<T> {}

impl<T: Ordered> sealed::Sorted for Array<T> {
    fn fit(&self, len: usize, device: &crate::Device, at: CallSite) -> Result<()> {
        self.check()?;
        if self.shape() != [len] {
            let wanted = format!("one dimension, and the first key's length {len}");
            return Err(Error::argument("lexsort", "keys", wanted, format!("shape {:?}", self.shape()), at));
        }
        if self.device() != device {
            let (wanted, got) = (format!("{device:?}"), format!("{:?}", self.device()));
            return Err(Error::argument("lexsort", "device", wanted, got, at));
        }
        Ok(())
    }

    fn device(&self) -> &crate::Device {
        Array::device(self)
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn after(&self, order: Option<&Array<u32>>, at: CallSite) -> Array<u32> {
        in_order(self, order, at)
    }

    fn after_many(&self, order: Option<&Array<u64>>, at: CallSite) -> Array<u64> {
        in_order(self, order, at)
    }
}

fn in_order<T: Ordered, I: ArrayIndex + Number>(key: &Array<T>, order: Option<&Array<I>>, at: CallSite) -> Array<I> {
    let options = SortOptions::default();
    match order {
        None => key.sorting("lexsort", &options, at),
        Some(order) => {
            let keys = key.gather("lexsort", order, Along::Flat, OutOfRange::Drop, at);
            keys.paired("lexsort", order, &options, at).1
        }
    }
}

/// The indices that sort rows by several keys, of which the last is the primary one: NumPy's `lexsort`. Rows with equal
/// last keys are ordered by the key before it, and so on. Rows whose keys are all equal keep their order. Keys may
/// differ in type.
///
/// Cost: a sort with values for each key, and a read of it.
///
/// ```
/// # crosslane::example(|device| {
/// let (year, name) = (device.array([2002, 2001, 2002, 2001]), device.array([3u8, 4, 1, 2]));
/// let order = crosslane::array::lexsort(&[&name, &year])?;
/// assert_eq!(order.to_vec()?, [3, 1, 2, 0]);
/// # Ok(()) });
/// ```
///
/// Errors: no key; keys not of one dimension, length and device; the error that a key holds; as for [`Array::argsort`].
#[track_caller]
pub fn lexsort(keys: &[&dyn SortKey]) -> Result<Array<u32>> {
    ordered(keys, Location::caller())
}

/// As [`lexsort`], with indices of any type: of 64 bits they number more than 2^32 rows, which are sorted at once, as
/// [`Array::sort_pairs`].
///
/// ```
/// # crosslane::example(|device| {
/// let (year, name) = (device.array([2002, 2001, 2002, 2001]), device.array([3u8, 4, 1, 2]));
/// let order = crosslane::array::lexsort_as::<i32>(&[&name, &year])?;
/// assert_eq!(order.to_vec()?, [3, 1, 2, 0]);
/// # Ok(()) });
/// ```
///
/// Errors: as [`lexsort`]; more rows than the type numbers; a type that the device has not.
#[track_caller]
pub fn lexsort_as<I: ArrayIndex + Number>(keys: &[&dyn SortKey]) -> Result<Array<I>> {
    ordered(keys, Location::caller())
}

fn ordered<I: ArrayIndex + Number>(keys: &[&dyn SortKey], at: CallSite) -> Result<Array<I>> {
    let Some(first) = keys.first() else {
        return Err(Error::argument("lexsort", "keys", "at least one", "none", at));
    };
    let (len, device) = (first.rows(), first.device());
    keys.iter().try_for_each(|key| key.fit(len, device, at))?;
    reach::<I>("lexsort", "keys", len, at)?;
    let order = match len as u64 <= 1 << 32 {
        true => by_each(keys, |key, order| key.after(order, at)).cast(),
        false => by_each(keys, |key, order| key.after_many(order, at)).cast(),
    };
    order.check()?;
    Ok(order)
}

/// The order by all of at least one key.
fn by_each<I: ArrayIndex + Number>(
    keys: &[&dyn SortKey],
    after: impl Fn(&dyn SortKey, Option<&Array<I>>) -> Array<I>,
) -> Array<I> {
    let order = keys.iter().fold(None, |order: Option<Array<I>>, key| Some(after(*key, order.as_ref())));
    order.expect("there is a key")
}
