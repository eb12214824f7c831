//! How the search for the first k is laid over a device.

use crosslane_core::caps::Caps;

/// The shape of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub workgroup: u32,
    /// Elements that an invocation compares at a time.
    pub items: u32,
    /// Items that the list in workgroup memory holds.
    pub list: u32,
}

/// What one workgroup takes whole, and of a row that several share at least. Not measured against others.
pub(super) const ALONE: u64 = 16 << 10;
const LEAST: u64 = 8 << 10;
/// Workgroups that fill a device: eight for each of an H200's processors.
pub(super) const GROUPS: u64 = 1056;
/// Rows from this length on have a sample taken first, if all together are as long as `SAMPLED_ALL` or lie in several
/// windows.
const SAMPLED: u64 = 1 << 18;
const SAMPLED_ALL: u64 = 1 << 21;
/// At most one element in this many; and how many are expected to be not after the bound: k times that. H200, 100 of
/// 2^26 i32, Vulkan and CUDA, GB/s: 256 and 2^15: 1944, 2119; 128 and 2^14: 1908, 2063.
const SPARSE: u64 = 256;
const EXPECTED: u64 = 1 << 15;
/// Workgroups that look at a sample of a row.
pub(super) const SAMPLE_PARTS: u64 = 64;

impl Shape {
    /// For items of this many words, of which the first k are wanted, where a bound lets few into the list: several
    /// workgroups on a processor read.
    pub fn lean(caps: &Caps, words: u32, k: u64) -> Shape {
        let items = if caps.short_vectors() { 4 } else { 16 };
        let list = (4 * k).next_power_of_two().clamp(1024, 4096) as u32;
        let most = Shape::most_list(caps, words);
        Shape { workgroup: caps.workgroup(), items, list: list.min(most) }
    }

    /// For rows that one workgroup takes alone: no more invocations than have something to do.
    pub fn alone(caps: &Caps, words: u32, k: u64, length: u64) -> Shape {
        let lean = Shape::lean(caps, words, k);
        let workgroup = if length <= 2048 { lean.workgroup.min(128) } else { lean.workgroup };
        let items = length.div_ceil(workgroup as u64).next_power_of_two().min(lean.items as u64) as u32;
        Shape { workgroup, items, ..lean }
    }

    /// Where all that is read first goes into the list: as long a list as can be, filled at once.
    pub fn wide(caps: &Caps, words: u32) -> Shape {
        let list = Shape::most_list(caps, words);
        let most = if caps.short_vectors() { 256 } else { 1024 };
        let workgroup = most.min(1 << caps.workgroup_invocations.ilog2());
        Shape { workgroup, items: (list / workgroup).clamp(1, 32), list }
    }

    /// The longest list that fits: a power of two.
    pub fn most_list(caps: &Caps, words: u32) -> u32 {
        let room = caps.workgroup_bytes / 4 - 256 - 16 - 4;
        (1u32 << (room / words).ilog2()).min(4096)
    }

    /// Elements that a workgroup compares at a time.
    pub fn tile(&self) -> u64 {
        self.workgroup as u64 * self.items as u64
    }
}

/// Workgroups that share a row, for this many rows.
pub(super) fn parts(rows: u64, length: u64, k: u64) -> u64 {
    if length <= ALONE {
        return 1;
    }
    length.div_ceil(LEAST.max(16 * k)).min(GROUPS.div_ceil(rows))
}

/// A sample has one element in this many; `None`: there is none.
pub(super) fn sample(rows: u64, length: u64, k: u64, in_windows: bool) -> Option<u64> {
    let sparse = 1 << SPARSE.min(EXPECTED / k).max(1).ilog2();
    let long = length >= SAMPLED && (rows * length >= SAMPLED_ALL || in_windows);
    (long && sparse >= 8).then_some(sparse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_k_elements() {
        for power in 18..32 {
            for k in (0..=11).map(|power| 1 << power) {
                if let Some(sparse) = sample(1 << 5, 1 << power, k, false) {
                    assert!((1 << power) / (256 * sparse) * 256 >= k, "{k} of 2^{power}");
                }
            }
        }
    }

    #[test]
    fn lists_fit() {
        for (name, caps) in Caps::presets() {
            for words in [2, 3] {
                let alone = Shape::alone(&caps, words, 7, 1000);
                for shape in [Shape::lean(&caps, words, 1 << 11), Shape::wide(&caps, words), alone] {
                    assert!((shape.list * words + 276) * 4 <= caps.workgroup_bytes && shape.list >= 1024, "{name}");
                    // A processor's workgroup is a thread's vectors.
                    let least = caps.workgroup().min(64);
                    assert!((least..=caps.workgroup_invocations).contains(&shape.workgroup), "{name}");
                }
            }
        }
    }
}
