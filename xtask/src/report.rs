//! The reports of `benches/reports`: a new one of this machine, and the README's cascade of all.

use crate::{Outcome, root, run};

const REPORTS: &str = "benches/reports";
/// What is made of the reports and not kept.
const MADE: &str = "target/report";
const PROGRAM: [&str; 9] =
    ["run", "--release", "-p", "crosslane-cli", "--features", "cli,cuda", "--", "report", "--html"];

/// Measures this machine into the report of this name, and joins it with the others.
pub fn measure(name: &str, options: &[&str]) -> Outcome<()> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(format!("report: wanted a name of letters, digits, - and _, got {name:?}"));
    }
    std::fs::create_dir_all(root().join(MADE)).map_err(|error| format!("{MADE}: {error}"))?;
    let (html, json) = (format!("{MADE}/{name}.html"), format!("{REPORTS}/{name}.json"));
    run("cargo", &[&PROGRAM[..], &[&html, "--json", &json], options].concat())?;
    join()
}

/// The cascade of all reports, and their page.
pub fn join() -> Outcome<()> {
    let folder = std::fs::read_dir(root().join(REPORTS)).map_err(|error| format!("{REPORTS}: {error}"))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(".json")).map(|name| format!("{REPORTS}/{name}")).collect();
    files.sort();
    std::fs::create_dir_all(root().join(MADE)).map_err(|error| format!("{MADE}: {error}"))?;
    let [html, json, svg] = [format!("{MADE}/all.html"), format!("{MADE}/all.json"), format!("{REPORTS}/cascade.svg")];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run("cargo", &[&PROGRAM[..], &[&html, "--json", &json, "--svg", &svg, "--merge"], &files[..]].concat())
}
