//! The launches of a recurrence: one where rows fill the device, else one for the states of spans, one that carries them on, and
//! one that writes values.

use super::cut::{Cut, cut};
use super::wgsl::{Begins, CarrySpec, RecurrenceSpec};
use super::{Recurrence, slot_of};
use crate::fuse::Several;
use crate::map::buffer_bytes;
use crosslane_core::caps::Caps;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Op, Param, Pass, Plan};

struct Planner<'a> {
    op: &'a Recurrence,
    caps: &'a Caps,
    cut: Cut,
    columns: bool,
    /// The states of spans.
    scratch: Option<Binding>,
}

pub(super) fn plan(op: &Recurrence, caps: &Caps) -> Result<Plan> {
    let largest = op.slots().iter().enumerate().map(|(slot, _)| op.bytes_of(slot)).max().expect("there is the output");
    if largest > caps.binding_bytes || op.len() > 1 << 31 {
        let wanted = format!("arrays of at most {} bytes, as one binding holds, and 2^31 values", caps.binding_bytes);
        let got = format!("{largest} bytes");
        let argument = "array".into();
        return Err(ErrorKind::Argument { operation: "recurrence", argument, wanted, got, at: None }.into());
    }
    let columns = values(op, false).0[0].by_columns();
    let cut = cut(op, columns, caps);
    let bytes = buffer_bytes(op.dtype(), op.rows() * cut.spans * op.states());
    let scratch = (cut.spans > 1).then(|| Binding::new(op.slots().len(), 0, bytes));
    let planner = Planner { op, caps, cut, columns, scratch };
    let passes = match scratch {
        None => vec![planner.run(true)],
        Some(states) => vec![planner.run(false), planner.carry(states), planner.run(true)],
    };
    Ok(Plan { scratch: scratch.iter().map(|binding| binding.bytes).collect(), passes })
}

/// The values, and with it the output, over rows and what is along them.
fn values(op: &Recurrence, stores: bool) -> Several<'_> {
    let others = (0..op.shape.len()).filter(|&axis| axis != op.axis).map(|axis| (axis, 0));
    let axes: Vec<(usize, usize)> = others.chain([(op.axis, 1)]).collect();
    let output = stores.then_some((op.output, op.dtype()));
    Several::over(&op.shape, &axes, &["k", "t"], &[(&op.expression, "")], output)
}

impl Planner<'_> {
    /// All of a slot.
    fn whole(&self, slot: usize) -> Binding {
        Binding::new(slot, 0, self.op.bytes_of(slot))
    }

    /// A launch that reads the values, and writes what comes of them, or the states that spans leave if they begin with zeros.
    fn run(&self, stores: bool) -> Pass {
        let (op, cut) = (self.op, self.cut);
        let several = values(op, stores);
        let all: Vec<_> = several.0[0].dims.iter().map(|dim| 0..dim.extent).collect();
        let (params, mut buffers) = several.params(&all, self.caps.offset_alignment, &|slot| op.bytes_of(slot));
        // Final states lie after the values.
        if let (true, Some(output)) = (stores, buffers.last_mut()) {
            *output = self.whole(op.output);
        }
        buffers.push(self.whole(slot_of(&op.coefficients)));
        let initial = op.initial.as_ref().map(|initial| self.whole(slot_of(initial)));
        let begins = if stores { self.scratch.or(initial) } else { None };
        buffers.extend(begins);
        buffers.extend(self.scratch.filter(|_| !stores));
        let spec = RecurrenceSpec {
            values: several.spec(),
            order: op.order,
            sections: op.sections,
            cut: Cut { tiles: 0, spans: 0, ..cut },
            columns: self.columns,
            unrolls: self.caps.processor.is_none(),
            stores,
            begins: if begins.is_some() { Begins::States } else { Begins::Zeros },
            finals: stores && op.finals,
        };
        let words = [op.rows(), op.length(), cut.spans, cut.tiles, op.len()].map(|word| Param::Is(word as u32));
        Pass {
            kernel: Kernel::of(spec, self.caps),
            buffers,
            params: [words.to_vec(), params].concat(),
            grid: Grid::Count((op.rows().div_ceil(cut.rows()) * cut.spans) as u64),
        }
    }

    /// From the states that spans leave to those that they begin with: a workgroup for each row.
    fn carry(&self, states: Binding) -> Pass {
        let (op, cut) = (self.op, self.cut);
        let each = cut.spans.next_power_of_two().div_ceil(cut.workgroup);
        let power = (cut.tiles * cut.tile()).ilog2();
        let initial = op.initial.as_ref().map(|initial| self.whole(slot_of(initial)));
        let spec = CarrySpec {
            dtype: op.dtype(),
            order: op.order,
            sections: op.sections,
            workgroup: cut.workgroup,
            begins: if initial.is_some() { Begins::States } else { Begins::Zeros },
        };
        let steps = cut.workgroup.min(cut.spans.next_power_of_two()).ilog2();
        let words = [op.rows() as u32, cut.spans as u32, each as u32, power, each.ilog2(), steps];
        Pass {
            kernel: Kernel::of(spec, self.caps),
            buffers: [self.whole(slot_of(&op.coefficients)), states].into_iter().chain(initial).collect(),
            params: Param::all(words),
            grid: Grid::Count(op.rows() as u64),
        }
    }
}
