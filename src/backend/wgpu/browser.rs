//! Answers of wgpu in a browser: they come from its event loop, to calls that are over by then. What `blocking.rs` has for
//! other targets.

use super::awaited::blocks;
use super::{Wgpu, adapter};
use crate::backend::{Driver, Options};
use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;

/// A browser tells its adapters to asynchronous calls only: [`open`].
pub(super) fn adapters() -> Vec<wgpu::Adapter> {
    vec![]
}

pub(super) fn request(_: &wgpu::Adapter, _: &Options) -> Result<(wgpu::Device, wgpu::Queue)> {
    Err(blocks("open"))
}

/// Opens the adapter that the browser gives.
pub(crate) async fn open(options: &Options) -> Result<Arc<dyn Driver>> {
    let none = || {
        let looked = "looked for WebGPU; the browser has no adapter for it".to_string();
        let install = "Use a browser with WebGPU, and a page of https or of this machine".to_string();
        Error::from(ErrorKind::NoDevice { wanted: "any".into(), looked, install })
    };
    let adapter = adapter::adapters().await.into_iter().next().ok_or_else(none)?;
    let (device, queue) = adapter::request(&adapter, options).await?;
    let most = device.limits().max_buffer_size;
    Ok(Wgpu::new(adapter::properties(&adapter, options), device, queue, most))
}

/// No scopes: what they hold would come when the calls in them have returned. [`super::awaited::Told`] has it.
pub(super) struct Scopes;

impl Scopes {
    pub fn push(_: &wgpu::Device) -> Scopes {
        Scopes
    }

    pub fn pop(self) -> Option<wgpu::Error> {
        None
    }
}

pub(super) fn whatever(_: &wgpu::Device, call: impl FnOnce()) {
    call();
}
