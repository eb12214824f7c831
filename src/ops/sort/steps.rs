//! The steps over the items of an invocation, unrolled: registers cannot be indexed by a loop's variable.

use super::shape::Shape;
use super::wgsl::{Flow, Values};
use crate::ops::dense::{Form, each};
use std::ops::Range;

pub(super) fn team_constants(shape: &Shape) -> Vec<(&'static str, u32)> {
    vec![
        ("WORKGROUP", shape.workgroup),
        ("ITEMS", shape.items),
        ("TILE", shape.tile() as u32),
        ("TEAMS", shape.teams()),
        ("STRIPS", shape.strips()),
        ("POOL", shape.pool()),
        ("PREFIX", shape.prefix()),
    ]
}

/// `Who`, `At`, `who_is`, `rank` and `scan`.
pub(super) fn team_text(shape: &Shape) -> String {
    let who = "// An invocation: its number in the workgroup, its team, its place in that, and the team's size.\n\
               struct Who { lane: u32, team: u32, place: u32, size: u32 }\n";
    let file = match shape.subgroups {
        Some(_) => include_str!("../../../shaders/shared/sort_subgroup.wgsl"),
        None => include_str!("../../../shaders/shared/sort_portable.wgsl"),
    };
    who.to_string() + file + &shape.subgroups.map_or(String::new(), ballot_text)
}

/// Which lanes have a digit, as bits: a word of them for each 32 lanes that a subgroup may have.
fn ballot_text((least, most): (u32, u32)) -> String {
    let size = if least == most { format!("{least}u") } else { "size".into() };
    let (lanes, part) = match most.div_ceil(32) {
        1 => ("u32", ".x"),
        2 => ("vec2<u32>", ".xy"),
        _ => ("vec4<u32>", ""),
    };
    let splat = |v: &str| if lanes == "u32" { v.to_string() } else { format!("{lanes}({v})") };
    let (all, none) = (splat("0xffffffffu"), splat("0u"));
    let first = if (least, most) == (32, 32) { all.clone() } else { format!("subgroupBallot(true){part}") };
    let mut with = format!("    var same = {first};\n");
    // Each bit as a sign: `digit & bit != 0` becomes seven instructions by NVRTC 13.0, which makes the condition twice.
    for bit in 0..8 {
        with += &format!(
            "    let set{bit} = bitcast<i32>(digit << {}u) < 0;\n    \
             same &= subgroupBallot(set{bit}){part} ^ select({all}, {none}, set{bit});\n",
            31 - bit
        );
    }
    let (below, count) = match lanes {
        "u32" => ("countOneBits(same & ((1u << place) - 1u))".to_string(), "countOneBits(same)".to_string()),
        _ => {
            let names = &["x", "y", "z", "w"][..if lanes == "vec2<u32>" { 2 } else { 4 }];
            let word = |(nth, name): (usize, &&str)| {
                // All lanes of the words before, those below in its own, none of the words after.
                let low = "((1u << (place & 31u)) - 1u)";
                format!(
                    "countOneBits(same.{name} & select(select(0u, {low}, place >> 5u == {nth}u), 0xffffffffu, place >> 5u > {nth}u))"
                )
            };
            let below = names.iter().enumerate().map(word).collect::<Vec<_>>().join(" + ");
            let count = names.iter().map(|name| format!("countOneBits(same.{name})")).collect::<Vec<_>>().join(" + ");
            (below, count)
        }
    };
    format!(
        "fn lanes_of(size: u32) -> u32 {{ return {size}; }}\n\
         fn lanes_with(digit: u32) -> {lanes} {{\n{with}    return same;\n}}\n\
         fn count_below(same: {lanes}, place: u32) -> u32 {{ return {below}; }}\n\
         fn count_all(same: {lanes}) -> u32 {{ return {count}; }}\n"
    )
}

/// The counters of the teams: cleared, added up over the teams, and turned into where each team's keys begin.
fn counter_text(shape: &Shape) -> String {
    let teams = shape.teams();
    let sums = each(teams, "(*before)[#] = sum;\n    sum += atomicLoad(&pool[#u * 256u + bin]);");
    let starts = each(teams, "atomicStore(&pool[#u * 256u + bin], start + (*before)[#]);");
    let sets = if shape.subgroups.is_some() { 1 } else { 3 };
    format!(
        "fn clear_pool(who: Who) {{\n    for (var word = who.lane; word < {}u; word += WORKGROUP) {{\n        \
         atomicStore(&pool[word], 0u);\n    }}\n}}\n\
         fn sum_teams(bin: u32, before: ptr<function, array<u32, TEAMS>>) -> u32 {{\n    var sum = 0u;\n{sums}    return sum;\n}}\n\
         fn start_teams(bin: u32, start: u32, before: ptr<function, array<u32, TEAMS>>) {{\n{starts}}}\n",
        teams * sets * 256
    )
}

