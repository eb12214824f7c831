//! The macros of crosslane, which re-exports them: use them from there.

mod parameters;
#[cfg(feature = "kernel")]
mod wgsl;

use proc_macro::TokenStream;

/// Makes a structure with `#[repr(C)]` one that kernels can take: see the trait `crosslane::Parameters`.
///
/// ```compile_fail
/// // error: #[repr(C)] is wanted
/// #[derive(Clone, Copy, crosslane::Parameters)]
/// struct Step {
///     size: f32,
/// }
/// ```
#[proc_macro_derive(Parameters)]
pub fn parameters(input: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(input as syn::DeriveInput);
    parameters::derive(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// A kernel whose WGSL is checked while the program is compiled: a text, or a file named from the folder of the
/// program's `Cargo.toml`. Gives what `Kernel::wgsl` gives; what does not compile is an error at the macro, with the
/// line. Needs the feature `kernel`, which brings naga a second time: 53 s of processor time in a clean debug build.
///
/// ```
/// let kernel = crosslane_macros::kernel!(
///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
///         if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
///     }"
/// )?;
/// assert_eq!(kernel.reflection().unwrap().bindings.len(), 1);
/// let file = crosslane_macros::kernel!("../shaders/nothing.wgsl")?;
/// assert_eq!(file.name(), "../shaders/nothing.wgsl");
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// ```compile_fail
/// // error: no definition in scope for identifier: `y`
/// let kernel = crosslane_macros::kernel!("@compute @workgroup_size(64) fn main() { let x = y; }");
/// ```
///
/// ```compile_fail
/// let kernel = crosslane_macros::kernel!("no/such/file.wgsl");
/// ```
#[cfg(feature = "kernel")]
#[proc_macro]
pub fn kernel(input: TokenStream) -> TokenStream {
    let text = syn::parse_macro_input!(input as syn::LitStr);
    wgsl::kernel(&text).unwrap_or_else(|error| error.to_compile_error()).into()
}
