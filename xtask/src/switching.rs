//! One program on every device of this machine and by each engine's feature alone: the same answer.

use crate::{Outcome, root};
use std::process::Command;

/// What chooses the engine: cargo's features, and the device that `CROSSLANE_DEVICE` names.
const WAYS: [(&str, &str); 11] = [
    ("wgpu", ""),
    ("cpu", ""),
    ("cpu,jit", ""),
    ("cuda", ""),
    ("wgpu,cpu,jit,cuda", ""),
    ("wgpu,cpu,jit,cuda", "vulkan"),
    ("wgpu,cpu,jit,cuda", "gl"),
    ("wgpu,cpu,jit,cuda", "lavapipe"),
    ("wgpu,cpu,jit,cuda", "swiftshader"),
    ("wgpu,cpu,jit,cuda", "cpu:interpreted"),
    ("wgpu,cpu,jit,cuda", "cpu:apple-like"),
];

/// The device and the answer that the program prints; or why it does not run.
fn answer(features: &str, device: &str) -> Result<(String, String), String> {
    let program = ["run", "-q", "--release", "-p", "crosslane-examples", "--example", "41_switching"];
    let output = Command::new("cargo")
        .args(program)
        .args(["--no-default-features", "--features", features])
        .env("CROSSLANE_DEVICE", device)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).map(str::to_string);
    match (line("on "), line("answer: "), line("checked: ")) {
        (Some(device), Some(answer), Some(_)) if output.status.success() => Ok((device, answer)),
        _ => Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it prints no answer").to_string()),
    }
}

/// Tells each way's device. Fails where two answers differ, or where none runs.
pub fn compare() -> Outcome<()> {
    let mut first: Option<String> = None;
    for (features, device) in WAYS {
        let named = if device.is_empty() { "the best" } else { device };
        match answer(features, device) {
            Err(why) => println!("{features:18} {named:16} NOT RUN: {why}"),
            Ok((device, answer)) => {
                println!("{features:18} {named:16} {device}");
                let first = first.get_or_insert_with(|| answer.clone());
                if *first != answer {
                    return Err(format!("the answers differ:\n{first}\n{answer}"));
                }
            }
        }
    }
    println!("the same everywhere: {}", first.ok_or("no way runs here")?);
    Ok(())
}
