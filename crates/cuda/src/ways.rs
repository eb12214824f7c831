//! The ways to run a launch, its kernel's translation, its native or a library, and how long each takes.

use super::Cuda;
use super::context::Context;
use super::event::Event;
use super::kernels::Function;
use super::launch::{Arguments, Runner, run};
use super::memory::{Block, block};
use super::substitutes::natives::{Native, native_for};
use crosslane_core::engine::{Timer, Way, choose};
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
use crosslane_core::memory::Place;
use crosslane_core::work::Launch;
use cudarc::driver::sys;
use std::rc::Rc;
use std::sync::Arc;

/// Launches between two events.
const LAUNCHES: u32 = 4;

impl Cuda {
    /// The kernel that runs for a launch, or its native: what recordings are made of.
    pub(super) fn function(&self, launch: &Launch) -> Result<Arc<Function>> {
        let choice = choose(self, launch)?;
        self.function_of(launch, choice.kernel)
    }

    /// What runs for a launch.
    pub(super) fn work(&self, launch: &Launch) -> Result<Runner> {
        let choice = choose(self, launch)?;
        let call = if choice.best == Way::Library { self.libraries.call(launch, &self.context) } else { None };
        match call {
            Some(call) => Ok(Runner::Library(call)),
            None => Ok(Runner::Function(self.function_of(launch, choice.kernel)?)),
        }
    }

    pub(super) fn native_of(&self, launch: &Launch) -> Option<Native> {
        native_for(&launch.kernel, self.kernels.options().architecture)
    }

    fn function_of(&self, launch: &Launch, way: Way) -> Result<Arc<Function>> {
        match self.native_of(launch) {
            Some(native) if way == Way::Native => self.kernels.native(&launch.kernel, &native),
            _ => self.kernels.get(&launch.kernel),
        }
    }

    pub(super) fn timers_of<'a>(&'a self, launch: &'a Launch, ways: &[Way]) -> Result<Vec<Timer<'a>>> {
        let context = &self.context;
        // What is measured runs in the main stream, whatever the others do with its inputs.
        context.synchronize("measure")?;
        let mut outputs = Vec::new();
        for (point, window) in launch.kernel.bindings().iter().zip(&launch.buffers) {
            let written = point.access == Access::Write;
            let output = if written { Some(Block::new(context, window.bytes, Place::Device)?) } else { None };
            outputs.push((output, window.bytes));
        }
        let windows = launch.buffers.iter().zip(&outputs).map(|(window, (output, bytes))| match output {
            Some(output) => (output.address(), *bytes),
            None => (block(&window.memory).address() + window.offset, *bytes),
        });
        let mut arguments = Arguments::default();
        arguments.set(windows, &launch.params);
        let grid = launch.grid.fold(self.properties.caps.grid);
        let reads_back = self.native_of(launch).is_some_and(|native| native.reads_back);
        let first = outputs.iter().find_map(|(output, _)| Some(output.as_ref()?.address()));
        let (outputs, arguments) = (Rc::new(outputs), Rc::new(arguments));
        let timer = |&way: &Way| -> Result<Timer<'a>> {
            let call = if way == Way::Library { self.libraries.call(launch, context) } else { None };
            let work = match (call, first) {
                (Some(call), Some(output)) => Runner::Library(call.into(output)),
                _ => Runner::Function(self.function_of(launch, way)?),
            };
            let (outputs, arguments) = (outputs.clone(), arguments.clone());
            Ok(Box::new(move || {
                let launch = || match &work {
                    Runner::Function(function) => run(context, context.stream, function, grid, &arguments),
                    Runner::Library(call) => call.run(context, context.stream),
                };
                match reads_back {
                    true => time_afresh(context, &outputs, launch),
                    false => time(context, launch),
                }
            }))
        };
        ways.iter().map(timer).collect()
    }
}

/// Microseconds of one launch out of several.
fn time(context: &Arc<Context>, launch: impl Fn() -> Result<()>) -> Result<f64> {
    let (start, end) = (Event::new(context, true)?, Event::new(context, true)?);
    let stream = context.stream;
    launch()?;
    start.record(stream)?;
    (0..LAUNCHES).try_for_each(|_| launch())?;
    end.record(stream)?;
    end.wait("measure")?;
    Ok(end.since(&start)? * 1e3 / LAUNCHES as f64)
}

/// Microseconds of one launch that finds zeros in what it writes.
fn time_afresh(
    context: &Arc<Context>,
    outputs: &[(Option<Block>, u64)],
    launch: impl Fn() -> Result<()>,
) -> Result<f64> {
    let (start, end) = (Event::new(context, true)?, Event::new(context, true)?);
    for (block, bytes) in outputs.iter().filter_map(|(block, bytes)| Some((block.as_ref()?, *bytes))) {
        // SAFETY: the block has as many bytes, and lives until the event below is over.
        let cleared = unsafe { sys::cuMemsetD8Async(block.address(), 0, bytes as usize, context.stream) };
        context.check("measure", cleared)?;
    }
    start.record(context.stream)?;
    launch()?;
    end.record(context.stream)?;
    end.wait("measure")?;
    Ok(end.since(&start)? * 1e3)
}
