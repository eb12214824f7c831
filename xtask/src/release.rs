//! A release, which a person runs: checks, then the crates in the order of their dependencies. Without `--publish` nothing leaves the
//! machine.

use crate::package::{self, Package};
use crate::{Outcome, root, run};
use std::io::{BufRead, Write};
use std::process::Command;

/// Checks that this version can be published, and packs and builds it as a registry would. With `publish` it asks, uploads, and tags.
pub fn release(version: &str, publish: bool) -> Outcome<()> {
    let packages = package::published()?;
    let order = package::order(&packages)?;
    println!("in this order: {}", order.iter().map(|package| package.name.as_str()).collect::<Vec<_>>().join(", "));
    let faults = faults(version, &packages)?;
    faults.iter().for_each(|fault| println!("- {fault}"));
    if publish && !faults.is_empty() {
        return Err(format!("{version} is not ready: {} faults", faults.len()));
    }
    run("bash", &[".ci/semver"])?;
    package::check(true)?;
    if !publish {
        println!(
            "nothing was published. `cargo xtask release {version} --publish` does it, after `cargo login` and a green .ci/nightly"
        );
        return if faults.is_empty() {
            Ok(())
        } else {
            Err(format!("{version} is not ready: {} faults", faults.len()))
        };
    }
    if !confirmed(version)? {
        return Err("nothing was published".into());
    }
    // Since 1.90 cargo uploads several in their order, and waits until the registry has each.
    run("cargo", &[&["publish"][..], &package::names(&packages)].concat())?;
    run("git", &["tag", "-a", &format!("v{version}"), "-m", &format!("crosslane {version}")])?;
    println!("published. `git push origin v{version}` shares the tag, with which .ci/semver compares from now on");
    Ok(())
}

/// What a release of this version lacks.
fn faults(version: &str, packages: &[Package]) -> Outcome<Vec<String>> {
    let said = |arguments: &[&str]| -> Outcome<String> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(root())
            .output()
            .map_err(|error| format!("git: {error}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let changelog =
        std::fs::read_to_string(root().join("CHANGELOG.md")).map_err(|error| format!("CHANGELOG.md: {error}"))?;
    let mut faults: Vec<String> = packages
        .iter()
        .filter(|package| package.version != version)
        .map(|package| format!("{} is of version {}: Cargo.toml, [workspace.package]", package.name, package.version))
        .collect();
    if !is_dated(&changelog, version) {
        faults.push(format!("CHANGELOG.md has no line `## {version}, YEAR-MONTH-DAY`"));
    }
    if !said(&["status", "--porcelain"])?.is_empty() {
        faults.push("the working tree has changes that are not committed".into());
    }
    if said(&["branch", "--show-current"])? != "main" {
        faults.push("this is not the branch main".into());
    }
    if !said(&["tag", "--list", &format!("v{version}")])?.is_empty() {
        faults.push(format!("the tag v{version} is there: this version is out"));
    }
    Ok(faults)
}

/// Whether the changelog has this version with its day.
fn is_dated(changelog: &str, version: &str) -> bool {
    let day = |line: &str| {
        line.strip_prefix(&format!("## {version}, ")).map(|day| day.split('-').map(str::len).collect::<Vec<_>>())
    };
    changelog.lines().filter_map(day).any(|parts| parts == [4, 2, 2])
}

/// Whether the person types the version again.
fn confirmed(version: &str) -> Outcome<bool> {
    print!("What is published stays so. Type {version} to publish it: ");
    let mut line = String::new();
    std::io::stdout()
        .flush()
        .and_then(|()| std::io::stdin().lock().read_line(&mut line))
        .map_err(|error| error.to_string())?;
    Ok(line.trim() == version)
}

#[cfg(test)]
mod tests {
    use super::is_dated;

    #[test]
    fn a_version_has_its_day() {
        let changelog = "## Unreleased\n\n## 0.2.0, 2026-12-01\n\n## 0.1.0, in development since 2026-11-21\n";
        assert!(is_dated(changelog, "0.2.0"));
        assert!(!is_dated(changelog, "0.1.0") && !is_dated(changelog, "0.2") && !is_dated(changelog, "0.3.0"));
    }
}
