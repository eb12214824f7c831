//! The text of a scan's kernels: what the files in `shaders/` leave open.

use super::super::fuse::{atomic_store, wide};
use super::super::reduce::identity_text;
use super::rows::{Shape, TUNING};
use super::{Fusions, ScanOp};
use crate::caps::Caps;
use crate::element::{DType, Scalar};
use crate::kernel::{Draft, Feature, Kernel};
use crate::op::Access;
use std::fmt::Write;

/// The parameters of rows, before the identity's bits and the fusions' own.
const ROWS: [&str; 8] = ["rows", "tiles", "extent", "first_tile", "first_entry", "row_tiles", "row_groups", "whole"];

impl ScanOp {
    /// Words of a published total: each has room for its share of the bits and for saying that it is there.
    pub(super) fn parts(&self, shape: &Shape) -> u64 {
        let bits = self.operator.accumulator(self.expression.dtype()).size() as u64 * 8 + shape.segmented as u64;
        if bits > 40 { 3 } else { 2 }
    }

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
            let mut draft = self.draft(fusions, &ROWS, shape.segmented);
            let units = (shape.workgroup * shape.rounds) as u32;
            let scratch = 2 * shape.workgroup as u32;
            draft.name = match &self.picked {
                Some(_) => "select".into(),
                None => format!("{} scan of rows", self.operator.name()),
            };
            (draft.file, draft.entry) = ("scan", "scan");
            draft.constants = vec![
                ("WORKGROUP", caps.workgroup()),
                ("ROUNDS", shape.rounds as u32),
                ("UNITS", units),
                ("SCRATCH", scratch),
                ("SPINS", TUNING.spins),
                ("CHAINED", shape.chained as u32),
            ];
            draft.text += &self.items_text(fusions, shape);
            draft.text += &match shape.chained {
                true => chain_text(self.accumulator(), shape.segmented, self.parts(shape), draft.access.len()),
                false => no_chain_text(),
            };
            draft.access.extend(chained);
            draft
        })
    }

    fn accumulator(&self) -> DType {
        self.operator.accumulator(self.expression.dtype())
    }

    /// What all kernels of this scan have: the operator and the fusions.
    pub(super) fn draft(&self, fusions: &Fusions, own: &[&str], segmented: bool) -> Draft {
        let dtype = self.expression.dtype();
        let identity = self.operator.identity(dtype);
        let mut params: Vec<String> = own.iter().map(|name| name.to_string()).collect();
        params.extend(["identity", "identity_high"].iter().zip(identity.words()).map(|(name, _)| name.to_string()));
        let mut text = self.operator.text(dtype) + &identity_text(identity, false);
        if segmented {
            text = segmented_text(&text);
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
            name: String::new(),
            file: "",
            entry: "",
            constants: vec![],
            params,
            access,
            text,
            width: fusions.values.width,
            f16: all().any(|fusion| fusion.uses_f16())
                || dtype == DType::F16
                || formulas().any(|formula| formula.parts().features.contains(&Feature::F16)),
            trusted: all().all(|fusion| fusion.is_safe()) && formulas().all(|formula| formula.parts().safe),
            native: None,
        }
    }

    /// `Items` and its functions.
    fn items_text(&self, fusions: &Fusions, shape: &Shape) -> String {
        let (rounds, width) = (shape.rounds, shape.width);
        let mut text = "struct Items {\n    heads: u32,\n".to_string();
        for (j, l) in places(rounds, width) {
            writeln!(text, "    s{j}_{l}: State,").expect("to a string");
        }
        text += "}\n";
        text += &match shape.packed {
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
        };
        text += &self.load_text(fusions, shape, false);
        text += &self.load_text(fusions, shape, true);
        text += "fn spread(items: Items, lane: u32) {\n";
        for j in 0..rounds {
            writeln!(text, "    totals[{}u + lane] = items.s{j}_{};", j * shape.workgroup, width - 1)
                .expect("to a string");
        }
        text += "}\n";
        let save = |part| match &fusions.picked {
            Some(picked) => pick_text(picked.width, self.result(), shape, part, self.fill.is_some()),
            None => self.save_text(shape, part),
        };
        text + &save(false) + &save(true)
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
            writeln!(text, "    let before{j} = totals[{}u + lane];", j * shape.workgroup).expect("to a string");
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

/// The bindings of a selection's output and count, and `put`.
fn picks_text(dtype: DType, fill: Option<Scalar>, binding: usize) -> String {
    let fill = fill.map_or(String::new(), |fill| match dtype {
        DType::Bool => "fn fill() -> bool { return params.fill != 0u; }\n".into(),
        _ => identity_text(fill, false)
            .replace("fn identity() -> State", &format!("fn fill() -> {}", dtype.wgsl()))
            .replace("params.identity", "params.fill"),
    });
    let element = if dtype.per_word() > 1 { "atomic<u32>" } else { dtype.wgsl() };
    // What reads four elements at a time reads some behind the last.
    let rest = match fill.is_empty() {
        true => format!(
            "    for (var at = all; at < min((all + 3u) & ~3u, params.total); at++) {{ put(at, {}()); }}\n",
            dtype.wgsl()
        ),
        false => String::new(),
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> picks: array<{element}>;\n\
         @group(0) @binding({}) var<storage, read_write> count: array<u32>;\n\
         fn put(at: u32, v: {}) {{\n{}}}\n\
         fn finish(all: u32) {{\n    count[0] = all;\n{rest}}}\n{fill}",
        binding + 1,
        dtype.wgsl(),
        atomic_store("picks", dtype)
    )
}

/// `save` and `save_part` of a selection: each element that counts goes to the place that was counted to.
fn pick_text(width: u32, dtype: DType, shape: &Shape, part: bool, filled: bool) -> String {
    let name = if part { "save_part" } else { "save" };
    let mut text = format!("fn {name}(items: Items, row: u32, tile: u32, lane: u32) {{\n{}", start(shape));
    text += "    var all = 0u;\n    var ended = false;\n";
    for j in 0..shape.rounds {
        let (there, ty) = (format!("is_there(first, i{j})"), wide(dtype.wgsl(), width));
        let load = load_at("picked_value(row_of(first, i), column_of(i))", j);
        writeln!(text, "    let i{j} = {};", position(shape, j)).expect("to a string");
        writeln!(text, "    let b{j} = totals[{}u + lane];", j * shape.workgroup).expect("to a string");
        let guard = if part { there } else { "true".into() };
        let any = if filled { "true".to_string() } else { format!("items.s{j}_{} != 0u", shape.width - 1) };
        writeln!(text, "    var v{j}: {ty};\n    if ({guard} && {any}) {{\n        v{j} = {load};")
            .expect("to a string");
        for l in 0..shape.width {
            let v = if width == 1 { format!("v{j}") } else { format!("v{j}.{}", LANES[l as usize]) };
            let before = if l == 0 { "0u".to_string() } else { format!("items.s{j}_{}", l - 1) };
            let inside = if part { format!("i{j} + {l}u < params.extent && ") } else { String::new() };
            let mask = format!("items.s{j}_{l} != {before}");
            writeln!(text, "        if ({inside}{mask}) {{ put(b{j} + {before}, {v}); }}").expect("to a string");
            if filled {
                let behind = format!("params.start + i{j} + {l}u - b{j} - {before}");
                writeln!(text, "        if ({inside}!({mask})) {{ put(params.total - 1u - ({behind}), fill()); }}")
                    .expect("to a string");
            }
        }
        text += "    }\n";
        for l in 0..shape.width {
            // Of a whole tile only the last element can be the last of all.
            if part || (j, l) == (shape.rounds - 1, shape.width - 1) {
                let last = format!("i{j} + {l}u == params.extent - 1u");
                writeln!(text, "    if ({last}) {{ all = b{j} + items.s{j}_{l}; ended = true; }}")
                    .expect("to a string");
            }
        }
    }
    text + "    if (ended && params.whole == 1u) { finish(all); }\n}\n"
}

const LANES: [&str; 4] = ["x", "y", "z", "w"];

fn places(rounds: u64, width: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..rounds).flat_map(move |j| (0..width).map(move |l| (j, l)))
}

