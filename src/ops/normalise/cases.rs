//! Normalisations: every one and type, of rows and columns that are held, read in pieces, shared, and past one binding.

use crate::caps::Caps;
use crate::element::DType;
use crate::ops::Normalisation::*;
use crate::ops::Normalise;
use crate::ops::cases::{Case, contiguous, expression, leaf};

pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let (epsilon, freedom) = (1e-5, 1.0);
    let kinds = [Softmax, LogSoftmax, LogSumExp, Layer { epsilon }, Rms { epsilon }, MeanVariance { freedom }];
    for dtype in [DType::F16, DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for normalisation in kinds.into_iter().filter(|kind| !(kind.is_exponential() && dtype == DType::F64)) {
            let shapes: [(&[usize], &[bool]); 15] = [
                (&[7], &[true]),
                (&[1000, 5], &[false, true]),
                (&[30, 64], &[false, true]),
                (&[300, 64], &[false, true]),
                (&[2, 7000], &[false, true]),
                (&[16, 16384], &[false, true]),
                (&[3, 50_001], &[false, true]),
                (&[133, 40_000], &[false, true]),
                (&[2000, 100_000], &[false, true]),
                (&[10_000_000], &[true]),
                (&[100, 100], &[true, false]),
                (&[5000, 1001], &[true, false]),
                (&[8, 32, 49, 4], &[true, false, true, true]),
                (&[60_000, 6_007], &[true, true]),
                (&[60_000, 6_008], &[true, false]),
            ];
            for (shape, reduced) in shapes {
                let strides = contiguous(shape);
                let leaf = |slot, strides: &[i64]| {
                    let last: i64 =
                        strides.iter().zip(shape).map(|(stride, &extent)| stride * (extent as i64 - 1)).sum();
                    leaf(slot, dtype, last as usize + 1, 0, strides)
                };
                let own: Vec<i64> = strides.iter().zip(reduced).map(|(&s, &r)| if r { s } else { 0 }).collect();
                let affine = |slot| normalisation.is_elementwise().then(|| expression(None, leaf(slot, &own)));
                // A phone's kernel binds states and an output beside, and no more than four.
                let (weight, bias) = (affine(1), if caps.bindings > 4 { affine(2) } else { None });
                let output = 1 + weight.is_some() as usize + bias.is_some() as usize;
                let (expression, shape, reduced) =
                    (expression(None, leaf(0, &strides)), shape.to_vec(), reduced.to_vec());
                let what = format!("{} of {dtype} {shape:?} over {reduced:?}", normalisation.name());
                let op = Normalise { expression, shape, reduced, normalisation, weight, bias, output };
                // What is subtracted is about as large as what remains, times the weights.
                all.push(Case::new(what, op).scale(8.0));
            }
        }
    }
    all
}
