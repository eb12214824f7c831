//! The device of a page.

use super::{Wgpu, adapter};
use crosslane_core::engine::{Driver, Options};
use crosslane_core::error::{Error, ErrorKind, Result};
use std::sync::Arc;

/// Opens the adapter that the browser gives.
pub async fn open(options: &Options) -> Result<Arc<dyn Driver>> {
    let none = || {
        let looked = "looked for WebGPU; the browser has no adapter for it".to_string();
        let install = "Use a browser with WebGPU, and a page of https or of this machine".to_string();
        Error::from(ErrorKind::NoDevice { wanted: "any".into(), looked, install })
    };
    let adapter = adapter::adapters().await.into_iter().next().ok_or_else(none)?;
    let (device, queue) = adapter::request(&adapter, options).await?;
    let most = device.limits().max_buffer_size;
    let engine = Wgpu::new(adapter::properties(&adapter, options), device, queue, most);
    engine.told.listen(&engine.device);
    Ok(engine)
}
