//! Tunables: the variants of operations, and which variant a device uses.

use crate::error::{Error, Result};
use std::fmt;
use std::panic::Location;

/// A choice that an operation has between variants, for instance of a workgroup's size. All variants are correct. Sums
/// of floats may differ in their last bits, since the order of additions differs.
///
/// ```
/// let sort = crosslane::device::tunable("sort_keys")?;
/// assert_eq!(sort.numbers, ["invocations", "items", "turns"]);
/// assert!(sort.candidates.contains(&sort.built_in()));
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct Tunable {
    /// Its name, unique.
    pub name: &'static str,
    /// The names of a candidate's numbers.
    pub numbers: &'static [&'static str],
    /// The variants, each a list of numbers. The first is the default for devices that were not measured.
    pub candidates: &'static [&'static [u32]],
}

impl Tunable {
    /// The default for devices that were not measured.
    pub fn built_in(&self) -> &'static [u32] {
        self.candidates[0]
    }
}

/// What engines and drivers take that run kernels on a processor, in the order of the names.
///
/// Transpositions without tiles: a processor's caches serve both orders. 2048 x 2048 f32 on two cores of an EPYC, 2026-11-22, GB/s
/// with tiles and without: llvmpipe 0.25, 0.75; SwiftShader 0.10, 0.43; the cpu engine 0.02, 0.10.
///
/// Merges of rows of up to 8192: a processor's lanes pay for all that a pass by digits counts. Two cores, 2026-11-23, u32, us,
/// by digits and merged: 64 keys 2111 and 12, 4000 keys 2695 and 200, 8000 keys 3480 and 430; 1000 rows of 1000 243,000 and
/// 40,000. llvmpipe: 64 keys 231 and 50, 4000 keys 1340 and 570.
pub const OF_PROCESSOR: [(&str, &[u32]); 2] = [("map_tiled", &[0, 0, 0]), ("sort_merge", &[8192])];

/// What the cpu engine uses, which compiles its own machine code.
///
/// Reductions of four values a step: a group of invocations is four vectors wide, and four loads are under way at once. Sum
/// of 2^22 f32, two cores of an EPYC, 2026-11-25, GB/s by 1, 4 and 8 values: 24, 34, 35; column sums 12, 19, 17.
pub(crate) const OF_COMPILED: [(&str, &[u32]); 3] =
    [("map_tiled", &[0, 0, 0]), ("reduce", &[4]), ("sort_merge", &[8192])];

/// What the CUDA engine takes: its compiler is another than the driver's for Vulkan.
pub(crate) const OF_CUDA: [(&str, &[u32]); 1] = [("correlate_sliding", &[1])];

/// The variant of each [`Tunable`] that a device uses. `Device::open` reads the fastest ones
/// that `crosslane tune` found on this device; `DeviceOptions::tuning` overrides them.
///
/// ```
/// use crosslane::{Array, DeviceOptions};
/// use crosslane::device::{Tuning, tunable};
/// let mut tuning = Tuning::default();
/// tuning.set(tunable("sort_keys")?, &[256, 16, 1])?;
/// let device = DeviceOptions::default().tuning(tuning).open("")?;
/// assert_eq!(device.caps().tuning.to_string(), "sort_keys = 256 16 1\n");
/// assert_eq!(Array::from_slice(&device, &[3, 1, 2]).sort().to_vec()?, [1, 2, 3]);
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// In the order of their names.
    chosen: Vec<(&'static str, &'static [u32])>,
}

impl Tuning {
    /// What is built in for engines and drivers that run kernels on a processor.
    #[doc(hidden)]
    pub fn of_processor() -> Tuning {
        Tuning { chosen: OF_PROCESSOR.to_vec() }
    }

    /// The built-in variants of the cpu engine.
    pub(crate) fn of_compiled() -> Tuning {
        Tuning { chosen: OF_COMPILED.to_vec() }
    }

    /// The built-in variants of the CUDA engine.
    #[doc(hidden)]
    pub fn of_cuda() -> Tuning {
        Tuning { chosen: OF_CUDA.to_vec() }
    }

    /// The variant of a tunable that is used.
    pub fn get(&self, tunable: &Tunable) -> &'static [u32] {
        let chosen = self.chosen.iter().find(|(other, _)| *other == tunable.name);
        chosen.map_or(tunable.built_in(), |(_, candidate)| candidate)
    }

    /// Takes this variant of a tunable, in the place of the one before.
    ///
    /// Errors: a variant that is not among its candidates.
    #[track_caller]
    pub fn set(&mut self, tunable: &'static Tunable, numbers: &[u32]) -> Result<()> {
        let wanted = || format!("one of {:?} ({})", tunable.candidates, tunable.numbers.join(", "));
        let candidate = *tunable.candidates.iter().find(|candidate| **candidate == numbers).ok_or_else(|| {
            Error::argument("tuning", tunable.name, wanted(), format!("{numbers:?}"), Location::caller())
        })?;
        self.chosen.retain(|(other, _)| *other != tunable.name);
        let place = self.chosen.partition_point(|(other, _)| *other < tunable.name);
        self.chosen.insert(place, (tunable.name, candidate));
        Ok(())
    }
}

/// A line for each way that was set: `sort_keys = 384 14 1`.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.chosen.iter().try_for_each(|(name, candidate)| {
            let numbers = candidate.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            writeln!(f, "{name} = {numbers}")
        })
    }
}
