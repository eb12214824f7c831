//! Reduce: combines the values of a fused expression along some axes; `shaders/reduce_rows.wgsl`, `reduce_columns.wgsl`,
//! `reduce_lines.wgsl`.
//!
//! Bound by memory: every input once. Two launches where one output needs many workgroups: partial states, then
//! their combination, in a fixed order (no float atomics), so the same input gives the same bits on a device.

#[cfg(feature = "cases")]
pub mod cases;
mod operator;
mod wgsl;

pub(super) use operator::Names;
pub use operator::Operator;
pub use operator::is_nan;

use super::cells::{self, Cell};
use super::counted::{count_on, count_pass};
use super::fuse::{Dim, Fusion, FusionSpec, Mode, collapse};
use super::map::{leaf_walks, points, read_slots, slot_bytes};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};
use crosslane_core::tuning::Tunable;
use std::ops::Range;
use wgsl::ReduceSpec;

/// A reduction over some axes of an expression's index space.
#[derive(Clone, Debug, Hash)]
pub struct Reduce {
    /// The values that are reduced.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// Which axes are reduced.
    pub reduced: Vec<bool>,
    /// How values are combined.
    pub operator: Operator,
    /// How many elements of the only axis count, where the device alone knows: a leaf of one u32. The others are not read.
    pub count: Option<Expression>,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

/// How a reduction is laid over a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Policy {
    /// Steps without a check between them.
    unroll: u32,
    /// Rows: values for each lane of a workgroup, at least.
    per_lane: u64,
    /// Rows: workgroups for all outputs together, at most, where outputs are cut into chunks.
    row_groups: u64,
    /// Columns: unrolled steps of an invocation, at least.
    column_steps: u64,
    /// Unrolled steps of an invocation, at most.
    chain: u64,
    /// Columns: workgroups wanted before outputs are no longer cut into chunks.
    column_groups: u64,
}

/// H200, 2^28 f32, Vulkan, 2026-11-21, GB/s (CUB's sum 4454): sum with unroll 4, 8, 16: 4373, 4425, 4450; max 4363,
/// 4401, 4234; arg_max 3697, 3447, 2914: its state is twice as large. Sum with row_groups 2112, 4096, 16384: 4361, 4349,
/// 4425. Columns with column_steps 2, 16: 4291, 4407: fewer partial sums.
pub(super) const UNROLL: Tunable =
    Tunable { name: "reduce", numbers: &["values"], candidates: &[&[8], &[4], &[16], &[1]] };

fn policy(operator: &Operator, caps: &Caps) -> Policy {
    Policy {
        unroll: match caps.tuning.get(&UNROLL)[0] {
            unroll if operator.is_arg() => unroll.min(4),
            unroll => unroll,
        },
        per_lane: 64,
        // A few for each thread of a processor, to balance; many for a card, to fill it.
        row_groups: caps.processor.map_or(16384, |processor| 8 * processor.threads as u64),
        column_steps: 16,
        chain: 64,
        column_groups: 1056,
    }
}

/// Invocations of the launch that combines states, on processors too: one workgroup combines all of an output's, and where few
/// share them each sum is a long chain, which rounds too often.
fn states_workgroup(caps: &Caps) -> u32 {
    caps.workgroup_invocations.min(256)
}

/// Invocations side by side that a processor takes through the rows together: lines of 4 KiB, and their states stay in the
/// first cache.
const LINE: u64 = 1024;

/// Whose neighbours in memory are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum By {
    /// An output's.
    Rows,
    /// Neighbouring outputs'.
    Columns,
    /// Neighbouring outputs', which a processor reads line by line.
    Lines,
}

/// Which of the kernels, and its shape.
struct Shape {
    by: By,
    workgroup: u32,
    /// Rows: invocations for an output. Columns and lines: invocations side by side.
    lanes: u32,
    chunks: u64,
    span: u64,
    groups: u64,
}

impl Reduce {
    fn outputs(&self) -> u64 {
        self.shape.iter().zip(&self.reduced).filter(|(_, r)| !**r).map(|(&e, _)| e as u64).product()
    }

    fn extent(&self) -> u64 {
        self.shape.iter().zip(&self.reduced).filter(|(_, r)| **r).map(|(&e, _)| e as u64).product()
    }

    /// Axes in the order kept, reduced.
    fn order(&self) -> Vec<usize> {
        let axes = 0..self.shape.len();
        axes.clone().filter(|&a| !self.reduced[a]).chain(axes.filter(|&a| self.reduced[a])).collect()
    }

