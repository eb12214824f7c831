//! The tunables of all operations, and the ways that are taken of them by name: read, written, and kept for a device.

use crate::cache;
use crate::error::{Error, ErrorKind, Result};
use crate::files;
use crate::properties::Properties;
use crate::tuning::{Tunable, Tuning};
use std::fmt::Write;
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

impl Tunable {
    /// All of the library's.
    pub fn all() -> &'static [&'static Tunable] {
        &TUNABLES
    }
}

impl Tuning {
    /// Takes another way of the tunable with this name.
    ///
    /// Errors: no such tunable; a way that is not among its candidates.
    #[track_caller]
    pub fn set(&mut self, name: &str, numbers: &[u32]) -> Result<()> {
        let known = TUNABLES.into_iter().find(|tunable| tunable.name == name);
        let names = || TUNABLES.map(|tunable| tunable.name).join(", ");
        let tunable = known.ok_or_else(|| refused("name", format!("one of {}", names()), format!("{name:?}")))?;
        let candidate = tunable.candidates.iter().find(|candidate| **candidate == numbers);
        let wanted = || format!("one of {:?} ({})", tunable.candidates, tunable.numbers.join(", "));
        let candidate = candidate.ok_or_else(|| refused(name, wanted(), format!("{numbers:?}")))?;
        self.take(tunable, candidate);
        Ok(())
    }

    /// The tuning saved for a device, on top of its engine's built-in one.
    pub fn load(properties: &Properties) -> Tuning {
        let mut tuning = properties.caps.tuning.clone();
        if let Some(text) = path(properties).and_then(|path| files::read_text(&path, cache::MOST_TEXT).ok()) {
            tuning.read(&text);
        }
        tuning
    }

    /// Saves it for every program that opens this device, in the folder `tuning` of `CROSSLANE_CACHE` or of crosslane's
    /// part of the system's folder for caches. Returns the file: lines as `sort_keys = 384 14 1`, for people to read
    /// and change.
    ///
    /// Errors: the folder cannot be written, or there is none.
    #[track_caller]
    pub fn save(&self, properties: &Properties) -> Result<PathBuf> {
        let wanted = "a folder for caches: CROSSLANE_CACHE, XDG_CACHE_HOME or HOME";
        let path = path(properties).ok_or_else(|| refused("folder", wanted.into(), "none".into()))?;
        let text = format!("# crosslane tune on {properties}\n{self}");
        let written = files::write_private(&path, text.as_bytes());
        written.map_err(|error| {
            refused("folder", "one that can be written".into(), format!("{}: {error}", path.display()))
        })?;
        Ok(path)
    }

    /// Lines that mean nothing, since they are of another version, are passed over.
    fn read(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, numbers) = line.split_once('=').unwrap_or((line, ""));
            let numbers: Vec<u32> = numbers.split_whitespace().filter_map(|number| number.parse().ok()).collect();
            if let Err(error) = self.set(name.trim(), &numbers) {
                log::info!("tuning: {error}; passed over");
            }
        }
    }
}

/// The file of a device: its name and its API, in letters that every file system takes.
fn path(properties: &Properties) -> Option<PathBuf> {
    let mut name = String::new();
    write!(name, "{} {:?}", properties.name, properties.backend).expect("to a string");
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(plain).collect();
    Some(cache::folder()?.join("tuning").join(format!("{name}.txt")))
}

#[track_caller]
fn refused(argument: &str, wanted: String, got: String) -> Error {
    let (operation, at) = ("tuning", Some(std::panic::Location::caller()));
    ErrorKind::Argument { operation, argument: argument.to_string(), wanted, got, at }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::Caps;
    use crate::element::DType;
    use crate::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};
    use crate::ops::{Payload, Sort};
    use crate::tuning::OF_PROCESSOR;

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
            Tuning::default().set(name, numbers).unwrap();
        }
        assert!(OF_PROCESSOR.is_sorted(), "by name");
    }

    #[test]
    fn what_is_written_is_read() {
        let mut tuning = Tuning::default();
        for tunable in TUNABLES {
            tuning.set(tunable.name, tunable.candidates.last().unwrap()).unwrap();
        }
        let text = tuning.to_string();
        assert_eq!(text.lines().count(), TUNABLES.len());
        let parse = |text: &str| {
            let mut tuning = Tuning::default();
            tuning.read(text);
            tuning
        };
        assert_eq!(parse(&text), tuning);
        let others = "# a comment\n\nsort_keys = 384 15\nunheard_of = 1\nsort_keys\n= 1\n";
        assert_eq!(parse(&format!("{others}{text}")), tuning, "of another version");
        for tunable in TUNABLES {
            assert_eq!(tuning.get(tunable), *tunable.candidates.last().unwrap());
            tuning.set(tunable.name, tunable.built_in()).unwrap();
            assert_eq!(tuning.get(tunable), tunable.built_in());
        }
    }

    #[test]
    fn mistakes_say_what_there_is() {
        let mut tuning = Tuning::default();
        let error = tuning.set("sort", &[1]).unwrap_err().to_string();
        assert!(error.contains("sort_keys") && error.contains("\"sort\""), "{error}");
        let error = tuning.set("sort_keys", &[1, 2]).unwrap_err().to_string();
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
            let caps = Caps { tuning: tuning.clone(), ..Caps::nvidia_like() };
            let plan = crate::op::Op::plan(&sort, &caps).unwrap();
            plan.passes.last().unwrap().kernel.source().contains("const WORKGROUP = 384u;")
        };
        let mut tuning = Tuning::default();
        tuning.set("sort_keys", &[384, 14, 1]).unwrap();
        assert!(plan(&tuning));
        assert!(!plan(&Tuning::default()));
    }
}
