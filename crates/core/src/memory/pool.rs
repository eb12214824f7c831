//! A pool of device memory with size classes: memory that one array releases is used by the next of its size.

use super::Allocator;
use super::piece::{Adopted, Memory, Origin, Piece};
use super::{Allocation, MemoryUse, Place};
use crate::countdown::Countdown;
use crate::error::{CallSite, Error, ErrorKind, Result};
use crate::memory::Block;
use std::collections::BTreeMap;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The pool of a device.
pub struct Pool {
    /// Whether what is taken from now on is written down.
    tracks: AtomicBool,
    state: Mutex<State>,
    /// Dropped after the blocks, which keep the device open.
    allocator: Arc<dyn Allocator>,
    /// In tests, the attempts to allocate that find no memory.
    shortage: Countdown,
}

#[derive(Default)]
struct State {
    usage: MemoryUse,
    /// What is held, by the memory's number, as far as it was written down.
    held: BTreeMap<u64, Allocation>,
    free: BTreeMap<Class, Vec<(u64, Block)>>,
    /// Memory whose object the program has.
    shown: Vec<Weak<Memory>>,
}

impl State {
    /// A piece that was claimed is there.
    fn note_one_more(&mut self) {
        self.usage.count += 1;
        self.usage.peak = self.usage.peak.max(self.usage.live);
    }
}

/// Where memory lies, its bytes, and its stream: one would wait for the other whose memory it took.
type Class = (Place, u64, usize);

