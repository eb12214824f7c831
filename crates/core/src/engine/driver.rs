//! What every engine provides.

use super::compiling::Compiling;
use super::interop::Interop;
use super::order::Order;
use super::substitutes::Substitutes;
use super::tracing::Tracing;
use crate::error::Result;
use crate::memory::{Allocator, Block, Direction, Memory};
use crate::work::{Launch, Read, Write};
use std::any::Any;
use std::sync::Arc;

/// Host memory that the device reads or writes without a copy on the way.
pub trait HostBlock: Send {
    /// The bytes, to read. Only for [`Direction::Download`].
    fn bytes(&self) -> Result<&[u8]>;
    /// Copies in. Only for [`Direction::Upload`].
    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()>;
    /// Copies to the device, or from it. An upload is not waited for: what is done with the block next waits.
    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()>;
    /// All of it, where it is plain memory that the program may read and write between transfers.
    fn memory(&self) -> Option<&[u8]> {
        None
    }
    /// As [`HostBlock::memory`].
    fn memory_mut(&mut self) -> Option<&mut [u8]> {
        None
    }
    /// Copies bytes from `at` on to the device, or from it. Only where there is [`HostBlock::memory`]. An upload is not
    /// waited for: [`HostBlock::memory_mut`] does it.
    fn transfer_part(&mut self, _: Direction, _at: usize, _: &Memory, _offset: u64, _bytes: u64) -> Result<()> {
        unreachable!("asked only where there is memory")
    }
}

/// Which checks an engine does itself, so that launches need not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// It stops loops that take too long itself: they need not count.
    pub stops_loops: bool,
    /// It checks accesses of cooperative matrices too.
    pub checks_matrices: bool,
    /// Kernels see more of a uniform buffer than its bytes: OpenGL's end at a multiple of 16, and drivers round further.
    pub rounds_uniforms: bool,
}

/// What an engine provides: it runs launches and copies to and from the host. What else it may offer are traits of their own,
/// whose methods do nothing where it has nothing.
pub trait Driver: Any + Allocator + Compiling + Order + Tracing + Interop + Substitutes {
    /// Looks up and makes all that the launches need, so that running them is as cheap as it can be.
    fn prepare(&self, launches: &[Launch]) -> Result<Block>;
    /// Runs what [`Driver::prepare`] made of these launches: in order, each seeing what the ones before it wrote. Returns
    /// at once.
    fn submit_prepared(&self, prepared: &Block, launches: &[Launch]) -> Result<()>;
    /// Runs the launches once.
    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.submit_prepared(&self.prepare(launches)?, launches)
    }
    /// Copies to the device; the source is free when it returns.
    fn write(&self, writes: &[Write]) -> Result<()>;
    /// Copies from memory that lies in the host's, without waiting for anything; false if it does not lie there.
    fn peek(&self, _read: &mut Read) -> bool {
        false
    }
    /// Kernels may load what lies past this byte, up to a whole vector, and use none of it: a check is no longer to find it
    /// unset.
    fn pad(&self, _: &Memory, _from: u64) {}
    /// Runs the launches, then copies to the host; blocks until the bytes are there.
    /// `accepted` is called when the device has taken the launches, before anything is waited for.
    fn read(&self, launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()>;
    /// Allocates host memory of this many bytes for transfers in one direction.
    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>>;
    /// Whether host blocks are memory that the program may use as its own, and better than its own.
    fn pins(&self) -> bool {
        false
    }
    /// What launches depend on.
    fn habits(&self) -> Habits {
        Habits::default()
    }
    /// How many workgroups, at least, run side by side when there are enough: multiprocessors, or threads.
    fn units(&self) -> Option<u32> {
        None
    }
}

impl dyn Driver {
    /// The engine itself, for what only it can do.
    pub fn any(&self) -> &dyn Any {
        self
    }
}
