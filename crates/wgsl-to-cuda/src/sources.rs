//! The translator's own text, for the identity of what it writes: who keeps machine code asks whether another translator made it.

/// Files with their texts.
macro_rules! sources {
    ($($file:literal,)*) => { &[$(($file, include_str!($file))),*] };
}

/// All that a translation comes from, beside naga. Read while the crate is compiled: a program that hashes it as a constant does not keep
/// it.
pub const SOURCES: &[(&str, &str)] = sources![
    "constants.rs",
    "entry.rs",
    "expressions.rs",
    "flow.rs",
    "functions.rs",
    "interface.rs",
    "lib.rs",
    "math.rs",
    "multiples.rs",
    "names.rs",
    "parts.rs",
    "places.rs",
    "shared.rs",
    "statements.rs",
    "types.rs",
    "../prelude/atomic.cuh",
    "../prelude/convert.cuh",
    "../prelude/cooperative.cuh",
    "../prelude/geometry.cuh",
    "../prelude/half.cuh",
    "../prelude/integer.cuh",
    "../prelude/math.cuh",
    "../prelude/matrix.cuh",
    "../prelude/memory.cuh",
    "../prelude/pack.cuh",
    "../prelude/scalar.cuh",
    "../prelude/subgroup.cuh",
    "../prelude/vector.cuh",
];

#[cfg(test)]
mod tests {
    use super::SOURCES;
    use std::path::Path;

    #[test]
    fn no_file_is_forgotten() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (folder, before) in [("src", ""), ("prelude", "../prelude/")] {
            for entry in std::fs::read_dir(here.join(folder)).unwrap() {
                let name = format!("{before}{}", entry.unwrap().file_name().to_string_lossy());
                assert!(SOURCES.iter().any(|(file, _)| *file == name) || name == "sources.rs", "{name}");
            }
        }
    }
}
