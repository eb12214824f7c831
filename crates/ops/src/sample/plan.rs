//! The launch of a sampling.

use super::Sample;
use super::wgsl::SampleSpec;
use crate::fuse::Fusion;
use crate::map::buffer_bytes;
use crate::pixels::{Lanes, epilogue_of, padding, stored, too_large};
use crosslane_core::caps::Caps;
use crosslane_core::element::{Scalar, word_suffixes};
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, Op, Param, Pass, Plan};

/// Invocations along a row, and columns and rows of an invocation: at most. Few along a row, as turned images are read by
/// columns: an H100 through Vulkan, 8192 x 8192 f32 by a quarter of a turn, bilinear, 2026-11-26: 338 us with 8, 577 with 16,
/// 1075 with 32 (a copy takes 183); by half a degree 316, 308, 303.
const LANES: [usize; 3] = [8, 1, 4];

pub(super) fn plan(op: &Sample, caps: &Caps) -> Result<Plan> {
    let results = &op.results;
    let slots = op.slots();
    let largest = (0..slots.len()).map(|slot| op.bytes_of(slot, &[])).max().expect("there is the output");
    if let Some(error) = too_large("sample", largest, results.len().max(op.extents.len()), caps) {
        return Err(error);
    }
    if stored(results, &op.epilogue, op.output).is_some() {
        return Ok(Plan { scratch: vec![], passes: vec![pass(op, &op.epilogue, op.output, &[], caps)] });
    }
    let given = Expression::given(op.sums(), results.shape.len());
    let scratch = vec![buffer_bytes(op.sums(), results.len())];
    let mut passes = vec![pass(op, &given, op.output + 1, &scratch, caps)];
    passes.extend(epilogue_of(&op.epilogue, results, op.output, op.output + 1).plan(caps)?.passes);
    Ok(Plan { scratch, passes })
}

fn pass(op: &Sample, epilogue: &Expression, output: usize, scratch: &[u64], caps: &Caps) -> Pass {
    let results = &op.results;
    let pixels = op.extents.pixels(&op.expression);
    let [rows, columns] = &op.coordinates;
    let (rows, columns) = (results.along_rows(rows, "v_", None), results.along_rows(columns, "u_", None));
    let images = op.images.as_ref().map(|images| results.along_rows(images, "k_", None));
    let per = epilogue.dtype().per_word() as usize;
    let epilogue = stored(results, epilogue, output).expect("results that fill no words are in f32");
    let lanes = Lanes::new(results, per, LANES, caps);
    let spec = SampleSpec {
        pixels: pixels.spec(),
        coordinates: [rows.spec(), columns.spec()],
        images: images.as_ref().map(Fusion::spec),
        epilogue: epilogue.spec(),
        by: op.by,
        boundary: op.boundary.rule(),
        interleaved: results.interleaved,
        lanes: Lanes { rows: 1, ..lanes },
        padded: output > op.output,
    };
    let ([along, down], [height, width], [rows_in, columns_in]) =
        (lanes.blocks(results), results.size(), op.extents.size());
    let (images_out, images_in) = (results.images(), op.extents.images());
    let sizes = [height, width, results.channels(), images_in, rows_in, columns_in];
    let words = [images_out, along, down, lanes.rows].into_iter().chain(sizes).chain([padding(results)]);
    let outside = Scalar::from_f64(op.sums(), op.boundary.outside());
    let outside = outside.words().take(word_suffixes(op.sums()).count());
    let mut params: Vec<Param> = words.map(|word| word as u32).chain(outside).map(Param::Is).collect();
    let mut buffers: Vec<Binding> = vec![];
    let bytes = |slot: usize| op.bytes_of(slot, scratch);
    let whole = |fusion: &Fusion| fusion.dims.iter().map(|dim| 0..dim.extent).collect::<Vec<_>>();
    for fusion in [&pixels, &rows, &columns].into_iter().chain(&images).chain([&epilogue]) {
        let (words, windows) = fusion.params(&whole(fusion), caps.offset_alignment, &bytes);
        params.extend(words);
        buffers.extend(windows);
    }
    Pass { kernel: Kernel::of(spec, caps), buffers, params, grid: Grid::Count(lanes.groups(results) as u64) }
}
