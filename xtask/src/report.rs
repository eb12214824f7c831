//! The reports of `benches/reports`: a new one of this machine, and the README's cascade of all.

use crate::{Outcome, root, run};
use std::process::{Command, Stdio};

const REPORTS: &str = "benches/reports";
/// What is made of the reports and not kept.
const MADE: &str = "target/report";
const PROGRAM: [&str; 9] =
    ["run", "--release", "-p", "crosslane-cli", "--features", "cli,cuda", "--", "report", "--html"];

/// Measures this machine into the report of this name, and joins it with the others. With the option `--tests` it runs the tests too.
pub fn measure(name: &str, options: &[&str]) -> Outcome<()> {
    let (tests, options): (Vec<&str>, Vec<&str>) = options.iter().partition(|option| **option == "--tests");
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(format!("report: wanted a name of letters, digits, - and _, got {name:?}"));
    }
    std::fs::create_dir_all(root().join(MADE)).map_err(|error| format!("{MADE}: {error}"))?;
    let (html, json) = (format!("{MADE}/{name}.html"), format!("{REPORTS}/{name}.json"));
    run("cargo", &[&PROGRAM[..], &[&html, "--json", &json], &options].concat())?;
    let tested = if tests.is_empty() { Ok(()) } else { test(name) };
    join()?;
    tested
}

/// The devices of this machine and the README's tests on them, as a text that names no person. It is complete where tests fail.
fn test(name: &str) -> Outcome<()> {
    let devices = &[&PROGRAM[..7], &["devices"]].concat();
    let (listed, _) = said(devices)?;
    println!("tests on every device of this machine: it takes a while");
    let (text, passed) = said(&["test", "--all-features", "--no-fail-fast"])?;
    let file = format!("{MADE}/{name}.txt");
    let home = std::env::home_dir().map(|home| home.display().to_string()).unwrap_or_default();
    let text = nameless(&format!("{listed}\n{text}"), &root().display().to_string(), &home);
    std::fs::write(root().join(&file), text).map_err(|error| format!("{file}: {error}"))?;
    println!("to send, once you have read them: {REPORTS}/{name}.json and {file} (docs/lend_a_card.md)");
    if passed { Ok(()) } else { Err(format!("tests failed: {file} says which")) }
}

/// What cargo says with these arguments, errors after the rest, and whether it succeeds.
fn said(arguments: &[&str]) -> Outcome<(String, bool)> {
    let output = Command::new("cargo").args(arguments).current_dir(root()).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cargo {}: {error}", arguments.join(" ")))?;
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    Ok((format!("{out}\n{error}"), output.status.success()))
}

/// A text in which the repository's folder is `.` and the home `~`: their paths have names of persons.
fn nameless(text: &str, root: &str, home: &str) -> String {
    let paths = [(root, "."), (home, "~")].into_iter().filter(|(path, _)| path.len() > 1);
    paths.fold(text.to_string(), |text, (path, short)| {
        // Windows' messages have either separator, and double those in quotes.
        let spelled = [path.replace('\\', "\\\\"), path.to_string(), path.replace('\\', "/")];
        spelled.iter().fold(text, |text, path| text.replace(path, short))
    })
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

#[cfg(test)]
mod tests {
    use super::nameless;

    #[test]
    fn paths_of_persons_are_left_out() {
        let text = "at /home/ada/crosslane/src/lib.rs: no /home/ada/.cache/x";
        assert_eq!(nameless(text, "/home/ada/crosslane", "/home/ada"), "at ./src/lib.rs: no ~/.cache/x");
        let text = r#"C:\Users\Ada\x "C:\\Users\\Ada\\y" C:/Users/Ada/z"#;
        assert_eq!(nameless(text, r"D:\crosslane", r"C:\Users\Ada"), r#"~\x "~\\y" ~/z"#);
        assert_eq!(nameless("/root/x / y", "/", ""), "/root/x / y");
    }
}
