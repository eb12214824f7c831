//! What indices past their axis leave: four words that kernels write and that are looked at after a wait.

use crate::backend::{Driver, Read, Write};
use crate::error::{CallSite, Error, Result};
use crate::memory::{Memory, Place, Pool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The memory that kernels report to, and the lines that they stand for.
#[derive(Default)]
pub(crate) struct Misses {
    /// Whether a kernel that reports may have run since the last look.
    pending: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    memory: Option<Arc<Memory>>,
    sites: Vec<Site>,
}

/// Who asked for indices to be checked.
#[derive(Clone, Copy, PartialEq)]
struct Site {
    operation: &'static str,
    at: CallSite,
    signed: bool,
}

/// How many there were; of the first: the number of its line, the index, and the axis' extent.
const WORDS: usize = 4;

impl Misses {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The memory, and the number of a line.
    pub fn site(
        &self,
        driver: &dyn Driver,
        pool: &Arc<Pool>,
        operation: &'static str,
        signed: bool,
        at: CallSite,
    ) -> Result<(Arc<Memory>, u32)> {
        let mut state = self.state();
        let memory = match &state.memory {
            Some(memory) => memory.clone(),
            None => {
                let memory = pool.take("misses", (WORDS * 4) as u64, Place::Device)?;
                memory.share();
                reset(driver, &memory)?;
                state.memory.insert(memory).clone()
            }
        };
        let site = Site { operation, at, signed };
        let number = state.sites.iter().position(|other| *other == site).unwrap_or_else(|| {
            state.sites.push(site);
            state.sites.len() - 1
        });
        Ok((memory, number as u32))
    }

    /// Kernels that report run again.
    pub fn again(&self) {
        self.pending.store(true, Ordering::Release);
    }

    /// After a wait for the device: an error if an index was past its axis.
    pub fn look(&self, driver: &dyn Driver) -> Result<()> {
        if !self.pending.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let state = self.state();
        let Some(memory) = &state.memory else { return Ok(()) };
        let mut words = [0u32; WORDS];
        driver.read(&[], &mut [Read { from: memory, offset: 0, to: bytemuck::cast_slice_mut(&mut words) }])?;
        driver.waits().one_less(); // it belongs to the wait before it
        let [count, site, index, extent] = words;
        if count == 0 {
            return Ok(());
        }
        reset(driver, memory)?;
        let Site { operation, at, signed } = state.sites[site as usize];
        let (wanted, index) = match signed {
            true => (format!("-{extent} to {}", extent - 1), (index as i32).to_string()),
            false => (format!("0 to {}", extent - 1), index.to_string()),
        };
        let got = if count == 1 { index } else { format!("{index} and {} others outside", count - 1) };
        Err(Error::argument(operation, "indices", wanted, got, at))
    }
}

fn reset(driver: &dyn Driver, memory: &Memory) -> Result<()> {
    driver.write(&[Write { to: memory, offset: 0, from: &[0; WORDS * 4] }])
}
