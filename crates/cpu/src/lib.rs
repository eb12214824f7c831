//! Internal to `crosslane`, and of its version. The engine that needs no GPU: WGSL on the processor, interpreted or compiled to
//! machine code, one program on many lanes.
//!
//! Interpreted, each instruction runs over all invocations of a workgroup before the next one, workgroups side by side. That makes
//! barriers exact, and what GPUs hide can be seen: a device that checks finds races, accesses out of bounds, reads of
//! memory never written, divergent barriers and waiting for other workgroups. A profile simulates the limits of other
//! hardware.
//!
//! | file | what it is |
//! |---|---|
//! | `lower/` | naga's IR to instructions |
//! | `program.rs`, `visit.rs` | the instructions, and what they read and write |
//! | `lanes.rs`, `scalar.rs` | arithmetic, as loops over lanes |
//! | `run/` | one workgroup: control flow by masks, memory, atomics, subgroups |
//! | `tier.rs`, `compiled.rs`, `jit/` | the compiled tier: when a kernel is compiled, and how |
//! | `shared.rs` | compiled kernels that devices share |
//! | `substitutes/` | what runs in place of a kernel: gemm, a radix sort |
//! | `schedule.rs` | many workgroups: side by side, or in turns |
//! | `check/` | the sanitizer |
//! | `profile.rs` | other people's hardware |
//! | `order.rs` | events |

#![cfg_attr(not(feature = "jit"), allow(dead_code, unused_imports, reason = "parts for machine code alone"))]

mod atomics;
mod check;
mod compiled;
#[cfg(feature = "jit")]
mod jit;
mod lanes;
mod lower;
mod memory;
mod order;
mod profile;
mod program;
mod request;
mod run;
mod scalar;
mod schedule;
mod shared;
mod subgroups;
#[cfg(feature = "jit")]
mod substitutes;
mod tier;
mod turns;
mod visit;

use compiled::Compiled;
use crosslane_core::caps::Caps;
#[cfg(feature = "jit")]
use crosslane_core::engine::Choices;
use crosslane_core::engine::{
    Compiling, Driver, Habits, HostBlock, Interop, Mapping, Observer, Options, Order as _, Tracing, Waits, lent,
};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::{Access, Kernel};
use crosslane_core::memory::{Allocator, Block, Direction, Foreign, Home, Lent, Memory, Place};
use crosslane_core::properties::{Backend, DeviceKind, Properties};
use crosslane_core::recent::Recent;
use crosslane_core::trace::SpanKind;
use crosslane_core::trace::recorder::{Task, Timed};
use crosslane_core::work::{Launch, Read, Write};
use memory::View;
use run::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use turns::{Turns, Use};

use crosslane_core::report::{Checks, Report};
pub use profile::{Profile, WorkgroupOrder};
pub use request::ENGINE;
use schedule::Stuck;
use shared::Identity;
pub use tier::Tier;

/// Kernels that are kept lowered.
const KEPT: usize = 1024;

/// The engine.
pub struct Cpu {
    properties: Properties,
    profile: Profile,
    checks: Option<Checks>,
    budget: Duration,
    tier: Tier,
    /// Whether substitutes run; none of a device that interprets.
    #[cfg(feature = "jit")]
    choices: Option<Choices>,
    kernels: Recent<u64, Arc<Compiled>>,
    turns: Turns,
    waits: Waits,
    /// Nanoseconds that launches have taken since the clock was started.
    busy: AtomicU64,
    observer: Observer,
}

/// Whether this build compiles kernels on this machine.
pub(crate) fn compiles() -> bool {
    #[cfg(feature = "jit")]
    return jit::is_available();
    #[cfg(not(feature = "jit"))]
    return false;
}

/// What the processor is as a device.
pub fn properties(profile: &Profile, checks: Option<Checks>, tier: Tier) -> Properties {
    let threads = crosslane_core::threads::count();
    let checked = if checks.is_some() { ", checked" } else { "" };
    let is_own = profile.name == "native" || tier != Tier::Interpreted;
    let as_other = if is_own { String::new() } else { format!(" as {}", profile.name) };
    let driver = format!("crosslane {}, {threads} threads, {}", env!("CARGO_PKG_VERSION"), tier.how());
    let name = format!("{}{as_other}{checked}", tier.name());
    let mut properties = Properties::new(name, Backend::Cpu, DeviceKind::Software, profile.caps.clone());
    (properties.vendor, properties.driver) = ("crosslane".into(), driver);
    properties
}

