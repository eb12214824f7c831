//! The text of a scan's kernels: what the files in `shaders/` leave open.

use super::super::fuse::wide;
use super::super::reduce::identity_text;
use super::chain::{chain_text, no_chain_text, segmented_text, team_text};
use super::picks::{self, picks_text};
use super::rows::Shape;
use super::scanned::{Fusions, Scanned};
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::{Access, Draft, Feature, Kernel};
use std::fmt::Write;

/// The parameters of rows, before the identity's bits and the fusions' own.
const ROWS: [&str; 8] = ["rows", "tiles", "extent", "first_tile", "first_entry", "row_tiles", "row_groups", "whole"];

impl Scanned {
    /// A kernel of this scan, from the cache if it is there.
    pub(super) fn kernel(&self, fusions: &Fusions, form: &str, caps: &Caps, draft: impl FnOnce() -> Draft) -> Kernel {
        let mut key = b"scan".to_vec();
        key.push(self.expression.dtype() as u8);
        key.extend(format!("{:?}{}{form}{}.", self.operator, self.exclusive, caps.workgroup()).bytes());
        key.push(self.fill.is_some() as u8);
        fusions.values.key(&mut key);
        for more in [&fusions.heads, &fusions.picked].into_iter().flatten() {
            key.push(more.prefix.len() as u8);
            more.key(&mut key);
        }
        Kernel::cached(key, caps, draft)
    }

    pub(super) fn rows_kernel(&self, fusions: &Fusions, shape: &Shape, caps: &Caps) -> Kernel {
        let chained = if shape.chained { vec![Access::Write] } else { vec![] };
        self.kernel(fusions, &format!("{shape:?}"), caps, || {
            let mut draft = self.draft(fusions, &ROWS, shape.segmented, shape.counted);
            draft.name = match &self.picked {
                Some(_) => "select".into(),
                None => format!("{} scan of rows", self.operator.name()),
            };
            (draft.file, draft.entry) = ("scan", "scan");
            draft.constants = shape.constants();
            draft.text += &team_text(shape, &mut draft.constants);
            draft.text += &self.items_text(fusions, shape);
            draft.text += &match shape.chained {
                true => chain_text(self.accumulator(), shape, draft.access.len()),
                false => no_chain_text(),
            };
            draft.access.extend(chained);
            draft
        })
    }

    pub(super) fn accumulator(&self) -> DType {
        self.operator.accumulator(self.expression.dtype())
    }

    /// What all kernels of this scan have: the operator and the fusions.
    pub(super) fn draft(&self, fusions: &Fusions, own: &[&str], segmented: bool, counted: bool) -> Draft {
        let dtype = self.expression.dtype();
        let identity = self.operator.identity(dtype);
        let mut params: Vec<String> = own.iter().map(|name| name.to_string()).collect();
        params.extend(["identity", "identity_high"].iter().zip(identity.words()).map(|(name, _)| name.to_string()));
        let mut text = self.operator.text(dtype) + &identity_text(identity, false);
        if segmented {
            text = segmented_text(&text, counted);
        } else {
            text += "fn lift_at(v: VALUE, head: bool) -> State { return lift(v, 0u); }\n";
        }
        text = text.replace("VALUE", dtype.wgsl());
        text += &fusions.values.text(0);
        let mut access = fusions.values.access();
        params.extend(fusions.values.param_names());
        for more in [&fusions.heads, &fusions.picked].into_iter().flatten() {
            text += &more.text(access.len());
            access.extend(more.access());
            params.extend(more.param_names());
        }
        if self.picked.is_some() {
            text += &picks_text(self.result(), self.fill, access.len());
            params.extend(["start", "total"].map(String::from));
            let words = self.fill.iter().flat_map(|fill| fill.words());
            params.extend(words.zip(["fill", "fill_high"]).map(|(_, name)| name.to_string()));
            access.extend([Access::Write; 2]);
        }
        let all = || [Some(&fusions.values), fusions.heads.as_ref(), fusions.picked.as_ref()].into_iter().flatten();
        let formulas = || self.operator.formulas();
        Draft {
            params,
            access,
            text,
            width: fusions.values.width,
            f16: all().any(|fusion| fusion.uses_f16())
                || dtype == DType::F16
                || formulas().any(|formula| formula.parts().features.contains(&Feature::F16)),
            trusted: all().all(|fusion| fusion.is_safe()) && formulas().all(|formula| formula.parts().safe),
            ..Draft::new(String::new(), "")
        }
    }

