//! Assignment through a mask.

use crate::array::{Array, Operand};
use crate::element::Element;
use crate::error::{CallSite, Error, Result};
use crate::ops::OutOfRange;
use std::panic::Location;

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
    /// Cost: a scan of the mask, and a read for each element.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3, -1, 4, -1]);
    /// let y = x.masked_scatter(&x.less(0), &device.array([10, 20]));
    /// assert_eq!(y.to_vec()?, [3, 10, 4, 20]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a mask of another shape or device; no value; 2^32 - 1 elements. With
    /// [`OutOfRange::Error`]: too few values, reported as an index past the last.
    #[track_caller]
    pub fn masked_scatter(&self, mask: &Array<bool>, values: &Array<T>) -> Array<T> {
        let at = Location::caller();
        Array::kept(self.device(), self.scattered_by(mask, values, at))
    }

    fn scattered_by(&self, mask: &Array<bool>, values: &Array<T>, at: CallSite) -> Result<Array<T>> {
        crate::array::selections::select::fits("masked_scatter", &self.node, &mask.node, at)?;
        if self.len() >= u32::MAX as usize {
            let wanted = "fewer than 2^32 - 1 elements: a u32 numbers the values";
            return Err(Error::argument("masked_scatter", "array", wanted, self.len().to_string(), at));
        }
        if self.is_empty() {
            return Ok(self.clone());
        }
        // How many came before; anywhere the mask is false, a place that is there.
        let flat = mask.flatten();
        let places = flat.select(flat.cast::<u32>().cumsum(0) - 1, 0);
        let along = crate::array::selections::gather::Along::Flat;
        let placed = values.flatten().gather("masked_scatter", &places, along, OutOfRange::Error, at);
        Ok(mask.select(placed.reshape(self.shape()), self))
    }
}
