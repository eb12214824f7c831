//! The plan of columns, and of spans on processors: one launch where there are many rows, else totals of chunks first;
//! `shaders/scan_columns.wgsl`, `shaders/scan_spans.wgsl`.

use super::scanned::{Fusions, Scanned};
use super::spec::{Form, ScanSpec};
use crate::shader;
use crosslane_core::caps::{Caps, Processor};
use crosslane_core::error::Result;
use crosslane_core::kernel::{Access, Draft, Kernel};
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan};
use std::ops::Range;

/// Invocations wanted before columns are no longer cut into chunks; on a processor for each lane.
const INVOCATIONS: u64 = 1 << 17;
const PER_LANE: u64 = 8;
/// Elements of a chunk, at least.
const SPAN: u64 = 64;
/// Elements that a processor's spans are an odd multiple of: a cache line of 32-bit ones or more. Neighbouring invocations then
/// read and write different sets of the cache.
const LINE: u64 = 16;

/// The parameters of columns, before the identity's bits and the fusions' own.
pub(super) const PARAMS: [&str; 5] = ["columns", "extent", "chunks", "span", "first_chunk"];

/// Columns side by side, and the boxes of the index space that they run through.
struct Strip {
    columns: u64,
    parts: Vec<Vec<Range<u64>>>,
}

/// How many chunks there are of an extent, and how long they are.
fn chunks(columns: u64, extent: u64, caps: &Caps) -> (u64, u64) {
    let at_once = |processor: Processor| PER_LANE * (processor.threads * processor.lanes) as u64;
    let invocations = caps.processor.map_or(INVOCATIONS, at_once);
    let wanted = invocations.div_ceil(columns).min(extent.div_ceil(SPAN));
    // Every chunk reads the totals of all before it.
    let chunks = wanted.min((extent / 4).isqrt()).max(1);
    let span = extent.div_ceil(chunks);
    match caps.processor {
        Some(_) if chunks > 1 => {
            let span = span.next_multiple_of(LINE) | LINE;
            (extent.div_ceil(span), span)
        }
        _ => (chunks, span),
    }
}

impl Scanned {
    pub(super) fn plan_columns(&self, mut fusions: Fusions, caps: &Caps) -> Result<Plan> {
        let kept = fusions.values.dims.iter().filter(|dim| dim.group == 0).count();
        let chunk = self.space(&fusions).chunks(caps.binding_bytes, 4096);
        if caps.processor.is_some() && !self.wants_columns(&fusions.values) {
            let rows: u64 = fusions.values.dims[..kept].iter().map(|dim| dim.extent).product();
            fusions.widen(&|fusion| fusion.widen_each(&chunk, 1, rows == 1));
        }
        let mut plan = Plan::default();
        for strip in strips(self.space(&fusions).boxes(self.name(), &chunk)?, kept) {
            self.plan_strip(&fusions, &strip, kept, caps, &mut plan);
        }
        Ok(plan)
    }

    fn plan_strip(&self, fusions: &Fusions, strip: &Strip, kept: usize, caps: &Caps, plan: &mut Plan) {
        let extent = |cut: &[Range<u64>]| cut.get(kept).map_or(1, |range| range.end - range.start);
        let chunks = |cut: &[Range<u64>]| chunks(strip.columns, extent(cut), caps);
        let all: u64 = strip.parts.iter().map(|cut| chunks(cut).0).sum();
        let workgroup = caps.workgroup() as u64;
        let identity: Vec<Param> = self.operator.identity(self.expression.dtype()).words().map(Param::Is).collect();
        let bytes_of_states = (all * strip.columns * self.state_bytes(self.heads.is_some())).next_multiple_of(64);
        let states = Binding::new(self.scratch(), 0, bytes_of_states);
        if all > 1 {
            plan.scratch.resize(1, 0);
            plan.scratch[0] = plan.scratch[0].max(states.bytes);
        }
        let read_only = fusions.without_output();
        for last in [false, true].into_iter().skip((all == 1) as usize) {
            let fusions = if last { fusions } else { &read_only };
            let chunked = all > 1;
            let form = match caps.processor {
                Some(_) => Form::Spans { last, chunked },
                None => Form::Columns { last, chunked },
            };
            let kernel = Kernel::of(self.spec(fusions, form), caps);
            let mut first_chunk = 0;
            for cut in &strip.parts {
                let ((chunks, span), extent) = (chunks(cut), extent(cut));
                let (params, mut buffers) = self.params(fusions, cut, kept, caps);
                if chunked {
                    buffers.push(states);
                }
                let own = [strip.columns, extent, chunks, span, first_chunk];
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
}

impl ScanSpec {
    pub(super) fn columns_draft(&self, last: bool, chunked: bool, caps: &Caps) -> Draft {
        let name = format!("{} scan of columns{}", self.operator.name(), if last { "" } else { ": totals" });
        let entry = if last { "columns" } else { "column_totals" };
        let draft = Draft { entry, ..Draft::new(name, shader("scan_columns")) };
        let segmented = self.heads.is_some();
        let mut draft = self.base(draft, &PARAMS, segmented, false);
        draft.constants = vec![("WORKGROUP", caps.workgroup())];
        let heads = if segmented { "head_value(k, r)" } else { "false" };
        draft.text += &format!("fn head(k: u32, r: u32) -> bool {{ return {heads}; }}\n");
        draft.text += &put_text(self.exclusive, segmented, last);
        draft.text += &states_text(chunked, draft.access.len(), last);
        let access = if last { Access::Read } else { Access::Write };
        draft.access.extend(chunked.then_some(access));
        draft
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
    let shown = match (exclusive, segmented) {
        (false, _) => "next",
        (true, false) => "state",
        (true, true) => "shown",
    };
    let fresh = match (exclusive, segmented) {
        (true, true) => "    var shown = state;\n    if (own.head != 0u) { shown = identity(); }\n",
        _ => "",
    };
    let store = if last { format!("    store(k, r, result({shown}));\n") } else { String::new() };
    format!(
        "fn put(k: u32, r: u32, state: State, own: State) -> State {{\n    let next = combine(state, own);\n{fresh}{store}    \
         return next;\n}}\n"
    )
}

/// `kept` and `keep`: the totals of chunks, if there are several.
pub(super) fn states_text(chunked: bool, binding: usize, last: bool) -> String {
    if !chunked {
        return "fn kept(at: u32) -> State { return identity(); }\nfn keep(at: u32, state: State) {}\n".into();
    }
    let access = if last { "read" } else { "read_write" };
    let keep = if last { "" } else { "    states[at] = state;\n" };
    format!(
        "@group(0) @binding({binding}) var<storage, {access}> states: array<State>;\n\
         fn kept(at: u32) -> State {{ return states[at]; }}\nfn keep(at: u32, state: State) {{\n{keep}}}\n"
    )
}
