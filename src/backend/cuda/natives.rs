//! Natives: CUDA written by hand in place of a kernel's translation, where it is faster on this card.
//!
//! A native takes the same arguments and grid as its kernel. Which of the two runs is measured the first time that a
//! shape class comes, and kept beside the compiled kernels.

use super::Cuda;
use super::cache::hash;
use super::compile::CudaBinary;
use super::context::Context;
use super::event::Event;
use super::kernels::Function;
use super::launch::{Arguments, run};
use super::memory::{Block, block};
use super::translate::{CudaOptions, CudaSource};
use crate::backend::Launch;
use crate::cache;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{Kernel, Native};
use crate::memory::Place;
use crate::op::Access;
use cudarc::driver::sys;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

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
}

/// The texts by their names.
const FILES: [(&str, &str); 3] = [
    ("matmul_tensor", include_str!("../../../shaders/native/matmul_tensor.cu")),
    ("reduce_rows", include_str!("../../../shaders/native/reduce_rows.cu")),
    ("sort_scatter", include_str!("../../../shaders/native/sort_scatter.cu")),
];
/// A native must be so much faster: a measurement is not exact.
const WORTH: f64 = 0.98;
/// Launches between two events, and how often that is done; the best counts.
const LAUNCHES: u32 = 4;
const ROUNDS: u32 = 5;

/// A kernel, and the shape class of a launch: the powers of two that its workgroups and bytes lie between.
type Class = (u64, [u32; 2]);

/// What has been found out.
pub(super) struct Choices {
    setting: AtomicU8,
    folder: Option<PathBuf>,
    /// Whether the native is faster.
    known: Mutex<HashMap<Class, bool>>,
}

