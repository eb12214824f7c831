//! The text of a scan's kernels: what the files in `shaders/` leave open.

use super::super::fuse::wide;
use super::super::reduce::Names;
use super::chain::{chain_text, no_chain_text, segmented_text, team_text};
use super::picks::{self, picks_text};
use super::rows::Shape;
use super::spec::ScanSpec;
use crate::shader;
use crosslane_core::element::word_suffixes;
use crosslane_core::kernel::{Access, Draft, Feature};
use std::fmt::Write;

/// The parameters of rows, before the identity's bits and the fusions' own.
const ROWS: [&str; 8] = ["rows", "tiles", "extent", "first_tile", "first_entry", "row_tiles", "row_groups", "whole"];

impl ScanSpec {
    pub(super) fn rows_draft(&self, shape: &Shape) -> Draft {
        let name = match &self.picked {
            Some(_) => "select".into(),
            None => format!("{} scan of rows", self.operator.name()),
        };
        let mut draft = self.base(Draft::new(name, shader("scan")), &ROWS, shape.segmented, shape.counted);
        draft.constants = shape.constants();
        draft.text += &team_text(shape, &mut draft.constants);
        draft.text += &self.items_text(shape);
        draft.text += &match shape.chained {
            true => chain_text(self.accumulator(), shape, draft.access.len()),
            false => no_chain_text(),
        };
        draft.access.extend(shape.chained.then_some(Access::Write));
        draft
    }

    /// What all kernels of a scan have: the operator and the fusions.
    pub(super) fn base(&self, draft: Draft, own: &[&str], segmented: bool, counted: bool) -> Draft {
        let (operator, dtype) = (&self.operator, self.dtype());
        let mut params: Vec<String> = own.iter().map(|name| name.to_string()).collect();
        let words = operator.identity(dtype).words();
        params.extend(["identity", "identity_high"].iter().zip(words).map(|(name, _)| name.to_string()));
        let mut text = match segmented {
            true => segmented_text(operator, dtype, counted),
            false => {
                let value = dtype.wgsl();
                operator.text(dtype, &Names::USUAL)
                    + &format!("fn lift_at(v: {value}, head: bool) -> State {{ return lift(v, 0u); }}\n")
            }
        };
        let mut access = vec![];
        for fusion in self.fusions() {
            text += &fusion.text(access.len());
            access.extend(fusion.access());
            params.extend(fusion.param_names());
        }
        if self.picked.is_some() {
            text += &picks_text(self.result(), self.filled, access.len());
            params.extend(["start", "total"].map(String::from));
            let fill = self.filled.then(|| word_suffixes(self.result()));
            params.extend(fill.into_iter().flatten().map(|end| format!("fill{end}")));
            access.extend([Access::Write; 2]);
        }
        Draft {
            params,
            access,
            text,
            width: self.values.width,
            f16: self.fusions().any(|fusion| fusion.uses_f16())
                || operator.formulas().any(|formula| formula.features().contains(&Feature::F16)),
            trusted: self.fusions().all(|fusion| fusion.is_safe()) && operator.formulas().all(|formula| formula.safe()),
            ..draft
        }
    }

    /// `Items` and its functions.
    fn items_text(&self, shape: &Shape) -> String {
        let (rounds, width) = (shape.rounds, shape.width);
        if let Some(picked) = &self.picked {
            return picks::items_text(self.dtype(), picked, shape, self.filled);
        }
        let mut text = "struct Items {\n    heads: u32,\n".to_string();
        for (j, l) in places(rounds, width) {
            writeln!(text, "    s{j}_{l}: State,").expect("to a string");
        }
        text += "}\n";
        text += &rows_text(shape);
        text += &self.load_text(shape, false);
        text += &self.load_text(shape, true);
        text += "fn spread(items: Items, lane: u32) {\n";
        for j in 0..rounds {
            writeln!(text, "    totals[{}u + lane] = items.s{j}_{};", j * shape.workgroup, width - 1)
                .expect("to a string");
        }
        text += "}\n";
        text + &self.save_text(shape, false) + &self.save_text(shape, true)
    }

    /// `load` and `load_part`: the units of a lane, each scanned.
    fn load_text(&self, shape: &Shape, part: bool) -> String {
        let (width, name) = (shape.width, if part { "load_part" } else { "load" });
        let mut text =
            format!("fn {name}(row: u32, tile: u32, lane: u32) -> Items {{\n    var items: Items;\n{}", start(shape));
        let value = wide(self.dtype().wgsl(), width as u32);
        for j in 0..shape.rounds {
            let at = position(shape, j);
            let load = call_at("value", j, "");
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
            let heads = self.heads_text(shape, j, part);
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
    fn heads_text(&self, shape: &Shape, j: u64, part: bool) -> String {
        if !shape.segmented {
            return String::new();
        }
        let (width, bit) = (shape.width, j * shape.width);
        let mut text = String::new();
        let guard = if part { format!("there{j} && ") } else { String::new() };
        if let Some(heads) = &self.heads {
            let load = call_at("head_value", j, "");
            let ty = wide("bool", heads.width);
            writeln!(text, "    var h{j}: {ty};\n    if ({guard}true) {{ h{j} = {load}; }}").expect("to a string");
            for l in 0..width {
                let h = if width == 1 { format!("h{j}") } else { format!("h{j}.{}", LANES[l as usize]) };
                writeln!(text, "    items.heads |= select(0u, {}u, {h});", 1u64 << (bit + l)).expect("to a string");
            }
        }
        // A row begins with a segment.
        writeln!(text, "    if ({guard}begins_row(i{j})) {{ items.heads |= {}u; }}", 1u64 << bit).expect("to a string");
        text
    }

    /// `save` and `save_part`: combine the loaded values with the prefix of the tile, and store them.
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
            let store = call_at("store", j, &format!(", {result}({})", all.join(", ")));
            // A row of one element is never whole. FXC refuses what all invocations would store there (X3694).
            match part || !self.values.stores_apart("r") {
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

/// `is_whole`, `column_of`, `begins_row`, `row_of` and `is_there`: which elements a tile has.
pub(super) fn rows_text(shape: &Shape) -> String {
    match shape.packed {
        Some(packed) => format!(
            "fn is_whole(tile: u32) -> bool {{ return false; }}\n\
             fn column_of(i: u32) -> u32 {{ return i % params.extent; }}\n\
             fn begins_row(i: u32) -> bool {{ return column_of(i) == 0u; }}\n\
             fn row_of(k: u32, i: u32) -> u32 {{ return k + i / params.extent; }}\n\
             fn is_there(k: u32, i: u32) -> bool {{ return i < {packed}u * params.extent && row_of(k, i) < params.rows; }}\n",
        ),
        None => format!(
            "fn is_whole(tile: u32) -> bool {{ return (tile + 1u) * {}u <= params.extent; }}\n\
             fn column_of(i: u32) -> u32 {{ return i; }}\n\
             fn begins_row(i: u32) -> bool {{ return (i | params.first_tile) == 0u; }}\n\
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

/// A call with the position of a round, and with more arguments.
pub(super) fn call_at(function: &str, j: u64, more: &str) -> String {
    format!("{function}(row_of(first, i{j}), column_of(i{j}){more})")
}

/// Whether an element begins a segment.
fn head(shape: &Shape, j: u64, l: u64) -> String {
    match shape.segmented {
        true => format!("(items.heads & {}u) != 0u", 1u64 << (j * shape.width + l)),
        false => "false".into(),
    }
}
