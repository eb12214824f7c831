//! The program `crosslane`: `check` and `run` with kernels and arrays from files, and what each mistake is told as.

#[cfg(all(feature = "cuda", feature = "cpu"))]
mod cards;
mod report;
#[path = "../../../tests/support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::{Command, Output};

const SAXPY: &str = "
override tile: u32 = 64;
struct Shift { by: f32 }
var<immediate> shift: Shift;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<uniform> factor: f32;
@group(1) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(tile)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] += factor * x[id.x] + shift.by; }
}
@compute @workgroup_size(1) fn other() { y[0] = 1.0; }
";

/// A folder of one test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().into()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }
}

/// The program, in the repository's folder.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosslane"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

fn crosslane(arguments: &[&str]) -> Output {
    program().args(arguments).env("RUST_LOG", "off").output().unwrap()
}

/// What it prints; it succeeds.
#[track_caller]
fn prints(arguments: &[&str]) -> String {
    let output = crosslane(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in:\n{text}"));
}

/// It fails with one message that names all of `parts`, and no panic.
#[track_caller]
fn fails(arguments: &[&str], parts: &[&str]) {
    let output = crosslane(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(text.contains("crosslane: ") && !text.contains("panicked") && !text.contains("src/cli"), "{text}");
    has(&text, parts);
}

/// A .npy file as NumPy writes it.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let header = format!("{header:<0$}\n", (header.len() + 11).next_multiple_of(64) - 11);
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn no_device() -> bool {
    let none = support::devices().is_empty();
    if none {
        support::say("skipped: no device");
    }
    none
}

#[test]
fn check_says_what_a_kernel_wants() {
    let folder = Folder::new("check");
    let file = folder.file("saxpy.wgsl", SAXPY);
    let text = prints(&["check", &file, "--entry", "saxpy", "--override", "tile=512"]);
    has(
        &text,
        &[
            "saxpy, workgroups of 512 x 1 x 1, 0 bytes of workgroup memory",
            "@group(0) @binding(0) var<storage, read> x: array<f32>, at least 4 bytes",
            "@group(0) @binding(1) var<uniform> factor: f32, at least 4 bytes",
            "@group(1) @binding(0) var<storage, read_write> y: array<f32>",
            "var<immediate>, 4 bytes",
            "override tile: u32 = 64",
            "needs no feature",
            "webgpu: workgroup of 512 invocations, limit 256; immediates of 4 bytes, limit 0",
            "nvidia-like: runs",
            "SPIR-V: ok, ",
            "MSL: ok, ",
            "HLSL: ok, ",
            "GLSL: ok, ",
        ],
    );
    assert!(!text.contains("sanitizer"));
    for (language, part) in
        [("msl", "kernel void saxpy"), ("hlsl", "numthreads(512, 1, 1)"), ("glsl", "local_size_x = 512")]
    {
        let text = prints(&["check", &file, "--entry", "saxpy", "--override", "tile=512", "--emit", language]);
        has(&text, &[part]);
    }
    let spirv = crosslane(&["check", &file, "--entry", "other", "--emit", "spirv"]);
    assert_eq!(spirv.stdout[..4], 0x0723_0203u32.to_le_bytes());
    let bind = ["--bind", "x=zeros:f32:9", "--bind", "factor=value:f32:2", "--bind", "y=zeros:f32:9"];
    let grid = ["check", &file, "--entry", "saxpy", "--immediate", "f32:1", "--grid", "1"];
    has(&prints(&[&grid[..], &bind].concat()), &["sanitizer: nothing found"]);
    let matrices = folder.file(
        "matrices.wgsl",
        "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> z: array<f64>;
        @compute @workgroup_size(32) fn main() {
            let c = coopLoadT<coop_mat8x8<f32, C>>(&x[0], 8u); coopStoreT(c, &x[0], 8u); z[0] = 1.0lf;
        }",
    );
    let text = prints(&["check", &matrices]);
    has(&text, &["needs 64-bit floats, cooperative matrices", "64-bit floats, not supported", "HLSL: ", "SPIR-V: ok"]);
}

#[test]
fn check_says_what_browsers_refuse() {
    let folder = Folder::new("check-browsers");
    let file = folder.file(
        "old.wgsl",
        "override n: u32; var<push_constant> by: u32;
@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
@compute @workgroup_size(n) fn main() { x[0] = by; }",
    );
    fails(&["check", &file], &["old.wgsl: override n has no default: wanted --override n=NUMBER"]);
    has(
        &prints(&["check", &file, "--override", "n=32"]),
        &[
            "main, workgroups of 32 x 1 x 1",
            "old.wgsl:1:22: var<push_constant>, which is taken as var<immediate>; write var<immediate>",
            "old.wgsl:3:41: an assignment to an atomic variable; write atomicStore(&x, value)",
        ],
    );
}

/// The CUDA text, what NVRTC says of it, and what has no CUDA form.
#[test]
#[cfg(feature = "cuda")]
fn check_shows_cuda() {
    let folder = Folder::new("check-cuda");
    let file = folder.file("saxpy.wgsl", SAXPY);
    let chosen = ["check", &file, "--entry", "saxpy", "--override", "tile=512"];
    let text = prints(&[&chosen[..], &["--emit", "cuda"]].concat());
    has(
        &text,
        &["extern \"C\" __global__ void __launch_bounds__(512) saxpy", "const f32* __restrict__ x, u64 x_bytes"],
    );
    let text = prints(&[&chosen[..], &["--arch", "sm_80"]].concat());
    let line = text.lines().find(|line| line.starts_with("CUDA: ")).expect("a line about CUDA");
    has(line, &["CUDA: ok, "]);
    // Where NVRTC is: figures of the architecture.
    match line.contains("not compiled: ") {
        true => {
            assert!(!support::is_required("nvrtc"), "{line}");
            has(line, &[if cfg!(windows) { "nvrtc64_120_0.dll" } else { "libnvrtc.so.12" }]);
        }
        false => has(line, &["; sm_80: ", " registers, 0 bytes of shared memory, 0 bytes spilled"]),
    }
    fails_to_parse(&[&chosen[..], &["--arch", "hopper"]].concat(), "wanted an architecture, as sm_90");
    let file = folder.file(
        "small.wgsl",
        "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(32) fn main() {
            coopStoreT(coopLoadT<coop_mat8x8<f32, C>>(&x[0], 8u), &x[0], 8u);
        }",
    );
    has(&prints(&["check", &file]), &["CUDA: line ", "coop"]);
    fails(&["check", &file, "--emit", "cuda"], &["CUDA: line "]);
}

/// Arguments that clap refuses.
#[track_caller]
#[cfg(any(feature = "cpu", feature = "cuda"))]
fn fails_to_parse(arguments: &[&str], part: &str) {
    let output = crosslane(arguments);
    assert_eq!(output.status.code(), Some(2));
    has(&String::from_utf8(output.stderr).unwrap(), &[part]);
}

/// The benchmark's rows, each checked against the host; one engine's table, and the same as JSON.
#[test]
#[cfg(feature = "cpu")]
fn bench_checks_and_times() {
    let folder = Folder::new("bench");
    let json = folder.path("rows.json");
    for (filter, ops) in
        [("first_use", vec!["first_use_cold", "first_use_warm"]), ("matmul", vec!["matmul_wgsl_f32", "TFLOP/s"])]
    {
        let text = prints(&["bench", "--quick", "--device", "cpu", "--filter", filter, "--json", &json]);
        has(&text, &ops);
        has(&std::fs::read_to_string(&json).unwrap(), &["\"engine\": \"cpu\"", ops[0]]);
    }
    fails(&["bench", "--device", "cpu", "--compare"], &["--compare: wanted a card that Vulkan and CUDA reach"]);
    fails(&["bench", "--device", "cpu", "--filter", "nothing of the kind"], &["no row's name contains"]);
}

/// What the guide says of the program.
const CHAPTER: &str = include_str!("../../../docs/guide/command_line.md");

/// The arguments of the guide's commands with this verb.
fn of_the_guide(verb: &str) -> Vec<Vec<String>> {
    let text = CHAPTER.replace("\\\n", " ");
    let commands =
        text.lines().filter_map(|line| line.strip_prefix("cargo run --release -p crosslane-cli --features cli -- "));
    let words = |command: &str| command.split_whitespace().map(String::from).collect::<Vec<_>>();
    commands.map(words).filter(|words| words[0] == verb).collect()
}

/// The guide's commands do what it says, from the repository's folder.
#[test]
fn commands_of_the_guide_work() {
    if no_device() {
        return;
    }
    let folder = Folder::new("guide");
    let output = |command: &[String]| {
        let command: Vec<String> = command.iter().map(|word| word.replace("y.npy", &folder.path("y.npy"))).collect();
        crosslane(&command.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let checks = of_the_guide("check");
    let [clean, race] = checks.as_slice() else { panic!("{checks:?}") };
    assert!(output(clean).status.success(), "{:?}", output(clean));
    if cfg!(feature = "cpu") {
        let shown = String::from_utf8(output(race).stderr).unwrap();
        let (_, report) = CHAPTER.split_once("```text\n").unwrap();
        has(&shown, &report.split_once("```").unwrap().0.lines().collect::<Vec<_>>());
    }
    let runs = of_the_guide("run");
    assert!(!runs.is_empty());
    for run in runs {
        let output = output(&run);
        assert!(output.status.success(), "{run:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(folder.0.join("y.npy").exists());
    }
}

/// The guide's export is a folder whose data say what the kernel wants; what WebGPU does not have is refused.
#[test]
#[cfg(feature = "cpu")]
fn export_writes_a_folder() {
    let folder = Folder::new("export");
    let web = folder.path("web");
    let exports = of_the_guide("export");
    let [command] = exports.as_slice() else { panic!("{exports:?}") };
    let command: Vec<&str> = command.iter().map(|word| if word == "web" { &web } else { word.as_str() }).collect();
    has(&prints(&command), &["export.json", &web]);
    let read = |name: &str| std::fs::read_to_string(format!("{web}/{name}")).unwrap();
    has(&read("replay.js"), &["export async function load"]);
    has(&read("index.html"), &["./replay.js"]);
    let export: crosslane::export::Export = serde_json::from_str(&read("export.json")).unwrap();
    let names: Vec<(&str, &str)> = export.arrays.iter().map(|a| (a.name.as_str(), a.dtype.as_str())).collect();
    assert_eq!((names, export.launches[0].grid), (vec![("x", "f32"), ("y", "f32")], [16, 1, 1]));
    assert_eq!(export.limits.max_compute_invocations_per_workgroup, 32);
    // `y` is read too, before it is written.
    assert_eq!(export.buffers.iter().map(|buffer| buffer.contents.len()).collect::<Vec<_>>(), [1, 1]);
    let kernel = folder.file(
        "wide.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<u64>;
        @compute @workgroup_size(1) fn main() { x[0] += 1lu; }",
    );
    fails(
        &["export", &kernel, "--bind", "x=zeros:u64:4", "--grid", "1", "--out", &web],
        &["64-bit integers", "webgpu"],
    );
}

/// A missing barrier: the two lines that race, each shown.
#[test]
#[cfg(feature = "cpu")]
fn check_finds_races() {
    let folder = Folder::new("race");
    let text = include_str!("../../../tests/wgsl/faulty/race_within.wgsl");
    let file = folder.file("race.wgsl", text);
    let bind = ["--bind", "input=arange:u32:64", "--bind", "output=zeros:u32:64"];
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).filter(|(_, line)| line.contains("FINDING")).collect();
    let [(first, write), (second, read)] = lines[..] else { panic!("two lines race") };
    let places = [format!("race.wgsl:{first}:"), format!("race.wgsl:{second}:")];
    let missing = "no workgroupBarrier() is between them";
    let command = [&["check", &file, "--grid", "1"], &bind[..]].concat();
    fails(&command, &["data race", missing, &places[0], &places[1], write, read, "`near`"]);
}

/// What is read past the end and dropped is told, and is no error; a grid that would run for hours is refused.
#[test]
#[cfg(feature = "cpu")]
fn check_tells_what_is_no_error() {
    let folder = Folder::new("guarded");
    let file = folder.file("guarded.wgsl", include_str!("../../../tests/wgsl/clean/guarded_select.wgsl"));
    let command =
        |grid| ["check", &file, "--grid", grid, "--bind", "input=arange:u32:100", "--bind", "output=zeros:u32:128"];
    let text = prints(&command("2"));
    has(&text, &["sanitizer: no defect", "loaded out of bounds, not used: index 100 of `input`", "guarded.wgsl:11:"]);
    let parts = ["281462092005375 workgroups of 64 invocations", "67108864", "--whole-grid"];
    fails(&command("65535,65535,65535"), &parts);
    // Asked for again, it goes on: here with a defect, which more workgroups than the output has room for find.
    fails(&[&command("3")[..], &["--whole-grid"]].concat(), &["out of bounds: index 128 of `output`"]);
}

/// What is looked for on request: found at its line with the option, and not without.
#[test]
#[cfg(feature = "cpu")]
fn check_finds_more_on_request() {
    let folder = Folder::new("request");
    let cases = [
        (
            "--nan",
            include_str!("../../../tests/wgsl/faulty/nan.wgsl"),
            "f32",
            "NaN: the result is NaN although no operand is NaN",
        ),
        (
            "--workgroup-unset",
            include_str!("../../../tests/wgsl/faulty/uninitialised_workgroup.wgsl"),
            "u32",
            "uninitialised memory: `sums` is read at index 32 before anything was written there",
        ),
    ];
    for (option, text, ty, found) in cases {
        let file = folder.file("kernel.wgsl", text);
        let line = 1 + text.lines().position(|line| line.contains("FINDING")).expect("a line is marked");
        let bind = ["input", "output"].map(|name| format!("{name}=zeros:{ty}:64"));
        let command = ["check", &file, "--grid", "1", "--bind", &bind[0], "--bind", &bind[1]];
        has(&prints(&command), &["sanitizer: nothing found"]);
        fails(&[&command[..], &[option]].concat(), &[found, &format!("kernel.wgsl:{line}:")]);
        let other = if option == "--nan" { "--workgroup-unset" } else { "--nan" };
        has(&prints(&[&command[..], &[other]].concat()), &["sanitizer: nothing found"]);
        // Without a grid nothing runs, and nothing could be found.
        fails_to_parse(&["check", &file, option], "--grid <X[,Y[,Z]]>");
    }
}

#[test]
fn check_tells_errors_as_a_compiler() {
    let folder = Folder::new("check-errors");
    let bad = folder.file("bad.wgsl", "@compute @workgroup_size(1)\nfn main() {\n    let x: u32 = 1.5;\n}\n");
    fails(&["check", &bad], &["bad.wgsl:3:", "let x: u32 = 1.5;", "error: "]);
    let syntax = folder.file("syntax.wgsl", "fn main( {");
    fails(&["check", &syntax], &["syntax.wgsl:1:10", "expected"]);
    let file = folder.file("saxpy.wgsl", SAXPY);
    fails(&["check", &file], &["saxpy.wgsl: entry: wanted one of saxpy, other, by name, got none"]);
    fails(&["check", &file, "--entry", "sax"], &["entry: wanted one of saxpy, other, got sax"]);
    fails(&["check", &file, "--entry", "saxpy", "--override", "tiles=3"], &["override: wanted one of tile, got tiles"]);
    fails(
        &["check", &file, "--entry", "saxpy", "--override", "tile"],
        &["--override: wanted NAME=NUMBER, got \"tile\""],
    );
    fails(
        &["check", &file, "--entry", "saxpy", "--override", "tile=-1"],
        &["override tile: wanted a value of type u32, got -1"],
    );
    let none = folder.path("none.wgsl");
    fails(&["check", &none], &[&format!("none.wgsl: {}", support::unopened(&none))]);
    fails(&["check", &folder.file("binary.wgsl", [0xff, 0xfe])], &["binary.wgsl: ", "UTF-8"]);
    assert_eq!(crosslane(&["check", &file, "--emit", "cobol"]).status.code(), Some(2));
}

/// A disk that is full leaves the file of the last run what it was. (Here it is a limit to files, which gives an error too.)
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_old_file() {
    let folder = Folder::new("full");
    let file = folder.file("fill.wgsl", SAXPY);
    let out = folder.file("y.npy", "of the last run");
    let y = format!("y={out}");
    let run = ["run", &file, "--entry", "other", "--device", "cpu", "--grid", "1", "--bind", "y=zeros:f32:65536"];
    let limited = ["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_crosslane")];
    let arguments = [&limited[..], &run, &["--out", &y]].concat();
    let output = Command::new("sh").args(arguments).env("RUST_LOG", "off").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("y.npy: File too large"), "{told}");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "of the last run");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2, "nothing is left beside it");
    prints(&[&run[..], &["--out", &y]].concat());
    assert_eq!(std::fs::metadata(&out).unwrap().len(), 128 + 4 * 65536);
}

