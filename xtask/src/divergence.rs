//! Code divergence: how much of the library differs from engine to engine.
//!
//! S. L. Harrell and J. Kitson, *Effective Performance Portability*, 2018: the mean over pairs of platforms of the Jaccard distance
//! of their sets of source lines, 1 - |A and B| / |A or B|. 0 is one source for all, 1 is a program for each.

use super::{Outcome, root};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// The engines, and the folders of each one's own code: with wgpu what browsers replay, with CUDA the natives. The rest of the
/// library is every engine's.
const ENGINES: [(&str, &[&str]); 3] = [
    ("wgpu", &["crates/wgpu", "src/export/web"]),
    ("cuda", &["crates/cuda", "crates/wgsl-to-cuda", "shaders/native"]),
    ("cpu", &["crates/cpu"]),
];

/// Prints the lines of each engine, and how far each two of them differ.
pub fn print() -> Outcome<()> {
    let root = root();
    let files = ["src", "crates", "shaders"].map(|folder| files(&root.join(folder)));
    let files = files.into_iter().collect::<Outcome<Vec<_>>>()?.concat();
    let lines_of = |belongs: &dyn Fn(&Path) -> bool| -> Outcome<usize> {
        files.iter().filter(|path| belongs(path)).map(|path| lines(path)).sum()
    };
    let owned = |path: &Path, folders: &[&str]| folders.iter().any(|folder| path.starts_with(root.join(folder)));
    let shared = lines_of(&|path| !ENGINES.iter().any(|(_, folders)| owned(path, folders)))?;
    let mut own = vec![];
    for (engine, folders) in ENGINES {
        own.push((engine, lines_of(&|path| owned(path, folders))?));
    }
    println!("lines of code: {shared} of all engines");
    for (engine, lines) in &own {
        println!("  {engine}: {lines} of its own, {:.0} % of what it uses", share(*lines, shared) * 100.0);
    }
    for ((a, b), distance) in pairs(&own, shared) {
        println!("  {a} and {b}: distance {distance:.3}");
    }
    println!("code divergence: {:.3}", divergence(&own, shared));
    Ok(())
}

/// The part of an engine's code that is its own.
fn share(own: usize, shared: usize) -> f64 {
    own as f64 / (own + shared) as f64
}

/// The Jaccard distance of each two engines' lines: what is one's own is no other's.
fn pairs<'a>(own: &[(&'a str, usize)], shared: usize) -> Vec<((&'a str, &'a str), f64)> {
    let after = |first: usize| own[first + 1..].iter().map(move |second| (own[first], *second));
    let distance = |a: usize, b: usize| share(a + b, shared);
    (0..own.len()).flat_map(after).map(|((a, lines_a), (b, lines_b))| ((a, b), distance(lines_a, lines_b))).collect()
}

/// The mean of the distances of each two engines.
fn divergence(own: &[(&str, usize)], shared: usize) -> f64 {
    let pairs = pairs(own, shared);
    pairs.iter().map(|(_, distance)| distance).sum::<f64>() / pairs.len() as f64
}

/// Source files under a folder; shaders that a test writes, and tests, are none.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut all = vec![];
    for entry in read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        let named =
            |names: &[&str]| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name));
        let kind = path.extension().and_then(|kind| kind.to_str());
        // Crates have links to `shaders`.
        if path.is_dir() && !path.is_symlink() && !named(&["rendered", "tests"]) {
            all.extend(files(&path)?);
        } else if matches!(kind, Some("rs" | "wgsl" | "cu" | "cuh" | "js")) && !named(&["tests.rs", "cases.rs"]) {
            all.push(path);
        }
    }
    Ok(all)
}

/// Lines that are neither blank nor comments; not those from a file's unit tests on.
fn lines(path: &Path) -> Outcome<usize> {
    let text = read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(code(&text))
}

fn code(text: &str) -> usize {
    let before = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    before.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_source_is_0_and_separate_ones_are_1() {
        assert_eq!(divergence(&[("a", 0), ("b", 0)], 10), 0.0);
        assert_eq!(divergence(&[("a", 5), ("b", 7), ("c", 1)], 0), 1.0);
        // 10 of 20 lines are not both's; 10 of 20; 20 of 30: the mean.
        let mean = (0.5 + 0.5 + 20.0 / 30.0) / 3.0;
        assert!((divergence(&[("a", 0), ("b", 10), ("c", 10)], 10) - mean).abs() < 1e-12);
    }

    #[test]
    fn code_is_what_is_compiled() {
        assert_eq!(
            code("//! About.\n\nfn f() {}\n    // why\n    x // here\n\n#[cfg(test)]\nmod tests {\n fn t() {}\n}\n"),
            2
        );
    }
}
