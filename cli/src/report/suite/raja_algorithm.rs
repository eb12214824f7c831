//! RAJAPerf's group Algorithm, in f32. References are the host's.

use super::super::super::Outcome;
use super::super::super::compare::word;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Array, Scan};
use rayon::prelude::*;

const SUITE: &str = "RAJAPerf Algorithm";

pub const PROBLEMS: [Problem; 7] = [
    Problem { suite: SUITE, name: "HISTOGRAM", prepare: histogram },
    Problem { suite: SUITE, name: "MEMCPY", prepare: memcpy },
    Problem { suite: SUITE, name: "MEMSET", prepare: memset },
    Problem { suite: SUITE, name: "REDUCE_SUM", prepare: reduce_sum },
    Problem { suite: SUITE, name: "SCAN", prepare: scan },
    Problem { suite: SUITE, name: "SORT", prepare: sort },
    Problem { suite: SUITE, name: "SORTPAIRS", prepare: sortpairs },
];

/// RAJAPerf's number of bins.
const BINS: usize = 100;

fn bin(i: usize) -> u32 {
    (word(1, i) % BINS as u64) as u32
}

fn histogram(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = Array::from_slice(setting.device, &(0..n).map(bin).collect::<Vec<_>>());
    let wanted = move || {
        let mut counts = vec![0.0; BINS];
        (0..n).for_each(|i| counts[bin(i) as usize] += 1.0);
        counts
    };
    Ok(Prepared::new(n, Work::each(n, 1, 0), 0.0, move || Ok(x.bincount(BINS)), wanted))
}

fn memcpy(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = setting.input(1, &[n]);
    Ok(Prepared::new(n, Work::each(n, 2, 0), 0.0, move || Ok(x.copy()), move || each(n, |i| value(1, i))))
}

fn memset(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let make = move || Ok(Array::full(&device, &[n], 0.75f32).copy());
    Ok(Prepared::new(n, Work::each(n, 1, 0), 0.0, make, move || vec![0.75; n]))
}

fn reduce_sum(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = setting.input(1, &[n]);
    let wanted = move || vec![each(n, |i| value(1, i)).iter().sum()];
    Ok(Prepared::new(n, Work::each(n, 1, 1), 1e-5, move || Ok(x.sum()), wanted))
}

fn scan(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = setting.input(1, &[n]);
    let wanted = move || {
        let mut sum = 0.0;
        each(n, |i| value(1, i))
            .into_iter()
            .map(|x| {
                sum += x;
                sum - x
            })
            .collect()
    };
    Ok(Prepared::new(n, Work::each(n, 2, 1), 1e-5, move || Ok(Scan::sum().exclusive().call::<f32, f32>(&x)), wanted))
}

/// The least that a sort can move: keys read and written once.
fn sort(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = setting.input(1, &[n]);
    let wanted = move || {
        let mut keys = each(n, |i| value(1, i));
        keys.par_sort_unstable_by(f64::total_cmp);
        keys
    };
    Ok(Prepared::new(n, Work::each(n, 2, 0), 0.0, move || Ok(x.sort()), wanted))
}

/// Keys that are equal keep the order of their values, as the library's sort is stable.
fn sortpairs(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (x, places) = (setting.input(1, &[n]), Array::<u32>::arange(setting.device, 0, n as u32, 1).copy());
    let wanted = move || {
        let mut pairs: Vec<(f64, usize)> = (0..n).map(|i| (value(1, i), i)).collect();
        pairs.par_sort_by(|a, b| a.0.total_cmp(&b.0));
        [each(n, |i| pairs[i].0), each(n, |i| pairs[i].1 as f64)].concat()
    };
    Ok(Prepared::new(n, Work::each(n, 4, 0), 0.0, move || Ok(x.sort_pairs(&places)), wanted))
}
