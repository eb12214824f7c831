//! Every operation and every shader has cases: what has none would run unchecked on GPUs without a checked run.

use crate::gate::NARROW;
use crate::support::{spoil, stand_in};
use crosslane::op::Case;
use crosslane::ops::cases::ALL;
use crosslane::{Argument, Array, Device, Kernel};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of the library.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the library's").join(name)
}

/// The types that a folder's files implement `Op` for, but for those that only cases have.
fn implementations(folder: &Path, to: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            implementations(&path, to);
        } else if !path.ends_with("cases.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let name = |line: &str| Some(line.strip_prefix("impl Op for ")?.strip_suffix(" {")?.to_string());
            to.extend(text.lines().filter_map(name));
        }
    }
}

#[test]
fn every_operation_has_cases() {
    let mut all = BTreeSet::new();
    implementations(&folder("crates/ops/src"), &mut all);
    let caps = stand_in("native", u64::MAX).caps().clone();
    let cases = ALL.iter().flat_map(|(_, cases)| cases(&caps));
    let tried: BTreeSet<String> =
        cases.map(|case| case.type_name.rsplit("::").next().expect("a type has a name").to_string()).collect();
    assert!(all.len() > 10, "{all:?}");
    assert_eq!(all, tried);
}

/// A shader's first line is in the text of a kernel that small cases plan, or that the gate wants launched.
#[test]
fn every_shader_has_cases() {
    let files = fs::read_dir(folder("shaders")).unwrap().map(|entry| entry.unwrap().path());
    let shader = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let is_kernel = text.contains("@compute");
        is_kernel.then(|| (path.file_name().unwrap().display().to_string(), text.lines().next().unwrap().to_string()))
    };
    let mut open: Vec<(String, String)> =
        files.filter(|path| path.extension().is_some_and(|end| end == "wgsl")).filter_map(shader).collect();
    assert!(open.len() > 20, "{open:?}");
    for (caps, suits) in [
        (stand_in("native", u64::MAX).caps().clone(), (|_| true) as fn(&Case) -> bool),
        (stand_in("native", NARROW).caps().clone(), Case::runs),
        (stand_in("compiled", u64::MAX).caps().clone(), Case::runs),
        (Device::open("cpu:checked").unwrap().caps().clone(), |_| true),
    ] {
        for case in ALL.iter().flat_map(|(_, cases)| cases(&caps)).filter(suits) {
            for pass in case.op.plan(&caps).map_or(vec![], |plan| plan.passes) {
                open.retain(|(_, line)| !pass.kernel.source().contains(line));
            }
        }
    }
    let files: Vec<&str> = open.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(files, ["tail.wgsl"], "no case plans them; of these only the first is no operation's");
}

/// `shaders/tail.wgsl` is launched where a program's kernel is given an array that ends within a word.
#[test]
fn the_tail_of_an_array_is_cleared_with_all_checks() {
    let device = Device::open("cpu:checked").unwrap();
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x]; }",
    )
    .unwrap();
    for len in [1usize, 2, 3, 5, 63, 130] {
        let values: Vec<u8> = (0..len).map(|n| n as u8 + 1).collect();
        spoil(&device);
        let array = (Array::from_slice(&device, &values).cast::<u32>() + 1u32).cast::<u8>();
        array.eval().unwrap();
        let words = len.div_ceil(4);
        let mut output = Array::<u32>::zeros(&device, &[words]);
        kernel.grid([words as u32]).args((Argument::bytes_of(&array), &mut output)).launch(&device).unwrap();
        let mut wanted: Vec<u8> = values.iter().map(|value| value + 1).collect();
        wanted.resize(4 * words, 0);
        let got: Vec<u8> = output.to_vec().unwrap().iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(got, wanted, "{len}");
    }
}
