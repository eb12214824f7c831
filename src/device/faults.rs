//! Faults: errors that kernels detect, such as an index out of range. A kernel writes them into fault words of its
//! operation. Everything computed from its outputs carries the fault, so each read of such a result returns the error.

use crosslane_core::engine::Driver;
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
use crosslane_core::memory::{BYTES, Fault, Memory, Place, Pool, Site, WORDS, begin};
use crosslane_core::work::{Launch, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Faults of operations that were not waited for are checked when there are this many.
const MOST_WAITING: usize = 1024;

/// The faults of a device.
#[derive(Default)]
pub(crate) struct Faults {
    /// Whether an operation was ever asked to check: nothing is looked at before.
    used: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What ran, and was not looked at since.
    waiting: Vec<Arc<Fault>>,
    /// Faults that were not reported yet.
    untold: Vec<Arc<Fault>>,
    /// The words of operations.
    cells: Vec<Arc<Memory>>,
    /// Those that no operation has any more: all zero.
    free: Vec<Arc<Memory>>,
}

impl Faults {
    /// Never held while the device works.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn are_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }

    /// Fault words for an operation: all zero, and not shared.
    pub fn cell(&self, driver: &dyn Driver, pool: &Arc<Pool>, site: Site) -> Result<Arc<Memory>> {
        self.used.store(true, Ordering::Release);
        if self.state().waiting.len() >= MOST_WAITING {
            self.look_at_all(driver)?;
        }
        let free = self.state().free.pop();
        let cell = match free {
            Some(cell) => cell,
            None => {
                let cell = pool.take("indices", BYTES as u64, Place::Device)?;
                driver.write(&[Write { to: &cell, offset: 0, from: &[0; BYTES] }])?;
                cell
            }
        };
        cell.marks().site = Some(site);
        self.state().cells.push(cell.clone());
        Ok(cell)
    }

    /// Called before launches are submitted. Their outputs get the faults of their inputs, and new ones of the
    /// operations that check; the new ones are passed to [`Faults::ran`] later.
    pub fn mark(&self, launches: &[Launch]) -> Vec<Arc<Fault>> {
        let mut begun: Vec<(u64, Arc<Fault>)> = vec![];
        if !self.are_used() {
            return vec![];
        }
        for launch in launches {
            // Memory that all kernels share, for messages and time limits, carries no faults of their inputs.
            let own = || launch.buffers.iter().map(|window| &window.memory).filter(|memory| !memory.is_shared());
            let mut faults: Vec<Arc<Fault>> = vec![];
            for memory in own() {
                let site = memory.marks().site;
                match site {
                    Some(site) => faults.push(begin(&mut begun, site, memory)),
                    None => faults.extend(memory.marks().faults.iter().filter(|fault| fault.matters()).cloned()),
                }
            }
            if faults.is_empty() {
                continue;
            }
            let written = launch.kernel.bindings().iter().map(|point| point.access == Access::Write);
            let windows =
                written.zip(&launch.buffers).filter(|(written, window)| *written && !window.memory.is_shared());
            windows.for_each(|(_, window)| window.memory.marks().add(&faults));
        }
        begun.into_iter().map(|(_, fault)| fault).collect()
    }

    /// Called after the submission: its faults are checked from now on. A reader of its results may have checked them
    /// already.
    pub fn ran(&self, faults: Vec<Arc<Fault>>) {
        if !faults.is_empty() {
            self.state().waiting.extend(faults);
        }
    }

    /// An error if the kernels that computed the contents of this memory found a fault. Waits for them.
    pub fn of(&self, driver: &dyn Driver, memory: &Memory) -> Result<()> {
        let faults = memory.marks().faults.clone();
        if faults.iter().any(|fault| fault.is_waiting()) {
            self.look(driver, &faults)?;
        }
        faults.iter().find_map(|fault| fault.error()).map_or(Ok(()), Err)
    }

    /// Called after a wait for the device: an error if a fault was found and not reported yet.
    pub fn tell(&self, driver: &dyn Driver) -> Result<()> {
        if !self.are_used() {
            return Ok(());
        }
        self.look_at_all(driver)?;
        let untold = std::mem::take(&mut self.state().untold);
        let error = untold.iter().find(|fault| !fault.told.load(Ordering::Relaxed)).and_then(|fault| fault.error());
        error.map_or(Ok(()), Err)
    }

    /// Reads the words of faults, and clears those that are set. Only readers of the same words wait for this.
    fn look(&self, driver: &dyn Driver, faults: &[Arc<Fault>]) -> Result<()> {
        let mut cells: Vec<(Arc<Memory>, Arc<Fault>)> =
            faults.iter().filter_map(|fault| Some((fault.cell()?, fault.clone()))).collect();
        if cells.is_empty() {
            return Ok(());
        }
        cells.sort_by_key(|(cell, _)| cell.id()); // all lock in one order
        let mut locks: Vec<Arc<Mutex<()>>> = cells.iter().map(|(cell, _)| cell.marks().reading.clone()).collect();
        locks.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let _reading: Vec<_> =
            locks.iter().map(|lock| lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())).collect();
        cells.retain(|(_, fault)| fault.is_waiting());
        let mut words = vec![[0u32; WORDS]; cells.len()];
        let pairs = cells.iter().zip(&mut words);
        let mut reads: Vec<Read> =
            pairs.map(|((from, _), to)| Read { from, offset: 0, to: bytemuck::cast_slice_mut(to) }).collect();
        if !reads.is_empty() {
            driver.read(&[], &mut reads, &mut || {})?;
            driver.waits().one_less(); // it belongs to the wait before it, or after it
        }
        let mut resets: Vec<&Memory> = vec![];
        for ((cell, fault), &words) in cells.iter().zip(&words) {
            let (wrong, last) = fault.resolve(words, cell);
            if wrong {
                let mut state = self.state();
                if state.untold.len() < MOST_WAITING {
                    state.untold.push(fault.clone());
                }
                resets.extend(last.then_some(&**cell));
            }
        }
        let writes: Vec<Write> = resets.into_iter().map(|to| Write { to, offset: 0, from: &[0; BYTES] }).collect();
        if !writes.is_empty() {
            driver.write(&writes)?;
        }
        Ok(())
    }

    /// Reads the words of all operations that ran and were not checked since, and frees those without an owner.
    fn look_at_all(&self, driver: &dyn Driver) -> Result<()> {
        let waiting = self.state().waiting.clone();
        self.look(driver, &waiting)?;
        drop(waiting);
        self.state().tidy();
        Ok(())
    }
}

impl State {
    /// Forgets known faults, and frees the words without an owner.
    fn tidy(&mut self) {
        self.waiting.retain(|fault| fault.is_waiting());
        let (held, free) = std::mem::take(&mut self.cells).into_iter().partition(|cell| Arc::strong_count(cell) > 1);
        self.cells = held;
        self.free.extend::<Vec<_>>(free);
    }
}
