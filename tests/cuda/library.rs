//! The library's own kernels as CUDA text: those of the cases, each text once, for NVRTC and, run against the operations'
//! references, under g++.

use crate::emulate::{self, OPTIONS, Program};
use crate::emulated_cases::{Run, check, spread};
use crate::emulation::{self, Launch};
use crate::support::say;
use crosslane::cuda::CudaSource;
use crosslane::device::{Caps, tunable};
use crosslane::op::Kernel;
use crosslane::op::{Case, Pass};
use crosslane::ops::cases::{ALL, Cases};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What chooses one kernel of an operation in so many, instead of the numbers below: all by `CROSSLANE_CUDA_EVERY=1`.
const EVERY: &str = "CROSSLANE_CUDA_EVERY";
/// Kernels of an operation that NVRTC compiles, at most: a tenth of a second to a second each.
const COMPILED: usize = 36;
/// The same of operations whose kernels take it seconds.
const LONG: [(&str, usize); 5] = [("matmul", 12), ("nth", 3), ("scan", 12), ("sort", 20), ("top_k", 4)];
/// Cases of an operation that g++ runs, at a second for each kernel.
const RUN: [(&str, usize); 2] = [("map", 40), ("reduce", 12)];
const RUN_OF_OTHERS: usize = 5;
/// g++'s functions are exact, and its sums in the same order: the bound is half of a GPU's.
const SHARE: f64 = 0.5;

/// A card's capabilities, and one's on which short sorts merge.
fn kinds() -> [Caps; 2] {
    let merging = |caps: &mut Caps| caps.tuning.set(tunable("sort_merge").unwrap(), &[8192]).expect("it may");
    [emulate::caps(), emulate::caps().with(merging)]
}

/// A kernel of the library and what it computes.
pub type Named = (String, Kernel);

/// Each text of an operation's kernels once, with the smallest case that plans it.
fn kernels_of(cases: &[Case], caps: &Caps, seen: &mut HashSet<u64>) -> Vec<Named> {
    let mut all = vec![];
    for case in cases {
        let plan = case.op.plan(caps).unwrap_or_else(|error| panic!("{}: {error}", case.what));
        let new = plan.passes.into_iter().filter(|pass| seen.insert(Case::identity(&pass.kernel)));
        all.extend(new.map(|pass| (case.what.clone(), pass.kernel)));
    }
    all
}

/// Cases that hold many functions: few kernels, and all that the library can compute of a number.
fn holds_many(case: &Case) -> bool {
    case.what.matches(' ').count() > 6 && case.type_name.ends_with("::Map")
}

/// The kernels for NVRTC.
pub struct Chosen {
    pub short: Vec<Named>,
    /// Those that take it long.
    pub long: Vec<Named>,
    /// Of how many they were chosen.
    pub of: usize,
}

/// Of each operation and kind of card as many as there may be.
pub fn kernels() -> Chosen {
    let every: Option<usize> = std::env::var(EVERY).ok().map(|every| every.parse().expect("EVERY is a number"));
    let (mut short, mut long, mut seen) = (vec![], vec![], HashSet::new());
    let chosen = |all: Vec<Named>, most: usize| {
        let most = every.map_or(most, |every| all.len().div_ceil(every.max(1)).max(1));
        spread(all, most)
    };
    for (name, cases) in ALL {
        for caps in kinds() {
            let (many, others): (Vec<Case>, Vec<Case>) = cases(&caps).into_iter().partition(holds_many);
            short.extend(kernels_of(&many, &caps, &mut seen));
            let all = kernels_of(&others, &caps, &mut seen);
            match LONG.iter().find(|(other, _)| other == name) {
                Some((_, most)) => long.extend(chosen(all, *most)),
                None => short.extend(chosen(all, COMPILED)),
            }
        }
    }
    Chosen { short, long, of: seen.len() }
}

/// How many natives have run.
static NATIVES: AtomicUsize = AtomicUsize::new(0);

