//! Runs of equal keys, some eight long, encoded and summed; and the distinct ones of random keys.

use super::compare::{BOUND, compare, random, word};
use super::measure::{Group, Row};
use super::workloads::{Inputs, X};
use super::{Outcome, indices};
use crosslane::device::DeviceKind;
use crosslane::{Array, Scan, Selected};
use rayon::prelude::*;
use std::cell::OnceCell;
use std::ops::Range;

const SEED: u64 = 9;
/// Keys of which the distinct ones are wanted, at most: on cards, and elsewhere, as many as of the sorts.
const MOST: [usize; 2] = [1 << 26, 1 << 20];

/// Keys, made at their first use.
pub struct Keys<'a> {
    inputs: &'a Inputs,
    runs: OnceCell<Array<u32>>,
    mixed: OnceCell<Array<u32>>,
}

/// The number of the run that an element is in: runs are 7 and 8 long.
fn run(i: usize) -> usize {
    i * 41 / 327
}

/// The elements of a run.
fn elements(run: usize, n: usize) -> Range<usize> {
    (run * 327).div_ceil(41)..((run + 1) * 327).div_ceil(41).min(n)
}

/// The key of a run: never that of the next.
fn key(run: usize) -> u32 {
    word(SEED, run) as u32 & !1 | run as u32 & 1
}

/// One of 2^24 keys.
fn mixed(i: usize) -> u32 {
    word(SEED, i) as u32 >> 8
}

impl Keys<'_> {
    pub fn new(inputs: &Inputs) -> Keys<'_> {
        Keys { inputs, runs: OnceCell::new(), mixed: OnceCell::new() }
    }

    fn n(&self) -> usize {
        self.inputs.n
    }

    fn mixed_len(&self) -> usize {
        let discrete = self.inputs.x().device().properties().kind == DeviceKind::Discrete;
        self.n().min(MOST[!discrete as usize])
    }

    fn runs(&self) -> &Array<u32> {
        let host = || indices::map(self.n(), |i| key(run(i)));
        self.runs.get_or_init(|| Array::from_slice(self.inputs.x().device(), &host()))
    }

    fn mixed(&self) -> &Array<u32> {
        let host = || indices::map(self.mixed_len(), mixed);
        self.mixed.get_or_init(|| Array::from_slice(self.inputs.x().device(), &host()))
    }

    fn summed(&self) -> (Selected<u32>, Selected<f32>) {
        Scan::sum().reduce_by_key(self.runs(), self.inputs.x())
    }

    fn check_keys(&self, op: &str, got: &[u32]) -> Outcome {
        let all = run(self.n() - 1) + 1;
        right(op, got.len() == all && indices::all(all, |run| got[run] == key(run)))
    }

    fn check_lengths(&self, op: &str) -> Outcome {
        let (keys, lengths) = self.runs().run_lengths();
        self.check_keys(op, &keys.to_vec()?)?;
        let n = self.n();
        let wanted = |run: usize| elements(run, n).len() as u32;
        let lengths = lengths.to_vec()?;
        right(op, indices::all(lengths.len(), |run| lengths[run] == wanted(run)))
    }

    fn check_sums(&self, op: &str) -> Outcome {
        let (keys, sums) = self.summed();
        self.check_keys(op, &keys.to_vec()?)?;
        let n = self.n();
        let wanted = |run: usize| elements(run, n).map(|i| random(X, i) as f64).sum();
        compare(op, &sums.to_vec()?, run(n - 1) + 1, BOUND, wanted)
    }

    fn check_distinct(&self, op: &str) -> Outcome {
        let mut wanted: Vec<u32> = indices::map(self.mixed_len(), mixed);
        wanted.par_sort_unstable();
        wanted.dedup();
        right(op, self.mixed().unique().to_vec()? == wanted)
    }
}

fn right(op: &str, is: bool) -> Outcome {
    if is { Ok(()) } else { Err(format!("{op}: wrong result").into()) }
}

/// The lines of the table. Bytes: what must be read, and eight for each run.
pub fn rows<'a>(keys: &'a Keys) -> Vec<Row<'a>> {
    let (n, most) = (keys.n(), keys.mixed_len());
    let bytes = |read: u64| Group::Memory { bytes: read * n as u64 + 8 * (run(n - 1) + 1) as u64 };
    let (lengths, sums, distinct) = ("run_lengths_u32", "reduce_by_key_u32_f32", "unique_u32");
    vec![
        Row {
            op: lengths,
            n,
            group: bytes(4),
            before: None,
            check: Box::new(move || keys.check_lengths(lengths)),
            work: Box::new(move || {
                let (values, lengths) = keys.runs().run_lengths();
                crosslane::eval_all(&[values.count_array(), lengths.count_array()])
            }),
        },
        Row {
            op: sums,
            n,
            group: bytes(8),
            before: None,
            check: Box::new(move || keys.check_sums(sums)),
            work: Box::new(move || {
                let (values, sums) = keys.summed();
                crosslane::eval_all(&[values.count_array(), sums.count_array()])
            }),
        },
        Row {
            op: distinct,
            n: most,
            group: Group::Keys { keys: most as u64 },
            before: None,
            check: Box::new(move || keys.check_distinct(distinct)),
            work: Box::new(move || keys.mixed().unique().count_array().eval()),
        },
    ]
}