/// A pipe where a device's tuning should be is passed over, and not waited for.
#[test]
#[cfg(target_os = "linux")]
fn a_pipe_as_tuning() {
    let folder = Folder::new("pipe");
    let _ = std::fs::remove_dir_all(folder.0.join("tuning"));
    std::fs::create_dir_all(folder.0.join("tuning")).unwrap();
    let pipe = folder.path("tuning/cpu-cpu.txt");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let file = folder.file("fill.wgsl", SAXPY);
    let run = ["run", &file, "--entry", "other", "--device", "cpu", "--grid", "1", "--bind", "y=zeros:f32:2"];
    let mut limited = Command::new("timeout");
    limited.args(["60", env!("CARGO_BIN_EXE_crosslane")]).args(run).env("CROSSLANE_CACHE", &folder.0);
    let output = limited.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "y: f32 [2]: 1 0\n", "{output:?}");
}

#[test]
fn run_reads_and_writes_arrays() {
    if no_device() {
        return;
    }
    let folder = Folder::new("run");
    let file = folder.file("saxpy.wgsl", SAXPY);
    let floats: Vec<f32> = (0..600).map(|i| i as f32 / 4.0).collect();
    let big: Vec<u8> = floats.iter().flat_map(|x| x.to_be_bytes()).collect();
    let x = folder.file("x.npy", npy(">f4", false, "(20, 30)", &big));
    let out = folder.path("y.npy");
    let (x, y) = (format!("x={x}"), format!("y={out}"));
    let base = ["run", &file, "--entry", "saxpy", "--override", "tile=32", "--grid", "19", "--immediate", "f32:0.5"];
    let bind = ["--bind", &x, "--bind", "factor=value:f32:2", "--bind", "y=arange:f32:20x30"];
    let arguments = [&base[..], &bind, &["--out", &y]].concat();
    assert_eq!(prints(&arguments), "");
    let little: Vec<u8> = (0..600).flat_map(|i| (i as f32 * 1.5 + 0.5).to_le_bytes()).collect();
    let written = std::fs::read(&out).unwrap();
    assert!(written.ends_with(&little) && written.starts_with(b"\x93NUMPY"));
    has(&String::from_utf8_lossy(&written), &["<f4", "(20, 30", "'fortran_order': False"]);
    // What was written can be read again, and printed.
    let again = format!("x={out}");
    let bind = ["--bind", &again, "--bind", "factor=value:f32:1", "--bind", "y=zeros:f32:600"];
    let text = prints(&[&base[..], &bind].concat());
    assert_eq!(text, "y: f32 [600]: 1 2.5 4 5.5 7 8.5 10 11.5 ..\n");
    let text = prints(&[&base[..], &bind, &["--time", "--device", "0"]].concat());
    has(&text, &["y: f32 [600]: 1 2.5 4", "time: ", " clock, "]);
}

