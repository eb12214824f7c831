//! Which of the ways to run a kernel is taken: its translation, its native or cuBLASLt.
//!
//! It is measured the first time that a shape class comes, and kept beside the compiled kernels.

use super::Cuda;
use super::cache::hash;
use super::context::Context;
use super::event::Event;
use super::kernels::Function;
use super::launch::{Arguments, Runner, run};
use super::memory::{Block, block};
use super::substitutes::natives::native_for;
use crate::cache;
use crate::error::{ErrorKind, Result};
use crate::kernel::{Access, Contract};
use crate::memory::Place;
use crate::work::Launch;
use cudarc::driver::sys;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Whether kernels written by hand run in place of translated WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Natives {
    /// Where they are faster, as measured on the device.
    #[default]
    Auto,
    /// Never.
    Off,
    /// Wherever there is one.
    On,
    /// NVIDIA's library cuBLASLt wherever it does the whole of a kernel's work; else never.
    Library,
}

/// What may run for a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Wgsl,
    Native,
    Library,
}

/// The ways by the names that choices are kept under.
const WAYS: [(&str, Way); 3] = [("wgsl", Way::Wgsl), ("native", Way::Native), ("library", Way::Library)];

fn name_of(way: Way) -> &'static str {
    WAYS.iter().find(|(_, other)| *other == way).expect("all are listed").0
}

/// The ways that there are for a launch, and what they take.
type Times = Vec<(Way, f64)>;

/// The fastest way, and the fastest that is a kernel: the WGSL, if no other is plainly faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    best: Way,
    kernel: Way,
}

/// Where there is nothing else.
const WGSL: Choice = Choice { best: Way::Wgsl, kernel: Way::Wgsl };

impl Choice {
    fn of(times: &Times) -> Choice {
        let fastest = |ways: &dyn Fn(Way) -> bool| {
            let all = times.iter().filter(|(way, _)| ways(*way));
            let (way, time) = *all.min_by(|a, b| a.1.total_cmp(&b.1)).expect("the WGSL is always there");
            if time < times[0].1 * WORTH { way } else { Way::Wgsl }
        };
        Choice { best: fastest(&|_| true), kernel: fastest(&|way| way != Way::Library) }
    }
}

/// A native must be so much faster: a measurement is not exact.
const WORTH: f64 = 0.98;
/// Launches between two events, and how often that is done; the best counts.
const LAUNCHES: u32 = 4;
const ROUNDS: u32 = 5;
/// After so long there is no further round: what takes that long varies little.
const PATIENCE: Duration = Duration::from_millis(50);

/// A kernel, and the shape class of a launch: the powers of two that its workgroups and bytes lie between.
type Class = (u64, [u32; 2]);

/// What has been found out.
pub(super) struct Choices {
    setting: AtomicU8,
    folder: Option<PathBuf>,
    known: Mutex<HashMap<Class, Choice>>,
}

impl Choices {
    /// As the environment variable `CROSSLANE_NATIVES` says: `off`, `on`, `library` or `auto`.
    pub fn from_environment(folder: Option<PathBuf>) -> Choices {
        let natives = match std::env::var("CROSSLANE_NATIVES").as_deref() {
            Ok("off") => Natives::Off,
            Ok("on") => Natives::On,
            Ok("library") => Natives::Library,
            Ok("auto" | "") | Err(_) => Natives::Auto,
            Ok(other) => {
                log::warn!("CROSSLANE_NATIVES is {other:?}, which is none of off, on, library, auto: taken as auto");
                Natives::Auto
            }
        };
        Choices { setting: AtomicU8::new(natives as u8), folder, known: Mutex::default() }
    }

    pub fn set(&self, natives: Natives) {
        self.setting.store(natives as u8, Ordering::Relaxed);
    }

