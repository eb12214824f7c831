#[path = "conformance/scans.rs"]
mod scans;
#[path = "support/mod.rs"]
mod support;
