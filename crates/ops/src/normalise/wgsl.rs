//! The text of a normalisation's kernels: what the files in `shaders/` leave open.

use super::shape::Shape;
use super::statistic::{Kind, Lay};
use super::{Normalise, number};
use crate::fuse::{Several, SeveralSpec, param, wide};
use crate::lanes;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};

/// Where a launch takes states from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// The values, which are held.
    Held,
    /// The values, piece by piece.
    Pieces,
    /// The values, whose exponentials the output keeps.
    Kept,
    /// The states of pieces.
    States,
    /// One state for each row.
    State,
}

/// What a launch makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sink {
    /// Values again.
    Elements,
    /// States of pieces, or of rows.
    States,
    /// A result for each row.
    Results,
}

/// The parameters of every launch, before the normalisation's own and the fusions'.
const PARAMS: [&str; 6] = ["outputs", "extent", "chunks", "span", "first_chunk", "first_output"];

/// What `lift` gives: a state and the values of its units.
const LIFTED: [&str; 2] = ["Lifted", "Values"];

/// Where nothing is merged.
const ALONE: &str = "fn merge(own: State, lane: u32) -> State { return own; }\n";

/// What the text of a normalisation depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct NormaliseSpec {
    kind: Kind,
    /// The type of the values.
    dtype: DType,
    source: Source,
    sink: Sink,
    shape: Shape,
    /// The values, then the weight and the bias; none where states are merged.
    fusions: Option<SeveralSpec>,
    weight: bool,
    bias: bool,
    lay: Lay,
}

impl Normalise {
    pub(super) fn kernel(
        &self,
        source: Source,
        sink: Sink,
        shape: &Shape,
        fusions: Option<&Several>,
        caps: &Caps,
    ) -> Kernel {
        let spec = NormaliseSpec {
            kind: self.normalisation.kind(),
            dtype: self.dtype(),
            source,
            sink,
            shape: *shape,
            fusions: fusions.map(|fusions| fusions.spec()),
            weight: self.weight.is_some(),
            bias: self.bias.is_some(),
            lay: Lay { width: fusions.map_or(1, |fusions| fusions.width()), columns: shape.columns },
        };
        Kernel::of(spec, caps)
    }
}

impl Spec for NormaliseSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let shape = self.shape;
        let mut params: Vec<String> = PARAMS.map(String::from).to_vec();
        for name in self.kind.scalars() {
            params.push(name.to_string());
            params.extend((self.number().size() == 8).then(|| format!("{name}_high")));
        }
        let mut access = vec![];
        let mut text = self.types_text() + &self.kind.state_text(self.lay, shape.subgroup.is_some());
        if let Some(fusions) = &self.fusions {
            params.extend(fusions.param_names());
            access.extend(fusions.access());
            text += &fusions.text();
        }
        text += &self.source_text(&mut access);
        text += &self.sink_text(&mut access);
        let mut constants = vec![("WORKGROUP", shape.workgroup), ("LANES", shape.lanes)];
        constants.extend([("WIDTH", self.step() / shape.lanes), ("STEP", self.step()), ("ITEMS", shape.items)]);
        constants.extend([("ROW_WIDTH", if shape.columns { self.lay.width } else { 1 }), ("APART", self.apart())]);
        let subgroup = shape.subgroup.filter(|_| shape.lanes > 1 && self.source != Source::State);
        text += lanes::text(subgroup.is_some());
        text += match subgroup {
            _ if shape.lanes == 1 || self.source == Source::State => ALONE,
            None => include_str!("../../shaders/shared/merge_portable.wgsl"),
            Some(size) => {
                constants.push(("SUBGROUP", size));
                include_str!("../../shaders/shared/merge_subgroup.wgsl")
            }
        };
        let file = match self.source {
            Source::Held => "normalise_held",
            Source::Kept => "softmax_kept",
            _ => "normalise",
        };
        Draft {
            constants,
            params,
            access,
            text,
            width: self.lay.width,
            f16: self.dtype == DType::F16 || self.fusions.as_ref().is_some_and(|fusions| fusions.uses_f16()),
            trusted: self.fusions.as_ref().is_none_or(|fusions| fusions.is_safe()),
            ..Draft::new(format!("{}: {:?} to {:?}", self.kind.name(), self.source, self.sink), shader(file))
        }
    }
}

impl NormaliseSpec {
    /// The type of statistics.
    fn number(&self) -> DType {
        number(self.dtype)
    }

