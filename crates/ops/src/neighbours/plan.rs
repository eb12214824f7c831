//! The launch.

use super::wgsl::{NeighboursSpec, WIDE, Way};
use super::{Neighbours, Points, Rule};
use crate::Boundary;
use crate::fuse::{Several, flat};
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar, word_suffixes};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan};

pub(super) fn plan(op: &Neighbours, caps: &Caps) -> Result<Plan> {
    let dtype = op.dtype();
    fits(op, caps)?;
    let axes: Vec<(usize, usize)> = op.variables.iter().copied().enumerate().collect();
    let variables = &["k", "z", "y", "x"];
    let several = Several::over(&op.shape, &axes, variables, &[(&op.expression, "")], None);
    let fusion = &several.0[0];
    let listed = match &op.points {
        Points::Listed(list, _) => Some(flat(list, "p_")),
        _ => None,
    };
    let whole: Vec<_> = fusion.dims.iter().map(|dim| 0..dim.extent).collect();
    let bytes = |slot: usize| op.bytes_of(slot);
    let (mut own, mut buffers) = fusion.params(&whole, caps.offset_alignment, &bytes);
    if let (Some(list), Points::Listed(_, count)) = (&listed, &op.points) {
        let all = 0..3 * *count as u64;
        let (more, windows) = list.params(&[all], caps.offset_alignment, &bytes);
        own.extend(more);
        buffers.extend(windows);
    }
    buffers.push(Binding::new(op.output, 0, op.bytes_of(op.output)));
    let spec = NeighboursSpec {
        values: fusion.spec(),
        list: listed.as_ref().map(|list| list.spec()),
        way: Way::of(op),
        boundary: op.boundary.rule(),
        moves: std::array::from_fn(|axis| op.moves(axis)),
        rows: (caps.processor.is_some() && dtype.per_word() == 1).then_some(op.spans[2].step),
    };
    let [kept, z, y, x] = op.output_shape();
    // Workgroups where they have rows, and else words of results.
    let units = match spec.rows {
        Some(_) => kept * z * y * x.div_ceil(WIDE),
        None => op.output_len().div_ceil(dtype.per_word() as usize),
    };
    let grid = if spec.rows.is_some() { units as u64 } else { (units as u64).div_ceil(caps.workgroup() as u64) };
    Ok(Plan {
        scratch: vec![],
        passes: vec![Pass {
            buffers,
            params: [Param::all(words(op, units, spec.rows.is_some())), own].concat(),
            kernel: Kernel::of(spec, caps),
            grid: Grid::Count(grid),
        }],
    })
}

fn fits(op: &Neighbours, caps: &Caps) -> Result<()> {
    let largest = (0..=op.output).map(|slot| op.bytes_of(slot)).max().expect("there is the output");
    let mistake = |wanted: String, got: String| {
        Err(ErrorKind::Argument { operation: "neighbours", argument: "array".into(), wanted, got, at: None }.into())
    };
    if largest > caps.binding_bytes || op.output_len() > 1 << 31 || op.shape.iter().product::<usize>() > 1 << 31 {
        let wanted = format!("arrays of at most {} bytes, as one binding holds, and 2^31 values", caps.binding_bytes);
        return mistake(wanted, format!("{largest} bytes"));
    }
    if op.shape.contains(&0) {
        return mistake("a value along each axis".into(), format!("{:?}", op.shape));
    }
    Ok(())
}

impl Neighbours {
    /// Whether windows have places along z, y or x that may be past the ends.
    fn moves(&self, axis: usize) -> bool {
        let (span, extent) = (&self.spans[axis], self.sizes()[axis + 1] as i64);
        let Some((least, most)) = self.ends(axis) else { return true };
        let last = (span.count as i64 - 1) * span.step as i64 + span.first + most;
        span.first + least < 0 || last >= extent
    }

    /// The first and the last place of a window along an axis, if the host knows them.
    fn ends(&self, axis: usize) -> Option<(i64, i64)> {
        match &self.points {
            Points::Box { last, .. } => Some((0, last[axis] as i64)),
            Points::Fixed(list) => {
                let along = || list.iter().map(|point| point[axis] as i64);
                Some((along().min().unwrap_or(0), along().max().unwrap_or(0)))
            }
            Points::Listed(..) => None,
        }
    }
}

/// The words of a number in a type, of 32 bits at least.
fn number(bits: u64, dtype: DType) -> Vec<u32> {
    Scalar::from_f64(dtype, f64::from_bits(bits)).words().take(word_suffixes(dtype).count()).collect()
}

/// In the order of [`NeighboursSpec::param_names`].
fn words(op: &Neighbours, units: usize, rows: bool) -> Vec<u32> {
    let of = |values: [usize; 3]| values.map(|value| value as u32);
    let mut words = vec![units as u32, op.output_len() as u32];
    words.extend(of(op.spans.map(|span| span.count)));
    words.extend(op.sizes()[1..].iter().map(|&size| size as u32));
    words.extend(op.spans.map(|span| span.first as i32 as u32));
    words.extend(of(op.spans.map(|span| span.step)));
    match &op.points {
        Points::Box { jump, last, .. } => words.extend([of(*jump), of(*last)].concat()),
        Points::Listed(_, count) => words.push(*count as u32),
        Points::Fixed(_) => {}
    }
    if rows {
        // Where nobody knows, each window may reach past an end.
        let size = op.sizes()[3] as i64;
        let (from, to) = op.ends(2).map_or((i32::MAX as i64, 0), |(least, most)| (-least, size - 1 - most));
        words.extend([op.spans[2].count.div_ceil(WIDE) as u32, from as i32 as u32, to as i32 as u32]);
    }
    let dtype = op.dtype();
    if let Rule::Bilateral { space, range } = op.rule {
        words.extend([number(space, dtype), number(range, dtype)].concat());
        words.push((op.reach() * op.reach()) as u32);
    }
    if let Boundary::Constant(bits) = op.boundary {
        words.extend(number(bits, dtype.compute()));
    }
    words
}
