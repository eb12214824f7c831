//! Assignment through a mask.

use crate::array::selections::gather::Along;
use crate::array::windows::{ranges, window};
use crate::array::{Array, Operand};
use crate::element::Element;
use crate::graph::Node;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::OutOfRange;
use std::panic::Location;
use std::sync::Arc;

/// Values that a u32 numbers, beside the number that means none.
const MOST: usize = u32::MAX as usize - 1;

/// Elements of a window, where there are several: each takes eight bytes more.
const WINDOW: usize = 1 << 28;

/// Sums, of which those that have wrapped below a part of them are the greatest number.
fn no_more(sums: &Array<u32>, part: &Array<u32>) -> Array<u32> {
    sums.less(part).select(u32::MAX, sums)
}

impl<T: Element> Array<T> {
    /// This array with another value wherever the mask is true: NumPy's `x[mask] = value` with a scalar, and `copyto`
    /// with `where` with an array, as a new value. Mask and value are broadcast to this array's shape. It fuses with
    /// the surrounding operations.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, f32::NAN, 3.0]);
    /// assert_eq!(x.put_where(&x.is_nan(), 0.0).to_vec()?, [1.0, 0.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a mask or a value that does not broadcast to the shape, or on another device.
    #[track_caller]
    #[doc(alias = "putmask")]
    #[doc(alias = "masked_fill")]
    pub fn put_where(&self, mask: &Array<bool>, value: impl Operand<T>) -> Array<T> {
        let result = mask.select(value, self);
        let (wanted, got) = (self.shape(), result.shape());
        match self.node.error().is_some() || result.node.error().is_some() || wanted == got {
            true => result,
            false => {
                let wanted = format!("shapes that broadcast to the array's shape {wanted:?}");
                let got = format!("a result of shape {got:?}");
                let error = Error::argument("put_where", "mask and value", wanted, got, Location::caller());
                Array::failed(self.device(), error)
            }
        }
    }

    /// As [`Array::put_where`], in place: NumPy's `x[mask] = value`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut x = crosslane::Array::from_slice(device, &[5, -2, 7]);
    /// x.assign_where(&x.less(0), 0)?;
    /// assert_eq!(x.to_vec()?, [5, 0, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::put_where`], after which the array is as before.
    #[track_caller]
    pub fn assign_where(&mut self, mask: &Array<bool>, value: impl Operand<T>) -> Result<()> {
        let result = self.put_where(mask, value);
        result.check()?;
        *self = result;
        Ok(())
    }

    /// This array with the values, one after the other in row-major order, wherever the mask is true: NumPy's
    /// `x[mask] = values` with as many values as the mask has true elements, as a new value; Torch's `masked_scatter`.
    /// It is the inverse of [`Array::compress`]. Surplus values are ignored.
    ///
    /// Cost: a scan of the mask, and a read for each element. An array of 2^32 - 1 elements or more is made in windows.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3, -1, 4, -1]);
    /// let y = x.masked_scatter(&x.less(0), &device.array([10, 20]));
    /// assert_eq!(y.to_vec()?, [3, 10, 4, 20]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a mask of another shape or device; no value; too few values, or 2^32 - 1 true elements, reported as
    /// an index past the last.
    #[track_caller]
    pub fn masked_scatter(&self, mask: &Array<bool>, values: &Array<T>) -> Array<T> {
        let at = Location::caller();
        Array::kept(self.device(), self.scattered_by(mask, values, at))
    }

    fn scattered_by(&self, mask: &Array<bool>, values: &Array<T>, at: CallSite) -> Result<Array<T>> {
        crate::array::selections::select::fits("masked_scatter", &self.node, &mask.node, at)?;
        if values.check()?.device() != self.device() {
            let (wanted, got) = (format!("{:?}", self.device()), format!("{:?}", values.device()));
            return Err(Error::argument("masked_scatter", "device of the values", wanted, got, at));
        }
        if self.is_empty() {
            return Ok(self.clone());
        }
        let (flat, mask) = (self.flatten(), mask.flatten());
        // As many as u32 numbers.
        let values = values.flatten();
        let values = values.part(0, 0, 1, values.len().min(MOST));
        let mut before = Array::<u32>::zeros(self.device(), &[1]);
        let mut parts = vec![];
        let most = self.device().most_numbered(MOST);
        let longest = if self.len() > most { most.min(WINDOW) } else { most };
        for range in ranges("masked_scatter", self.len(), longest, at)? {
            let part = |array: &Arc<Node>| window(array, &range);
            let (own, mask) = (Array::<T>::of(part(&flat.node)), Array::<bool>::of(part(&mask.node)));
            // How many came before, where u32 numbers them; anywhere the mask is false, a place that is there.
            let counts = mask.cast::<u32>().cumsum(0);
            let ends = no_more(&(&counts + &before), &before);
            let places = mask.select(ends.equal(u32::MAX).select(u32::MAX, &ends - 1), 0);
            before = ends.part(0, range.len() - 1, 1, 1);
            let placed = values.gather("masked_scatter", &places, Along::Flat, OutOfRange::Error, at);
            parts.push(mask.select(placed, own));
        }
        Ok(Array::joined("masked_scatter", &parts, 0, at).reshape(self.shape()))
    }
}
