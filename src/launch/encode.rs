//! Launches recorded into a program's own wgpu command encoder.

use super::Launcher;
use crate::array::no_encoders;
use crate::device::Device;
use crosslane_core::error::Result;
use crosslane_wgpu::Wgpu;
use std::panic::Location;

impl Launcher<'_> {
    /// Records the launch into an encoder of the program instead of queueing it. It runs when the program submits the
    /// encoder, in order with the program's own commands.
    ///
    /// Submit the encoder before anything else uses the kernel's outputs. Arguments that must be computed or copied
    /// first are queued at once, and so run before it. The arrays' memory is kept until the device is done, which a
    /// later poll of the device notices. Until then assigning to a part of an array that the kernel reads copies it
    /// first.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let Some((raw, queue)) = device.wgpu() else { return Ok(()) };
    /// let increment = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] += 1; }
    ///     }
    /// ")?;
    /// let mut x = Array::<u32>::zeros(device, &[100]);
    /// let mut encoder = raw.create_command_encoder(&Default::default());
    /// for _ in 0..3 {
    ///     increment.for_elements(100).args(&mut x).encode(device, &mut encoder)?;
    /// }
    /// queue.submit([encoder.finish()]);
    /// assert_eq!(x.to_vec()?, [3; 100]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Launcher::launch`]; a device of another engine.
    #[track_caller]
    pub fn encode(&self, device: &Device, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        let Some(engine) = device.driver().any().downcast_ref::<Wgpu>() else {
            return Err(no_encoders("encode", device, Location::caller()));
        };
        match self.resolve(device)? {
            Some(launch) => engine.encode(&[launch], encoder),
            None => Ok(()),
        }
    }
}