    /// The leaves, the position among the reduced, and the output, over (kept, reduced) dimensions.
    fn fusion<'a>(&self, expression: &'a Expression) -> Fusion<'a> {
        let order = self.order();
        let group = |axis: &usize| Dim { group: self.reduced[*axis] as usize, extent: self.shape[*axis] as u64 };
        let mut dims: Vec<Dim> = order.iter().map(group).collect();
        let mut walks = leaf_walks(expression);
        for walk in &mut walks {
            walk.strides = order.iter().map(|&axis| walk.strides[axis]).collect();
        }
        collapse(&mut dims, &mut walks);
        let modes = vec![Mode::Scalar; walks.len()];
        Fusion {
            expression,
            prefix: "",
            variables: &["k", "r"],
            dims,
            walks,
            modes,
            width: 1,
            lanes: 1,
            constant: false,
            output: None,
        }
    }

    /// The expression with the reduced position as one more leaf, which no step reads.
    fn with_position(&self) -> Expression {
        let mut expression = self.expression.clone();
        let order = self.order();
        let mut strides = vec![0; self.shape.len()];
        let mut step = 1;
        for &axis in order.iter().rev().filter(|&&axis| self.reduced[axis]) {
            strides[axis] = step;
            step *= self.shape[axis] as i64;
        }
        expression.leaves.push(crosslane_core::op::Leaf {
            source: crosslane_core::op::LeafSource::Index,
            dtype: DType::U32,
            len: 0,
            offset: 0,
            strides,
        });
        expression
    }

    /// Of `workgroup` invocations, or of as many as a line has.
    fn lay_out(&self, caps: &Caps, (by, workgroup): (By, u32), width: u64, outputs: u64, extent: u64) -> Shape {
        let (policy, mut workgroup) = (policy(&self.operator, caps), workgroup as u64);
        let (lanes, blocks, tile, wanted) = if by != By::Rows {
            let units = outputs.div_ceil(width);
            let most = match by {
                By::Lines => LINE,
                _ if caps.processor.is_some() => workgroup.min(64),
                _ => (workgroup / 4).min(64),
            };
            let lanes = units.next_power_of_two().min(most);
            if by == By::Lines {
                workgroup = lanes;
            }
            let blocks = units.div_ceil(lanes);
            let tile = workgroup / lanes * policy.column_steps * policy.unroll as u64;
            (lanes, blocks, tile, policy.column_groups.div_ceil(blocks))
        } else {
            let units = extent.div_ceil(width);
            let lanes = units.div_ceil(4).next_power_of_two().min(workgroup);
            let blocks = outputs.div_ceil(workgroup / lanes);
            let tile = lanes * policy.per_lane.max(policy.unroll as u64 * width);
            // A row that less than a workgroup shares is short: no need to cut it.
            (lanes, blocks, tile, if lanes < workgroup { 1 } else { policy.row_groups.div_ceil(blocks) })
        };
        // Longer chains than that round too often: more workgroups share the output.
        let lane = (if by == By::Rows { lanes * width } else { workgroup / lanes }) * policy.unroll as u64;
        let wanted = wanted.max(extent.div_ceil(policy.chain * lane));
        let chunks = extent.div_ceil(tile).min(wanted).max(1);
        let span = extent.div_ceil(chunks).next_multiple_of(tile.min(extent.next_multiple_of(4)));
        let chunks = extent.div_ceil(span).max(1);
        Shape { by, workgroup: workgroup as u32, lanes: lanes as u32, chunks, span, groups: blocks * chunks }
    }

    fn state_bytes(&self) -> u64 {
        let size = self.operator.accumulator(self.expression.dtype()).size() as u64;
        if self.operator.is_arg() { size.max(4) * 2 } else { size }
    }
}

impl Reduce {
    /// The expression as the kernels see it.
    fn kernel_expression(&self) -> Expression {
        if self.operator.is_arg() { self.with_position() } else { self.expression.clone() }
    }
}

impl Op for Reduce {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn slots(&self) -> Vec<Slot> {
        let dtype = self.operator.result(self.expression.dtype());
        let output = Slot::write("output", dtype, self.outputs() as usize);
        let count = self.count.iter().flat_map(read_slots).collect();
        [read_slots(&self.expression), count, vec![output]].concat()
    }

