//! Scatter in a fixed order, for every type: by a sort of the indices.

use crate::array::index::ArrayIndex;
use crate::array::selections::gather::{Along, Call};
use crate::array::selections::runs::Edges;
use crate::array::{Array, Scan, Selected, SortOptions};
use crate::element::{DType, Element, Number, Scalar};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::{Combine, OutOfRange};
use std::panic::Location;

impl<T: Number> Array<T> {
    /// Scatters values to these row-major indices in a fixed order: deterministic, for sums of floats too. With
    /// [`Combine::Replace`] the last value for an index wins, as in NumPy. Works for every numeric type. The values are
    /// broadcast to the shape of the indices.
    ///
    /// Cost: a sort of the indices with the values by as many bits as the array's length has, then a reduction by key and a
    /// scatter: some ten times that of [`Array::scatter_add`], unless many values meet in one place.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::OutOfRange;
    /// use crosslane::ops::Combine;
    /// let x = Array::from_slice(device, &[1.0f64, 2.0, 3.0]);
    /// let at = Array::from_slice(device, &[2, 0, 2, -1]);
    /// let values = Array::from_slice(device, &[10.0, 20.0, 30.0, 40.0]);
    /// let of = |combine| x.scatter_ordered(&at, &values, combine, OutOfRange::Error).to_vec();
    /// assert_eq!(of(Combine::Add)?, [21.0, 2.0, 83.0]);
    /// assert_eq!(of(Combine::Replace)?, [20.0, 2.0, 40.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::put`].
    #[track_caller]
    #[doc(alias = "deterministic")]
    pub fn scatter_ordered<I: ArrayIndex>(
        &self,
        indices: &Array<I>,
        values: &Array<T>,
        combine: Combine,
        outside: OutOfRange,
    ) -> Array<T> {
        let at = Location::caller();
        let result = self.in_order("scatter_ordered", indices, values, combine, Along::Flat, outside, at);
        result.unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    #[expect(clippy::too_many_arguments, reason = "what the methods differ in")]
    pub(super) fn in_order<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        values: &Array<T>,
        combine: Combine,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Result<Array<T>> {
        self.check()?;
        indices.check()?;
        values.check()?;
        let call = Call { operation, array: &self.node, indices: &indices.node, along, outside, at };
        let values = values.broadcast_to(&call.taken(&values.node)?).flatten();
        // The element's number and one, or 0 for none.
        let numbers = Array::<u32>::counting(self.device(), self.len()) + 1;
        let numbers = numbers.reshape(self.shape());
        let places = numbers.gather(operation, indices, along, outside, at).flatten();
        let bits = u32::BITS - (self.len() as u32).leading_zeros();
        let options = SortOptions::low_bits(bits, places.len(), self.device());
        let (places, values) = places.paired(operation, &values, &options, at);
        let (places, totals) = together(operation, &places, &values, combine, at)?;
        let nothing = T::from_scalar(Scalar { dtype: T::DTYPE, bits: 0 });
        // What has no place gets one past all.
        let (places, totals) = (places.or(0) - 1, totals.or(nothing));
        let before = self.gather(operation, &places, Along::Flat, OutOfRange::Drop, at);
        let after = match combine {
            Combine::Replace => totals,
            Combine::Add => before + totals,
            Combine::Minimum => before.minimum(&totals),
            Combine::Maximum => before.maximum(&totals),
        };
        Ok(self.scatter(operation, &places, &after, Combine::Replace, Along::Flat, OutOfRange::Drop, at))
    }
}

impl<T: Number> Array<T> {
    /// A scatter by atomics, or in a fixed order where the device promises one and the order matters.
    #[expect(clippy::too_many_arguments, reason = "what the methods differ in")]
    pub(crate) fn combined<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        values: &Array<T>,
        combine: Combine,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Array<T> {
        match combine == Combine::Add && T::DTYPE == DType::F32 && self.device().is_deterministic() {
            true => Array::kept(self.device(), self.in_order(operation, indices, values, combine, along, outside, at)),
            false => self.scatter(operation, indices, values, combine, along, outside, at),
        }
    }
}

impl<T: Element> Array<T> {
    /// Values put at indices; where the device promises the same bits, the last one for each element.
    pub(crate) fn replaced<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        values: &Array<T>,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Array<T> {
        // One value can go to several elements, but no two meet.
        match self.device().is_deterministic() && indices.len() > 1 {
            true => Array::kept(self.device(), self.last_put(operation, indices, values, along, outside, at)),
            false => self.scatter(operation, indices, values, Combine::Replace, along, outside, at),
        }
    }

    /// The largest number of the values for an element names the one that it gets: integers meet in any order.
    fn last_put<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        values: &Array<T>,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Result<Array<T>> {
        self.check()?;
        indices.check()?;
        values.check()?;
        let call = Call { operation, array: &self.node, indices: &indices.node, along, outside, at };
        let space = call.taken(&values.node)?;
        let len: usize = space.iter().product();
        if len == 0 {
            return Ok(self.scatter(operation, indices, values, Combine::Replace, along, outside, at));
        }
        if len >= u32::MAX as usize {
            let wanted = format!("{} at most, on a deterministic device", u32::MAX - 1);
            return Err(Error::argument(operation, "number of the values", wanted, len.to_string(), at));
        }
        let numbers = (Array::<u32>::counting(self.device(), len) + 1).reshape(&space);
        let none = Array::<u32>::zeros(self.device(), self.shape());
        let last = none.scatter(operation, indices, &numbers, Combine::Maximum, along, outside, at);
        let values = values.broadcast_to(&space).flatten();
        // 0, of those that get none, becomes a number past all.
        let taken = values.gather(operation, &(&last - 1), Along::Flat, OutOfRange::Drop, at);
        Ok(last.greater(0).select(&taken, self))
    }
}

/// The different ones of sorted places, and what the values of each come to.
fn together<T: Number>(
    operation: &'static str,
    places: &Array<u32>,
    values: &Array<T>,
    combine: Combine,
    at: CallSite,
) -> Result<(Selected<u32>, Selected<T>)> {
    match combine {
        Combine::Replace => {
            let edges = Edges::of(operation, places, at)?;
            Ok((edges.firsts(places), values.compress(&edges.ends())))
        }
        Combine::Add => Scan::sum().reduced_by_key(places, values, at),
        Combine::Minimum => Scan::min().reduced_by_key(places, values, at),
        Combine::Maximum => Scan::max().reduced_by_key(places, values, at),
    }
}
