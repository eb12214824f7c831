//! Passes of radix sorts: `shaders/native/sort_scatter.cu`.

use super::natives::Native;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Carried, SortByDigit};

/// A tile, whether values may go with its keys, threads of a block that orders it, and blocks on a processor that registers
/// must leave room for.
const TILES: [(u32, bool, u32, u32); 2] = [(8192, false, 256, 3), (6144, true, 256, 2)];

pub(super) fn native(pass: &SortByDigit) -> Option<Native> {
    let fits = |tile: &&(u32, bool, u32, u32)| tile.0 == pass.tile && (tile.1 || pass.values == Carried::Nothing);
    let &(tile, _, threads, blocks) = TILES.iter().find(fits)?;
    let kind = match pass.key {
        DType::U32 => 0,
        DType::I32 => 1,
        DType::F32 => 2,
        _ => return None,
    };
    let defines = [
        ("WORKGROUP", threads),
        ("ITEMS", tile / threads),
        ("TILE", tile),
        ("BLOCKS", blocks),
        ("PREFIX", pass.prefix),
        ("SPINS", pass.spins),
        ("KIND", kind),
        ("FLIP", if pass.descending { u32::MAX } else { 0 }),
        ("LAST", pass.last),
        ("STORE_KEYS", pass.stores_keys as u32),
        ("VALUES", pass.values as u32),
    ];
    let defines = defines.map(|(name, value)| (name.to_string(), format!("{value}u"))).to_vec();
    let workgroup_size = [threads, 1, 1];
    Some(Native { file: "sort_scatter", defines, workgroup_size, reads_back: true, ..Native::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::substitutes::natives::compile;

    /// It compiles for each kind of keys and values, and keeps them in registers.
    #[test]
    fn compiles() {
        let kinds = [
            (DType::U32, Carried::Nothing, 8192),
            (DType::I32, Carried::Index, 6144),
            (DType::F32, Carried::Word, 6144),
        ];
        for (key, values, tile) in kinds {
            let (descending, stores_keys, prefix, spins, last) = (false, true, tile + 2, 64, u32::MAX);
            let pass = SortByDigit { key, descending, values, stores_keys, tile, prefix, spins, last };
            let Some(made) = compile(&native(&pass).unwrap()) else { return };
            assert!(made.spill_bytes == 0, "{}", made.log);
        }
    }
}
