//! The text of the kernel: what `shaders/top_k.wgsl` leaves open.

use super::TopK;
use super::shape::Shape;
use crate::dense::Form;
use crate::order::{number_text, words};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Spec};

/// Where a launch takes items from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// The rows.
    Rows,
    /// The rows, of which a bound is known.
    Bounded,
    /// Lists that were handed on.
    Lists,
}

/// What a launch does with the first k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sink {
    List,
    Bound,
    Indices,
}

pub(super) const PARAMS: [&str; 12] = [
    "groups",
    "parts",
    "span",
    "step",
    "count",
    "k",
    "padded",
    "keys_first",
    "length",
    "first",
    "capacity",
    "indices_first",
];

/// What the text of the kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct TopKSpec {
    source: Source,
    sink: Sink,
    shape: Shape,
    /// Words of an item: its number's and its index.
    words: u32,
    /// Digits of the first word that no number has.
    first_place: u32,
    /// The keys' type, and whether the largest come first. Lists are alike whatever they are of.
    keys: Option<(DType, bool)>,
}

impl TopK {
    /// Words of an item: its number's and its index.
    pub(super) fn item_words(&self) -> u32 {
        words(self.key_type()) + 1
    }

    pub(super) fn spec(&self, source: Source, sink: Sink, shape: &Shape) -> TopKSpec {
        TopKSpec {
            source,
            sink,
            shape: *shape,
            words: self.item_words(),
            first_place: 4u32.saturating_sub(self.key_type().size() as u32),
            keys: (source != Source::Lists).then_some((self.key_type(), self.largest)),
        }
    }
}

impl Spec for TopKSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let TopKSpec { source, sink, shape, words, first_place: place, .. } = *self;
        let mut access = vec![];
        let mut text = item_text(words);
        text += &self.source_text(&mut access);
        text += &sink_text(sink, words, &mut access);
        Draft {
            constants: vec![
                ("WORKGROUP", shape.workgroup),
                ("ITEMS", shape.items),
                ("LIST", shape.list),
                ("FIRST_PLACE", place),
                ("PLACES", 4 * words),
                ("ABOVE", if place == 0 { 0 } else { u32::MAX << (32 - 8 * place) }),
                ("SINK", sink as u32),
                ("LIST_SINK", Sink::List as u32),
                ("BOUND_SINK", Sink::Bound as u32),
            ],
            params: PARAMS.map(String::from).to_vec(),
            access,
            text,
            ..Draft::new(format!("top_k: {source:?} to {sink:?}"), shader("top_k"))
        }
    }
}

impl TopKSpec {
    /// `load_item`, `count_of` and `first_bound`, and what they read.
    fn source_text(&self, access: &mut Vec<Access>) -> String {
        let words = self.words;
        let mut bind = |name: &str, form: Form| {
            access.push(Access::Read);
            form.declare(access.len() - 1, name, "read")
        };
        let Some((key, largest)) = self.keys else {
            return bind("lists", Form::Words(1))
                + &bind("counts", Form::Words(1))
                + &load_text("load_item(row: u32, p: u32)", "lists", "(row * params.capacity + p)", words)
                + "fn count_of(row: u32) -> u32 { return counts[row]; }\n\
                   fn first_bound(row: u32) -> Item { return LAST; }\n";
        };
        let form = Form::held(key);
        let (turn, number) = match (words, largest) {
            (_, false) => (String::new(), if words == 3 { "n.y, n.x" } else { "n" }),
            (2, true) => (format!(" ^ {:#x}u", u32::MAX >> (8 * self.first_place)), "n"),
            _ => (" ^ vec2<u32>(0xffffffffu)".to_string(), "n.y, n.x"),
        };
        let mut text = bind("keys", form) + &number_text(key);
        text += &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", form.load("keys"));
        text += &format!(
            "fn load_item(row: u32, p: u32) -> Item {{\n    \
             let n = number(load_key(params.keys_first + row * params.length + p)){turn};\n    \
             return Item({number}, params.first + p);\n}}\nfn count_of(row: u32) -> u32 {{ return params.count; }}\n"
        );
        text + &match self.source {
            Source::Bounded => {
                bind("bounds", Form::Words(1)) + &load_text("first_bound(row: u32)", "bounds", "row", words)
            }
            _ => "fn first_bound(row: u32) -> Item { return LAST; }\n".to_string(),
        }
    }
}

