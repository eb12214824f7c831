//! The launches of a normalisation: one where a workgroup has a row for itself, else one for states of pieces, one that
//! merges them, and one that writes values.

use super::shape::{Cut, Problem};
use super::wgsl::{Sink, Source};
use super::{Normalisation, Normalise};
use crate::cells::{self, Cell};
use crate::fuse::{Several, read_bytes};
use crate::map::buffer_bytes;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Binding, Grid, Op, Param, Pass, Plan};
use std::ops::Range;

/// A plan in the making.
struct Planner<'a> {
    op: &'a Normalise,
    caps: &'a Caps,
    fusions: Several<'a>,
    columns: bool,
    plan: Plan,
}

pub(super) fn plan(op: &Normalise, caps: &Caps) -> Result<Plan> {
    let mut fusions = op.fusions();
    let (columns, dims, space) = (fusions.0[0].by_columns(), fusions.0[0].dims.clone(), fusions.space());
    let chunk = cells::chunks(&dims, space.clone(), op.dtype().size() as u64, op.state_bytes(), caps);
    fusions.widen_along(&chunk, if columns { 0 } else { 1 }, !columns, caps);
    let mut planner = Planner { op, caps, fusions, columns, plan: Plan::default() };
    for cell in cells::cells(op.name(), &dims, &space, &chunk)? {
        planner.cell(&cell);
    }
    Ok(planner.plan)
}

impl Normalise {
    /// Whether the output keeps exponentials: on processors, which wait for these more than for memory, where it holds them as
    /// they are.
    fn keeps(&self, caps: &Caps) -> bool {
        caps.processor.is_some() && self.normalisation == Normalisation::Softmax && self.dtype() == DType::F32
    }

    /// Bytes of a state in memory.
    fn state_bytes(&self) -> u64 {
        (self.normalisation.kind().part_fields().len() * self.number().size()) as u64
    }
}

