//! Rows that a workgroup merges: how they are laid over it, and the text of `shaders/sort_merge.wgsl`'s steps.

use super::wgsl::{Flow, Keys, Values};
use super::{Payload, Sort};
use crate::caps::Caps;
use crate::element::{Class, DType};
use crate::ops::dense::each;
use crate::ops::order::{number_in, words};
use crate::tuning::Tunable;
use std::fmt::Write;

/// Elements of the longest rows that are merged; longer ones are sorted by digits.
pub(crate) const MERGED: Tunable =
    Tunable { name: "sort_merge", numbers: &["longest"], candidates: &[&[0], &[1024], &[8192]] };
/// Rows that vectors of a processor merge where one pass by digits is all there is to do. llvmpipe, u8, us, merged and by
/// digits: 256 keys 65 and 100, 512 keys 135 and 100.
const ONE_DIGIT: usize = 256;

/// Invocations and items of each: the first that hold what there is to sort.
const TILES: [(u32, u32); 7] = [(32, 2), (64, 4), (64, 8), (128, 8), (256, 8), (256, 16), (512, 16)];
/// Items of a workgroup that has some of many rows.
const MANY: u64 = 4096;
/// Software drivers take long to compile unrolled text.
const SOFTWARE_TILES: [(u32, u32); 4] = [(32, 2), (64, 4), (256, 4), (1024, 4)];

/// How a workgroup holds rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MergeTile {
    pub workgroup: u32,
    pub items: u32,
    /// Whether an item is its key's number alone, from which the key can be recovered.
    pub bare: bool,
}

impl MergeTile {
    /// For rows that are to be merged: they are short, and fit.
    pub fn choose(sort: &Sort, caps: &Caps) -> Option<MergeTile> {
        let [longest] = *caps.tuning.get(&MERGED) else { unreachable!("it has one number") };
        let one_digit = caps.short_vectors() && sort.places() == 1;
        if sort.length > if one_digit { ONE_DIGIT.min(longest as usize) } else { longest as usize } {
            return None;
        }
        let tiles = if caps.short_vectors() { &SOFTWARE_TILES[..] } else { &TILES[..] };
        let bare = sort.is_bare();
        // With as many invocations as there is memory for.
        let most = (caps.workgroup_bytes / item_bytes(sort, bare)).saturating_sub(2);
        let tile = |&(workgroup, items): &(u32, u32)| {
            let workgroup = workgroup.min(caps.workgroup_invocations).min(most / items / 2 * 2);
            MergeTile { workgroup, items, bare }
        };
        let mut fitting = tiles.iter().map(tile).filter(|tile| tile.slots() >= sort.length as u64);
        if let Some(all) = fitting.clone().find(|tile| tile.slots() >= sort.len() as u64) {
            return Some(all);
        }
        let many = fitting.clone().rfind(|tile| tile.slots() <= MANY);
        let tile = many.or_else(|| fitting.next())?;
        // Not more than a row has.
        Some(MergeTile { items: tile.items.min(sort.length.next_power_of_two() as u32), ..tile })
    }

    /// Items of a workgroup.
    pub fn slots(self) -> u64 {
        self.workgroup as u64 * self.items as u64
    }

    /// Invocations that hold a row.
    pub fn row_lanes(self, length: u64) -> u64 {
        length.div_ceil(self.items as u64)
    }
}

/// Bytes of workgroup memory that an item takes.
fn item_bytes(sort: &Sort, bare: bool) -> u32 {
    4 * (words(sort.key_type()) + !bare as u32)
}

impl Sort {
    /// Whether a key can be recovered from its number, and nothing else is needed: then the order of equals does not
    /// show.
    fn is_bare(&self) -> bool {
        let dtype = self.key_type();
        let width = if dtype == DType::Bool { 1 } else { 8 * dtype.size() as u32 };
        matches!(self.payload, Payload::None) && dtype.class() != Class::Float && self.bits == (0..width)
    }

    /// The bits of a number that count, as two words.
    pub(super) fn masks(&self) -> [u32; 2] {
        let below = |bit: u32| ((1u128 << bit) - 1) as u64;
        let mask = below(self.bits.end) & !below(self.bits.start);
        [mask as u32, (mask >> 32) as u32]
    }
}