/// A table with the kernel's line, its occupancy, and a trace for a viewer.
#[test]
fn profile_prints_where_the_time_goes() {
    if no_device() {
        return;
    }
    let folder = Folder::new("profile");
    let file = folder.file("saxpy.wgsl", SAXPY);
    let json = folder.path("trace.json");
    let kernel = ["--entry", "saxpy", "--grid", "16", "--immediate", "f32:0.5"];
    let bind = ["--bind", "x=arange:f32:1000", "--bind", "factor=value:f32:2", "--bind", "y=zeros:f32:1000"];
    let arguments =
        [&["profile", &file, "--runs", "6", "--trace", &json, "--device", "0"][..], &kernel, &bind].concat();
    let text = prints(&arguments);
    has(&text, &["launches by the ", "% of roofline", "device busy", "occupancy: ", " invocations a unit"]);
    let line = text.lines().find(|line| line.starts_with(&file)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line[file.len()..].split_whitespace().next(), Some("6"), "{text}");
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap().iter();
    assert_eq!(events.filter(|event| event["cat"] == "Launch" && event["name"] == file.as_str()).count(), 6);
    fails(&[&["profile", &file][..], &kernel[..2]].concat(), &["--grid: wanted the workgroups in each dimension"]);
    let nowhere = folder.path("none/trace.json");
    fails(&[&arguments[..4], &["--trace", &nowhere], &kernel, &bind].concat(), &["--trace ", "none/trace.json: "]);
}

