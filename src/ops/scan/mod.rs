//! Scan: every element combined with those before it along an axis; `shaders/scan.wgsl`, `shaders/scan_columns.wgsl`.
//!
//! Bound by memory: every input once, every output once. Rows go through one launch, whatever their length; columns
//! too where there are many. The order in which values are combined is fixed: the same input gives the same bits.

mod columns;
mod rows;
mod wgsl;

use super::expression::Expression;
use super::fuse::{Dim, Fusion, Mode, Store, collapse};
use super::map::{leaf_walks, points, read_slots, slot_bytes};
use super::reduce::Operator;
use super::windows::{Space, Walk};
use crate::caps::Caps;
use crate::element::DType;
use crate::error::Result;
use crate::op::{Access, Host, Op, Plan, Slot, Value};

/// A scan along an axis of an expression's index space.
#[derive(Clone, Debug)]
pub struct ScanOp {
    /// What is scanned.
    pub expression: Expression,
    /// Where a segment begins, if there are segments: truth values over the same index space.
    pub heads: Option<Expression>,
    /// The index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// How values are combined; none that gives positions.
    pub operator: Operator,
    /// Whether an element is combined with those before it only.
    pub exclusive: bool,
    /// Whether it begins at the end.
    pub reverse: bool,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

/// The scan over (kept, scanned) dimensions: of the values, and of the heads if there are any.
struct Fusions<'a> {
    values: Fusion<'a>,
    heads: Option<Fusion<'a>>,
}

impl Fusions<'_> {
    /// The same for a kernel that stores no results.
    fn without_output(&self) -> Fusions<'_> {
        let mut values = self.values.clone();
        values.output = None;
        values.walks.truncate(values.expression.leaves.len());
        values.modes.truncate(values.expression.leaves.len());
        Fusions { values, heads: self.heads.clone() }
    }
}

impl ScanOp {
    fn extent(&self) -> u64 {
        self.shape[self.axis] as u64
    }

    fn result(&self) -> DType {
        self.operator.result(self.expression.dtype())
    }

    /// Bytes of what is combined: a value, and whether a segment begins in it.
    fn state_bytes(&self, segmented: bool) -> u64 {
        let size = self.operator.accumulator(self.expression.dtype()).size().max(4) as u64;
        if segmented { size * 2 } else { size }
    }

    /// Walks over the dimensions (kept, scanned); those of a scan from the end run backwards.
    fn fusions(&self) -> Fusions<'_> {
        let order: Vec<usize> = (0..self.shape.len()).filter(|&axis| axis != self.axis).chain([self.axis]).collect();
        let mut dims: Vec<Dim> = order
            .iter()
            .map(|&axis| Dim { group: (axis == self.axis) as usize, extent: self.shape[axis] as u64 })
            .collect();
        let mut walks = leaf_walks(&self.expression);
        let values = walks.len();
        walks.push(self.output_walk());
        walks.extend(self.heads.iter().flat_map(leaf_walks));
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
            output,
        };
        let store = if self.result().per_word() > 1 { Store::Atomic } else { Store::Element };
        let heads = walks.split_off(values + 1);
        Fusions {
            values: fusion(&self.expression, "", walks, Some((self.output, self.result(), store))),
            heads: self.heads.as_ref().map(|expression| fusion(expression, "head_", heads, None)),
        }
    }

    /// The index space of everything that is bound, to be cut into windows.
    fn space(&self, fusions: &Fusions) -> Space {
        let mut space = fusions.values.space();
        space.arrays.extend(fusions.heads.iter().flat_map(|heads| heads.space().arrays));
        space
    }

    fn output_walk(&self) -> Walk {
        let strides = crate::array::Layout::contiguous(&self.shape).strides.iter().map(|&s| s as i64).collect();
        Walk { offset: 0, strides, size: self.result().size() as u64 }
    }

    /// Columns if neighbours in memory belong to neighbouring rows of the scan.
    fn wants_columns(&self, fusion: &Fusion) -> bool {
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
    fn slot_bytes(&self, slot: usize) -> u64 {
        let read = [Some(&self.expression), self.heads.as_ref()].into_iter().flatten();
        let mut bytes = read.filter_map(|expression| slot_bytes(expression, slot));
        bytes.next().unwrap_or_else(|| super::buffer_bytes(self.result(), self.shape.iter().product()))
    }
}

impl Op for ScanOp {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn slots(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = read_slots(&self.expression);
        slots.extend(self.heads.iter().flat_map(read_slots));
        slots.sort_by(|a, b| a.name.cmp(&b.name));
        slots.dedup();
        let len = self.shape.iter().product();
        slots.push(Slot { name: "output".into(), access: Access::Write, dtype: self.result(), len });
        slots
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.shape.contains(&0) {
            return Ok(Plan::default());
        }
        let fusions = self.fusions();
        match self.wants_columns(&fusions.values) {
            true => Ok(self.plan_columns(fusions, caps)),
            false => Ok(self.plan_rows(fusions, caps)),
        }
    }

    fn flops(&self) -> u64 {
        let heads = self.heads.as_ref().map_or(0, |heads| heads.flops());
        (self.expression.flops() + heads + 1) * self.shape.iter().map(|&e| e as u64).product::<u64>()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let heads = self.heads.as_ref().map_or(0, |heads| heads.bytes(&extents));
        self.expression.bytes(&extents) + heads + extents.iter().product::<u64>() * self.result().size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let mut rows = self.shape.clone();
        rows[self.axis] = 1;
        let dtype = self.expression.dtype();
        for row in points(&rows) {
            let mut before: Vec<Value> = vec![];
            for step in 0..self.extent() {
                let mut point = row.clone();
                point[self.axis] = if self.reverse { self.extent() - 1 - step } else { step };
                if self.heads.as_ref().is_some_and(|heads| heads.meaning(host, &point).truth()) {
                    before.clear();
                }
                let value = self.expression.meaning(host, &point);
                if !self.exclusive {
                    before.push(value);
                }
                let result = match before.is_empty() {
                    true => Value::of(self.operator.empty_result(dtype)),
                    false => self.operator.meaning(dtype, before.iter().copied()),
                };
                if self.exclusive {
                    before.push(value);
                }
                let index = point.iter().zip(&self.shape).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
                host.set(self.output, index, result);
            }
        }
    }
}
