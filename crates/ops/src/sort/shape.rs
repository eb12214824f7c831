//! How a sort is laid over a device: the workgroup, and the tile of keys that it orders at a time.

use crosslane_core::caps::Caps;
use crosslane_core::tuning::Tunable;

/// Bits of a digit, and its values.
pub(super) const DIGIT: u32 = 8;
pub(super) const BINS: u64 = 1 << DIGIT;

const SIZES: &[&str] = &["invocations", "items", "turns"];

/// H200, 2^26 u32, 2026-11-22, Gkeys/s through Vulkan (CUB: 46.9): 256 x 32 in two turns: 42.1, in one: 30.2;
/// 256 x 24 in two: 37.1; 384 x 22 in two: 30.1; 384 x 14: 33.5; 512 x 22: 35.2, in two: 34.9; 704 x 16: 33.5.
pub(crate) const KEYS: Tunable = Tunable {
    name: "sort_keys",
    numbers: SIZES,
    candidates: &[
        &[256, 32, 2],
        &[256, 32, 1],
        &[256, 24, 2],
        &[256, 16, 1],
        &[384, 14, 1],
        &[512, 14, 1],
        &[512, 22, 1],
        &[512, 22, 2],
    ],
};
/// With values of a word (CUB: 30.6): 256 x 24 in two turns: 29.9; 256 x 32 in two: 23.8; 384 x 14: 27.5; 512 x 22: 27.5.
pub const PAIRS: Tunable = Tunable {
    name: "sort_pairs",
    numbers: SIZES,
    candidates: &[
        &[256, 24, 2],
        &[256, 20, 1],
        &[256, 16, 1],
        &[256, 32, 2],
        &[384, 14, 1],
        &[512, 14, 1],
        &[512, 22, 1],
    ],
};
/// Keys or values of two words: u64 keys, 2^26, Gkeys/s through Vulkan and CUDA: 256 x 20 in two turns: 14.1, 13.5; 256 x 16
/// in one: 12.3, 12.2.
pub const WIDE: Tunable = Tunable {
    name: "sort_wide",
    numbers: SIZES,
    candidates: &[&[256, 20, 2], &[256, 16, 1], &[256, 12, 1], &[256, 16, 2], &[256, 24, 2], &[384, 12, 1]],
};
/// Short rows, which pass through workgroup memory at once: keys, with values, and of two words.
const ROWS: [&[u32]; 3] = [&[256, 32, 1], &[256, 20, 1], &[256, 16, 1]];
/// Items of an invocation where all rows together fill no more: eight times as many take four times as long on the cpu engine.
const FEW_ITEMS: [u32; 2] = [2, 8];
/// Where there is too little memory for these: the first that fits.
const SMALLER: [&[u32]; 5] = [&[256, 16, 1], &[256, 12, 1], &[128, 16, 1], &[64, 16, 1], &[32, 16, 1]];

/// Registers of an invocation for each item beside its words, and beside all items. Intel's compiler in Mesa 26.1 took 236 for 32 keys of
/// a word, Apple's 170 for 24 keys with values.
const RANK_REGISTERS: u32 = 4;
const OTHER_REGISTERS: u32 = 40;

/// Looks at a tile that has published nothing, before it is counted by another. 16 and 64 are alike on the H200.
const SPINS: u32 = 64;
/// Keys that an invocation of the histogram loads at once, and workgroups of it at most. H200, as above, 8 and 2112:
/// 129 us, 16 and 1056: 131, 4 and 528: 134. It is bound by the banks of workgroup memory.
const UNROLL: u32 = 8;
const HISTOGRAM_GROUPS: u64 = 2112;

/// The shape of the kernels that rank keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub workgroup: u32,
    pub items: u32,
    /// Smallest and largest size of the subgroups that rank; `None`: without.
    pub subgroups: Option<(u32, u32)>,
    pub spins: u32,
    pub unroll: u32,
    /// Turns that an exchange through workgroup memory takes: more need less memory.
    pub turns: u32,
    pub histogram_groups: u64,
}

impl Shape {
    /// The shape of passes over long rows. Words of a key, and of a value: 0 if there are none.
    pub fn passes(caps: &Caps, key_words: u32, value_words: u32) -> Shape {
        let wanted = caps.tuning.get([&KEYS, &PAIRS, &WIDE][kind(key_words, value_words)]);
        Shape::best(caps, wanted, key_words + value_words)
    }

