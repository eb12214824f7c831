//! What the sorts by digits leave open: teams, and the words of keys and values.

use super::shape::Shape;
use super::wgsl::{Flow, Values};
use crate::dense::Form;

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
        Some(_) => include_str!("../../shaders/shared/sort_subgroup.wgsl"),
        None => include_str!("../../shaders/shared/sort_portable.wgsl"),
    };
    who.to_string() + file + &shape.subgroups.map_or(String::new(), ballot_text)
}

/// `Lanes` as bits: a word of them for each 32 lanes that a subgroup may have.
fn ballot_text((least, most): (u32, u32)) -> String {
    let size = if least == most { format!("{least}u") } else { "size".into() };
    let (lanes, part) = match most.div_ceil(32) {
        1 => ("u32", ".x"),
        2 => ("vec2<u32>", ".xy"),
        _ => ("vec4<u32>", ""),
    };
    let all = match (least, most) {
        (32, 32) => "Lanes(0xffffffffu)",
        _ => "ballot(true)",
    };
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
        "alias Lanes = {lanes};\n\
         fn lanes_of(size: u32) -> u32 {{ return {size}; }}\n\
         fn all_lanes() -> Lanes {{ return {all}; }}\n\
         fn ballot(is_set: bool) -> Lanes {{ return subgroupBallot(is_set){part}; }}\n\
         fn count_below(same: Lanes, place: u32) -> u32 {{ return {below}; }}\n\
         fn count_all(same: Lanes) -> u32 {{ return {count}; }}\n"
    )
}

/// What the steps over an invocation's items depend on.
pub(super) fn flow_constants(flow: &Flow) -> Vec<(&'static str, u32)> {
    let words = |form: Form| if form == Form::Words(2) { 2 } else { 1 };
    vec![
        ("KEY_WORDS", words(flow.keys)),
        ("KEYS_OUT", flow.stores[0]),
        ("VALUE_WORDS", words(flow.values.form())),
        ("VALUES_OUT", flow.stores[1]),
    ]
}

/// `key_word(v, nth)`, and `with_key_word(v, nth, word)`: an element with another word.
fn words_text(name: &str, form: Form) -> String {
    let (ty, one, with) = match form {
        Form::Words(2) => {
            ("vec2<u32>", "select(v.x, v.y, nth == 1u)", "select(v, vec2<u32>(word), vec2<bool>(nth == 0u, nth == 1u))")
        }
        _ => ("u32", "v", "word"),
    };
    format!(
        "fn {name}_word(v: {ty}, nth: u32) -> u32 {{ return {one}; }}\n\
         fn with_{name}_word(v: {ty}, nth: u32, word: u32) -> {ty} {{ return {with}; }}\n"
    )
}

const COUNTERS: &str = include_str!("../../shaders/shared/sort_counters.wgsl");

/// What `shaders/sort_scatter.wgsl` leaves open of the keys and values that move.
pub(super) fn scatter_text(flow: &Flow) -> String {
    let value = flow.values.form();
    let of = flow.values.text("params.values_first + first + item", "params.index_first + at + item");
    let value_of = format!("fn value_of(first: u32, at: u32, item: u32) -> Value {{ return {of}; }}\n");
    let alias = format!("alias Value = {};\n", value.wgsl());
    [COUNTERS, &words_text("key", flow.keys), &alias, &words_text("value", value), &value_of].concat()
}

/// What `shaders/sort_rows.wgsl` leaves open of them.
pub(super) fn rows_text(flow: &Flow) -> String {
    let value_of = flow.values.of_origin("origin % params.length");
    [COUNTERS, &words_text("key", flow.keys), &value_of].concat()
}

impl Values {
    /// The form in which they are loaded.
    pub fn form(self) -> Form {
        match self {
            Values::Of(form) => form,
            Values::None | Values::Index => Form::Words(1),
        }
    }

    /// A value: that at a place of the array, or an index.
    fn text(self, place: &str, index: &str) -> String {
        if matches!(self, Values::Of(_)) { format!("load_value({place})") } else { index.into() }
    }

    /// `value_of(first, origin)`: that of the item that came from there, behind the first of a workgroup.
    pub fn of_origin(self, index: &str) -> String {
        let of = self.text("params.values_first + first + origin", index);
        format!("fn value_of(first: u32, origin: u32) -> {} {{ return {of}; }}\n", self.form().wgsl())
    }
}