/// Each kernel as its text, and a native beside its kernel.
struct Texts;

impl Run for Texts {
    fn run(&mut self, pass: &Pass, launch: Launch, buffers: &mut [Vec<u8>]) -> Result<(), String> {
        let (kernel, Launch { grid, windows, immediates, .. }) = (&pass.kernel, launch);
        let program = |source: &CudaSource| Program::new(source, windows.len(), !immediates.is_empty());
        let source = CudaSource::translated(kernel, &OPTIONS).map_err(|error| error.to_string())?;
        let said = |error: String| format!("{error}\n{}", emulate::own(&source));
        let own = program(&source).map_err(said)?;
        // What only one architecture has, g++ has not: those natives are compiled, and run by the tests on such a card.
        let native = match CudaSource::native(kernel, &OPTIONS).filter(|source| !source.specific) {
            Some(source) => {
                NATIVES.fetch_add(1, Ordering::Relaxed);
                let mut native = buffers.to_vec();
                program(&source)?.run(grid, &mut native, windows, immediates)?;
                Some(native)
            }
            None => None,
        };
        own.run(grid, buffers, windows, immediates).map_err(said)?;
        match native.is_some_and(|native| native != buffers) {
            true => Err(format!("the native of {kernel:?} gives other bits")),
            false => Ok(()),
        }
    }
}

/// Whether a native stands for a kernel of a case, and g++ can run it.
fn has_native(case: &Case, caps: &Caps, seen: &mut HashSet<String>) -> bool {
    let plan = case.op.plan(caps).unwrap_or_else(|error| panic!("{}: {error}", case.what));
    let natives = plan.passes.iter().filter_map(|pass| CudaSource::native(&pass.kernel, &OPTIONS));
    natives.filter(|source| !source.specific).any(|source| seen.insert(source.text))
}

/// A part of an operation's cases: how many, how many programs, and what is wrong.
fn agree(name: &str, cases: Cases) -> (usize, usize, Vec<String>) {
    let (mut wrong, mut count, mut programs, mut natives) = (vec![], 0, 0, HashSet::new());
    let most = RUN.iter().find(|(other, _)| *other == name).map_or(RUN_OF_OTHERS, |(_, most)| *most);
    for caps in kinds().into_iter().take(if name == "sort" { 2 } else { 1 }) {
        let runs = |case: &Case| case.runs() && case.is_judged();
        let (with, without): (Vec<Case>, Vec<Case>) =
            cases(&caps).into_iter().filter(runs).partition(|case| has_native(case, &caps, &mut natives));
        for case in spread(with, RUN_OF_OTHERS).chain(spread(without, most)) {
            count += 1;
            match check(&case, &caps, SHARE, &mut Texts) {
                Ok(run) => programs += run,
                Err(message) => wrong.push(message),
            }
        }
    }
    (count, programs, wrong)
}

/// A part of the cases, as the text of their kernels, against the operations' own definition: an operation on each core, since
/// g++ takes the time.
#[test]
fn kernels_agree_with_their_definition() {
    if !emulation::available() {
        return;
    }
    let (left, found) = (Mutex::new(ALL.iter()), Mutex::new(vec![]));
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let next = || left.lock().expect("no panic while held").next();
                while let Some((name, cases)) = next() {
                    let result = agree(name, *cases);
                    found.lock().expect("no panic while held").push(result);
                }
            });
        }
    });
    let found = found.into_inner().expect("no panic while held");
    assert_eq!(found.len(), ALL.len(), "an operation's cases were not run");
    let (count, programs): (usize, usize) = found.iter().fold((0, 0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
    let wrong: Vec<&str> = found.iter().flat_map(|(_, _, wrong)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let natives = NATIVES.load(Ordering::Relaxed);
    assert!(natives > 1, "shaders/native is not tested");
    say(&format!("{count} cases, {programs} programs and {natives} natives, agree as CUDA text under g++"));
}
