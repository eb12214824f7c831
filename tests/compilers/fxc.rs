//! Kernels' HLSL through Microsoft's FXC under Wine: what DX12 compiles with where `dxcompiler.dll` is not beside the program.
//!
//! FXC knows shader model 5.1, which has neither subgroups, 16-bit floats nor 64-bit integers. It refuses barriers of which it does not
//! see that all invocations reach them, and stores of all to one place.

use crate::hlsl::{Compiler, Text, text};
use crate::khronos::{Folder, Planned, kernels};
use crate::support::{is_required, say};
use crosslane::device::Caps;
use crosslane::op::Kernel;
use naga::back::hlsl::ShaderModel::V5_1;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Names a program that runs Windows' programs.
const WINE: &str = "CROSSLANE_WINE";

/// Names `d3dcompiler_47.dll`.
const LIBRARY: &str = "CROSSLANE_FXC";

/// One kernel in so many is compiled; one takes a second. All are by `CROSSLANE_FXC_EVERY=1`.
const SAMPLED: usize = 64;

/// What FXC has refused: the first of each is compiled always.
const REFUSED: [&str; 3] = ["sort: scatter by one digit", "top_k: Rows to Indices", "scan of [1] "];

/// What wgpu 30 tells of a DX12 device of binding tier 2 or 3 where FXC is the compiler.
fn caps() -> Caps {
    Caps::webgpu().with(|caps| {
        caps.timestamps = true;
        caps.immediate_bytes = 128;
        caps.workgroup_invocations = 1024;
        caps.workgroup_bytes = 32 << 10;
        caps.bindings = 16;
        caps.binding_bytes = (1 << 31) - 4;
        caps.buffer_bytes = (1 << 31) - 64;
        caps.offset_alignment = 16;
        caps.multiprocessors = 128;
    })
}

/// Says so where something is missing, and fails where it is required.
fn fxc(name: &str) -> Option<Compiler> {
    let [wine, library] = [WINE, LIBRARY].map(|name| std::env::var_os(name).map(PathBuf::from));
    let (Some(wine), Some(library)) = (wine, library) else {
        assert!(!is_required("fxc"), "CROSSLANE_REQUIRE names fxc: {WINE} and {LIBRARY} name no files");
        say(&format!("skipped: {WINE} and {LIBRARY} do not name Wine and FXC's library (.ci/setup installs both)"));
        return None;
    };
    let folder = Folder::new(name);
    let (program, source) = (folder.0.join("fxc.exe"), concat!(env!("CARGO_MANIFEST_DIR"), "/compilers/fxc.cpp"));
    let mut compiler = Command::new("x86_64-w64-mingw32-g++-posix");
    let built = compiler.args(["-std=c++17", "-static", "-o"]).arg(&program).arg(source).status();
    assert!(built.is_ok_and(|status| status.success()), "mingw-w64 does not build {source}");
    // Wine has a compiler of that name, which is another.
    let own = ["env", "WINEDLLOVERRIDES=d3dcompiler_47=n"].map(OsString::from);
    Some(Compiler { command: own.into_iter().chain([wine, program, library].map(OsString::from)).collect(), folder })
}

#[test]
fn kernels_compile_without_dxc() {
    let Some(fxc) = fxc("fxc") else { return };
    let every = std::env::var("CROSSLANE_FXC_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    let all: Vec<Planned> = kernels(&caps(), 1);
    let first = REFUSED.map(|name| all.iter().position(|(what, _)| what.contains(name)).expect("it is planned"));
    let all: Vec<&Planned> =
        all.iter().enumerate().filter(|(nth, _)| nth % every == 0 || first.contains(nth)).map(|(_, it)| it).collect();
    let texts: Vec<Text> = all.iter().map(|(_, kernel)| text(kernel, V5_1, false)).collect();
    let refused = fxc.refused(&texts);
    let shown: Vec<String> = refused.iter().take(8).map(|(nth, said)| format!("{}: {said}", all[*nth].0)).collect();
    assert!(refused.is_empty(), "FXC refuses {} of {}, such as {shown:#?}", refused.len(), all.len());
    say(&format!("FXC compiled {} kernels", all.len()));
}

/// naga writes no HLSL of immediates that are no structure: the library makes them one.
#[test]
fn immediates_of_any_type_compile() {
    let Some(fxc) = fxc("fxc-immediates") else { return };
    let kinds = [
        ("u32", "k"),
        ("f32", "k"),
        ("vec2<f32>", "k.y"),
        ("vec3<u32>", "k.z"),
        ("vec4<i32>", "k[lane & 3]"),
        ("mat2x2<f32>", "k[1][0]"),
    ];
    let kernel = |(kind, first): (&str, &str)| {
        Kernel::wgsl(&format!(
            "var<immediate> k: {kind};
            @group(0) @binding(0) var<storage, read_write> x: array<f32>;
            fn twice(at: u32, lane: u32) -> f32 {{
                var own = 2.0;
                if at > 3u {{ own = f32({first}); }}
                return own + f32({first});
            }}
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {{
                let kept = {first};
                for (var i = 0u; i < u32(kept); i++) {{ x[lane + i] = twice(lane, i) + f32({first}); }}
            }}"
        ))
        .unwrap()
    };
    let texts = kinds.map(|kind| text(&kernel(kind), V5_1, true));
    texts.iter().for_each(|(_, text)| assert!(text.contains("struct k_alone"), "{text}"));
    assert_eq!(fxc.refused(&texts), []);
}

/// The compiler is no stub: it refuses what is no HLSL.
#[test]
fn mistakes_are_refused_without_dxc() {
    let Some(fxc) = fxc("fxc-mistakes") else { return };
    let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let (entry, text) = text(&kernel, V5_1, true);
    let wrong = text.replacen('{', "{ int x = y;", 1);
    let refused = fxc.refused(&[(entry.clone(), text), (entry, wrong)]);
    assert!(refused.len() == 1 && refused[0].0 == 1 && refused[0].1.contains("undeclared identifier"), "{refused:?}");
}
