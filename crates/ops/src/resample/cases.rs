//! Resamplings: up and down, along one axis and both, all kinds of windows, planar and interleaved, epilogues that fill words or
//! not.

use super::{Resample, Resampling, Table};
use crate::cases::{Case, cast, contiguous, expression, leaf, sums_in};
use crate::pixels::Extents;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Function, Leaf, LeafSource, Value};

/// What memory holds of the tables; one number where there are none.
fn held(tables: &[Option<Table>; 2], sums: DType) -> Vec<Value> {
    let values = |table: &Table| -> Vec<Value> {
        let (numbers, windows) = (table.numbers(), table.firsts.len());
        match sums {
            DType::F64 => numbers.into_iter().map(Value::Float).collect(),
            _ => Table::words(&numbers, windows).map(|word| Value::Int(word as i128)).collect(),
        }
    };
    let all: Vec<Value> = tables.iter().flatten().flat_map(values).collect();
    if all.is_empty() { vec![Value::Int(0).cast(if sums == DType::F64 { sums } else { DType::U32 })] } else { all }
}

struct Problem<'a> {
    shape: &'a [usize],
    interleaved: bool,
    size: [usize; 2],
    by: Resampling,
    antialias: bool,
    types: [DType; 2],
}

impl Problem<'_> {
    fn case(&self) -> Case {
        let extents = Extents { shape: self.shape.to_vec(), interleaved: self.interleaved };
        let pixels = leaf(0, self.types[0], extents.len(), 0, &contiguous(self.shape));
        self.case_of(extents, pixels, None)
    }

    fn case_of(&self, extents: Extents, pixels: Leaf, before: Option<Function>) -> Case {
        let Problem { shape, size, by, antialias, types, .. } = self;
        let from = extents.size();
        let tables = [0, 1].map(|axis| Table::of(from[axis], size[axis], *by, *antialias));
        let (sums, kind) = if types[0] == DType::F64 { (DType::F64, DType::F64) } else { (DType::F32, DType::U32) };
        let (values, taps) =
            (held(&tables, sums), tables.each_ref().map(|table| table.as_ref().map_or(0, |table| table.taps)));
        let mut expression = expression(before, pixels);
        let last = expression.steps.len() - 1;
        cast(&mut expression, last, sums);
        let tables = crate::cases::row(1, kind, values.len());
        let epilogue = sums_in(sums, types[1], shape.len());
        let what = format!("{shape:?} to {size:?} by {by:?}, {antialias}, {:?}, {}", types, self.interleaved);
        let op = Resample { expression, extents, tables, taps, size: *size, epilogue, output: 2 };
        // Weights below 0 make the sum of sizes larger than the sum.
        Case::new(what, op).fill(1, Fill::Values(values)).scale(12.0)
    }
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let floats = [DType::F32; 2];
    let mut add = |shape: &[usize], interleaved, size, by, antialias, types| {
        all.push(Problem { shape, interleaved, size, by, antialias, types }.case());
    };
    use Resampling::*;
    for by in [Nearest, Bilinear, Bicubic, Lanczos, Area] {
        for antialias in [false, true] {
            add(&[2, 13, 17], false, [29, 11], by, antialias, floats);
            add(&[13, 17], false, [5, 40], by, antialias, floats);
            add(&[7, 9, 3], true, [16, 5], by, antialias, floats);
            add(&[1, 1], false, [3, 2], by, antialias, floats);
            add(&[40, 60], false, [3, 2], by, antialias, floats);
        }
        for types in [[DType::U8; 2], [DType::U16; 2], [DType::U8, DType::F32], [DType::F16; 2]] {
            if types.iter().all(|&dtype| caps.lacks(dtype).is_none()) {
                // Rows that fill words, and rows that do not.
                add(&[2, 20, 24], false, [33, 12], by, true, types);
                add(&[9, 24, 3], true, [7, 20], by, true, types);
                add(&[20, 24], false, [33, 11], by, true, types);
                add(&[90, 100], false, [8, 8], by, true, types);
            }
        }
        // One axis alone.
        add(&[20, 30], false, [20, 11], by, true, floats);
        add(&[20, 30], false, [7, 30], by, true, floats);
        add(&[200, 30], false, [3, 30], by, true, floats);
        add(&[20, 300], false, [20, 3], by, true, floats);
        // Enough results to fill a small device, and a device, so that invocations have several rows.
        add(&[40, 400], false, [80, 500], by, true, floats);
        add(&[160, 800], false, [80, 400], by, true, floats);
        add(&[300, 400], false, [600, 500], by, true, floats);
        add(&[1200, 800], false, [600, 400], by, true, floats);
    }
    // One column, one pixel.
    for types in [[DType::U8; 2], [DType::U16; 2]] {
        add(&[10, 2], false, [5, 1], Bilinear, true, types);
        add(&[1, 2], false, [1, 1], Bilinear, true, types);
    }
    if caps.lacks(DType::F64).is_none() {
        let doubles = [DType::F64; 2];
        for by in [Nearest, Bilinear, Bicubic, Lanczos, Area] {
            add(&[2, 13, 17], false, [29, 11], by, true, doubles);
            add(&[7, 9, 3], true, [16, 5], by, false, doubles);
            add(&[40, 60], false, [3, 2], by, true, doubles);
        }
        add(&[20, 24], false, [33, 12], Bicubic, true, [DType::F64, DType::F32]);
    }
    for by in [Nearest, Lanczos] {
        add(&[160, 600, 3], true, [100, 400], by, true, [DType::U8; 2]);
        add(&[3, 160, 600], false, [100, 400], by, true, [DType::U8; 2]);
        add(&[800, 600, 3], true, [500, 400], by, true, [DType::U8; 2]);
        add(&[3, 800, 600], false, [500, 400], by, true, [DType::U8; 2]);
    }
    // Long windows, of as many results.
    add(&[480, 1500], false, [100, 300], Lanczos, true, floats);
    add(&[2, 195, 780], false, [65, 260], Lanczos, true, [DType::U8; 2]);
    add(&[2400, 1500], false, [500, 300], Lanczos, true, floats);
    add(&[8, 780, 780], false, [260, 260], Lanczos, true, [DType::U8; 2]);
    add(&[20, 30], false, [20, 30], Bilinear, true, floats);
    add(&[0, 20, 30], false, [10, 10], Bilinear, true, floats);
    let squared = Leaf { source: LeafSource::Slot(0), ..leaf(0, DType::F32, 800, 799, &[-40, -2]) };
    let problem =
        Problem { shape: &[20, 20], interleaved: false, size: [9, 31], by: Bicubic, antialias: true, types: floats };
    let extents = Extents { shape: vec![20, 20], interleaved: false };
    all.push(problem.case_of(extents, squared, Some(Function::Multiply)));
    all
}
