//! Kernels' SPIR-V before Khronos' validator for the Vulkan that it is written for, and through its optimiser; their GLSL before
//! Khronos' compiler.
//!
//! The validator knows the rules of SPIR-V and Vulkan that drivers rely on and do not check.

use crate::support::{is_required, say};
use crosslane::device::Caps;
use crosslane::op::Case;
use crosslane::op::Kernel;
use crosslane::ops::cases::ALL;
use naga::back::{glsl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One kernel in so many is judged.
const SAMPLED: usize = 6;

/// What the optimiser of SPIRV-Tools 2023.1 makes of valid kernels of normalisations: it stores a value of one type in a variable of
/// another. What it was given passes the validator.
const KNOWN: &str = "type does not match Object <id>";

/// A kernel, and where it comes from.
pub type Planned = (String, Kernel);

/// One in so many of the kernels of all cases' plans.
pub fn kernels(caps: &Caps, every: usize) -> Vec<Planned> {
    let (mut seen, mut all) = (HashSet::new(), vec![]);
    for case in ALL.iter().flat_map(|(_, cases)| cases(caps)) {
        for pass in case.op.plan(caps).map_or(vec![], |plan| plan.passes) {
            if seen.insert(Case::identity(&pass.kernel)) {
                all.push((format!("{}, {}", case.what, pass.kernel.name()), pass.kernel));
            }
        }
    }
    all.into_iter().step_by(every).collect()
}

fn parsed(kernel: &Kernel) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(kernel.source()).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    (module, info)
}

/// Whether the tool is there; where it is required, that is no question.
fn has(tool: &str, package: &str, required: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    assert!(found || !is_required(required), "CROSSLANE_REQUIRE names {required}: {tool} is not installed");
    if !found {
        say(&format!("skipped: {tool} is not installed (apt install {package})"));
    }
    found
}

/// A folder of its own for a test's files, removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("crosslane-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a tool; what it says if it fails.
fn run(tool: &str, arguments: &[&str], file: &Path) -> Result<(), String> {
    let output = Command::new(tool).args(arguments).arg(file).output().unwrap();
    let said = || [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if output.status.success() { Ok(()) } else { Err(format!("{tool}: {}", said())) }
}

/// Judges all, side by side; the defects, of which some are shown.
fn none(kernels: &[Planned], judge: impl Fn(usize, &Kernel) -> Result<(), String> + Sync) {
    let one = |(nth, (what, kernel)): (usize, &Planned)| {
        judge(nth, kernel).err().map(|said| format!("{what}: {}", said.lines().take(4).collect::<Vec<_>>().join("\n")))
    };
    let wrong: Vec<String> = kernels.par_iter().enumerate().filter_map(one).collect();
    let shown: Vec<&String> = wrong.iter().take(10).collect();
    assert!(wrong.is_empty(), "{} of {} are refused, such as {shown:#?}", wrong.len(), kernels.len());
}

/// As wgpu writes it for Vulkan of this version.
fn spirv(kernel: &Kernel, lang_version: (u8, u8)) -> Vec<u8> {
    let (module, info) = parsed(kernel);
    let options = spv::Options {
        lang_version,
        flags: spv::WriterFlags::LABEL_VARYINGS,
        fake_missing_bindings: true, // which keeps group and binding
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        emit_int_div_checks: false,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let stage =
        spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: kernel.entry().to_string() };
    let words = spv::write_vec(&module, &info, &options, Some(&stage)).unwrap();
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn spirv_is_valid_for_vulkan() {
    if !has("spirv-val", "spirv-tools", "spirv-tools") {
        return;
    }
    let folder = Folder::new("spirv");
    for (caps, target, version) in [(Caps::webgpu(), "vulkan1.1", (1, 3)), (Caps::amd_like(), "vulkan1.3", (1, 6))] {
        let mut all = kernels(&caps, SAMPLED);
        // SPV_KHR_cooperative_matrix is of June 2023: Debian 12's tools are older.
        all.retain(|(_, kernel)| !kernel.source().contains("coop_mat"));
        none(&all, |nth, kernel| {
            let [file, smaller] = ["spv", "opt"].map(|end| folder.0.join(format!("{target}-{nth}.{end}")));
            std::fs::write(&file, spirv(kernel, version)).unwrap();
            run("spirv-val", &["--target-env", target], &file)?;
            // The optimiser is a compiler's middle: it must take it, and give what is valid.
            if nth % 3 == 0 {
                let to = smaller.display().to_string();
                run("spirv-opt", &["-O", &format!("--target-env={target}"), "-o", &to], &file)?;
                match run("spirv-val", &["--target-env", target], &smaller) {
                    Err(said) if said.contains(KNOWN) && kernel.name().contains(" to ") => {}
                    judged => judged?,
                }
            }
            Ok(())
        });
        say(&format!("spirv-val: {} kernels for {target}", all.len()));
    }
}

/// As wgpu writes it for OpenGL ES 3.1, the least that it runs kernels on.
fn glsl(kernel: &Kernel) -> String {
    let (module, info) = parsed(kernel);
    let options =
        glsl::Options { version: glsl::Version::Embedded { version: 310, is_webgl: false }, ..Default::default() };
    let (shader_stage, entry_point) = (naga::ShaderStage::Compute, kernel.entry().to_string());
    let pipeline = glsl::PipelineOptions { shader_stage, entry_point, multiview: None };
    let (mut text, policies) = (String::new(), naga::proc::BoundsCheckPolicies::default());
    let writer = glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies);
    writer.and_then(|mut writer| writer.write()).unwrap();
    text
}

#[test]
fn glsl_is_taken_by_the_reference_compiler() {
    if !has("glslangValidator", "glslang-tools", "glslang") {
        return;
    }
    let folder = Folder::new("glsl");
    let every = std::env::var("CROSSLANE_GLSL_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    let mut all = kernels(&Caps::webgpu(), every);
    // What OpenGL does not have.
    all.retain(|(_, kernel)| {
        !["f16", "f64", "i64", "u64", "atomic<f32>"].iter().any(|it| kernel.source().contains(it))
    });
    let file = |nth: usize| folder.0.join(format!("{nth}.comp"));
    let nths: Vec<usize> = (0..all.len()).collect();
    nths.par_iter().for_each(|&nth| std::fs::write(file(nth), glsl(&all[nth].1)).unwrap());
    // Many by one process, which makes its built-in functions once: those of a batch that is refused then one by one.
    let refused = nths.par_chunks(32).filter(|batch| {
        let files: Vec<PathBuf> = batch.iter().map(|&nth| file(nth)).collect();
        !Command::new("glslangValidator").args(files).output().unwrap().status.success()
    });
    let suspects: HashSet<usize> = refused.flatten_iter().copied().collect();
    none(&all, |nth, _| if suspects.contains(&nth) { run("glslangValidator", &[], &file(nth)) } else { Ok(()) });
    say(&format!("glslang: {} kernels for OpenGL ES 3.1", all.len()));
    let wrong = folder.0.join("wrong.comp");
    std::fs::write(&wrong, glsl(&all[0].1).replace("void main() {", "void main() { uint x = y;")).unwrap();
    let said = run("glslangValidator", &[], &wrong).unwrap_err();
    assert!(said.contains("undeclared identifier"), "{said}");
}
