//! Long launches of the library's kernels are cut into slices, so that none keeps a device that also drives a screen from it.

use super::{Device, DeviceKind, Properties};
use crosslane_core::advice::Reason;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::kernel::slice::BYTES;
use crosslane_core::memory::{Block, Memory, Place};
use crosslane_core::op::Grid;
use crosslane_core::work::{Cost, Launch, Window, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The budget of a slice on devices that drive a screen, if nothing else is set: three of 60 pictures a second.
const SCREEN: Duration = Duration::from_millis(50);
/// How much slower than the device's roofline a kernel is taken to be.
const SLOWER: f64 = 4.0;
/// What is no more than this is not looked at: it takes any GPU a few ms.
const SMALL: Cost = Cost { bytes: 32 << 20, flops: Some(1 << 29) };
/// Slices of a launch at most.
const MOST: u64 = 256;
/// Bytes from one slice to the next: the most that a device may want of a uniform buffer's offset.
const STRIDE: u64 = 256;

/// The budget of a device for which none is set.
fn budget(properties: &Properties) -> Option<Duration> {
    let is_card = matches!(properties.kind, DeviceKind::Discrete | DeviceKind::Integrated);
    (is_card && drives_screen(properties)).then_some(SCREEN)
}

/// Whether a screen is connected, where the system says so; elsewhere every card may drive one.
fn drives_screen(properties: &Properties) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let Some(bus) = &properties.pci_bus else { return false };
    let entries = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let connectors = entries(&Path::new("/sys/bus/pci/devices").join(bus).join("drm")).flat_map(|card| {
        let all: Vec<_> = entries(&card).collect();
        all
    });
    connectors
        .map(|one| one.join("status"))
        .any(|status| std::fs::read(status).is_ok_and(|is| is.starts_with(b"connected")))
}

/// What a device does about long launches.
#[derive(Default)]
pub(super) struct Slices {
    /// The most that one launch may take.
    pub budget: Option<Duration>,
    /// Launches of programs' kernels, with events before and after, that have not been looked at since.
    timed: Mutex<Vec<(Kernel, [Block; 2])>>,
}

/// Launches of which some are cut, and which of them each became.
pub(crate) struct Sliced {
    pub launches: Vec<Launch>,
    pub parts: Vec<Range<usize>>,
}

/// Launches that are timed at a time.
const MOST_TIMED: usize = 64;

impl Slices {
    /// With a budget, or that of the device if none is set. Which launches are cut depends on a measurement, and kernels in slices
    /// have no substitutes: a deterministic device cuts only what the program asks for.
    pub fn new(set: Option<Duration>, deterministic: bool, properties: &Properties) -> Slices {
        Slices {
            budget: set
                .or_else(|| budget(properties).filter(|_| !deterministic))
                .filter(|&budget| budget < Duration::MAX),
            ..Slices::default()
        }
    }

