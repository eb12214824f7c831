//! Kernels as SPIR-V, with the options that wgpu gives naga on such a driver (wgpu-hal 30, `vulkan/adapter.rs`).

use crate::{barriers, pipeline};
use crosslane_core::caps::Caps;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ShaderStage};
use std::ffi::CString;

/// A kernel for Vulkan.
pub struct Shader {
    pub words: Vec<u32>,
    pub entry: CString,
    pub bindings: Vec<Binding>,
}

/// A buffer of a shader's.
#[derive(Clone, Copy)]
pub struct Binding {
    pub group: u32,
    pub binding: u32,
    pub uniform: bool,
}

pub fn shader(kernel: &Kernel, caps: &Caps, version: (u8, u8)) -> Result<Shader> {
    let (mut module, _) = pipeline::as_given(kernel, caps)?;
    barriers::order(&mut module);
    let failed = |message: String| {
        let (kernel, device) = (kernel.name().to_string(), "naga".into());
        ErrorKind::Compile { kernel, device, message, at: None }
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| failed(error.into_inner().to_string()))?;
    let stage = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: kernel.entry().into() };
    let words = spv::write_vec(&module, &info, &options(kernel.is_trusted(), version), Some(&stage));
    let bindings = module.global_variables.iter().filter_map(|(_, global)| {
        let uniform = global.space == AddressSpace::Uniform;
        global.binding.map(|at| Binding { group: at.group, binding: at.binding, uniform })
    });
    Ok(Shader {
        words: words.map_err(|error| failed(error.to_string()))?,
        entry: CString::new(kernel.entry()).map_err(|error| failed(error.to_string()))?,
        bindings: bindings.collect(),
    })
}

fn options(trusted: bool, lang_version: (u8, u8)) -> spv::Options<'static> {
    let index = if trusted { BoundsCheckPolicy::Unchecked } else { BoundsCheckPolicy::Restrict };
    spv::Options {
        lang_version,
        flags: spv::WriterFlags::LABEL_VARYINGS,
        fake_missing_bindings: true, // which keeps group and binding
        bounds_check_policies: BoundsCheckPolicies { index, ..BoundsCheckPolicies::default() },
        zero_initialize_workgroup_memory: match trusted {
            true => spv::ZeroInitializeWorkgroupMemoryMode::None,
            false => spv::ZeroInitializeWorkgroupMemoryMode::Native,
        },
        force_loop_bounding: !trusted,
        emit_int_div_checks: !trusted,
        ..spv::Options::default()
    }
}
