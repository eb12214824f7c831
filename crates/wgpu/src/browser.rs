//! Answers of wgpu in a browser: they come from its event loop, to calls that are over by then. What `blocking.rs` has for
//! other targets.

use super::told::Told;
use wasm_bindgen_futures::spawn_local;
use wgpu::ErrorFilter;

/// Calls at most whose answers are kept until the next wait.
const MOST: usize = 1024;

/// Nothing comes at once.
pub(super) fn now<T>(_: impl Future<Output = T>) -> Option<T> {
    None
}

/// No scopes where their answers are asked for at once: [`scoped`] is around them.
pub(super) struct Scopes;

impl Scopes {
    pub fn push(_: &wgpu::Device) -> Scopes {
        Scopes
    }

    pub fn pop(self) -> Option<wgpu::Error> {
        None
    }
}

/// Makes calls. What is wrong in them is told by the next wait.
pub(super) fn scoped<R>(device: &wgpu::Device, told: &Told, calls: impl FnOnce() -> R) -> (R, Option<wgpu::Error>) {
    let scopes = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let result = calls();
    let [memory, internal, validation] = scopes;
    let validation = validation.pop();
    let (internal, memory) = (internal.pop(), memory.pop());
    let found = async move { memory.await.or(internal.await).or(validation.await) };
    if told.add(Box::pin(found)) > MOST {
        spawn_local(told.clone().gather());
    }
    (result, None)
}

/// Calls that unmap find nothing wrong in a browser.
pub(super) fn whatever(_: &wgpu::Device, call: impl FnOnce()) {
    call();
}
