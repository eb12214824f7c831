//! Internal to `crosslane`, and of its version. The engine for NVIDIA cards: the same WGSL as native CUDA kernels.
//!
//! | file | what it is |
//! |---|---|
//! | `text/` | a kernel as CUDA C++, by the crate `wgsl-to-cuda` |
//! | `library.rs`, `nvrtc.rs` | the driver's and the compiler's library, loaded when the program runs |
//! | `card.rs`, `context.rs` | what cards there are; one that is open, its main stream, and the driver's errors |
//! | `compile.rs`, `cache.rs`, `identity.rs`, `kernels.rs`, `limits.rs` | machine code: made, kept on disk, loaded, within limits |
//! | `launch.rs`, `graph.rs` | launches with their arguments; several as one |
//! | `memory.rs`, `pinned.rs`, `staging.rs`, `copiers.rs` | memory of the card and of the host, and transfers |
//! | `substitutes/` | what runs in place of translated kernels, by their contracts: kernels written by hand, cuBLASLt, cuDNN |
//! | `ways.rs` | the ways to run a launch, and how long each takes |
//! | `streams.rs`, `ledger.rs`, `order.rs` | streams side by side, and who must wait for whom; events of programs |
//! | `clock.rs`, `trace.rs`, `event.rs` | time on the card: of submissions, of single launches |
//! | `occupancy.rs` | how many workgroups a multiprocessor holds |

mod cache;
mod card;
mod clock;
mod compile;
mod context;
mod copiers;
mod event;
mod graph;
mod identity;
mod kernels;
mod launch;
mod ledger;
mod library;
mod limits;
mod memory;
mod nvrtc;
mod occupancy;
mod order;
mod pinned;
mod staging;
mod streams;
mod substitutes;
mod text;
mod trace;
mod ways;

use clock::Clock;
use context::Context;
use crosslane_core::caps::Caps;
use crosslane_core::engine::{
    Choices, Compiling, Driver, Engine, ForeignWork, HostBlock, Interop, Observer, Options, Substitutes, Timer,
    Tracing, Way,
};
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::memory::{Allocator, Block, Direction, Foreign, Home, Memory, Place};
use crosslane_core::occupancy::Occupancy;
use crosslane_core::properties::Properties;
use crosslane_core::trace::recorder::Task;
use crosslane_core::work::{Launch, Read, Window, Write};
use graph::Graph;
use kernels::{Function, Kernels};
use launch::{Call, Runner, accesses, shared};
use ledger::Access;
use std::collections::BTreeMap;
use std::slice::from_ref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use substitutes::library::Libraries;

pub use compile::CudaBinary;
pub use text::{CudaOptions, CudaSource};

/// A card that is open. Fields are dropped in this order, and each holds the context.
pub struct Cuda {
    kernels: Kernels,
    choices: Choices,
    libraries: Libraries,
    upload: staging::Ring,
    download: staging::Ring,
    clock: Clock,
    /// There while a profile runs.
    timer: Mutex<Option<trace::Timer>>,
    properties: Properties,
    /// Memory is to be given back to the system after the next wait.
    trimming: AtomicBool,
    context: Arc<Context>,
}

/// What [`Driver::prepare`] makes.
struct Prepared {
    work: Work,
    /// The memory that it uses.
    accesses: Vec<Access>,
    /// That which others use at the same time.
    shared: Vec<u64>,
}

enum Work {
    Calls(Vec<Call>),
    Graph(Graph),
}

/// The engine. `cuda:1` is the card with that ordinal, `cuda` the first.
pub const ENGINE: Engine = Engine {
    name: "cuda",
    reaches: "CUDA",
    list,
    open,
    request: |rest, options| match rest {
        "" => Some(open(0, options)),
        ordinal => Some(open(ordinal.parse().ok()?, options)),
    },
};

/// Every card; none without NVIDIA's libraries.
fn list() -> Vec<Properties> {
    card::list()
}

