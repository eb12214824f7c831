//! The plan of columns: one launch where there are many, else totals of chunks first; `shaders/scan_columns.wgsl`.

use super::picks;
use super::scanned::{Fusions, Scanned};
use crate::caps::Caps;
use crate::kernel::{Access, Kernel};
use crate::op::{Binding, Grid, Param, Pass, Plan};
use std::ops::Range;

/// Invocations wanted before columns are no longer cut into chunks; on a processor for each that runs at the same time.
const INVOCATIONS: u64 = 1 << 17;
const EACH: u64 = 8;
/// Elements of a block, on a processor.
const BLOCK: u32 = 128;
/// Elements of a chunk, at least.
const SPAN: u64 = 64;

/// The parameters of columns, before the identity's bits and the fusions' own.
const PARAMS: [&str; 6] = ["columns", "extent", "chunks", "span", "first_chunk", "whole"];

/// Columns side by side, and the boxes of the index space that they run through.
struct Strip {
    columns: u64,
    parts: Vec<Vec<Range<u64>>>,
}

impl Scanned {
    pub(super) fn plan_columns(&self, fusions: Fusions, caps: &Caps) -> Plan {
        let kept = fusions.values.dims.iter().filter(|dim| dim.group == 0).count();
        let chunk = self.space(&fusions).chunks(caps.binding_bytes, 4096);
        let mut plan = Plan::default();
        for strip in strips(self.space(&fusions).boxes(&chunk), kept) {
            self.plan_strip(&fusions, &strip, kept, caps, &mut plan);
        }
        plan
    }

    fn plan_strip(&self, fusions: &Fusions, strip: &Strip, kept: usize, caps: &Caps, plan: &mut Plan) {
        let extent = |cut: &[Range<u64>]| cut.get(kept).map_or(1, |range| range.end - range.start);
        let invocations = caps.processor.map_or(INVOCATIONS, |processor| EACH * (processor.threads * processor.lanes) as u64);
        let chunks = |cut: &[Range<u64>]| {
            let wanted = invocations.div_ceil(strip.columns).min(extent(cut).div_ceil(SPAN));
            // Every chunk reads the totals of all before it.
            wanted.min((extent(cut) / 4).isqrt()).max(1)
        };
        let all: u64 = strip.parts.iter().map(|cut| chunks(cut)).sum();
        let workgroup = caps.workgroup() as u64;
        let identity: Vec<Param> = self.operator.identity(self.expression.dtype()).words().map(Param::Is).collect();
        let bytes = |slot: usize| self.slot_bytes(slot);
        let bytes_of_states = (all * strip.columns * self.state_bytes(self.heads.is_some())).next_multiple_of(64);
        let states = Binding::new(self.output + 1 + self.picked.is_some() as usize, 0, bytes_of_states);
        if all > 1 {
            plan.scratch.resize(1, 0);
            plan.scratch[0] = plan.scratch[0].max(states.bytes);
        }
        let read_only = fusions.without_output();
        for last in [false, true].into_iter().skip((all == 1) as usize) {
            let fusions = if last { fusions } else { &read_only };
            let kernel = self.columns_kernel(fusions, last, all > 1, caps);
            let mut first_chunk = 0;
            for cut in &strip.parts {
                let (chunks, extent) = (chunks(cut), extent(cut));
                let (mut params, mut buffers) = fusions.values.params(cut, caps.offset_alignment, &bytes);
                for more in [&fusions.heads, &fusions.picked].into_iter().flatten() {
                    let more = more.params(cut, caps.offset_alignment, &bytes);
                    params.extend(more.0);
                    buffers.extend(more.1);
                }
                let scanned = cut.get(kept).cloned().unwrap_or(0..1);
                if last && self.picked.is_some() {
                    let (more, outputs) = self.picked_params(&scanned);
                    params.extend(more);
                    buffers.extend(outputs);
                }
                if all > 1 {
                    buffers.push(states);
                }
                let whole = (scanned.end == self.extent()) as u64;
                let own = [strip.columns, extent, chunks, extent.div_ceil(chunks), first_chunk, whole];
                plan.passes.push(Pass {
                    kernel: kernel.clone(),
                    buffers,
                    params: [own.map(Param::of).to_vec(), identity.clone(), params].concat(),
                    grid: Grid::Count((strip.columns * chunks).div_ceil(workgroup)),
                });
                first_chunk += chunks;
            }
        }
    }

