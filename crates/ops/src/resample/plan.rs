//! The launches of a resampling: one for short windows, else one along each axis.

use super::Resample;
use super::wgsl::{Kind, ResampleSpec};
use crate::fuse::flat;
use crate::map::buffer_bytes;
use crate::pixels::{Extents, Lanes, dense, epilogue_of, padding, stored, too_large};
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, Op, Param, Pass, Plan};
use std::borrow::Cow;

/// Pixels of windows at most whose sums are unrolled, and of those that are not kept from row to row.
///
/// An H100 through Vulkan, 8192 x 8192 f32, 2026-11-26, part of a copy's bandwidth: nearest 0.96 and more, bilinear 0.83 to 0.94
/// (0.70 to a quarter with antialiasing), bicubic 0.72 to 0.92, with antialiasing 0.44 to 0.75; Lanczos 0.38 to 0.73. With one
/// column instead of four bilinear and bicubic take 20 to 40 % longer where the image grows; windows that are not kept twice as
/// long for 16 pixels.
const FIXED: usize = 16;
/// On software drivers, which take seconds to compile long texts.
const FIXED_ON_SOFTWARE: usize = 8;
const DIRECT: usize = 4;
/// Invocations along a row, and columns and rows of an invocation: at most.
const ALONG: usize = 64;
const COLUMNS: usize = 4;
const ROWS: usize = 4;
const SLIDING_ROWS: usize = 16;
/// Columns where windows are long: with four it takes twice as long.
const LONG_COLUMNS: usize = 2;
/// Weights that an invocation keeps at most: registers.
const KEPT: usize = 32;

fn fixed(caps: &Caps) -> usize {
    if caps.short_vectors() || caps.processor.is_some() { FIXED_ON_SOFTWARE } else { FIXED }
}

/// A launch: pixels, the taps along each axis, what becomes of results, and where they go.
struct Launch<'a> {
    extents: Extents,
    expression: Cow<'a, Expression>,
    taps: [usize; 2],
    size: [usize; 2],
    epilogue: Cow<'a, Expression>,
    output: usize,
}

pub(super) fn plan(op: &Resample, caps: &Caps) -> Result<Plan> {
    let (results, rank) = (op.results(), op.extents.shape.len());
    let [rows, columns] = op.taps;
    let apart = rows.max(columns) > fixed(caps) && rows.min(columns) > 0;
    // The axis first along which there is less to write.
    let down_first = op.size[0] * op.extents.size()[1] <= op.extents.size()[0] * op.size[1];
    let between = match down_first {
        true => op.extents.resized([op.size[0], op.extents.size()[1]]),
        false => op.extents.resized([op.extents.size()[0], op.size[1]]),
    };
    let slots = op.slots();
    let largest = (0..slots.len()).map(|slot| op.bytes_of(slot, &[])).max().expect("there is the output");
    let largest = largest.max(if apart { buffer_bytes(op.sums(), between.len()) } else { 0 });
    if let Some(error) = too_large("resample", largest, results.len().max(op.extents.len()), caps) {
        return Err(error);
    }
    let given = || Cow::Owned(Expression::given(op.sums(), rank));
    let mut scratch = vec![];
    let mut held = |extents: &Extents| {
        scratch.push(buffer_bytes(op.sums(), extents.len()));
        op.output + scratch.len()
    };
    let fits = stored(&results, &op.epilogue, op.output).is_some();
    let (epilogue, output) = match fits {
        true => (Cow::Borrowed(&op.epilogue), op.output),
        false => (given(), held(&results)),
    };
    let (extents, expression) = (op.extents.clone(), Cow::Borrowed(&op.expression));
    let launches = if apart {
        let middle = held(&between);
        let [first, second] = if down_first { [[rows, 0], [0, columns]] } else { [[0, columns], [rows, 0]] };
        let into = between.size();
        let read = Cow::Owned(dense(op.sums(), &between, middle));
        vec![
            Launch { extents, expression, taps: first, size: into, epilogue: given(), output: middle },
            Launch { extents: between, expression: read, taps: second, size: op.size, epilogue, output },
        ]
    } else {
        vec![Launch { extents, expression, taps: op.taps, size: op.size, epilogue, output }]
    };
    let mut plan = Plan { scratch: scratch.clone(), passes: vec![] };
    plan.passes.extend(launches.iter().map(|launch| launch.pass(op, &scratch, caps)));
    if !fits {
        // A buffer of scratch is a slot of the map's.
        let map = epilogue_of(&op.epilogue, &results, op.output, output);
        plan.passes.extend(map.plan(caps)?.passes);
    }
    Ok(plan)
}

