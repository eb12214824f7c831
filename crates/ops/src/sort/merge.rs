//! Rows that a workgroup merges: how they are laid over it, and what `shaders/sort_merge.wgsl` leaves open.

use super::wgsl::{Flow, Keys};
use super::{Payload, Sort};
use crate::order::{number_in, words};
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::tuning::Tunable;

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

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        let slots = self.slots() as u32;
        vec![
            ("WORKGROUP", self.workgroup),
            ("ITEMS", self.items),
            ("TILE", slots),
            ("BARE", self.bare as u32),
            ("ORIGINS", if self.bare { 1 } else { slots + 1 }),
        ]
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

    /// `key_of(number, first, origin)`: a bare item's key, of integers, is told from its number.
    fn key_text(&self, tile: MergeTile) -> String {
        let dtype = self.dtype;
        let all = if dtype == DType::Bool { 1 } else { u64::MAX >> (64 - 8 * dtype.size()) };
        let sign = if dtype.class() == Class::Signed { (all >> 1) + 1 } else { 0 };
        let turned = sign ^ if self.descending { all } else { 0 };
        let key = match (tile.bare, words(dtype)) {
            (false, _) => "load_key(params.keys_first + first + origin)".to_string(),
            (true, 2) => format!("number ^ Key({:#x}u, {:#x}u)", turned as u32, (turned >> 32) as u32),
            (true, _) => format!("number ^ {turned:#x}u"),
        };
        format!("fn key_of(number: Key, first: u32, origin: u32) -> Key {{ return {key}; }}\n")
    }
}

/// What `shaders/sort_merge.wgsl` leaves open of keys and values.
pub(super) fn merge_text(keys: &Keys, flow: &Flow, tile: MergeTile) -> String {
    keys.order_text() + &keys.key_text(tile) + &flow.values.of_origin("origin")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, StepKind};

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
            caps.tuning.set(crate::tunable("sort_merge").unwrap(), &[8192]).unwrap();
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