/// An engine that stands in for the hardware of a profile.
pub fn open(profile: Profile, checks: Option<Checks>, tier: Tier, options: &Options) -> Result<Arc<dyn Driver>> {
    if !profile.subgroup.is_power_of_two() || !(4..=128).contains(&profile.subgroup) {
        let wanted = "a power of two from 4 to 128".to_string();
        let (operation, argument, got) = ("Device::cpu_as", "Profile::subgroup".into(), profile.subgroup.to_string());
        return Err(ErrorKind::Argument { operation, argument, wanted, got, at: None }.into());
    }
    // What is checked is interpreted, and what stands in for other hardware.
    let tier = if checks.is_none() && profile.caps.processor.is_some() { tier } else { Tier::Interpreted };
    Ok(Arc::new(Cpu {
        properties: properties(&profile, checks, tier).opened(),
        tier,
        #[cfg(feature = "jit")]
        choices: (tier != Tier::Interpreted).then(|| Choices::from_environment(None, options.deterministic)),
        profile,
        checks,
        budget: options.budget(),
        kernels: Recent::new(KEPT),
        turns: Turns::default(),
        waits: Waits::default(),
        busy: AtomicU64::new(0),
        observer: Observer::default(),
    }))
}

/// Whether a launch writes to memory that the host sees.
fn writes_lent(launch: &Launch) -> bool {
    let points = launch.kernel.bindings().iter().zip(&launch.buffers);
    points.into_iter().any(|(point, window)| point.access == Access::Write && window.memory.is_lent())
}

/// Memory that the host sees: launches do not write to it until it is given back.
struct Shown {
    memory: Arc<Memory>,
    offset: u64,
    bytes: u64,
    _lent: Lent,
}

impl Mapping for Shown {
    fn bytes(&self) -> &[u8] {
        // SAFETY: it was lent while no launch ran, and launches that would write to it are refused since.
        unsafe { block(&self.memory).bytes(self.offset, self.bytes) }
    }
}

fn block(memory: &Memory) -> &memory::Block {
    memory.block().downcast_ref().expect("memory of a cpu device is a block of words")
}

impl Cpu {
    fn compiled(&self, kernel: &Kernel) -> Result<Arc<Compiled>> {
        if let Some(compiled) = self.kernels.get(&kernel.id()) {
            return Ok(compiled);
        }
        let _compiling = self.observer.recorder.open(SpanKind::Compile, kernel.name(), 0);
        let target = lower::Target {
            subgroup: self.profile.subgroup,
            bindings: kernel.bindings().iter().map(|point| (point.group, point.binding)).collect(),
            checked: self.checks.is_some(),
            clamps: !kernel.is_trusted(),
            nan: self.checks.is_some_and(|checks| checks.nan),
        };
        let identity = Identity::of(kernel, target, self.tier);
        let compiled = shared::compiled(kernel, identity, |identity| Compiled::new(kernel, identity))?;
        Ok(self.kernels.keep(kernel.id(), compiled))
    }

    /// Called where a call begins: an error if a test has lost the device.
    fn begin(&self) -> Result<()> {
        match self.observer.loss.is_due() {
            false => Ok(()),
            true => {
                let (device, reason) = (self.properties.label(), "lost by a test".into());
                Err(ErrorKind::DeviceLost { device, reason }.into())
            }
        }
    }

    /// The pool adds its figures.
    fn out_of_memory(&self, operation: &'static str, requested: u64) -> Error {
        Error::out_of_memory(operation, requested, None, self.properties.label())
    }

