//! A device's state for kernels whose loops count: their shared memory, and the reports in it.

use super::names::Names;
use crosslane_core::engine::Driver;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::kernel::counting::{CUT, limit};
use crosslane_core::memory::{Memory, Place, Pool};
use crosslane_core::work::{Read, Window, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Watches over the loops of a device's kernels.
pub(crate) struct Watch {
    budget: Duration,
    /// Whether a kernel that counts may have run since the last look.
    pending: AtomicBool,
    /// Never held while the device works: launches take it.
    state: Mutex<State>,
    /// Held by the thread that reads and clears the reports.
    looking: Mutex<()>,
}

#[derive(Default)]
struct State {
    words: Option<Words>,
    /// Kernels by the numbers that they write.
    names: Names,
}

/// What kernels that count share.
#[derive(Clone)]
struct Words {
    /// Whether to stop, and the limit: all look at them.
    limits: Arc<Memory>,
    /// The line and the kernel that was stopped, where the host sees them at once.
    report: Arc<Memory>,
}

/// Bytes of each.
const BYTES: u64 = 8;

impl Watch {
    pub fn new(budget: Duration) -> Watch {
        Watch { budget, pending: AtomicBool::new(false), state: Mutex::default(), looking: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The memory for a launch of a kernel that counts: limits and report.
    pub fn windows(&self, driver: &dyn Driver, pool: &Arc<Pool>, kernel: &Kernel) -> Result<[Window; 2]> {
        let mut state = self.state();
        state.names.note(kernel);
        let Words { limits, report } = match &state.words {
            Some(words) => words.clone(),
            None => {
                let (limits, report) =
                    (pool.take("watch", BYTES, Place::Device)?, pool.take("watch", BYTES, Place::Result)?);
                limits.share();
                report.share();
                let words = Words { limits, report };
                self.reset(driver, &words)?;
                state.words.insert(words).clone()
            }
        };
        self.again();
        Ok([limits, report].map(|memory| Window { memory, offset: 0, bytes: BYTES }))
    }

    /// Called when kernels that count run again.
    pub fn again(&self) {
        self.pending.store(true, Ordering::Release);
    }

    fn reset(&self, driver: &dyn Driver, words: &Words) -> Result<()> {
        let limits = [0, limit(self.budget.as_secs_f64())];
        driver.write(&[
            Write { to: &words.report, offset: 0, from: &[0; BYTES as usize] },
            Write { to: &words.limits, offset: 0, from: bytemuck::bytes_of(&limits) },
        ])
    }

    /// Called after a wait for the device or a stream: an error if a kernel was stopped since the last one. `all`: no
    /// queued work still runs.
    pub fn look(&self, driver: &dyn Driver, all: bool) -> Result<()> {
        if !self.pending.load(Ordering::Acquire) {
            return Ok(());
        }
        let _looking = self.looking.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(words) = self.state().words.clone() else { return Ok(()) };
        let mut report = [0u32; 2];
        let mut read = Read { from: &words.report, offset: 0, to: bytemuck::bytes_of_mut(&mut report) };
        if all {
            self.pending.store(false, Ordering::Release);
        }
        if !driver.peek(&mut read) {
            if !all {
                return Ok(()); // reading it would wait for the rest
            }
            driver.read(&[], &mut [read], &mut || {}).inspect_err(|_| self.again())?;
            driver.waits().one_less(); // it belongs to the wait before it
        }
        let [line, number] = report;
        if number == 0 {
            return Ok(());
        }
        self.reset(driver, &words)?;
        let kernel = self.state().names.of(number);
        let seconds = self.budget.as_secs_f64();
        Err(match line & CUT {
            0 => ErrorKind::Endless { kernel, line, workgroup: None, seconds },
            _ => ErrorKind::LoopLeft { kernel, line: line & !CUT, device: driver.properties().label() },
        }
        .into())
    }
}
