//! The packages that a registry gets: what is in them, and whether each is built from its package alone.

use crate::{Outcome, root, run};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// What a registry takes: 10 MiB, packed.
const MOST_BYTES: u64 = 10 << 20;

/// What cargo tells about the workspace.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    manifest_path: PathBuf,
    /// Registries that may have it: none of a package that is not published, any where nothing is said.
    publish: Option<Vec<String>>,
    license: Option<String>,
    description: Option<String>,
    rust_version: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Dependency {
    /// Whether it is another one of the workspace, and not for tests alone: cargo leaves those out, which have no version.
    fn is_needed(&self) -> bool {
        self.path.is_some() && self.kind.as_deref() != Some("dev")
    }
}

impl Package {
    fn folder(&self) -> &Path {
        self.manifest_path.parent().expect("a manifest lies in a folder")
    }

    /// The files of its package.
    fn files(&self) -> Outcome<BTreeSet<PathBuf>> {
        let output = cargo(&["package", "--list", "--allow-dirty", "-p", &self.name])?;
        Ok(output.lines().map(PathBuf::from).collect())
    }

    /// What keeps it from being published.
    fn faults(&self, version: &str, files: &BTreeSet<PathBuf>) -> Vec<String> {
        let mut faults = vec![];
        let mut wants = |holds: bool, fault: String| {
            if !holds {
                faults.push(format!("{}: {fault}", self.name));
            }
        };
        wants(self.version == version, format!("is of version {}, others of {version}", self.version));
        for (key, value) in
            [("license", &self.license), ("description", &self.description), ("rust-version", &self.rust_version)]
        {
            wants(value.is_some(), format!("its manifest has no `{key}`"));
        }
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            wants(files.contains(Path::new(file)), format!("its package has no {file}"));
        }
        for part in ["tests", "benches", "examples"] {
            wants(
                !files.iter().any(|file| file.starts_with(part)),
                format!("its package has {part}, which no user needs"),
            );
        }
        for other in self.dependencies.iter().filter(|other| other.is_needed()) {
            wants(other.req == format!("={version}"), format!("it takes {} {}, not ={version}", other.name, other.req));
        }
        for (source, named) in self.included(files) {
            wants(
                files.contains(&named),
                format!("{} includes {}, which is not in its package", source.display(), named.display()),
            );
        }
        faults
    }

    /// The files that its sources take in, by `include_str!` of a text.
    fn included(&self, files: &BTreeSet<PathBuf>) -> Vec<(PathBuf, PathBuf)> {
        let sources = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
        sources
            .flat_map(|source| named(&std::fs::read_to_string(self.folder().join(source)).unwrap_or_default(), source))
            .collect()
    }
}

/// The files that a source's text names in `include_str!`, from the package's folder.
fn named(text: &str, source: &Path) -> Vec<(PathBuf, PathBuf)> {
    let of = |rest: &str| {
        let name = rest.split_once('"')?.0;
        Some((source.to_path_buf(), resolved(&source.parent()?.join(name))))
    };
    text.split("include_str!(\"").skip(1).filter_map(of).collect()
}

/// A path without `..`. One that leads out of its folder keeps what leads out.
fn resolved(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut so_far, part| {
        let inside = so_far.components().next_back().is_some_and(|last| last != Component::ParentDir);
        match part {
            Component::ParentDir if inside => drop(so_far.pop()),
            part => so_far.push(part),
        }
        so_far
    })
}

fn cargo(arguments: &[&str]) -> Outcome<String> {
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("cargo {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr))),
    }
}

/// The packages of the workspace that are published.
pub fn published() -> Outcome<Vec<Package>> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"])?;
    let metadata: Metadata = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(metadata.packages.into_iter().filter(|package| package.publish != Some(vec![])).collect())
}

/// They in an order in which each comes after those that it needs.
pub fn order(packages: &[Package]) -> Outcome<Vec<&Package>> {
    let mut left: Vec<&Package> = packages.iter().collect();
    let mut order = vec![];
    while !left.is_empty() {
        let is_left = |other: &Dependency| other.is_needed() && left.iter().any(|package| package.name == other.name);
        let (later, ready): (Vec<_>, Vec<_>) =
            left.iter().partition(|package| package.dependencies.iter().any(is_left));
        if ready.is_empty() {
            return Err(format!("each of {} needs another one", names(packages).join(" ")));
        }
        order.extend(ready);
        left = later;
    }
    Ok(order)
}

/// cargo's arguments that name them.
pub fn names(packages: &[Package]) -> Vec<&str> {
    packages.iter().flat_map(|package| ["-p", &package.name]).collect()
}

/// Packs all that is published and checks what is in it; with `build`, builds each package with all features from what it and the other packages
/// hold alone.
pub fn check(build: bool) -> Outcome<()> {
    let packages = published()?;
    let version = &packages.iter().find(|package| package.name == "crosslane").ok_or("no package crosslane")?.version;
    let (mut faults, mut packed) = (vec![], BTreeSet::new());
    for package in &packages {
        let files = package.files()?;
        faults.extend(package.faults(version, &files));
        packed.extend(files.into_iter().filter(|file| file.starts_with("shaders")));
    }
    faults.extend(unpacked(&packed)?);
    let how: &[&str] = if build { &["--all-features"] } else { &["--no-verify"] };
    run("cargo", &[&["package", "-q", "--allow-dirty"], how, &names(&packages)].concat())?;
    for package in &packages {
        let file = format!("{}-{}.crate", package.name, package.version);
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        let bytes =
            std::fs::metadata(target.join("package").join(&file)).map_err(|error| format!("{file}: {error}"))?.len();
        println!("{file:32} {:5} KiB", bytes >> 10);
        if bytes > MOST_BYTES {
            faults.push(format!("{file}: {bytes} bytes, more than {MOST_BYTES}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Shaders in no package. Those of `rendered` are written from others, for readers and tests.
fn unpacked(packed: &BTreeSet<PathBuf>) -> Outcome<Vec<String>> {
    let mut folders = vec![PathBuf::from("shaders")];
    let mut faults = vec![];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(root().join(&folder)).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            match entry.path().is_dir() {
                true if path.ends_with("rendered") => {}
                true => folders.push(path),
                false if packed.contains(&path) => {}
                false => faults.push(format!("{}: in no package", path.display())),
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_sources_include_are_found() {
        let text =
            r#"a(include_str!("../../shaders/x.wgsl")); include_str!("y.txt"); include_str!(concat!("z", "w"));"#;
        let found = named(text, Path::new("src/sort/steps.rs"));
        let files: Vec<PathBuf> = found.into_iter().map(|(_, file)| file).collect();
        assert_eq!(files, [Path::new("shaders/x.wgsl"), Path::new("src/sort/y.txt")]);
        assert_eq!(resolved(Path::new("src/../../x/../y")), Path::new("../y"));
    }
}
