//! What a device knows of kernels whose loops count: the memory they share, and what it says.

use super::Kernel;
use super::counting::{WORDS, limit, number};
use crate::backend::{Driver, Read, Window, Write};
use crate::error::{ErrorKind, Result};
use crate::memory::{Memory, Place, Pool};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a launch may take if nothing else is set.
pub(crate) const BUDGET: Duration = Duration::from_secs(20);

/// Watches over the loops of a device's kernels.
pub(crate) struct Watch {
    budget: Duration,
    /// Whether a kernel that counts may have run since the last look.
    pending: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    memory: Option<Arc<Memory>>,
    /// Kernels by the numbers that they write.
    names: HashMap<u32, String>,
}

impl Watch {
    pub fn new(budget: Duration) -> Watch {
        Watch { budget, pending: AtomicBool::new(false), state: Mutex::default() }
    }

    /// The memory for a launch of a kernel that counts.
    pub fn window(&self, driver: &dyn Driver, pool: &Arc<Pool>, kernel: &Kernel) -> Result<Window> {
        let bytes = WORDS as u64 * 4;
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        state.names.entry(number(kernel.source())).or_insert_with(|| kernel.name().into());
        let memory = match &state.memory {
            Some(memory) => memory.clone(),
            None => {
                let memory = pool.take("watch", bytes, Place::Result)?;
                memory.share();
                self.reset(driver, &memory)?;
                state.memory.insert(memory).clone()
            }
        };
        self.again();
        Ok(Window { memory, offset: 0, bytes })
    }

    /// Kernels that count run again.
    pub fn again(&self) {
        self.pending.store(true, Ordering::Release);
    }

    fn reset(&self, driver: &dyn Driver, memory: &Memory) -> Result<()> {
        let words = [0, limit(self.budget.as_secs_f64()), 0];
        driver.write(&[Write { to: memory, offset: 0, from: bytemuck::bytes_of(&words) }])
    }

    /// After a wait for the device: an error if a kernel was stopped since the last one.
    pub fn look(&self, driver: &dyn Driver) -> Result<()> {
        if !self.pending.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(memory) = &state.memory else { return Ok(()) };
        let mut words = [0u32; WORDS];
        driver.read(&[], &mut [Read { from: memory, offset: 0, to: bytemuck::bytes_of_mut(&mut words) }])?;
        driver.waits().one_less(); // it belongs to the wait before it
        let [number, _, line] = words;
        if number == 0 {
            return Ok(());
        }
        self.reset(driver, memory)?;
        let kernel = state.names.get(&number).cloned().unwrap_or_else(|| "a kernel".into());
        Err(ErrorKind::Endless { kernel, line, workgroup: None, seconds: self.budget.as_secs_f64() }.into())
    }
}
