//! Vectors and iterators as arrays, and arrays as iterators.

use crate::array::Array;
use crate::device::Device;
use crate::element::{Arithmetic, Element};
use crosslane_core::error::{Error, Result};
use std::iter::{Product, Sum};
use std::panic::Location;

impl<T: Element> Array<T> {
    /// A one-dimensional array with a vector's elements. Errors are kept in the array.
    ///
    /// An array needs a device, so there is no `From<Vec<T>>`; there is [`Device::array`], which reads alike.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_vec(device, vec![1.0f32, 2.0]);
    /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn from_vec(device: &Device, values: Vec<T>) -> Array<T> {
        Array::from_slice(device, &values)
    }

    /// A one-dimensional array of an iterator's items: like `collect`, with the device that arrays need.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let squares = crosslane::Array::from_iter(device, (0..4).map(|i| i * i));
    /// assert_eq!(squares.to_vec()?, [0, 1, 4, 9]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn from_iter(device: &Device, values: impl IntoIterator<Item = T>) -> Array<T> {
        Array::from_slice(device, &values.into_iter().collect::<Vec<T>>())
    }

    /// The elements in row-major order, fetched once, when this is called: `for x in y.iter()? { .. }`. Computes the array
    /// if need be, and waits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 1, 4, 1);
    /// assert_eq!(x.iter()?.map(|x| x * x).max(), Some(9));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`].
    #[track_caller]
    pub fn iter(&self) -> Result<std::vec::IntoIter<T>> {
        Ok(self.to_vec()?.into_iter())
    }
}

impl Device {
    /// A one-dimensional array on this device: of an array, a slice or a vector, by value or by reference.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(device.array([1, 2, 3]).sum().item()?, 6);
    /// assert_eq!(device.array(vec![true, false]).to_vec()?, [true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn array<T: Element>(&self, values: impl AsRef<[T]>) -> Array<T> {
        Array::from_slice(self, values.as_ref())
    }
}

impl<T: Element> From<(&Device, Vec<T>)> for Array<T> {
    #[track_caller]
    fn from((device, values): (&Device, Vec<T>)) -> Array<T> {
        Array::from_vec(device, values)
    }
}

/// Folds several arrays into one. An empty iterator is an error, since there is no device.
macro_rules! folds {
    ($($trait:ident $method:ident $operator:tt $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// ```
        /// # crosslane::example(|device| {
        /// use crosslane::{Array, Result};
        /// let parts = [device.array([1, 2]), device.array([3, 4])];
        #[doc = concat!("let all: Result<Array<i32>> = parts.iter().", stringify!($method), "();")]
        #[doc = concat!("assert_eq!(all?.to_vec()?, [1 ", stringify!($operator), " 3, 2 ", stringify!($operator), " 4]);")]
        #[doc = concat!("assert!(std::iter::empty::<Array<i32>>().", stringify!($method), "::<Result<Array<i32>>>().is_err());")]
        /// # Ok(()) });
        /// ```
        ///
        /// Errors: no array, which would have no device. Shapes that do not fit are an error kept in the array, as by the operator.
        impl<T: Arithmetic> $trait<Array<T>> for Result<Array<T>> {
            #[track_caller]
            fn $method<I: Iterator<Item = Array<T>>>(arrays: I) -> Result<Array<T>> {
                let at = Location::caller();
                let none = || Error::argument(stringify!($method), "arrays", "at least one: arrays have a device", "none", at);
                arrays.reduce(|all, next| all $operator next).ok_or_else(none)
            }
        }

        #[doc = concat!("As of arrays by value.")]
        impl<'a, T: Arithmetic> $trait<&'a Array<T>> for Result<Array<T>> {
            #[track_caller]
            fn $method<I: Iterator<Item = &'a Array<T>>>(arrays: I) -> Result<Array<T>> {
                arrays.cloned().$method()
            }
        }
    )*};
}

folds! {
    Sum sum + "Arrays added up element by element, broadcast together: `arrays.iter().sum::<Result<Array<_>>>()?`. One kernel, as `a + b + c` is.";
    Product product * "Arrays multiplied element by element, broadcast together. One kernel, as `a * b * c` is.";
}