    /// `Items` and its functions.
    fn items_text(&self, fusions: &Fusions, shape: &Shape) -> String {
        let (rounds, width) = (shape.rounds, shape.width);
        if let Some(picked) = &fusions.picked {
            let condition = wide(self.expression.dtype().wgsl(), width as u32);
            return picks::items_text(picked, self.result(), shape, self.fill.is_some())
                .replace("CONDITION", &condition);
        }
        let mut text = "struct Items {\n    heads: u32,\n".to_string();
        for (j, l) in places(rounds, width) {
            writeln!(text, "    s{j}_{l}: State,").expect("to a string");
        }
        text += "}\n";
        text += &rows_text(shape);
        text += &self.load_text(fusions, shape, false);
        text += &self.load_text(fusions, shape, true);
        text += "fn spread(items: Items, lane: u32) {\n";
        for j in 0..rounds {
            writeln!(text, "    totals[{}u + lane] = items.s{j}_{};", j * shape.workgroup, width - 1)
                .expect("to a string");
        }
        text += "}\n";
        text + &self.save_text(shape, false) + &self.save_text(shape, true)
    }

    /// `load` and `load_part`: the units of a lane, each scanned.
    fn load_text(&self, fusions: &Fusions, shape: &Shape, part: bool) -> String {
        let (width, name) = (shape.width, if part { "load_part" } else { "load" });
        let mut text =
            format!("fn {name}(row: u32, tile: u32, lane: u32) -> Items {{\n    var items: Items;\n{}", start(shape));
        let value = wide(self.expression.dtype().wgsl(), width as u32);
        for j in 0..shape.rounds {
            let at = position(shape, j);
            let load = load_at("value(row_of(first, i), column_of(i))", j);
            match part {
                false => writeln!(text, "    let i{j} = {at};\n    let v{j} = {load};"),
                true => writeln!(
                    text,
                    "    let i{j} = {at};\n    var v{j}: {value};\n    let there{j} = is_there(first, i{j});\n    if (there{j}) {{ v{j} = {load}; }}"
                ),
            }
            .expect("to a string");
        }
        for j in 0..shape.rounds {
            let heads = self.heads_text(fusions, shape, j, part);
            text += &heads;
            for l in 0..width {
                let v = if width == 1 { format!("v{j}") } else { format!("v{j}.{}", LANES[l as usize]) };
                let lifted = format!("lift_at({v}, {})", head(shape, j, l));
                let lifted = if part { format!("pick({lifted}, there{j})") } else { lifted };
                match l {
                    0 => writeln!(text, "    items.s{j}_0 = {lifted};"),
                    _ => writeln!(text, "    items.s{j}_{l} = combine(items.s{j}_{}, {lifted});", l - 1),
                }
                .expect("to a string");
            }
        }
        text += "    return items;\n}\n";
        if part {
            text += "fn pick(state: State, there: bool) -> State {\n    if (there) { return state; }\n    return identity();\n}\n";
        }
        text
    }

    /// `items.heads` for the units of a round: a bit an element.
    fn heads_text(&self, fusions: &Fusions, shape: &Shape, j: u64, part: bool) -> String {
        if !shape.segmented {
            return String::new();
        }
        let (width, bit) = (shape.width, j * shape.width);
        let mut text = String::new();
        let guard = if part { format!("there{j} && ") } else { String::new() };
        if let Some(heads) = &fusions.heads {
            let load = load_at("head_value(row_of(first, i), column_of(i))", j);
            let ty = wide("bool", heads.width);
            writeln!(text, "    var h{j}: {ty};\n    if ({guard}true) {{ h{j} = {load}; }}").expect("to a string");
            for l in 0..width {
                let h = if width == 1 { format!("h{j}") } else { format!("h{j}.{}", LANES[l as usize]) };
                writeln!(text, "    items.heads |= select(0u, {}u, {h});", 1u64 << (bit + l)).expect("to a string");
            }
        }
        // A row begins with a segment.
        writeln!(text, "    if ({guard}column_of(i{j}) == 0u) {{ items.heads |= {}u; }}", 1u64 << bit)
            .expect("to a string");
        text
    }