impl Launch<'_> {
    fn kind(&self, caps: &Caps) -> Kind {
        let ([rows, columns], fixed) = (self.taps, fixed(caps));
        match (rows > fixed, columns > fixed) {
            (true, _) => Kind::LongDown,
            (_, true) => Kind::LongAlong,
            _ if rows > 1 && rows * columns.max(1) > DIRECT => Kind::Sliding,
            _ => Kind::Direct,
        }
    }

    fn lanes(&self, kind: Kind, results: &Extents, per: usize, caps: &Caps) -> Lanes {
        let taps = self.taps[0].max(self.taps[1]).max(1);
        let (columns, rows) = match kind {
            Kind::Direct => (COLUMNS, ROWS),
            Kind::Sliding => ((KEPT / taps).clamp(1, COLUMNS), SLIDING_ROWS),
            Kind::LongAlong => (1, ROWS),
            Kind::LongDown => (LONG_COLUMNS, ROWS),
        };
        let columns = if caps.short_vectors() || caps.processor.is_some() { 1 } else { columns };
        Lanes::new(results, per, [ALONG, (columns / per).max(1), rows], caps)
    }

    fn pass(&self, op: &Resample, scratch: &[u64], caps: &Caps) -> Pass {
        let (results, kind) = (self.extents.resized(self.size), self.kind(caps));
        let pixels = self.extents.pixels(&self.expression);
        let epilogue = stored(&results, &self.epilogue, self.output).expect("results that fill no words are in f32");
        let tables = flat(&op.tables, "t_");
        let lanes = self.lanes(kind, &results, self.epilogue.dtype().per_word() as usize, caps);
        let fixed = self.taps.map(|taps| if taps > fixed(caps) { 0 } else { taps.max(1) });
        let spec = ResampleSpec {
            pixels: pixels.spec(),
            tables: tables.spec(),
            epilogue: epilogue.spec(),
            tabled: self.taps.map(|taps| taps > 0),
            weighed: self.taps.map(|taps| taps > 1),
            fixed,
            interleaved: results.interleaved,
            // How many rows a window slides over is no part of the text.
            lanes: if matches!(kind, Kind::Sliding | Kind::LongDown) { Lanes { rows: 1, ..lanes } } else { lanes },
            kind,
            padded: self.output > op.output,
        };
        let bytes = |slot: usize| op.bytes_of(slot, scratch);
        let whole = |fusion: &crate::fuse::Fusion| fusion.dims.iter().map(|dim| 0..dim.extent).collect::<Vec<_>>();
        let mut params: Vec<Param> = self.words(op, &results, &lanes).into_iter().map(Param::Is).collect();
        let mut buffers: Vec<Binding> = vec![];
        for fusion in [&pixels, &tables, &epilogue] {
            let (words, windows) = fusion.params(&whole(fusion), caps.offset_alignment, &bytes);
            params.extend(words);
            buffers.extend(windows);
        }
        Pass { kernel: Kernel::of(spec, caps), buffers, params, grid: Grid::Count(lanes.groups(&results) as u64) }
    }

    /// In the order of [`super::wgsl::PARAMS`].
    fn words(&self, op: &Resample, results: &Extents, lanes: &Lanes) -> Vec<u32> {
        let ([along, down], [rows, columns]) = (lanes.blocks(results), op.bases());
        let [height, width] = results.size();
        let all = [results.images(), along, down, lanes.rows, height, width, results.channels(), rows, columns];
        all.into_iter().chain(self.taps).chain([padding(results)]).map(|word| word as u32).collect()
    }
}
