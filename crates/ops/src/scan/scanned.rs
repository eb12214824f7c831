//! What scans, selections and reductions by key have in common: values combined along an axis, and the kernels' walks over
//! what they read.

use super::super::fuse::{Dim, Fusion, Mode, Store, collapse};
use super::super::map::{leaf_walks, read_slots, slot_bytes};
use super::super::reduce::Operator;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::layout::Layout;
use crosslane_core::op::{Binding, Expression, Param, Plan, Slot, Space, Walk};
use std::ops::Range;

/// A scan along an axis of an expression's index space, which may store what it selects in place of what it scans.
pub(crate) struct Scanned {
    /// The values that are scanned.
    pub expression: Expression,
    /// Where a segment begins, if there are segments: truth values over the same index space.
    pub heads: Option<Expression>,
    /// The index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// How values are combined; none that gives positions.
    pub operator: Operator,
    /// What a selection stores, side by side: the elements of this whose scanned one is not zero. The shape is then one
    /// axis, and the operator counts.
    pub picked: Option<Expression>,
    /// What a selection stores after its last element, if anything.
    pub fill: Option<Scalar>,
    /// Whether an element is combined with those before it only.
    pub exclusive: bool,
    /// Whether it begins at the end.
    pub reverse: bool,
    /// The output's slot, after all inputs. It is fresh and filled without gaps; of a selection, as long as the input, and
    /// followed by a slot for how many elements there are.
    pub output: usize,
}

/// The scan over (kept, scanned) dimensions: of the values, and of the heads if there are any.
pub(crate) struct Fusions<'a> {
    pub values: Fusion<'a>,
    pub heads: Option<Fusion<'a>>,
    pub picked: Option<Fusion<'a>>,
}

impl Fusions<'_> {
    /// The same for a kernel that stores no results.
    pub fn without_output(&self) -> Fusions<'_> {
        let mut values = self.values.clone();
        values.output = None;
        values.walks.truncate(values.expression.leaves.len());
        values.modes.truncate(values.expression.leaves.len());
        Fusions { values, heads: self.heads.clone(), picked: None }
    }
}

impl Scanned {
    pub fn extent(&self) -> u64 {
        self.shape[self.axis] as u64
    }

    /// The type of the stored values.
    pub fn result(&self) -> DType {
        match &self.picked {
            Some(picked) => picked.dtype(),
            None => self.operator.result(self.expression.dtype()),
        }
    }

    /// All that is read.
    pub fn reads(&self) -> impl Iterator<Item = &Expression> {
        [Some(&self.expression), self.heads.as_ref(), self.picked.as_ref()].into_iter().flatten()
    }

    /// Bytes of what is combined: a value, and whether a segment begins in it.
    pub fn state_bytes(&self, segmented: bool) -> u64 {
        let size = self.operator.accumulator(self.expression.dtype()).size().max(4) as u64;
        if segmented { size * 2 } else { size }
    }

