//! Arrays on the host, which files and serialisation read and write.

use super::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::error::{Error, Result};
use crosslane_core::layout::count;
use std::panic::Location;

/// An array on the host: a shape, and its elements in row-major order. Files and `serde` read into it, since an
/// [`Array`] needs a device; [`HostArray::to_device`] makes one.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::HostArray;
/// let host = HostArray::new(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0])?;
/// let x = host.to_device(device) * 2.0;
/// assert_eq!(x.to_host()?.values(), [2.0, 4.0, 6.0, 8.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HostArray<T> {
    shape: Vec<usize>,
    values: Vec<T>,
}

impl<T> HostArray<T> {
    /// Elements in row-major order.
    ///
    /// ```
    /// use crosslane::array::HostArray;
    /// assert!(HostArray::new(&[2, 3], vec![0u8; 6]).is_ok());
    /// assert!(HostArray::new(&[2, 3], vec![0u8; 5]).is_err());
    /// ```
    ///
    /// Errors: a shape for another number of elements.
    #[track_caller]
    pub fn new(shape: &[usize], values: Vec<T>) -> Result<HostArray<T>> {
        if count(shape) != values.len() {
            let (wanted, got) = (format!("{} elements for shape {shape:?}", count(shape)), values.len().to_string());
            return Err(Error::argument("HostArray::new", "values", wanted, got, Location::caller()));
        }
        Ok(HostArray { shape: shape.to_vec(), values })
    }

    /// The extent of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements in row-major order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Shape and elements.
    pub fn into_parts(self) -> (Vec<usize>, Vec<T>) {
        (self.shape, self.values)
    }
}

impl<T: Element> HostArray<T> {
    /// The array on a device. Errors (kept in the array): as [`Array::from_shape`].
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Array<T> {
        Array::from_shape(device, &self.shape, &self.values)
    }
}

impl<T: Element> Array<T> {
    /// Shape and elements on the host. Computes the array if need be, and waits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let host = crosslane::Array::arange(device, 0, 6, 1).reshape(&[2, 3]).to_host()?;
    /// assert_eq!((host.shape(), host.values()), (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`].
    #[track_caller]
    pub fn to_host(&self) -> Result<HostArray<T>> {
        Ok(HostArray { shape: self.shape().to_vec(), values: self.to_vec()? })
    }
}
