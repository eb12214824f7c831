//! Advice about launches, and about workgroup sizes.

use super::Device;
use crosslane_core::advice::{Advice, Reason};
use crosslane_core::kernel::{Access, Reflection, UnportableKind};
use crosslane_core::memory::Memory;
use crosslane_core::work::Launch;

/// Bytes of a launch that are worth spreading over the whole device.
const LARGE: u64 = 4 << 20;
/// Invocations past which idle ones are worth a word.
const MANY: u64 = 1024;
/// Bytes whose way to the device and back is worth a word.
const COPIED: u64 = 64 << 10;

/// Says what is to be said about a launch of a program's kernel, and notes what it does with its memory.
pub(crate) fn look_at(device: &Device, launch: &Launch) {
    for (point, window) in launch.kernel.bindings().iter().zip(&launch.buffers) {
        let history = &window.memory.history;
        match point.access {
            Access::Write => history.note_write(),
            Access::Read => history.note_read(&launch.kernel),
        }
    }
    let advice = &device.driver().observer().advice;
    if let Some(reflection) = launch.kernel.reflection().filter(|_| advice.on()) {
        few_workgroups(device, launch, reflection, advice);
        partial_subgroups(device, launch, reflection, advice);
        old_immediates(launch, reflection, advice);
    }
}

/// A text with wgpu's older name of the immediates.
fn old_immediates(launch: &Launch, reflection: &Reflection, advice: &Advice) {
    let old = reflection.unportable.iter().find(|found| found.kind == UnportableKind::PushConstant);
    if let Some(old) = old {
        advice.say(&launch.kernel, Reason::PushConstant, || old.to_string());
    }
}

fn workgroups(device: &Device, launch: &Launch) -> u64 {
    launch.grid.fold(device.caps().grid).iter().map(|&count| count as u64).product()
}

fn invocations(reflection: &Reflection) -> u32 {
    reflection.workgroup_size.iter().product()
}

/// A grid that leaves a part of the device idle, though there is much to do.
fn few_workgroups(device: &Device, launch: &Launch, reflection: &Reflection, advice: &Advice) {
    let (groups, bytes) = (workgroups(device, launch), launch.cost().bytes);
    let units = device.driver().units();
    // Where the number is unknown, at least two are assumed.
    if groups == 0 || groups >= units.unwrap_or(2) as u64 || bytes < LARGE {
        return;
    }
    advice.say(&launch.kernel, Reason::FewWorkgroups, || {
        let name = device.properties().label();
        let have = match units {
            Some(units) => format!("{units} units, of which each runs one at least"),
            None => "room for more".into(),
        };
        format!(
            "{groups} workgroups of {} invocations for {bytes} bytes, but {name} has {have}; launch more workgroups, \
             each for a smaller part of the data",
            invocations(reflection)
        )
    });
}

/// Workgroups that are no whole number of subgroups: the last one runs with idle invocations.
fn partial_subgroups(device: &Device, launch: &Launch, reflection: &Reflection, advice: &Advice) {
    let Some((subgroup, _)) = device.caps().subgroups else { return };
    let size = invocations(reflection);
    if subgroup == 0 || size.is_multiple_of(subgroup) || workgroups(device, launch) * (size as u64) < MANY {
        return;
    }
    advice.say(&launch.kernel, Reason::PartialSubgroups, || {
        let whole = size.next_multiple_of(subgroup);
        format!(
            "workgroups of {size} invocations, but {} runs them in subgroups of {subgroup}: {} of {whole} places stay \
             idle; take a multiple of {subgroup}, as {} does",
            device.properties().label(),
            whole - size,
            "@workgroup_size(Device::suggest_workgroup_size(elements))"
        )
    });
}

/// Says that memory that the host has just read held what the host had written.
pub(crate) fn read_back(device: &Device, memory: &Memory) {
    let Some(kernel) = memory.history.unchanged().filter(|_| memory.bytes() >= COPIED) else { return };
    device.driver().observer().advice.say(kernel, Reason::CopiedBack, || {
        format!(
            "an array of about {} bytes was uploaded, only read by the kernel, and downloaded again as it was; keep the \
             host's copy, or read what the kernel wrote",
            memory.bytes()
        )
    });
}

impl Device {
    /// Switches advice on or off; it is on by default. Advice about launches of a program's kernels is logged by the
    /// `log` crate as warnings with the target `crosslane::advice`, once for each kernel and reason:
    ///
    /// | warning | when |
    /// |---|---|
    /// | few workgroups | 4 MiB of data or more, and fewer workgroups than the device has units (multiprocessors, or threads) |
    /// | idle places | workgroups that are no multiple of the subgroup size |
    /// | copied both ways | an array of 64 KiB or more was uploaded, only read by kernels, and downloaded again |
    /// | long launches | where [`DeviceOptions::slice`](crate::DeviceOptions::slice) is on: a launch took longer |
    /// | strided access | on a device that checks: neighbouring invocations touch memory 128 bytes apart or more |
    ///
    /// A launch without advice costs a few nanoseconds more.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// device.set_advice(false);
    /// # device.set_advice(true);
    /// # Ok(()) });
    /// ```
    pub fn set_advice(&self, on: bool) {
        self.driver().observer().advice.set(on);
    }

    /// A good workgroup size for a kernel with one element per invocation, as tutorials recommend:
    ///
    /// | elements | invocations of a workgroup |
    /// |---|---|
    /// | up to 1,000 | 64 |
    /// | up to 100,000 | 256 |
    /// | more | 256 |
    ///
    /// and from there a multiple of the device's largest subgroup, within its limit. Small grids then still have
    /// several workgroups, and large grids fill the device whatever the register count. Launch at least one workgroup
    /// per unit of the device; two or more hide latency. What else to try: 128 and 512;
    /// [`Kernel::occupancy`](crate::Kernel::occupancy) says what limits a kernel.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let size = device.suggest_workgroup_size(1_000_000);
    /// assert!(size <= device.caps().workgroup_invocations);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "block size")]
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn suggest_workgroup_size(&self, elements: usize) -> u32 {
        let (wanted, caps) = (if elements <= 1000 { 64 } else { 256 }, self.caps());
        let most = caps.workgroup_invocations.max(1);
        let subgroup = caps.subgroups.map_or(1, |(_, largest)| largest).clamp(1, most);
        u32::min(wanted, most).next_multiple_of(subgroup).min(most / subgroup * subgroup)
    }
}
