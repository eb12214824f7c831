//! The texts that decide which module of a kernel runs: an engine that keeps machine code knows by them what it was made by.

/// Files with their texts.
macro_rules! sources {
    ($($file:literal,)*) => { &[$(($file, include_str!($file))),*] };
}

/// All that changes a kernel's module, beside naga. Read while the library is compiled, and not kept in it.
pub const SOURCES: &[(&str, &str)] = sources![
    "blocks.rs",
    "contract.rs",
    "counting.rs",
    "counting/pass.rs",
    "graft.rs",
    "guard.rs",
    "messages.rs",
    "operands.rs",
    "parse.rs",
    "prelude.rs",
    "turns.rs",
    "unroll/fold.rs",
    "unroll/mod.rs",
    "unroll/rebuild.rs",
    "unroll/split.rs",
    "user.rs",
];
