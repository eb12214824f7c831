//! Profiles of hardware that the cpu engine can simulate.

use crosslane_core::caps::{Caps, LANES};

/// In which order the workgroups of a launch run. Kernels may not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkgroupOrder {
    /// By number, several side by side.
    Ascending,
    /// The last first, several side by side.
    Descending,
    /// Shuffled by a seed, several side by side.
    Shuffled(u64),
    /// By number, each begun when the one before has ended: a workgroup that waits for a later one waits for ever.
    OneAtATime,
}

impl WorkgroupOrder {
    /// Which of `count` workgroups is the `n`th.
    pub(super) fn nth(self, n: u64, count: u64) -> u64 {
        match self {
            WorkgroupOrder::Ascending | WorkgroupOrder::OneAtATime => n,
            WorkgroupOrder::Descending => count - 1 - n,
            WorkgroupOrder::Shuffled(seed) => {
                // A Feistel network over the next even power of two, walked until it lands inside (Black and Rogaway, 2002).
                let half = (64 - count.leading_zeros()).div_ceil(2);
                let mask = (1u64 << half) - 1;
                let mut at = n;
                loop {
                    let (mut left, mut right) = (at >> half, at & mask);
                    for round in 0..4u64 {
                        let mixed = (right ^ seed.rotate_left(round as u32 * 13)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                        (left, right) = (right, left ^ ((mixed >> 32) + round) & mask);
                    }
                    at = left << half | right;
                    if at < count {
                        return at;
                    }
                }
            }
        }
    }
}

/// A class of hardware that `crosslane::Device::cpu_as` simulates: limits, features, subgroup size, and the order of
/// workgroups. The presets have their class's public limits; every field can be changed.
///
/// ```
/// use crosslane::Device;
/// use crosslane::cpu::{WorkgroupOrder, Profile};
/// let device = Device::cpu_as(Profile { order: WorkgroupOrder::Shuffled(7), ..Profile::apple_like() })?;
/// assert_eq!(device.caps().subgroups, Some((32, 32)));
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// What plans see.
    pub caps: Caps,
    /// Invocations of a subgroup: a power of two from 4 to 128.
    pub subgroup: u32,
    /// The order of workgroups.
    pub order: WorkgroupOrder,
}

/// The processor as `Device::open` gives it.
impl Default for Profile {
    fn default() -> Profile {
        if super::compiles() { Profile::compiled() } else { Profile::native() }
    }
}

impl Profile {
    /// The processor with an interpreter: large limits, every feature.
    pub fn native() -> Profile {
        Profile { name: "native", caps: Caps::processor(), subgroup: 32, order: WorkgroupOrder::Ascending }
    }

    /// The processor with compiled kernels, which `Device::open` gives as `cpu`: workgroups are a
    /// thread's vectors.
    pub fn compiled() -> Profile {
        Profile { name: "compiled", caps: Caps::compiled(), subgroup: LANES, order: WorkgroupOrder::Ascending }
    }

    /// What every WebGPU implementation has.
    pub fn webgpu() -> Profile {
        Profile { name: "webgpu", caps: Caps::webgpu(), subgroup: 4, order: WorkgroupOrder::Descending }
    }

    /// A large NVIDIA card: subgroups of 32.
    pub fn nvidia_like() -> Profile {
        Profile { name: "nvidia-like", caps: Caps::nvidia_like(), subgroup: 32, order: WorkgroupOrder::Ascending }
    }

    /// An AMD card: subgroups of 64.
    pub fn amd_like() -> Profile {
        Profile { name: "amd-like", caps: Caps::amd_like(), subgroup: 64, order: WorkgroupOrder::Shuffled(1) }
    }

    /// An AMD card of the kind that prefers subgroups of 32.
    pub fn amd_32_like() -> Profile {
        Profile { name: "amd-32-like", caps: Caps::amd_like(), subgroup: 32, order: WorkgroupOrder::Descending }
    }

    /// An Intel GPU: subgroups of 8, 16 or 32, as the compiler likes; here 16.
    pub fn intel_like() -> Profile {
        Profile { name: "intel-like", caps: Caps::intel_like(), subgroup: 16, order: WorkgroupOrder::Shuffled(2) }
    }

    /// An Apple GPU: subgroups of 32, and no workgroup can rely on another to go on.
    pub fn apple_like() -> Profile {
        Profile { name: "apple-like", caps: Caps::apple_like(), subgroup: 32, order: WorkgroupOrder::OneAtATime }
    }

    /// A phone: small limits.
    pub fn mobile_like() -> Profile {
        Profile { name: "mobile-like", caps: Caps::mobile_like(), subgroup: 128, order: WorkgroupOrder::OneAtATime }
    }

    /// A software driver: subgroups of 8.
    pub fn software_like() -> Profile {
        Profile { name: "software-like", caps: Caps::software_like(), subgroup: 8, order: WorkgroupOrder::Shuffled(3) }
    }

    /// Every preset.
    pub fn presets() -> Vec<Profile> {
        vec![
            Profile::native(),
            Profile::compiled(),
            Profile::webgpu(),
            Profile::nvidia_like(),
            Profile::amd_like(),
            Profile::amd_32_like(),
            Profile::intel_like(),
            Profile::apple_like(),
            Profile::mobile_like(),
            Profile::software_like(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::WorkgroupOrder;

    #[test]
    fn every_order_is_a_permutation() {
        for order in [
            WorkgroupOrder::Ascending,
            WorkgroupOrder::Descending,
            WorkgroupOrder::OneAtATime,
            WorkgroupOrder::Shuffled(1),
            WorkgroupOrder::Shuffled(99),
        ] {
            for count in [1u64, 2, 3, 5, 16, 17, 1000] {
                let mut seen: Vec<u64> = (0..count).map(|n| order.nth(n, count)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>(), "{order:?} of {count}");
            }
        }
        let shuffled: Vec<u64> = (0..100).map(|n| WorkgroupOrder::Shuffled(5).nth(n, 100)).collect();
        assert!(shuffled.windows(2).filter(|w| w[1] == w[0] + 1).count() < 20, "{shuffled:?}");
    }
}