    /// Not for an empty range: there the result is the identity, and no kernel is needed.
    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.expression);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = Plan::default();
        if self.shape.contains(&0) {
            return Ok(plan);
        }
        let expression = self.kernel_expression();
        let mut fusion = self.fusion(&expression);
        let columns = fusion.by_columns();
        let result_bytes = self.operator.result(self.expression.dtype()).size() as u64;
        let chunk = cells::chunks(&fusion.dims, fusion.space(), result_bytes, self.state_bytes(), caps);
        // Four at a time would read past the count.
        if self.count.is_none() {
            // Few columns, side by side, fill a processor's cache lines together.
            let few = caps.processor.is_some_and(|processor| self.outputs() < processor.lanes as u64);
            match columns {
                true if few || caps.processor.is_none() => fusion.widen_each(&chunk, 0, false),
                true => fusion.widen(&chunk, 0, false, caps),
                false => fusion.widen(&chunk, 1, true, caps),
            };
        }
        let bytes = |slot: usize| slot_bytes(&self.expression, slot).expect("a fusion's bindings are its leaves");
        let scratch = self.output + 1;
        let identity: Vec<Param> = self.operator.identity(self.expression.dtype()).words().map(Param::Is).collect();
        for cell in cells::cells(self.name(), &fusion.dims, &fusion.space(), &chunk)? {
            let extent = |cut: &Vec<Range<u64>>| cells::extent(&fusion.dims, cut);
            let by = match (columns, caps.processor) {
                (false, _) => By::Rows,
                (true, Some(processor)) if cell.outputs.div_ceil(fusion.width as u64) >= processor.lanes as u64 => {
                    By::Lines
                }
                (true, _) => By::Columns,
            };
            let shapes: Vec<Shape> = cell
                .parts
                .iter()
                .map(|cut| self.lay_out(caps, (by, caps.workgroup()), fusion.width as u64, cell.outputs, extent(cut)))
                .collect();
            let all_chunks: u64 = shapes.iter().map(|shape| shape.chunks).sum();
            let direct = all_chunks == 1;
            let mut first_chunk = 0;
            for (cut, shape) in cell.parts.iter().zip(&shapes) {
                let (params, mut buffers) = fusion.params(cut, caps.offset_alignment, &bytes);
                let (output, first_output) = match direct {
                    true => self.output_window(&cell, caps),
                    false => (self.scratch_window(scratch, cell.outputs * all_chunks), 0),
                };
                buffers.push(output);
                let own =
                    [cell.outputs, extent(cut), shape.chunks, shape.span, first_chunk, first_output, cell.outputs];
                plan.passes.push(Pass {
                    kernel: self.kernel(Some(fusion.spec()), shape, direct, caps),
                    buffers,
                    params: [own.map(Param::of).to_vec(), identity.clone(), params].concat(),
                    grid: Grid::Count(shape.groups),
                });
                if let (Some(count), Some(pass)) = (&self.count, plan.passes.last_mut()) {
                    count_pass(pass, count, cut.last().map_or(0, |range| range.start));
                }
                first_chunk += shape.chunks;
            }
            if !direct {
                let states = self.scratch_window(scratch, cell.outputs * all_chunks);
                let by = if cell.outputs > 1 { By::Columns } else { By::Rows };
                let mut shape = self.lay_out(caps, (by, states_workgroup(caps)), 1, cell.outputs, all_chunks);
                shape.groups /= shape.chunks;
                let (output, first_output) = self.output_window(&cell, caps);
                let own = [cell.outputs, all_chunks, 1, all_chunks, 0, first_output, cell.outputs];
                plan.passes.push(Pass {
                    kernel: self.kernel(None, &shape, true, caps),
                    buffers: vec![states, output],
                    params: [own.map(Param::of).to_vec(), identity.clone()].concat(),
                    grid: Grid::Count(shape.groups),
                });
                plan.scratch.resize(1, 0);
                plan.scratch[0] = plan.scratch[0].max(states.bytes);
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        (self.expression.flops() + 1) * self.outputs() * self.extent()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        self.expression.bytes(&extents) + self.outputs() * self.operator.result(self.expression.dtype()).size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let pick = |which: bool| -> Vec<usize> {
            self.shape.iter().zip(&self.reduced).map(|(&e, &r)| if r == which { e } else { 1 }).collect()
        };
        let (kept, reduced) = (pick(false), pick(true));
        let results: Vec<Value> = points(&kept)
            .map(|outer| {
                let count = count_on(host, &self.count, usize::MAX);
                let values = points(&reduced).take(count).map(|inner| {
                    let point: Vec<u64> = outer.iter().zip(&inner).map(|(a, b)| a + b).collect();
                    self.expression.meaning(host, &point)
                });
                self.operator.meaning(self.expression.dtype(), values)
            })
            .collect();
        for (index, value) in results.into_iter().enumerate() {
            host.set(self.output, index, value);
        }
    }
}

impl Reduce {
    /// The kernel of the first launch (`fusion`) or of the second, which combines states (`None`). It stores results if it is
    /// the last, else states.
    fn kernel(&self, fusion: Option<FusionSpec>, shape: &Shape, last: bool, caps: &Caps) -> Kernel {
        let (operator, dtype) = (self.operator.clone(), self.expression.dtype());
        let counted = self.count.is_some() && fusion.is_some();
        let Shape { by, workgroup, lanes, .. } = *shape;
        let spec = ReduceSpec { operator, dtype, fusion, by, workgroup, lanes, last, counted };
        Kernel::of(spec, caps)
    }

    fn scratch_window(&self, scratch: usize, states: u64) -> Binding {
        let bytes = (states * self.state_bytes()).next_multiple_of(64);
        Binding::new(scratch, 0, bytes)
    }

    /// The window of the output that a cell fills, and the cell's first element in it.
    fn output_window(&self, cell: &Cell, caps: &Caps) -> (Binding, u64) {
        let dtype = self.operator.result(self.expression.dtype());
        let (size, alignment) = (dtype.size() as u64, caps.offset_alignment.max(64));
        let offset = cell.first_output * size / alignment * alignment;
        let end = ((cell.first_output + cell.outputs) * size).next_multiple_of(4);
        (Binding::new(self.output, offset, end - offset), cell.first_output - offset / size)
    }
}
