//! Several fused expressions over one index space, in one kernel.

use super::{Dim, Fusion, Mode, SeveralSpec, Store, collapse};
use crate::map::{leaf_walks, slot_bytes};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Binding, Expression, Param, Slot, Space, Walk};
use std::ops::Range;

/// Fusions of one index space `i`, their elements in row-major order. The first may have the output.
pub(crate) struct Several<'a>(pub Vec<Fusion<'a>>);

impl<'a> Several<'a> {
    /// Expressions with the prefixes of their functions, over a shape.
    pub fn new(shape: &[usize], expressions: &[(&'a Expression, &'static str)]) -> Several<'a> {
        Several::with_output(shape, expressions, None)
    }

    /// As [`Several::new`]; the kernel stores a value for each element into this slot, without gaps.
    pub fn with_output(
        shape: &[usize],
        expressions: &[(&'a Expression, &'static str)],
        output: Option<(usize, DType)>,
    ) -> Several<'a> {
        let axes: Vec<(usize, usize)> = (0..shape.len()).map(|axis| (axis, 0)).collect();
        Several::over(shape, &axes, &["i"], expressions, output)
    }

    /// As [`Several::with_output`] over these axes in this order, each a part of one of the kernel's variables.
    pub fn over(
        shape: &[usize],
        axes: &[(usize, usize)],
        variables: &'static [&'static str],
        expressions: &[(&'a Expression, &'static str)],
        output: Option<(usize, DType)>,
    ) -> Several<'a> {
        let dim = |&(axis, group): &(usize, usize)| Dim { group, extent: shape[axis] as u64 };
        let mut dims: Vec<Dim> = axes.iter().map(dim).collect();
        let mut walks: Vec<Walk> = expressions.iter().flat_map(|(expression, _)| leaf_walks(expression)).collect();
        walks.extend(output.map(|(_, dtype)| {
            let mut strides = vec![1; shape.len()];
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis] * shape[axis] as i64;
            }
            Walk { offset: 0, strides, size: dtype.size() as u64 }
        }));
        for walk in &mut walks {
            walk.strides = axes.iter().map(|&(axis, _)| walk.strides[axis]).collect();
        }
        // Together, so that all keep the same dimensions.
        collapse(&mut dims, &mut walks);
        Several::of_walks(dims, variables, expressions, walks, output)
    }

    /// Over dimensions whose coordinates come from several variables of the kernel; the walks are those of all leaves, then
    /// the output's.
    pub fn of_walks(
        dims: Vec<Dim>,
        variables: &'static [&'static str],
        expressions: &[(&'a Expression, &'static str)],
        walks: Vec<Walk>,
        output: Option<(usize, DType)>,
    ) -> Several<'a> {
        let mut walks = walks.into_iter();
        let mut fusions: Vec<Fusion> = expressions
            .iter()
            .map(|&(expression, prefix)| {
                let walks: Vec<Walk> = walks.by_ref().take(expression.leaves.len()).collect();
                let (dims, modes) = (dims.clone(), vec![Mode::Scalar; walks.len()]);
                Fusion {
                    expression,
                    prefix,
                    variables,
                    dims,
                    walks,
                    modes,
                    width: 1,
                    lanes: 0,
                    constant: false,
                    output: None,
                }
            })
            .collect();
        // The first has it: after its own leaves.
        if let (Some(walk), Some((slot, dtype))) = (walks.next(), output) {
            fusions[0].walks.push(walk);
            fusions[0].modes.push(Mode::Scalar);
            fusions[0].output = Some((slot, dtype, Store::Element));
        }
        Several(fusions)
    }

    /// The index space, to be cut into windows.
    pub fn space(&self) -> Space {
        let mut space = self.0[0].space();
        space.arrays.extend(self.0[1..].iter().flat_map(|fusion| fusion.space().arrays));
        space
    }

    /// Takes four elements at a time if all can; the last four may run past the end.
    pub fn widen(&mut self, chunk: &[u64], caps: &Caps) {
        self.widen_along(chunk, 0, true, caps);
    }

    /// As [`Fusion::widen`], if all can.
    pub fn widen_along(&mut self, chunk: &[u64], lanes: usize, pad: bool, caps: &Caps) {
        let wide = self.0.iter_mut().all(|fusion| fusion.widen(chunk, lanes, pad, caps));
        if !wide {
            for fusion in &mut self.0 {
                fusion.modes.fill(Mode::Scalar);
                fusion.width = 1;
            }
        }
    }

    pub fn spec(&self) -> SeveralSpec {
        SeveralSpec(self.0.iter().map(|fusion| fusion.spec()).collect())
    }

    /// Elements that a call of `value` returns.
    pub fn width(&self) -> u32 {
        self.0[0].width
    }

    /// The parameters and the windows for one box of the index space.
    pub fn params(
        &self,
        cut: &[Range<u64>],
        alignment: u64,
        buffer_bytes: &dyn Fn(usize) -> u64,
    ) -> (Vec<Param>, Vec<Binding>) {
        let (mut words, mut windows) = (vec![], vec![]);
        for fusion in &self.0 {
            let (more_words, more_windows) = fusion.params(cut, alignment, buffer_bytes);
            words.extend(more_words);
            windows.extend(more_windows);
        }
        (words, windows)
    }
}

/// A leaf in memory without gaps, of any shape, as a function of the variable `j`: of one element at least, so that it
/// has a window.
pub fn flat<'a>(expression: &'a Expression, prefix: &'static str) -> Fusion<'a> {
    let leaf = &expression.leaves[0];
    let dims = vec![Dim { group: 0, extent: leaf.len.max(1) as u64 }];
    let walks = vec![Walk { offset: leaf.offset, strides: vec![1], size: leaf.dtype.size() as u64 }];
    let (modes, variables) = (vec![Mode::Scalar], &["j"]);
    Fusion { expression, prefix, variables, dims, walks, modes, width: 1, lanes: 0, constant: false, output: None }
}

/// The read slots of several expressions, each once.
pub(crate) fn read_slots<'a>(expressions: impl Iterator<Item = &'a Expression>) -> Vec<Slot> {
    read_by(&expressions.collect::<Vec<_>>())
}

fn read_by(expressions: &[&Expression]) -> Vec<Slot> {
    let mut slots: Vec<_> = expressions.iter().flat_map(|expression| expression.slots()).collect();
    slots.sort();
    slots.dedup_by_key(|slot| slot.0);
    let slot = |(slot, dtype, len)| Slot::read(&format!("x{slot}"), dtype, len);
    slots.into_iter().map(slot).collect()
}

/// Bytes of the buffer that one of several expressions reads as this slot.
pub fn read_bytes<'a>(mut expressions: impl Iterator<Item = &'a Expression>, slot: usize) -> Option<u64> {
    expressions.find_map(|expression| slot_bytes(expression, slot))
}