    /// Elements of a row that its invocations load at once.
    fn step(&self) -> u32 {
        self.shape.lanes * if self.shape.columns { 1 } else { self.lay.width }
    }

    /// How far apart the invocations of a row are.
    fn apart(&self) -> u32 {
        if self.shape.columns { self.shape.workgroup / self.shape.lanes } else { 1 }
    }

    /// `Number`, `Stat` (of a state), `Wide` (of loaded values) and how the latter come together; where lanes are.
    fn types_text(&self) -> String {
        let Lay { width, columns } = self.lay;
        let (number, apart) = (self.number().wgsl(), self.apart());
        let narrow = width > 1 && !columns;
        let (fold, peak) = match narrow {
            true => ("(v.x + v.y) + (v.z + v.w)", "max(max(v.x, v.y), max(v.z, v.w))"),
            false => ("v", "v"),
        };
        let place = match columns {
            true => format!("lane % {apart}u; }}\nfn place_of(lane: u32) -> u32 {{ return lane / {apart}u; }}"),
            false => "lane / LANES; }\nfn place_of(lane: u32) -> u32 { return lane % LANES; }".into(),
        };
        let exact = match self.has_low() {
            true => {
                let least = if self.number() == DType::F64 { f64::MIN } else { f32::MIN as f64 };
                let truth = wide("bool", self.rows());
                format!(
                    "const FLOOR = {least:e};\nfn finite(x: Stat) -> {truth} {{ return {}; }}\n",
                    self.finite_text("x")
                )
            }
            false => String::new(),
        };
        format!(
            "alias Number = {number};\nalias Stat = {};\nalias Wide = {};\n\
             fn fold(v: Wide) -> Stat {{ return {fold}; }}\nfn peak(v: Wide) -> Stat {{ return {peak}; }}\n\
             fn row_of(lane: u32) -> u32 {{ return {place}\n{exact}",
            wide(number, if columns { width } else { 1 }),
            wide(number, width),
        )
    }

    /// `lift` where values are held, else `gather`; `pivot`.
    fn source_text(&self, access: &mut Vec<Access>) -> String {
        match self.source {
            Source::Held => self.values_text() + &self.lift_text("lift", LIFTED, self.shape.items, true),
            Source::Kept => {
                let fusions = self.fusions.as_ref().expect("values are read");
                self.values_text() + &fusions.0[0].stored_text()
            }
            Source::Pieces => {
                let mut text = self.values_text() + &self.lift_text("lift", LIFTED, self.shape.items, false);
                // One of a single unit is the same function but for the check.
                text += &self.lift_text("lift_tail", ["LiftedTail", "Tail"], 1, true);
                text + GATHER
            }
            Source::States | Source::State => {
                access.push(Access::Read);
                let body = match self.source {
                    Source::States => format!(
                        "    var state = identity();\n    for (var at = begin; at < end; at += STEP) {{\n        \
                         let part = parts[at * params.outputs + k];\n{}        state = combine(state, {});\n    }}\n    \
                         return state;\n",
                        if self.has_low() { MOVED } else { "" },
                        self.moved_text()
                    ),
                    _ => format!("    return {};\n", self.whole_text()),
                };
                let values = if self.fusions.is_some() { self.values_text() } else { self.pivot_text() };
                format!(
                    "{values}{}@group(0) @binding({}) var<storage, read> parts: array<Part>;\n\
                     fn gather(k: u32, begin: u32, end: u32, zero: Stat) -> State {{\n{body}}}\n",
                    self.part_text(),
                    access.len() - 1
                )
            }
        }
    }

    /// `Part`: the state of one row, as memory has it.
    fn part_text(&self) -> String {
        let fields = self.kind.part_fields();
        let fields: Vec<String> = fields.iter().map(|field| format!("{field}: Number")).collect();
        format!("struct Part {{ {} }}\n", fields.join(", "))
    }

    /// The state of `part` by the pivot `zero`.
    fn moved_text(&self) -> String {
        let field = |field: &&str| match *field {
            "mean" if self.has_low() => "moved".to_string(),
            "mean" => "part.mean + (part.zero - zero)".to_string(),
            "low" => "part.low + (lost(part.zero, -zero, by) + lost(part.mean, by, moved))".to_string(),
            field => format!("part.{field}"),
        };
        let fields: Vec<String> = self.kind.fields().iter().map(field).collect();
        format!("State({})", fields.join(", "))
    }

    /// A number of the parts from `k` on.
    fn of_parts(&self, field: &str) -> String {
        let parts: Vec<String> = (0..self.rows()).map(|row| format!("parts[k + {row}u].{field}")).collect();
        format!("Stat({})", parts.join(", "))
    }

