//! The launches of a transform: one where a workgroup holds its length, else two or three over scratch memory.

use super::Fft;
use super::radices::{lengths, radices};
use super::wgsl::{FftSpec, From, To};
use crate::fuse::Several;
use crate::map::{buffer_bytes, slot_bytes};
use crosslane_core::caps::{Caps, Processor};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, LeafSource, Param, Pass, Plan};

/// Values of an invocation: 8 leave room for many invocations, 16 make the longest lengths fit a workgroup.
const FEW: usize = 8;
const MANY: usize = 16;
/// Complex numbers side by side in memory that one transaction moves.
const SEGMENT: usize = 4;
/// Invocations that a workgroup has at least, if there are transforms for them. An H200, 2026-11-26: 128 took 17 % longer for
/// rows of 1000 through Vulkan, 5 % through CUDA, and as long for others.
const INVOCATIONS: usize = 64;

/// How a workgroup computes transforms of one length.
struct Shape {
    radices: Vec<usize>,
    columns: usize,
    threads: usize,
    double: bool,
    halves: bool,
}

/// The longest length that a workgroup holds, with some columns side by side.
fn longest(caps: &Caps, columns: usize, double: bool) -> usize {
    let fits = |length: usize| {
        FftSpec::workgroup_bytes(length, columns, double, false) <= caps.workgroup_bytes as usize
            && length / MANY * columns <= caps.workgroup_invocations as usize
    };
    (1..).map(|power| 1usize << power).take_while(|&length| fits(length)).last().unwrap_or(2)
}

impl Shape {
    fn of(length: usize, across: bool, total: u64, double: bool, caps: &Caps) -> Shape {
        let values = if length >= 2048 || across && length >= 512 { MANY } else { FEW };
        let radices = radices(length, values);
        let threads = length.div_ceil(values).max(1);
        let fits = |columns: usize, halves: bool| {
            columns * threads <= caps.workgroup_invocations as usize
                && FftSpec::workgroup_bytes(length, columns, double, halves) <= caps.workgroup_bytes as usize
        };
        let wanted = if across { (2 * SEGMENT).max(INVOCATIONS / threads) } else { INVOCATIONS.div_ceil(threads) };
        let wanted = wanted.min(total.min(1 << 16) as usize).next_power_of_two();
        let most = |halves: bool| {
            let powers = (0..=wanted.ilog2()).rev().map(|power| 1 << power);
            powers.into_iter().find(|&columns| fits(columns, halves)).unwrap_or(1)
        };
        // More columns make longer segments.
        let halves = across && most(false) < 2 * SEGMENT && most(true) > most(false);
        Shape { radices, columns: most(halves), threads, double, halves }
    }

    fn spec(&self, length: usize, across: [bool; 2], from: From, to: To, op: &Fft) -> FftSpec {
        FftSpec {
            length: length as u32,
            radices: self.radices.iter().map(|&radix| radix as u32).collect(),
            columns: self.columns as u32,
            threads: self.threads as u32,
            across,
            from,
            to,
            inverse: op.inverse,
            long: false,
            neighbours: op.inner() > 1,
            per_row: 1,
            low: 1,
            first: 1,
            double: self.double,
            halves: self.halves,
        }
    }
}

/// Workgroups of a thread of a processor, so that none waits long for the last one.
const SHARES: u32 = 4;

/// Any length in one launch of few workgroups, with memory for each.
fn long(from: From, to: To, op: &Fft, processor: Processor) -> (FftSpec, u64) {
    let (radices, workgroups) = (radices(op.length, FEW), op.rows().min((SHARES * processor.threads) as u64));
    let shape = Shape { radices, columns: 1, threads: processor.lanes as usize, double: op.is_double(), halves: false };
    (FftSpec { long: true, ..shape.spec(op.length, [false; 2], from, to, op) }, workgroups)
}

/// Whether an expression's values are those of an array without gaps.
fn is_dense(expression: &Expression, shape: &[usize]) -> bool {
    let [leaf] = &expression.leaves[..] else { return false };
    let mut step = 1;
    let dense = shape.iter().zip(&leaf.strides).rev().all(|(&extent, &stride)| {
        let fits = extent == 1 || stride == step;
        step *= extent as i64;
        fits
    });
    dense && expression.steps.len() == 1 && matches!(leaf.source, LeafSource::Slot(_))
}

