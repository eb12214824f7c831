//! Device memory: a pool of memory for arrays, and host memory that the device can access.

mod allocator;
mod foreign;
mod history;
mod host;
mod live;
mod marks;
mod piece;
mod pool;

pub use allocator::{Allocator, Block};
pub use foreign::{Foreign, Home, Owner};
pub use history::{Contents, History};
pub use host::{exhausted, room, zeros};
pub use live::Allocation;
pub use live::Handles;
pub use marks::{BYTES, Fault, Marks, Site, WORDS, begin};
pub use piece::Kept;
pub use piece::Lent;
pub use piece::{Adopted, Memory, Share};
pub use pool::Pool;

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// With the device.
    Device,
    /// Where the host can read it without a copy, if there is such a place: for results of a few bytes.
    Result,
}

/// Which way a `HostBuffer` is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The program writes, the device reads.
    Upload,
    /// The device writes, the program reads.
    Download,
}

/// How much device memory is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MemoryUse {
    /// Bytes that arrays and kernels hold, rounded up to the pool's sizes.
    pub live: u64,
    /// The most that were ever live at a time.
    pub peak: u64,
    /// How many pieces of memory are live.
    pub count: u64,
    /// Bytes kept for reuse.
    pub pooled: u64,
    /// How often memory was asked for and the pool had a piece of that size.
    pub hits: u64,
    /// How often memory was asked for and the device had to allocate it.
    pub misses: u64,
    /// What live and pooled may be together; `None` for what the device has.
    pub limit: Option<u64>,
}
