//! Binary searches in a million sorted numbers, and gathers by random indices.

use super::compare::{compare, random};
use super::measure::{Group, Row};
use super::workloads::{Inputs, X, Y};
use super::{Outcome, indices};
use crosslane::array::OutOfRange;
use crosslane::array::Side;
use crosslane::{Array, Result};
use std::cell::OnceCell;

/// Elements of the sorted array: all multiples of its inverse in 0..1.
const SORTED: usize = 1 << 20;

/// The inputs, made at their first use.
pub struct Lookups<'a> {
    inputs: &'a Inputs,
    sorted: OnceCell<Array<f32>>,
    indices: OnceCell<Array<u32>>,
}

impl Lookups<'_> {
    pub fn new(inputs: &Inputs) -> Lookups<'_> {
        Lookups { inputs, sorted: OnceCell::new(), indices: OnceCell::new() }
    }

    fn places(&self) -> Array<u32> {
        let x = self.inputs.x();
        let sorted = || Array::arange(x.device(), 0.0, 1.0, 1.0 / SORTED as f32).copy();
        self.sorted.get_or_init(sorted).searchsorted(x, Side::Left)
    }

    fn taken(&self) -> Result<Array<f32>> {
        if self.indices.get().is_none() {
            let indices = (self.inputs.x() * self.inputs.n as f32).cast::<u32>();
            indices.eval()?;
            self.indices.get_or_init(|| indices);
        }
        Ok(self.inputs.y().take(self.indices.get().expect("made above"), OutOfRange::Clamp))
    }

    fn check_places(&self, op: &str) -> Outcome {
        let got = self.places().to_vec()?;
        // The numbers are multiples of 2^-24: the product is exact.
        let wanted = |i: usize| (random(X, i) * SORTED as f32).ceil() as u32;
        match indices::first(got.len(), |i| got[i] != wanted(i)) {
            None => Ok(()),
            Some(i) => Err(format!("{op}: wrong result at index {i}: wanted {}, got {}", wanted(i), got[i]).into()),
        }
    }

    fn check_taken(&self, op: &str) -> Outcome {
        let n = self.inputs.n;
        let wanted = |i: usize| random(Y, ((random(X, i) * n as f32) as usize).min(n - 1)) as f64;
        compare(op, &self.taken()?.to_vec()?, n, 0.0, wanted)
    }
}

/// The lines of the table. Bytes: a number read and an index written; an index and an element read and one written.
pub fn rows<'a>(lookups: &'a Lookups) -> Vec<Row<'a>> {
    let n = lookups.inputs.n;
    let bytes = |words: u64| Group::Memory { bytes: words * 4 * n as u64 };
    let (search, take) = ("searchsorted_f32", "take_f32_random");
    vec![
        Row {
            op: search,
            n,
            group: bytes(2),
            before: None,
            check: Box::new(move || lookups.check_places(search)),
            work: Box::new(move || lookups.places().eval()),
        },
        Row {
            op: take,
            n,
            group: bytes(3),
            before: None,
            check: Box::new(move || lookups.check_taken(take)),
            work: Box::new(move || lookups.taken()?.eval()),
        },
    ]
}
