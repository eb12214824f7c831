//! How a sort is laid over a device: the workgroup, and the tile of keys that it orders at a time.

use crate::caps::Caps;

/// Bits of a digit, and its values.
pub(super) const DIGIT: u32 = 8;
pub(super) const BINS: u64 = 1 << DIGIT;

/// Invocations of a workgroup and keys of each: the first that fits the device's memory is taken.
type Sizes = [(u32, u32); 5];

/// H200, 2^26 u32, 2026-11-22, us a pass through Vulkan and CUDA (CUB: 320): 256 x 16: 539, 477; 256 x 20: 468, 503;
/// 256 x 24: 581, 460; 256 x 32: 495, 396; 384 x 24: 473, 540; 512 x 16: 508, 578; 512 x 22: 466, 516.
const KEYS: Sizes = [(256, 32), (256, 16), (128, 16), (64, 16), (32, 16)];
/// With values of a word, 256 x 20: 573 (reckoned from a card that had slowed down), 595; 256 x 32: -, 673;
/// 384 x 24: -, 656; 512 x 16: 657, 769.
const PAIRS: Sizes = [(256, 20), (256, 16), (128, 16), (64, 16), (32, 16)];
/// Keys or values of two words: not measured.
const WIDE: Sizes = [(256, 16), (256, 12), (128, 12), (64, 12), (32, 12)];

/// Looks at a tile that has published nothing, before it is counted by another. 16 and 64 are alike on the H200.
const SPINS: u32 = 64;
/// Keys that an invocation of the histogram loads at once, and workgroups of it at most. H200, as above, 8 and 2112:
/// 129 us, 16 and 1056: 131, 4 and 528: 134. It is bound by the banks of workgroup memory.
const UNROLL: u32 = 8;
const HISTOGRAM_GROUPS: u64 = 2112;

/// The shape of the kernels that rank keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub workgroup: u32,
    pub items: u32,
    /// Smallest and largest size of the subgroups that rank; `None`: without.
    pub subgroups: Option<(u32, u32)>,
    pub spins: u32,
    pub unroll: u32,
    pub histogram_groups: u64,
}

impl Shape {
    /// The best that fits, with subgroups if they leave a workgroup of 64 at least. Words of a key, and of a value: 0 if
    /// there are none.
    pub fn new(caps: &Caps, key_words: u32, value_words: u32) -> Shape {
        let sizes = match (key_words.max(value_words), value_words) {
            (1, 0) => KEYS,
            (1, _) => PAIRS,
            _ => WIDE,
        };
        let subgroups = caps.subgroups.filter(|&(least, most)| least >= 4 && most <= 128);
        let (most_items, unroll) = if caps.short_vectors() { (4, 2) } else { (u32::MAX, UNROLL) };
        let shape = |(workgroup, items): (u32, u32), subgroups| Shape {
            workgroup,
            items: items.min(most_items),
            subgroups,
            spins: SPINS,
            unroll,
            histogram_groups: HISTOGRAM_GROUPS,
        };
        let with = subgroups.map(|(_, most)| sizes.iter().filter(move |size| size.0 >= most.max(64)));
        let with = with.into_iter().flatten().map(|&size| shape(size, subgroups));
        let fits = |s: &Shape| s.workgroup <= caps.workgroup_invocations && s.workgroup_bytes() <= caps.workgroup_bytes;
        let without = sizes.iter().map(|&size| shape(size, None));
        with.chain(without).find(fits).unwrap_or(shape(sizes[4], None))
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
        (self.teams() * sets * BINS as u32).max(self.tile() as u32)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_has_a_shape_that_fits() {
        for (name, caps) in Caps::presets() {
            for (keys, values) in [(1, 0), (1, 1), (2, 0), (1, 2)] {
                let shape = Shape::new(&caps, keys, values);
                assert!(shape.workgroup_bytes() <= caps.workgroup_bytes, "{name}: {shape:?}");
                assert!(shape.workgroup >= 64 && shape.workgroup <= caps.workgroup_invocations, "{name}: {shape:?}");
                assert_eq!(shape.subgroups.is_some(), caps.subgroups.is_some(), "{name}: {shape:?}");
            }
        }
    }
}