/// Opens the card with this ordinal.
///
/// Errors: a library is missing; no such card.
fn open(ordinal: usize, options: &Options) -> Result<Arc<dyn Driver>> {
    let (mut card, properties) = card::describe(ordinal)?;
    let mut properties = properties.opened();
    card.name = properties.label();
    properties.caps.denormals &= !options.fast_math;
    nvrtc::version()?;
    let context = Context::open(card)?;
    let kernels = Kernels::new(context.clone(), properties.caps.clone(), options.fast_math);
    Ok(Arc::new(Cuda {
        choices: Choices::from_environment(kernels.folder(), options.deterministic),
        libraries: Libraries::default(),
        kernels,
        upload: staging::Ring::default(),
        download: staging::Ring::default(),
        clock: Clock::default(),
        timer: Mutex::default(),
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

    /// The kernels that run for launches.
    fn functions(&self, launches: &[Launch]) -> Result<Vec<Arc<Function>>> {
        self.make_ready(launches)?;
        launches.iter().map(|launch| self.function(launch)).collect()
    }

    fn make_ready(&self, launches: &[Launch]) -> Result<()> {
        if launches.len() > 1 {
            self.kernels.make_ready(launches.iter().map(|launch| &launch.kernel))?;
        }
        Ok(())
    }

    /// Runs launches once.
    fn run(&self, launches: &[Launch]) -> Result<()> {
        // All of them first: the clock is not to count a compilation between two launches.
        self.make_ready(launches)?;
        let work = launches.iter().map(|launch| self.work(launch)).collect::<Result<Vec<Runner>>>()?;
        let limit = self.properties.caps.grid;
        let context = &self.context;
        if context.observer.recorder.running() {
            let mut pairs = launches.iter().zip(&work);
            return pairs.try_for_each(|(launch, work)| {
                let (launches, work) = (from_ref(launch), from_ref(work));
                context.ordered_with(accesses(launches), shared(launches), |stream| {
                    let run = || launch::run_all(context, stream, launches, work, limit);
                    self.timed(stream, || Task::of(launch), run)
                })
            });
        }
        context.ordered_with(accesses(launches), shared(launches), |stream| {
            self.clock.around(context, stream, || launch::run_all(context, stream, launches, &work, limit))
        })
    }
}

/// The memory that launches use, each block once.
fn distinct(launches: &[Launch]) -> Vec<Access> {
    let mut all: BTreeMap<u64, bool> = BTreeMap::new();
    accesses(launches).for_each(|(address, writes)| *all.entry(address).or_default() |= writes);
    all.into_iter().collect()
}

impl Allocator for Cuda {
    fn lane(&self) -> usize {
        self.context.lane()
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn allocate(&self, bytes: u64, _used: u64, place: Place) -> Result<Block> {
        let _entered = self.context.enter()?;
        Ok(Box::new(memory::Block::new(&self.context, bytes, place)?))
    }

    /// The stream's pool keeps what is freed until the next wait.
    fn forget(&self) {
        self.trimming.store(true, Ordering::Relaxed);
    }

    fn wait(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        self.context.synchronize("wait")?;
        if self.trimming.swap(false, Ordering::Relaxed) {
            self.context.trim();
        }
        Ok(())
    }
}

impl Driver for Cuda {
    fn prepare(&self, launches: &[Launch]) -> Result<Block> {
        let _entered = self.context.enter()?;
        let calls = self.calls(launches)?;
        let work = match calls.len() {
            0 | 1 => Work::Calls(calls),
            _ => Work::Graph(Graph::new(&self.context, launches, calls)?),
        };
        Ok(Box::new(Prepared { work, accesses: distinct(launches), shared: shared(launches).collect() }))
    }

    fn submit_prepared(&self, prepared: &Block, _launches: &[Launch]) -> Result<()> {
        let _entered = self.context.enter()?;
        let prepared: &Prepared = prepared.downcast_ref().expect("prepared by this engine");
        let context = &self.context;
        let (uses, shared) = (prepared.accesses.iter().copied(), prepared.shared.iter().copied());
        context.ordered_with(uses, shared, |stream| {
            self.clock.around(context, stream, || match &prepared.work {
                Work::Calls(calls) => {
                    let one = |call: &Call| self.timed(stream, || call.task(), || call.run(context, stream));
                    calls.iter().try_for_each(one)
                }
                Work::Graph(graph) => self.timed(stream, || graph.task(), || graph.run(stream)),
            })
        })
    }

    fn submit(&self, launches: &[Launch]) -> Result<()> {
        let _entered = self.context.enter()?;
        self.run(launches)
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        let _entered = self.context.enter()?;
        let _span = self.context.observer.recorder.upload(writes);
        self.write_staged(writes)
    }

    fn peek(&self, read: &mut Read) -> bool {
        staging::peek(read)
    }

    fn read(&self, launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()> {
        let _entered = self.context.enter()?;
        if !launches.is_empty() {
            self.run(launches)?;
        }
        accepted();
        if self.context.observer.recorder.running() {
            self.context.synchronize("wait")?; // what came before is not to count as the transfer
        }
        let _span = self.context.observer.recorder.download(reads);
        self.read_staged(reads)
    }

    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        pinned::PinnedBlock::create(self, bytes, direction)
    }

    fn pins(&self) -> bool {
        true
    }

    fn units(&self) -> Option<u32> {
        Some(self.context.card.units)
    }
}

impl Compiling for Cuda {
    fn compile(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>> {
        let _entered = self.context.enter()?;
        self.kernels.get(kernel).map(|_| vec![])
    }

    fn occupancy(&self, kernel: &Kernel) -> Result<Option<Occupancy>> {
        let _entered = self.context.enter()?;
        occupancy::of(&self.context, &*self.kernels.get(kernel)?).map(Some)
    }
}

impl Tracing for Cuda {
    fn start_clock(&self) -> Result<bool> {
        let _entered = self.context.enter()?;
        self.clock.start();
        Ok(true)
    }

    fn stop_clock(&self) -> Result<Duration> {
        let _entered = self.context.enter()?;
        self.clock.stop(&self.context)
    }

    fn observer(&self) -> &Observer {
        &self.context.observer
    }

    fn start_trace(&self) -> Result<bool> {
        let _entered = self.context.enter()?;
        self.start_timer().map(|()| true)
    }

    fn stop_trace(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        self.stop_timer()
    }
}

impl Interop for Cuda {
    fn home(&self) -> Option<Home> {
        Some(Home::Cuda(self.context.card.ordinal))
    }

    fn address(&self, memory: &Memory) -> Result<Option<u64>> {
        let _entered = self.context.enter()?;
        let address = memory::block(memory).address();
        // Others may write there: it counts as work that does.
        self.context.ordered([(address, true)].into_iter(), |_| Ok(Some(address)))
    }

    unsafe fn adopt(&self, foreign: &mut Foreign) -> Option<Block> {
        if Some(foreign.home) != self.home() {
            return None;
        }
        let (address, owner, context) = (foreign.address, foreign.owner.take(), self.context.clone());
        self.context.born(address); // what was queued to write it is done, as its owner promises
        Some(Box::new(memory::Block::Foreign(memory::ForeignMemory { address, owner, context })))
    }

    fn stream(&self) -> Option<*mut std::ffi::c_void> {
        Some(self.context.current().cast())
    }

    fn in_stream(&self, uses: &[(Window, bool)], work: &mut ForeignWork) -> Result<bool> {
        let _entered = self.context.enter()?;
        let of = |window: &Window| memory::block(&window.memory).address();
        let accesses = uses.iter().map(|(window, writes)| (of(window), *writes));
        let addresses: Vec<u64> = uses.iter().map(|(window, _)| of(window) + window.offset).collect();
        self.context.ordered(accesses, |stream| work(stream.cast(), &addresses)).map(|()| true)
    }
}

impl Substitutes for Cuda {
    fn choices(&self) -> Option<&Choices> {
        Some(&self.choices)
    }

    fn ways(&self, launch: &Launch) -> Vec<Way> {
        let Ok(_entered) = self.context.enter() else { return vec![Way::Wgsl] };
        let native = self.native_of(launch).map(|_| Way::Native);
        let library = self.libraries.call(launch, &self.context).map(|_| Way::Library);
        [Some(Way::Wgsl), native, library].into_iter().flatten().collect()
    }

    fn timers<'a>(&'a self, launch: &'a Launch, ways: &[Way]) -> Result<Vec<Timer<'a>>> {
        self.timers_of(launch, ways)
    }

    fn identity(&self) -> String {
        let Properties { name, driver, .. } = &self.properties;
        format!("{name} {driver} fast_math {}", self.kernels.options().fast_math)
    }

    fn label(&self, way: Way, launch: &Launch) -> &'static str {
        match way {
            Way::Wgsl => "translated WGSL",
            Way::Native => "native CUDA",
            Way::Library => self.libraries.call(launch, &self.context).map_or("a library", |call| call.name()),
        }
    }

    fn native_text(&self, launch: &Launch) -> Option<String> {
        text::CudaSource::native(&launch.kernel, &self.kernels.options()).map(|source| source.text)
    }
}
