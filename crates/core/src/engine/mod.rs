//! The engines' side of the waist: the required trait of each ([`Driver`]), its optional traits, and what an engine says of itself.
//! No engine knows an operation.

pub mod attempt;
mod choices;
mod compiling;
pub mod current;
mod driver;
mod exclusive;
mod interop;
mod order;
mod substitutes;
mod tracing;

pub use choices::{Choice, Choices, WGSL};
pub use compiling::Compiling;
pub use driver::{Driver, Habits, HostBlock};
pub use exclusive::Exclusive;
pub use interop::{ForeignWork, Interop, Mapping, lent};
pub use order::{Order, Waits};
pub use substitutes::Natives;
pub use substitutes::{Substitutes, Timer, Way, choose, explained, set_natives};
pub use tracing::{Observer, Tracing};

use crate::error::Result;
use crate::properties::Properties;
use std::sync::Arc;
use std::time::Duration;

/// An engine that has opened a device.
pub type Opened = Result<Arc<dyn Driver>>;

/// An engine.
pub struct Engine {
    /// Its name, the cargo feature's, and what requests for its devices alone begin with.
    pub name: &'static str,
    /// The API through which it reaches devices, for messages.
    pub reaches: &'static str,
    /// Its devices here.
    pub list: fn() -> Vec<Properties>,
    /// Opens the device at this place of its list.
    pub open: fn(usize, &Options) -> Result<Arc<dyn Driver>>,
    /// Opens the device named after the engine's name and a colon, in lower case; `None` if that says nothing to it.
    pub request: fn(&str, &Options) -> Option<Opened>,
}

/// How long a launch may take if nothing else is set.
pub const BUDGET: Duration = Duration::from_secs(20);

/// How to open the devices of the engines that are built in.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Use staging memory even where arrays could be mapped.
    pub staged: bool,
    /// No parameters inside command buffers, through wgpu.
    pub no_immediates: bool,
    /// The most bytes of a buffer that wgpu allocates; larger ones are dedicated allocations. `None`: wgpu's own bound.
    pub shared_most: Option<u64>,
    /// No limit and no feature past what every WebGPU implementation has, through wgpu.
    pub webgpu_limits: bool,
    /// The longest that one workgroup may run on the cpu engine.
    pub time_limit: Option<Duration>,
    /// Faster and less exact arithmetic on the cuda engine.
    pub fast_math: bool,
    /// No way to compute that a measurement has chosen.
    pub deterministic: bool,
}

impl Options {
    /// How long a launch may take: `time_limit`, or [`BUDGET`].
    pub fn budget(&self) -> Duration {
        self.time_limit.unwrap_or(BUDGET)
    }
}