impl Choices {
    /// As the environment variable `CROSSLANE_NATIVES` says: `off`, `on`, or `auto`.
    pub fn from_environment(folder: Option<PathBuf>) -> Choices {
        let natives = match std::env::var("CROSSLANE_NATIVES").as_deref() {
            Ok("off") => Natives::Off,
            Ok("on") => Natives::On,
            Ok("auto" | "") | Err(_) => Natives::Auto,
            Ok(other) => {
                log::warn!("CROSSLANE_NATIVES is {other:?}, which is none of off, on, auto: taken as auto");
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
            _ => Natives::On,
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Class, bool>> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What is known, in this process or on disk.
    fn find(&self, class: Class, key: &dyn Fn() -> String) -> Option<bool> {
        if let Some(&found) = self.known().get(&class) {
            return Some(found);
        }
        let key = key();
        let text = fs::read_to_string(self.path(&key)?).ok()?;
        let found = decode(&text, &key)?;
        self.known().insert(class, found);
        Some(found)
    }

    fn keep(&self, class: Class, key: &str, times: [f64; 2]) -> bool {
        let native = times[1] < times[0] * WORTH;
        self.known().insert(class, native);
        if let Some(path) = self.path(key)
            && let Err(error) = cache::write(&path, encode(key, times, native).as_bytes())
        {
            log::info!("{}: {error}; the choice is not kept", path.display());
        }
        native
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}.choice", hash(key.as_bytes()))))
    }
}

fn encode(key: &str, [wgsl, native]: [f64; 2], faster: bool) -> String {
    let faster = if faster { "native" } else { "wgsl" };
    format!("{faster}\nwgsl {wgsl:.2} us, native {native:.2} us\n{key}\n")
}

fn decode(text: &str, key: &str) -> Option<bool> {
    let (faster, rest) = text.split_once('\n')?;
    let (_, kept) = rest.split_once('\n')?;
    match faster {
        _ if kept.strip_suffix('\n') != Some(key) => None,
        "native" => Some(true),
        "wgsl" => Some(false),
        _ => None,
    }
}

impl Kernel {
    /// The CUDA text that may run in the place of this kernel's translation, where somebody has written one for this
    /// architecture.
    pub fn cuda_native(&self, options: &CudaOptions) -> Option<CudaSource> {
        source(self, native_for(self, options.architecture)?, *options).ok()
    }
}

/// A kernel's native, if it runs on this architecture.
fn native_for(kernel: &Kernel, architecture: u32) -> Option<&Native> {
    kernel.native().filter(|native| native.architecture.is_none_or(|only| only == architecture))
}

/// The text with its definitions, as if it had been translated.
pub(super) fn source(kernel: &Kernel, native: &Native, options: CudaOptions) -> Result<CudaSource> {
    let file = FILES.iter().find(|(name, _)| *name == native.file).expect("a native names one of FILES").1;
    let defines: String = native.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let before = if native.behind_translation { functions(&kernel.cuda(&options)?) } else { String::new() };
    let after = if native.behind_translation { "\n} // namespace kernel\n" } else { "" };
    Ok(CudaSource {
        text: format!("{before}{defines}#line 1\n{file}{after}"),
        symbol: native.file.into(),
        workgroup_size: native.workgroup_size,
        shared_bytes: 0,
        dynamic_bytes: native.dynamic_bytes,
        specific: native.architecture.is_some(),
        options,
    })
}

/// A translation without its kernel, within whose namespace it ends: what the kernel takes, and how it makes a `Module`, are
/// macros. Workgroup memory is the native's own `memory`: the functions that it calls must not use any.
fn functions(translation: &CudaSource) -> String {
    let (before, kernel) = translation.text.split_once("extern \"C\" __global__").expect("a translation has a kernel");
    let between = |start: &str, end: &str| {
        let rest = &kernel[kernel.find(start).expect("kernels have it") + start.len()..];
        rest[..rest.find(end).expect("it ends")].replace('\n', " ")
    };
    let parameters = between(&format!("{}(", translation.symbol), "\n) {");
    let module = between("Module module", ";").replace("workgroup", "reinterpret_cast<Workgroup&>(memory)");
    format!("{before}#define PARAMETERS {parameters}\n#define MODULE Module module{module}\n")
}

fn class(launch: &Launch) -> Class {
    let bytes: u64 = launch.buffers.iter().map(|window| window.bytes).sum();
    let groups: u64 = launch.grid.fold(u32::MAX).iter().map(|&count| count as u64).product();
    (launch.kernel.id(), [groups.max(1).ilog2(), bytes.max(1).ilog2()])
}

impl Cuda {
    /// What runs for a launch: the kernel, or its native.
    pub(super) fn function(&self, launch: &Launch) -> Result<Arc<Function>> {
        let Some(native) = native_for(&launch.kernel, self.kernels.options().architecture) else {
            return self.kernels.get(&launch.kernel);
        };
        match self.choices.setting() {
            Natives::Off => self.kernels.get(&launch.kernel),
            Natives::On => self.kernels.native(&launch.kernel, native),
            Natives::Auto => self.faster(launch, native),
        }
    }

    fn faster(&self, launch: &Launch, native: &Native) -> Result<Arc<Function>> {
        let class = class(launch);
        let key = || self.choice_key(launch, class);
        let known = match self.choices.find(class, &key) {
            Some(known) => known,
            None => match self.measure(launch, native) {
                Ok(times) => self.choices.keep(class, &key(), times),
                Err(error) if matches!(error.kind(), ErrorKind::DeviceLost { .. }) => return Err(error),
                Err(error) => {
                    log::warn!("{}: not compared with its native: {error}", launch.kernel.name());
                    false
                }
            },
        };
        match known {
            true => self.kernels.native(&launch.kernel, native),
            false => self.kernels.get(&launch.kernel),
        }
    }

    /// All that a choice depends on.
    fn choice_key(&self, launch: &Launch, (_, [groups, bytes]): Class) -> String {
        let options = self.kernels.options();
        let text = launch.kernel.cuda_native(&options).map(|source| source.text).unwrap_or_default();
        format!(
            "{} {} fast_math {} groups 2^{groups} bytes 2^{bytes} wgsl {:032x} native {:032x}",
            self.properties.name,
            self.properties.driver,
            options.fast_math,
            hash(launch.kernel.source().as_bytes()),
            hash(text.as_bytes())
        )
    }

    /// Microseconds that the kernel takes, and its native, on the launch's inputs and outputs of their own.
    fn measure(&self, launch: &Launch, native: &Native) -> Result<[f64; 2]> {
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
        let functions = [self.kernels.get(&launch.kernel)?, self.kernels.native(&launch.kernel, native)?];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (function, best) in functions.iter().zip(&mut best) {
                let launch = || run(context, context.stream, function, grid, &arguments);
                *best = best.min(match native.reads_back {
                    true => time_afresh(context, written(), launch)?,
                    false => time(context, launch)?,
                });
            }
        }
        Ok(best)
    }

    /// For `explain()`: what runs for a launch, if there is a choice, and its text if that is a native.
    pub(super) fn explained(&self, launch: &Launch) -> Option<(&'static str, Option<String>)> {
        let options = self.kernels.options();
        let native = || launch.kernel.cuda_native(&options).map(|source| source.text);
        native_for(&launch.kernel, options.architecture)?;
        let class = class(launch);
        let known = match self.choices.setting() {
            Natives::Off => Some(false),
            Natives::On => Some(true),
            Natives::Auto => self.choices.find(class, &|| self.choice_key(launch, class)),
        };
        Some(match known {
            Some(true) => ("native CUDA", native()),
            Some(false) => ("translated WGSL, not its native", None),
            None => ("translated WGSL or its native, as will be measured", None),
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

/// A native's compilation failed: which, and why.
pub(super) fn compiled(source: &CudaSource) -> Result<CudaBinary> {
    source.compile().map_err(|error| match error.kind() {
        ErrorKind::Compile { device, message, .. } => Error::from(ErrorKind::Compile {
            kernel: format!("shaders/native/{}.cu", source.symbol),
            device: device.clone(),
            message: message.clone(),
            at: None,
        }),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_kept_and_found_by_their_key_only() {
        let folder = std::env::temp_dir().join(format!("crosslane-choices-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let choices = || Choices::from_environment(Some(folder.clone()));
        let class = (7, [3, 20]);
        assert_eq!(choices().find(class, &|| "a".into()), None);
        assert!(choices().keep(class, "a", [10.0, 9.0]));
        assert_eq!(choices().find(class, &|| "a".into()), Some(true));
        assert_eq!(choices().find(class, &|| "b".into()), None);
        assert!(!choices().keep(class, "a", [10.0, 9.9]), "too little to be sure of");
        assert_eq!(choices().find(class, &|| "a".into()), Some(false));
        fs::write(choices().path("a").unwrap(), "native").unwrap();
        assert_eq!(choices().find(class, &|| "a".into()), None);
        fs::remove_dir_all(&folder).unwrap();
        let nowhere = Choices::from_environment(None);
        assert!(nowhere.keep(class, "a", [10.0, 5.0]));
        assert_eq!(nowhere.find(class, &|| "a".into()), Some(true));
    }

    /// What a native that does not stand behind its kernel's translation does not look at.
    fn any() -> Kernel {
        Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap()
    }

    /// Where NVRTC is: the sort's native compiles for each kind of keys and values, and keeps them in registers.
    #[test]
    fn sorts_compile() {
        if super::super::library::nvrtc().is_err() {
            println!("not run: no NVRTC");
            return;
        }
        for (kind, values, threads, items, blocks) in [(0, 0, 256, 32, 3), (1, 1, 256, 24, 2), (2, 2, 256, 24, 2)] {
            let tile = threads * items;
            let defines = [("WORKGROUP", threads), ("ITEMS", items), ("TILE", tile), ("BLOCKS", blocks)].into_iter();
            let defines = defines.chain([("PREFIX", tile + 2), ("SPINS", 64), ("KIND", kind), ("FLIP", 0)]);
            let defines = defines.chain([("LAST", u32::MAX), ("STORE_KEYS", 1), ("VALUES", values)]);
            let defines = defines.map(|(name, value)| (name.to_string(), format!("{value}u"))).collect();
            let workgroup_size = [threads, 1, 1];
            let native = Native { file: "sort_scatter", defines, workgroup_size, ..Native::default() };
            let options = CudaOptions { fast_math: false, architecture: 90 };
            let made = compiled(&source(&any(), &native, options).unwrap()).unwrap();
            assert!(made.spill_bytes == 0, "{}", made.log);
        }
    }

    /// Where NVRTC is: the sum's native compiles for rows and for one row, results and states.
    #[test]
    fn natives_compile() {
        if super::super::library::nvrtc().is_err() {
            println!("not run: no NVRTC");
            return;
        }
        for (strided, last) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let defines = [("WORKGROUP", 256), ("UNROLL", 8), ("STRIDED", strided), ("LAST", last)];
            let defines = defines.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
            let native = Native { file: "reduce_rows", defines, workgroup_size: [256, 1, 1], ..Native::default() };
            let options = CudaOptions { fast_math: false, architecture: 90 };
            let made = compiled(&source(&any(), &native, options).unwrap()).unwrap();
            assert!(made.spill_bytes == 0 && made.registers <= 64, "{}", made.log);
        }
    }
}
