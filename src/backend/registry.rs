//! The engines that are built in, in the order of their devices.

use super::Driver;
use crate::error::{Error, ErrorKind, Result};
use crate::properties::Properties;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// An engine that has opened a device.
type Opened = Result<Arc<dyn Driver>>;

/// An engine.
pub(crate) struct Engine {
    /// Its name, the cargo feature's, and what requests for its devices alone begin with.
    pub name: &'static str,
    /// What it reaches devices by, for messages.
    pub reaches: &'static str,
    /// Its devices here.
    pub list: fn() -> Vec<Properties>,
    /// Opens the device at this place of its list.
    pub open: fn(usize, &Options) -> Result<Arc<dyn Driver>>,
    /// Opens what is asked for after the name and a colon, in small letters; `None` if that says nothing to it.
    pub request: fn(&str, &Options) -> Option<Opened>,
}

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

/// How long a launch may take if nothing else is set.
pub(crate) const BUDGET: Duration = Duration::from_secs(20);

/// How to open the devices of the engines that are built in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Use staging memory even where arrays could be mapped.
    pub staged: bool,
    /// No parameters inside command buffers, through wgpu.
    pub no_immediates: bool,
    /// No limit and no feature past what every WebGPU implementation has, through wgpu.
    pub webgpu_limits: bool,
    /// The longest that one workgroup may run on the cpu engine.
    pub time_limit: Option<Duration>,
    /// Faster and less exact arithmetic on the cuda engine.
    pub fast_math: bool,
}

impl Options {
    pub fn budget(&self) -> Duration {
        self.time_limit.unwrap_or(BUDGET)
    }
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
