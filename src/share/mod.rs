//! Memory that others use too: host memory that the device reaches, arrays with a host side, other libraries' memory.

pub mod dlpack;
mod foreign;
mod host_buffer;
mod mapped;
mod ranges;
mod unified;

pub use crate::memory::Direction;
pub use host_buffer::HostBuffer;
pub use mapped::Mapped;
pub use unified::{Transfers, Unified, UnifiedState};
