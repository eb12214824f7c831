//! Normalisations: every one and type, of rows and columns that are held, read in pieces, shared, and past one binding.

use crate::Normalisation::{self, *};
use crate::Normalise;
use crate::cases::{Case, contiguous, expression, leaf};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::Expression;

/// Shapes, and over which of their axes.
const SHAPES: [(&[usize], &[bool]); 21] = [
    (&[0, 5], &[false, true]),
    (&[7], &[true]),
    (&[1000, 5], &[false, true]),
    (&[30, 64], &[false, true]),
    (&[300, 64], &[false, true]),
    (&[2, 7000], &[false, true]),
    (&[16, 16384], &[false, true]),
    (&[3, 50_001], &[false, true]),
    (&[16, 32_772], &[false, true]),
    (&[2000, 100_000], &[false, true]),
    (&[36_000], &[true]),
    (&[80_000], &[true]),
    (&[100, 100], &[true, false]),
    (&[900, 68], &[true, false]),
    (&[2600, 67], &[true, false]),
    (&[4100, 68], &[true, false]),
    (&[5000, 17], &[true, false]),
    (&[5000, 301], &[true, false]),
    (&[8, 32, 49, 4], &[true, false, true, true]),
    (&[60_000, 6_007], &[true, true]),
    (&[60_000, 6_008], &[true, false]),
];
/// Rows so long that hundreds of workgroups share them.
const LONG: [usize; 2] = [2_200_000, 4_300_000];

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let (epsilon, freedom) = (1e-5, 1.0);
    let kinds = [Softmax, LogSoftmax, LogSumExp, Layer { epsilon }, Rms { epsilon }, MeanVariance { freedom }];
    for dtype in [DType::F16, DType::F32, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        for kind in kinds.into_iter().filter(|kind| !(kind.is_exponential() && dtype == DType::F64)) {
            for (shape, reduced) in SHAPES {
                all.push(case(caps, dtype, kind, (shape, reduced), &contiguous(shape)));
            }
            // What is merged is the same of one element, repeated: so only the output takes memory.
            let strides = [!kind.is_elementwise() as i64];
            all.extend(LONG.map(|length| case(caps, dtype, kind, (&[length], &[true]), &strides)));
        }
    }
    all
}

fn case(caps: &Caps, dtype: DType, kind: Normalisation, of: (&[usize], &[bool]), strides: &[i64]) -> Case {
    let (shape, reduced) = of;
    let read = |slot, strides: &[i64]| -> Expression {
        let last: i64 = strides.iter().zip(shape).map(|(stride, &extent)| stride * (extent as i64 - 1)).sum();
        expression(None, leaf(slot, dtype, if shape.contains(&0) { 0 } else { last as usize + 1 }, 0, strides))
    };
    let own: Vec<i64> = strides.iter().zip(reduced).map(|(&stride, &own)| if own { stride } else { 0 }).collect();
    let affine = |slot| kind.is_elementwise().then(|| read(slot, &own));
    // A phone's kernel binds states and an output beside, and no more than four.
    let (weight, bias) = (affine(1), if caps.bindings > 4 { affine(2) } else { None });
    let output = 1 + weight.is_some() as usize + bias.is_some() as usize;
    let what = format!("{} of {dtype} {shape:?} over {reduced:?}, strides {strides:?}", kind.name());
    let (expression, shape, reduced) = (read(0, strides), shape.to_vec(), reduced.to_vec());
    let op = Normalise { expression, shape, reduced, normalisation: kind, weight, bias, output };
    // What is subtracted is about as large as what remains, times the weights.
    Case::new(what, op).scale(8.0)
}
