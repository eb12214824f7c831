//! The text of a selection: each element that counts goes to the place that the scan has counted to.
//!
//! A lane holds a bit for each element: registers for the elements themselves would leave room for half the workgroups.
//! They are loaded again, and put side by side in workgroup memory, so that neighbouring lanes store neighbours.

use super::super::fuse::{FusionSpec, atomic_store, param, wide};
use super::rows::Shape;
use super::wgsl::{LANES, call_at, places, position, rows_text};
use crosslane_core::element::DType;
use std::fmt::Write;

/// The bindings of a selection's output and count, and `put`.
pub(super) fn picks_text(dtype: DType, filled: bool, binding: usize) -> String {
    let fill = match filled {
        true => format!("fn fill() -> {} {{ return {}; }}\n", dtype.wgsl(), param("fill", dtype)),
        false => String::new(),
    };
    // What reads four elements at a time reads some behind the last.
    let rest = match fill.is_empty() {
        true => format!(
            "    for (var at = all; at < min((all + 3u) & ~3u, params.total); at++) {{ put(at, {}()); }}\n",
            dtype.wgsl()
        ),
        false => String::new(),
    };
    format!(
        "{}@group(0) @binding({}) var<storage, read_write> count: array<u32>;\n\
         fn finish(all: u32) {{\n    count[0] = all;\n{rest}}}\n{fill}",
        put_text("picks", "put", dtype, binding),
        binding + 1,
    )
}

/// `leave` of spans: fillings as many as the span has elements that do not count, from the end of the output; and the count.
pub(super) fn leave_text(filled: bool) -> String {
    let fill = match filled {
        true => {
            "    let first = chunk * params.span;\n    let behind = params.start + first - begin;\n    \
             let fillings = min(params.extent - first, params.span) - (state - begin);\n    \
             for (var at = 0u; at < fillings; at++) { put(params.total - 1u - behind - at, fill()); }\n"
        }
        false => "",
    };
    format!(
        "fn leave(chunk: u32, begin: State, state: State) {{\n{fill}    \
         if (params.start + params.extent == params.total && chunk == params.chunks - 1u) {{ finish(state); }}\n}}\n"
    )
}

/// A binding of its own, and the function that stores into it.
pub(super) fn put_text(array: &str, name: &str, dtype: DType, binding: usize) -> String {
    let element = if dtype.per_word() > 1 { "atomic<u32>" } else { dtype.wgsl() };
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> {array}: array<{element}>;\n\
         fn {name}(at: u32, v: {}) {{\n{}}}\n",
        dtype.wgsl(),
        atomic_store(array, dtype)
    )
}

/// `Items` and its functions.
pub(super) fn items_text(condition: DType, picked: &FusionSpec, shape: &Shape, filled: bool) -> String {
    let dtype = picked.dtype();
    let condition = wide(condition.wgsl(), picked.width);
    let element = wide(dtype.wgsl(), picked.width);
    let mut text = "struct Items {\n    mask: u32,\n}\n".to_string();
    text += &rows_text(shape);
    text += &load_text(&condition, shape, false);
    text += &load_text(&condition, shape, true);
    text += "fn spread(items: Items, lane: u32) {\n";
    for j in 0..shape.rounds {
        writeln!(text, "    totals[{}u + lane] = countOneBits(items.mask & {}u);", j * shape.workgroup, unit(shape, j))
            .expect("to a string");
    }
    text + "}\n" + &save_text(dtype, shape, &element, filled)
}

/// The bits of a unit.
pub(super) fn unit(shape: &Shape, j: u64) -> u64 {
    ((1 << shape.width) - 1) << (j * shape.width)
}

/// `load` and `load_part`.
fn load_text(condition: &str, shape: &Shape, part: bool) -> String {
    let name = if part { "load_part" } else { "load" };
    let mut text =
        format!("fn {name}(row: u32, tile: u32, lane: u32) -> Items {{\n    var items: Items;\n    let first = row;\n");
    for j in 0..shape.rounds {
        let at = position(shape, j);
        let value = call_at("value", j, "");
        writeln!(text, "    let i{j} = {at};").expect("to a string");
        match part {
            false => writeln!(text, "    let c{j} = {value};"),
            true => {
                writeln!(text, "    var c{j} = {condition}();\n    if (is_there(first, i{j})) {{ c{j} = {value}; }}")
            }
        }
        .expect("to a string");
    }
    for j in 0..shape.rounds {
        for l in 0..shape.width {
            let c = if shape.width == 1 { format!("c{j}") } else { format!("c{j}.{}", LANES[l as usize]) };
            let inside = if part { format!("(i{j} + {l}u < params.extent) && ") } else { String::new() };
            let bit = 1u64 << (j * shape.width + l);
            writeln!(text, "    items.mask |= select(0u, {bit}u, {inside}lift({c}, 0u) != 0u);").expect("to a string");
        }
    }
    text + "    return items;\n}\n"
}

