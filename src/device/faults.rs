//! Faults: what kernels that cannot fail find wrong. They write it into words of their operation; all that is computed of what
//! they wrote keeps the fault, so that whoever reads it gets the error, each time, and nobody else does.

use crate::backend::{Driver, Launch, Read, Write};
use crate::error::{CallSite, Error, Result};
use crate::memory::{Memory, Place, Pool};
use crate::op::Access;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Faults of an operation that nobody waited for are looked at when there are so many.
const MOST_WAITING: usize = 1024;

/// Who asked for indices to be checked.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub operation: &'static str,
    pub at: CallSite,
    pub signed: bool,
}

/// What some kernels of one submission found wrong, once it is known.
pub(crate) struct Fault {
    site: Site,
    found: Mutex<Found>,
    /// Whether somebody got the error.
    told: AtomicBool,
}

enum Found {
    /// Not known yet: the words that the kernels write.
    Waiting(Arc<Memory>),
    Nothing,
    Wrong(Error),
}

/// What memory has to do with faults.
#[derive(Default)]
pub(crate) struct Marks {
    /// Of the words that kernels write: whose they are.
    site: Option<Site>,
    /// Of other memory: what was found wrong where its contents were computed.
    faults: Vec<Arc<Fault>>,
}

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
    /// What was found wrong and nobody was told.
    untold: Vec<Arc<Fault>>,
    /// The words of operations.
    cells: Vec<Arc<Memory>>,
    /// Those that no operation has any more: all zero.
    free: Vec<Arc<Memory>>,
}

/// How many indices were outside; the first of them, and the axis' extent.
const WORDS: usize = 3;
const BYTES: usize = WORDS * 4;

impl Fault {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().expect("no panic while held")
    }

    fn is_waiting(&self) -> bool {
        matches!(*self.found(), Found::Waiting(_))
    }

    fn matters(&self) -> bool {
        !matches!(*self.found(), Found::Nothing)
    }

    /// The error, which is told now.
    fn error(&self) -> Option<Error> {
        let Found::Wrong(error) = &*self.found() else { return None };
        self.told.store(true, Ordering::Relaxed);
        Some(error.clone())
    }
}

impl Site {
    fn error(&self, [count, index, extent]: [u32; WORDS]) -> Error {
        let (wanted, index) = match self.signed {
            true => (format!("-{extent} to {}", extent - 1), (index as i32).to_string()),
            false => (format!("0 to {}", extent - 1), index.to_string()),
        };
        let got = if count == 1 { index } else { format!("{index} and {} others outside", count - 1) };
        Error::argument(self.operation, "indices", wanted, got, self.at)
    }
}

impl Faults {
    /// The device reads and writes the words under this lock: who looks at the same time must see what was found.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Words for an operation: all zero, and nobody else's.
    pub fn cell(&self, driver: &dyn Driver, pool: &Arc<Pool>, site: Site) -> Result<Arc<Memory>> {
        self.used.store(true, Ordering::Release);
        let mut state = self.state();
        if state.waiting.len() >= MOST_WAITING {
            state.look(driver)?;
        }
        let cell = match state.free.pop() {
            Some(cell) => cell,
            None => {
                let cell = pool.take("indices", BYTES as u64, Place::Device)?;
                driver.write(&[Write { to: &cell, offset: 0, from: &[0; BYTES] }])?;
                cell
            }
        };
        cell.marks().site = Some(site);
        state.cells.push(cell.clone());
        Ok(cell)
    }

