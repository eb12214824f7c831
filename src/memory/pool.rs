//! A pool of device memory with size classes: what an array gives back, the next of its size takes.

use super::{MemoryUse, Place};
use crate::advice::History;
use crate::backend::{Block, Driver};
use crate::error::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// A piece of device memory. Its contents are whatever the last owner left there. Dropped, it goes back to the pool.
pub(crate) struct Memory {
    block: Option<Block>,
    id: u64,
    bytes: u64,
    place: Place,
    pub history: History,
    /// The stream that it was taken in.
    lane: usize,
    /// References that recordings hold.
    recordings: AtomicUsize,
    /// Kernels that write it need no order: see [`Memory::share`].
    shared: AtomicBool,
    pool: Arc<Pool>,
}

impl Memory {
    /// The engine's own object.
    pub fn block(&self) -> &Block {
        self.block.as_ref().expect("only drop() takes the block")
    }

    /// How many bytes there are, past those that were asked for.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Says that kernels use the memory by atomics and in any order: none waits for another because of it.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// References that recordings hold: an array that is theirs alone beside them is written in place.
    pub fn recordings(&self) -> usize {
        self.recordings.load(Ordering::Acquire)
    }

    /// A recording takes a reference.
    pub fn record(&self) {
        self.recordings.fetch_add(1, Ordering::AcqRel);
    }

    /// A recording is about to drop a reference.
    pub fn forget(&self) {
        self.recordings.fetch_sub(1, Ordering::AcqRel);
    }

    /// A number that no other block of this process has.
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let block = self.block.take().expect("dropped once");
        self.pool.give_back((self.place, self.bytes, self.lane), self.id, block);
    }
}

/// The pool of a device.
pub(crate) struct Pool {
    driver: Arc<dyn Driver>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    usage: MemoryUse,
    free: BTreeMap<Class, Vec<(u64, Block)>>,
}

/// Where memory lies, its bytes, and its stream: one would wait for the other whose memory it took.
type Class = (Place, u64, usize);

impl Pool {
    pub fn new(driver: Arc<dyn Driver>) -> Arc<Pool> {
        Arc::new(Pool { driver, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while held")
    }

    /// Memory of at least so many bytes, with room for kernels that handle 16 at a time.
    pub fn take(self: &Arc<Pool>, operation: &'static str, bytes: u64, place: Place) -> Result<Arc<Memory>> {
        let caps = self.driver.caps();
        let class = size_class(bytes).min(caps.buffer_bytes & !63).max(bytes.next_multiple_of(16));
        if class > caps.buffer_bytes {
            let device = self.driver.properties().name.clone();
            return Err(ErrorKind::TooLarge { operation, bytes, limit: caps.buffer_bytes, device, at: None }.into());
        }
        let lane = self.driver.lane();
        let (id, block) = match self.reuse((place, class, lane)) {
            Some(pair) => pair,
            None => (next_id(), self.fresh(operation, class, bytes, place)?),
        };
        let mut state = self.state();
        state.usage.live += class;
        state.usage.peak = state.usage.peak.max(state.usage.live);
        drop(state);
        Ok(Arc::new(Memory {
            block: Some(block),
            id,
            bytes: class,
            place,
            history: History::default(),
            lane,
            recordings: AtomicUsize::new(0),
            shared: AtomicBool::new(false),
            pool: self.clone(),
        }))
    }

    fn reuse(&self, class: Class) -> Option<(u64, Block)> {
        let mut state = self.state();
        let found = state.free.get_mut(&class)?.pop()?;
        state.usage.pooled -= class.1;
        Some(found)
    }

    /// New memory; what is pooled is given up first if the limit or the device asks for it.
    fn fresh(&self, operation: &'static str, bytes: u64, used: u64, place: Place) -> Result<Block> {
        let over = |usage: &MemoryUse| usage.limit.is_some_and(|limit| usage.live + usage.pooled + bytes > limit);
        if over(&self.usage()) {
            self.trim();
            if over(&self.usage()) {
                return Err(self.exhausted(operation, bytes, None));
            }
        }
        match self.driver.allocate(bytes, used, place) {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {
                self.trim();
                self.driver.allocate(bytes, used, place).map_err(|error| self.with_figures(error, operation, bytes))
            }
            other => other,
        }
    }

    /// An engine's out-of-memory error with the pool's figures, which the engine does not know.
    pub fn with_figures(&self, error: Error, operation: &'static str, requested: u64) -> Error {
        match error.kind() {
            ErrorKind::OutOfMemory { free, .. } => self.exhausted(operation, requested, *free),
            _ => error,
        }
    }

    fn exhausted(&self, operation: &'static str, requested: u64, free: Option<u64>) -> Error {
        let MemoryUse { live, pooled, limit, .. } = self.usage();
        let device = self.driver.properties().name.clone();
        ErrorKind::OutOfMemory { operation, requested, live, pooled, limit, free, device, at: None }.into()
    }

    fn give_back(&self, class: Class, id: u64, block: Block) {
        let mut state = self.state();
        let bytes = class.1;
        state.usage.live -= bytes;
        let over = state.usage.limit.is_some_and(|limit| state.usage.live + state.usage.pooled + bytes > limit);
        if over || !self.driver.recycles() {
            drop(state);
            drop(block);
            return self.driver.forget();
        }
        state.usage.pooled += bytes;
        state.free.entry(class).or_default().push((id, block));
    }

    /// Gives everything pooled back to the device.
    pub fn trim(&self) {
        let free = {
            let mut state = self.state();
            state.usage.pooled = 0;
            std::mem::take(&mut state.free)
        };
        self.driver.forget();
        // The device frees memory that kernels still use only when they end.
        drop(free);
        if let Err(error) = self.driver.wait() {
            log::warn!("trim: {error}");
        }
    }

    pub fn usage(&self) -> MemoryUse {
        self.state().usage
    }

    pub fn set_limit(&self, limit: Option<u64>) {
        self.state().usage.limit = limit;
    }
}

fn next_id() -> u64 {
    static IDS: AtomicU64 = AtomicU64::new(1);
    IDS.fetch_add(1, Ordering::Relaxed)
}

/// Eight sizes between one power of two and the next, so that at most an eighth is wasted; 256 bytes at least.
fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (1u64 << (63 - bytes.leading_zeros())) / 8;
    bytes.next_multiple_of(step.max(64))
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn classes_waste_at_most_an_eighth_and_keep_kernels_padding() {
        assert_eq!(size_class(0), 256);
        assert_eq!(size_class(1 << 30), 1 << 30);
        for bytes in [1, 255, 257, 1000, 4097, 123_456_789, (1 << 31) - 1] {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(64));
            assert!(class <= 256 || class - bytes <= bytes / 8 + 64, "{bytes} -> {class}");
        }
    }
}
