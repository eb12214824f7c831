//! What AMD's compiler says of kernels: lines from child processes, and a table of them.

use crate::{CARDS, Card};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The compiler's names of what is kept.
const NAMES: [&str; 9] = [
    "Subgroup size",
    "SGPRs",
    "VGPRs",
    "Spilled SGPRs",
    "Spilled VGPRs",
    "LDS size",
    "Scratch size",
    "Subgroups per SIMD",
    "Instructions",
];

/// Begins a line of a child's.
const MARK: &str = "@kernel\t";

/// What the compiler says of one kernel.
#[derive(Clone, Debug)]
pub struct Figures {
    pub operation: String,
    /// The case, and the kernel's name.
    pub what: String,
    pub subgroup: u64,
    pub sgprs: u64,
    pub vgprs: u64,
    pub spilled_sgprs: u64,
    pub spilled_vgprs: u64,
    pub lds: u64,
    pub scratch: u64,
    pub occupancy: u64,
    pub instructions: u64,
}

/// A child's line.
pub fn line(operation: &str, what: &str, said: &[(String, u64)]) -> String {
    let value = |name: &&str| {
        let found = said.iter().find(|(other, _)| other == name);
        found.unwrap_or_else(|| panic!("the compiler does not tell {name:?}: {said:?}")).1.to_string()
    };
    format!("{MARK}{operation}\t{}\t{what}", NAMES.iter().map(value).collect::<Vec<_>>().join("\t"))
}

/// All that a child said of kernels.
pub fn read(text: &str) -> Vec<Figures> {
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(one).collect()
}

fn one(line: &str) -> Figures {
    let mut fields = line.splitn(NAMES.len() + 2, '\t');
    let operation = fields.next().expect("the operation").to_string();
    let mut number = || fields.next().expect("a field for each name").parse().expect("a number");
    let [subgroup, sgprs, vgprs, spilled_sgprs, spilled_vgprs, lds, scratch, occupancy, instructions] =
        [(); NAMES.len()].map(|()| number());
    let what = fields.next().expect("the case").to_string();
    #[rustfmt::skip]
    let figures = Figures {
        operation, what, subgroup, sgprs, vgprs, spilled_sgprs, spilled_vgprs, lds, scratch, occupancy, instructions,
    };
    figures
}

/// One row an operation and card: the most of all its kernels, and the least occupancy.
pub fn table(all: &[(Card, Vec<Figures>)]) -> String {
    let mut groups: BTreeMap<(&str, usize), Vec<&Figures>> = BTreeMap::new();
    for (card, figures) in all {
        let place = CARDS.iter().position(|other| other == card).expect("one of them");
        figures.iter().for_each(|one| groups.entry((&one.operation, place)).or_default().push(one));
    }
    let mut text = String::from(
        "| operation | card, subgroups | kernels | SGPRs | VGPRs | LDS | spilled SGPRs | spilled VGPRs | scratch | \
         subgroups a SIMD | instructions |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for ((operation, place), kernels) in groups {
        let most = |of: fn(&Figures) -> u64| kernels.iter().map(|one| of(one)).max().unwrap_or(0);
        let least = kernels.iter().map(|one| one.occupancy).min().unwrap_or(0);
        writeln!(
            text,
            "| {operation} | {} | {} | {} | {} | {} | {} | {} | {} | {least} | {} |",
            CARDS[place].name,
            kernels.len(),
            most(|one| one.sgprs),
            most(|one| one.vgprs),
            most(|one| one.lds),
            most(|one| one.spilled_sgprs),
            most(|one| one.spilled_vgprs),
            most(|one| one.scratch),
            most(|one| one.instructions),
        )
        .expect("a text takes all");
    }
    text
}
