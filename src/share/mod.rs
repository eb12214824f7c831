//! Shared memory: host memory that the device accesses, arrays with a host side, memory of other libraries.

pub mod dlpack;
mod foreign;
mod host_buffer;
mod mapped;
mod ranges;
mod unified;

pub use crosslane_core::memory::Direction;
pub use host_buffer::HostBuffer;
pub use mapped::Mapped;
pub use unified::{Transfers, Unified, UnifiedState};
