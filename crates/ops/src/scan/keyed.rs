//! The text of a reduction by key: what a tile's lanes hold, and where the totals of runs are stored.
//!
//! A lane holds its values, and a bit for each element that begins a run; the keys are loaded again where runs begin.

use super::super::fuse::FusionSpec;
use super::super::runs::{differ_text, four_text};
use super::picks::{put_text, unit};
use super::rows::Shape;
use super::spec::ScanSpec;
use super::wgsl::{LANES, places, rows_text};
use crosslane_core::element::DType;
use std::fmt::Write;

/// The bindings of keys, results and the count from `first` on; `Items` and its functions.
pub(super) fn text(key: DType, spec: &ScanSpec, shape: &Shape, first: usize) -> String {
    let (result, value) = (spec.result(), spec.dtype());
    let mut text = "struct Four {\n    low: vec4<u32>,\n    high: vec4<u32>,\n}\n".to_string();
    text += &four_text(key, first);
    text += &differ_text(key);
    text += &begins_text(key);
    text += &put_key_text(key, first + 1);
    text += &put_text("combined", "put_value", result, first + 2);
    text += &format!("@group(0) @binding({}) var<storage, read_write> count: array<u32>;\n", first + 3);
    // What reads four elements at a time reads some behind the last.
    text += &format!(
        "fn finish(all: u32) {{\n    count[0] = all;\n    \
         for (var at = all; at < min((all + 3u) & ~3u, params.extent); at++) {{\n        \
         put_key(at, 0u, 0u);\n        put_value(at, {}());\n    }}\n}}\n",
        result.wgsl()
    );
    text += "fn ended(before: State, low: u32, high: u32) {\n    put_key(before.head, low, high);\n    \
             if (before.head > 0u) { put_value(before.head - 1u, result(before)); }\n}\n";
    text += &rows_text(shape);
    text += &items_text(value, shape);
    text += &load_text(&spec.values, shape, false);
    text += &load_text(&spec.values, shape, true);
    text += &spread_text(shape);
    text + &save_text(shape)
}

/// `begins`: which of four elements begin a run.
fn begins_text(key: DType) -> String {
    let last = match key.size() {
        1 => "vec2<u32>(x[word] >> 24u, 0u)",
        2 => "vec2<u32>(x[word].y >> 16u, 0u)",
        4 => "vec2<u32>(x[word].w, 0u)",
        _ => "x[word * 2u + 1u].zw",
    };
    format!(
        "fn begins(unit: u32, own: Four) -> vec4<bool> {{\n    let word = max(unit, 1u) - 1u;\n    let last = {last};\n    \
         let before = Four(vec4<u32>(last.x, own.low.xyz), vec4<u32>(last.y, own.high.xyz));\n    \
         return differ(before, own) | vec4<bool>(unit == 0u, false, false, false);\n}}\n"
    )
}

/// The output of keys, by their bits.
fn put_key_text(key: DType, binding: usize) -> String {
    match key.size() {
        8 => format!(
            "@group(0) @binding({binding}) var<storage, read_write> firsts: array<vec2<u32>>;\n\
             fn put_key(at: u32, low: u32, high: u32) {{\n    firsts[at] = vec2<u32>(low, high);\n}}\n"
        ),
        size => {
            let bits = [DType::U8, DType::U16, DType::U32][size.ilog2() as usize];
            put_text("firsts", "put_bits", bits, binding)
                + "fn put_key(at: u32, low: u32, high: u32) {\n    put_bits(at, low);\n}\n"
        }
    }
}

fn items_text(value: DType, shape: &Shape) -> String {
    let mut text = "struct Items {\n    mask: u32,\n".to_string();
    for j in 0..shape.rounds {
        writeln!(text, "    v{j}: vec4<{}>,", value.wgsl()).expect("to a string");
    }
    text + "}\n"
}

/// The number of a round's unit.
fn unit_at(shape: &Shape, j: u64) -> String {
    format!("tile * {}u + {}u + lane", shape.workgroup * shape.rounds, j * shape.workgroup)
}