    /// A state of the parts from `k` on.
    fn whole_text(&self) -> String {
        let fields: Vec<String> = self.kind.fields().iter().map(|field| self.of_parts(field)).collect();
        format!("State({})", fields.join(", "))
    }

    /// Rows that a state is of.
    fn rows(&self) -> u32 {
        if self.lay.columns { self.lay.width } else { 1 }
    }

    /// Whether what a mean is rounded by is kept beside it.
    fn has_low(&self) -> bool {
        self.kind.fields().contains(&"low")
    }

    /// Whether a number is finite: for f32 by the bits, since compilers may assume so.
    fn finite_text(&self, x: &str) -> String {
        match self.number() {
            DType::F32 => {
                let words = wide("u32", self.rows());
                format!("(bitcast<{words}>({x}) & {words}(0x7fffffffu)) < {words}(0x7f800000u)")
            }
            _ => format!("abs({x}) < Stat(1e300)"),
        }
    }

    /// `pivot`: the first value of a row, or what the states of its parts are by.
    fn pivot_text(&self) -> String {
        if !self.kind.has_pivot() {
            return "fn pivot(k: u32) -> Stat { return Stat(0.0); }\n".into();
        }
        if matches!(self.source, Source::States | Source::State) {
            return format!("fn pivot(k: u32) -> Stat {{ return {}; }}\n", self.of_parts("zero"));
        }
        let Lay { width, columns } = self.lay;
        let first = if width > 1 && !columns { ".x" } else { "" };
        // Infinite or NaN, it would make NaN of the others.
        let finite = self.finite_text("first");
        format!(
            "fn pivot(k: u32) -> Stat {{\n    let first = Wide(value(k, 0u)){first};\n    \
             return select(Stat(0.0), first, {finite});\n}}\n"
        )
    }

    /// `taken`, `taken_within`, `within` and `pivot`: values as they are held.
    fn values_text(&self) -> String {
        let Lay { width, columns } = self.lay;
        let there = match width > 1 && !columns {
            true => "vec4<u32>(r) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end)",
            false => "r < end",
        };
        let pivot = self.pivot_text();
        let missing = self.kind.missing();
        let taken = if self.kind.has_pivot() { "Wide(value(k, r)) - Wide(zero)" } else { "Wide(value(k, r))" };
        format!(
            "{pivot}fn taken(k: u32, r: u32, zero: Stat) -> Wide {{ return {taken}; }}\n\
             fn within(v: Wide, r: u32, end: u32, missing: Number) -> Wide {{ return select(Wide(missing), v, {there}); }}\n\
             fn taken_within(k: u32, r: u32, end: u32, zero: Stat) -> Wide {{\n    var v = Wide({missing});\n    \
             if (r < end) {{\n        v = taken(k, r, zero);\n    }}\n    return within(v, r, end, {missing});\n}}\n"
        )
    }

    /// A structure of a state and values, and the function that makes it from this many units.
    fn lift_text(&self, name: &str, types: [&str; 2], items: u32, masked: bool) -> String {
        let [lifted, values] = types;
        let fields: Vec<String> = (0..items).map(|item| format!("v{item}: Wide")).collect();
        let body = self.kind.lift_text(self.lay, types, items, masked);
        format!(
            "struct {values} {{ {} }}\nstruct {lifted} {{ state: State, values: {values} }}\n\
             fn {name}(k: u32, r: u32, end: u32, zero: Stat) -> {lifted} {{\n{body}}}\n",
            fields.join(", ")
        )
    }

