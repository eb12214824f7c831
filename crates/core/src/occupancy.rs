//! Occupancy: how many workgroups of a kernel a unit of the device holds at a time, and what limits them.

use crate::caps::Caps;
use std::fmt;

/// What limits the workgroups per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limiter {
    /// The number of workgroups itself.
    Workgroups,
    /// Their invocations.
    Invocations,
    /// The registers of their invocations.
    Registers,
    /// Their workgroup memory.
    WorkgroupMemory,
}

impl Limiter {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Limiter::Workgroups => "workgroups",
            Limiter::Invocations => "invocations",
            Limiter::Registers => "registers",
            Limiter::WorkgroupMemory => "workgroup memory",
        }
    }
}

/// How much of a device the workgroups of a kernel fill. A unit runs workgroups: it is a multiprocessor (CUDA), compute
/// unit (AMD), core (Apple, Intel), or a thread of the processor.
///
/// Higher occupancy is not always faster: it hides the latency of memory, but leaves each invocation fewer registers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Workgroups that a unit holds at a time.
    pub workgroups_per_unit: u32,
    /// Invocations in those.
    pub invocations_per_unit: u32,
    /// Units of the device, where that is known.
    pub units: Option<u32>,
    /// The fraction of a unit's maximum invocations that these workgroups fill: 0 to 1.
    pub fraction: f64,
    /// The resource that a unit runs out of first.
    pub limited_by: Limiter,
    /// Whether it is an estimate from the device's limits; else it is the driver's own figure for the compiled kernel.
    pub estimated: bool,
}

impl Occupancy {
    /// An estimate for a device of unknown units.
    #[doc(hidden)]
    pub fn new(workgroups_per_unit: u32, invocations_per_unit: u32, fraction: f64, limited_by: Limiter) -> Occupancy {
        let (units, estimated) = (None, true);
        Occupancy { workgroups_per_unit, invocations_per_unit, units, fraction, limited_by, estimated }
    }
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Occupancy { workgroups_per_unit, invocations_per_unit, fraction, limited_by, .. } = self;
        let percent = 100.0 * fraction;
        write!(f, "{workgroups_per_unit} workgroups, {invocations_per_unit} invocations a unit: {percent:.0} %")?;
        write!(f, ", limited by {}", limited_by.name())?;
        if let Some(units) = self.units {
            write!(f, ", {units} units")?;
        }
        if self.estimated { write!(f, " (estimated)") } else { Ok(()) }
    }
}

/// Workgroups of the largest size, and with the most memory, that a unit of a GPU is taken to hold: two, as it does on
/// most (NVIDIA 1.5 or 2 times 1024 invocations, AMD 2 times 1024, and as much for memory or more).
const LARGEST: u32 = 2;
/// Workgroups that a unit of a GPU is taken to hold: as NVIDIA's do since 2020, some of which hold 16 or 24.
const WORKGROUPS: u32 = 32;

/// An estimate from the device's limits, of workgroups of `size` invocations with `memory` bytes of workgroup memory.
pub fn estimate(caps: &Caps, size: u32, memory: u32) -> Occupancy {
    let subgroup = caps.subgroups.map_or(1, |(_, largest)| largest).max(1);
    let most = caps.workgroup_invocations * LARGEST;
    of(
        size,
        most,
        [
            (Limiter::Invocations, most / size.next_multiple_of(subgroup).max(1)),
            (Limiter::WorkgroupMemory, (caps.workgroup_bytes * LARGEST).checked_div(memory).unwrap_or(u32::MAX)),
            (Limiter::Workgroups, WORKGROUPS),
        ],
    )
}

/// From how many workgroups each limit allows.
pub fn of<const N: usize>(size: u32, most: u32, limits: [(Limiter, u32); N]) -> Occupancy {
    let (limited_by, allowed) = limits.into_iter().min_by_key(|limit| limit.1).expect("there are limits");
    let workgroups = allowed.max(1);
    let invocations = (workgroups * size).min(most.max(size));
    Occupancy {
        workgroups_per_unit: workgroups,
        invocations_per_unit: invocations,
        units: None,
        fraction: invocations as f64 / most.max(size).max(1) as f64,
        limited_by,
        estimated: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::Caps;

    #[test]
    fn the_scarcest_limits() {
        let caps = Caps::nvidia_like();
        let small = estimate(&caps, 32, 0);
        assert_eq!((small.workgroups_per_unit, small.limited_by, small.fraction), (32, Limiter::Workgroups, 0.5));
        let full = estimate(&caps, 256, 0);
        assert_eq!((full.workgroups_per_unit, full.limited_by, full.fraction), (8, Limiter::Invocations, 1.0));
        let memory = estimate(&caps, 256, caps.workgroup_bytes);
        assert_eq!((memory.workgroups_per_unit, memory.limited_by), (2, Limiter::WorkgroupMemory));
        let odd = estimate(&caps, 33, 0);
        assert_eq!((odd.workgroups_per_unit, odd.limited_by), (32, Limiter::Invocations), "it takes the place of 64");
    }
}