    /// Never held while the device works.
    fn timed(&self) -> MutexGuard<'_, Vec<(Kernel, [Block; 2])>> {
        self.timed.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Device {
    /// Launches a program's kernel, which is not cut, and times it if it may be too long: [`Device::look_at_times`] says so.
    pub(crate) fn timed(&self, kernel: &Kernel, launch: impl FnOnce() -> Result<()>) -> Result<()> {
        let slices = &self.0.slices;
        let times = slices.budget.is_some() && self.caps().timestamps && self.driver().observer().advice.on();
        if !times || slices.timed().len() >= MOST_TIMED {
            return launch();
        }
        let before = self.driver().record(true)?;
        launch()?;
        let after = self.driver().record(true)?;
        slices.timed().push((kernel.clone(), [before, after]));
        Ok(())
    }

    /// After a wait: names the programs' kernels that took longer than a slice may.
    pub(super) fn look_at_times(&self) {
        let Some(budget) = self.0.slices.budget else { return };
        let timed = std::mem::take(&mut *self.0.slices.timed());
        for (kernel, [before, after]) in timed {
            // Of launches that are not done yet nothing is said.
            if let Ok(true) = self.driver().is_done(&after)
                && let Ok(Some(time)) = self.driver().between(&before, &after)
                && time > budget
            {
                self.driver().observer().advice.say(&kernel, Reason::Long, || {
                    format!(
                        "it took {time:.0?}, and the device can show nothing meanwhile; launch parts of its grid that take \
                         {budget:?} at most, or raise DeviceOptions::slice"
                    )
                });
            }
        }
    }

    /// The launches with those cut that may take longer than the budget; `None` where none may.
    pub(crate) fn sliced(&self, launches: &[Launch]) -> Result<Option<Sliced>> {
        let Some(budget) = self.0.slices.budget else { return Ok(None) };
        if !launches.iter().any(|launch| self.slices(launch, budget) > 1) {
            return Ok(None);
        }
        let mut sliced = Sliced { launches: Vec::with_capacity(launches.len()), parts: vec![] };
        for launch in launches {
            let first = sliced.launches.len();
            match self.slices(launch, budget) {
                0 | 1 => sliced.launches.push(launch.clone()),
                count => self.cut(launch, count, &mut sliced.launches)?,
            }
            sliced.parts.push(first..sliced.launches.len());
        }
        Ok(Some(sliced))
    }

    /// How many slices keep a launch within the budget. A program's kernels are not cut.
    fn slices(&self, launch: &Launch, budget: Duration) -> u64 {
        if launch.kernel.reflection().is_some() {
            return 1;
        }
        let cost = launch.cost();
        let is_small = cost.bytes <= SMALL.bytes && cost.flops <= SMALL.flops;
        if is_small && budget >= SCREEN {
            return 1;
        }
        // Unknown while it is measured, by launches that come here too.
        let Some(roofline) = self.roofline_if_free() else { return 1 };
        let seconds = f64::max(
            cost.bytes as f64 / roofline.bytes_per_second,
            cost.flops.unwrap_or(0) as f64 / roofline.flops_per_second,
        );
        (seconds * SLOWER / budget.as_secs_f64()).ceil().min(MOST as f64) as u64
    }

    /// Cuts a launch along its slowest dimension that is long enough, else along its longest.
    fn cut(&self, launch: &Launch, count: u64, all: &mut Vec<Launch>) -> Result<()> {
        let Some(kernel) = launch.kernel.sliced()? else {
            all.push(launch.clone());
            return Ok(());
        };
        let grid = launch.grid.fold(self.caps().grid);
        let longest = (0..3).max_by_key(|&axis| grid[axis]).expect("three dimensions");
        let axis = (0..3).rev().find(|&axis| grid[axis] as u64 >= count).unwrap_or(longest);
        let step = (grid[axis] as u64).div_ceil(count).max(1) as u32;
        let firsts: Vec<u32> = (0..grid[axis]).step_by(step as usize).collect();
        let table = self.table(&firsts, axis, grid)?;
        for (index, &first) in firsts.iter().enumerate() {
            let mut part = grid;
            part[axis] = step.min(grid[axis] - first);
            let mut buffers = launch.buffers.clone();
            buffers.push(Window { memory: table.clone(), offset: index as u64 * STRIDE, bytes: BYTES });
            let share = |amount: u64| amount / firsts.len() as u64;
            let cost = launch.cost();
            all.push(Launch {
                kernel: kernel.clone(),
                buffers,
                params: launch.params.clone(),
                grid: Grid::Fixed(part),
                cost: Some(Cost { bytes: share(cost.bytes), flops: cost.flops.map(share) }),
            });
        }
        Ok(())
    }

    /// The slices in memory: the first workgroup of each, and the grid of all.
    fn table(&self, firsts: &[u32], axis: usize, grid: [u32; 3]) -> Result<Arc<Memory>> {
        let mut words = vec![0u32; firsts.len() * STRIDE as usize / 4];
        for (&first, slice) in firsts.iter().zip(words.chunks_mut(STRIDE as usize / 4)) {
            slice[axis] = first;
            slice[4..7].copy_from_slice(&grid);
        }
        let from = bytemuck::cast_slice(&words);
        let table = self.pool().take("slices", from.len() as u64, Place::Device)?;
        self.write(&[Write { to: &table, offset: 0, from }])?;
        Ok(table)
    }
}
