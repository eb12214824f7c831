//! Cards of a CUDA driver that a test compiles: it answers questions about one card, and nothing runs on it.

use super::{Folder, has, program, support::say};
use std::path::Path;
use std::process::Command;

/// What the engine asks of a driver before it opens a card. 75 and 76 are the compute capability, 9.0; 18 is whether
/// it shares the host's memory.
const ANSWERS: &str = r#"
#include <string.h>
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int) { *d = 0; return 0; }
int cuDeviceGetAttribute(int *v, int which, int) { *v = which == 75 ? 9 : which == 76 || which == 18 ? 0 : 1024; return 0; }
int cuDeviceGetName(char *text, int, int) { strcpy(text, "Painted Card"); return 0; }
int cuDeviceGetPCIBusId(char *text, int, int) { strcpy(text, "0000:01:00.0"); return 0; }
int cuDeviceTotalMem_v2(unsigned long *bytes, int) { *bytes = 1ul << 34; return 0; }
int cuGetErrorString(int, const char **text) { *text = "no error"; return 0; }
"#;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { x[0] = 1u; }
";

/// The driver's library in a folder, with every function that the engine looks for; `None` without a compiler.
fn driver(folder: &Folder) -> Option<()> {
    let wanted = include_str!("../../../crates/cuda/src/library.rs").split_once("const DRIVER: ")?.1;
    let names = wanted.split_once("];")?.0.split('"').skip(1).step_by(2);
    let rest = names.filter(|name| !ANSWERS.contains(&format!("int {name}(")));
    let rest: String = rest.map(|name| format!("int {name}() {{ return 999; }}\n")).collect();
    let text = folder.file("driver.cpp", format!("extern \"C\" {{{ANSWERS}{rest}}}\n"));
    let built = |name: &str| {
        let output =
            Command::new("g++").args(["-shared", "-fPIC", "-w", &text, "-o", &folder.path(name)]).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    built("libcuda.so").and_then(|()| built("libcuda.so.1"))
}

/// What the program says with this driver and no NVRTC but an installed one.
fn says(folder: &Folder, arguments: &[&str], device: &str) -> (String, String) {
    let path = Path::new(&folder.path("libcuda.so")).parent().unwrap().to_path_buf();
    let mut command = program();
    let command = command.args(arguments).env("LD_LIBRARY_PATH", path).env("CROSSLANE_DEVICE", device);
    // No other card has a part in it.
    let nowhere = [("VK_DRIVER_FILES", "/nowhere"), ("VK_ICD_FILENAMES", "/nowhere"), ("RUST_LOG", "warn")];
    let output = command.envs(nowhere).env("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere").output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (out, error)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the loader's variable is Linux's")]
fn a_card_without_the_compiler_is_listed_with_what_is_missing() {
    let folder = Folder::new("cards");
    if driver(&folder).is_none() {
        return say("skipped: no g++");
    }
    let (listed, _) = says(&folder, &["devices"], "");
    if listed.contains("Painted Card") && !listed.contains("no: see below") {
        return say("skipped: NVRTC lies in a folder of the system");
    }
    let remedy = "Install NVRTC, a part of the CUDA toolkit (or `pip install nvidia-cuda-nvrtc`)";
    has(
        &listed,
        &["Painted Card", "no: see below", "through cuda: libnvrtc.so, the run-time compiler, is missing", remedy],
    );
    let (json, _) = says(&folder, &["devices", "--json"], "");
    has(&json, &["\"missing\": \"libnvrtc.so, the run-time compiler, is missing"]);
    // By name, by ordinal, by kind: the error has the remedy.
    let kernel = folder.file("k.wgsl", KERNEL);
    let run = ["run", &kernel, "--grid", "1", "--bind", "x=zeros:u32:4"];
    for request in ["painted", "cuda", "cuda:0", "discrete", "0"] {
        let (_, error) = says(&folder, &run, request);
        has(&error, &["libnvrtc.so, the run-time compiler, is missing", remedy]);
    }
    // The best of all is another one, and a warning says why.
    let (_, warned) = says(&folder, &run, "");
    has(&warned, &["Painted Card", "cannot be opened", remedy]);
    assert!(!warned.contains("crosslane: "), "the processor runs it: {warned}");
}
