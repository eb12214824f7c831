//! The macros of crosslane, which re-exports them: use them from there.

mod parameters;
#[cfg(feature = "kernel")]
mod wgsl;

use proc_macro::TokenStream;

/// Makes a structure one that kernels can take: see `crosslane::Parameters`.
#[proc_macro_derive(Parameters)]
pub fn parameters(input: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(input as syn::DeriveInput);
    parameters::derive(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// A kernel whose WGSL is checked while the program is compiled: see `crosslane::kernel`.
#[cfg(feature = "kernel")]
#[proc_macro]
pub fn kernel(input: TokenStream) -> TokenStream {
    let text = syn::parse_macro_input!(input as syn::LitStr);
    wgsl::kernel(&text).unwrap_or_else(|error| error.to_compile_error()).into()
}
