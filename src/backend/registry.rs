//! The engines that are built in, in the order of their devices.

use super::driver::Driver;
use super::engine::{Engine, Opened, Options};
use crate::error::{Error, ErrorKind, Result};
use crate::properties::Properties;
use std::sync::{Arc, Mutex, MutexGuard};

/// All of them: an engine is added by its folder and its line here.
pub(crate) const ENGINES: &[Engine] = &[
    #[cfg(feature = "wgpu")]
    super::wgpu::ENGINE,
    #[cfg(feature = "cuda")]
    super::cuda::ENGINE,
    #[cfg(feature = "cpu")]
    super::cpu::ENGINE,
];
/// The names of those that there could be.
const NAMES: [&str; 3] = ["wgpu", "cuda", "cpu"];

/// A device of an engine's list.
pub(crate) struct Listed {
    engine: &'static Engine,
    index: usize,
    pub properties: Properties,
}

/// Held while devices are looked for or opened. On an H200 (driver 580) tests hung whose threads did so side by side, through
/// Vulkan, EGL and CUDA; why, and whether this is the cure, is not known. One after the other has always run there.
static STARTING: Mutex<()> = Mutex::new(());

fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Every device of every engine.
pub(crate) fn list() -> Vec<Listed> {
    let _starting = starting();
    let of = |engine: &'static Engine| {
        let all = (engine.list)().into_iter().enumerate();
        all.map(move |(index, properties)| Listed { engine, index, properties })
    };
    ENGINES.iter().flat_map(of).collect()
}

/// Opens one of them.
pub(crate) fn open(listed: &Listed, options: &Options) -> Result<Arc<dyn Driver>> {
    let _starting = starting();
    (listed.engine.open)(listed.index, options)
}

/// Opens what is asked for by an engine's name, `cpu:checked` for instance, in small letters; `None` if no engine is named.
pub(crate) fn request(request: &str, options: &Options) -> Option<Opened> {
    let (name, rest) = request.split_once(':').unwrap_or((request, ""));
    match ENGINES.iter().find(|engine| engine.name == name) {
        Some(engine) => {
            let _starting = starting();
            (engine.request)(rest, options)
        }
        // Drivers' names may begin with that of an engine that has no requests of its own.
        None => NAMES[1..].contains(&name).then(|| Err(not_built(name))),
    }
}

/// The error for an engine that is not there.
fn not_built(name: &str) -> Error {
    let engine = NAMES.into_iter().find(|known| *known == name).expect("one of NAMES");
    let help = ["enable the cargo feature `wgpu`", "enable the cargo feature `cuda`", "enable the cargo feature `cpu`"];
    let at = NAMES.iter().position(|known| *known == engine).expect("it was found");
    ErrorKind::NotBuilt { engine, help: help[at] }.into()
}