    fn columns_kernel(&self, fusions: &Fusions, last: bool, chunked: bool, caps: &Caps) -> Kernel {
        self.kernel(fusions, &format!("columns{last}{chunked}"), caps, || {
            let mut draft = self.draft(fusions, &PARAMS, self.heads.is_some(), false);
            let what = if self.picked.is_some() { "select".into() } else { format!("{} scan of columns", self.operator.name()) };
            draft.name = format!("{what}{}", if last { "" } else { ": totals" });
            let spans = caps.processor.is_some();
            (draft.file, draft.entry) = match (spans, last) {
                (false, false) => ("scan_columns", "column_totals"),
                (false, true) => ("scan_columns", "columns"),
                (true, false) => ("scan_spans", "span_totals"),
                (true, true) => ("scan_spans", "spans"),
            };
            draft.constants = vec![("WORKGROUP", caps.workgroup())];
            draft.constants.extend(spans.then_some(("BLOCK", BLOCK)));
            let heads = if self.heads.is_some() { "head_value(k, r)" } else { "false" };
            draft.text += &format!("fn head(k: u32, r: u32) -> bool {{ return {heads}; }}\n");
            draft.text += &match (spans, last && self.picked.is_some()) {
                (false, _) => put_text(self.exclusive, self.heads.is_some(), last),
                (true, true) => picks::advance_text(self.fill.is_some()),
                (true, false) => advance_text(self.exclusive, self.heads.is_some(), last),
            };
            let (binding, access) = match last {
                true => (draft.access.len(), Access::Read),
                false => (draft.access.len(), Access::Write),
            };
            draft.text += &match (chunked, last) {
                (true, _) => {
                    draft.access.push(access);
                    states_text(binding, last)
                }
                (false, _) => {
                    "fn kept(at: u32) -> State { return identity(); }\nfn keep(at: u32, state: State) {}\n".into()
                }
            };
            draft
        })
    }
}

/// Boxes of the same columns together.
fn strips(boxes: Vec<Vec<Range<u64>>>, kept: usize) -> Vec<Strip> {
    let mut strips: Vec<Strip> = vec![];
    for cut in boxes {
        match strips.last_mut() {
            Some(strip) if strip.parts[0][..kept] == cut[..kept] => strip.parts.push(cut),
            _ => {
                let columns = cut[..kept].iter().map(|range| range.end - range.start).product();
                strips.push(Strip { columns, parts: vec![cut] });
            }
        }
    }
    strips
}

/// `put`: stores an element's result, and gives the state after it.
fn put_text(exclusive: bool, segmented: bool, last: bool) -> String {
    let (fresh, shown) = shown(exclusive, segmented);
    let store = if last { format!("    store(k, r, result({shown}));\n") } else { String::new() };
    format!(
        "fn put(k: u32, r: u32, state: State, own: State) -> State {{\n    let next = combine(state, own);\n{fresh}{store}    \
         return next;\n}}\n"
    )
}

/// `advance` and `leave`: as `put`, where `block` comes after `before`.
fn advance_text(exclusive: bool, segmented: bool, last: bool) -> String {
    let (fresh, shown) = shown(exclusive, segmented);
    let all = if exclusive { "    let state = combine(before, block);\n" } else { "    let next = combine(before, held);\n" };
    let store = if last { format!("{all}{fresh}    store(k, r, result({shown}));\n") } else { String::new() };
    format!(
        "fn leave(chunk: u32, begin: State, state: State) {{}}\n\
         fn advance(k: u32, r: u32, before: State, block: State, own: State) -> State {{\n    \
         let held = combine(block, own);\n{store}    return held;\n}}\n"
    )
}

/// What an element's result is made of, and the lines that give it, if any.
fn shown(exclusive: bool, segmented: bool) -> (&'static str, &'static str) {
    match (exclusive, segmented) {
        (false, _) => ("", "next"),
        (true, false) => ("", "state"),
        (true, true) => ("    var shown = state;\n    if (own.head != 0u) { shown = identity(); }\n", "shown"),
    }
}

/// `kept` and `keep`: the totals of chunks.
fn states_text(binding: usize, last: bool) -> String {
    let access = if last { "read" } else { "read_write" };
    let keep = if last { "" } else { "    states[at] = state;\n" };
    format!(
        "@group(0) @binding({binding}) var<storage, {access}> states: array<State>;\n\
         fn kept(at: u32) -> State {{ return states[at]; }}\nfn keep(at: u32, state: State) {{\n{keep}}}\n"
    )
}
