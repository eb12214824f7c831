//! The text of a launch: transforms of one length in workgroup memory, between arrays, expressions and scratch memory.

use super::butterflies::Text;
use crate::fuse::{FusionSpec, param};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Contract, Draft, Spec, Transforms, Word};
use std::fmt::Write;

/// What a launch's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct FftSpec {
    /// The transform's length, and its radices.
    pub length: u32,
    pub radices: Vec<u32>,
    /// Transforms side by side in a workgroup, and invocations for each.
    pub columns: u32,
    pub threads: u32,
    /// Whether memory's neighbours are of different transforms: where it reads, and where it writes.
    pub across: [bool; 2],
    pub from: From,
    pub to: To,
    /// Whether real and imaginary parts change places at both ends: that is the inverse.
    pub inverse: bool,
    /// Whether its values lie in memory between passes, since a workgroup's own does not hold them: one transform at a time, any
    /// number of invocations.
    pub long: bool,
    /// Whether it is of f64.
    pub double: bool,
    /// Whether real and imaginary parts go through workgroup memory one after the other: half the memory, twice the barriers.
    pub halves: bool,
    /// Whether rows are memory's neighbours: what all is divided by else is 1.
    pub neighbours: bool,
    /// Transforms of a row, what the place of a column among them is divided by, and the length of the row's first launch:
    /// constants, since divisions by parameters took a fifth of the time.
    pub per_row: u32,
    pub low: u32,
    pub first: u32,
}

/// Where a launch reads.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum From {
    /// The expression's values, complex or real: so many of a row, zeros after them. Of half a row the others are its mirror
    /// image. `dense`: the values are those of an array without gaps.
    Values { values: Box<FusionSpec>, given: u32, whole: u32, half: bool, dense: bool },
    /// Scratch memory.
    Scratch,
}

/// Where a launch writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum To {
    /// Scratch memory, after a turn.
    Scratch,
    /// The result, `kept` elements of a row, real or complex.
    Result { kept: u32, dtype: DType },
}

impl FftSpec {
    /// Complex numbers of workgroup memory from one column to the next: odd, and a gap after each 16, so that neighbours and
    /// columns lie in different banks.
    fn pitch(&self) -> u32 {
        (self.length + self.length / 16) | 1
    }

    /// How many rows are memory's neighbours.
    fn inner(&self) -> &'static str {
        if self.neighbours { "params.inner" } else { "1u" }
    }

    fn held(&self) -> u32 {
        if self.long { 1 } else { self.columns * self.pitch() }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(length: usize, columns: usize, double: bool, halves: bool) -> usize {
        (if double { 16 } else { 8 }) / (1 + halves as usize) * columns * ((length + length / 16) | 1)
    }
}

impl Spec for FftSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let values = match &self.from {
            From::Values { values, .. } => Some(values),
            From::Scratch => None,
        };
        let access = values.map_or(vec![Access::Read], |values| values.access());
        let (between, passes) = match self.long {
            true => (vec![Access::Write], self.long_text(access.len() + 1)),
            false => (vec![], self.passes_text()),
        };
        Draft {
            constants: vec![
                ("WORKGROUP", self.columns * self.threads),
                ("COLUMNS", self.columns),
                ("PITCH", self.pitch()),
                ("HELD", self.held()),
            ],
            params: self.param_names(),
            access: [access.clone(), vec![Access::Write], between].concat(),
            text: self.numbers_text().to_string()
                + self.held_text()
                + &self.memory_text(access.len())
                + &self.ends_text()
                + &passes,
            f16: values.is_some_and(|values| values.uses_f16()),
            trusted: !self.long && values.is_none_or(|values| values.is_safe()),
            contract: self.contract(),
            ..Draft::new(format!("fft of {}", self.length), shader("fft"))
        }
    }
}

impl FftSpec {
    fn param_names(&self) -> Vec<String> {
        let mut names = ["total", "inner", "scale"].map(String::from).to_vec();
        if self.double {
            names.push("scale_high".into());
        }
        if self.long {
            names.push("workgroups".into());
        }
        if let From::Values { values, .. } = &self.from {
            names.extend(values.param_names());
        }
        names
    }

