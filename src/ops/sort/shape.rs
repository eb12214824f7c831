//! How a sort is laid over a device: the workgroup, and the tile of keys that it orders at a time.

use crate::caps::Caps;

/// Bits of a digit, and its values.
pub(super) const DIGIT: u32 = 8;
pub(super) const BINS: u64 = 1 << DIGIT;

/// What was tuned.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    /// Invocations of a workgroup, the best first: the first that fits is taken.
    workgroups: &'static [u32],
    /// Keys of an invocation, of one word and of two.
    items: [u32; 2],
    /// Looks at a tile that has published nothing, before it is counted by another.
    spins: u32,
    /// Keys that an invocation of the histogram loads at once.
    unroll: u32,
    /// Workgroups of the histogram, at most.
    histogram_groups: u64,
}

const TUNING: Tuning =
    Tuning { workgroups: &[512, 256, 128, 64, 32], items: [16, 8], spins: 64, unroll: 8, histogram_groups: 2112 };

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
    /// The largest workgroup that the device's memory allows, with subgroups if they leave one of 64 at least.
    pub fn new(caps: &Caps, key_words: u32) -> Shape {
        let sizes = caps.subgroups.filter(|&(least, most)| least >= 4 && most <= 128);
        let shape = |workgroup: u32, subgroups| Shape {
            workgroup,
            items: TUNING.items[key_words as usize - 1],
            subgroups,
            spins: TUNING.spins,
            unroll: TUNING.unroll,
            histogram_groups: TUNING.histogram_groups,
        };
        let with = TUNING.workgroups.iter().filter(|&&size| size >= 64 && sizes.is_some_and(|(_, most)| size >= most));
        let all = with.map(|&size| shape(size, sizes)).chain(TUNING.workgroups.iter().map(|&size| shape(size, None)));
        let mut fitting =
            all.filter(|s| s.workgroup <= caps.workgroup_invocations && s.workgroup_bytes() <= caps.workgroup_bytes);
        fitting.next().unwrap_or_else(|| shape(32, None))
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
            for words in [1, 2] {
                let shape = Shape::new(&caps, words);
                assert!(shape.workgroup_bytes() <= caps.workgroup_bytes, "{name}: {shape:?}");
                assert!(shape.workgroup >= 64 && shape.workgroup <= caps.workgroup_invocations, "{name}: {shape:?}");
                assert_eq!(shape.subgroups.is_some(), caps.subgroups.is_some(), "{name}: {shape:?}");
            }
        }
    }
}
