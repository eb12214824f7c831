//! Every case's kernels through AMD's compiler, for three families of cards: none may need more registers than there are.
//!
//! One kernel in four is compiled, for one of the cards: kernels of an operation come in many types and shapes. `CROSSLANE_STATISTICS=all cargo test --all-features --test compilers amd` compiles each for each, and writes
//! `benches/amd.md`.

use crate::statistics::{Figures, line, read, table};
use crate::support::say;
use crate::{CARDS, TASK, said, start};
use crosslane::Device;
use crosslane::op::Case;
use crosslane::op::Kernel;
use crosslane::ops::cases::ALL;
use std::collections::HashSet;
use std::time::Instant;

/// One kernel in so many is compiled: all of them, each for one card, take 200 s of a processor.
const SAMPLED: usize = 4;

/// What spills, and why it may: in a case's name.
const KNOWN: [&str; 2] = [
    // All functions of a type in one expression: no program's.
    "map of 45 steps",
    // A network that orders 49 values of f64 in registers; slower than it could be on AMD's cards, and right.
    "Rank(24, 24) of [9, 11], f64",
];

/// VGPRs of an invocation from which on a spill is judged on RDNA 3. There Mesa 22.3.6 spills where only 132 to 144 of 256 are taken: a
/// newer Mesa, which nobody has run here, would tell whether that is the compiler's or the kernels'.
const REGISTERS: u64 = 240;

/// Compiles each for each card, and writes the table; an operation's name: compiles its kernels for each card.
const STATISTICS: &str = "CROSSLANE_STATISTICS";

#[test]
fn no_kernel_spills() {
    if let Ok(task) = std::env::var(TASK) {
        return compile(&task);
    }
    let (wanted, begun) = (std::env::var(STATISTICS).ok(), Instant::now());
    let mut figures = vec![];
    // Two at a time: each keeps a processor busy.
    for pair in (0..CARDS.len()).collect::<Vec<_>>().chunks(2) {
        let task = |place: usize| match &wanted {
            Some(operation) => format!("0 1 {operation}"),
            None => format!("{place} {} all", SAMPLED * CARDS.len()),
        };
        let begin = |&place: &usize| Some((CARDS[place], start(CARDS[place], "amd::no_kernel_spills", &task(place))?));
        let children: Vec<_> = pair.iter().filter_map(begin).collect();
        figures.extend(children.into_iter().map(|(card, child)| (card, read(&said(child, card.name)))));
    }
    if figures.is_empty() {
        return; // no RADV: said
    }
    let count: usize = figures.iter().map(|(_, of)| of.len()).sum();
    say(&format!("AMD's compiler: {count} kernels in {:.0} s", begun.elapsed().as_secs_f64()));
    match wanted.as_deref() {
        Some("all") => write(&table(&figures)),
        Some(_) => say(&table(&figures)),
        None => assert!(figures.iter().all(|(_, of)| of.len() > 100)),
    }
    for (card, figures) in &figures {
        let size = if card.name.ends_with("64") { 64 } else { 32 };
        assert!(figures.iter().any(|one| one.subgroup == size), "{}: nothing runs in subgroups of {size}", card.name);
    }
    let spill = |(card, figures): &(crate::Card, Vec<Figures>)| {
        let of = figures.iter().filter(|one| {
            one.spilled_vgprs > 0 && judged(card, one) && !KNOWN.iter().any(|known| one.what.contains(known))
        });
        of.map(|one| format!("{}: {one:?}", card.name)).collect::<Vec<_>>()
    };
    let spilling: Vec<String> = figures.iter().flat_map(spill).collect();
    assert!(spilling.is_empty(), "{} kernels spill:\n{}", spilling.len(), spilling.join("\n"));
}

/// Whether a spill of this kernel may be the kernel's. On the other cards every one is.
fn judged(card: &crate::Card, one: &Figures) -> bool {
    !card.name.starts_with("RDNA 3") || one.vgprs >= REGISTERS
}

/// The kernels of all cases' plans for a device, each once.
fn kernels(device: &Device) -> Vec<(&'static str, String, Kernel)> {
    let mut seen = HashSet::new();
    let mut all = vec![];
    for (operation, cases) in ALL {
        for case in cases(device.caps()) {
            for pass in case.op.plan(device.caps()).map_or(vec![], |plan| plan.passes) {
                if seen.insert(Case::identity(&pass.kernel)) {
                    all.push((*operation, format!("{}, {}", case.what, pass.kernel.name()), pass.kernel));
                }
            }
        }
    }
    all
}

/// In a child: compiles every so manieth kernel, and says what the compiler says.
fn compile(task: &str) {
    let fields: Vec<&str> = task.split(' ').collect();
    let [first, every, wanted] = fields[..] else { panic!("wanted two numbers and a word, got {task:?}") };
    let (first, every): (usize, usize) = (first.parse().unwrap(), every.parse().unwrap());
    let device = Device::open("radv").unwrap();
    let all = kernels(&device).into_iter().filter(|(operation, ..)| [*operation, "all"].contains(&wanted));
    for (operation, what, kernel) in all.skip(first).step_by(every) {
        let begun = Instant::now();
        let figures = device.compile_kernel(&kernel).unwrap_or_else(|error| panic!("{operation}: {what}: {error}"));
        say(&line(operation, &what, &figures));
        if begun.elapsed().as_secs() > 2 {
            say(&format!("{operation}: {what}: the compiler took {:.1} s", begun.elapsed().as_secs_f64()));
        }
    }
}

fn write(table: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/amd.md");
    let text = format!(
        "# Kernels as AMD's compiler makes them\n\n\
         Written by `CROSSLANE_STATISTICS=all cargo test --all-features --test compilers amd`: the kernels of all test cases, compiled by\n\
         ACO in Mesa's RADV for cards that are not there. Nothing ran. Each figure is the most of an operation's kernels (of\n\
         subgroups a SIMD the least). LDS and scratch are in bytes, scratch of each invocation or as the driver rounds it.\n\n{table}"
    );
    std::fs::write(path, text).unwrap();
}
