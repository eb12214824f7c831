//! The engines: the required trait of each ([`Driver`]), its optional traits, and the list of those that are built in
//! ([`ENGINES`]). No engine knows an operation.

pub(crate) mod attempt;
mod choices;
mod compiling;
#[cfg(feature = "cpu")]
pub(crate) mod cpu;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
pub(crate) mod current;
mod driver;
mod engine;
mod exclusive;
mod interop;
mod order;
mod registry;
mod substitutes;
mod tracing;
#[cfg(feature = "wgpu")]
pub(crate) mod wgpu;

pub(crate) use choices::Choices;
pub(crate) use compiling::Compiling;
pub(crate) use driver::{Driver, Habits, HostBlock};
pub(crate) use engine::{Engine, Options};
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub(crate) use exclusive::Exclusive;
pub(crate) use interop::{ForeignWork, Interop, Mapping, lent};
pub(crate) use order::{Order, Waits};
#[cfg(target_family = "wasm")]
pub(crate) use registry::open_in_browser;
pub(crate) use registry::{ENGINES, Listed, list, open, request};
pub use substitutes::Natives;
pub(crate) use substitutes::{Substitutes, Timer, Way, choose, explained, set_natives};
pub(crate) use tracing::{Observer, Tracing};