/// The word that stands for a value in workgroup memory, and the value of a word, of types that go into one.
fn words(dtype: DType) -> Option<(&'static str, &'static str)> {
    match dtype.wgsl() {
        "u32" => Some(("v", "w")),
        "i32" => Some(("bitcast<u32>(v)", "bitcast<i32>(w)")),
        "f32" => Some(("bitcast<u32>(v)", "bitcast<f32>(w)")),
        "bool" => Some(("select(0u, 1u, v)", "w != 0u")),
        _ => None,
    }
}

/// `save` and `save_part`: `totals` has how many are before each unit of the tile.
fn save_text(dtype: DType, shape: &Shape, element: &str, filled: bool) -> String {
    let words = words(dtype);
    let mut text = words.map_or(String::new(), |words| stage_text(dtype, words));
    if words.is_none() {
        text += &format!("fn put_behind(begin: u32, at: u32, v: {}) {{ put(begin + at, v); }}\n", dtype.wgsl());
    }
    text += "fn save(items: Items, row: u32, tile: u32, lane: u32) {\n    let first = row;\n    \
             let begin = carried;\n    let all = held;\n";
    for j in 0..shape.rounds {
        let (before, at, bits) = (j * shape.workgroup, position(shape, j), unit(shape, j));
        let load = call_at("picked_value", j, "");
        write!(
            text,
            "    var at{j} = totals[{before}u + lane];\n    let i{j} = {at};\n    var v{j}: {element};\n    \
             if ((items.mask & {bits}u) != 0u) {{ v{j} = {load}; }}\n"
        )
        .expect("to a string");
    }
    if words.is_some() {
        text += "    workgroupBarrier();\n";
    }
    let put = if words.is_some() { "stage" } else { "put_behind" };
    for (j, l) in places(shape.rounds, shape.width) {
        let v = if shape.width == 1 { format!("v{j}") } else { format!("v{j}.{}", LANES[l as usize]) };
        let bit = 1u64 << (j * shape.width + l);
        writeln!(text, "    if ((items.mask & {bit}u) != 0u) {{ {put}(begin, at{j}, {v}); at{j} += 1u; }}")
            .expect("to a string");
    }
    if words.is_some() {
        text += "    workgroupBarrier();\n    \
                 for (var at = lane; at < min(TOTALS, all); at += WORKGROUP) { put(begin + at, staged(at)); }\n";
    }
    if filled {
        text += &fill_text(shape.tile());
    }
    text += "    if (params.whole == 1u && tile == params.tiles - 1u && lane == 0u) { finish(begin + all); }\n}\n";
    text + "fn save_part(items: Items, row: u32, tile: u32, lane: u32) { save(items, row, tile, lane); }\n"
}

/// `stage` and `staged`: the first elements of a tile lie side by side in workgroup memory; there may be more of them.
fn stage_text(dtype: DType, (word, value): (&str, &str)) -> String {
    let name = dtype.wgsl();
    format!(
        "fn stage(begin: u32, at: u32, v: {name}) {{\n    \
         if (at < TOTALS) {{ totals[at] = {word}; }} else {{ put(begin + at, v); }}\n}}\n\
         fn staged(at: u32) -> {name} {{\n    let w = totals[at];\n    return {value};\n}}\n"
    )
}

/// As many fillings as a tile has elements that do not count, from the end.
fn fill_text(tile: u64) -> String {
    format!(
        "    let behind = params.start + tile * {tile}u - begin;\n    \
         let fillings = min(params.extent - tile * {tile}u, {tile}u) - all;\n    \
         for (var at = lane; at < fillings; at += WORKGROUP) {{ put(params.total - 1u - behind - at, fill()); }}\n"
    )
}