    fn setting(&self) -> Natives {
        match self.setting.load(Ordering::Relaxed) {
            0 => Natives::Auto,
            1 => Natives::Off,
            2 => Natives::On,
            _ => Natives::Library,
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Class, Choice>> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The choice for a class, or the ways to be compared: asks for what takes time to make only where that is needed.
    /// `lasting`: that there is one way holds for all of the class.
    fn look(
        &self,
        class: Class,
        lasting: bool,
        ways: impl FnOnce() -> Vec<Way>,
        key: &dyn Fn() -> String,
    ) -> Result<Choice, Vec<Way>> {
        if let Some(&found) = self.known().get(&class) {
            return Ok(found);
        }
        let ways = ways();
        if ways.len() == 1 {
            if lasting {
                self.known().insert(class, WGSL);
            }
            return Ok(WGSL);
        }
        self.find(class, key).ok_or(ways)
    }

    /// What is known, in this process or on disk.
    fn find(&self, class: Class, key: &dyn Fn() -> String) -> Option<Choice> {
        if let Some(&found) = self.known().get(&class) {
            return Some(found);
        }
        let key = key();
        let text = fs::read_to_string(self.path(&key)?).ok()?;
        let found = decode(&text, &key)?;
        self.known().insert(class, found);
        Some(found)
    }

    fn keep(&self, class: Class, key: &str, times: &Times) -> Choice {
        let choice = Choice::of(times);
        self.known().insert(class, choice);
        if let Some(path) = self.path(key)
            && let Err(error) = cache::write(&path, encode(key, times).as_bytes())
        {
            log::info!("{}: {error}; the choice is not kept", path.display());
        }
        choice
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}.choice", hash(key.as_bytes()))))
    }
}

/// A line of ways with their microseconds, and the key.
fn encode(key: &str, times: &Times) -> String {
    let line: Vec<String> = times.iter().map(|(way, time)| format!("{} {time:.2}", name_of(*way))).collect();
    format!("{}\n{key}\n", line.join(" "))
}

fn decode(text: &str, key: &str) -> Option<Choice> {
    let (line, kept) = text.split_once('\n')?;
    let words: Vec<&str> = line.split(' ').collect();
    let times = words.chunks(2).map(|pair| {
        let way = WAYS.iter().find(|(name, _)| *name == pair[0])?.1;
        Some((way, pair.get(1)?.parse().ok()?))
    });
    let times: Times = times.collect::<Option<_>>()?;
    let known = kept.strip_suffix('\n') == Some(key) && times.first().is_some_and(|(way, _)| *way == Way::Wgsl);
    known.then(|| Choice::of(&times))
}

fn class(launch: &Launch) -> Class {
    let bytes: u64 = launch.buffers.iter().map(|window| window.bytes).sum();
    let groups: u64 = launch.grid.fold(u32::MAX).iter().map(|&count| count as u64).product();
    (launch.kernel.id(), [groups.max(1).ilog2(), bytes.max(1).ilog2()])
}

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
        let (library, native) =
            (Choice { best: Way::Library, ..WGSL }, Choice { best: Way::Native, kernel: Way::Native });
        match self.choices.setting() {
            Natives::Off => Ok(WGSL),
            Natives::On => Ok(native),
            Natives::Library => Ok(library),
            Natives::Auto => self.fastest(launch),
        }
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
        let known = match self.choices.setting() {
            Natives::Auto => self.choices.find(class, &|| self.choice_key(launch, class)),
            _ => Some(self.choice(launch).ok()?),
        };
        Some(match known.map(|choice| choice.best) {
            Some(Way::Native) => ("native CUDA", native()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Looking for a kernel's text and its file takes longer than launching it.
    #[test]
    fn a_single_way_is_looked_for_once_and_needs_no_key() {
        let choices = Choices::from_environment(None);
        let (looked, keyed) = (Cell::new(0), Cell::new(0));
        let look = |class: Class, lasting: bool, ways: &[Way]| {
            let key = || {
                keyed.set(keyed.get() + 1);
                "key".to_string()
            };
            let ways = || {
                looked.set(looked.get() + 1);
                ways.to_vec()
            };
            choices.look(class, lasting, ways, &key)
        };
        let (one, two) = (&[Way::Wgsl][..], &[Way::Wgsl, Way::Native][..]);
        (0..10).for_each(|_| assert_eq!(look((1, [3, 20]), true, one), Ok(WGSL)));
        assert_eq!((looked.take(), keyed.take()), (1, 0));
        // A product of this class that the library does may come.
        (0..10).for_each(|_| assert_eq!(look((2, [3, 20]), false, one), Ok(WGSL)));
        assert_eq!((looked.take(), keyed.take()), (10, 0));
        assert_eq!(look((2, [3, 20]), false, two), Err(two.to_vec()));
        let native = choices.keep((2, [3, 20]), "key", &vec![(Way::Wgsl, 10.0), (Way::Native, 5.0)]);
        (0..10).for_each(|_| assert_eq!(look((2, [3, 20]), false, two), Ok(native)));
        assert_eq!((looked.take(), keyed.take()), (1, 1));
    }

    #[test]
    fn choices_are_kept_and_found_by_their_key_only() {
        let folder = std::env::temp_dir().join(format!("crosslane-choices-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let choices = || Choices::from_environment(Some(folder.clone()));
        let class = (7, [3, 20]);
        let times = |native: f64| vec![(Way::Wgsl, 10.0), (Way::Native, native), (Way::Library, 12.0)];
        let (native, wgsl) =
            (Choice { best: Way::Native, kernel: Way::Native }, Choice { best: Way::Wgsl, kernel: Way::Wgsl });
        assert_eq!(choices().find(class, &|| "a".into()), None);
        assert_eq!(choices().keep(class, "a", &times(9.0)), native);
        assert_eq!(choices().find(class, &|| "a".into()), Some(native));
        assert_eq!(choices().find(class, &|| "b".into()), None);
        assert_eq!(choices().keep(class, "a", &times(9.9)), wgsl, "too little to be sure of");
        assert_eq!(choices().find(class, &|| "a".into()), Some(wgsl));
        for broken in ["native", "native 3\na\n", "wgsl 3 other 4\na\n", "wgsl\na\n"] {
            fs::write(choices().path("a").unwrap(), broken).unwrap();
            assert_eq!(choices().find(class, &|| "a".into()), None, "{broken:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
        let nowhere = Choices::from_environment(None);
        assert_eq!(nowhere.keep(class, "a", &times(5.0)), native);
        assert_eq!(nowhere.find(class, &|| "a".into()), Some(native));
        // A recording is made of kernels.
        let library = vec![(Way::Wgsl, 10.0), (Way::Native, 8.0), (Way::Library, 6.0)];
        assert_eq!(Choice::of(&library), Choice { best: Way::Library, kernel: Way::Native });
    }
}
