//! Operations of the library: lines of `crosslane bench`, with its checks.

use super::super::super::measure::{Group, Row};
use super::super::super::workloads::{self, Inputs};
use super::super::super::{Outcome, histograms};
use super::{Prepared, Problem, Setting, Work};
use crosslane::Result;
use std::rc::Rc;

const SUITE: &str = "crosslane";

pub const PROBLEMS: [Problem; 9] = [
    Problem { suite: SUITE, name: "exclusive_sum_f32", prepare: |s| prepared(s, 1) },
    Problem { suite: SUITE, name: "expression_gelu", prepare: |s| prepared(s, 40) },
    Problem { suite: SUITE, name: "expression_sqrt", prepare: |s| prepared(s, 3) },
    Problem { suite: SUITE, name: "histogram_even_f32_256", prepare: |s| prepared(s, 2) },
    Problem { suite: SUITE, name: "select_if_f32_25pct", prepare: |s| prepared(s, 1) },
    Problem { suite: SUITE, name: "softmax_rows_f32", prepare: |s| prepared(s, 5) },
    Problem { suite: SUITE, name: "sum_columns_f32", prepare: |s| prepared(s, 1) },
    Problem { suite: SUITE, name: "sum_rows_f32", prepare: |s| prepared(s, 1) },
    Problem { suite: SUITE, name: "transpose_f32", prepare: |s| prepared(s, 0) },
];

/// The benchmark's line of this name; the last one, where there are several sizes.
fn line<'a>(inputs: &'a Inputs, name: &str) -> Outcome<Row<'a>> {
    let rows = workloads::rows(inputs).into_iter().chain(histograms::rows(inputs));
    rows.filter(|row| row.op == name).last().ok_or_else(|| format!("no line {name}").into())
}

fn prepared(setting: &Setting, flops: usize) -> Outcome<Prepared> {
    let (name, n) = (setting.name, setting.sizes.line);
    let inputs = Rc::new(Inputs::new(setting.device, n));
    let same = inputs.clone();
    let group = line(&inputs, name)?.group;
    let Group::Memory { bytes } = group else { return Err(format!("{name} is not bound by memory").into()) };
    let work = Work { bytes, flops: (flops * n) as u64 };
    let run = move || -> Result<()> { (line(&inputs, name).expect("it was there before").work)() };
    Ok(Prepared::checked(n, work, run, move || (line(&same, name)?.check)()))
}
