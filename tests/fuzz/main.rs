//! Fuzzing: inputs changed at random. Each target first replays `corpus/TARGET/`, then changes its files until its time is up.
//!
//! `CROSSLANE_FUZZ_SECONDS=600 CROSSLANE_SEED=7 cargo test --all-features --test fuzz npy` takes ten minutes with another seed.
//! CONTRIBUTING.md says what to do with a finding.

#[path = "../support/mod.rs"]
mod support;

mod calls;
mod dlpack;
mod expressions;
#[cfg(feature = "cpu")]
mod formulas;
mod harness;
mod memory;
mod mutate;
#[cfg(feature = "npz")]
mod npy;
mod panics;
mod programs;
mod shrink;
mod tape;
#[cfg(feature = "cpu")]
mod texts;
#[cfg(feature = "cpu")]
mod tiers;
#[cfg(feature = "cpu")]
mod wgsl;
