//! Formatting of all files. `cargo fmt` does not see the modules of operations, which a macro makes.

use crate::{Outcome, root, run};
use std::fs;

/// Formats everything; with `check` nothing is changed, and what is not formatted is an error.
pub fn all(check: bool) -> Outcome<()> {
    let check: &[&str] = if check { &["--check"] } else { &[] };
    run("cargo", &[&["fmt", "--all"], check].concat())?;
    let folders = fs::read_dir(root().join("crates/ops/src")).map_err(|error| format!("crates/ops/src: {error}"))?;
    let mut modules: Vec<String> = folders
        .filter_map(|entry| Some(format!("crates/ops/src/{}/mod.rs", entry.ok()?.file_name().to_str()?)))
        .filter(|module| root().join(module).exists())
        .collect();
    modules.sort();
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    run("rustfmt", &[&["--edition", "2024"], check, &modules].concat())
}
