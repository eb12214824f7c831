//! Which of the ways to run a kernel is taken: its translation, its native or cuBLASLt.
//!
//! It is measured the first time that a shape class comes, and kept beside the compiled kernels.

use super::Cuda;
use super::context::Context;
use super::event::Event;
use super::kernels::Function;
use super::launch::{Arguments, Runner, run};
use super::memory::{Block, block};
use super::substitutes::natives::native_for;
use crate::backend::{Choice, Class, Times, WGSL, Way, class, name_of};
use crate::cache::hash;
use crate::error::{ErrorKind, Result};
use crate::kernel::{Access, Contract};
use crate::memory::Place;
use crate::work::Launch;
use cudarc::driver::sys;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Launches between two events, and how often that is done; the best counts.
const LAUNCHES: u32 = 4;
const ROUNDS: u32 = 5;
/// After so long there is no further round: what takes that long varies little.
const PATIENCE: Duration = Duration::from_millis(50);

impl Cuda {
    /// The kernel that runs for a launch, or its native: what recordings are made of.
    pub(super) fn function(&self, launch: &Launch) -> Result<Arc<Function>> {
        let choice = self.choice(launch)?;
        self.function_of(launch, choice.kernel)
    }

    /// What runs for a launch.
    pub(super) fn work(&self, launch: &Launch) -> Result<Runner> {
        let choice = self.choice(launch)?;
        let product = if choice.best == Way::Library { self.products.call(launch) } else { None };
        match product {
            Some(product) => Ok(Runner::Product(product)),
            None => Ok(Runner::Function(self.function_of(launch, choice.kernel)?)),
        }
    }

    fn function_of(&self, launch: &Launch, way: Way) -> Result<Arc<Function>> {
        match native_for(&launch.kernel, self.kernels.options().architecture) {
            Some(native) if way == Way::Native => self.kernels.native(&launch.kernel, &native),
            _ => self.kernels.get(&launch.kernel),
        }
    }

    /// The ways that there are for a launch, the WGSL first.
    fn ways(&self, launch: &Launch) -> Vec<Way> {
        let native = native_for(&launch.kernel, self.kernels.options().architecture).map(|_| Way::Native);
        let library = self.products.call(launch).map(|_| Way::Library);
        [Some(Way::Wgsl), native, library].into_iter().flatten().collect()
    }

    fn choice(&self, launch: &Launch) -> Result<Choice> {
        if launch.kernel.contract().is_none() {
            return Ok(WGSL);
        }
        match self.settled() {
            Some(choice) => Ok(choice),
            None => self.fastest(launch),
        }
    }

    /// The choice that is one for all launches; `None` if it is measured.
    fn settled(&self) -> Option<Choice> {
        self.choices.setting().settled(self.deterministic)
    }

    fn fastest(&self, launch: &Launch) -> Result<Choice> {
        let class = class(launch);
        let key = || self.choice_key(launch, class);
        // Whether the library does a product depends on more than the class says; it remembers what it cannot do.
        let lasting = !matches!(launch.kernel.contract(), Some(Contract::Contraction(_)));
        let ways = match self.choices.look(class, lasting, || self.ways(launch), &key) {
            Ok(choice) => return Ok(choice),
            Err(ways) => ways,
        };
        match self.measure(launch, &ways) {
            Ok(times) => Ok(self.choices.keep(class, &key(), &times)),
            Err(error) if matches!(error.kind(), ErrorKind::DeviceLost { .. }) => Err(error),
            Err(error) => {
                log::warn!("{}: its ways are not compared: {error}", launch.kernel.name());
                self.choices.known().insert(class, WGSL);
                Ok(WGSL)
            }
        }
    }

