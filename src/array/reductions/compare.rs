//! Whether arrays are equal, or nearly: computed on the device.

use crate::array::{Array, Operand};
use crate::element::{DType, Element, Float, Scalar};
use crosslane_core::error::{CallSite, Error};
use std::panic::Location;

/// The tolerance within which two values are close, by NumPy's rule: `|a - b| <= absolute + relative * |b|`.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::array::Tolerance;
/// let (x, y) = (device.array([1.0f32, f32::NAN]), device.array([1.01f32, f32::NAN]));
/// let loose = Tolerance::default().relative(0.1).equal_nan();
/// assert_eq!(x.is_close(&y, &loose).to_vec()?, [true, true]);
/// assert_eq!(x.is_close(&y, &Tolerance::default()).to_vec()?, [false, false]);
/// # Ok(()) });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    relative: f64,
    absolute: f64,
    equal_nan: bool,
}

impl Default for Tolerance {
    /// NumPy's: 1e-5 of the second value and 1e-8; NaN is close to nothing.
    fn default() -> Tolerance {
        Tolerance { relative: 1e-5, absolute: 1e-8, equal_nan: false }
    }
}

impl Tolerance {
    /// The tolerance relative to the second value: NumPy's `rtol`.
    pub fn relative(self, relative: f64) -> Tolerance {
        Tolerance { relative, ..self }
    }

    /// The absolute tolerance: NumPy's `atol`.
    pub fn absolute(self, absolute: f64) -> Tolerance {
        Tolerance { absolute, ..self }
    }

    /// NaN is close to NaN.
    pub fn equal_nan(self) -> Tolerance {
        Tolerance { equal_nan: true, ..self }
    }
}

impl<T: Float> Array<T> {
    /// Whether each element is close to the other's, within a [`Tolerance`]: NumPy's `isclose`, which measures by the
    /// second value. An infinity is close to itself only. Computed in the elements' type, of f16 in f32; it fuses with
    /// the surrounding operations.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1.0f32, 2.0, f32::INFINITY]);
    /// assert_eq!(x.is_close(&(&x * 1.000001), &Default::default()).to_vec()?, [true; 3]);
    /// assert_eq!(x.is_close(1.0, &Default::default()).to_vec()?, [true, false, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    #[doc(alias = "isclose")]
    pub fn is_close(&self, other: impl Operand<T>, tolerance: &Tolerance) -> Array<bool> {
        let other = other.into_array(self.device());
        match T::DTYPE {
            DType::F16 => close(&self.cast::<f32>(), &other.cast::<f32>(), tolerance),
            _ => close(self, &other, tolerance),
        }
    }

    /// Whether all elements are close, as [`Array::is_close`] says: NumPy's `allclose`, as an array of one element, so
    /// that the host need not wait. One reduction.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1.0f32, 2.0]);
    /// assert!(x.allclose(&(&x + 1e-9), &Default::default()).item()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::is_close`].
    #[track_caller]
    pub fn allclose(&self, other: impl Operand<T>, tolerance: &Tolerance) -> Array<bool> {
        self.is_close(other, tolerance).all()
    }

    /// As [`Array::array_equal`], with NaN equal to NaN: NumPy's `array_equal` with `equal_nan`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1.0f32, f32::NAN]);
    /// assert!(x.array_equal_nan(&x).item()?);
    /// assert!(!x.array_equal(&x).item()?);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn array_equal_nan(&self, other: &Array<T>) -> Array<bool> {
        self.all_of("array_equal_nan", other, Location::caller(), || self.equal(other) | self.is_nan() & other.is_nan())
    }
}

impl<T: Element> Array<T> {
    /// Whether both have the same shape and elements: NumPy's `array_equal`, as an array of one element, so that nothing is
    /// waited for. NaN is not equal to anything. One reduction.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1, 2, 3]);
    /// assert!(x.array_equal(&x.copy()).item()?);
    /// assert!(!x.array_equal(&x.reshape(&[3, 1])).item()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): another device; the error that either array holds.
    #[track_caller]
    pub fn array_equal(&self, other: &Array<T>) -> Array<bool> {
        self.all_of("array_equal", other, Location::caller(), || self.equal(other))
    }

    /// Whether a comparison of arrays of one shape holds everywhere; false of several shapes.
    fn all_of(
        &self,
        operation: &'static str,
        other: &Array<T>,
        at: CallSite,
        compared: impl Fn() -> Array<bool>,
    ) -> Array<bool> {
        let device = self.device();
        if let Some(error) = self.node.error().or(other.node.error()) {
            return Array::failed(device, error);
        }
        if device != other.device() {
            let (wanted, got) = (format!("{device:?}"), format!("{:?}", other.device()));
            return Array::failed(device, Error::argument(operation, "device", wanted, got, at));
        }
        if self.shape() == other.shape() { compared().all() } else { Array::full(device, &[], false) }
    }
}

fn close<T: Float>(a: &Array<T>, b: &Array<T>, tolerance: &Tolerance) -> Array<bool> {
    let number = |x: f64| T::from_scalar(Scalar::from_f64(T::DTYPE, x));
    let bound = b.abs() * number(tolerance.relative) + number(tolerance.absolute);
    // Past the finite numbers differences mean nothing, and only equality counts.
    let near = (a - b).abs().less_equal(bound) & b.is_finite() | a.equal(b);
    if tolerance.equal_nan { near | a.is_nan() & b.is_nan() } else { near }
}
