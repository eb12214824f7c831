//! `kernel!`: WGSL, checked while the program that holds it is compiled.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;
use syn::{Error, LitStr, Result};

/// A kernel of the text, or of the file that it names.
pub fn kernel(given: &LitStr) -> Result<TokenStream> {
    let given_text = given.value();
    // A path has neither braces nor lines.
    if given_text.contains(['{', '\n']) {
        check(&given_text, "kernel!").map_err(|message| Error::new(given.span(), message))?;
        return Ok(quote!(::crosslane::Kernel::wgsl(#given)));
    }
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let path = Path::new(&root).join(&given_text);
    let path = path.to_str().ok_or_else(|| Error::new(given.span(), "kernel!: the path is no UTF-8"))?;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::new(given.span(), format!("kernel!: {path} cannot be read: {error}")))?;
    check(&text, &given_text).map_err(|message| Error::new(given.span(), message))?;
    // include_str! makes the compiler look at the file again when it changes.
    Ok(quote!(::crosslane::Kernel::wgsl(::core::include_str!(#path)).map(|kernel| kernel.named(#given))))
}

/// Parses and validates WGSL; the message points at the line.
fn check(source: &str, path: &str) -> std::result::Result<(), String> {
    let module = naga::front::wgsl::parse_str(source)
        .map_err(|error| format!("\n{}", error.emit_to_string_with_path(source, path)))?;
    // What a device may lack is for the launch to say.
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| format!("\n{}", error.emit_to_string_with_path(source, path)))?;
    match module.entry_points.iter().filter(|entry| entry.stage == naga::ShaderStage::Compute).count() {
        1 => Ok(()),
        count => Err(format!("{path}: one function with @compute is wanted, got {count}")),
    }
}
