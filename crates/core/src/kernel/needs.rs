//! What any kernel needs of a device, the library's own too.

use super::Kernel;
use super::reflect::{Feature, features};
use crate::error::Result;
use naga::{AddressSpace, Module};

/// What a kernel needs of a device.
pub struct Needs {
    /// Features that the device must have.
    pub features: Vec<Feature>,
    /// Invocations of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory, each variable rounded up to 16.
    pub workgroup_bytes: u32,
    /// Bytes of `var<immediate>`; 0 without one.
    pub immediate_bytes: u32,
}

impl Kernel {
    /// What it needs of a device.
    #[doc(hidden)]
    pub fn needs(&self) -> Result<Needs> {
        if let Some(reflection) = self.reflection() {
            return Ok(Needs {
                features: reflection.features.clone(),
                workgroup_size: reflection.workgroup_size,
                workgroup_bytes: reflection.workgroup_bytes,
                immediate_bytes: reflection.immediate_bytes,
            });
        }
        let parsed = self.parsed()?;
        let module = &parsed.module;
        let inside = module.global_variables.iter().any(|(_, variable)| variable.space == AddressSpace::Immediate);
        Ok(Needs {
            features: features(module),
            workgroup_size: module.entry_points[0].workgroup_size,
            workgroup_bytes: workgroup_bytes(module),
            immediate_bytes: if inside { self.param_words() as u32 * 4 } else { 0 },
        })
    }
}

/// As WebGPU counts it. The library's own kernels use all that they declare.
fn workgroup_bytes(module: &Module) -> u32 {
    let inside = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    inside.map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()).next_multiple_of(16)).sum()
}
