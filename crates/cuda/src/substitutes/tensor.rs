//! Products of f16 by Hopper's tensor cores: `shaders/native/matmul_tensor.cu`.

use super::natives::Native;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Contraction, Lines, Word};

/// Rows and columns that a block computes.
const TILE: [u32; 2] = [128, 256];
/// Shared memory: four stages of 64 inner elements, and what aligns them.
const BYTES: u32 = 4 * 64 * 2 * (TILE[0] + TILE[1]) + 1024;

/// `params` are the names of the launch's parameters. It copies 16 bytes at once: all lines are aligned. The grid is the
/// kernel's: it must have blocks enough.
pub(super) fn native(product: &Contraction, params: &[String]) -> Option<Native> {
    let [Some(a), Some(b)] = product.sides.each_ref().map(|side| side.lines.as_ref()) else { return None };
    let fits = product.tensor
        && product.dtypes[..2] == [DType::F16; 2]
        && product.tile.iter().zip(TILE).all(|(&its, ours)| its <= ours)
        && a.aligned
        && b.aligned;
    // As the translation spells them.
    let text = |word: Word| match word {
        Word::Is(value) => format!("{value}u"),
        Word::Param(index) => format!("params.{}_", params[index]),
    };
    let define = |name: char, lines: &Lines| {
        let all = [("INNER", lines.by_inner.to_string()), ("STEP", text(lines.step)), ("BATCH", text(lines.batch))];
        all.map(|(what, value)| (format!("{name}_{what}"), value))
    };
    fits.then(|| Native {
        file: "matmul_tensor",
        defines: [define('A', a), define('B', b)].concat(),
        workgroup_size: [384, 1, 1],
        dynamic_bytes: BYTES,
        behind_translation: true,
        architecture: Some(90),
        ..Native::default()
    })
}