impl Keys {
    /// `Key`, `number`, `less`, `PAST`, and `masked`, which leaves the bits that count.
    fn order_text(&self) -> String {
        number_in(self.dtype, self.descending)
            + match words(self.dtype) {
                2 => {
                    "const PAST = Key(0xffffffffu);\n\
                     fn less(a: Key, b: Key) -> bool { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }\n\
                     fn masked(n: Key) -> Key { return n & Key(params.mask_low, params.mask_high); }\n"
                }
                _ => {
                    "const PAST = 0xffffffffu;\n\
                     fn less(a: Key, b: Key) -> bool { return a < b; }\n\
                     fn masked(n: Key) -> Key { return n & params.mask_low; }\n"
                }
            }
    }

    /// `key_of(n)`: the key whose number it is, of integers.
    fn key_text(&self) -> String {
        let dtype = self.dtype;
        let all = if dtype == DType::Bool { 1 } else { u64::MAX >> (64 - 8 * dtype.size()) };
        let sign = if dtype.class() == Class::Signed { (all >> 1) + 1 } else { 0 };
        let turned = sign ^ if self.descending { all } else { 0 };
        match words(dtype) {
            2 => format!(
                "fn key_of(n: Key) -> Key {{ return n ^ Key({:#x}u, {:#x}u); }}\n",
                turned as u32,
                (turned >> 32) as u32
            ),
            _ => format!("fn key_of(n: Key) -> Key {{ return n ^ {turned:#x}u; }}\n"),
        }
    }
}

/// The order of keys; `Items`, and what is done with those of an invocation.
pub(super) fn merge_text(keys: &Keys, flow: &Flow, tile: MergeTile) -> String {
    let (origins, pool) = match tile.bare {
        true => ("", String::new()),
        false => (
            "    origins: array<u32, ITEMS>,\n",
            "// Where the items come from, of those in the pool.\n\
             var<workgroup> pool_origins: array<u32, TILE + 1u>;\n"
                .to_string(),
        ),
    };
    let mut text =
        keys.order_text() + &format!("struct Items {{\n    numbers: array<Key, ITEMS>,\n{origins}}}\n{pool}");
    text += &load_text(tile);
    text += &sort_text(tile);
    text += &put_text(tile);
    text += &merge_items_text(tile);
    if tile.bare {
        text += &keys.key_text();
    }
    text + &store_text(flow, tile)
}

const ITEMS: &str = "items: ptr<function, Items>";

/// The lines for an invocation all of whose items are there, and for one that lacks some.
fn all_or_some(items: u32, all: &str) -> String {
    format!(
        "    if (in_row + ITEMS <= count) {{\n{}    }} else {{\n{}    }}\n",
        each(items, all),
        each(items, &format!("if (in_row + #u < count) {{ {all} }}"))
    )
}

fn load_text(tile: MergeTile) -> String {
    let mut lines = each(tile.items, "(*items).numbers[#] = PAST;");
    if !tile.bare {
        lines += &each(tile.items, "(*items).origins[#] = in_row + #u;");
    }
    lines += "    let at = params.keys_first + first + in_row;\n";
    lines += &all_or_some(tile.items, "(*items).numbers[#] = masked(number(load_key(at + #u)));");
    format!("fn load_items({ITEMS}, first: u32, in_row: u32, count: u32) {{\n{lines}}}\n")
}

/// Sorts an invocation's items, neighbours only being exchanged, and no equals: equal ones stay in order.
fn sort_text(tile: MergeTile) -> String {
    let items = tile.items as usize;
    let mut text = format!("fn sort_items({ITEMS}) {{\n");
    text += &each(tile.items, "let n#_0 = (*items).numbers[#];");
    if !tile.bare {
        text += &each(tile.items, "let o#_0 = (*items).origins[#];");
    }
    let mut version = vec![0; items];
    for round in 0..items {
        for i in (round % 2..items - 1).step_by(2) {
            let (j, a, b) = (i + 1, version[i], version[i + 1]);
            (version[i], version[j]) = (a + 1, b + 1);
            let lines = format!(
                "    let s{i}_{a} = less(n{j}_{b}, n{i}_{a});\n    \
                 let n{i}_{x} = select(n{i}_{a}, n{j}_{b}, s{i}_{a});\n    \
                 let n{j}_{y} = select(n{j}_{b}, n{i}_{a}, s{i}_{a});\n",
                x = a + 1,
                y = b + 1
            );
            text += &lines;
            if !tile.bare {
                writeln!(
                    text,
                    "    let o{i}_{x} = select(o{i}_{a}, o{j}_{b}, s{i}_{a});\n    \
                     let o{j}_{y} = select(o{j}_{b}, o{i}_{a}, s{i}_{a});",
                    x = a + 1,
                    y = b + 1
                )
                .expect("to a string");
            }
        }
    }
    for (item, version) in version.iter().enumerate() {
        writeln!(text, "    (*items).numbers[{item}] = n{item}_{version};").expect("to a string");
        if !tile.bare {
            writeln!(text, "    (*items).origins[{item}] = o{item}_{version};").expect("to a string");
        }
    }
    text + "}\n"
}

