//! Kernels' MSL before g++. `metal.hpp` stands for Metal: by it g++ judges names, overloads and types, and by its definitions kernels
//! run and are compared with what they mean. Apple's compiler is for Apple's systems only. What this does not judge: address spaces,
//! attributes, and what Metal's limits are.

mod run;
mod text;

use crate::emulation::available;
use crate::khronos::{Folder, Planned, kernels};
use crate::support::say;
use crosslane::device::Caps;
use crosslane::op::Kernel;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use text::{Msl, declared};

/// One kernel in so many is judged, and all of cooperative matrices.
const SAMPLED: usize = 4;

/// Kernels of a file: the declarations are read once for all of them.
const TOGETHER: usize = 64;

/// Metal has no doubles.
const FLAGS: [&str; 1] = ["-fsingle-precision-constant"];

/// `tests/compilers/metal`.
fn headers() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/compilers/metal").into()
}

/// Whether a kernel needs what no Apple GPU has.
fn lacks(kernel: &Kernel) -> bool {
    ["f64", "atomic<f32>"].iter().any(|word| kernel.source().contains(word))
}

/// What g++ says of these texts; nothing if it takes them all.
fn refused(folder: &Folder, name: &str, texts: &[String]) -> String {
    let file = folder.0.join(format!("{name}.cpp"));
    let mut whole = String::from("#include \"metal.hpp\"\n");
    texts.iter().enumerate().for_each(|(nth, text)| whole.write_str(&declared(nth, text)).unwrap());
    std::fs::write(&file, whole).unwrap();
    let mut command = Command::new("g++");
    command.args(FLAGS).args(["-std=c++17", "-fsyntax-only", "-w", "-fmax-errors=6", "-I"]).arg(headers());
    let output = command.arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() != said.contains("error"), "g++: {}: {said}", output.status);
    if output.status.success() { String::new() } else { said }
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
        let cooperates = |kernel: &Kernel| kernel.source().contains("coop_mat");
        let all: Vec<Planned> = kernels(&caps, 1)
            .into_iter()
            .enumerate()
            .filter(|(nth, (_, kernel))| nth % every == 0 || cooperates(kernel))
            .map(|(_, planned)| planned)
            .filter(|(_, kernel)| !lacks(kernel))
            .collect();
        let parts: Vec<&[Planned]> = all.chunks(TOGETHER).collect();
        for (part, planned) in parts.iter().enumerate() {
            let texts: Vec<String> = planned.iter().map(|(_, kernel)| Msl::new(kernel).text).collect();
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