/// Item `#` of an invocation lies here in the tile: a team's items are side by side.
const ITEM: &str = "who.team * who.size * ITEMS + #u * who.size + who.place";

/// The items that an exchange returns in one of its turns.
fn turn(shape: &Shape, nth: u32) -> Range<u32> {
    let items = shape.items / shape.turns;
    nth * items..(nth + 1) * items
}

fn each_of(items: Range<u32>, line: &str) -> String {
    items.map(|item| format!("    {}\n", line.replace('#', &item.to_string()))).collect()
}

/// The lines that put a register of each item that has its place in this turn there.
fn put_lines(shape: &Shape, nth: u32, from: &str) -> String {
    if shape.turns == 1 {
        return each(shape.items, &format!("atomicStore(&pool[(*places)[#]], {from});"));
    }
    let part = shape.tile() as u32 / shape.turns;
    let place = format!("(*places)[#] - {}u", nth * part);
    each(shape.items, &format!("if ({place} < {part}u) {{ atomicStore(&pool[{place}], {from}); }}"))
}

/// The lines that take the items of this turn.
fn get_lines(shape: &Shape, nth: u32, to: &str) -> String {
    let less = turn(shape, nth).start;
    each_of(turn(shape, nth), &format!("{to} = atomicLoad(&pool[(#u - {less}u) * WORKGROUP + who.lane]);"))
}

/// The parts of an element of one or two words.
fn parts(form: Form) -> &'static [&'static str] {
    if form == Form::Words(2) { &[".x", ".y"] } else { &[""] }
}

pub(super) fn scatter_text(flow: &Flow, shape: &Shape) -> String {
    let items = shape.items;
    let keys = "keys: ptr<function, array<Key, ITEMS>>";
    let places = "places: ptr<function, array<u32, ITEMS>>";
    let targets = "targets: ptr<function, array<u32, ITEMS>>";
    let bin = "digit((*keys)[#], params.shift, params.mask)";
    let at = format!("params.keys_first + first + {ITEM}");
    let load = whole_or_part(
        &each(items, &format!("(*keys)[#] = load_key({at});")),
        &each(items, &format!("(*keys)[#] = LAST;\n    if ({ITEM} < count) {{ (*keys)[#] = load_key({at}); }}")),
    );
    let mut text = counter_text(shape);
    text += &format!("fn load_keys({keys}, first: u32, count: u32, who: Who) {{\n{load}}}\n");
    text += &format!(
        "fn rank_keys({keys}, {places}, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] = rank({bin}, #u, who);"))
    );
    text += &format!(
        "fn place_keys({keys}, {places}, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] += atomicLoad(&pool[who.team * 256u + {bin}]);"))
    );
    let key = Form::Words(if matches!(flow.keys, Form::Words(2)) { 2 } else { 1 });
    let first_part = parts(key)[0];
    text +=
        &format!("fn put_keys({keys}, {places}) {{\n{}}}\n", put_lines(shape, 0, &format!("(*keys)[#]{first_part}")));
    let mut body = String::new();
    for nth in 0..shape.turns {
        body += &key_lines(flow, shape, nth);
    }
    text += &format!("fn store_keys({keys}, {places}, {targets}, count: u32, who: Who) {{\n{body}}}\n");
    text + &format!(
        "fn store_values({places}, {targets}, first: u32, at: u32, count: u32, who: Who) {{\n{}}}\n",
        value_lines(flow, shape)
    )
}

/// The lines for a tile that is full, as all but the last of a row are, and for one that is not.
fn whole_or_part(whole: &str, part: &str) -> String {
    format!("    if (count == TILE) {{\n{whole}    }} else {{\n{part}    }}\n")
}

/// The lines that take the keys of a turn in order, and store them. The first word of the first turn has been put; what
/// follows comes through the same memory.
fn key_lines(flow: &Flow, shape: &Shape, nth: u32) -> String {
    let words = if matches!(flow.keys, Form::Words(2)) { 2 } else { 1 };
    let mut body = String::new();
    for (word, part) in parts(Form::Words(words)).iter().enumerate() {
        if nth + word as u32 > 0 {
            body += "    workgroupBarrier();\n";
            body += &put_lines(shape, nth, &format!("(*keys)[#]{part}"));
            body += "    workgroupBarrier();\n";
        }
        let name = if words == 1 { "let key#" } else { ["let low#", "let high#"][word] };
        body += &get_lines(shape, nth, name);
    }
    if words == 2 {
        body += &each_of(turn(shape, nth), "let key# = vec2<u32>(low#, high#);");
    }
    let target = "offsets[digit(key#, params.shift, params.mask)] + #u * WORKGROUP + who.lane";
    body += &each_of(turn(shape, nth), &format!("(*targets)[#] = {target};"));
    if flow.stores[0] > 0 {
        body += &store_lines(turn(shape, nth), "store_key((*targets)[#], key#);");
    }
    body
}

