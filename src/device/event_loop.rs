//! Asynchronous calls of a browser, which has no thread to wait in: they are attempted in turns of its event loop.

use super::registry;
use super::reopen::Source;
use super::{Device, DeviceOptions};
use crosslane_core::engine::attempt::attempts;
use crosslane_core::engine::current;
use crosslane_core::error::{Error, ErrorKind, Result};
use futures::channel::oneshot;
use wasm_bindgen_futures::spawn_local;

/// There is none.
pub(super) struct Worker;

/// Work that is done.
pub(crate) struct Begun<R>(Result<R>);

impl<R> Begun<R> {
    /// The work's result.
    pub fn wait(self) -> Result<R> {
        self.0
    }
}

fn gone(device: &str) -> Error {
    let (operation, message) = ("background work", "the page's event loop dropped it".to_string());
    ErrorKind::Backend { operation, device: device.into(), message }.into()
}

/// Opens the browser's device.
pub(super) fn opening(options: DeviceOptions, request: String) -> impl Future<Output = Result<Device>> + Send {
    let open = async move {
        let driver = registry::open_in_browser(&options.options).await?;
        let properties = driver.properties().clone();
        if !properties.matches(request.trim()) {
            let looked = format!("looked for WebGPU; found {properties}");
            return Err(ErrorKind::NoDevice { wanted: request, looked, install: "Ask for any: \"\"".into() }.into());
        }
        Ok(options.over(driver, Source::Listed(Box::new(properties))))
    };
    coming(open, "a browser".into())
}

/// What a future of the page's comes to, for any executor.
fn coming<R: Send + 'static>(
    future: impl Future<Output = Result<R>> + 'static,
    device: String,
) -> impl Future<Output = Result<R>> + Send {
    let (sender, receiver) = oneshot::channel();
    // Nobody may want it any more.
    spawn_local(async move { drop(sender.send(future.await)) });
    async move { receiver.await.unwrap_or_else(|_| Err(gone(&device))) }
}

impl Device {
    /// Does work that does not wait.
    pub(crate) fn in_background<R: Send + 'static>(
        &self,
        work: Box<dyn FnOnce() -> Result<R> + Send>,
    ) -> impl Future<Output = Result<R>> + Send + use<R> {
        std::future::ready(work())
    }

    /// Attempts work that waits.
    pub(crate) fn awaited<R: Send + 'static, W: FnMut() -> Result<R> + Send + 'static>(
        &self,
        mut work: W,
    ) -> impl Future<Output = Result<R>> + Send + use<R, W> {
        let streams = current::entered();
        let call = move || current::within(streams.clone(), &mut work);
        coming(attempts(call), self.properties().label())
    }

    /// Passes on what such work returns.
    pub(super) fn when(
        &self,
        work: impl FnMut() -> Result<()> + Send + 'static,
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        let work = self.awaited(work);
        spawn_local(async move { then(work.await) });
    }

    /// Does work that does not wait.
    pub(crate) fn begin<R: Send + 'static>(&self, work: Box<dyn FnOnce() -> Result<R> + Send>) -> Begun<R> {
        Begun(work())
    }
}