    /// The shape for rows that fit a tile, if these do, of this many elements in all: words as above.
    pub fn rows(caps: &Caps, key_words: u32, value_words: u32, elements: u64) -> Shape {
        let shape = Shape::best(caps, ROWS[kind(key_words, value_words)], key_words + value_words);
        let holds = |items: &u32| *items <= shape.items && shape.workgroup as u64 * *items as u64 >= elements;
        Shape { items: FEW_ITEMS.into_iter().find(holds).unwrap_or(shape.items), ..shape }
    }

    /// The first that fits, with subgroups if they leave a workgroup of 64 at least, for items of so many words.
    fn best(caps: &Caps, wanted: &'static [u32], words: u32) -> Shape {
        let sizes: Vec<(u32, u32, u32)> =
            [&[wanted], &SMALLER[..]].concat().iter().map(|size| (size[0], size[1], size[2])).collect();
        let subgroups = caps.subgroups.filter(|&(least, most)| least >= 4 && most <= 128);
        let held = caps.registers.saturating_sub(OTHER_REGISTERS) / (words + RANK_REGISTERS);
        let (most_items, unroll) = if caps.short_vectors() { (4, 2) } else { ((held / 4 * 4).max(4), UNROLL) };
        let shape = |(workgroup, items, turns): (u32, u32, u32), subgroups| Shape {
            workgroup,
            items: items.min(most_items),
            subgroups,
            spins: SPINS,
            unroll,
            turns: if caps.short_vectors() { 1 } else { turns },
            histogram_groups: HISTOGRAM_GROUPS,
        };
        let with = subgroups.map(|(_, most)| sizes.iter().filter(move |size| size.0 >= most.max(64)));
        let with = with.into_iter().flatten().map(|&size| shape(size, subgroups));
        let fits = |s: &Shape| s.workgroup <= caps.workgroup_invocations && s.workgroup_bytes() <= caps.workgroup_bytes;
        // Ranks without subgroups need three times the memory, which turns do not shrink.
        let without = sizes.iter().filter(|size| size.2 == 1).map(|&size| shape(size, None));
        with.chain(without).find(fits).unwrap_or(shape((32, 16, 1), None))
    }

    /// Keys that a workgroup orders at a time.
    pub fn tile(&self) -> u64 {
        self.workgroup as u64 * self.items as u64
    }

    /// Groups of invocations that rank together, at most.
    pub fn teams(&self) -> u32 {
        self.workgroup / self.subgroups.map_or(32, |(least, _)| least)
    }

    /// Words of workgroup memory for the counters of each team, then for a tile.
    pub fn pool(&self) -> u32 {
        let sets = if self.subgroups.is_some() { 1 } else { 3 };
        (self.teams() * sets * BINS as u32).max(self.tile() as u32 / self.turns)
    }

    /// Turns that a workgroup takes to have an invocation for each digit.
    pub fn strips(&self) -> u32 {
        (BINS as u32).div_ceil(self.workgroup)
    }

    /// The first word of a published prefix: below are counts of a tile.
    pub fn prefix(&self) -> u32 {
        self.tile() as u32 + 2
    }

    fn workgroup_bytes(&self) -> u32 {
        let sums = if self.subgroups.is_some() { self.teams() } else { self.workgroup };
        (self.pool() + 2 * BINS as u32 + sums + 4) * 4
    }
}

/// Keys alone, with values of a word too, or of two words.
fn kind(key_words: u32, value_words: u32) -> usize {
    match (key_words.max(value_words), value_words) {
        (1, 0) => 0,
        (1, _) => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_has_a_shape_that_fits() {
        for (name, caps) in Caps::presets() {
            for (keys, values) in [(1, 0), (1, 1), (2, 0), (1, 2)] {
                let rows = [10, 1000, 100_000].map(|elements| Shape::rows(&caps, keys, values, elements));
                assert!(rows[0].tile() < rows[1].tile() || caps.short_vectors(), "{name}");
                assert!(rows[1].tile() <= rows[2].tile(), "{name}");
                for shape in [vec![Shape::passes(&caps, keys, values)], rows.to_vec()].concat() {
                    assert!(shape.workgroup_bytes() <= caps.workgroup_bytes, "{name}: {shape:?}");
                    assert!(
                        shape.workgroup >= 64 && shape.workgroup <= caps.workgroup_invocations,
                        "{name}: {shape:?}"
                    );
                    assert_eq!(shape.subgroups.is_some(), caps.subgroups.is_some(), "{name}: {shape:?}");
                    assert!(shape.items.is_multiple_of(shape.turns), "{name}: {shape:?}");
                }
            }
        }
    }
}