    /// None where values are computed, and of a part of a transform.
    fn contract(&self) -> Option<Contract> {
        let (From::Values { values, given, half, dense: true, .. }, To::Result { kept, dtype }) = (&self.from, self.to)
        else {
            return None;
        };
        let names = self.param_names();
        let word = |name: &str| names.iter().position(|other| other == name).map(Word::Param);
        Some(Contract::Transforms(Transforms {
            length: self.length,
            inverse: self.inverse,
            from: values.dtype(),
            given: *given,
            half: *half,
            to: dtype,
            kept,
            rows: word("total")?,
            inner: word("inner")?,
            scale: [word("scale")?, word(if self.double { "scale_high" } else { "scale" })?],
            first: word("offset0")?,
        }))
    }

    fn held_text(&self) -> &'static str {
        match (self.halves, self.double) {
            (false, _) => "alias Held = Pair;\n",
            (true, false) => "alias Held = f32;\n",
            (true, true) => "alias Held = f64;\n",
        }
    }

    fn numbers_text(&self) -> &'static str {
        match self.double {
            true => include_str!("../../shaders/shared/fft_double.wgsl"),
            false => include_str!("../../shaders/shared/fft_single.wgsl"),
        }
    }

    fn memory_text(&self, bindings: usize) -> String {
        let read = match &self.from {
            From::Values { values, .. } => values.text(0),
            From::Scratch => "@group(0) @binding(0) var<storage, read> scratch: array<Pair>;\n".into(),
        };
        let element = match self.to {
            To::Result { dtype: DType::F32, .. } => "f32",
            To::Result { dtype: DType::F64, .. } => "f64",
            _ => "Pair",
        };
        format!("{read}@group(0) @binding({bindings}) var<storage, read_write> result: array<{element}>;\n")
    }

    /// `load` and `keep`: element e of column c of row k, read and written.
    fn ends_text(&self) -> String {
        let FftSpec { length, per_row, low, first, .. } = *self;
        let at = format!("e * {per_row}u + c");
        let inverse = |value: &str| if self.inverse { format!("({value}).yx") } else { value.to_string() };
        let read = match &self.from {
            From::Values { .. } => format!("given(k, {at})"),
            From::Scratch => {
                let column = match self.to {
                    To::Scratch => format!("(c / {low}u * {length}u + e) * {low}u + c % {low}u"),
                    // The digits of c change places.
                    To::Result { .. } => {
                        format!("(c % {first}u * {}u + c / {first}u) * {length}u + e", per_row / first)
                    }
                };
                format!("scratch[scratch_place(k, {column})]")
            }
        };
        let load = format!("fn load(k: u32, c: u32, e: u32) -> Pair {{\n    return {read};\n}}\n");
        let given = match &self.from {
            From::Values { values, given, whole, half, .. } => given_text(values, *given, *whole, *half, &inverse),
            From::Scratch => String::new(),
        };
        given + &self.scratch_text() + &load + &self.keep_text()
    }

    /// `scratch_place`: where value `at` of row k lies. Rows whose values are memory's neighbours in the arrays stay so.
    fn scratch_text(&self) -> String {
        if !matches!(self.from, From::Scratch) && !matches!(self.to, To::Scratch) {
            return String::new();
        }
        format!(
            "fn scratch_place(k: u32, at: u32) -> u32 {{\n    let row = k / {inner} * {}u;\n    \
             return (row + at) * {inner} + k % {inner};\n}}\n",
            self.per_row * self.length,
            inner = self.inner(),
        )
    }

    fn keep_text(&self) -> String {
        let FftSpec { length, low, .. } = *self;
        let (unit, rest) = turn(length * low, self.double);
        let body = match self.to {
            To::Scratch => format!(
                "    let below = c % {low}u;\n    \
                 let at = scratch_place(k, (c / {low}u * {length}u + e) * {low}u + below);\n    \
                 result[at] = f_multiply(v, f_factor(e * below, {unit}u, {rest:?}));\n"
            ),
            To::Result { kept, dtype } => {
                let value = if self.inverse { "v.yx" } else { "v" };
                let value = if dtype.is_complex() { value.to_string() } else { format!("({value}).x") };
                let scale = param("scale", dtype.real());
                format!(
                    "    let at = c + {}u * e;\n    if at < {kept}u {{\n        \
                     result[(k / {inner} * {kept}u + at) * {inner} + k % {inner}] = {value} * {scale};\n    }}\n",
                    self.per_row,
                    inner = self.inner(),
                )
            }
        };
        format!("fn keep(k: u32, c: u32, e: u32, v: Pair) {{\n{body}}}\n")
    }

    /// `transform`: all passes of a workgroup (Stockham's order, as Govindaraju et al., "High performance discrete Fourier
    /// transforms on graphics processors", SC 2008).
    fn passes_text(&self) -> String {
        let mut text = Text::new(self.double);
        let (mut done, mut puts) = (1, vec![]);
        for &radix in &self.radices {
            puts = self.pass_text(&mut text, radix, done, puts);
            done *= radix;
        }
        format!("fn transform(lane: u32, tile: u32) {{\n{}}}\n", text.lines)
    }

    /// Which column and place among its invocations a lane has. Columns are counted as memory has them: rows side by side first,
    /// then the columns of a row.
    fn lane_text(&self, text: &mut String, across: bool) {
        let (column, place) = match across {
            true => ("lane % COLUMNS".to_string(), "lane / COLUMNS".to_string()),
            false => (format!("lane / {}u", self.threads), format!("lane % {}u", self.threads)),
        };
        writeln!(text, "    column = {column};\n    place = {place};").expect("to a string");
        text.push_str("    which = min(tile * COLUMNS + column, params.total - 1u);\n");
        let (inner, per_row) = (self.inner(), self.per_row);
        writeln!(text, "    c = which / {inner} % {per_row}u;").expect("to a string");
        writeln!(text, "    k = which / ({inner} * {per_row}u) * {inner} + which % {inner};").expect("to a string");
        text.push_str("    there = tile * COLUMNS + column < params.total;\n");
    }

    fn pass_text(&self, text: &mut Text, radix: u32, done: u32, before: Vec<Put>) -> Vec<Put> {
        let (butterflies, first, last) = (self.length / radix, done == 1, done * radix == self.length);
        let [read, written] = self.across;
        if first {
            text.lines.push_str(
                "    var column: u32; var place: u32; var which: u32; var k: u32; var c: u32; var there: bool;\n",
            );
            self.lane_text(&mut text.lines, if last { written } else { read });
        } else {
            put_text(&mut text.lines, &before, if self.halves { ".x" } else { "" });
            if last && read != written {
                self.lane_text(&mut text.lines, written);
            }
        }
        let full = butterflies.is_multiple_of(self.threads);
        let places: Vec<(String, String)> = (0..butterflies.div_ceil(self.threads))
            .map(|round| {
                let j = text.name(&format!("place + {}u", round * self.threads));
                // Past the last butterfly another is computed again, and not stored.
                let at = if full { j.clone() } else { text.name(&format!("min({j}, {}u)", butterflies - 1)) };
                (j, at)
            })
            .collect();
        let each = |text: &mut Text, value: &dyn Fn(&str) -> String| -> Vec<Vec<String>> {
            let x =
                |at: &String| (0..radix).map(|q| text.name(&value(&format!("{at} + {}u", q * butterflies)))).collect();
            places.iter().map(|(_, at)| at).map(x).collect()
        };
        let held = |e: &str| format!("held[slot(column, {e})]");
        let values = match (first, self.halves) {
            (true, _) => each(text, &|e| format!("load(k, c, {e})")),
            (false, false) => each(text, &held),
            (false, true) => {
                let real = each(text, &held);
                text.lines.push_str("    workgroupBarrier();\n");
                put_text(&mut text.lines, &before, ".y");
                let imaginary = each(text, &held);
                let pair = |(re, im): (&String, &String)| text.name(&format!("Pair({re}, {im})"));
                let flat: Vec<String> = real.iter().flatten().zip(imaginary.iter().flatten()).map(pair).collect();
                flat.chunks(radix as usize).map(<[String]>::to_vec).collect()
            }
        };
        if !first && !last {
            text.lines.push_str("    workgroupBarrier();\n");
        }
        let mut puts = vec![];
        for ((j, at), x) in places.iter().zip(values) {
            let x = match done {
                1 => x,
                _ => {
                    let (unit, rest) = turn(done * radix, self.double);
                    let factor = text.name(&format!("f_factor({at} % {done}u, {unit}u, {rest:?})"));
                    text.powers(x, &factor)
                }
            };
            let x = text.transform(x);
            let first_place = text.name(&format!("{at} / {done}u * {}u + {at} % {done}u", done * radix));
            let inside = if full { String::new() } else { format!("{j} < {butterflies}u") };
            let e = |q: usize| format!("{first_place} + {}u", q as u32 * done);
            if last {
                let condition = if full { "there".into() } else { format!("there && {inside}") };
                writeln!(text.lines, "    if {condition} {{").expect("to a string");
                for (q, value) in x.iter().enumerate() {
                    writeln!(text.lines, "    keep(k, c, {}, {value});", e(q)).expect("to a string");
                }
                text.lines.push_str("    }\n");
            } else {
                let slots = (0..x.len()).map(|q| text.name(&format!("slot(column, {})", e(q)))).collect::<Vec<_>>();
                puts.push(Put { inside, values: slots.into_iter().zip(x).collect() });
            }
        }
        puts
    }
}

