//! Memory that is not the engine's: its address, and the owner that keeps it alive.

use std::any::Any;

/// Where memory lies that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// With the host.
    Host,
    /// With the CUDA device of this ordinal.
    Cuda(usize),
}

/// What keeps memory alive; dropped when it is used no more.
pub type Owner = Box<dyn Any + Send + Sync>;

/// Memory that is not the engine's.
pub struct Foreign {
    /// The address space of `address`.
    pub home: Home,
    /// The address of the first byte.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// Taken by the engine if it takes the memory.
    pub owner: Option<Owner>,
}