    /// `finish`, and what it writes to.
    fn sink_text(&self, access: &mut Vec<Access>) -> String {
        if self.sink == Sink::Elements {
            let [epsilon, length] = ["epsilon", "length"].map(|name| param(name, self.number()));
            let rows = self.kind.row_text(&epsilon, &length) + &self.shaped_text();
            return rows
                + &match self.source {
                    Source::Held => self.finish_held_text(),
                    Source::Kept => String::new(),
                    _ => self.finish_text(),
                };
        }
        let mut bind = |name: &str, element: &str| {
            access.push(Access::Write);
            format!("@group(0) @binding({}) var<storage, read_write> {name}: array<{element}>;\n", access.len() - 1)
        };
        let rows = self.rows();
        let mut stores = String::new();
        let (declared, head) = match self.sink {
            Sink::States => {
                for row in 0..rows {
                    let pick = lane_of(row, rows);
                    let field = |field: &&str| match *field {
                        "zero" => format!("zero{pick}"),
                        field => format!("s.{field}{pick}"),
                    };
                    let fields: Vec<String> = self.kind.part_fields().iter().map(field).collect();
                    stores += &format!("    states_out[at + {row}u] = Part({});\n", fields.join(", "));
                }
                let part = if self.source == Source::States { String::new() } else { self.part_text() };
                (part + &bind("states_out", "Part"), "(params.first_chunk + here.chunk) * params.outputs + here.k")
            }
            _ => {
                let (mut declared, out) = (String::new(), self.dtype.wgsl());
                for (n, result) in self.kind.results(&param("freedom", self.number())).iter().enumerate() {
                    declared += &bind(&format!("result{n}"), out);
                    stores += &format!("    let y{n} = {result};\n");
                    for row in 0..rows {
                        let pick = lane_of(row, rows);
                        stores += &format!("    result{n}[at + {row}u] = {out}(y{n}{pick});\n");
                    }
                }
                (declared, "params.first_output + here.k")
            }
        };
        format!(
            "{declared}fn finish(here: Here, zero: Stat, whole: State) {{\n    if (here.place > 0u) {{ return; }}\n    \
             let s = whole;\n    let at = {head};\n{stores}}}\n"
        )
    }

    /// `put`: a value in its last form into memory.
    fn shaped_text(&self) -> String {
        let affine = match (self.weight, self.bias) {
            (false, false) => "v",
            (true, false) => "v * Wide(weight_value(k, r))",
            (false, true) => "v + Wide(bias_value(k, r))",
            (true, true) => "v * Wide(weight_value(k, r)) + Wide(bias_value(k, r))",
        };
        let out = wide(self.dtype.wgsl(), self.lay.width);
        format!("fn shaped(k: u32, r: u32, v: Wide) -> {out} {{ return {out}({affine}); }}\n")
    }

    /// Loads of weights before stores, which may be to the same memory for all the compiler knows.
    fn finish_held_text(&self) -> String {
        let (last, mut text) = (self.shape.items - 1, String::new());
        let at = |item: u32| format!("r + {item}u * STEP");
        for item in 0..last {
            text += &format!("    let o{item} = shaped(k, {}, close(values.v{item}, row));\n", at(item));
        }
        for item in 0..last {
            text += &format!("    store(k, {}, o{item});\n", at(item));
        }
        let place = at(last);
        format!(
            "fn finish(k: u32, r: u32, row: Row, values: Values) {{\n{text}    if ({place} < params.extent) {{\n        \
             store(k, {place}, shaped(k, {place}, close(values.v{last}, row)));\n    }}\n}}\n"
        )
    }

    fn finish_text(&self) -> String {
        let mut text = String::new();
        let value = |at: &str| format!("shaped(here.k, {at}, close(kept(taken(here.k, {at}, zero), whole), row))");
        for item in 0..self.shape.items {
            text += &format!("        let o{item} = {};\n", value(&format!("r + {item}u * STEP")));
        }
        for item in 0..self.shape.items {
            text += &format!("        store(here.k, r + {item}u * STEP, o{item});\n");
        }
        format!(
            "fn finish(here: Here, zero: Stat, whole: State) {{\n    let row = settle(whole, whole);\n    \
             var r = here.begin;\n    while (r + (ITEMS - 1u) * STEP + WIDTH <= here.end) {{\n{text}        \
             r += ITEMS * STEP;\n    }}\n    while (r < here.end) {{\n        store(here.k, r, {});\n        \
             r += STEP;\n    }}\n}}\n",
            value("r")
        )
    }
}

/// The part of a value that belongs to one of several rows.
fn lane_of(row: u32, rows: u32) -> &'static str {
    if rows == 1 { "" } else { [".x", ".y", ".z", ".w"][row as usize] }
}

/// The mean of a part by another pivot.
const MOVED: &str = "        let by = part.zero - zero;\n        let moved = part.mean + by;\n";

/// Pieces, the last of them unit by unit.
const GATHER: &str = "fn gather(k: u32, begin: u32, end: u32, zero: Stat) -> State {
    var state = identity();
    var r = begin;
    while (r + (ITEMS - 1u) * STEP + WIDTH <= end) {
        state = combine(state, lift(k, r, end, zero).state);
        r += ITEMS * STEP;
    }
    while (r < end) {
        state = combine(state, lift_tail(k, r, end, zero).state);
        r += STEP;
    }
    return state;
}
";
