//! The order of rows by several keys.

use crate::array::selections::gather::Along;
use crate::array::{Array, SortOptions};
use crate::element::Ordered;
use crate::error::{CallSite, Error, Result};
use crate::ops::OutOfRange;
use std::panic::Location;

mod sealed {
    use super::*;

    pub trait Sorted {
        fn fit(&self, len: usize, device: &crate::Device, at: CallSite) -> Result<()>;
        fn device(&self) -> &crate::Device;
        fn rows(&self) -> usize;
        /// The order by this key, of rows that are in an order already.
        fn after(&self, order: Option<&Array<u32>>, at: CallSite) -> Array<u32>;
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
        let options = SortOptions::default();
        match order {
            None => self.sorting("lexsort", &options, at),
            Some(order) => {
                let keys = self.gather("lexsort", order, Along::Flat, OutOfRange::Drop, at);
                keys.paired("lexsort", order, &options, at).1
            }
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
    let at = Location::caller();
    let Some(first) = keys.first() else {
        return Err(Error::argument("lexsort", "keys", "at least one", "none", at));
    };
    let (len, device) = (first.rows(), first.device());
    keys.iter().try_for_each(|key| key.fit(len, device, at))?;
    let order = keys.iter().fold(None, |order: Option<Array<u32>>, key| Some(key.after(order.as_ref(), at)));
    let order = order.expect("there is a key");
    order.check()?;
    Ok(order)
}
