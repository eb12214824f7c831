//! Transforms: every radix, lengths of one, two and three launches, both directions, real and half rows, axes, prologues, zeros
//! after and values left out.

use super::Fft;
use crate::cases::{Case, contiguous, expression, leaf};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill, Function};

/// A transform of an array along an axis.
fn fft(dtype: DType, shape: &[usize], axis: usize, length: usize) -> Fft {
    let len = shape.iter().product();
    let expression = expression(None, leaf(0, dtype, len, 0, &contiguous(shape)));
    of(expression, shape, axis, length)
}

fn of(expression: Expression, shape: &[usize], axis: usize, length: usize) -> Fft {
    let result = expression.dtype().complex().unwrap_or(expression.dtype());
    Fft {
        output: expression.slots().len(),
        expression,
        shape: shape.to_vec(),
        axis,
        length,
        half: false,
        inverse: false,
        kept: length,
        result,
        scale: 1f64.to_bits(),
    }
}

/// What sums of so many values may be off by.
fn case(what: impl Into<String>, op: Fft) -> Case {
    // Values are up to 3, sums up to 3 n; the rounded sums of what is small are off by what they sum.
    let size = (op.length as f64).sqrt() * 3.0;
    let what = format!("{}, {}", what.into(), op.result);
    Case::new(what, op).fill(0, Fill::Numbers).scale(size)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let kinds = [(DType::F32, DType::Complex32), (DType::F64, DType::Complex64)];
    kinds
        .into_iter()
        .filter(|(real, _)| caps.lacks(*real).is_none())
        .flat_map(|(real, complex)| of_kind(real, complex))
        .collect()
}

fn of_kind(real_kind: DType, kind: DType) -> Vec<Case> {
    let mut all = vec![];
    let lengths =
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 20, 22, 26, 30, 32, 35, 49, 60, 64, 77, 100, 120, 128, 143];
    for length in lengths.into_iter().chain([169, 210, 243, 256, 360, 500, 512]) {
        all.push(case(format!("rows of {length}"), fft(kind, &[3, length], 1, length)));
    }
    for length in [16, 60, 128] {
        all.push(case(format!("columns of {length}"), fft(kind, &[length, 5], 0, length)));
        all.push(case(format!("{length} between axes"), fft(kind, &[2, length, 3], 1, length)));
        let inverse =
            Fft { inverse: true, scale: (1.0 / length as f64).to_bits(), ..fft(kind, &[4, length], 1, length) };
        all.push(case(format!("inverse of {length}"), inverse));
        let real = Fft { kept: length / 2 + 1, ..fft(real_kind, &[5, length], 1, length) };
        all.push(case(format!("real rows of {length}"), real));
    }
    for length in [8, 15, 100] {
        let half = fft(kind, &[3, length / 2 + 1], 1, length);
        let half = Fft { half: true, inverse: true, result: real_kind, ..half };
        all.push(case(format!("half rows of {length}"), half.clone()));
        let few = Fft { shape: vec![3, length / 4], ..half };
        all.push(case(
            format!("quarter rows of {length}"),
            Fft { expression: fft(kind, &[3, length / 4], 1, 1).expression, ..few },
        ));
    }
    all.push(case("zeros after", fft(kind, &[3, 20], 1, 64)));
    all.push(case("values left out", fft(kind, &[3, 70], 1, 48)));
    all.push(case("the first of the result", Fft { kept: 7, ..fft(kind, &[3, 70], 1, 70) }));
    let squared = expression(Some(Function::Multiply), leaf(0, kind, 3 * 40, 0, &[40, 1]));
    all.push(case("of squares", of(squared, &[3, 40], 1, 40)));
    let strided = expression(None, leaf(0, kind, 400, 399, &[-100, -3]));
    all.push(case("of every third, backwards", of(strided, &[3, 32], 1, 32)));
    all.push(case("of nothing", fft(kind, &[0, 8], 1, 8)));
    all.push(case("long ones side by side", fft(kind, &[2048, 2], 0, 2048)));
    all.push(case("long ones between axes", Fft { inverse: true, ..fft(kind, &[2, 1280, 2], 1, 1280) }));
    for length in [4096, 8192] {
        all.push(case(format!("a row of {length}"), fft(kind, &[length], 0, length)));
    }
    all
}