    /// Walks over the dimensions (kept, scanned); those of a scan from the end run backwards.
    pub fn fusions(&self) -> Fusions<'_> {
        let order: Vec<usize> = (0..self.shape.len()).filter(|&axis| axis != self.axis).chain([self.axis]).collect();
        let mut dims: Vec<Dim> = order
            .iter()
            .map(|&axis| Dim { group: (axis == self.axis) as usize, extent: self.shape[axis] as u64 })
            .collect();
        let mut walks = leaf_walks(&self.expression);
        let values = walks.len();
        walks.push(self.output_walk());
        walks.extend(self.heads.iter().flat_map(leaf_walks));
        let heads_end = walks.len();
        walks.extend(self.picked.iter().flat_map(leaf_walks));
        for walk in &mut walks {
            if self.reverse {
                walk.offset += walk.strides[self.axis] * (self.extent() as i64 - 1);
                walk.strides[self.axis] *= -1;
            }
            walk.strides = order.iter().map(|&axis| walk.strides[axis]).collect();
        }
        collapse(&mut dims, &mut walks);
        let fusion = |expression, prefix, walks: Vec<Walk>, output| Fusion {
            expression,
            prefix,
            variables: &["k", "r"],
            dims: dims.clone(),
            modes: vec![Mode::Scalar; walks.len()],
            walks,
            width: 1,
            lanes: 1,
            constant: false,
            output,
        };
        let store = if self.result().per_word() > 1 { Store::Atomic } else { Store::Element };
        let picked = walks.split_off(heads_end);
        let heads = walks.split_off(values + 1);
        let output = match &self.picked {
            Some(_) => walks.pop().and(None),
            None => Some((self.output, self.result(), store)),
        };
        Fusions {
            values: fusion(&self.expression, "", walks, output),
            heads: self.heads.as_ref().map(|expression| fusion(expression, "head_", heads, None)),
            picked: self.picked.as_ref().map(|expression| fusion(expression, "picked_", picked, None)),
        }
    }

    /// The index space of everything that is bound, to be cut into windows.
    pub fn space(&self, fusions: &Fusions) -> Space {
        let mut space = fusions.values.space();
        let more = [&fusions.heads, &fusions.picked].into_iter().flatten();
        space.arrays.extend(more.flat_map(|fusion| fusion.space().arrays));
        space
    }

    pub fn output_walk(&self) -> Walk {
        let strides = Layout::contiguous(&self.shape).strides.iter().map(|&s| s as i64).collect();
        Walk { offset: 0, strides, size: self.result().size() as u64 }
    }

    /// Columns if neighbours in memory belong to neighbouring rows of the scan.
    pub fn wants_columns(&self, fusion: &Fusion) -> bool {
        if self.picked.is_some() {
            return false;
        }
        let main = fusion.walks.iter().zip(&fusion.expression.leaves).find(|(_, leaf)| leaf.len > 1);
        let walk = main.map_or(fusion.walks.last().expect("the output is one"), |(walk, _)| walk);
        let innermost = |group: usize| fusion.dims.iter().rposition(|dim| dim.group == group);
        match (innermost(0), innermost(1)) {
            (Some(kept), Some(scanned)) => {
                let step = |dim: usize| walk.strides[dim].unsigned_abs();
                step(kept) != 0 && step(kept) < step(scanned)
            }
            _ => false,
        }
    }

    /// Bytes of the buffer in a slot.
    pub fn slot_bytes(&self, slot: usize) -> u64 {
        let mut bytes = self.reads().filter_map(|expression| slot_bytes(expression, slot));
        bytes.next().unwrap_or_else(|| crate::buffer_bytes(self.result(), self.shape.iter().product()))
    }

    /// The slot of scratch memory, after the outputs.
    pub fn scratch(&self) -> usize {
        self.output + 1 + self.picked.is_some() as usize
    }

    /// The parameters and windows of a kernel for a box of the index space, but for the kernel's own.
    pub fn params(
        &self,
        fusions: &Fusions,
        cut: &[Range<u64>],
        kept: usize,
        caps: &Caps,
    ) -> (Vec<Param>, Vec<Binding>) {
        let bytes = |slot: usize| self.slot_bytes(slot);
        let (mut params, mut buffers) = fusions.values.params(cut, caps.offset_alignment, &bytes);
        for more in [&fusions.heads, &fusions.picked].into_iter().flatten() {
            let more = more.params(cut, caps.offset_alignment, &bytes);
            params.extend(more.0);
            buffers.extend(more.1);
        }
        if fusions.picked.is_some() {
            let start = cut.get(kept).map_or(0, |range| range.start);
            params.extend([start, self.extent()].map(Param::of));
            params.extend(self.fill.iter().flat_map(|fill| fill.words()).map(Param::Is));
            buffers.push(Binding::new(self.output, 0, bytes(self.output)));
            buffers.push(Binding::new(self.output + 1, 0, 4));
        }
        (params, buffers)
    }

    /// Whether a selection's output fits one binding.
    fn check_output(&self, caps: &Caps) -> Result<()> {
        let output = crate::buffer_bytes(self.result(), self.shape.iter().product());
        match self.picked.is_some() && output > caps.binding_bytes {
            true => {
                let wanted = format!("a result of at most one binding, {} bytes", caps.binding_bytes);
                Err(self.refused(wanted, output.to_string()))
            }
            false => Ok(()),
        }
    }

    pub fn refused(&self, wanted: String, got: String) -> Error {
        ErrorKind::Argument { operation: self.name(), argument: "array".into(), wanted, got, at: None }.into()
    }

    /// The name of the operation.
    pub fn name(&self) -> &'static str {
        if self.picked.is_some() { "select" } else { "scan" }
    }

    pub fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.shape.contains(&0) {
            return Ok(Plan::default());
        }
        let fusions = self.fusions();
        self.check_output(caps)?;
        // A processor's invocations go through spans one element after the other, whatever lies side by side.
        match caps.processor.is_some() || self.wants_columns(&fusions.values) {
            true => self.plan_columns(fusions, caps),
            false => self.plan_rows(fusions, caps),
        }
    }

    /// Functions applied to all elements.
    pub fn flops(&self) -> u64 {
        (self.reads().map(|expression| expression.flops()).sum::<u64>() + 1)
            * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    /// Bytes read at least.
    pub fn bytes_read(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        self.reads().map(|expression| expression.bytes(&extents)).sum()
    }

    /// The arrays that are read, each once.
    pub fn read_slots(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.reads().flat_map(read_slots).collect();
        slots.sort_by(|a, b| a.name.cmp(&b.name));
        slots.dedup();
        slots
    }
}