impl Planner<'_> {
    fn cell(&mut self, cell: &Cell) {
        let elementwise = self.op.normalisation.is_elementwise();
        if let [part] = cell.parts.as_slice() {
            let problem = self.problem(cell, part);
            let held = if elementwise { problem.held(self.caps) } else { None };
            let short = || Some(problem.shared(self.caps)).filter(|cut| cut.chunks == 1);
            let found = held.map(|cut| (Source::Held, cut));
            let pieces = if self.op.keeps(self.caps) { Source::Kept } else { Source::Pieces };
            let found = found.or_else(|| problem.alone(self.caps).or_else(short).map(|cut| (pieces, cut)));
            if let Some((source, cut)) = found {
                return self.of_values(source, cell, part, &cut, 0, &[]);
            }
        }
        let cuts: Vec<Cut> = cell.parts.iter().map(|part| self.problem(cell, part).shared(self.caps)).collect();
        let chunks: u64 = cuts.iter().map(|cut| cut.chunks).sum();
        let (states, rows) = (self.scratch(0, cell.outputs * chunks), self.scratch(1, cell.outputs));
        let mut first = 0;
        for (part, cut) in cell.parts.iter().zip(&cuts) {
            self.of_values(Source::Pieces, cell, part, cut, first, &[states]);
            first += cut.chunks;
        }
        self.merge(cell, chunks, states, elementwise.then_some(rows));
        if elementwise {
            for (part, cut) in cell.parts.iter().zip(&cuts) {
                let mut cut = *cut;
                cut.shape.subgroup = None;
                self.of_values(Source::State, cell, part, &cut, 0, &[rows]);
            }
        }
    }

    fn problem(&self, cell: &Cell, part: &[Range<u64>]) -> Problem {
        Problem {
            columns: self.columns,
            width: self.fusions.width() as u64,
            size: self.op.dtype().size() as u64,
            outputs: cell.outputs,
            extent: cells::extent(&self.fusions.0[0].dims, part),
            fields: self.op.normalisation.kind().fields().len() as u64,
            number: self.op.number().size() as u64,
        }
    }

    /// A launch that reads values. `states` it reads, or writes if there is no other source and no result.
    fn of_values(
        &mut self,
        source: Source,
        cell: &Cell,
        part: &[Range<u64>],
        cut: &Cut,
        first_chunk: u64,
        states: &[Binding],
    ) {
        let op = self.op;
        let bytes =
            |slot: usize| read_bytes(op.inputs(), slot).unwrap_or_else(|| buffer_bytes(op.dtype(), op.output_len()));
        let (params, mut buffers) = self.fusions.params(part, self.caps.offset_alignment, &bytes);
        buffers.extend(states);
        let sink = match source == Source::Pieces && !states.is_empty() {
            true => Sink::States,
            false if op.normalisation.is_elementwise() => Sink::Elements,
            false => Sink::Results,
        };
        let mut first_output = 0;
        if sink == Sink::Results {
            first_output = self.results(cell, &mut buffers);
        }
        let kernel = op.kernel(source, sink, &cut.shape, Some(&self.fusions), self.caps);
        let extent = cells::extent(&self.fusions.0[0].dims, part);
        let own = [cell.outputs, extent, cut.chunks, cut.span, first_chunk, first_output];
        let params = [self.own_params(own), params].concat();
        self.plan.passes.push(Pass { kernel, buffers, params, grid: Grid::Count(cut.groups) });
    }

    /// The launch that merges the states of pieces: into one state for each row, or into results.
    fn merge(&mut self, cell: &Cell, chunks: u64, states: Binding, rows: Option<Binding>) {
        let outputs = cell.outputs;
        let (fields, number) = (self.op.normalisation.kind().fields().len() as u64, self.op.number().size() as u64);
        // What lies side by side is counted in powers of two.
        let (columns, size) = (outputs > 1, (fields * number).next_power_of_two());
        let problem = Problem { columns, width: 1, size, outputs, extent: chunks, fields, number };
        let cut = problem.merged(self.caps);
        let (mut buffers, mut first_output) = (vec![states], 0);
        match rows {
            Some(rows) => buffers.push(rows),
            None => first_output = self.results(cell, &mut buffers),
        }
        let sink = if rows.is_some() { Sink::States } else { Sink::Results };
        let kernel = self.op.kernel(Source::States, sink, &cut.shape, None, self.caps);
        let params = self.own_params([outputs, chunks, 1, chunks, 0, first_output]);
        self.plan.passes.push(Pass { kernel, buffers, params, grid: Grid::Count(cut.groups) });
    }

    fn own_params(&self, own: [u64; 6]) -> Vec<Param> {
        let scalars = self.op.scalars().into_iter().flat_map(|scalar| scalar.words());
        own.into_iter().map(Param::of).chain(scalars.map(Param::Is)).collect()
    }

    /// Room for this many states in the scratch buffer of this number.
    fn scratch(&mut self, number: usize, states: u64) -> Binding {
        let bytes = (states * self.op.state_bytes()).next_multiple_of(64);
        if self.plan.scratch.len() <= number {
            self.plan.scratch.resize(number + 1, 64);
        }
        self.plan.scratch[number] = self.plan.scratch[number].max(bytes);
        Binding::new(self.op.output + self.op.outputs() + number, 0, bytes)
    }

    /// The windows of the outputs that a cell fills, and the cell's first element in them.
    fn results(&self, cell: &Cell, buffers: &mut Vec<Binding>) -> u64 {
        let (size, alignment) = (self.op.dtype().size() as u64, self.caps.offset_alignment.max(64));
        let offset = cell.first_output * size / alignment * alignment;
        let end = ((cell.first_output + cell.outputs) * size).next_multiple_of(4);
        let outputs = self.op.output..self.op.output + self.op.outputs();
        buffers.extend(outputs.map(|buffer| Binding::new(buffer, offset, end - offset)));
        cell.first_output - offset / size
    }
}