    /// All that a choice depends on.
    fn choice_key(&self, launch: &Launch, (_, [groups, bytes]): Class) -> String {
        let options = self.kernels.options();
        let text = launch.kernel.cuda_native(&options).map(|source| source.text).unwrap_or_default();
        let ways: Vec<&str> = self.ways(launch).into_iter().map(name_of).collect();
        format!(
            "{} {} fast_math {} groups 2^{groups} bytes 2^{bytes} {} {:032x} {:032x}",
            self.properties.name,
            self.properties.driver,
            options.fast_math,
            ways.join(" "),
            hash(launch.kernel.source().as_bytes()),
            hash(text.as_bytes())
        )
    }

    /// Microseconds that each way takes, on the launch's inputs and outputs of their own.
    fn measure(&self, launch: &Launch, ways: &[Way]) -> Result<Times> {
        let context = &self.context;
        // What is measured runs in the main stream, whatever the others do with its inputs.
        context.synchronize("measure")?;
        let mut outputs = Vec::new();
        for (point, window) in launch.kernel.bindings().iter().zip(&launch.buffers) {
            let written = point.access == Access::Write;
            outputs.push(if written { Some(Block::new(context, window.bytes, Place::Device)?) } else { None });
        }
        let windows = launch.buffers.iter().zip(&outputs).map(|(window, output)| match output {
            Some(output) => (output.address(), window.bytes),
            None => (block(&window.memory).address() + window.offset, window.bytes),
        });
        let mut arguments = Arguments::default();
        arguments.set(windows, &launch.params);
        let grid = launch.grid.fold(self.properties.caps.grid);
        let written = || {
            outputs.iter().zip(&launch.buffers).filter_map(|(output, window)| Some((output.as_ref()?, window.bytes)))
        };
        let native = native_for(&launch.kernel, self.kernels.options().architecture);
        let reads_back = native.is_some_and(|native| native.reads_back);
        let mut work = Vec::new();
        for &way in ways {
            let product = if way == Way::Library { self.products.call(launch) } else { None };
            let first = written().next().map(|(output, _)| output.address());
            work.push(match (product, first) {
                (Some(product), Some(output)) => Runner::Product(product.into(output)),
                _ => Runner::Function(self.function_of(launch, way)?),
            });
        }
        let mut times: Times = ways.iter().map(|&way| (way, f64::INFINITY)).collect();
        let start = Instant::now();
        for round in 0..ROUNDS {
            if round > 0 && start.elapsed() > PATIENCE {
                break;
            }
            for (work, (_, best)) in work.iter().zip(&mut times) {
                let launch = || match work {
                    Runner::Function(function) => run(context, context.stream, function, grid, &arguments),
                    Runner::Product(product) => product.run(context, context.stream),
                };
                *best = best.min(match reads_back {
                    true => time_afresh(context, written(), launch)?,
                    false => time(context, launch)?,
                });
            }
        }
        Ok(times)
    }

    /// For `explain()`: what runs for a launch, if there is a choice, and its text if that is a native.
    pub(super) fn explained(&self, launch: &Launch) -> Option<(&'static str, Option<String>)> {
        let options = self.kernels.options();
        let native = || launch.kernel.cuda_native(&options).map(|source| source.text);
        if self.ways(launch).len() == 1 {
            return None;
        }
        let class = class(launch);
        let known = self.settled().or_else(|| self.choices.find(class, &|| self.choice_key(launch, class)));
        Some(match known.map(|choice| choice.best) {
            Some(Way::Native) if native().is_some() => ("native CUDA", native()),
            Some(Way::Native) => ("translated WGSL, not what else there is", None),
            Some(Way::Library) => ("cuBLASLt", None),
            Some(Way::Wgsl) => ("translated WGSL, not what else there is", None),
            None => ("translated WGSL or something else, as will be measured", None),
        })
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
fn time_afresh<'a>(
    context: &Arc<Context>,
    written: impl Iterator<Item = (&'a Block, u64)>,
    launch: impl Fn() -> Result<()>,
) -> Result<f64> {
    let (start, end) = (Event::new(context, true)?, Event::new(context, true)?);
    for (block, bytes) in written {
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
