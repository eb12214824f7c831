//! A kernel in the languages that drivers accept: by naga, except for CUDA.

use super::{Outcome, caught};
use crosslane::Kernel;
use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

/// A language that drivers accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Vulkan.
    Spirv,
    /// Metal.
    Msl,
    /// DX12.
    Hlsl,
    /// GL.
    Glsl,
    /// NVIDIA's cards without Vulkan: by this library.
    #[cfg(feature = "cuda")]
    Cuda,
}

impl Language {
    /// The languages that naga writes.
    pub const NAGA: [Language; 4] = [Language::Spirv, Language::Msl, Language::Hlsl, Language::Glsl];

    pub fn name(self) -> &'static str {
        match self {
            Language::Spirv => "SPIR-V",
            Language::Msl => "MSL",
            Language::Hlsl => "HLSL",
            Language::Glsl => "GLSL",
            #[cfg(feature = "cuda")]
            Language::Cuda => "CUDA",
        }
    }
}

/// The kernel's text in a language, with the values of its overrides; SPIR-V is bytes.
pub fn translate(kernel: &Kernel, language: Language) -> Outcome<Vec<u8>> {
    let module = kernel.module()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module)?;
    // naga's writers panic on some of what their languages do not have.
    caught(|| match language {
        Language::Spirv => spirv(&module, &info, kernel.entry()),
        Language::Msl => metal(&module, &info, kernel.entry()),
        Language::Hlsl => direct_x(&module, &info, kernel.entry()),
        Language::Glsl => open_gl(&module, &info, kernel.entry()),
        #[cfg(feature = "cuda")]
        Language::Cuda => Ok(super::cuda::source(kernel, crosslane::cuda::CudaOptions::here())?.text.into_bytes()),
    })?
}

fn spirv(module: &Module, info: &ModuleInfo, entry: &str) -> Outcome<Vec<u8>> {
    let options = spv::Options { lang_version: (1, 3), ..Default::default() };
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.into() };
    let words = spv::write_vec(module, info, &options, Some(&pipeline))?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn metal(module: &Module, info: &ModuleInfo, entry: &str) -> Outcome<Vec<u8>> {
    let options = msl::Options { lang_version: (3, 1), ..Default::default() };
    let entry_point = Some((ShaderStage::Compute, entry.into()));
    let pipeline = msl::PipelineOptions { entry_point, ..Default::default() };
    Ok(msl::write_string(module, info, &options, &pipeline)?.0.into_bytes())
}

fn direct_x(module: &Module, info: &ModuleInfo, entry: &str) -> Outcome<Vec<u8>> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_6,
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget { space: 9, ..Default::default() }),
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry.into())) };
    let mut text = String::new();
    hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None)?;
    Ok(text.into_bytes())
}

fn open_gl(module: &Module, info: &ModuleInfo, entry: &str) -> Outcome<Vec<u8>> {
    let options = glsl::Options { version: glsl::Version::Desktop(460), ..Default::default() };
    let pipeline =
        glsl::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.into(), multiview: None };
    let mut text = String::new();
    let policies = BoundsCheckPolicies::default();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)?.write()?;
    Ok(text.into_bytes())
}
