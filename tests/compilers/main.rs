//! Every case's kernels through compilers of others, without their hardware: AMD's in Mesa's RADV, Microsoft's DXC for
//! HLSL, and Khronos' tools for SPIR-V.
//!
//! RADV compiles for null hardware (`RADV_FORCE_FAMILY`), in child processes whose environment names that driver alone.

mod amd;
mod dxc;
#[path = "../emulation/cases.rs"]
mod emulated_cases;
#[path = "../emulation/mod.rs"]
mod emulation;
mod fxc;
mod hlsl;
mod khronos;
mod metal;
mod refused;
mod statistics;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use support::{is_required, say};

/// What a child process is to do; not set in the parent.
const TASK: &str = "CROSSLANE_RADV_TASK";

/// A card that RADV compiles for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// As `RADV_FORCE_FAMILY` names it.
    pub family: &'static str,
    /// As people name it, with the size of its subgroups.
    pub name: &'static str,
    /// Options of `RADV_PERFTEST`: RADV compiles compute for subgroups of 64 otherwise.
    pub options: &'static str,
}

/// Vega, RDNA 2 and RDNA 3; where there is a choice with subgroups of 64 and of 32.
pub const CARDS: [Card; 5] = [
    Card { family: "vega20", name: "Vega, 64", options: "" },
    Card { family: "navi21", name: "RDNA 2, 64", options: "" },
    Card { family: "navi21", name: "RDNA 2, 32", options: "cswave32" },
    Card { family: "gfx1100", name: "RDNA 3, 64", options: "" },
    Card { family: "gfx1100", name: "RDNA 3, 32", options: "cswave32" },
];

/// The loader's description of RADV; `None` if it is not installed, which is a failure where it is required.
fn driver() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let is_radv =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("radeon_icd"));
    let found = files.map(|entry| entry.path()).find(is_radv);
    if found.is_none() {
        assert!(!is_required("radv"), "CROSSLANE_REQUIRE names radv: no radeon_icd*.json in {folders:?}");
        say("skipped: Mesa's RADV is not installed (apt install mesa-vulkan-drivers)");
    }
    found
}

/// This program again, where RADV is the only driver: runs one test with this task. `None` without RADV.
fn start(card: Card, test: &str, task: &str) -> Option<Child> {
    let driver = driver()?;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(TASK, task);
    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
    command.env("RADV_FORCE_FAMILY", card.family).env("RADV_PERFTEST", card.options);
    command.env("MESA_SHADER_CACHE_DISABLE", "true").env("CROSSLANE_REQUIRE", "");
    Some(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// What it said on stderr, once it has ended well.
fn said(child: Child, what: &str) -> String {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{what}: {status}\n{stdout}\n{stderr}");
    stderr.into_owned()
}
