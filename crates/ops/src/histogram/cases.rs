//! Histograms: every type and rule, few bins and many, weights, two axes, through windows.

use crate::cases::{Case, ordered, row};
use crate::{Binning, Histogram, Rule, compared, even_edges, thresholds};
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType, Scalar};
use crosslane_core::op::{Fill, Value};

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all: Vec<Case> = ordered(caps).flat_map(of_type).collect();
    let end = |x: f32| Scalar { dtype: DType::F32, bits: x.to_bits() as u128 };
    let axis = Binning { bins: 100, rule: Rule::Search { low: end(0.25), high: end(3.0) } };
    for weight in [DType::F32, DType::I32, DType::U32] {
        let (samples, weights) = (vec![row(0, DType::F32, 1001)], Some(row(1, weight, 1001)));
        let (axes, edges) = (vec![axis.clone()], Some(row(2, DType::F32, 101)));
        let op = Histogram { samples, weights, shape: vec![1001], axes, edges, output: 3 };
        all.push(Case::new(format!("weights of {weight:?}"), op).fill(2, Fill::Sorted));
    }
    let samples = vec![row(0, DType::F32, 1001), row(1, DType::F32, 1001)];
    let (axes, edges) = (vec![axis.clone(), axis], Some(row(2, DType::F32, 202)));
    let op = Histogram { samples, weights: None, shape: vec![1001], axes, edges, output: 3 };
    let edges: Vec<Value> = (0..202).map(|edge| Value::Float(0.25 + (edge % 101) as f64 * 2.75 / 100.0)).collect();
    all.push(Case::new("two axes", op).fill(2, Fill::Values(edges)));
    all
}

fn of_type(dtype: DType) -> Vec<Case> {
    let compared = compared(dtype);
    let end = |number: i64| match compared.class() {
        Class::Float => Scalar::from_f64(compared, number as f64),
        _ => Value::Int(number as i128).scalar(compared),
    };
    let number = matches!(dtype.class(), Class::Signed | Class::Unsigned);
    let mut all = vec![];
    for (bins, len) in [
        (7, 0),
        (7, 1000),
        (300, 999),
        (300, 140_003),
        (5000, 1000),
        (5000, 100_000_000),
        (50_000, 1000),
        (200_000, 1000),
    ] {
        let search = Binning { bins, rule: Rule::Search { low: end(0), high: end(12) } };
        let even = even_edges(dtype, bins, 0.0, 3.0, false);
        let borders =
            thresholds(dtype, &even).map(|borders| (Binning::even(dtype, &even, &borders), Fill::Values(borders)));
        let numbers = number.then(|| (Binning::numbers(bins), Fill::Numbers));
        for (axis, fill) in [Some((search, Fill::Sorted)), borders, numbers].into_iter().flatten() {
            let edges = (axis.rule != Rule::Number).then(|| row(1, compared, bins + 1));
            let what = format!("histogram of {len} {dtype} in {bins} bins by {:?}", axis.rule);
            let (output, samples) = (1 + edges.is_some() as usize, vec![row(0, dtype, len)]);
            let op = Histogram { samples, weights: None, shape: vec![len], axes: vec![axis], edges, output };
            all.push(if output == 2 { Case::new(what, op).fill(1, fill) } else { Case::new(what, op) });
        }
    }
    all
}
