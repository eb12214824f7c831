//! Kernels and cases on Dawn, the WebGPU of Chromium, where Tint compiles WGSL instead of naga: as exports, which `replay.js` runs
//! under Node, or in the browser itself.

use crate::support::{is_required, say};
use crosslane::array::PadMode;
use crosslane::device::Caps;
use crosslane::export::{Export, ExportedKernel, Exporter};
use crosslane::kernel::Access;
use crosslane::op::Case;
use crosslane::ops::cases::{ALL, Cases};
use crosslane::{Array, Device, Kernel, Recording, axes};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, process};

/// One small case in so many runs, and not one of each operation: SwiftShader takes half a second to compile a kernel.
const EVERY: &str = "CROSSLANE_DAWN_EVERY";

/// A folder for what goes to Dawn and comes back.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = env::temp_dir().join(format!("crosslane-dawn-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file of a line of JSON for each.
    fn write<T: Serialize>(&self, name: &str, all: impl Iterator<Item = T>) {
        let mut file = BufWriter::new(File::create(self.file(name)).unwrap());
        for one in all {
            serde_json::to_writer(&mut file, &one).unwrap();
            file.write_all(b"\n").unwrap();
        }
        file.flush().unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where Dawn runs: what names it in the environment, and the script that asks it.
const HOSTS: [(&str, &str); 2] = [("CROSSLANE_CHROMIUM", "browser.mjs"), ("CROSSLANE_DAWN", "node.mjs")];

/// Dawn, and what its adapter has.
struct Dawn {
    script: &'static str,
    /// A browser's program, or a folder with the npm package.
    place: String,
    caps: Caps,
}

impl Dawn {
    /// None where it is not installed, which is said.
    fn find() -> Option<Dawn> {
        let Some((place, script)) = HOSTS.iter().find_map(|(name, script)| Some((env::var(name).ok()?, *script)))
        else {
            assert!(!is_required("dawn"), "CROSSLANE_REQUIRE names dawn, and CROSSLANE_DAWN no folder");
            say(
                "skipped Dawn: CROSSLANE_DAWN names no folder with the npm package `webgpu`, CROSSLANE_CHROMIUM no browser",
            );
            return None;
        };
        let mut dawn = Dawn { script, place, caps: Caps::webgpu() };
        let adapter: Value = serde_json::from_str(&dawn.ask(&["caps"])).unwrap();
        say(&format!("Dawn by {script} on {}", adapter["info"]));
        dawn.caps = caps(&adapter);
        Some(dawn)
    }

    /// Whether its adapter gives 0 for results too small for a normal number: the double of one.
    fn flushes(&self) -> bool {
        let device = Device::open("cpu:webgpu").unwrap();
        let x = Array::full(&device, &[64], 2e-39f32).copy();
        x.eval().unwrap();
        let doubled = &x + &x;
        let recording = Recording::of(&[&doubled]).unwrap();
        let export = recording.export("doubled").input("x", &x).output("y", &doubled).finish().unwrap();
        let result = replay(self, &Scratch::new("doubled"), [export].into_iter()).remove(0).unwrap();
        let got: &[f32] = bytemuck::cast_slice(&result[0]);
        assert!(got[0] == 0.0 || got[0] == 4e-39, "{}", got[0]);
        got[0] == 0.0
    }

    /// What a command of `commands.mjs` tells. It runs on the software driver that Dawn accepts, if there is one.
    fn ask(&self, arguments: &[&str]) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/webgpu").join(self.script);
        let mut node = Command::new("node");
        node.arg(script).arg(&self.place).args(arguments);
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            let all = env::var(name).unwrap_or_default();
            if let Some(swiftshader) = all.split(':').find(|file| file.contains("swiftshader")) {
                node.env(name, swiftshader);
            }
        }
        let ran = node.output().unwrap_or_else(|error| panic!("node: {error}"));
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }
}

/// A device's capabilities as its adapter states them.
fn caps(adapter: &Value) -> Caps {
    let limit = |name: &str| adapter["limits"][name].as_u64().unwrap();
    let has = |name: &str| adapter["features"].as_array().unwrap().iter().any(|feature| feature == name);
    let size = |name: &str| adapter["info"][name].as_u64().unwrap() as u32;
    Caps::webgpu().with(|caps| {
        caps.f16 = has("shader-f16");
        caps.subgroups = has("subgroups").then(|| (size("subgroupMinSize"), size("subgroupMaxSize")));
        caps.workgroup_invocations = limit("maxComputeInvocationsPerWorkgroup") as u32;
        caps.workgroup_bytes = limit("maxComputeWorkgroupStorageSize") as u32;
        caps.bindings = limit("maxStorageBuffersPerShaderStage") as u32;
        caps.binding_bytes = limit("maxStorageBufferBindingSize");
        caps.buffer_bytes = limit("maxBufferSize");
    })
}