/// Values of a butterfly, and their places in workgroup memory.
struct Put {
    /// Where there is a butterfly; empty where there always is.
    inside: String,
    values: Vec<(String, String)>,
}

/// Stores values or parts of them, and waits for all.
fn put_text(lines: &mut String, puts: &[Put], part: &str) {
    for Put { inside, values } in puts {
        if !inside.is_empty() {
            writeln!(lines, "    if {inside} {{").expect("to a string");
        }
        for (slot, value) in values {
            writeln!(lines, "    held[{slot}] = {value}{part};").expect("to a string");
        }
        if !inside.is_empty() {
            lines.push_str("    }\n");
        }
    }
    lines.push_str("    workgroupBarrier();\n");
}

/// `given`: a value of a row, or what stands for it.
fn given_text(values: &FusionSpec, given: u32, whole: u32, half: bool, inverse: &dyn Fn(&str) -> String) -> String {
    let (mut text, mut value, mut at) = (String::new(), "near".to_string(), "at".to_string());
    if half {
        writeln!(text, "    let beyond = at > {}u;\n    let mirrored = select(at, {whole}u - at, beyond);", whole / 2)
            .expect("to a string");
        (value, at) = ("select(near, Pair(near.x, -near.y), beyond)".into(), "mirrored".into());
    }
    let needed = if half { whole / 2 + 1 } else { whole };
    if given < needed {
        value = format!("select(Pair(), {value}, {at} < {given}u)");
        writeln!(text, "    let near = {};", complex(values, &format!("min({at}, {}u)", given - 1)))
            .expect("to a string");
    } else {
        writeln!(text, "    let near = {};", complex(values, &at)).expect("to a string");
    }
    format!("fn given(k: u32, at: u32) -> Pair {{\n{text}    return {};\n}}\n", inverse(&value))
}

/// A value of an expression as a complex number.
fn complex(values: &FusionSpec, at: &str) -> String {
    match values.dtype() {
        DType::F32 => format!("Pair(value(k, {at}), 0.0)"),
        DType::F64 => format!("Pair(value(k, {at}), 0.0lf)"),
        _ => format!("value(k, {at})"),
    }
}

/// What `f_factor` takes: of f32 2^32 over what a whole turn is divided into, as a whole number and what that leaves.
pub(super) fn turn(whole: u32, double: bool) -> (u32, f32) {
    if double {
        return (whole, 0.0);
    }
    let (quotient, rest) = ((1u64 << 32) / whole as u64, (1u64 << 32) % whole as u64);
    (quotient as u32, (rest as f64 / whole as f64) as f32)
}