    fn run(&self, launches: &[Launch]) -> Result<()> {
        self.begin()?;
        let prepared: Vec<_> = launches.iter().map(|l| Ok((l, self.compiled(&l.kernel)?))).collect::<Result<_>>()?;
        // The checks depend on the launches that ran before.
        let uses = if self.checks.is_some() { Use::everything() } else { Use::of(launches) };
        let _in_order = self.turns.take(uses);
        if launches.iter().any(writes_lent) {
            return Err(lent("launch"));
        }
        let started = Instant::now();
        let mut report = Report::default();
        let result = prepared.iter().try_for_each(|(launch, compiled)| {
            let start = Instant::now();
            let result = self.launch(launch, compiled, &mut report);
            if self.observer.recorder.running() {
                let (kind, task, duration) = (SpanKind::Launch, Task::of(launch), start.elapsed());
                self.observer.recorder.add(Timed { kind, task, start, duration });
            }
            result
        });
        self.busy.fetch_add(started.elapsed().as_nanos() as u64, Relaxed);
        match (result, report.findings.is_empty()) {
            (result, true) => result,
            (Ok(()), false) => Err(ErrorKind::Defects { report: Box::new(report) }.into()),
            (Err(endless), false) => {
                // The loop may not end because of what was found.
                log::warn!("found before a kernel was stopped:\n{report}");
                Err(endless)
            }
        }
    }

    fn launch(&self, launch: &Launch, compiled: &Arc<Compiled>, report: &mut Report) -> Result<()> {
        let params: Vec<AtomicU32> = launch.params.iter().map(|&word| AtomicU32::new(word)).collect();
        let stop = AtomicBool::new(false);
        let groups = launch.grid.fold(self.profile.caps.grid);
        let until =
            Instant::now().checked_add(self.budget).filter(|_| self.checks.is_none() && launch.kernel.is_watched());
        #[cfg(feature = "jit")]
        if let Some(substitute) = self.substitute(launch)? {
            // SAFETY: this launch has its turn: no other one uses what it writes, or writes what it reads.
            unsafe { substitute.run() };
            return Ok(());
        }
        #[cfg(feature = "jit")]
        if let Some(code) = compiled.code(launch, groups) {
            let stuck = self.run_code(&code, compiled, launch, &params, groups, (&stop, until));
            return self.ended(compiled, stuck);
        }
        let program = compiled.program();
        let view = |buffer: &program::Buffer| match buffer.window {
            Some(window) => {
                let window = &launch.buffers[window];
                View::new(&block(&window.memory).words[(window.offset / 4) as usize..], window.bytes)
            }
            None => View::new(&params, u64::MAX),
        };
        let context = Context {
            program,
            buffers: program.buffers.iter().map(view).collect(),
            immediates: &params,
            groups,
            stop: &stop,
            budget: self.budget,
            until,
        };
        let endless = match self.checks {
            Some(checks) => self.run_checked(&context, compiled, launch, checks, report),
            None => self.run_side_by_side(&context, compiled),
        };
        let site = |step: u32| program.code[step as usize].site;
        self.ended(compiled, endless.map(|(step, group)| (step.map(site), group)))
    }

    /// What a launch gives: an error if a workgroup was stopped, with the site of its loop.
    fn ended(&self, compiled: &Compiled, stuck: Option<Stuck>) -> Result<()> {
        let Some((site, group)) = stuck else { return Ok(()) };
        let lowered = &compiled.lowered;
        let line = |site: u32| lowered.sites[site as usize].location(&lowered.source).line_number;
        Err(ErrorKind::Endless {
            kernel: lowered.name.clone(),
            line: site.map_or(0, line),
            workgroup: Some(group),
            seconds: self.budget.as_secs_f64(),
        }
        .into())
    }
}

impl Allocator for Cpu {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn recycles(&self) -> bool {
        self.checks.is_none()
    }

    fn allocate(&self, bytes: u64, used: u64, _place: Place) -> Result<Block> {
        self.begin()?;
        let block = memory::Block::new(bytes, used, self.checks.is_some());
        Ok(Box::new(block.ok_or_else(|| self.out_of_memory("allocate", bytes))?))
    }

    /// Machines that have run a kernel hold registers for every invocation of a workgroup.
    fn forget(&self) {
        self.kernels.values().iter().for_each(|compiled| compiled.forget());
    }

    /// Launches have run when they are submitted.
    fn wait(&self) -> Result<()> {
        drop(self.observer.recorder.wait("wait"));
        self.wait_stream()
    }
}

impl Driver for Cpu {
    fn habits(&self) -> Habits {
        Habits { stops_loops: true, checks_matrices: true, ..Habits::default() }
    }

    fn prepare(&self, launches: &[Launch]) -> Result<Block> {
        self.begin()?;
        launches.iter().try_for_each(|launch| self.compiled(&launch.kernel).map(drop))?;
        Ok(Box::new(())) // compiled kernels are kept
    }

