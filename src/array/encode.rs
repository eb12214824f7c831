//! Arrays computed by a program's own wgpu command encoder.

use super::Array;
use crate::element::Element;
use crate::graph::{Batch, Submission};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_wgpu::Wgpu;
use std::panic::Location;

impl<T: Element> Array<T> {
    /// Records the kernels that compute the array into an encoder of the program's, on the device that the array is on
    /// ([`Device::from_wgpu`](crate::Device::from_wgpu)). Nothing runs before the program submits it; then the array
    /// is computed, and its buffer ([`Array::wgpu_buffer`]) can be used by later commands of the same encoder.
    ///
    /// From this call on the array counts as computed: submit the encoder before anything else reads the array. If the
    /// encoder is dropped, the array's contents are undefined. Inputs that were computed before need no care: their
    /// work is submitted already. The memory of all arrays involved is kept until the device is done, which a later
    /// poll of the device notices. Until then assigning to a part of an input copies it first.
    ///
    /// An array that is in memory already records nothing. An array of more than 128 deferred steps was partly
    /// evaluated while it was built.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let Some((raw, queue)) = device.wgpu() else { return Ok(()) };
    /// let x = Array::arange(device, 0.0f32, 5.0, 1.0);
    /// let y = (&x * 2.0).sum();
    /// let mut encoder = raw.create_command_encoder(&Default::default());
    /// y.encode(&mut encoder)?;
    /// queue.submit([encoder.finish()]);
    /// assert_eq!(y.item()?, 20.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::eval`]; a device of another engine. If the encoder belongs to another device, wgpu reports
    /// it when the encoder is finished.
    #[track_caller]
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        let at = Location::caller();
        let device = self.check()?.device();
        let Some(engine) = device.driver().any().downcast_ref::<Wgpu>() else {
            return Err(no_encoders("encode", device, at));
        };
        let encode = |submission: &mut Submission| {
            let launches = &submission.batch.launches;
            device.faulty(launches, || engine.encode(launches, encoder))
        };
        Batch::run(device, at, |batch| batch.materialise(&self.node), encode)
    }
}

/// The error for an engine that has no command encoders.
pub(crate) fn no_encoders(
    operation: &'static str,
    device: &crate::Device,
    at: crosslane_core::error::CallSite,
) -> crate::Error {
    let (wanted, device) = ("command encoders, which are wgpu's".into(), device.properties().label());
    let help = "evaluate with Array::eval".into();
    ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into()
}