#[test]
fn every_element_type_goes_there_and_back() {
    if no_device() {
        return;
    }
    let folder = Folder::new("types");
    // A kernel that leaves its words as they are, whatever they mean.
    let leave = |ty: &str, enable: &str| {
        let source = format!(
            "{enable}@group(0) @binding(0) var<storage, read_write> x: array<{ty}>;
            @compute @workgroup_size(1) fn main() {{ x[0] = x[0]; }}"
        );
        folder.file(&format!("{ty}.wgsl"), source)
    };
    let caps = crosslane::Device::new().unwrap().caps().clone();
    for (descr, name, ty, there) in [
        ("<f2", "f16", "f16", caps.f16),
        ("<f4", "f32", "f32", true),
        ("<f8", "f64", "f64", caps.f64),
        ("<i4", "i32", "i32", true),
        ("<i8", "i64", "i64", caps.i64),
        ("|u1", "u8", "u32", true),
        ("<u2", "u16", "u32", true),
        ("<u4", "u32", "u32", true),
        ("<u8", "u64", "u64", caps.i64),
        ("|b1", "bool", "u32", true),
    ] {
        let enable = if name == "f16" { "enable f16; " } else { "" };
        let file = leave(ty, enable);
        let random = format!("x=random:{name}:37");
        let (first, second) = (folder.path(&format!("{name}-1.npy")), folder.path(&format!("{name}-2.npy")));
        let (out, again, last) = (format!("x={first}"), format!("x={first}"), format!("x={second}"));
        let arguments = ["run", &file, "--grid", "1", "--bind", &random, "--out", &out];
        if !there {
            fails(&arguments, &["does not have"]);
            continue;
        }
        prints(&arguments);
        prints(&["run", &file, "--grid", "1", "--bind", &again, "--out", &last]);
        let bytes = std::fs::read(&first).unwrap();
        assert_eq!(bytes, std::fs::read(&second).unwrap(), "{name}");
        has(&String::from_utf8_lossy(&bytes), &[descr, "(37"]);
        has(&prints(&["run", &file, "--grid", "1", "--bind", &random]), &[&format!("x: {name} [37]: ")]);
    }
}

