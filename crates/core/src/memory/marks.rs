//! Fault marks on memory: the faults of the kernels that computed its contents, or the operation whose fault words it
//! holds.

use super::Memory;
use crate::error::{CallSite, Error};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// How many indices were outside; the first of them, and the axis' extent.
pub const WORDS: usize = 3;
/// The size in bytes of a cell of fault words.
pub const BYTES: usize = WORDS * 4;

/// The call that requested checks of indices.
#[derive(Clone, Copy)]
pub struct Site {
    /// The method that was called.
    pub operation: &'static str,
    /// The line of the call.
    pub at: CallSite,
    /// Whether the indices have a sign, and negative ones count from the end.
    pub signed: bool,
}

/// What some kernels of one submission found wrong, once it is known.
pub struct Fault {
    /// The call that the error names.
    pub site: Site,
    found: Mutex<Found>,
    /// Whether the error was returned.
    pub told: AtomicBool,
}

enum Found {
    /// Not known yet: the words that the kernels write.
    Waiting(Arc<Memory>),
    Nothing,
    Wrong(Error),
}

/// What memory has to do with faults.
#[derive(Default)]
pub struct Marks {
    /// Of the words that kernels write: whose they are.
    pub site: Option<Site>,
    /// And how many submissions write them whose faults are not known.
    pub running: u32,
    /// And held by the thread that reads and clears them.
    pub reading: Arc<Mutex<()>>,
    /// Of other memory: what was found wrong where its contents were computed.
    pub faults: Vec<Arc<Fault>>,
}

impl Fault {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().expect("no panic while held")
    }

    /// Whether the kernels' words have not been read yet.
    pub fn is_waiting(&self) -> bool {
        matches!(*self.found(), Found::Waiting(_))
    }

    /// The words, while it is not known.
    pub fn cell(&self) -> Option<Arc<Memory>> {
        match &*self.found() {
            Found::Waiting(cell) => Some(cell.clone()),
            _ => None,
        }
    }

    /// It is known now, if it was not: whether these words report a fault, and whether no other submission works on
    /// them.
    pub fn resolve(&self, words: [u32; WORDS], cell: &Memory) -> (bool, bool) {
        let mut found = self.found();
        if !matches!(*found, Found::Waiting(_)) {
            return (false, false);
        }
        let wrong = words[0] > 0;
        *found = if wrong { Found::Wrong(self.site.error(words)) } else { Found::Nothing };
        drop(found);
        let mut marks = cell.marks();
        marks.running -= 1;
        (wrong, marks.running == 0)
    }

    /// Whether something is wrong, or not known yet.
    pub fn matters(&self) -> bool {
        !matches!(*self.found(), Found::Nothing)
    }

    /// The error, which counts as reported from now on.
    pub fn error(&self) -> Option<Error> {
        let Found::Wrong(error) = &*self.found() else { return None };
        self.told.store(true, Ordering::Relaxed);
        Some(error.clone())
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        // It never ran, or was never checked.
        if let Some(cell) = self.cell() {
            cell.marks().running -= 1;
        }
    }
}

impl Site {
    /// The error that a cell's words say: an index out of range.
    pub fn error(&self, [count, index, extent]: [u32; WORDS]) -> Error {
        let (wanted, index) = match self.signed {
            true => (format!("-{extent} to {}", extent - 1), (index as i32).to_string()),
            false => (format!("0 to {}", extent - 1), index.to_string()),
        };
        let got = if count == 1 { index } else { format!("{index} and {} others outside", count - 1) };
        Error::argument(self.operation, "indices", wanted, got, self.at)
    }
}

/// The fault of a cell in this submission.
pub fn begin(begun: &mut Vec<(u64, Arc<Fault>)>, site: Site, cell: &Arc<Memory>) -> Arc<Fault> {
    if let Some((_, fault)) = begun.iter().find(|(id, _)| *id == cell.id()) {
        return fault.clone();
    }
    cell.marks().running += 1;
    let found = Mutex::new(Found::Waiting(cell.clone()));
    let fault = Arc::new(Fault { site, found, told: AtomicBool::new(false) });
    begun.push((cell.id(), fault.clone()));
    fault
}

impl Marks {
    /// Adds faults of kernels that write this memory, each once. Memory that is itself a cell takes none.
    pub fn add(&mut self, faults: &[Arc<Fault>]) {
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
