//! Opening devices without blocking: the only way in a browser, whose adapters come as promises.

use super::{Device, DeviceOptions, worker};
use crosslane_core::error::Result;

impl Device {
    /// As [`Device::open`], without blocking the executor: another thread opens the device. In a browser this is the only way
    /// to open one, and there is one device, which the browser chooses. The future runs on any executor.
    ///
    /// ```
    /// use crosslane::{Array, Device};
    /// # if Device::new().is_err() { return }
    /// # futures::executor::block_on(async {
    /// let device = Device::open_async("").await?;
    /// let x = Array::arange(&device, 0.0f32, 4.0, 1.0);
    /// assert_eq!((x * 2.0).to_vec_async().await?, [0.0, 2.0, 4.0, 6.0]);
    /// # Ok::<(), crosslane::Error>(()) }).unwrap();
    /// ```
    ///
    /// Errors: no such device; engine not built in.
    pub fn open_async(request: &str) -> impl Future<Output = Result<Device>> + Send + use<> {
        DeviceOptions::default().open_async(request)
    }
}

impl DeviceOptions {
    /// As [`Device::open_async`].
    pub fn open_async(&self, request: &str) -> impl Future<Output = Result<Device>> + Send + use<> {
        worker::opening(self.clone(), request.to_string())
    }
}