    /// `save` and `save_part`: what was loaded, combined with what is before.
    fn save_text(&self, shape: &Shape, part: bool) -> String {
        let (width, name) = (shape.width, if part { "save_part" } else { "save" });
        let result = wide(self.result().wgsl(), width as u32);
        let mut text = format!("fn {name}(items: Items, row: u32, tile: u32, lane: u32) {{\n{}", start(shape));
        for j in 0..shape.rounds {
            writeln!(text, "    let i{j} = {};", position(shape, j)).expect("to a string");
            writeln!(text, "    let before{j} = combine(carried, totals[{}u + lane]);", j * shape.workgroup)
                .expect("to a string");
            let one = |l: u64| {
                let (own, before) = (format!("items.s{j}_{l}"), format!("before{j}"));
                match (self.exclusive, l) {
                    (false, _) => format!("result(combine({before}, {own}))"),
                    (true, 0) => format!("result(fresh({before}, {}))", head(shape, j, 0)),
                    (true, _) => {
                        format!("result(fresh(combine({before}, items.s{j}_{}), {}))", l - 1, head(shape, j, l))
                    }
                }
            };
            let all: Vec<String> = (0..width).map(one).collect();
            let store = load_at(&format!("store(row_of(first, i), column_of(i), {result}({}))", all.join(", ")), j);
            match part {
                false => writeln!(text, "    {store};"),
                true => writeln!(text, "    if (is_there(first, i{j})) {{ {store}; }}"),
            }
            .expect("to a string");
        }
        text += "}\n";
        if part {
            text += "fn fresh(state: State, head: bool) -> State {\n    if (head) { return identity(); }\n    return state;\n}\n";
        }
        text
    }
}

/// `is_whole`, `column_of`, `row_of` and `is_there`: which elements a tile has.
pub(super) fn rows_text(shape: &Shape) -> String {
    match shape.packed {
        Some(packed) => format!(
            "fn is_whole(tile: u32) -> bool {{ return false; }}\n\
             fn column_of(i: u32) -> u32 {{ return i % params.extent; }}\n\
             fn row_of(k: u32, i: u32) -> u32 {{ return k + i / params.extent; }}\n\
             fn is_there(k: u32, i: u32) -> bool {{ return i < {packed}u * params.extent && row_of(k, i) < params.rows; }}\n",
        ),
        None => format!(
            "fn is_whole(tile: u32) -> bool {{ return (tile + 1u) * {}u <= params.extent; }}\n\
             fn column_of(i: u32) -> u32 {{ return i; }}\n\
             fn row_of(k: u32, i: u32) -> u32 {{ return k; }}\n\
             fn is_there(k: u32, i: u32) -> bool {{ return i < params.extent; }}\n",
            shape.tile()
        ),
    }
}

pub(super) const LANES: [&str; 4] = ["x", "y", "z", "w"];

pub(super) fn places(rounds: u64, width: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..rounds).flat_map(move |j| (0..width).map(move |l| (j, l)))
}

/// The first row of a tile.
pub(super) fn start(shape: &Shape) -> String {
    match shape.packed {
        Some(packed) => format!("    let first = row * {packed}u;\n"),
        None => "    let first = row;\n".into(),
    }
}

/// The first element of a unit: in its row, or in its tile where several rows share one.
pub(super) fn position(shape: &Shape, j: u64) -> String {
    let tile = if shape.packed.is_some() { String::new() } else { format!("tile * {}u + ", shape.tile()) };
    format!("{tile}{}u + lane * {}u", j * shape.workgroup * shape.width, shape.width)
}

/// The call with the position of a round.
pub(super) fn load_at(call: &str, j: u64) -> String {
    call.replace("(first, i)", &format!("(first, i{j})")).replace("column_of(i)", &format!("column_of(i{j})"))
}

/// Whether an element begins a segment.
fn head(shape: &Shape, j: u64, l: u64) -> String {
    match shape.segmented {
        true => format!("(items.heads & {}u) != 0u", 1u64 << (j * shape.width + l)),
        false => "false".into(),
    }
}
