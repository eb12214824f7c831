//! WGSL's meaning, judged without the library's kernels: the specification's tables, generated programs that all
//! devices must agree on, accuracy within the specification's bounds, subgroups, and clean and faulty kernels.

#[path = "../support/mod.rs"]
mod support;

mod accuracy;
mod clean;
mod deep;
#[cfg(feature = "cuda")]
#[path = "../cuda/emulate.rs"]
mod emulate;
#[cfg(feature = "cuda")]
#[path = "../emulation/mod.rs"]
mod emulation;
mod faulty;
mod generate;
mod judge;
mod layout;
mod matrices;
mod past_end;
mod pointers;
mod programs;
mod robustness;
#[cfg(feature = "cpu")]
mod sanitizer;
mod spec;
mod standard;
mod subgroups;
mod wrong;
