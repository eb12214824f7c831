//! Histograms of uniform numbers, as in the peers' benchmarks, and of numbers that are all in one bin.

use super::compare::random;
use super::measure::{Group, Row};
use super::workloads::{Inputs, X};
use super::{Outcome, indices};
use crosslane::{Array, Result};

/// Name, bins, and whether all numbers lie in the first.
const ROWS: [(&str, usize, bool); 4] = [
    ("histogram_even_f32_256", 256, false),
    ("histogram_even_f32_4096", 4096, false),
    ("histogram_even_f32_65536", 65_536, false),
    ("histogram_one_bin_f32_256", 256, true),
];

fn counts(inputs: &Inputs, bins: usize, one_bin: bool) -> Result<Array<u32>> {
    // Numbers in 0..1 are all in the first bin of 0..bins.
    let high = if one_bin { bins as f64 } else { 1.0 };
    Ok(inputs.x().histogram(bins, 0.0..high)?.0)
}

/// Counts on the host: the numbers are multiples of 2^-24, so that products with few bins are exact.
fn wanted(n: usize, bins: usize, one_bin: bool) -> Vec<u32> {
    const PART: usize = 1 << 20;
    let count = |part: usize| {
        let mut counts = vec![0; bins];
        for i in part * PART..n.min((part + 1) * PART) {
            counts[if one_bin { 0 } else { (random(X, i) as f64 * bins as f64) as usize }] += 1;
        }
        counts
    };
    let parts = indices::map(n.div_ceil(PART), count);
    (0..bins).map(|bin| parts.iter().map(|counts| counts[bin]).sum()).collect()
}

/// The lines of the table.
pub fn rows(inputs: &Inputs) -> Vec<Row<'_>> {
    let row = |(op, bins, one_bin): (&'static str, usize, bool)| Row {
        op,
        n: inputs.n,
        group: Group::Memory { bytes: 4 * inputs.n as u64 },
        before: None,
        check: Box::new(move || check(op, &counts(inputs, bins, one_bin)?.to_vec()?, &wanted(inputs.n, bins, one_bin))),
        work: Box::new(move || counts(inputs, bins, one_bin)?.eval()),
    };
    ROWS.map(row).into_iter().collect()
}

fn check(op: &str, got: &[u32], wanted: &[u32]) -> Outcome {
    match got.iter().zip(wanted).position(|(got, wanted)| got != wanted) {
        None => Ok(()),
        Some(bin) => Err(format!("{op}: wrong result: wanted {} in bin {bin}, got {}", wanted[bin], got[bin]).into()),
    }
}