pub(super) fn plan(op: &Fft, caps: &Caps) -> Result<Plan> {
    let (rows, n, double) = (op.rows(), op.length, op.is_double());
    let bytes = rows * n as u64 * if double { 16 } else { 8 };
    let inputs = op.expression.slots().into_iter().map(|(_, dtype, len)| (dtype.size() * len) as u64);
    let largest = inputs.chain([bytes]).max().expect("there is the result");
    if largest > caps.binding_bytes || rows * n as u64 > 1 << 31 {
        let wanted = format!("arrays of at most {} bytes, as one binding holds, and 2^31 values", caps.binding_bytes);
        let got = format!("{rows} rows of {n}");
        return Err(ErrorKind::Argument { operation: "fft", argument: "array".into(), wanted, got, at: None }.into());
    }
    let inner = op.inner();
    let axes: Vec<(usize, usize)> =
        (0..op.shape.len()).filter(|&axis| axis != op.axis).map(|axis| (axis, 0)).chain([(op.axis, 1)]).collect();
    let several = Several::over(&op.shape, &axes, &["k", "e"], &[(&op.expression, "")], None);
    let fusion = &several.0[0];
    let reads_across = fusion.by_columns();
    let values = Box::new(fusion.spec());
    let dense = is_dense(&op.expression, &op.shape);
    let from = From::Values { values, given: op.shape[op.axis] as u32, whole: n as u32, half: op.half, dense };
    let whole: Vec<_> = fusion.dims.iter().map(|dim| 0..dim.extent).collect();
    let slots = |slot: usize| slot_bytes(&op.expression, slot).expect("a binding is a leaf");
    let (words, windows) = fusion.params(&whole, caps.offset_alignment, &slots);
    let result = Binding::new(op.output, 0, buffer_bytes(op.result, op.output_len()));
    let to = To::Result { kept: op.kept as u32, dtype: op.result };
    let own = |total: u64| {
        let scale = match double {
            true => vec![op.scale as u32, (op.scale >> 32) as u32],
            false => vec![(f64::from_bits(op.scale) as f32).to_bits()],
        };
        let scale = scale.into_iter().map(Param::Is);
        [total, inner as u64].map(Param::of).into_iter().chain(scale).collect::<Vec<Param>>()
    };
    let pass = |spec: FftSpec, total: u64, params: Vec<Param>, buffers: Vec<Binding>| {
        let grid = Grid::Count(total.div_ceil(spec.columns as u64));
        Pass { kernel: Kernel::of(spec, caps), buffers, params, grid }
    };
    let one = longest(caps, 1, double);
    // Rows side by side are read in segments of several, or most of what memory moves is for nothing.
    if n <= if inner > 1 && caps.processor.is_none() { longest(caps, SEGMENT, double) } else { one } {
        let across = [reads_across, inner > 1];
        let shape = Shape::of(n, across[0] || across[1], rows, double, caps);
        let spec = shape.spec(n, across, from, to, op);
        let passes = vec![pass(spec, rows, [own(rows), words].concat(), [windows, vec![result]].concat())];
        return Ok(Plan { scratch: vec![], passes });
    }
    if let Some(processor) = caps.processor {
        let (spec, workgroups) = long(from, to, op, processor);
        let room = buffer_bytes(op.result.real(), 4 * workgroups as usize * n);
        let params = [own(rows), vec![Param::of(workgroups)], words].concat();
        let buffers = [windows, vec![result, Binding::new(op.output + 1, 0, room)]].concat();
        let kernel = Kernel::of(spec, caps);
        let passes = vec![Pass { kernel, buffers, params, grid: Grid::Count(workgroups) }];
        return Ok(Plan { scratch: vec![room], passes });
    }
    // Columns of the launches over scratch memory lie side by side.
    let parts = lengths(n, longest(caps, SEGMENT, double)).or_else(|| lengths(n, one)).ok_or_else(|| {
        let wanted = format!("a length of three factors that are at most {one}");
        crosslane_core::error::Error::from(ErrorKind::Argument {
            operation: "fft",
            argument: "length".into(),
            wanted,
            got: n.to_string(),
            at: None,
        })
    })?;
    // No kernel may read a buffer that it writes: with three launches there are two.
    let room = buffer_bytes(op.result.real(), 2 * rows as usize * n);
    let scratch = |nth: usize| Binding::new(op.output + 1 + nth, 0, room);
    let mut passes = vec![];
    let (mut from, mut source, mut words) = (from, windows, words);
    for (nth, &length) in parts.iter().enumerate() {
        let (per_row, last) = (n / length, nth + 1 == parts.len());
        let total = rows * per_row as u64;
        let low: usize = parts[nth + 1..].iter().product();
        let across = [!last || inner > 1, true];
        let shape = Shape::of(length, true, total, double, caps);
        let (to, target) = match last {
            true => (to, result),
            false => (To::Scratch, scratch(nth)),
        };
        let spec = shape.spec(length, across, from, to, op);
        let [columns, below, first] = [per_row, low, parts[0]].map(|word| word as u32);
        let spec = FftSpec { per_row: columns, low: below, first, ..spec };
        passes.push(pass(spec, total, [own(total), words].concat(), [source, vec![target]].concat()));
        (from, source, words) = (From::Scratch, vec![scratch(nth)], vec![]);
    }
    Ok(Plan { scratch: vec![room; parts.len() - 1], passes })
}