#[test]
fn run_says_which_argument_does_not_fit() {
    if no_device() {
        return;
    }
    let folder = Folder::new("run-errors");
    let file = folder.file("saxpy.wgsl", SAXPY);
    let base = ["run", &file, "--entry", "saxpy", "--grid", "1", "--immediate", "f32:0.5"];
    let fail = |more: &[&str], parts: &[&str]| fails(&[&base[..], more].concat(), parts);
    let all = |x: &str, parts: &[&str]| {
        let x = format!("x={x}");
        fail(&["--bind", &x, "--bind", "factor=value:f32:2", "--bind", "y=zeros:f32:9"], parts);
    };
    fail(
        &["--bind", "x=zeros:f32:9"],
        &["@group(0) @binding(1) var<uniform> factor: f32 is not bound: wanted --bind factor="],
    );
    fail(&["--bind", "z=zeros:f32:9"], &["--bind z: wanted one of x, factor, y"]);
    fail(&["--bind", "x"], &["--bind: wanted NAME=WHAT, got \"x\""]);
    fail(&["--bind", "x=zeros:f32:9", "--bind", "x=zeros:f32:9"], &["--bind x: wanted once"]);
    all("zeros:f33:9", &["--bind x: zeros:f33:9: wanted a type, one of f16 f32", "got \"f33\""]);
    all("zeros:f32:9y", &["wanted a shape, as 1024 or 64x64, got \"9y\""]);
    all("zeros:f32:4294967296x4294967296", &["wanted a shape"]);
    all("zeros:f32:4611686018427387904", &["--bind x: zeros:f32:"]);
    all("zeros:f32", &["wanted a .npy file, zeros:TYPE:SHAPE"]);
    all("value:u32:1,-1", &["wanted a value of u32, got \"-1\""]);
    all("zeros:u32:9", &["x: wanted array<f32>, got an array of u32"]);
    all("zeros:f32:0", &["x: wanted at least 4 bytes for array<f32>, got 0"]);
    let none = folder.path("none.npy");
    all(&none, &["--bind x: ", &format!("none.npy: {}", support::unopened(&none))]);
    all(&folder.file("text.npy", "hello"), &["text.npy: not a .npy file"]);
    all(&folder.file("s1.npy", npy("|S1", false, "(4,)", &[0; 4])), &["s1.npy: wanted elements of f16 f32", "got |S1"]);
    all(&folder.file("c32.npy", npy("<c32", false, "(1,)", &[0; 32])), &["got <c32"]);
    all(&folder.file("short.npy", npy("<f4", false, "(5,)", &[0; 16])), &["shape [5] of f32, got 16 bytes"]);
    all(
        &folder.file("huge.npy", npy("<f4", false, "(1152921504606846976,)", &[0; 4])),
        &["huge.npy: wanted the bytes"],
    );
    all(&folder.file("wide.npy", npy("<f4", false, "(4294967296, 4294967296, 2)", &[0; 4])), &["wide.npy: "]);
    all(&folder.file("bool.npy", npy("|b1", false, "(2,)", &[1, 2])), &["bool.npy: invalid value for bool"]);
    let bind = ["--bind", "x=zeros:f32:9", "--bind", "factor=value:f32:2", "--bind", "y=zeros:f32:9"];
    let with = |more: &[&str], parts: &[&str]| fail(&[&bind[..], more].concat(), parts);
    with(&["--out", "x=x.npy"], &["--out x: wanted one of y"]);
    with(&["--out", "y=/nowhere/y.npy"], &[&format!("/nowhere/y.npy: {}", support::unopened("/nowhere/y.npy"))]);
    with(&["--immediate", "u32:1"], &["--immediate: wanted 4 bytes, got 8"]);
    with(&["--immediate", "five"], &["--immediate five: wanted TYPE:VALUE"]);
    with(&["--device", "no such device"], &["no device for \"no such device\""]);
    fails(&[&["run", &file, "--entry", "saxpy"][..], &bind].concat(), &["--grid: wanted the workgroups"]);
    for (grid, part) in
        [("1,2,3,4", "--grid: wanted one to three counts"), ("x", "got \"x\""), ("4294967295", "grid: wanted at most")]
    {
        fails(
            &[&["run", &file, "--entry", "saxpy", "--immediate", "f32:1", "--grid", grid][..], &bind].concat(),
            &[part],
        );
    }
}

