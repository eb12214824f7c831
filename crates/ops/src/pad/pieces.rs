//! A padding as maps: of each part of the output that is a part of the input, walked by one step along each axis.

use super::Pad;
use crate::Boundary;
use crate::map::Map;
use crosslane_core::caps::Caps;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::op::{Expression, Op, Plan};

/// Pieces at most on a processor, where a launch of its own is more than one; and where one does not do.
const FEW: usize = 32;
const MOST: usize = 1 << 12;

/// Neighbours of the output along an axis.
#[derive(Clone, Copy)]
struct Run {
    at: usize,
    len: usize,
    /// The input's first, and the step to the next, if they are values.
    from: Option<(i64, i64)>,
}

impl Pad {
    /// Whether the pieces are few.
    pub(super) fn few_pieces(&self) -> bool {
        self.count() <= FEW
    }

    /// Pieces at most.
    fn count(&self) -> usize {
        let along = |axis: usize| {
            let ((before, after), extent) = (self.widths[axis], self.shape[axis]);
            match self.boundary {
                _ if (before, after) == (0, 0) => 1,
                Boundary::Constant(_) | Boundary::Edge => 3,
                _ => 3 + before / extent.saturating_sub(1).max(1) + after / extent.saturating_sub(1).max(1),
            }
        };
        (0..self.shape.len()).fold(1, |count: usize, axis| count.saturating_mul(along(axis)))
    }

    /// A map for each piece.
    pub(super) fn in_pieces(&self, caps: &Caps) -> Result<Plan> {
        if self.count() > MOST {
            let wanted =
                format!("arrays of at most {} bytes, or paddings of at most {MOST} pieces", caps.binding_bytes);
            let got = format!("{:?} of {:?}", self.widths, self.shape);
            return Err(
                ErrorKind::Argument { operation: "pad", argument: "widths".into(), wanted, got, at: None }.into()
            );
        }
        let mut plan = Plan::default();
        self.add_pieces(&mut vec![], &mut |runs| {
            plan.passes.extend(self.piece(runs).plan(caps)?.passes);
            Ok(())
        })?;
        Ok(plan)
    }

    /// Hands on the runs of each piece. A run outside is not cut along the axes that follow.
    fn add_pieces(&self, chosen: &mut Vec<Run>, add: &mut dyn FnMut(&[Run]) -> Result<()>) -> Result<()> {
        let axis = chosen.len();
        if axis == self.shape.len() {
            return add(chosen);
        }
        let runs = match chosen.iter().all(|run| run.from.is_some()) {
            true => self.runs(axis),
            false => vec![Run { at: 0, len: self.output_shape()[axis], from: Some((0, 0)) }],
        };
        for run in runs {
            chosen.push(run);
            self.add_pieces(chosen, add)?;
            chosen.pop();
        }
        Ok(())
    }

    /// The runs of an axis, none empty.
    fn runs(&self, axis: usize) -> Vec<Run> {
        let ((before, after), extent) = (self.widths[axis], self.shape[axis]);
        let len = before + extent + after;
        let inside = Run { at: before, len: extent, from: Some((0, 1)) };
        let ends = |first, last| {
            let first = Run { at: 0, len: before, from: first };
            [first, inside, Run { at: before + extent, len: after, from: last }]
        };
        let runs = match self.boundary {
            Boundary::Constant(_) => ends(None, None).to_vec(),
            Boundary::Edge => ends(Some((0, 0)), Some((extent as i64 - 1, 0))).to_vec(),
            // One element mirrored is itself.
            _ if extent == 1 => vec![Run { at: 0, len, from: Some((0, 0)) }],
            _ => {
                let turns = [self.turns(0, before, axis), vec![inside], self.turns(before + extent, len, axis)];
                turns.concat()
            }
        };
        runs.into_iter().filter(|run| run.len > 0).collect()
    }

    /// The runs of places `from..to` of an axis that is mirrored or repeated.
    fn turns(&self, from: usize, to: usize, axis: usize) -> Vec<Run> {
        let (before, extent) = (self.widths[axis].0 as i64, self.shape[axis] as i64);
        let period = if self.boundary == Boundary::Reflect { extent - 1 } else { extent };
        let (mut at, mut runs) = (from, vec![]);
        while at < to {
            let index = at as i64 - before;
            let (block, within) = (index.div_euclid(period), index.rem_euclid(period));
            let len = ((period - within) as usize).min(to - at);
            let forwards = self.boundary == Boundary::Wrap || block % 2 == 0;
            let from = if forwards { (within, 1) } else { (extent - 1 - within, -1) };
            runs.push(Run { at, len, from: Some(from) });
            at += len;
        }
        runs
    }

    /// A piece as a map into its place.
    fn piece(&self, runs: &[Run]) -> Map {
        let shape = self.output_shape();
        let strides: Vec<i64> =
            (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as i64).collect();
        let inside = runs.iter().all(|run| run.from.is_some());
        let expression = if inside { along(&self.expression, runs) } else { self.outside.clone() };
        Map {
            expression,
            shape: runs.iter().map(|run| run.len).collect(),
            output: self.output,
            output_len: shape.iter().product(),
            output_offset: runs.iter().zip(&strides).map(|(run, stride)| run.at as i64 * stride).sum(),
            output_strides: strides,
            fresh: false,
            count: None,
            fill: None,
        }
    }
}

/// An expression over the runs of its axes.
fn along(expression: &Expression, runs: &[Run]) -> Expression {
    let mut expression = expression.clone();
    for leaf in &mut expression.leaves {
        for (stride, run) in leaf.strides.iter_mut().zip(runs) {
            let (first, step) = run.from.expect("the piece is inside");
            leaf.offset += first * *stride;
            *stride *= step;
        }
    }
    expression
}
