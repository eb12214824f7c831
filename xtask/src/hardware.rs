//! Which tests run on the cpu engine, with all checks, as which kind of hardware.
//!
//! `cargo test --all-features` runs all tests, on the drivers and on the cpu engine as it is. Kinds of hardware differ in subgroups,
//! limits, features and the order of workgroups, and so in the shapes of kernels: this table says what of that is run again.

use crate::{Outcome, root};
use std::collections::VecDeque;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// A kind of hardware, the binaries of tests that run as it, and whether [`ALIKE`] is run too.
struct Kind {
    name: &'static str,
    binaries: &'static [&'static str],
    all: bool,
}

const fn kind(name: &'static str, binaries: &'static [&'static str]) -> Kind {
    Kind { name, binaries, all: false }
}

/// The longest first: the last ones to end leave no core idle.
const KINDS: [Kind; 10] = [
    // All of it, in all types: kernels run unchecked on GPUs because they ran here.
    Kind { name: "native", binaries: &["conformance", "properties"], all: true },
    kind("mobile-like", &["conformance", "properties", "cases"]),
    kind("software-like", &["conformance", "properties", "cases"]),
    kind("webgpu", &["conformance", "properties", "cases"]),
    kind("apple-like", &["conformance", "cases"]),
    kind("intel-like", &["conformance", "cases"]),
    kind("amd-like", &["conformance", "cases"]),
    // With subgroups of 32, as native: random expressions and properties do.
    kind("nvidia-like", &["properties", "cases"]),
    kind("amd-32-like", &["properties", "cases"]),
    // Conformance runs on the machine code itself in `cargo test`.
    kind("compiled", &["cases"]),
];

/// Parts of tests' names.
type Filters = &'static [&'static str];

/// What does not differ between kinds of hardware: native runs it.
const ALIKE: [Filters; 4] = [
    // Types differ in load, combination and store.
    &["casts::", "elementwise::", "every_type", "of_floats"],
    // Transfers, and what is made of views.
    &["transfers::", "interop::", "memory::", "views::", "moves::"],
    // Functions of one element, and expressions.
    &["accuracy::", "expressions::", "complex::", "doubles::", "nan::"],
    // Made of the operations that run as each kind.
    &[
        "past_bound_wide::",
        "past_bound_positions::",
        "sets::",
        "statistics::",
        "random::",
        "signals::",
        "designs::",
        "images::",
        "filters::canny",
        "filters::labels",
        "filters::local",
        "filters::morphology",
        "filters::pooling",
        "filters::rolling",
    ],
];

/// What `cargo test` alone runs.
const ONCE: [Filters; 2] = [
    // Every kernel's checked launch, and its texts.
    &["checked::", "plan::", "covered::", "tiers::", "sliced::", "dawn::"],
    // These open devices of their own, whatever the kind.
    &[
        "one_bound_at_any_length",
        "one_bound_on_every_kind",
        "tiles_of_every_size",
        "cases_by_libraries",
        "tensor_cores_take_every_candidate",
        "bits_do_not_depend_on_the_order",
        "random::statistics",
        "every_length_interpreted",
        "the_longest_ones",
        "launches_of_recordings_are_cut",
        "long_ones_by_compiled_kernels",
        "a_total_that_was_missing",
        "rows_in_pieces",
    ],
];

impl Kind {
    /// What is left out: the table's filters.
    fn leaves_out(&self) -> impl Iterator<Item = &'static str> {
        let alike = ALIKE.iter().filter(|_| !self.all);
        alike.chain(&ONCE).flat_map(|filters| filters.iter().copied())
    }

    /// Whether a test of a binary runs as this kind.
    fn runs(&self, binary: &str, test: &str) -> bool {
        self.binaries.contains(&binary) && !self.leaves_out().any(|filter| test.contains(filter))
    }

    /// Runs its tests; gives what they print, and whether all pass.
    fn run(&self) -> Outcome<(String, bool)> {
        let skips = self.leaves_out().flat_map(|filter| ["--skip", filter]);
        let command = cargo_test(self.binaries)
            .arg("--")
            .args(skips)
            .envs([("CROSSLANE_TEST_PROFILE", self.name), ("CROSSLANE_REQUIRE", ""), ("RUST_TEST_THREADS", "1")])
            .output();
        let output = command.map_err(|error| format!("cargo: {error}"))?;
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        Ok((text, output.status.success()))
    }
}