fn put_text(tile: MergeTile) -> String {
    let mut lines = each(tile.items, "pool[own + #u] = (*items).numbers[#];");
    if !tile.bare {
        lines += &each(tile.items, "pool_origins[own + #u] = (*items).origins[#];");
    }
    format!("fn put_items({ITEMS}, own: u32) {{\n{lines}}}\n")
}

/// Takes the lesser of two, the first run's of equals, as often as an invocation has items.
fn merge_items_text(tile: MergeTile) -> String {
    let mut lines = "    let an0 = pool[a0];\n    let bn0 = pool[b0];\n".to_string();
    for i in 0..tile.items {
        let mut line = |text: &str| {
            lines += &format!("    {}\n", text.replace('#', &i.to_string()).replace('^', &(i + 1).to_string()));
        };
        line("let by# = (b# < b_end) & ((a# >= a_end) | less(bn#, an#));");
        line("(*items).numbers[#] = select(an#, bn#, by#);");
        if i + 1 < tile.items || !tile.bare {
            line("let at# = select(a#, b#, by#);");
        }
        if !tile.bare {
            line("(*items).origins[#] = pool_origins[at#];");
        }
        if i + 1 < tile.items {
            line("let next# = at# + 1u;");
            line("let n# = pool[next#];");
            line("let a^ = select(next#, a#, by#);");
            line("let b^ = select(b#, next#, by#);");
            line("let an^ = select(n#, an#, by#);");
            line("let bn^ = select(bn#, n#, by#);");
        }
    }
    format!("fn merge_items({ITEMS}, a0: u32, a_end: u32, b0: u32, b_end: u32) {{\n{lines}}}\n")
}

fn store_text(flow: &Flow, tile: MergeTile) -> String {
    let mut stores = vec![];
    if flow.stores[0] > 0 {
        stores.push(match tile.bare {
            true => "store_key(at + #u, key_of((*items).numbers[#]));",
            false => "store_key(at + #u, load_key(params.keys_first + first + (*items).origins[#]));",
        });
    }
    if flow.stores[1] > 0 {
        stores.push(match flow.values {
            Values::Of(_) => "store_value(at + #u, load_value(params.values_first + first + (*items).origins[#]));",
            _ => "store_value(at + #u, (*items).origins[#]);",
        });
    }
    let lines = all_or_some(tile.items, &stores.join(" "));
    format!(
        "fn store_items({ITEMS}, first: u32, in_row: u32, count: u32) {{\n    let at = first + in_row;\n{lines}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};

    fn argsort(rows: usize, length: usize, dtype: DType) -> Sort {
        let leaf = Leaf { source: LeafSource::Slot(0), dtype, len: rows * length, offset: 0, strides: vec![1] };
        let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype }];
        Sort {
            keys: Expression { leaves: vec![leaf], steps, ..Expression::default() },
            payload: Payload::Index,
            rows,
            length,
            descending: false,
            bits: 0..8 * dtype.size() as u32,
            count: None,
            gives_keys: false,
            output: 1,
        }
    }

    #[test]
    fn tiles_fit_devices_and_hold_rows() {
        for (name, mut caps) in Caps::presets().into_iter().chain([("processor", Caps::processor())]) {
            caps.tuning.set("sort_merge", &[8192]).unwrap();
            for (rows, length) in [1, 1000].into_iter().flat_map(|rows| [1, 3, 64, 100, 1000].map(|n| (rows, n))) {
                for dtype in [DType::U32, DType::I64] {
                    let sort = argsort(rows, length, dtype);
                    let tile = MergeTile::choose(&sort, &caps).unwrap_or_else(|| panic!("{name}: {length}"));
                    let bytes = (tile.slots() as u32 + 2) * item_bytes(&sort, tile.bare);
                    let fits = bytes <= caps.workgroup_bytes && tile.workgroup <= caps.workgroup_invocations;
                    let holds = tile.row_lanes(length as u64) <= tile.workgroup as u64;
                    assert!(fits && holds && tile.items.is_power_of_two(), "{name}: {rows} x {length}: {tile:?}");
                }
            }
            let most = MergeTile::choose(&argsort(1, 4000, DType::F32), &caps);
            assert_eq!(most.is_some(), caps.workgroup_bytes >= 32 << 10, "{name}: {most:?}");
        }
    }
}