#[test]
fn tune_keeps_the_fastest() {
    let folder = Folder::new("tune");
    let crosslane = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).env("CROSSLANE_CACHE", &folder.0).env("RUST_LOG", "info").output().unwrap()
    };
    let tune = ["tune", "--quick", "--device", "cpu", "--filter", "reduce"];
    let kept = folder.0.join("tuning");
    let _ = std::fs::remove_dir_all(&kept);
    let output = crosslane(&[&tune[..], &["--dry-run"]].concat());
    assert!(output.status.success() && !kept.exists(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = crosslane(&tune);
    let (text, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    has(&text, &["built in", "fastest", "reduce", "GB/s", "kept in"]);
    has(&log, &["reduce = 8: ", "reduce = 4: ", "reduce = 16: "]);
    let file = std::fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    assert!(std::fs::read_to_string(&file).unwrap().contains("\nreduce = "));
    // What a program opens then follows it, and a line of another version does no harm.
    std::fs::write(&file, "reduce = 16\nreduce = 5\nnobody = 1\n").unwrap();
    let output = crosslane(&["bench", "--quick", "--device", "cpu", "--filter", "dot_f32"]);
    has(&String::from_utf8(output.stdout).unwrap(), &["tuned: reduce = 16", "dot_f32"]);
    fails(&["tune", "--device", "cpu", "--filter", "nothing"], &["wanted a part of one of reduce, scan"]);
}
