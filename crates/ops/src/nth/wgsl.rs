//! The text of the kernels: what `shaders/nth_*.wgsl` leave open.

use super::Nth;
use crate::dense::Form;
use crate::order::{number_text, words};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::kernel::{Access, Draft, Spec};

/// Bits of a digit, the lowest of a word excepted, and its values.
const DIGIT: u32 = 11;
pub(super) const BINS: u32 = 1 << DIGIT;
/// Digits of a word.
const WORD_PLACES: u32 = 3;
/// Keys that an invocation loads at once.
const UNROLL: u32 = 16;

pub(super) const COUNT: [&str; 10] =
    ["groups", "parts", "span", "count", "length", "keys_first", "place", "word", "shift", "known"];
pub(super) const FIND: [&str; 6] = ["groups", "place", "word", "shift", "n", "first"];

/// What the text of a kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum NthSpec {
    /// Counts keys of this type: for the first digit, which all count for, or for a later one.
    Count(DType, bool),
    /// Finds the digit.
    Find(DType),
}

impl Spec for NthSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        match *self {
            NthSpec::Count(key, first) => count_draft(key, first, caps),
            NthSpec::Find(key) => find_draft(key, caps),
        }
    }
}

/// Digits of a key, the most significant first.
fn places(key: DType) -> u32 {
    WORD_PLACES * words(key)
}

impl Nth {
    pub(super) fn places(&self) -> u32 {
        places(self.key_type())
    }

    /// The word that a digit lies in, its lowest bit there, and the bits above.
    pub(super) fn digit(&self, place: u32) -> [u32; 3] {
        let word = words(self.key_type()) - 1 - place / WORD_PLACES;
        let shift = (32 - DIGIT).saturating_sub(place % WORD_PLACES * DIGIT);
        let known = if place.is_multiple_of(WORD_PLACES) { 0 } else { u32::MAX << (shift + self.width(place)) };
        [word, shift, known]
    }

    /// Bits of a digit.
    fn width(&self, place: u32) -> u32 {
        if place % WORD_PLACES == WORD_PLACES - 1 { 32 - (WORD_PLACES - 1) * DIGIT } else { DIGIT }
    }
}

fn draft(key: DType, file: &'static str, params: &[&str], caps: &Caps, access: Vec<Access>, text: String) -> Draft {
    let workgroup = caps.workgroup();
    Draft {
        entry: &file[4..],
        constants: vec![("WORKGROUP", workgroup), ("BINS", BINS), ("PLACES", places(key))],
        params: params.iter().map(|name| name.to_string()).collect(),
        access,
        text: words_text(key) + &text,
        ..Draft::new(format!("nth: {}", &file[4..]), shader(file))
    }
}

fn count_draft(key: DType, first: bool, caps: &Caps) -> Draft {
    let unroll = if caps.short_vectors() { 2 } else { UNROLL };
    let form = Form::held(key);
    let in_word = "((word_of(n, params.word) ^ word_of(prefix, params.word)) & params.known) == 0u";
    let is_in = match words(key) {
        1 => in_word.to_string(),
        _ => format!("({in_word}) & ((params.word == 1u) | (n.y == prefix.y))"),
    };
    let text = form.declare(0, "keys", "read")
        + &Form::Words(1).declare(1, "states", "read")
        + "@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;\n"
        + &number_text(key)
        + &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", form.load("keys"))
        + &format!("fn is_in(n: Key, prefix: Key) -> bool {{ return {is_in}; }}\n")
        + "fn digit_of(n: Key) -> u32 { return (word_of(n, params.word) >> params.shift) & (BINS - 1u); }\n\
               fn prefix_of(row: u32) -> Key {\n    \
               if (params.place == 0u) {\n        return Key();\n    }\n    return state_prefix(row);\n}\n";
    let access = vec![Access::Read, Access::Read, Access::Write];
    let draft = draft(key, "nth_count", &COUNT, caps, access, text);
    Draft { constants: [draft.constants, vec![("UNROLL", unroll), ("FIRST", first as u32)]].concat(), ..draft }
}

fn find_draft(key: DType, caps: &Caps) -> Draft {
    let name = if words(key) == 2 { "vec2<u32>" } else { "u32" };
    let text = Form::Words(1).declare(0, "counts", "read")
        + &Form::Words(1).declare(1, "states", "read_write")
        + &Form::held(key).declare(2, "values", "read_write")
        + &format!("alias Key = {name};\nstruct State {{ prefix: Key, left: u32 }}\n")
        + "fn load_state(row: u32) -> State {\n    \
               if (params.place == 0u) {\n        return State(Key(), params.n);\n    }\n    \
               return State(state_prefix(row), states[row * 4u + 2u]);\n}\n\
               fn extended(prefix: Key, bin: u32) -> Key { return prefix | at_word(bin << params.shift, params.word); }\n"
        + &store_text(words(key))
        + &format!(
            "fn store_value(row: u32, n: Key) {{\n{}    values[params.first + row] = key;\n}}\n",
            key_lines(key)
        );
    let draft = draft(key, "nth_find", &FIND, caps, vec![Access::Read, Access::Write, Access::Write], text);
    let each = BINS / caps.workgroup();
    Draft { constants: [draft.constants, vec![("EACH", each)]].concat(), ..draft }
}

/// `word_of`, `at_word` and `state_prefix`: a number by its words, the low one first.
fn words_text(dtype: DType) -> String {
    match words(dtype) {
        1 => {
            "fn word_of(n: Key, word: u32) -> u32 { return n; }\n\
              fn at_word(v: u32, word: u32) -> Key { return v; }\n\
              fn state_prefix(row: u32) -> Key { return states[row * 4u]; }\n"
        }
        _ => {
            "fn word_of(n: Key, word: u32) -> u32 { return select(n.x, n.y, word == 1u); }\n\
              fn at_word(v: u32, word: u32) -> Key { return select(Key(v, 0u), Key(0u, v), word == 1u); }\n\
              fn state_prefix(row: u32) -> Key { return Key(states[row * 4u], states[row * 4u + 1u]); }\n"
        }
    }
    .to_string()
}

fn store_text(words: u32) -> String {
    let prefix = match words {
        1 => "    states[row * 4u] = state.prefix;\n",
        _ => "    states[row * 4u] = state.prefix.x;\n    states[row * 4u + 1u] = state.prefix.y;\n",
    };
    format!("fn store_state(row: u32, state: State) {{\n{prefix}    states[row * 4u + 2u] = state.left;\n}}\n")
}

/// The lines that make the `key` of a number `n`, back from what orders it.
fn key_lines(dtype: DType) -> String {
    let (sign, all) = match words(dtype) {
        1 => ("0x80000000u", "0xffffffffu"),
        _ => ("vec2<u32>(0u, 0x80000000u)", "vec2<u32>(0xffffffffu)"),
    };
    let top = if words(dtype) == 1 { "n" } else { "n.y" };
    match dtype.class() {
        Class::Signed => format!("    let key = n ^ {sign};\n"),
        // The number of NaN becomes a NaN: all its bits but the sign.
        Class::Float => format!("    let key = n ^ select({all}, {sign}, {top} >= 0x80000000u);\n"),
        _ => "    let key = n;\n".to_string(),
    }
}
