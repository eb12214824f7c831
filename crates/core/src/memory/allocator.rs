//! What an engine provides to the pool: fresh memory, and what bounds it.

use super::Place;
use crate::caps::Caps;
use crate::error::Result;
use crate::properties::Properties;
use std::any::Any;

/// An object of the engine: device memory, or prepared launches.
pub type Block = Box<dyn Any + Send + Sync>;

/// Gives device memory.
pub trait Allocator: Send + Sync {
    /// The properties of the engine's device.
    fn properties(&self) -> &Properties;
    /// The device's capabilities, before any tuning by the program.
    fn caps(&self) -> &Caps;
    /// Whether memory that is given back may be handed out again; a device that checks wants to see each life apart.
    fn recycles(&self) -> bool {
        true
    }
    /// Fresh memory of exactly this many bytes, of which those past `used` are padding.
    fn allocate(&self, bytes: u64, used: u64, place: Place) -> Result<Block>;
    /// Drops what is cached about memory that is gone.
    fn forget(&self);
    /// Memory of the program's is gone that the engine had adopted.
    fn let_go(&self) {}
    /// The number of the stream that this thread's work goes to. Memory is used again where it was used: elsewhere it would
    /// have to be waited for.
    fn lane(&self) -> usize {
        0
    }
    /// Waits for everything submitted: no memory that was given back is in use then.
    fn wait(&self) -> Result<()>;
}