    /// Before launches are submitted: what they write gets the faults of what they read, and new ones of the operations
    /// that check, which are to be given to [`Faults::ran`].
    pub fn mark(&self, launches: &[Launch]) -> Vec<Arc<Fault>> {
        let mut begun: Vec<(u64, Arc<Fault>)> = vec![];
        if !self.used.load(Ordering::Acquire) {
            return vec![];
        }
        for launch in launches {
            // What all kernels share for messages and time limits tells nothing of what they read.
            let own = || launch.buffers.iter().map(|window| &window.memory).filter(|memory| !memory.is_shared());
            let mut faults: Vec<Arc<Fault>> = vec![];
            for memory in own() {
                let marks = memory.marks();
                match marks.site {
                    Some(site) => faults.push(begin(&mut begun, site, memory)),
                    None => faults.extend(marks.faults.iter().filter(|fault| fault.matters()).cloned()),
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

    /// After the submission: its faults are looked at from now on. Nobody else may have evaluated in between.
    pub fn ran(&self, faults: Vec<Arc<Fault>>) {
        if !faults.is_empty() {
            self.state().waiting.extend(faults);
        }
    }

    /// An error if something was found wrong where the contents of memory were computed; waits for it.
    pub fn of(&self, driver: &dyn Driver, memory: &Memory) -> Result<()> {
        let faults = memory.marks().faults.clone();
        if faults.iter().any(|fault| fault.is_waiting()) {
            self.state().look(driver)?;
        }
        faults.iter().find_map(|fault| fault.error()).map_or(Ok(()), Err)
    }

    /// After a wait for the device: an error if something was found wrong and nobody was told.
    pub fn tell(&self, driver: &dyn Driver) -> Result<()> {
        if !self.used.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state();
        state.look(driver)?;
        let untold = std::mem::take(&mut state.untold);
        let error = untold.iter().find(|fault| !fault.told.load(Ordering::Relaxed)).and_then(|fault| fault.error());
        error.map_or(Ok(()), Err)
    }
}

/// The fault of a cell in this submission.
fn begin(begun: &mut Vec<(u64, Arc<Fault>)>, site: Site, cell: &Arc<Memory>) -> Arc<Fault> {
    if let Some((_, fault)) = begun.iter().find(|(id, _)| *id == cell.id()) {
        return fault.clone();
    }
    let found = Mutex::new(Found::Waiting(cell.clone()));
    let fault = Arc::new(Fault { site, found, told: AtomicBool::new(false) });
    begun.push((cell.id(), fault.clone()));
    fault
}

impl Marks {
    fn add(&mut self, faults: &[Arc<Fault>]) {
        if self.site.is_some() {
            return;
        }
        self.faults.retain(|fault| fault.matters());
        for fault in faults {
            if !self.faults.iter().any(|other| Arc::ptr_eq(other, fault)) {
                self.faults.push(fault.clone());
            }
        }
    }

    /// What a recording writes anew has no faults of its last run.
    pub fn clear(&mut self) {
        self.faults.clear();
    }
}

impl State {
    /// Reads the words of all that ran, and frees those that nobody has.
    fn look(&mut self, driver: &dyn Driver) -> Result<()> {
        let cell = |fault: &Arc<Fault>| match &*fault.found() {
            Found::Waiting(cell) => Some(cell.clone()),
            _ => None,
        };
        let mut waiting: Vec<(Arc<Memory>, Arc<Fault>)> =
            self.waiting.iter().filter_map(|fault| Some((cell(fault)?, fault.clone()))).collect();
        let mut words = vec![[0u32; WORDS]; waiting.len()];
        if !waiting.is_empty() {
            let pairs = waiting.iter().zip(&mut words);
            let mut reads: Vec<Read> =
                pairs.map(|((from, _), to)| Read { from, offset: 0, to: bytemuck::cast_slice_mut(to) }).collect();
            driver.read(&[], &mut reads)?;
            driver.waits().one_less(); // it belongs to the wait before it, or after it
        }
        let wrong = waiting.iter().zip(&words).filter(|(_, words)| words[0] > 0);
        let resets: Vec<Write> = wrong.clone().map(|((to, _), _)| Write { to, offset: 0, from: &[0; BYTES] }).collect();
        driver.write(&resets)?;
        for ((_, fault), &words) in waiting.iter().zip(&words) {
            let wrong = words[0] > 0;
            *fault.found() = if wrong { Found::Wrong(fault.site.error(words)) } else { Found::Nothing };
            if wrong && self.untold.len() < MOST_WAITING {
                self.untold.push(fault.clone());
            }
        }
        self.waiting.clear();
        waiting.clear();
        let (held, free) = std::mem::take(&mut self.cells).into_iter().partition(|cell| Arc::strong_count(cell) > 1);
        self.cells = held;
        self.free.extend::<Vec<_>>(free);
        Ok(())
    }
}
