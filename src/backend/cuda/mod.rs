//! The engine for NVIDIA cards: the same WGSL as native CUDA kernels.
//!
//! | file | what it is |
//! |---|---|
//! | `translate/`, `prelude/` | WGSL to CUDA C++ |
//! | `library.rs` | the driver's and the compiler's library, loaded when the program runs |
//! | `card.rs`, `context.rs` | what cards there are; one that is open, its stream, and the driver's errors |
//! | `compile.rs`, `cache.rs`, `kernels.rs`, `limits.rs` | machine code: made, kept on disk, loaded, within limits |
//! | `launch.rs`, `graph.rs` | launches with their arguments; several as one |
//! | `memory.rs`, `pinned.rs`, `staging.rs` | memory of the card and of the host, and transfers |
//! | `natives.rs` | kernels written by hand in place of translated ones, where they are faster |
//! | `clock.rs`, `event.rs` | time on the card |

mod cache;
mod card;
mod clock;
mod compile;
mod context;
mod event;
mod graph;
mod kernels;
mod launch;
mod library;
mod limits;
mod memory;
mod natives;
mod pinned;
mod staging;
pub(crate) mod translate;

use super::{Block, Driver, HostBlock, Launch, Options, Read, Write};
use crate::caps::Caps;
use crate::device::Properties;
use crate::error::Result;
use crate::memory::{Direction, Foreign, Home, Memory, Place};
use clock::Clock;
use context::Context;
use graph::Graph;
use kernels::{Function, Kernels};
use launch::Call;
use natives::Choices;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use compile::CudaBinary;
pub use natives::Natives;

/// A card that is open. Fields are dropped in this order, and each holds the context.
pub(crate) struct Cuda {
    kernels: Kernels,
    choices: Choices,
    upload: Mutex<staging::Ring>,
    download: Mutex<staging::Ring>,
    clock: Clock,
    properties: Properties,
    /// Memory is to be given back to the system after the next wait.
    trimming: AtomicBool,
    context: Arc<Context>,
}

/// What [`Driver::prepare`] makes.
enum Prepared {
    Calls(Vec<Call>),
    Graph(Graph),
}

/// Every card; none without NVIDIA's libraries.
pub(super) fn list() -> Vec<Properties> {
    card::list()
}

/// Opens the card with this ordinal.
///
/// Errors: a library is missing; no such card.
pub(crate) fn open(ordinal: usize, options: &Options) -> Result<Arc<dyn Driver>> {
    let (card, properties) = card::describe(ordinal)?;
    library::nvrtc()?;
    let context = Context::open(card)?;
    let kernels = Kernels::new(context.clone(), properties.caps.clone(), options.fast_math);
    Ok(Arc::new(Cuda {
        choices: Choices::from_environment(kernels.folder()),
        kernels,
        upload: Mutex::default(),
        download: Mutex::default(),
        clock: Clock::default(),
        properties,
        trimming: AtomicBool::new(false),
        context,
    }))
}

impl Cuda {
    /// The launches with all that they need.
    fn calls(&self, launches: &[Launch]) -> Result<Vec<Call>> {
        let limit = self.properties.caps.grid;
        let pairs = self.functions(launches)?.into_iter().zip(launches);
        Ok(pairs.map(|(function, launch)| Call::new(function, launch, limit)).collect())
    }

    /// What runs for each launch.
    fn functions(&self, launches: &[Launch]) -> Result<Vec<Arc<Function>>> {
        if launches.len() > 1 {
            self.kernels.make_ready(launches.iter().map(|launch| &launch.kernel))?;
        }
        launches.iter().map(|launch| self.function(launch)).collect()
    }

    /// Runs launches in the stream, once.
    fn run(&self, launches: &[Launch]) -> Result<()> {
        // All of them first: the clock is not to count a compilation between two launches.
        let functions = self.functions(launches)?;
        let limit = self.properties.caps.grid;
        self.clock.around(&self.context, || launch::run_all(&self.context, launches, &functions, limit))
    }
}

impl Driver for Cuda {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn allocate(&self, bytes: u64, _used: u64, place: Place) -> Result<Block> {
        self.context.enter()?;
        Ok(Box::new(memory::Block::new(&self.context, bytes, place)?))
    }

    /// The stream's pool keeps what is freed until the next wait.
    fn forget(&self) {
        self.trimming.store(true, Ordering::Relaxed);
    }

    fn prepare(&self, launches: &[Launch]) -> Result<Block> {
        self.context.enter()?;
        let calls = self.calls(launches)?;
        Ok(Box::new(match calls.len() {
            0 | 1 => Prepared::Calls(calls),
            _ => Prepared::Graph(Graph::new(&self.context, launches, calls)?),
        }))
    }

    fn submit_prepared(&self, prepared: &Block) -> Result<()> {
        self.context.enter()?;
        let prepared: &Prepared = prepared.downcast_ref().expect("prepared by this engine");
        self.clock.around(&self.context, || match prepared {
            Prepared::Calls(calls) => calls.iter().try_for_each(|call| call.run(&self.context)),
            Prepared::Graph(graph) => graph.run(),
        })
    }

    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.context.enter()?;
        self.run(launches)
    }

    fn wait(&self) -> Result<()> {
        self.context.enter()?;
        self.context.synchronize("wait")?;
        if self.trimming.swap(false, Ordering::Relaxed) {
            self.context.trim();
        }
        Ok(())
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        self.context.enter()?;
        self.write_staged(writes)
    }

    fn read(&self, launches: &[Launch], reads: &mut [Read]) -> Result<()> {
        self.context.enter()?;
        if !launches.is_empty() {
            self.run(launches)?;
        }
        self.read_staged(reads)
    }

    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        pinned::PinnedBlock::create(self, bytes, direction)
    }

    fn pins(&self) -> bool {
        true
    }

    fn home(&self) -> Option<Home> {
        Some(Home::Cuda(self.context.card.ordinal))
    }

    fn address(&self, memory: &Memory) -> Option<u64> {
        Some(memory::block(memory).address())
    }

    unsafe fn adopt(&self, foreign: &mut Foreign) -> Option<Block> {
        if Some(foreign.home) != self.home() {
            return None;
        }
        let (address, owner, context) = (foreign.address, foreign.owner.take(), self.context.clone());
        Some(Box::new(memory::Block::Foreign(memory::ForeignMemory { address, owner, context })))
    }

    fn stream(&self) -> Option<*mut std::ffi::c_void> {
        Some(self.context.stream.cast())
    }

    fn start_clock(&self) -> Result<bool> {
        self.context.enter()?;
        self.clock.start();
        Ok(true)
    }

    fn stop_clock(&self) -> Result<Duration> {
        self.context.enter()?;
        self.clock.stop(&self.context)
    }

    fn set_natives(&self, natives: Natives) {
        self.choices.set(natives);
    }

    fn explained(&self, launch: &Launch) -> Option<(&'static str, Option<String>)> {
        Cuda::explained(self, launch)
    }

    #[cfg(feature = "wgpu")]
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
