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
    pub home: Home,
    pub address: u64,
    pub bytes: u64,
    /// Taken by the engine if it takes the memory.
    pub owner: Option<Owner>,
}
