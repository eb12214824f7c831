//! Messages of kernels: printed values, and failed assertions.

use super::names::Names;
use crosslane_core::engine::Driver;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::kernel::messages::{HEAD_WORDS, MESSAGE_WORDS, MOST_MESSAGES};
use crosslane_core::memory::{Memory, Place, Pool};
use crosslane_core::op::Value;
use crosslane_core::work::{Read, Window, Write};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// A value that an invocation of a kernel printed: see [`crate::Device::messages`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The kernel.
    pub kernel: String,
    /// The line in its text.
    pub line: u32,
    /// The invocation id that the kernel passed.
    pub invocation: [u32; 3],
    /// The value.
    pub value: Value,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], kernel, line) = (self.invocation, &self.kernel, self.line);
        match self.value {
            Value::Complex(re, im) => write!(f, "{kernel}:{line} ({x}, {y}, {z}): {re}{im:+}i"),
            Value::Float(value) => write!(f, "{kernel}:{line} ({x}, {y}, {z}): {value}"),
            Value::Int(value) => write!(f, "{kernel}:{line} ({x}, {y}, {z}): {value}"),
            Value::Bool(_) => write!(f, "{kernel}:{line} ({x}, {y}, {z}): assertion failed"),
        }
    }
}

/// The messages of a device's kernels.
#[derive(Default)]
pub(crate) struct Messages {
    /// Whether a kernel that says something may have run since the last look.
    pending: AtomicBool,
    /// Never held while the device works: launches take it.
    state: Mutex<State>,
    /// Held by the thread that reads messages, until they are collected.
    looking: Mutex<Seen>,
}

#[derive(Default)]
struct State {
    memory: Option<Arc<Memory>>,
    /// Kernels by the numbers that they write.
    names: Names,
    /// Those that were waited for and not collected.
    said: Vec<Message>,
}

/// What has been read of the memory's counters.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: u32,
    failed: u32,
}

/// Messages that are kept until the program collects them: then the oldest are dropped.
const MOST_SAID: usize = 4 * MOST_MESSAGES;

const BYTES: usize = (HEAD_WORDS + MOST_MESSAGES * MESSAGE_WORDS) * 4;

impl Messages {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn looking(&self) -> MutexGuard<'_, Seen> {
        self.looking.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The memory for a launch of a kernel with messages.
    pub fn window(&self, driver: &dyn Driver, pool: &Arc<Pool>, kernel: &Kernel) -> Result<Window> {
        let mut state = self.state();
        state.names.note(kernel);
        let memory = match &state.memory {
            Some(memory) => memory.clone(),
            None => {
                let memory = pool.take("messages", BYTES as u64, Place::Device)?;
                memory.share();
                driver.write(&[Write { to: &memory, offset: 0, from: &[0; BYTES] }])?;
                state.memory.insert(memory).clone()
            }
        };
        self.again();
        Ok(Window { memory, offset: 0, bytes: BYTES as u64 })
    }

    /// Called when kernels with messages run again.
    pub fn again(&self) {
        self.pending.store(true, Ordering::Release);
    }

