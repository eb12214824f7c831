#[path = "conformance/scans.rs"]
mod scans;
#[path = "conformance/selections.rs"]
mod selections;
#[path = "support/mod.rs"]
mod support;
