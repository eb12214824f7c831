//! Kernels' MSL before g++, which judges names, overloads and types by declarations of Metal's own: `metal.hpp`. Apple's compiler
//! is for Apple's systems only. What this does not judge: address spaces, attributes, and what Metal's limits are.

use crate::khronos::{Folder, Planned, kernels};
use crate::support::{is_required, say};
use crosslane::Kernel;
use crosslane::device::Caps;
use naga::back::msl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::fmt::Write;
use std::process::Command;

/// One kernel in so many is judged, and all of cooperative matrices.
const SAMPLED: usize = 4;

/// Kernels of a file: the declarations are read once for all of them.
const TOGETHER: usize = 64;

/// The text, as wgpu has naga write it.
fn msl(kernel: &Kernel) -> String {
    let module = naga::front::wgsl::parse_str(kernel.source()).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let options = msl::Options {
        lang_version: (3, 1),
        fake_missing_bindings: true,
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions::default();
    msl::write_string(&module, &info, &options, &pipeline).unwrap().0
}

/// The text in a namespace of its own: swizzles as calls, and of two functions that differ by an address space the second with one
/// parameter more.
fn judged(nth: usize, text: &str) -> String {
    let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("#include")).collect();
    let body = body
        .join("\n")
        .replace("    threadgroup A *atomic_ptr,", "    metal::in_threadgroup, threadgroup A *atomic_ptr,");
    let mut called = String::new();
    let mut rest = &body[..];
    while let Some(dot) = rest.find('.') {
        let (before, after) = rest.split_at(dot + 1);
        let word = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        called.push_str(before);
        called.push_str(&after[..word]);
        if (2..=4).contains(&word) && after[..word].bytes().all(|c| b"xyzw".contains(&c)) {
            called.push_str("()");
        }
        rest = &after[word..];
    }
    called.push_str(rest);
    format!("namespace kernel_{nth} {{\n#line 1 \"kernel_{nth}\"\n{called}\n}}\n")
}

/// What g++ says of these texts; nothing if it takes them all.
fn refused(folder: &Folder, name: &str, texts: &[String]) -> String {
    let file = folder.0.join(format!("{name}.cpp"));
    let mut whole = String::from("#include \"metal.hpp\"\n");
    texts.iter().enumerate().for_each(|(nth, text)| whole.write_str(&judged(nth, text)).unwrap());
    std::fs::write(&file, whole).unwrap();
    let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/compilers");
    let mut command = Command::new("g++");
    // Metal has no doubles.
    command.args(["-std=c++17", "-fsyntax-only", "-fsingle-precision-constant", "-w", "-fmax-errors=6", "-I", headers]);
    let output = command.arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() != said.contains("error"), "g++: {}: {said}", output.status);
    if output.status.success() { String::new() } else { said }
}

/// Says so where g++ is not there, and fails where it is required.
fn available() -> bool {
    let found = Command::new("g++").arg("--version").output().is_ok();
    assert!(found || !is_required("g++"), "CROSSLANE_REQUIRE names g++, which is not installed");
    if !found {
        say("skipped: g++ is not installed");
    }
    found
}

#[test]
fn kernels_have_the_types_of_metal() {
    if !available() {
        return;
    }
    let folder = Folder::new("metal");
    let every = std::env::var("CROSSLANE_METAL_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    for (nth, (what, caps)) in
        [("the least that WebGPU promises", Caps::webgpu()), ("an Apple GPU", Caps::apple_like())]
            .into_iter()
            .enumerate()
    {
        let has = |kernel: &Kernel, words: &[&str]| words.iter().any(|word| kernel.source().contains(word));
        let lacks = |kernel: &Kernel| has(kernel, &["f64", "atomic<f32>"]);
        let all: Vec<Planned> = kernels(&caps, 1)
            .into_iter()
            .enumerate()
            .filter(|(nth, (_, kernel))| nth % every == 0 || has(kernel, &["coop_mat"]))
            .map(|(_, planned)| planned)
            .filter(|(_, kernel)| !lacks(kernel))
            .collect();
        let parts: Vec<&[Planned]> = all.chunks(TOGETHER).collect();
        for (part, planned) in parts.iter().enumerate() {
            let texts: Vec<String> = planned.iter().map(|(_, kernel)| msl(kernel)).collect();
            let said = refused(&folder, &format!("{nth}_{part}"), &texts);
            let names: Vec<&str> = planned.iter().map(|(name, _)| &name[..]).collect();
            assert!(said.is_empty(), "for {what} g++ says of kernel_N, which are {names:#?}:\n{said}");
        }
        say(&format!("g++ found Metal's types in {} kernels for {what}", all.len()));
    }
}

/// The declarations are no stub: what Metal refuses is refused.
#[test]
fn mistakes_are_refused() {
    if !available() {
        return;
    }
    let folder = Folder::new("metal-mistakes");
    let of = |body: &str| vec![format!("using metal::uint;\nvoid f() {{ {body} }}\n")];
    assert_eq!(
        refused(
            &folder,
            "right",
            &of("metal::float3 a = metal::float3(1.0, metal::float4().zy); a.x = metal::exp(a.y);")
        ),
        ""
    );
    for (nth, (wrong, why)) in [
        ("uint a = b;", "was not declared"),
        ("metal::float3 a = metal::int3(1);", "conversion"),
        ("float a = metal::exp(1);", "no matching function"),
        ("metal::uint2 a = metal::uint3();", "conversion"),
        ("metal::uint a = as_type<metal::uint>(metal::half(1.0f));", "another length"),
        ("metal::atomic_uint a; metal::atomic_uint b = a;", "deleted"),
        ("metal::float2 a; a.z = 1.0;", "no member"),
    ]
    .into_iter()
    .enumerate()
    {
        let said = refused(&folder, &format!("wrong_{nth}"), &of(wrong));
        assert!(said.contains(why), "{wrong}: {said}");
    }
}