    /// Called after a wait for the device: collects messages; an error if an assertion failed. If they cannot be read, the next
    /// call looks for them.
    pub fn look(&self, driver: &dyn Driver) -> Result<()> {
        if !self.pending.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let mut seen = self.looking();
        let Some(memory) = self.state().memory.clone() else { return Ok(()) };
        let mut head = [0u32; HEAD_WORDS];
        fetch(driver, &memory, 0, &mut head).inspect_err(|_| self.again())?;
        let [count, failed, ..] = head;
        let failures = failed.wrapping_sub(seen.failed);
        if count == seen.count {
            return Ok(());
        }
        let words = said_since(driver, &memory, seen.count, count).inspect_err(|_| self.again())?;
        // What has been read may be overwritten from now on.
        driver.write(&[Write { to: &memory, offset: 8, from: &count.to_le_bytes() }])?;
        let lost = count.wrapping_sub(seen.count) as usize - words.len() / MESSAGE_WORDS;
        *seen = Seen { count, failed };
        if lost > 0 {
            log::warn!("{lost} kernel messages were lost: at most {MOST_MESSAGES} are kept between two waits");
        }
        let mut state = self.state();
        let said: Vec<Message> = words.chunks_exact(MESSAGE_WORDS).map(|words| state.message(words)).collect();
        let (failed, mut said): (Vec<_>, Vec<_>) = said.into_iter().partition(|said| said.value == Value::Bool(false));
        said.sort_by_key(|said| (said.line, said.invocation[2], said.invocation[1], said.invocation[0]));
        let forgotten = state.add(said);
        drop(state);
        drop(seen);
        if forgotten > 0 {
            log::warn!("{forgotten} kernel messages that nobody collected are dropped: {MOST_SAID} are kept");
        }
        let first = failed.into_iter().min_by_key(|failed| (failed.line, failed.invocation));
        match (first, failures) {
            (_, 0) => Ok(()),
            (Some(Message { kernel, line, invocation, .. }), failures) => {
                Err(ErrorKind::Assertion { kernel, line, invocation: Some(invocation), failures }.into())
            }
            (None, failures) => {
                let kernel = "a kernel".to_string(); // its message came after the last that is kept
                Err(ErrorKind::Assertion { kernel, line: 0, invocation: None, failures }.into())
            }
        }
    }

    /// Takes the collected messages. If another thread is reading messages that the caller waited for, that is finished
    /// first.
    pub fn take(&self) -> Vec<Message> {
        let _seen = self.looking();
        std::mem::take(&mut self.state().said)
    }
}

impl State {
    /// Keeps messages, and gives how many of the oldest are dropped for them.
    fn add(&mut self, said: Vec<Message>) -> usize {
        self.said.extend(said);
        let forgotten = self.said.len().saturating_sub(MOST_SAID);
        self.said.drain(..forgotten);
        forgotten
    }

    fn message(&self, words: &[u32]) -> Message {
        let bits = words[6];
        let value = match words[2] {
            0 => Value::Float(f32::from_bits(bits) as f64),
            1 => Value::Int(bits as i32 as i128),
            2 => Value::Int(bits as i128),
            _ => Value::Bool(false),
        };
        let kernel = self.names.of(words[0]);
        Message { kernel, line: words[1], invocation: [words[3], words[4], words[5]], value }
    }
}

/// The messages from one count to another that found room.
fn said_since(driver: &dyn Driver, memory: &Memory, from: u32, to: u32) -> Result<Vec<u32>> {
    let said = (to.wrapping_sub(from) as usize).min(MOST_MESSAGES);
    let first = from as usize % MOST_MESSAGES;
    // They go on at the memory's beginning.
    let before_end = said.min(MOST_MESSAGES - first);
    let mut words = vec![0u32; said * MESSAGE_WORDS];
    let (to_end, rest) = words.split_at_mut(before_end * MESSAGE_WORDS);
    fetch(driver, memory, HEAD_WORDS + first * MESSAGE_WORDS, to_end)?;
    if !rest.is_empty() {
        fetch(driver, memory, HEAD_WORDS, rest)?;
    }
    // A message that has its number but is not written yet belongs to a kernel in another stream, which was not waited
    // for.
    let numbered = words.chunks_exact(MESSAGE_WORDS).zip(0..);
    let written = numbered.filter(|(words, nth)| words[7] == from.wrapping_add(nth + 1));
    Ok(written.flat_map(|(words, _)| words).copied().collect())
}

fn fetch(driver: &dyn Driver, memory: &Memory, word: usize, to: &mut [u32]) -> Result<()> {
    driver.read(
        &[],
        &mut [Read { from: memory, offset: word as u64 * 4, to: bytemuck::cast_slice_mut(to) }],
        &mut || {},
    )?;
    driver.waits().one_less(); // it belongs to the wait before it
    Ok(())
}