fn cargo_test(binaries: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(["test", "-q", "--all-features"]).current_dir(root());
    command.args(binaries.iter().flat_map(|binary| ["--test", binary]));
    command
}

/// Runs the tests as each kind of hardware, as many at a time as there are cores, once the table is sound.
pub fn run() -> Outcome<()> {
    let mut tests = vec![];
    for binary in ["conformance", "properties", "cases"] {
        tests.extend(listed(binary)?.into_iter().map(|test| (binary, test)));
    }
    sound(&tests)?;
    let left = Mutex::new(VecDeque::from_iter(&KINDS));
    let next = || left.lock().expect("no panic while held").pop_front();
    let failed = Mutex::new(vec![]);
    let work = || {
        while let Some(kind) = next() {
            let (text, passes) = kind.run().unwrap_or_else(|error| (error, false));
            println!("-- {}\n{text}", kind.name);
            if !passes {
                failed.lock().expect("no panic while held").push(kind.name);
            }
        }
    };
    thread::scope(|scope| {
        (0..thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(work)))
    });
    let failed = failed.into_inner().expect("no panic while held");
    if failed.is_empty() { Ok(()) } else { Err(format!("as {}: tests failed", failed.join(", "))) }
}

/// The tests of a binary.
fn listed(binary: &str) -> Outcome<Vec<String>> {
    let output = cargo_test(&[binary]).args(["--", "--list", "--format", "terse"]).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let tests: Vec<_> = text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect();
    match output.status.success() && !tests.is_empty() {
        true => Ok(tests),
        false => Err(format!("{binary} lists no tests: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Fails if a filter names no test, or if a test runs as no kind and no filter says why.
fn sound(tests: &[(&str, String)]) -> Outcome<()> {
    let once = |test: &str| ONCE.iter().flat_map(|filters| filters.iter()).any(|filter| test.contains(filter));
    let nowhere = |(binary, test): &&(&str, String)| !once(test) && !KINDS.iter().any(|kind| kind.runs(binary, test));
    if let Some((binary, test)) = tests.iter().find(nowhere) {
        return Err(format!(
            "{binary} {test} runs as no kind of hardware: xtask/src/hardware.rs says why a test does not"
        ));
    }
    let all = ALIKE.iter().chain(&ONCE).flat_map(|filters| filters.iter());
    match all.into_iter().find(|filter| !tests.iter().any(|(_, test)| test.contains(*filter))) {
        Some(filter) => Err(format!("xtask/src/hardware.rs: no test has {filter} in its name")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_runs_nowhere_is_told() {
        let filters = ALIKE.iter().chain(&ONCE).flat_map(|filters| filters.iter());
        let mut tests: Vec<_> = filters.map(|filter| ("conformance", filter.to_string())).collect();
        assert_eq!(sound(&tests), Ok(()));
        tests.push(("cases", "images::of_a_kind".into()));
        assert!(sound(&tests).unwrap_err().contains("cases images::of_a_kind runs as no kind"));
        tests.pop();
        tests.remove(0);
        assert!(sound(&tests).unwrap_err().contains("no test has casts::"));
    }

    #[test]
    fn native_runs_what_others_leave_out() {
        let [native, webgpu] = ["native", "webgpu"].map(|name| KINDS.iter().find(|kind| kind.name == name).unwrap());
        assert!(native.runs("conformance", "images::warps") && !webgpu.runs("conformance", "images::warps"));
        assert!(webgpu.runs("cases", "reduce") && !native.runs("cases", "reduce"));
        assert!(!native.runs("conformance", "random::statistics"));
    }
}
