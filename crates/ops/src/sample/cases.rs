//! Samplings: all boundaries and weights, coordinates within and far outside, planar and interleaved, epilogues that fill words
//! or not.

use super::{Boundary, Resampling, Sample};
use crate::cases::{Case, call, cast, contiguous, expression, leaf, sums_in};
use crate::pixels::Extents;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Fill, Function, Leaf, LeafSource};

const BOUNDARIES: [Boundary; 6] = [
    Boundary::Constant(0),
    Boundary::Constant(0x4004_0000_0000_0000), // 2.5
    Boundary::Edge,
    Boundary::Reflect,
    Boundary::Symmetric,
    Boundary::Wrap,
];

struct Problem<'a> {
    shape: &'a [usize],
    interleaved: bool,
    size: [usize; 2],
    types: [DType; 2],
    /// Whether coordinates are far outside too, and whether they are squared.
    far: bool,
    squared: bool,
}

impl Problem<'_> {
    fn case(&self, by: Resampling, boundary: Boundary) -> Case {
        let Problem { shape, interleaved, size, types, far, squared } = *self;
        let extents = Extents { shape: shape.to_vec(), interleaved };
        let mut pixels = expression(None, leaf(0, types[0], extents.len(), 0, &contiguous(shape)));
        let last = pixels.steps.len() - 1;
        let sums = if types[0] == DType::F64 { DType::F64 } else { DType::F32 };
        cast(&mut pixels, last, sums);
        // One coordinate for all images and channels.
        let results = extents.resized(size);
        let axis = shape.len() - 2 - interleaved as usize;
        let mut strides = vec![0; shape.len()];
        (strides[axis], strides[axis + 1]) = (size[1] as i64, 1);
        let coordinates = [1, 2].map(|slot| {
            let mut expression = expression(None, leaf(slot, sums, size[0] * size[1], 0, &strides));
            if squared {
                call(&mut expression, Function::Square);
            }
            expression
        });
        let fill = if far { Fill::Any } else { Fill::Numbers };
        let what = format!("{shape:?} at {size:?}, {by:?}, {boundary:?}, {types:?}, far {far}, squared {squared}");
        let epilogue = sums_in(sums, types[1], shape.len());
        let images = None;
        let op =
            Sample { expression: pixels, extents, coordinates, images, results, by, boundary, epilogue, output: 3 };
        // Cubic weights' sizes sum to less than 2 along an axis.
        Case::new(what, op).fill(1, fill.clone()).fill(2, fill).scale(12.0)
    }
}

/// Each result reads an image of its own choice, of more than there are: the last.
fn chosen(types: [DType; 2]) -> Case {
    let (shape, size) = ([5, 4, 6], [2, 7, 12]);
    let mut pixels = expression(None, leaf(0, types[0], 120, 0, &contiguous(&shape)));
    cast(&mut pixels, 0, DType::F32);
    let over = |slot: usize, dtype: DType| expression(None, leaf(slot, dtype, 168, 0, &contiguous(&size)));
    // The column, which takes no memory.
    let column = Leaf { source: LeafSource::Index, len: 0, ..leaf(0, DType::U32, 0, 0, &[0, 0, 1]) };
    let mut counted = expression(None, column);
    cast(&mut counted, 0, DType::F32);
    let op = Sample {
        expression: pixels,
        extents: Extents { shape: shape.to_vec(), interleaved: false },
        coordinates: [over(1, DType::F32), counted],
        images: Some(over(2, DType::U32)),
        results: Extents { shape: size.to_vec(), interleaved: false },
        by: Resampling::Bilinear,
        boundary: Boundary::Edge,
        epilogue: sums_in(DType::F32, types[1], 3),
        output: 3,
    };
    Case::new(format!("chosen images of {types:?}"), op).fill(2, Fill::Indices(7)).scale(12.0)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    use Resampling::*;
    let floats = [DType::F32; 2];
    let plain = Problem { shape: &[3, 4], interleaved: false, size: [7, 9], types: floats, far: false, squared: false };
    all.extend([[DType::F32; 2], [DType::F32, DType::U8]].map(chosen));
    for by in [Nearest, Bilinear, Bicubic] {
        for boundary in BOUNDARIES {
            for far in [false, true] {
                all.push(Problem { far, ..plain }.case(by, boundary));
                all.push(Problem { far, shape: &[2, 3, 5, 3], interleaved: true, ..plain }.case(by, boundary));
            }
            all.push(Problem { shape: &[1, 1], ..plain }.case(by, boundary));
        }
        for types in [[DType::U8; 2], [DType::U16; 2], [DType::U8, DType::F32], [DType::F16; 2]] {
            if types.iter().all(|&dtype| caps.lacks(dtype).is_none()) {
                // Rows that fill words, and rows that do not.
                all.push(Problem { shape: &[2, 9, 8], size: [5, 12], types, ..plain }.case(by, Boundary::Edge));
                all.push(Problem { shape: &[2, 9, 8], size: [5, 11], types, ..plain }.case(by, Boundary::Edge));
            }
        }
        if caps.lacks(DType::F64).is_none() {
            let types = [DType::F64; 2];
            for boundary in BOUNDARIES {
                all.push(
                    Problem { far: true, shape: &[2, 3, 5, 3], interleaved: true, types, ..plain }.case(by, boundary),
                );
            }
            all.push(Problem { squared: true, types: [DType::F64, DType::F32], ..plain }.case(by, Boundary::Edge));
        }
        all.push(Problem { size: [5, 1], types: [DType::U8; 2], ..plain }.case(by, Boundary::Edge));
        all.push(Problem { squared: true, shape: &[9, 9], ..plain }.case(by, Boundary::Reflect));
        all.push(Problem { shape: &[0, 9, 9], ..plain }.case(by, Boundary::Reflect));
        all.push(Problem { shape: &[300, 400], size: [600, 500], ..plain }.case(by, Boundary::Edge));
    }
    all
}
