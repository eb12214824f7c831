//! Copies from device to device.

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::error::Result;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// A copy of the array on another device; the array itself if it is there already. The array is evaluated first;
    /// its inputs are not moved.
    ///
    /// Cost: through the host: a download and an upload, both waited for.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Device;
    /// let other = Device::cpu()?;
    /// let x = device.array([1, 2, 3]).to_device(&other)?;
    /// assert_eq!(x.device(), &other);
    /// assert_eq!(x.to_vec()?, [1, 2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`] and [`Array::from_slice`]; a type that the other device lacks.
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Result<Array<T>> {
        self.check()?;
        if self.device() == device {
            return Ok(self.clone());
        }
        crate::array::create::check::<T>("to_device", device, self.shape(), Location::caller())?;
        let moved = Array::from_shape(device, self.shape(), &self.to_vec()?);
        moved.check()?;
        Ok(moved)
    }
}
