//! Runs of equal neighbouring keys, each as one: its key and its values combined, by one scan that counts the runs.
//!
//! What is combined is the values since the last beginning of a run, and how many runs have begun: a run's total is
//! known where the next one begins, and the count says where it belongs. Each key and value is read once.

use super::super::clear::clear;
use super::super::map::{buffer_bytes, read_slots, slot_bytes};
use super::chain::{chain_text, no_chain_text, team_text};
use super::keyed;
use super::rows::{COPIES, Shape, held, spread};
use super::scanned::Scanned;
use super::spec::{Form, ScanSpec};
use crate::Operator;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{Access, Draft, Kernel};
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};

/// Units of a lane, at most. H200, sums of 2^28 f32 by u32 in runs of eight, 2026-11-22, GB/s through Vulkan and CUDA (CUB
/// 2844): 4: 1622, 2182; 6: 2138, 2657; totals and keys put side by side in workgroup memory first: 2077, 1538.
const ROUNDS: u64 = 6;

/// The parameters, before the identity's bits and the values' own.
const PARAMS: [&str; 8] = ["rows", "tiles", "extent", "first_tile", "first_entry", "row_tiles", "row_groups", "units"];

/// The runs of keys: the first key of each, its values combined, and how many there are.
#[derive(Clone, Debug, Hash)]
pub struct ByKey {
    /// The values, over one dimension.
    pub values: Expression,
    /// The keys: one leaf, without gaps from the first address on.
    pub keys: Expression,
    /// Elements.
    pub len: usize,
    /// How values are combined; none that gives positions.
    pub operator: Operator,
    /// The slot of the runs' keys, after all inputs; the combined values and the number of runs follow, all fresh.
    pub output: usize,
}

impl ByKey {
    fn len(&self) -> u64 {
        self.len as u64
    }

    /// The scan of the values, forwards and with the element itself.
    fn scanned(&self) -> Scanned {
        let ByKey { values, len, operator, output, .. } = self.clone();
        Scanned {
            expression: values,
            heads: None,
            shape: vec![len],
            axis: 0,
            operator,
            picked: None,
            fill: None,
            exclusive: false,
            reverse: false,
            output,
        }
    }

    fn shape(&self, scan: &Scanned, width: u64, caps: &Caps) -> Shape {
        let (workgroup, wanted) = spread(caps, self.len(), ROUNDS);
        let states = (caps.workgroup_bytes as u64 / scan.state_bytes(true)).saturating_sub(2 * workgroup + 16);
        scan.chain(Shape {
            workgroup,
            rounds: (states / workgroup).min(held(caps, width, scan.state_bytes(true))).clamp(1, wanted.min(ROUNDS)),
            width,
            packed: None,
            chained: false,
            segmented: true,
            counted: true,
            parts: 0,
            subgroup: scan.subgroup(caps),
        })
    }

    fn slot_bytes(&self, slot: usize) -> u64 {
        slot_bytes(&self.values, slot).expect("the values' slots are asked for")
    }
}

