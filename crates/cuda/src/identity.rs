//! The identity of machine code that this translator made: its own text, and naga's identity. Not the program's: many
//! programs may share a translator, and a program may stay the same file with another inside.

use crosslane_core::kernel;
use std::any::TypeId;
use std::sync::LazyLock;

/// Files with their texts.
macro_rules! sources {
    ($($file:literal,)*) => { &[$(($file, include_str!($file))),*] };
}

/// All that a kernel's text and code come from, beside naga and the translator. Read while the library is compiled, and not kept in it.
const SOURCES: &[(&str, &str)] = sources![
    "compile.rs",
    "substitutes/natives.rs",
    "substitutes/reduce.rs",
    "substitutes/sort.rs",
    "substitutes/tensor.rs",
    "text/mod.rs",
    "../shaders/native/matmul_tensor.cu",
    "../shaders/native/reduce_rows.cu",
    "../shaders/native/sort_scatter.cu",
];

const SOURCES_HASH: u128 = mix(mix(hash(SOURCES), hash(kernel::SOURCES)), hash(wgsl_to_cuda::SOURCES));

/// The same for all programs with this translator. A type's number depends on the version and features of its crate, and on
/// the compiler.
pub(super) fn identity() -> &'static str {
    static IDENTITY: LazyLock<String> =
        LazyLock::new(|| format!("{SOURCES_HASH:032x} naga {:?}", TypeId::of::<naga::Module>()));
    &IDENTITY
}

/// Differs where a name or a text does. No attacker searches for collisions.
const fn hash(sources: &[(&str, &str)]) -> u128 {
    let (mut rest, mut hash) = (sources, 0);
    while let Some(((name, text), others)) = rest.split_first() {
        hash = hash_one(hash_one(hash, name.as_bytes()), text.as_bytes());
        rest = others;
    }
    hash
}

/// A word of 16 bytes at a time, and the length.
const fn hash_one(hash: u128, mut bytes: &[u8]) -> u128 {
    let mut hash = mix(hash, bytes.len() as u128);
    while let Some((word, rest)) = bytes.split_first_chunk::<16>() {
        hash = mix(hash, u128::from_le_bytes(*word));
        bytes = rest;
    }
    let (mut last, mut place) = (0, 0);
    while place < bytes.len() {
        last |= (bytes[place] as u128) << (8 * place);
        place += 1;
    }
    mix(hash, last)
}

const fn mix(hash: u128, word: u128) -> u128 {
    // The multiplier is FNV's, made dense; what it moves up comes down again.
    let product = (hash ^ word).wrapping_mul(0x9e3779b97f4a7c15_f39cc0605cedc835);
    product ^ (product >> 61)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn the_identity_changes_with_every_text_and_with_nothing_else() {
        let mut found = BTreeSet::from([hash(SOURCES)]);
        assert_eq!(mix(mix(hash(SOURCES), hash(kernel::SOURCES)), hash(wgsl_to_cuda::SOURCES)), SOURCES_HASH);
        for changed in 0..SOURCES.len() {
            for change in [|text: &str| format!("{text} "), |text: &str| text.replacen('e', "f", 1)] {
                let text = change(SOURCES[changed].1);
                let mut sources = SOURCES.to_vec();
                sources[changed].1 = &text;
                assert!(found.insert(hash(&sources)), "{}", sources[changed].0);
            }
        }
        let split = [("a", "bc"), ("ab", "c"), ("abc", ""), ("", "abc")].map(|source| hash(&[source]));
        assert_eq!(BTreeSet::from(split).len(), split.len());
        let program = std::env::current_exe().unwrap();
        assert!(!identity().contains(&*program.to_string_lossy()));
    }

    #[test]
    fn no_file_of_the_translator_is_forgotten() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in ["text", "../shaders/native"] {
            for entry in std::fs::read_dir(here.join(folder)).unwrap() {
                let name = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
                let listed = SOURCES.iter().any(|(file, _)| *file == name);
                assert!(listed || name == "text/tests.rs", "{name}");
            }
        }
    }
}