/// What each line of exports gives: outputs' bytes in order, or what went wrong.
fn replay(dawn: &Dawn, scratch: &Scratch, all: impl Iterator<Item = Export>) -> Vec<Result<Vec<Vec<u8>>, String>> {
    scratch.write("exports", all);
    let replay =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the library's").join("src/export/web/replay.js");
    let told = dawn.ask(&["run", &scratch.file("exports"), &replay.display().to_string()]);
    let bytes = |digits: &Value| -> Vec<u8> {
        let digits = digits.as_str().expect("digits");
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    };
    let answer = |line: &str| {
        let answer: Value = serde_json::from_str(line).unwrap();
        match answer["error"].as_str() {
            Some(error) => Err(error.to_string()),
            None => Ok(answer["outputs"].as_array().expect("outputs or an error").iter().map(bytes).collect()),
        }
    };
    told.lines().map(answer).collect()
}

fn export(case: &Case, caps: &Caps, contents: &[Vec<u8>]) -> Export {
    let plan = case.op.plan(caps);
    plan.and_then(|plan| Export::of_plan(&case.what, &case.op.slots(), contents, &plan))
        .unwrap_or_else(|error| panic!("{}: {error}", case.what))
}

/// Cases' kernels, each text once.
fn kernels(caps: &Caps, texts: &mut HashSet<String>) -> Vec<ExportedKernel> {
    let cases = ALL.iter().flat_map(|(_, cases)| cases(caps));
    let kernels = cases.flat_map(|case| export(&case, caps, &[]).kernels);
    kernels.filter(|kernel| texts.insert(kernel.wgsl.clone())).collect()
}

/// All kernels of all cases, for this adapter, which has subgroups, and for the least that WebGPU promises.
#[test]
fn tint_compiles_every_kernel() {
    let Some(dawn) = Dawn::find() else { return };
    let (scratch, mut texts) = (Scratch::new("kernels"), HashSet::new());
    let all = [&dawn.caps, &Caps::webgpu()].map(|caps| kernels(caps, &mut texts));
    scratch.write("kernels", all.iter().flatten());
    let refused = dawn.ask(&["compile", &scratch.file("kernels")]);
    say(&format!("Tint compiled {} kernels", texts.len()));
    assert!(texts.len() > 1000 && refused.is_empty(), "{refused}");
}

#[test]
fn cases_run_on_dawn() {
    let Some(dawn) = Dawn::find() else { return };
    let small = |cases: &Cases| cases(&dawn.caps).into_iter().filter(|case| case.runs() && case.is_judged());
    // Not the first of an operation, which are the simplest.
    let one = |cases: &Cases| small(cases).nth(small(cases).count() / 3);
    let cases: Vec<Case> = match env::var(EVERY).ok().map(|every| every.parse().expect("one case in how many")) {
        None => ALL.iter().filter_map(|(_, cases)| one(cases)).collect(),
        Some(every) => ALL.iter().flat_map(|(_, cases)| small(cases)).step_by(every).collect(),
    };
    let exports = cases.iter().map(|case| export(case, &dawn.caps, &case.slots()));
    let (flushes, results) = (dawn.flushes(), replay(&dawn, &Scratch::new("cases"), exports));
    assert_eq!(results.len(), cases.len());
    let failures: Vec<String> =
        cases.iter().zip(results).filter_map(|(case, result)| wrong(flushes, case, result)).collect();
    let kept = if flushes { "zeros" } else { "kept" };
    say(&format!("{} cases ran on Dawn, where results too small for a normal number are {kept}", cases.len()));
    assert!(failures.is_empty(), "{} of {}: {:#?}", failures.len(), cases.len(), &failures[..failures.len().min(10)]);
}

/// What is wrong with a case's outputs.
fn wrong(flushes: bool, case: &Case, result: Result<Vec<Vec<u8>>, String>) -> Option<String> {
    let told = |wrong: String| format!("{}: {wrong}", case.what);
    let outputs = match result {
        Ok(outputs) => outputs,
        Err(error) => return Some(told(error)),
    };
    let (slots, mut got) = (case.op.slots(), case.slots());
    let written = slots.iter().zip(&mut got).filter(|(slot, _)| slot.access == Access::Write);
    for ((slot, to), mut output) in written.zip(outputs) {
        output.truncate(slot.len * slot.dtype.size());
        *to = output;
    }
    if flushes { case.wrong_where_flushed(got) } else { case.wrong(got) }.map(told)
}

