//! A piece of device memory, and the holders of it and of its contents.

use super::{Block, History, Marks, Place, Pool};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Device memory that an array or a kernel has. Its contents are whatever the last owner left there.
pub struct Memory {
    piece: Arc<Piece>,
    /// Uploads, reads and writes so far.
    pub history: History,
    /// How many [`Share`]s there are.
    shares: AtomicUsize,
    /// References that recordings hold.
    recordings: AtomicUsize,
    /// What was found wrong where its contents were computed.
    marks: Mutex<Marks>,
    /// Kernels that write it need no order: see [`Memory::share`].
    shared: AtomicBool,
    /// Zeros follow what the array wrote, as far as kernels see it.
    zeros_at_end: AtomicBool,
    /// Guards of the program that show it to the host.
    lent: AtomicUsize,
}

/// A piece of device memory. Dropped, it goes back to the pool.
pub(super) struct Piece {
    pub block: Option<Block>,
    pub id: u64,
    pub bytes: u64,
    pub origin: Origin,
    pub pool: Arc<Pool>,
}

/// Keeps a piece of memory from being used for something else, though its arrays may be gone.
pub struct Kept {
    _piece: Arc<Piece>,
}

/// Whose memory it is.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// The pool's, of this place, taken in this stream.
    Pool(Place, usize),
    /// The program's.
    Program(Adopted),
}

/// What may be done with memory of the program's.
#[derive(Clone, Copy)]
pub struct Adopted {
    /// Whether the engine can copy from it; kernels can read it all the same.
    pub copies: bool,
    /// Whether others may look at it while arrays use it: an array over it is written only where the program asks for that
    /// by `crosslane::Argument::in_place`.
    pub shared: bool,
    /// Whether its owner forbids writing.
    pub read_only: bool,
}

/// Keeps a piece of memory from being written while the host sees it.
pub struct Lent(Arc<Memory>);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.lent.fetch_sub(1, Ordering::Release);
    }
}

/// Stands for the contents of memory: clones, views, exports, encoders and kernels that were not submitted yet share it.
/// Recordings, which work on the memory on purpose, have none.
pub struct Share(Arc<Memory>);

impl Share {
    /// Adds one to the number of shares.
    pub fn new(memory: &Arc<Memory>) -> Share {
        memory.shares.fetch_add(1, Ordering::AcqRel);
        Share(memory.clone())
    }

    /// How many there are. If the caller holds the only one, no other can be made.
    pub fn count(&self) -> usize {
        self.0.shares.load(Ordering::Acquire)
    }
}

impl Clone for Share {
    fn clone(&self) -> Share {
        Share::new(&self.0)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.shares.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Memory {
    pub(super) fn new(piece: Piece) -> Arc<Memory> {
        Arc::new(Memory {
            piece: Arc::new(piece),
            history: History::default(),
            shares: AtomicUsize::new(0),
            recordings: AtomicUsize::new(0),
            marks: Mutex::default(),
            shared: AtomicBool::new(false),
            zeros_at_end: AtomicBool::new(false),
            lent: AtomicUsize::new(0),
        })
    }

    /// The engine's own object.
    pub fn block(&self) -> &Block {
        self.piece.block.as_ref().expect("only drop() takes the block")
    }

    /// Says that kernels use the memory by atomics and in any order: none waits for another because of it.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// The memory's marks, locked.
    pub fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().expect("no panic while held")
    }

    /// Whether [`Memory::share`] was called.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Records that the memory past the array was zeroed.
    pub fn note_zeros_at_end(&self) {
        self.zeros_at_end.store(true, Ordering::Relaxed);
    }

    /// A kernel of the library's writes, and perhaps past the end.
    pub fn note_end_written(&self) {
        self.zeros_at_end.store(false, Ordering::Relaxed);
    }

    /// Whether the memory past the array is zeroed. Recordings write without telling.
    pub fn ends_in_zeros(&self) -> bool {
        self.zeros_at_end.load(Ordering::Relaxed) && self.recordings() == 0
    }

    /// Whether it is the pool's, not the program's.
    pub fn is_pooled(&self) -> bool {
        matches!(self.piece.origin, Origin::Pool(..))
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
        self.piece.id
    }

    /// How many bytes there are, past those that were asked for.
    pub fn bytes(&self) -> u64 {
        self.piece.bytes
    }

    /// Keeps the piece, and does not count as a use of its contents.
    pub fn keep(&self) -> Kept {
        Kept { _piece: self.piece.clone() }
    }

    /// Whether the engine can copy from it; kernels can always read it.
    pub fn copies(&self) -> bool {
        !matches!(self.piece.origin, Origin::Program(Adopted { copies: false, .. }))
    }

    /// Whether others than arrays may look at it.
    pub fn is_others(&self) -> bool {
        matches!(self.piece.origin, Origin::Program(adopted) if adopted.shared || adopted.read_only)
    }

    /// Whether nothing may write it.
    pub fn is_read_only(&self) -> bool {
        matches!(self.piece.origin, Origin::Program(Adopted { read_only: true, .. }))
    }

    /// Notes that the host sees it from now on. The engine keeps kernels from it, by a lock of its own.
    pub fn lend(self: &Arc<Memory>) -> Lent {
        self.lent.fetch_add(1, Ordering::Acquire);
        Lent(self.clone())
    }

    /// Whether the host sees it.
    pub fn is_lent(&self) -> bool {
        self.lent.load(Ordering::Acquire) > 0
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let block = self.block.take().expect("dropped once");
        match self.origin {
            Origin::Pool(place, lane) => self.pool.give_back((place, self.bytes, lane), self.id, block),
            Origin::Program(_) => {
                drop(block);
                self.pool.let_go();
            }
        }
    }
}