/// `load` and `load_part`.
fn load_text(values: &FusionSpec, shape: &Shape, part: bool) -> String {
    let name = if part { "load_part" } else { "load" };
    let mut text = format!("fn {name}(row: u32, tile: u32, lane: u32) -> Items {{\n    var items: Items;\n");
    let open = |j: u64| if part { format!("    if (u{j} < params.units) {{\n") } else { String::new() };
    let close = if part { "    }\n" } else { "" };
    for j in 0..shape.rounds {
        let load = match values.width {
            4 => format!("    items.v{j} = value(0u, u{j} * 4u);\n"),
            _ => (0..4)
                .map(|l| {
                    let guard = if part { format!("if (u{j} * 4u + {l}u < params.extent) ") } else { String::new() };
                    format!("    {guard}{{ items.v{j}.{} = value(0u, u{j} * 4u + {l}u); }}\n", LANES[l])
                })
                .collect(),
        };
        write!(
            text,
            "    let u{j} = {};\n    var k{j}: Four;\n    var d{j}: vec4<bool>;\n{}{load}    k{j} = four(u{j});\n    \
             d{j} = begins(u{j}, k{j});\n{close}",
            unit_at(shape, j),
            open(j)
        )
        .expect("to a string");
    }
    for j in 0..shape.rounds {
        for l in 0..4 {
            let inside = if part { format!("u{j} * 4u + {l}u < params.extent && ") } else { String::new() };
            let d = format!("d{j}.{}", LANES[l as usize]);
            writeln!(text, "    items.mask |= select(0u, {}u, {inside}{d});", 1u64 << (j * 4 + l))
                .expect("to a string");
        }
    }
    text + "    return items;\n}\n"
}

/// The lines that take a state through a unit.
fn head(j: u64, l: u64) -> String {
    format!("(items.mask & {}u) != 0u", 1u64 << (j * 4 + l))
}

fn spread_text(shape: &Shape) -> String {
    let mut text = "fn spread(items: Items, lane: u32) {\n".to_string();
    for j in 0..shape.rounds {
        let mut state = format!("lift_at(items.v{j}.x, {})", head(j, 0));
        for l in 1..4 {
            state = format!("combine({state}, lift_at(items.v{j}.{}, {}))", LANES[l as usize], head(j, l));
        }
        writeln!(text, "    totals[{}u + lane] = {state};", j * shape.workgroup).expect("to a string");
    }
    text + "}\n"
}

/// `save` and `save_part`: `totals` has what is before each unit of the tile. Where a run begins, the one before ends.
fn save_text(shape: &Shape) -> String {
    let mut text = "fn save(items: Items, row: u32, tile: u32, lane: u32) {\n    let carry = carried;\n".to_string();
    for j in 0..shape.rounds {
        let (before, bits, at) = (j * shape.workgroup, unit(shape, j), unit_at(shape, j));
        write!(
            text,
            "    let b{j} = combine(carry, totals[{before}u + lane]);\n    var k{j}: Four;\n    \
             if ((items.mask & {bits}u) != 0u) {{ k{j} = four({at}); }}\n"
        )
        .expect("to a string");
    }
    for j in 0..shape.rounds {
        writeln!(text, "    if ((items.mask & {}u) != 0u) {{\n        var s = b{j};", unit(shape, j))
            .expect("to a string");
        for l in 0..4 {
            let (lane, begins) = (LANES[l as usize], head(j, l));
            writeln!(text, "        if ({begins}) {{ ended(s, k{j}.low.{lane}, k{j}.high.{lane}); }}")
                .expect("to a string");
            if l < 3 {
                writeln!(text, "        s = combine(s, lift_at(items.v{j}.{lane}, {begins}));").expect("to a string");
            }
        }
        text += "    }\n";
    }
    text += "    if (tile == params.tiles - 1u) {\n        var s = carry;\n";
    for (j, l) in places(shape.rounds, 4) {
        if l == 0 {
            writeln!(text, "        s = b{j};").expect("to a string");
        }
        let (lane, at) = (LANES[l as usize], unit_at(shape, j));
        write!(
            text,
            "        s = combine(s, lift_at(items.v{j}.{lane}, {}));\n        \
             if (({at}) * 4u + {l}u == params.extent - 1u) {{\n            \
             put_value(s.head - 1u, result(s));\n            finish(s.head);\n        }}\n",
            head(j, l)
        )
        .expect("to a string");
    }
    text += "    }\n}\n";
    text + "fn save_part(items: Items, row: u32, tile: u32, lane: u32) { save(items, row, tile, lane); }\n"
}