/// Recordings of arrays and of a program's kernel, as a page gets them: with the results that the library has.
#[test]
fn recordings_run_on_dawn() {
    let Some(dawn) = Dawn::find() else { return };
    let device = Device::open("cpu:webgpu").unwrap();
    let host: Vec<f32> = (0..1200).map(|i| (i * 7919 % 1201) as f32 / 64.0).collect();
    let image = Array::from_shape(&device, &[30, 40], &host);
    image.eval().unwrap();
    let arrays = [
        image.gaussian_filter(2.0, [0, 1], PadMode::Edge) + 1.0,
        (&image * 2.0).sum_axes(axes(1)),
        image.reshape(&[1200]).sort(),
        image.matmul(&image.transpose()),
    ];
    let kernel = Kernel::wgsl_with(
        "override factor: f32;
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @group(1) @binding(0) var<uniform> shift: vec2<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&x) { y[id.x] = factor * x[id.x] + shift.y + y[id.x]; }
        }",
        None,
        &[("factor", 3.0)],
    )
    .unwrap();
    let mut added = Array::full(&device, &[1200], 0.5f32).copy();
    let mut own = Recording::new(&device);
    own.add(kernel.for_elements(1200).args((&image, &mut added, [0.0f32, 0.25]))).unwrap();
    let exported = |recording: &Recording, name, y: &Array<f32>| {
        recording.export(name).input("x", &image).output("y", y).finish().unwrap()
    };
    let mut exports: Vec<Export> = arrays
        .iter()
        .enumerate()
        .map(|(nth, y)| exported(&Recording::of(&[y]).unwrap(), ["a", "b", "c", "d"][nth], y))
        .collect();
    exports.push(exported(&own, "own", &added));
    own.run().unwrap();
    assert_eq!(added.to_vec().unwrap()[1], 3.0 * host[1] + 0.75);
    let folder = Scratch::new("folder");
    exports[0].write_folder(&folder.0).unwrap();
    let written = |name: &str| fs::read_to_string(folder.file(name)).unwrap();
    assert_eq!(serde_json::from_str::<Export>(&written("export.json")).unwrap(), exports[0]);
    assert!(written("index.html").contains("./replay.js") && !written("index.html").contains("http"));
    // As a file has them.
    let read = exports.iter().map(|export| serde_json::from_str(&serde_json::to_string(export).unwrap()).unwrap());
    let results = replay(&dawn, &Scratch::new("recordings"), read);
    assert_eq!(results.len(), exports.len());
    for ((export, result), wanted) in exports.iter().zip(results).zip(arrays.iter().chain([&added])) {
        let result = result.unwrap_or_else(|error| panic!("{}: {error}", export.name));
        let got: &[f32] = bytemuck::cast_slice(&result[0]);
        let wanted = wanted.to_vec().unwrap();
        assert_eq!(got.len(), wanted.len());
        // Sums in another order: relative to the largest, as all are positive.
        let largest = wanted.iter().fold(0.0f32, |most, &x| most.max(x));
        assert!(got.iter().zip(&wanted).all(|(a, b)| (a - b).abs() <= 1e-5 * largest), "{}", export.name);
    }
}

/// What an export refuses, and that it says why. It needs no Dawn.
#[test]
fn exports_refuse_what_webgpu_does_not_have() {
    let device = Device::open("cpu:native").unwrap();
    let mut x = Array::<u32>::zeros(&device, &[64]);
    let text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() { x[0] = u32(f64(x[1]) * 0.5lf); }";
    let mut recording = Recording::new(&device);
    recording.add(Kernel::wgsl(text).unwrap().grid([1]).args((&mut x,))).unwrap();
    let error = recording.export("refused").output("x", &x).finish().unwrap_err().to_string();
    assert!(error.contains("64-bit floats") && error.contains("WebGPU"), "{error}");
    let plus = &Array::<f32>::ones(&device, &[8]).copy() + 1.0;
    let error = Recording::of(&[&plus]).unwrap().export("refused").finish().unwrap_err().to_string();
    assert!(error.contains("immediates") && error.contains("WebGPU's limits"), "{error}");
    let device = Device::open("cpu:webgpu").unwrap();
    let (x, other) = (Array::<f32>::ones(&device, &[8]).copy(), Array::<f32>::ones(&device, &[8]).copy());
    [&x, &other].iter().for_each(|array| array.eval().unwrap());
    let y = &x + 1.0;
    let recording = Recording::of(&[&y]).unwrap();
    let told = |exporter: Exporter| exporter.finish().unwrap_err().to_string();
    assert!(told(recording.export("a").input("other", &other)).contains("none of them uses"));
    assert!(told(recording.export("a").input("x", &x).output("x", &y)).contains("no other array"));
    assert!(told(recording.export("a").input("x", &x.flip(0))).contains("without gaps"));
    let elsewhere = Array::<f32>::ones(&Device::open("cpu:webgpu").unwrap(), &[8]).copy();
    assert!(told(recording.export("a").input("x", &elsewhere)).contains("recording's device"));
}
