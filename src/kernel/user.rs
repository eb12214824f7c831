//! Kernels from a program's own WGSL.

use super::parse::{self, Parsed};
use super::reflect::{Reflection, reflect};
use super::{Inner, Kernel, next_id};
use crate::error::{CallSite, Result};
use std::panic::Location;
use std::sync::Arc;

impl Kernel {
    /// The only compute entry point of a WGSL text, to be run by [`crate::Device::launch`].
    ///
    /// It is compiled with run-time checks: an index out of bounds stays inside its buffer, workgroup memory begins as
    /// zeros. Making a kernel needs no device; each device compiles it at its first launch there.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let double = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
    ///     }
    /// ")?;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// device.launch(&double, [1, 1, 1], &[(&x).into()])?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a text that does not compile, with line and column; no compute entry point, or several.
    #[track_caller]
    pub fn wgsl(source: &str) -> Result<Kernel> {
        make(source, None, &[], Location::caller())
    }

    /// As [`Kernel::wgsl`], with a chosen entry point (`None` is the only one), and values for overrides, each by its
    /// name or `@id`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let source = "
    ///     override value: u32 = 1;
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(1) fn fill() { x[0] = value; }
    ///     @compute @workgroup_size(1) fn add() { x[0] += value; }
    /// ";
    /// let add = Kernel::wgsl_with(source, Some("add"), &[("value", 5.0)])?;
    /// let x = Array::from_slice(device, &[10u32]);
    /// device.launch(&add, [1, 1, 1], &[(&x).into()])?;
    /// assert_eq!(x.item()?, 15);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Kernel::wgsl`]; no such entry point or override; a value that the override's type does not have.
    #[track_caller]
    pub fn wgsl_with(source: &str, entry: Option<&str>, overrides: &[(&str, f64)]) -> Result<Kernel> {
        make(source, entry, overrides, Location::caller())
    }

    /// The same kernel compiled without run-time checks, as the library's own are: an index out of bounds then reads
    /// or writes anything.
    ///
    /// Cooperative matrices need this, since nothing checks what they load and store.
    ///
    /// # Safety
    ///
    /// In every launch, each index must lie in its buffer or array, each loop must end, no integer may be divided by
    /// zero, and workgroup memory must be written before it is read.
    pub unsafe fn unchecked(&self) -> Kernel {
        Kernel(Arc::new(Inner { id: next_id(), trusted: true, ..(*self.0).clone() }))
    }

    /// The same kernel with a name for messages, in place of its entry point's: its file, say.
    ///
    /// ```
    /// let kernel = crosslane::Kernel::wgsl("@compute @workgroup_size(1) fn main() {}")?.named("nothing.wgsl");
    /// assert_eq!(kernel.name(), "nothing.wgsl");
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn named(&self, name: &str) -> Kernel {
        Kernel(Arc::new(Inner { id: next_id(), name: name.into(), ..(*self.0).clone() }))
    }

    /// What the kernel wants of a launch and of a device; `None` for the library's own kernels.
    pub fn reflection(&self) -> Option<&Reflection> {
        self.0.reflection.as_ref()
    }
}

fn make(source: &str, entry: Option<&str>, overrides: &[(&str, f64)], at: CallSite) -> Result<Kernel> {
    let parsed = parse::parse(source, entry, overrides, at)?;
    let reflection = reflect(&parsed).map_err(|message| parse::fails(message, at))?;
    let Parsed { entry, values, .. } = parsed;
    Ok(Kernel(Arc::new(Inner {
        id: next_id(),
        name: entry.clone(),
        entry: entry.into(),
        source: source.into(),
        bindings: reflection.bindings.iter().map(|resource| resource.point).collect(),
        overrides: values,
        param_words: reflection.immediate_bytes as usize / 4,
        trusted: false,
        reflection: Some(reflection),
        native: None,
    })))
}