/// A function that gives an item of an array of words.
fn load_text(head: &str, array: &str, at: &str, words: u32) -> String {
    let loads: Vec<String> = (0..words).map(|word| format!("{array}[{at} * {words}u + {word}u]")).collect();
    format!("fn {head} -> Item {{ return Item({}); }}\n", loads.join(", "))
}

/// `Item` and the list of them.
fn item_text(words: u32) -> String {
    let names = &["x", "y", "z"][..words as usize];
    let list: String = names.iter().map(|n| format!("var<workgroup> list_{n}: array<u32, LIST>;\n")).collect();
    let gets: Vec<String> = names.iter().map(|n| format!("list_{n}[j]")).collect();
    let puts: String = names.iter().map(|n| format!("    list_{n}[j] = item.{n};\n")).collect();
    let at: Vec<String> = (0..words).map(|word| format!("select(0u, v, word == {word}u)")).collect();
    let order = match words {
        2 => "(a.x < b.x) | ((a.x == b.x) & (a.y <= b.y))",
        _ => "(a.x < b.x) | ((a.x == b.x) & ((a.y < b.y) | ((a.y == b.y) & (a.z <= b.z))))",
    };
    format!(
        "alias Item = vec{words}<u32>;\nconst LAST = Item(0xffffffffu);\n{list}\
         fn item_at(j: u32) -> Item {{ return Item({}); }}\nfn put(j: u32, item: Item) {{\n{puts}}}\n\
         fn at_word(word: u32, v: u32) -> Item {{ return Item({}); }}\n\
         fn not_after(a: Item, b: Item) -> bool {{ return {order}; }}\n",
        gets.join(", "),
        at.join(", ")
    )
}

/// `reserve`, `store_item`, `store_bound` and `store_index`, of which the others are never called, and what they write.
fn sink_text(sink: Sink, words: u32, access: &mut Vec<Access>) -> String {
    let mut bind = |name: &str, element: &str| {
        access.push(Access::Write);
        format!("@group(0) @binding({}) var<storage, read_write> {name}: array<{element}>;\n", access.len() - 1)
    };
    let names = &["x", "y", "z"][..words as usize];
    let stores = |array: &str, at: &str| -> String {
        names.iter().zip(0..).map(|(n, w)| format!("    {array}[{at} * {words}u + {w}u] = item.{n};\n")).collect()
    };
    let (mut reserve, mut item, mut bound, mut index) = ("0u", String::new(), String::new(), String::new());
    let arrays = match sink {
        Sink::List => {
            reserve = "row * params.capacity + atomicAdd(&counts_out[row], count)";
            item = stores("lists_out", "at");
            bind("lists_out", "u32") + &bind("counts_out", "atomic<u32>")
        }
        Sink::Bound => {
            bound = format!("    if (lane == 0u) {{\n{}    }}\n", stores("bounds_out", "row"));
            bind("bounds_out", "u32")
        }
        Sink::Indices => {
            index = format!("    indices[params.indices_first + at] = item.{};\n", names[names.len() - 1]);
            bind("indices", "u32")
        }
    };
    format!(
        "{arrays}fn reserve(row: u32, count: u32) -> u32 {{ return {reserve}; }}\n\
         fn store_item(at: u32, item: Item) {{\n{item}}}\n\
         fn store_bound(row: u32, item: Item, lane: u32) {{\n{bound}}}\n\
         fn store_index(at: u32, item: Item) {{\n{index}}}\n"
    )
}
