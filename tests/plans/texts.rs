//! Kernels' text in every driver's language.

use crosslane::device::Caps;
use crosslane::op::Plan;
use naga::Module;
use naga::back::{glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::collections::{HashMap, HashSet};

/// The features that a device with these capabilities would give naga.
fn capabilities(caps: &Caps) -> Capabilities {
    let mut all = Capabilities::default();
    all.set(Capabilities::SHADER_FLOAT16, caps.f16);
    all.set(Capabilities::FLOAT64, caps.f64);
    all.set(Capabilities::SHADER_INT64, caps.i64);
    all.set(Capabilities::SHADER_FLOAT32_ATOMIC, caps.atomic_f32);
    all.set(Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER, caps.subgroups.is_some());
    all.set(Capabilities::SHADER_FLOAT16_IN_FLOAT32, true);
    all.set(Capabilities::COOPERATIVE_MATRIX, caps.tensor.is_some());
    all.set(Capabilities::IMMEDIATES, caps.immediate_bytes > 0);
    all
}

fn parse(what: &str, source: &str) -> Module {
    naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{what}: {}\n{source}", error.emit_to_string(source)))
}

fn validate(what: &str, source: &str, module: &Module, caps: &Caps) -> ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities(caps));
    validator.validate(module).unwrap_or_else(|error| panic!("{what}: {}\n{source}", error.emit_to_string(source)))
}

/// Writes the kernel in every language. HLSL and MSL have no f64 and GLSL neither f16 nor 64-bit integers as naga
/// writes them; MSL and GLSL of the presets that have those types are never asked for.
fn write(what: &str, entry: &str, source: &str, module: &Module, info: &ModuleInfo) {
    let stage = naga::ShaderStage::Compute;
    let options = spv::Options { lang_version: (1, 3), ..Default::default() };
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: entry.into() };
    let words =
        spv::write_vec(module, info, &options, Some(&pipeline)).unwrap_or_else(|e| panic!("{what}: SPIR-V: {e}"));
    assert_eq!(words[0], 0x0723_0203, "{what}");
    let (f16, f64, i64) =
        (source.contains("f16"), source.contains("f64"), source.contains("i64") || source.contains("u64"));
    if source.contains("atomic<f32>") {
        return; // Vulkan's and CUDA's only
    }
    if !f64 {
        let options = msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..Default::default() };
        let text = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
        assert!(text.unwrap_or_else(|e| panic!("{what}: MSL: {e}")).0.contains("kernel void"), "{what}");
    }
    if source.contains("coop_mat") {
        return; // Vulkan's, Metal's and CUDA's only
    }
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_2,
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget { space: 9, ..Default::default() }),
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: Some((stage, entry.into())) };
    let mut text = String::new();
    let result = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
    result.unwrap_or_else(|e| panic!("{what}: HLSL: {e}"));
    assert!(text.contains("numthreads"), "{what}");
    if !f16 && !f64 && !i64 {
        let options =
            glsl::Options { version: glsl::Version::Embedded { version: 310, is_webgl: false }, ..Default::default() };
        let pipeline = glsl::PipelineOptions { shader_stage: stage, entry_point: entry.into(), multiview: None };
        let mut text = String::new();
        let policies = naga::proc::BoundsCheckPolicies::default();
        let result =
            glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies).and_then(|mut w| w.write());
        result.unwrap_or_else(|e| panic!("{what}: GLSL: {e}"));
        assert!(text.contains("local_size_x"), "{what}");
    }
}

/// The texts that were written: the languages are the same on all kinds of hardware, of which each has features of its own.
#[derive(Default)]
pub struct Texts(HashMap<String, Module>);

impl Texts {
    /// Each kernel once: many plans share one.
    pub fn check_kernels<'a>(&mut self, caps: &Caps, plans: impl Iterator<Item = (&'a str, Plan)>) {
        let mut seen = HashSet::new();
        for (what, plan) in plans {
            for pass in plan.passes {
                let source = pass.kernel.source();
                if !seen.insert(source.to_string()) {
                    continue;
                }
                if let Some(module) = self.0.get(source) {
                    validate(what, source, module, caps);
                } else {
                    let module = parse(what, source);
                    let info = validate(what, source, &module, caps);
                    write(what, pass.kernel.entry(), source, &module, &info);
                    self.0.insert(source.to_string(), module);
                }
            }
        }
        assert!(!seen.is_empty());
    }
}