/// The first row of a tile.
fn start(shape: &Shape) -> String {
    match shape.packed {
        Some(packed) => format!("    let first = row * {packed}u;\n"),
        None => "    let first = row;\n".into(),
    }
}

/// The first element of a unit: in its row, or in its tile where several rows share one.
fn position(shape: &Shape, j: u64) -> String {
    let tile = if shape.packed.is_some() { String::new() } else { format!("tile * {}u + ", shape.tile()) };
    format!("{tile}{}u + lane * {}u", j * shape.workgroup * shape.width, shape.width)
}

/// The call with the position of a round.
fn load_at(call: &str, j: u64) -> String {
    call.replace("(first, i)", &format!("(first, i{j})")).replace("column_of(i)", &format!("column_of(i{j})"))
}

/// Whether an element begins a segment.
fn head(shape: &Shape, j: u64, l: u64) -> String {
    match shape.segmented {
        true => format!("(items.heads & {}u) != 0u", 1u64 << (j * shape.width + l)),
        false => "false".into(),
    }
}

/// The operator's declarations, for states that say whether a segment begins in them: what comes before it is not
/// combined with what is behind.
fn segmented_text(plain: &str) -> String {
    let plain = plain
        .replace("State", "Plain")
        .replace("fn combine(", "fn combine_plain(")
        .replace("fn identity(", "fn identity_plain(")
        .replace("fn result(", "fn result_plain(");
    let result = plain.split("fn result_plain(s: Plain) -> ").nth(1).expect("an operator has a result");
    let result = &result[..result.find(' ').expect("a type is followed by a brace")];
    format!(
        "{plain}struct State {{\n    value: Plain,\n    head: u32,\n}}\n\
         fn lift_at(v: VALUE, head: bool) -> State {{ return State(lift(v, 0u), select(0u, 1u, head)); }}\n\
         fn combine(a: State, b: State) -> State {{\n    if (b.head != 0u) {{ return b; }}\n    \
         return State(combine_plain(a.value, b.value), a.head);\n}}\n\
         fn identity() -> State {{ return State(identity_plain(), 0u); }}\n\
         fn result(s: State) -> {result} {{ return result_plain(s.value); }}\n"
    )
}