impl Pool {
    /// An empty pool. It tracks allocations in builds with debug assertions.
    pub fn new(allocator: Arc<dyn Allocator>) -> Arc<Pool> {
        let tracks = AtomicBool::new(cfg!(debug_assertions));
        Arc::new(Pool { allocator, tracks, state: Mutex::default(), shortage: Countdown::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while held")
    }

    /// Memory of at least this many bytes for the library's own use, with room for kernels that handle 16 at a time.
    pub fn take(self: &Arc<Pool>, operation: &'static str, bytes: u64, place: Place) -> Result<Arc<Memory>> {
        self.take_tracked(operation, bytes, place, None)
    }

    /// As [`Pool::take`], for this line of the program.
    pub fn take_for(
        self: &Arc<Pool>,
        operation: &'static str,
        bytes: u64,
        place: Place,
        at: CallSite,
    ) -> Result<Arc<Memory>> {
        self.take_tracked(operation, bytes, place, Some(at))
    }

    fn take_tracked(
        self: &Arc<Pool>,
        operation: &'static str,
        bytes: u64,
        place: Place,
        at: Option<CallSite>,
    ) -> Result<Arc<Memory>> {
        let caps = self.allocator.caps();
        let class = size_class(bytes).min(caps.buffer_bytes & !63).max(bytes.next_multiple_of(16));
        if class > caps.buffer_bytes {
            let device = self.allocator.properties().label();
            return Err(ErrorKind::TooLarge { operation, bytes, limit: caps.buffer_bytes, device, at: None }.into());
        }
        let lane = self.allocator.lane();
        let (id, block) = match self.claim(operation, (place, class, lane))? {
            Some(pooled) => pooled,
            None => match self.fresh(class, bytes, place) {
                Ok(block) => {
                    self.state().note_one_more();
                    (next_id(), block)
                }
                Err(error) => {
                    self.state().usage.live -= class;
                    return Err(self.with_figures(error, operation, class));
                }
            },
        };
        if let Some(at) = at.filter(|_| self.tracks.load(Ordering::Relaxed)) {
            self.state().held.insert(id, Allocation { bytes: class, what: operation, at });
        }
        Ok(self.memory(block, id, class, Origin::Pool(place, lane)))
    }

    /// Memory of the program's: the pool neither counts it nor keeps it.
    pub fn adopt(self: &Arc<Pool>, block: Block, bytes: u64, how: Adopted) -> Arc<Memory> {
        let memory = self.memory(block, next_id(), bytes, Origin::Program(how));
        memory.history.note_write(); // by the program, which nobody sees
        memory
    }

    /// Notes that a program has the engine's object, and may come back with it.
    pub fn show(&self, memory: &Arc<Memory>) {
        let shown = &mut self.state().shown;
        shown.retain(|other| other.strong_count() > 0 && !other.ptr_eq(&Arc::downgrade(memory)));
        shown.push(Arc::downgrade(memory));
    }

    /// The memory of an object that a program has: arrays over one object share one memory, and know of each other.
    pub fn shown(&self, is: impl Fn(&Block) -> bool) -> Option<Arc<Memory>> {
        let shown: Vec<Arc<Memory>> = self.state().shown.iter().filter_map(Weak::upgrade).collect();
        shown.into_iter().find(|memory| is(memory.block()))
    }

    fn memory(self: &Arc<Pool>, block: Block, id: u64, bytes: u64, origin: Origin) -> Arc<Memory> {
        Memory::new(Piece { block: Some(block), id, bytes, origin, pool: self.clone() })
    }

    /// Memory of the program's is gone.
    pub(super) fn let_go(&self) {
        self.allocator.let_go();
    }

    /// Counts memory of a class as live, if the limit lets it: a piece that is pooled, or none if the device must give it. What
    /// is pooled is given up first if the limit asks for it.
    fn claim(&self, operation: &'static str, class: Class) -> Result<Option<(u64, Block)>> {
        let bytes = class.1;
        for trimmed in [false, true] {
            let mut state = self.state();
            let State { usage, free, .. } = &mut *state;
            let fits = |more: u64| usage.limit.is_none_or(|limit| usage.live + more + bytes <= limit);
            if !fits(0) && trimmed {
                break;
            }
            if fits(0)
                && let Some(found) = free.get_mut(&class).and_then(Vec::pop)
            {
                usage.hits += 1;
                usage.pooled -= bytes;
                usage.live += bytes;
                state.note_one_more();
                return Ok(Some(found));
            }
            // Others may pool more in the meantime: what is live alone says no.
            if fits(usage.pooled) || fits(0) && trimmed {
                usage.misses += 1;
                usage.live += bytes;
                return Ok(None);
            }
            drop(state);
            self.trim();
        }
        Err(self.exhausted(operation, bytes, None))
    }

    /// New memory; what is pooled is given up first if the device asks for it.
    fn fresh(&self, bytes: u64, used: u64, place: Place) -> Result<Block> {
        match self.allocate(bytes, used, place) {
            Err(error) if error.is_out_of_memory() => {
                self.trim();
                self.allocate(bytes, used, place)
            }
            other => other,
        }
    }

    fn allocate(&self, bytes: u64, used: u64, place: Place) -> Result<Block> {
        match self.shortage.is_due() {
            true => Err(self.exhausted("allocate", bytes, None)),
            false => self.allocator.allocate(bytes, used, place),
        }
    }

    /// From now on this many allocations find memory, then `failing` attempts find none.
    #[cfg(feature = "cases")]
    pub fn run_short(&self, good: u64, failing: u64) {
        self.shortage.set(good, failing);
    }

    /// An engine's out-of-memory error with the pool's figures, which the engine does not know.
    pub fn with_figures(&self, error: Error, operation: &'static str, requested: u64) -> Error {
        match error.kind() {
            ErrorKind::OutOfMemory { free, .. } => self.exhausted(operation, requested, *free),
            _ => error,
        }
    }

    /// The same of an error that names its operation and what was asked for.
    pub fn with_own_figures(&self, error: Error) -> Error {
        match *error.kind() {
            ErrorKind::OutOfMemory { operation, requested, live: 0, pooled: 0, limit: None, .. } => {
                self.with_figures(error, operation, requested)
            }
            _ => error,
        }
    }

    fn exhausted(&self, operation: &'static str, requested: u64, free: Option<u64>) -> Error {
        let MemoryUse { live, pooled, limit, .. } = self.usage();
        let device = self.allocator.properties().label();
        ErrorKind::OutOfMemory { operation, requested, live, pooled, limit, free, device, at: None }.into()
    }

    pub(super) fn give_back(&self, class: Class, id: u64, block: Block) {
        let mut state = self.state();
        let bytes = class.1;
        state.usage.live -= bytes;
        state.usage.count -= 1;
        state.held.remove(&id);
        let over = state.usage.limit.is_some_and(|limit| state.usage.live + state.usage.pooled + bytes > limit);
        if over || !self.allocator.recycles() {
            drop(state);
            drop(block);
            return self.allocator.forget();
        }
        state.usage.pooled += bytes;
        state.free.entry(class).or_default().push((id, block));
    }

    /// Returns all pooled memory to the device.
    pub fn trim(&self) {
        let free = {
            let mut state = self.state();
            state.usage.pooled = 0;
            std::mem::take(&mut state.free)
        };
        self.allocator.forget();
        // The device frees memory that kernels still use only when they end.
        drop(free);
        if let Err(error) = self.allocator.wait() {
            log::warn!("trim: {error}");
        }
    }

    /// Bytes and pieces in use and in the pool, and counts of hits and misses.
    pub fn usage(&self) -> MemoryUse {
        self.state().usage
    }

    /// Whether to record allocations from now on.
    pub fn track(&self, tracks: bool) {
        self.tracks.store(tracks, Ordering::Relaxed);
    }

    /// The recorded live allocations, the largest first.
    pub fn held(&self) -> Vec<Allocation> {
        let mut held: Vec<Allocation> = self.state().held.values().copied().collect();
        held.sort_by_key(|allocation| std::cmp::Reverse(allocation.bytes));
        held
    }

    /// Sets what live and pooled memory may be together; pooled memory past it is freed.
    pub fn set_limit(&self, limit: Option<u64>) {
        let mut state = self.state();
        state.usage.limit = limit;
        let over = limit.is_some_and(|limit| state.usage.live + state.usage.pooled > limit);
        drop(state);
        if over {
            self.trim();
        }
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
