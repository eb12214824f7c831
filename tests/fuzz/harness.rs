//! The loop of every target: the corpus, then changes of it until the time is up. A panic, a wrong answer, a case that takes
//! too long or too much memory is a finding, whose input is kept in a file.

use crate::memory;
use crate::mutate::{Form, mutate};
use crate::panics::{self, Panic};
use crate::shrink::shrink;
use crate::support::{random, say};
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A case that takes longer hangs: it ends the program, since nothing else can end a thread.
const HANGS: Duration = Duration::from_secs(120);
/// Bytes that a case may allocate, with what runs beside it: the cpu engine gives a workgroup 2^30 at most, on two threads.
const MOST_BYTES: usize = 3 << 30;
/// Outcomes not seen before whose inputs are changed in their turn.
const MOST_KEPT: usize = 4096;
/// Different findings after which a target ends.
const MOST_FINDINGS: usize = 20;

/// What a target is called, and where its inputs come from.
pub struct Target {
    pub name: &'static str,
    pub form: Form,
    /// Folders in `tests/` whose files are changed too, beside `fuzz/corpus/NAME`.
    pub also: &'static [&'static str],
}

/// How a case ended, in words in which numbers do not count; `Err` is a finding.
pub type Verdict = Result<String, String>;

/// A number from the environment.
fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// The seed of all changes, fixed unless the environment names another: it is a part of the names of files that are written.
fn seed() -> u64 {
    variable("CROSSLANE_SEED").unwrap_or(2026)
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// A message without its numbers and names, so that the same thing is told once.
fn kind(message: &str) -> String {
    let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
    let mut text: String = message.chars().map(digits).take(160).collect();
    text.retain(|c| c != '#');
    text
}

/// The input that is being tried, for the watchdog.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// A run of a target.
struct Run<'a> {
    target: &'a Target,
    case: &'a mut dyn FnMut(&[u8]) -> Verdict,
    current: Current,
    seen: HashSet<String>,
    findings: BTreeMap<String, String>,
    cases: u64,
    slowest: (Duration, Vec<u8>),
}

/// Where findings are written.
fn folder(target: &Target) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(target.name);
    std::fs::create_dir_all(&path).expect("the build's own folder takes files");
    path
}

fn keep(target: &Target, name: &str, input: &[u8]) -> PathBuf {
    let path = folder(target).join(format!("{name}-{}", seed()));
    std::fs::write(&path, input).expect("the build's own folder takes files");
    path
}

impl Run<'_> {
    /// Tries an input. `None` if it went wrong, else whether its outcome is new.
    fn try_one(&mut self, input: &[u8]) -> Option<bool> {
        self.cases += 1;
        // A crash or an abort leaves it there.
        keep(self.target, "last", input);
        memory::peak();
        *self.current.lock().unwrap() = Some((Instant::now(), input.to_vec()));
        let verdict = verdict(self.case, input);
        let took = self.current.lock().unwrap().take().map_or(Duration::ZERO, |(began, _)| began.elapsed());
        let peak = memory::peak();
        if took > self.slowest.0 {
            self.slowest = (took, input.to_vec());
        }
        match verdict {
            Ok(_) if peak > MOST_BYTES => self.found(input, "much memory".into(), format!("{peak} bytes at a time")),
            Ok(outcome) => return Some(self.seen.insert(kind(&outcome))),
            Err((what, wrong)) => self.found(input, what, wrong),
        }
        None
    }

    fn found(&mut self, input: &[u8], what: String, wrong: String) {
        if self.findings.contains_key(&what) {
            return;
        }
        let case = &mut self.case;
        let same = |less: &[u8]| verdict(case, less).is_err_and(|(again, _)| again == what);
        let small = panics::shrinking(|| shrink(input, same));
        let path = keep(self.target, &format!("finding-{}", self.findings.len()), &small);
        let shown = String::from_utf8_lossy(&small);
        say(&format!("FINDING in {}: {wrong}\n  kept in {}:\n{shown}\n", self.target.name, path.display()));
        self.findings.insert(what, format!("{wrong}: {}", path.display()));
    }
}

/// The outcome of a case. What went wrong comes with what tells it from other findings.
fn verdict(case: &mut dyn FnMut(&[u8]) -> Verdict, input: &[u8]) -> Result<String, (String, String)> {
    match panics::caught(|| case(input)) {
        Ok(outcome) => outcome.map_err(|wrong| (kind(&wrong), wrong)),
        Err(Panic { place, text }) => Err((place.clone(), format!("panicked at {place}: {text}"))),
    }
}

/// Ends the program if a case hangs. Stops when the run is over, and its half of `current` is the last.
fn watch(name: &'static str, current: Current) {
    let body = move || {
        while Arc::strong_count(&current) > 1 {
            std::thread::sleep(Duration::from_millis(500));
            let tried = current.lock().unwrap();
            if let Some((_, input)) = tried.as_ref().filter(|(began, _)| began.elapsed() > HANGS) {
                say(&format!("FINDING in {name}: it hangs\n{}\n{input:?}", String::from_utf8_lossy(input)));
                std::process::abort();
            }
        }
    };
    std::thread::Builder::new().name("fuzz watchdog".into()).spawn(body).expect("one thread more");
}

/// Tries the corpus as it is, then changes of it. Fails if there are findings.
pub fn fuzz(target: &Target, mut case: impl FnMut(&[u8]) -> Verdict) {
    let patience = Duration::from_secs_f64(variable("CROSSLANE_FUZZ_SECONDS").unwrap_or(2.0));
    let seed = seed();
    panics::keep();
    let current = Current::default();
    watch(target.name, current.clone());
    let (seen, findings, slowest) = (HashSet::new(), BTreeMap::new(), (Duration::ZERO, vec![]));
    let mut run = Run { target, case: &mut case, current, seen, findings, cases: 0, slowest };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = files(&tests.join("fuzz/corpus").join(target.name));
    for (_, input) in &corpus {
        run.try_one(input);
    }
    let also = target.also.iter().flat_map(|folder| files(&tests.join(folder)));
    let mut pool: Vec<Vec<u8>> = corpus.iter().cloned().chain(also).map(|(_, input)| input).collect();
    let (began, mut rng): (Instant, StdRng) = (Instant::now(), random(seed));
    while began.elapsed() < patience && run.findings.len() < MOST_FINDINGS {
        let [input, other] = [0; 2].map(|_| &pool[rng.random_range(0..pool.len())]);
        let input = mutate(target.form, input, other, &mut rng);
        if run.try_one(&input) == Some(true) && pool.len() < MOST_KEPT {
            pool.push(input);
        }
    }
    let Run { cases, findings, slowest, seen, .. } = run;
    let (name, outcomes) = (target.name, seen.len());
    let slow = keep(target, "slowest", &slowest.1);
    say(&format!(
        "fuzz {name}: {cases} cases from seed {seed}, {outcomes} outcomes, {} findings, the slowest {:.0} ms in {}",
        findings.len(),
        slowest.0.as_secs_f64() * 1e3,
        slow.display()
    ));
    assert!(findings.is_empty(), "{name}: put these inputs into tests/fuzz/corpus/{name}: {findings:#?}");
}
