//! The tunables of all operations, by name, and those that were saved for a device.

use crosslane_core::error::{Error, Result};
use crosslane_core::properties::Properties;
use crosslane_core::tuning::{Tunable, Tuning};
use crosslane_core::{cache, files};
use std::panic::Location;
use std::path::PathBuf;

/// All that may be done in several ways.
const TUNABLES: [&Tunable; 13] = [
    &super::reduce::UNROLL,
    &super::scan::SCAN,
    &super::scan::SELECT,
    &super::sort::KEYS,
    &super::sort::PAIRS,
    &super::sort::WIDE,
    &super::sort::MERGED,
    &super::histogram::COUNTERS,
    &super::matmul::MATMUL,
    &super::matmul::MATMUL_TENSOR,
    &super::map::TILE,
    &super::normalise::NORMALISE,
    &super::correlate::GUARDS,
];

/// The tunables of all operations.
pub fn tunables() -> &'static [&'static Tunable] {
    &TUNABLES
}

/// The tunable with this name.
///
/// ```
/// use crosslane::device::{Tuning, tunable};
/// let sort = tunable("sort_keys")?;
/// assert_eq!(sort.numbers, ["invocations", "items", "turns"]);
/// assert_eq!(Tuning::default().get(sort), sort.built_in());
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: no such tunable.
#[track_caller]
pub fn tunable(name: &str) -> Result<&'static Tunable> {
    let wanted = || format!("one of {}", TUNABLES.map(|tunable| tunable.name).join(", "));
    let known = TUNABLES.into_iter().find(|tunable| tunable.name == name);
    known.ok_or_else(|| Error::argument("tuning", "name", wanted(), format!("{name:?}"), Location::caller()))
}

/// Saves a tuning for every program that opens this device, in the folder `tuning` of `CROSSLANE_CACHE` or of crosslane's
/// part of the system's folder for caches. Returns the file: lines as `sort_keys = 384 14 1`, for people to read and
/// change.
///
/// Errors: the folder cannot be written, or there is none.
#[track_caller]
pub fn save_tuning(tuning: &Tuning, properties: &Properties) -> Result<PathBuf> {
    let refused = |wanted: &str, got: String| Error::argument("tuning", "folder", wanted, got, Location::caller());
    let wanted = "a folder for caches: CROSSLANE_CACHE, XDG_CACHE_HOME or HOME";
    let path = path(properties).ok_or_else(|| refused(wanted, "none".into()))?;
    let text = format!("# crosslane tune on {properties}\n{tuning}");
    let written = files::write_private(&path, text.as_bytes());
    written.map_err(|error| refused("one that can be written", format!("{}: {error}", path.display())))?;
    Ok(path)
}

/// The tuning saved for a device by [`save_tuning`], on top of its engine's built-in one.
///
/// ```
/// use crosslane::device::saved_tuning;
/// # crosslane::example(|device| {
/// print!("{}", saved_tuning(device.properties()));
/// # Ok(()) });
/// ```
pub fn saved_tuning(properties: &Properties) -> Tuning {
    let mut tuning = properties.caps.tuning.clone();
    if let Some(text) = path(properties).and_then(|path| files::read_text(&path, cache::MOST_TEXT).ok()) {
        read(&mut tuning, &text);
    }
    tuning
}

/// The file of a device: its name and its API, in letters that every file system takes.
fn path(properties: &Properties) -> Option<PathBuf> {
    let name = format!("{} {:?}", properties.name, properties.backend);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(plain).collect();
    Some(cache::folder()?.join("tuning").join(format!("{name}.txt")))
}

/// Lines that mean nothing, since they are of another version, are passed over.
fn read(tuning: &mut Tuning, text: &str) {
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, numbers) = line.split_once('=').unwrap_or((line, ""));
        let numbers: Vec<u32> = numbers.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        if let Err(error) = tunable(name.trim()).and_then(|tunable| tuning.set(tunable, &numbers)) {
            log::info!("tuning: {error}; passed over");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payload, Sort};
    use crosslane_core::caps::Caps;
    use crosslane_core::element::DType;
    use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};
    use crosslane_core::tuning::OF_PROCESSOR;

    #[test]
    fn names_and_candidates_are_there_once() {
        for (nth, tunable) in TUNABLES.iter().enumerate() {
            assert!(TUNABLES[..nth].iter().all(|other| other.name != tunable.name), "{}", tunable.name);
            assert!(tunable.candidates.len() > 1, "{}: nothing to choose", tunable.name);
            for (nth, candidate) in tunable.candidates.iter().enumerate() {
                assert_eq!(candidate.len(), tunable.numbers.len(), "{}", tunable.name);
                assert!(!tunable.candidates[..nth].contains(candidate), "{}: {candidate:?} twice", tunable.name);
            }
        }
    }

    #[test]
    fn what_processors_take_is_there() {
        for (name, numbers) in OF_PROCESSOR {
            Tuning::default().set(tunable(name).unwrap(), numbers).unwrap();
        }
        assert!(OF_PROCESSOR.is_sorted(), "by name");
    }

    #[test]
    fn what_is_written_is_read() {
        let mut tuning = Tuning::default();
        for tunable in TUNABLES {
            tuning.set(tunable, tunable.candidates.last().unwrap()).unwrap();
        }
        let text = tuning.to_string();
        assert_eq!(text.lines().count(), TUNABLES.len());
        let parse = |text: &str| {
            let mut tuning = Tuning::default();
            read(&mut tuning, text);
            tuning
        };
        assert_eq!(parse(&text), tuning);
        let others = "# a comment\n\nsort_keys = 384 15\nunheard_of = 1\nsort_keys\n= 1\n";
        assert_eq!(parse(&format!("{others}{text}")), tuning, "of another version");
        for tunable in TUNABLES {
            assert_eq!(tuning.get(tunable), *tunable.candidates.last().unwrap());
            tuning.set(tunable, tunable.built_in()).unwrap();
            assert_eq!(tuning.get(tunable), tunable.built_in());
        }
    }

    #[test]
    fn mistakes_say_what_there_is() {
        let mut tuning = Tuning::default();
        let error = tunable("sort").unwrap_err().to_string();
        assert!(error.contains("sort_keys") && error.contains("\"sort\""), "{error}");
        let error = tuning.set(tunable("sort_keys").unwrap(), &[1, 2]).unwrap_err().to_string();
        assert!(error.contains("[1, 2]") && error.contains("invocations, items"), "{error}");
        assert_eq!(tuning, Tuning::default());
    }

    /// A plan follows its device's tuning.
    #[test]
    fn plans_follow() {
        let leaf = Leaf { source: LeafSource::Slot(0), dtype: DType::U32, len: 1 << 20, offset: 0, strides: vec![1] };
        let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype: DType::U32 }];
        let keys = Expression { leaves: vec![leaf], steps, ..Expression::default() };
        let sort = Sort {
            keys,
            payload: Payload::None,
            rows: 1,
            length: 1 << 20,
            descending: false,
            bits: 0..32,
            count: None,
            gives_keys: true,
            output: 1,
        };
        let plan = |tuning: &Tuning| {
            let mut caps = Caps::nvidia_like();
            caps.tuning = tuning.clone();
            let plan = crosslane_core::op::Op::plan(&sort, &caps).unwrap();
            plan.passes.last().unwrap().kernel.source().contains("const WORKGROUP = 384u;")
        };
        let mut tuning = Tuning::default();
        tuning.set(tunable("sort_keys").unwrap(), &[384, 14, 1]).unwrap();
        assert!(plan(&tuning));
        assert!(!plan(&Tuning::default()));
    }
}
