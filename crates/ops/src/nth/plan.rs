//! The launches: for each digit a count over the rows, then the digit of each.

use super::Nth;
use super::wgsl::{BINS, NthSpec};
use crate::clear::clear;
use crate::dense::{Field, Form, pieces, slot_of};
use crosslane_core::caps::Caps;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan, WINDOW};
use std::ops::Range;

/// Workgroups that count: eight for each of an H200's processors. Bytes of counts at most, for many rows.
const GROUPS: u64 = 1056;
const COUNT_BYTES: u64 = 16 << 20;
/// Elements that a workgroup counts at least: it clears and adds up 2048 counters.
const LEAST: u64 = 8 << 10;

struct Planner<'a> {
    op: &'a Nth,
    caps: &'a Caps,
    plan: Plan,
    counts: Binding,
    states: Binding,
}

pub(super) fn plan(op: &Nth, caps: &Caps) -> Plan {
    if op.rows == 0 {
        return Plan::default();
    }
    let bytes = caps.binding_bytes.min(WINDOW).saturating_sub(512);
    let window = bytes / op.key_type().size() as u64;
    let row_counts = op.places() as u64 * BINS as u64 * 4;
    let rows = (window / op.length as u64).min(bytes.min(COUNT_BYTES) / row_counts).clamp(1, op.rows as u64);
    let scratch = |nth: usize, bytes: u64| Binding::new(op.output + 1 + nth, 0, bytes);
    let (counts, states) = (scratch(0, rows * row_counts), scratch(1, (rows * 16).next_multiple_of(64)));
    let plan = Plan { scratch: vec![counts.bytes, states.bytes], passes: vec![] };
    let mut planner = Planner { op, caps, plan, counts, states };
    for rows in pieces(0..op.rows as u64, rows) {
        planner.batch(rows, &pieces(0..op.length as u64, window));
    }
    planner.plan
}

impl Planner<'_> {
    fn batch(&mut self, rows: Range<u64>, row_pieces: &[Range<u64>]) {
        let count = rows.end - rows.start;
        let words = count * (self.op.places() * BINS) as u64;
        self.plan.passes.push(clear(self.counts.buffer, words, self.caps));
        for place in 0..self.op.places() {
            row_pieces.iter().for_each(|piece| self.count(&rows, piece, place));
            self.find(&rows, place);
        }
    }

    fn count(&mut self, rows: &Range<u64>, piece: &Range<u64>, place: u32) {
        let (length, own) = (self.op.length as u64, rows.end - rows.start);
        let field = Field { buffer: slot_of(&self.op.keys), form: Form::held(self.op.key_type()) };
        let elements = rows.start * length + piece.start..(rows.end - 1) * length + piece.end;
        let (keys, first) = field.window(elements, self.caps);
        let count = piece.end - piece.start;
        let parts = count.div_ceil(LEAST).min(GROUPS.div_ceil(own));
        let span = count.div_ceil(parts).next_multiple_of(self.caps.workgroup() as u64);
        let parts = count.div_ceil(span);
        let [word, shift, known] = self.op.digit(place);
        let sizes = [own * parts, parts, span, count, length].map(|word| word as u32);
        self.plan.passes.push(Pass {
            kernel: Kernel::of(NthSpec::Count(self.op.key_type(), place == 0), self.caps),
            buffers: vec![keys, self.states, self.counts],
            params: Param::all([sizes.to_vec(), vec![first, place, word, shift, known]].concat()),
            grid: Grid::Count(own * parts),
        });
    }

    fn find(&mut self, rows: &Range<u64>, place: u32) {
        let field = Field { buffer: self.op.output, form: Form::held(self.op.key_type()) };
        let (values, first) = field.window(rows.clone(), self.caps);
        let [word, shift, _] = self.op.digit(place);
        let groups = rows.end - rows.start;
        self.plan.passes.push(Pass {
            kernel: Kernel::of(NthSpec::Find(self.op.key_type()), self.caps),
            buffers: vec![self.counts, self.states, values],
            params: Param::all([groups as u32, place, word, shift, self.op.n as u32, first]),
            grid: Grid::Count(groups),
        });
    }
}
