//! The text of what is combined, and of how it is passed on: in a workgroup, and from tile to tile.

use super::super::lanes;
use super::super::reduce::{Names, Operator};
use super::rows::Shape;
use crosslane_core::element::DType;
use std::fmt::Write;

/// The operator's declarations, for states that say whether a segment begins in them, or how many do: what comes before
/// one is not combined with what is behind.
pub(super) fn segmented_text(operator: &Operator, dtype: DType, counted: bool) -> String {
    let (joined, next) = if counted { ("a.head + b.head", "State(b.value, a.head + b.head)") } else { ("a.head", "b") };
    let (value, result) = (dtype.wgsl(), operator.result(dtype).wgsl());
    let plain = operator.text(dtype, &PLAIN);
    format!(
        "{plain}struct State {{\n    value: Plain,\n    head: u32,\n}}\n\
         fn lift_at(v: {value}, head: bool) -> State {{ return State(lift(v, 0u), select(0u, 1u, head)); }}\n\
         fn combine(a: State, b: State) -> State {{\n    if (b.head != 0u) {{ return {next}; }}\n    \
         return State(combine_plain(a.value, b.value), {joined});\n}}\n\
         fn identity() -> State {{ return State(identity_plain(), 0u); }}\n\
         fn result(s: State) -> {result} {{ return result_plain(s.value); }}\n"
    )
}

/// What is declared of the operator where a state is more than what it combines.
const PLAIN: Names =
    Names { state: "Plain", combine: "combine_plain", identity: "identity_plain", result: "result_plain" };

/// `At`, `lane_of` and `workgroup_scan`.
pub(super) fn team_text(shape: &Shape, constants: &mut Vec<(&'static str, u32)>) -> String {
    let Some(size) = shape.subgroup else {
        constants.push(("SCRATCH", 2 * shape.workgroup as u32));
        return [lanes::text(false), include_str!("../../shaders/shared/scan_portable.wgsl")].concat();
    };
    constants.extend([("SCRATCH", shape.workgroup as u32 / size), ("SUBGROUP", size)]);
    let up = |part: &str| format!("subgroupShuffleUp({part}, by)");
    let shifted = match shape.segmented {
        true => format!("State({}, {})", up("state.value"), up("state.head")),
        false => up("state"),
    };
    format!(
        "{}{}fn shifted(state: State, by: u32) -> State {{ return {shifted}; }}\n",
        lanes::text(true),
        include_str!("../../shaders/shared/scan_subgroup.wgsl")
    )
}

/// `look` and `publish` where there is one tile.
pub(super) fn no_chain_text() -> String {
    "struct Found {\n    state: State,\n    ready: bool,\n}\n\
     fn look(entry: u32) -> Found { return Found(identity(), true); }\n\
     fn publish(entry: u32, state: State) {}\n"
        .into()
}

/// `look` and `publish`: a state as words, each with its share of the bits and, highest, that it is there.
pub(super) fn chain_text(dtype: DType, shape: &Shape, binding: usize) -> String {
    let (segmented, counted) = (shape.segmented, shape.counted);
    if shape.parts == 1 {
        return count_text(binding);
    }
    // A count has a word of its own.
    let (words, parts) = (shape.parts, shape.parts - counted as u64);
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
        let head = if last && segmented && !counted { format!(" | (state.head << {share}u)") } else { String::new() };
        writeln!(text, "    atomicStore(&chain[entry * {words}u + {part}u], 0x80000000u | {bits}{head});")
            .expect("to a string");
    }
    if counted {
        writeln!(text, "    atomicStore(&chain[entry * {words}u + {parts}u], 0x80000000u | state.head);")
            .expect("to a string");
    }
    text += "}\nfn look(entry: u32) -> Found {\n";
    for part in 0..words {
        writeln!(text, "    let p{part} = atomicLoad(&chain[entry * {words}u + {part}u]);").expect("to a string");
    }
    let ready: Vec<String> = (0..words).map(|part| format!("p{part}")).collect();
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
        true if counted => format!("State({state}, p{parts} & 0x7fffffffu)"),
        true => format!("State({state}, (p{} >> {share}u) & 1u)", parts - 1),
        false => state.into(),
    };
    writeln!(text, "    return Found({state}, ({} & 0x80000000u) != 0u);\n}}", ready.join(" & ")).expect("to a string");
    text
}

/// `look` and `publish` of counts below 2^31: one word.
fn count_text(binding: usize) -> String {
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> chain: array<atomic<u32>>;\n\
         struct Found {{\n    state: State,\n    ready: bool,\n}}\n\
         fn publish(entry: u32, state: State) {{\n    atomicStore(&chain[entry], 0x80000000u | state);\n}}\n\
         fn look(entry: u32) -> Found {{\n    let word = atomicLoad(&chain[entry]);\n    \
         return Found(word & 0x7fffffffu, (word & 0x80000000u) != 0u);\n}}\n"
    )
}
