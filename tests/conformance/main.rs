//! Every operation on every device against its meaning, by topic.

#[path = "../support/mod.rs"]
mod support;

mod accuracy;
mod casts;
mod elementwise;
mod expressions;
mod interop;
mod memory;
mod reductions;
mod sort;
mod transfers;
mod views;
mod windows;
