//! The text of a scan on a processor: what `shaders/scan_spans.wgsl` leaves open.

use super::columns::{PARAMS, states_text};
use super::picks;
use super::spec::ScanSpec;
use super::wgsl::LANES;
use crate::fuse::wide;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::kernel::{Access, Draft};

/// Elements of a block.
const BLOCK: u32 = 128;

impl ScanSpec {
    pub(super) fn spans_draft(&self, last: bool, chunked: bool, caps: &Caps) -> Draft {
        let what = match (&self.picked, last) {
            (Some(_), _) => "select".to_string(),
            (None, true) => format!("{} scan of spans", self.operator.name()),
            (None, false) => format!("{} scan of spans: totals", self.operator.name()),
        };
        let entry = if last { "spans" } else { "span_totals" };
        let draft = Draft { entry, ..Draft::new(what, shader("scan_spans")) };
        let mut draft = self.base(draft, &PARAMS, self.heads.is_some(), false);
        draft.constants = vec![("WORKGROUP", caps.workgroup()), ("BLOCK", BLOCK), ("WIDTH", self.values.width)];
        draft.text +=
            "fn there(state: State, is: bool) -> State {\n    if (is) { return state; }\n    return identity();\n}\n";
        draft.text += &match (&self.picked, last) {
            (_, false) => self.total_text(),
            (None, true) => self.advance_text(),
            (Some(_), true) => self.picks_text(),
        };
        draft.text += &states_text(chunked, draft.access.len(), last);
        let access = if last { Access::Read } else { Access::Write };
        draft.access.extend(chunked.then_some(access));
        draft
    }

    fn lane(&self, name: &str, lane: usize) -> String {
        if self.values.width == 1 { name.into() } else { format!("{name}.{}", LANES[lane]) }
    }

    /// Whether an element begins a segment.
    fn head(&self, lane: usize) -> String {
        if self.heads.is_some() { self.lane("h", lane) } else { "false".into() }
    }

    /// `s0`, `s1`, ...: the elements, those before `end`.
    fn lifted_text(&self) -> String {
        let mut text = "    let v = value(k, r);\n".to_string();
        if self.heads.is_some() {
            text += "    let h = head_value(k, r);\n";
        }
        for l in 0..self.values.width as usize {
            let lifted = format!("lift_at({}, {})", self.lane("v", l), self.head(l));
            text += &match l {
                0 => format!("    let s0 = {lifted};\n"),
                _ => format!("    let s{l} = there({lifted}, r + {l}u < end);\n"),
            };
        }
        text
    }

    fn total_text(&self) -> String {
        let all = if self.values.width == 1 { "s0" } else { "combine(combine(s0, s1), combine(s2, s3))" };
        let lifted = self.lifted_text();
        format!(
            "fn advance(k: u32, r: u32, end: u32, before: State, block: State) -> State {{ return block; }}\n\
             fn leave(chunk: u32, begin: State, state: State) {{}}\n\
             fn total(k: u32, r: u32, end: u32) -> State {{\n{lifted}    return {all};\n}}\n"
        )
    }

    fn advance_text(&self) -> String {
        let width = self.values.width as usize;
        let mut text = self.lifted_text() + "    let carry = combine(before, block);\n    let p0 = s0;\n";
        for l in 1..width {
            text += &format!("    let p{l} = combine(p{}, s{l});\n", l - 1);
        }
        let result = |l: usize| match (self.exclusive, l) {
            (false, _) => format!("result(combine(carry, p{l}))"),
            (true, 0) => format!("result(there(carry, !{}))", self.head(0)),
            (true, _) => format!("result(there(combine(carry, p{}), !{}))", l - 1, self.head(l)),
        };
        let results: Vec<String> = (0..width).map(result).collect();
        let ty = wide(self.result().wgsl(), self.values.width);
        format!(
            "fn total(k: u32, r: u32, end: u32) -> State {{ return identity(); }}\n\
             fn leave(chunk: u32, begin: State, state: State) {{}}\n\
             fn advance(k: u32, r: u32, end: u32, before: State, block: State) -> State {{\n{text}    \
             store(k, r, {ty}({}));\n    return combine(block, p{});\n}}\n",
            results.join(", "),
            width - 1
        )
    }

    /// Of a selection: what counts goes where it has counted to.
    fn picks_text(&self) -> String {
        let mut text = self.lifted_text() + "    let picked = picked_value(k, r);\n    var at = before + block;\n";
        for l in 0..self.values.width as usize {
            let picked = self.lane("picked", l);
            text += &format!("    if (s{l} != 0u) {{ put(at, {picked}); }}\n    at += s{l};\n");
        }
        format!(
            "fn total(k: u32, r: u32, end: u32) -> State {{ return identity(); }}\n\
             fn advance(k: u32, r: u32, end: u32, before: State, block: State) -> State {{\n{text}    \
             return at - before;\n}}\n{}",
            picks::leave_text(self.filled)
        )
    }
}
