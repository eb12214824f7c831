//! Runs tests under Miri, AddressSanitizer, ThreadSanitizer, each in a build folder of its own, or NVIDIA's compute-sanitizer.
//! CONTRIBUTING.md says when.

use crate::{Outcome, root};
use std::process::Command;

/// Unit tests of the parts that own memory or share it, by crate; none of them needs a device's machine code.
const MIRI: [(&str, &[&str]); 4] = [
    ("crosslane-core", &["memory::", "layout::", "files::"]),
    ("crosslane-cpu", &["memory::", "turns::"]),
    ("crosslane-cuda", &["ledger::"]),
    ("crosslane", &["share::"]),
];

/// What Miri does not have: pipes, files that are opened without waiting, advice on pages, memory that the system refuses.
const NOT_IN_MIRI: [&str; 6] = [
    "--skip",
    "only_files_are_read_and_only_so_much",
    "--skip",
    "pipes_are_not_waited_for",
    "--skip",
    "memory::host::",
];

/// Tests of threads and of memory that is shared, for ThreadSanitizer: the others use one thread of the program's.
const THREADS: [&str; 5] = ["threads::", "stress::", "transfers::", "memory::", "selections::"];

/// Both tiers of the cpu engine: drivers of others are built without the sanitizers, which see nothing in them.
const PROFILES: [&str; 2] = ["cpu:compiled", "cpu:interpreted"];

/// The triple of this machine, as the sanitizers' builds need it.
fn host() -> Outcome<String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_string)
        .ok_or("rustc -vV names no host".into())
}

fn cargo(arguments: &[&str], variables: &[(&str, &str)], folder: &str) -> Outcome<()> {
    let target = root().join("target/sanitize").join(folder);
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root()).env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    command.envs(variables.iter().copied());
    let status = command.status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {}: {status}", arguments.join(" "))) }
}

fn miri(chosen: &[&str]) -> Outcome<()> {
    // Files and clocks are the machine's.
    let flags = [("MIRIFLAGS", "-Zmiri-disable-isolation"), ("RUSTFLAGS", "")];
    for (package, filters) in MIRI {
        println!("-- miri: {package}");
        let filters = if chosen.is_empty() { filters } else { chosen };
        let features: &[&str] = match package {
            "crosslane" => &["--no-default-features", "--features", "cpu,npy"],
            _ => &[],
        };
        let build = ["+nightly", "miri", "test", "-p", package, "--lib"];
        cargo(&[&build, features, &["--"], &NOT_IN_MIRI, filters].concat(), &flags, "miri")?;
    }
    Ok(())
}

/// Conformance under a sanitizer. The features are nightly's: `RUSTC_BOOTSTRAP` unlocks them in the version that CI has.
fn conformance(sanitizer: &str, build: &[&str], filters: &[&str]) -> Outcome<()> {
    let (flag, host) = (format!("-Zsanitizer={sanitizer}"), host()?);
    let test = ["test", "--all-features", "--target", &host, "-p", "crosslane-tests", "--test", "conformance"];
    for profile in PROFILES {
        println!("-- {sanitizer}: conformance, {profile}");
        let variables = [
            ("RUSTC_BOOTSTRAP", "1"),
            ("RUSTFLAGS", &flag),
            ("CROSSLANE_TEST_PROFILE", profile),
            ("CROSSLANE_REQUIRE", ""),
            // No driver of Vulkan's.
            ("VK_DRIVER_FILES", "none"),
            ("VK_ICD_FILENAMES", "none"),
        ];
        cargo(&[build, &test[..], &["--"], filters].concat(), &variables, sanitizer)?;
    }
    Ok(())
}

/// Operations with kernels written by hand, on a card: with each tool of compute-sanitizer.
const NATIVES: [&str; 6] = ["sort::", "reductions::", "scans::", "top_k::", "histogram::", "normalise::"];

/// Conformance on this machine's NVIDIA card, and on no driver of Vulkan's.
fn cuda(filters: &[&str]) -> Outcome<()> {
    let filters = if filters.is_empty() { &NATIVES } else { filters };
    let runner = format!("CARGO_TARGET_{}_RUNNER", host()?.to_uppercase().replace('-', "_"));
    let test = ["test", "--all-features", "-p", "crosslane-tests", "--test", "conformance", "--"];
    for tool in ["memcheck", "racecheck"] {
        println!("-- compute-sanitizer: conformance, {tool}");
        // memcheck takes it for an error of the program's that the driver says whose memory a host's pointer is: nobody's.
        let options = if tool == "memcheck" { "--report-api-errors no" } else { "" };
        let program = format!("compute-sanitizer --tool {tool} {options} --error-exitcode 1");
        let variables =
            [(runner.as_str(), program.as_str()), ("CROSSLANE_REQUIRE", "cuda"), ("VK_DRIVER_FILES", "/nowhere")];
        cargo(&[&test[..], filters].concat(), &variables, "cuda")?;
    }
    Ok(())
}

/// Runs one of the four; `filters` are names of tests, by default those that are worth their time.
pub fn run(which: &str, filters: &[&str]) -> Outcome<()> {
    match which {
        "miri" => miri(filters),
        "address" => conformance("address", &[], filters),
        // The standard library's own synchronisation is seen only if it is built with the sanitizer: `rust-src` has it.
        "thread" => conformance("thread", &["-Zbuild-std"], if filters.is_empty() { &THREADS } else { filters }),
        "cuda" => cuda(filters),
        _ => Err(format!("no such sanitizer: {which}; wanted miri, address, thread or cuda")),
    }
}