/// The lines that store items of a tile that may not be full.
fn store_lines(items: Range<u32>, store: &str) -> String {
    whole_or_part(
        &each_of(items.clone(), store),
        &each_of(items, &format!("if (#u * WORKGROUP + who.lane < count) {{ {store} }}")),
    )
}

/// The lines that load the values, reorder them like the keys, and store them beside the keys.
fn value_lines(flow: &Flow, shape: &Shape) -> String {
    let items = shape.items;
    let form = match flow.values {
        Values::Of(Form::Words(2)) => Form::Words(2),
        _ => Form::Words(1),
    };
    if flow.stores[1] == 0 {
        return String::new();
    }
    let mut body = each(items, &format!("var value#: {};", form.wgsl()));
    body += &match flow.values {
        Values::Of(_) => {
            let load = format!("value# = load_value(params.values_first + first + {ITEM});");
            whole_or_part(&each(items, &load), &each(items, &format!("if ({ITEM} < count) {{ {load} }}")))
        }
        _ => each(items, &format!("value# = params.index_first + at + {ITEM};")),
    };
    body += &each(items, &format!("var sorted#: {};", form.wgsl()));
    for nth in 0..shape.turns {
        for part in parts(form) {
            body += "    workgroupBarrier();\n";
            body += &put_lines(shape, nth, &format!("value#{part}"));
            body += "    workgroupBarrier();\n";
            body += &get_lines(shape, nth, &format!("sorted#{part}"));
        }
        body += &store_lines(turn(shape, nth), "store_value((*targets)[#], sorted#);");
    }
    body
}

pub(super) fn rows_text(flow: &Flow, shape: &Shape) -> String {
    let items = shape.items;
    let keys = "keys: ptr<function, array<Key, ITEMS>>";
    let origins = "origins: ptr<function, array<u32, ITEMS>>";
    let places = "places: ptr<function, array<u32, ITEMS>>";
    let bin = "digit_of((*keys)[#], (*origins)[#], pass_, count)";
    let key = Form::Words(if matches!(flow.keys, Form::Words(2)) { 2 } else { 1 });
    let load = format!(
        "(*origins)[#] = {ITEM};\n    \
         if ({ITEM} < count) {{ (*keys)[#] = load_key(params.keys_first + first + {ITEM}); }}"
    );
    let mut text = counter_text(shape);
    text +=
        &format!("fn load_keys({keys}, {origins}, first: u32, count: u32, who: Who) {{\n{}}}\n", each(items, &load));
    text += &format!(
        "fn rank_keys({keys}, {origins}, {places}, pass_: u32, count: u32, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] = rank({bin}, #u, who);"))
    );
    text += &format!(
        "fn place_keys({keys}, {origins}, {places}, pass_: u32, count: u32, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] += atomicLoad(&pool[who.team * 256u + {bin}]);"))
    );
    // The next pass takes them in the order of the teams.
    let exchange = |register: &str| {
        "    workgroupBarrier();\n".to_string()
            + &each(items, &format!("atomicStore(&pool[(*places)[#]], {register});"))
            + "    workgroupBarrier();\n"
            + &each(items, &format!("{register} = atomicLoad(&pool[{ITEM}]);"))
    };
    let mut body = exchange("(*origins)[#]");
    for part in parts(key) {
        body += &exchange(&format!("(*keys)[#]{part}"));
    }
    text += &format!("fn exchange({keys}, {origins}, {places}, who: Who) {{\n{body}}}\n");
    let mut body = String::new();
    if flow.stores[0] > 0 {
        let store = format!("store_key(first + {ITEM}, (*keys)[#]);");
        body += &each(items, &format!("if ({ITEM} < count) {{ {store} }}"));
    }
    if flow.stores[1] > 0 {
        let value = match flow.values {
            Values::Of(_) => "load_value(params.values_first + first + (*origins)[#])",
            _ => "(*origins)[#] % params.length",
        };
        body += &each(items, &format!("if ({ITEM} < count) {{ store_value(first + {ITEM}, {value}); }}"));
    }
    text + &format!("fn store_items({keys}, {origins}, first: u32, count: u32, who: Who) {{\n{body}}}\n")
}
