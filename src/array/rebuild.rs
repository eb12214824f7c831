//! Arrays computed again, on another device, from how they were computed.

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crate::graph::rebuild;
use crosslane_core::error::{Error, Result};
use std::panic::Location;

impl<T: Element> Array<T> {
    /// The array computed again on a device, from the data that the host uploaded: after its own device was lost, on the
    /// one that [`Device::reopen`] gives. Needs [`DeviceOptions::keep_lineage`](crate::DeviceOptions::keep_lineage) on
    /// the array's own device.
    ///
    /// Deferred like any array, but the data are uploaded now, and of more than 128 steps the first ones are computed now.
    /// The array's own device is not used. Arrays that are rebuilt by separate calls share no memory and no computation.
    ///
    /// ```
    /// use crosslane::{Array, DeviceOptions};
    /// # let open = |options: DeviceOptions| options.open("");
    /// # let Ok(device) = open(DeviceOptions::default().keep_lineage(true)) else { return Ok(()) };
    /// let x = Array::from_slice(&device, &[1.0f32, 2.0, 3.0]);
    /// let y = (&x * 2.0).cumsum(0);
    /// y.eval()?;
    /// let again = device.reopen()?; // as after an error of ErrorKind::DeviceLost
    /// assert_eq!(y.rebuild(&again)?.to_vec()?, [2.0, 6.0, 12.0]);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: the device keeps no lineage; the array, or one that it is computed from, was filled or written in place by a
    /// kernel, a recording, an assignment to a part, or foreign code, and has no [`Array::checkpoint`] since; the error that
    /// the array holds; a type that the device lacks; out of memory; device lost.
    #[track_caller]
    pub fn rebuild(&self, device: &Device) -> Result<Array<T>> {
        self.check()?;
        Ok(Array::of(rebuild(&self.node, device, Location::caller())?))
    }

    /// Keeps the array's values on the host, for [`Array::rebuild`]: it begins with them from now on, and what they were
    /// computed from need not be kept any more. Does nothing on a device that keeps no lineage.
    ///
    /// An array that is written in place afterwards needs another checkpoint. Writes by foreign code (DLPack, an address, a
    /// wgpu buffer) are not noticed.
    ///
    /// Cost: a download, waited for, and as much of the host's memory until no array needs the values.
    ///
    /// ```
    /// use crosslane::{Array, DeviceOptions, s};
    /// # let open = |options: DeviceOptions| options.open("");
    /// # let Ok(device) = open(DeviceOptions::default().keep_lineage(true)) else { return Ok(()) };
    /// let mut x = Array::<u32>::zeros(&device, &[3]);
    /// x.slice_mut(s![1..]).assign(7)?;
    /// let again = device.reopen()?;
    /// assert!(x.rebuild(&again).is_err()); // written in place
    /// x.checkpoint()?;
    /// assert_eq!(x.rebuild(&again)?.to_vec()?, [0, 7, 7]);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: as [`Array::to_vec`]; the array was written in place meanwhile.
    #[track_caller]
    pub fn checkpoint(&self) -> Result<()> {
        self.check()?;
        if !self.device().keeps_lineage() {
            return Ok(());
        }
        if let Some(count) = self.node.count() {
            Array::<u32>::of(count.clone()).checkpoint()?;
        }
        let storage = self.storage()?;
        let read = || {
            let mut bytes =
                crosslane_core::memory::zeros("checkpoint", self.len() * T::DTYPE.size(), Location::caller())?;
            self.read_bytes(&mut bytes)?;
            Ok(bytes)
        };
        match self.node.checkpoint(&storage, read)? {
            true => Ok(()),
            false => {
                let (wanted, got) = ("one that nothing writes meanwhile", "one that was written in place");
                Err(Error::argument("Array::checkpoint", "array", wanted, got, Location::caller()))
            }
        }
    }
}
