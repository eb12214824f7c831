//! Pipelines as data: kernels as WGSL, buffers, and launches in order, for any host of WebGPU. With the feature `serde` an
//! [`Export`] becomes JSON, which `replay.js`, a module of plain JavaScript, runs in a browser or under Node.

mod data;
mod draft;
mod folder;
#[cfg(feature = "cases")]
mod plan;
mod recording;

pub use data::{
    ArrayRole, BindingKind, Contents, Export, ExportedArray, ExportedBuffer, ExportedKernel, ExportedLaunch,
    ExportedWindow, Limits,
};
pub use recording::Exporter;