impl Op for ByKey {
    fn name(&self) -> &'static str {
        "reduce_by_key"
    }

    fn slots(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = [&self.values, &self.keys].into_iter().flat_map(read_slots).collect();
        slots.sort_by(|a, b| a.name.cmp(&b.name));
        slots.dedup();
        let written = |name: &str, dtype, len| Slot::write(name, dtype, len);
        let len = self.len() as usize;
        slots.push(written("keys", self.keys.dtype(), len));
        slots.push(written("values", self.operator.result(self.values.dtype()), len));
        slots.push(written("count", DType::U32, 1));
        slots
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.values);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let scan = self.scanned();
        let fusions = scan.fusions();
        let mut fusions = fusions.without_output();
        let chunk = fusions.values.space().chunks(caps.binding_bytes, 4);
        if chunk.first().is_some_and(|&chunk| chunk < self.len()) {
            let (operation, argument) = (self.name(), "values".into());
            let wanted =
                format!("memory within one binding, {} bytes: copy() puts them side by side", caps.binding_bytes);
            return Err(ErrorKind::Argument { operation, argument, wanted, got: "more".into(), at: None }.into());
        }
        fusions.widen(&|fusion| fusion.widen(&chunk, 1, true, caps));
        let shape = self.shape(&scan, 4, caps);
        let kernel = Kernel::of(scan.spec(&fusions, Form::ByKey(self.keys.dtype(), shape)), caps);
        let (len, output) = (self.len(), self.output);
        let cut: Vec<_> = chunk.iter().map(|&extent| 0..extent).collect();
        let (params, mut buffers) = fusions.values.params(&cut, caps.offset_alignment, &|slot| self.slot_bytes(slot));
        let key = self.keys.dtype();
        let whole = |buffer, bytes: u64| Binding::new(buffer, 0, bytes);
        buffers.push(whole(self.keys.slots()[0].0, buffer_bytes(key, len as usize)));
        buffers.push(whole(output, buffer_bytes(key, len as usize)));
        buffers.push(whole(output + 1, buffer_bytes(scan.result(), len as usize)));
        buffers.push(whole(output + 2, 4));
        let tiles = len.div_ceil(shape.tile());
        let groups = tiles.div_ceil(shape.workgroup);
        let own = [1, tiles, len, 0, 0, tiles, groups, len.div_ceil(4)];
        let identity = self.operator.identity(self.values.dtype()).words().map(Param::Is).collect();
        let mut plan = Plan::default();
        if shape.chained {
            let entries = (tiles + groups * COPIES) * shape.parts;
            let bytes = (entries * 4).next_multiple_of(64);
            buffers.push(whole(output + 3, bytes));
            plan.passes.push(clear(output + 3, entries, caps));
            plan.scratch.push(bytes);
        }
        plan.passes.push(Pass {
            kernel,
            buffers,
            params: [own.map(Param::of).to_vec(), identity, params].concat(),
            grid: Grid::Count(tiles),
        });
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        (self.values.flops() + 1) * self.len()
    }

    fn bytes(&self) -> u64 {
        // It is not known how much is written.
        self.values.bytes(&[self.len()]) + self.len() * self.keys.dtype().size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let slot = self.keys.slots()[0].0;
        let equal = |a: usize, b: usize, host: &Host| match (host.get(slot, a), host.get(slot, b)) {
            (Value::Float(a), Value::Float(b)) => a == b || a.is_nan() && b.is_nan(),
            (a, b) => a.int() == b.int(),
        };
        let mut begins: Vec<usize> = (0..self.len() as usize).filter(|&i| i == 0 || !equal(i - 1, i, host)).collect();
        begins.push(self.len() as usize);
        for (run, ends) in begins.windows(2).enumerate() {
            let values: Vec<Value> = (ends[0]..ends[1]).map(|i| self.values.meaning(host, &[i as u64])).collect();
            let combined = self.operator.meaning(self.values.dtype(), values.into_iter());
            host.set(self.output, run, host.get(slot, ends[0]));
            host.set(self.output + 1, run, combined);
        }
        host.set(self.output + 2, 0, Value::Int(begins.len() as i128 - 1));
    }
}

impl ScanSpec {
    pub(super) fn by_key_draft(&self, key: DType, shape: &Shape) -> Draft {
        let draft = Draft::new(format!("{} by key", self.operator.name()), shader("scan"));
        let mut draft = self.base(draft, &PARAMS, true, true);
        draft.constants = shape.constants();
        draft.text += &team_text(shape, &mut draft.constants);
        draft.text += &keyed::text(key, self, shape, draft.access.len());
        draft.access.extend([Access::Read, Access::Write, Access::Write, Access::Write]);
        draft.text += &match shape.chained {
            true => chain_text(self.accumulator(), shape, draft.access.len()),
            false => no_chain_text(),
        };
        draft.access.extend(shape.chained.then_some(Access::Write));
        draft
    }
}
