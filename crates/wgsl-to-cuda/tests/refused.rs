//! Input that has no CUDA form is an error that says so.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgsl_to_cuda::{Input, translate};

/// The error of an entry point of a text.
fn refused(source: &str, entry: usize) -> String {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
    let input = Input { name: "refused", module: &module, info: &info, entry, bindings: &[], words: 0, checked: true };
    translate(&input).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_named() {
    let none = "@compute @workgroup_size(1) fn main() {}";
    assert_eq!(refused(none, 1), "entry: wanted less than 1, got 1");
    let open = "override n: u32; @compute @workgroup_size(1) fn main() { var x = n; }";
    assert!(refused(open, 0).to_lowercase().contains("override"), "{}", refused(open, 0));
}
