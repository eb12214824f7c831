//! Answers of wgpu that come as futures, waited for: native wgpu has them at once. A browser's are in `browser.rs`.

use super::told::Told;
use pollster::block_on;

/// What a future comes to.
pub(super) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    Some(block_on(future))
}

/// Error scopes of every kind around some calls on this thread, the innermost first: in this order they are dropped, and wgpu
/// panics at any other.
pub(super) struct Scopes([wgpu::ErrorScopeGuard; 3]);

impl Scopes {
    pub fn push(device: &wgpu::Device) -> Scopes {
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        Scopes([device.push_error_scope(wgpu::ErrorFilter::Validation), internal, memory])
    }

    /// The first error, if any.
    pub fn pop(self) -> Option<wgpu::Error> {
        let [validation, internal, memory] = self.0;
        let validation = block_on(validation.pop());
        let internal = block_on(internal.pop());
        let memory = block_on(memory.pop());
        memory.or(internal).or(validation)
    }
}

/// Makes calls, and gives the first thing that is wrong in them.
pub(super) fn scoped<R>(device: &wgpu::Device, _: &Told, calls: impl FnOnce() -> R) -> (R, Option<wgpu::Error>) {
    let scopes = Scopes::push(device);
    let result = calls();
    (result, scopes.pop())
}

/// Calls wgpu where it may find something wrong that is of no interest.
pub(super) fn whatever(device: &wgpu::Device, call: impl FnOnce()) {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    call();
    drop(block_on(scope.pop()));
}
