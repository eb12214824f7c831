//! The macros of crosslane, which re-exports them: use them from there.

mod parameters;

use proc_macro::TokenStream;

/// Makes a structure with `#[repr(C)]` one that kernels can take: see the trait `crosslane::Parameters`.
#[proc_macro_derive(Parameters)]
pub fn parameters(input: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(input as syn::DeriveInput);
    parameters::derive(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}