    fn submit_prepared(&self, _prepared: &Block, launches: &[Launch]) -> Result<()> {
        self.run(launches)
    }

    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.run(launches)
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        self.begin()?;
        let _span = self.observer.recorder.upload(writes);
        let uses = writes.iter().map(|write| Use::part(write.to, write.offset, write.from.len(), true));
        let _between_launches = self.turns.take(uses.collect());
        writes.iter().for_each(|write| block(write.to).write(write.offset, write.from));
        Ok(())
    }

    fn read(&self, launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()> {
        self.run(launches)?;
        accepted();
        self.begin()?;
        self.waits.one();
        let _span = self.observer.recorder.download(reads);
        let uses = reads.iter().map(|read| Use::part(read.from, read.offset, read.to.len(), false));
        let _between_launches = self.turns.take(uses.collect());
        reads.iter_mut().for_each(|read| block(read.from).read(read.offset, read.to));
        Ok(())
    }

    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        self.begin()?;
        let room = usize::try_from(bytes).ok().and_then(memory::zeros);
        let bytes = room.ok_or_else(|| self.out_of_memory("host_block", bytes))?;
        Ok(Box::new(HostBytes { engine: self, bytes, direction }))
    }

    fn pad(&self, memory: &Memory, from: u64) {
        if self.checks.is_some() {
            // A launch takes with it what was written.
            let _between_launches = self.turns.take(Use::everything());
            block(memory).pad(from);
        }
    }

    fn units(&self) -> Option<u32> {
        Some(crosslane_core::threads::count() as u32)
    }
}

impl Compiling for Cpu {
    fn compile(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>> {
        self.begin()?;
        self.compiled(kernel).map(|_| vec![])
    }
}

impl Tracing for Cpu {
    fn start_clock(&self) -> Result<bool> {
        self.begin()?;
        self.busy.store(0, Relaxed);
        Ok(self.properties.caps.timestamps)
    }

    fn stop_clock(&self) -> Result<Duration> {
        self.waits.one();
        Ok(Duration::from_nanos(self.busy.load(Relaxed)))
    }

    fn observer(&self) -> &Observer {
        &self.observer
    }

    fn start_trace(&self) -> Result<bool> {
        Ok(self.properties.caps.timestamps)
    }

    fn stop_trace(&self) -> Result<()> {
        Ok(())
    }
}

impl Interop for Cpu {
    fn mapped(self: Arc<Self>, memory: &Arc<Memory>, offset: u64, bytes: u64) -> Result<Option<Box<dyn Mapping>>> {
        self.begin()?;
        self.waits.one();
        let _between_launches = self.turns.take(Use::everything());
        let lent = memory.lend();
        Ok(Some(Box::new(Shown { memory: memory.clone(), offset, bytes, _lent: lent })))
    }

    fn home(&self) -> Option<Home> {
        Some(Home::Host)
    }

    fn address(&self, memory: &Memory) -> Result<Option<u64>> {
        Ok(Some(block(memory).words.as_ptr() as usize as u64))
    }

    unsafe fn adopt(&self, foreign: &mut Foreign) -> Option<Block> {
        if foreign.home != Home::Host || self.checks.is_some() {
            return None; // of memory that is not its own a device that checks does not know what was written
        }
        // SAFETY: as the caller says.
        let block = unsafe { memory::Block::foreign(foreign.address, foreign.bytes, &mut foreign.owner) };
        block.map(|block| Box::new(block) as Block)
    }
}

#[cfg(not(feature = "jit"))]
impl crosslane_core::engine::Substitutes for Cpu {}

/// Host memory beside the device's, which is host memory too.
struct HostBytes {
    engine: Arc<Cpu>,
    bytes: Box<[u8]>,
    direction: Direction,
}

impl HostBlock for HostBytes {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(&self.bytes)
    }

    fn fill(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.engine.begin()?;
        self.bytes[offset..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn transfer(&mut self, memory: &Memory, offset: u64, bytes: u64) -> Result<()> {
        self.engine.begin()?;
        let host = &mut self.bytes[..bytes as usize];
        match self.direction {
            Direction::Upload => block(memory).write(offset, host),
            Direction::Download => {
                self.engine.waits.one();
                block(memory).read(offset, host);
            }
        }
        Ok(())
    }
}