/// `look` and `publish` where there is one tile.
fn no_chain_text() -> String {
    "struct Found {\n    state: State,\n    ready: bool,\n}\n\
     fn look(entry: u32) -> Found { return Found(identity(), true); }\n\
     fn publish(entry: u32, state: State) {}\n"
        .into()
}

/// `look` and `publish`: a state as words, each with its share of the bits and, highest, that it is there.
fn chain_text(dtype: DType, segmented: bool, parts: u64, binding: usize) -> String {
    let value = if segmented { "state.value" } else { "state" };
    let low = match dtype {
        DType::F32 | DType::I32 => format!("bitcast<u32>({value})"),
        DType::F16 => format!("pack2x16float(vec2<f32>(f32({value}), 0.0))"),
        DType::F64 | DType::I64 => format!("bitcast<u64>({value})"),
        _ => value.to_string(),
    };
    let wide = dtype.size() == 8;
    // Bits of a word: 16 of 32, or 22 of 64.
    let share = if wide { 22 } else { 16 };
    let (ty, mask) = if wide { ("u64", "0x3ffffflu") } else { ("u32", "0xffffu") };
    let mut text = format!(
        "@group(0) @binding({binding}) var<storage, read_write> chain: array<atomic<u32>>;\n\
         struct Found {{\n    state: State,\n    ready: bool,\n}}\n\
         fn publish(entry: u32, state: State) {{\n    let bits: {ty} = {low};\n"
    );
    for part in 0..parts {
        let last = part == parts - 1;
        let bits = format!("u32((bits >> {}u) & {mask})", part * share);
        let head = if last && segmented { format!(" | (state.head << {share}u)") } else { String::new() };
        writeln!(text, "    atomicStore(&chain[entry * {parts}u + {part}u], 0x80000000u | {bits}{head});")
            .expect("to a string");
    }
    text += "}\nfn look(entry: u32) -> Found {\n";
    for part in 0..parts {
        writeln!(text, "    let p{part} = atomicLoad(&chain[entry * {parts}u + {part}u]);").expect("to a string");
    }
    let ready: Vec<String> = (0..parts).map(|part| format!("p{part}")).collect();
    let bits: Vec<String> = (0..parts)
        .map(|part| {
            let own = if wide { format!("(u64(p{part}) & 0x3ffffflu)") } else { format!("(p{part} & 0xffffu)") };
            format!("({own} << {}u)", part * share)
        })
        .collect();
    writeln!(text, "    let bits: {ty} = {};", bits.join(" | ")).expect("to a string");
    let state = match dtype {
        DType::F32 => "bitcast<f32>(bits)",
        DType::I32 => "bitcast<i32>(bits)",
        DType::F16 => "f16(unpack2x16float(bits).x)",
        DType::F64 => "bitcast<f64>(bits)",
        DType::I64 => "bitcast<i64>(bits)",
        _ => "bits",
    };
    let state = match segmented {
        true => format!("State({state}, (p{} >> {share}u) & 1u)", parts - 1),
        false => state.into(),
    };
    writeln!(text, "    return Found({state}, ({} & 0x80000000u) != 0u);\n}}", ready.join(" & ")).expect("to a string");
    text
}
