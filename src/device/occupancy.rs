//! Occupancy of kernels, from the engine or as an estimate.

use super::Device;
use crate::kernel::Kernel;
use crosslane_core::error::{Error, Result};
use crosslane_core::occupancy::{Limiter, Occupancy, estimate};
use crosslane_core::properties::DeviceKind;
use std::panic::Location;

impl Kernel {
    /// How much of a device the kernel's workgroups fill, and what limits them. On the cuda engine the figures are the
    /// driver's, for the compiled kernel; the kernel is compiled if need be. Elsewhere they are an estimate from the
    /// device's limits and the kernel's workgroup size and memory, without registers, which no other API reports. A
    /// processor runs one workgroup on each thread.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let kernel = crosslane::Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] += 1.0; }
    /// ")?;
    /// let occupancy = kernel.occupancy(device)?;
    /// assert!(occupancy.workgroups_per_unit >= 1 && occupancy.fraction <= 1.0);
    /// println!("{occupancy}");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: not a kernel from WGSL; a workgroup that the device cannot hold; a kernel that the driver refuses.
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    #[track_caller]
    pub fn occupancy(&self, device: &Device) -> Result<Occupancy> {
        let at = Location::caller();
        let Some(reflection) = self.reflection() else {
            let (wanted, got) = ("one made by Kernel::wgsl", format!("the library's {:?}", self.name()));
            return Err(Error::argument("occupancy", "kernel", wanted, got, at));
        };
        let breaks = reflection.breaks(device.caps());
        if !breaks.is_empty() {
            let got = format!("one with {}", breaks.join("; "));
            return Err(Error::argument("occupancy", "kernel", "one that the device can run", got, at));
        }
        if let Some(known) = device.driver().occupancy(self)? {
            return Ok(known);
        }
        let size = reflection.workgroup_size.iter().product();
        let mut occupancy = match device.properties().kind {
            DeviceKind::Software => Occupancy::new(1, size, 1.0, Limiter::Workgroups),
            _ => estimate(device.caps(), size, reflection.workgroup_bytes),
        };
        occupancy.units = device.driver().units();
        Ok(occupancy)
    }
}
