//! Kernels' HLSL through Microsoft's own compiler, DXC, with the arguments that wgpu gives it on Windows: to DXIL, which DX12's
//! drivers take.

use crate::hlsl::{Compiler, Text, text};
use crate::khronos::{Folder, Planned, kernels};
use crate::support::{is_required, say};
use crosslane::device::Caps;
use crosslane::op::Kernel;
use naga::back::hlsl::ShaderModel::V6_6;
use std::process::Command;

/// Names `libdxcompiler.so`.
const LIBRARY: &str = "CROSSLANE_DXC";

/// One kernel in so many is compiled; each takes 0.1 s. All are by `CROSSLANE_DXC_EVERY=1`.
const SAMPLED: usize = 48;

/// Says so where the library is not named, and fails where it is required.
fn dxc(name: &str) -> Option<Compiler> {
    let Some(library) = std::env::var_os(LIBRARY) else {
        assert!(!is_required("dxc"), "CROSSLANE_REQUIRE names dxc: {LIBRARY} names no file");
        say(&format!("skipped: {LIBRARY} does not name DXC's library (.ci/setup shows where it is to be had)"));
        return None;
    };
    let folder = Folder::new(name);
    let (program, source) = (folder.0.join("dxc"), concat!(env!("CARGO_MANIFEST_DIR"), "/compilers/dxc.cpp"));
    let built = Command::new("g++").args(["-std=c++17", "-o"]).arg(&program).args([source, "-ldl"]).status();
    assert!(built.is_ok_and(|status| status.success()), "g++ does not build {source}");
    Some(Compiler { command: vec![program.into(), library], folder })
}

#[test]
fn kernels_compile_for_direct_x() {
    let Some(dxc) = dxc("dxc") else { return };
    let every = std::env::var("CROSSLANE_DXC_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    for (what, caps) in [("the least that WebGPU promises", Caps::webgpu()), ("an Intel GPU", Caps::intel_like())] {
        let lacks = |(_, kernel): &Planned| ["coop_mat", "atomic<f32>"].iter().any(|it| kernel.source().contains(it));
        let all: Vec<Planned> = kernels(&caps, every).into_iter().filter(|planned| !lacks(planned)).collect();
        let texts: Vec<Text> = all.iter().map(|(_, kernel)| text(kernel, V6_6, true)).collect();
        let refused = dxc.refused(&texts);
        let shown: Vec<String> = refused.iter().take(8).map(|(nth, said)| format!("{}: {said}", all[*nth].0)).collect();
        assert!(refused.is_empty(), "DXC refuses {} of {} for {what}, such as {shown:#?}", refused.len(), all.len());
        say(&format!("DXC compiled {} kernels for {what}", all.len()));
    }
}

/// The compiler is no stub: it refuses what is no HLSL.
#[test]
fn mistakes_are_refused() {
    let Some(dxc) = dxc("dxc-mistakes") else { return };
    let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let (entry, text) = text(&kernel, V6_6, true);
    let wrong = text.replacen('{', "{ int x = y;", 1);
    let refused = dxc.refused(&[(entry.clone(), text), (entry, wrong)]);
    assert!(refused.len() == 1 && refused[0].0 == 1 && refused[0].1.contains("undeclared identifier"), "{refused:?}");
}
