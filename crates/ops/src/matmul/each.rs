//! Small matrices: an invocation computes one element of the result; `shaders/matmul_each.wgsl`.

use super::shape::Work;
use super::wgsl::MatmulSpec;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;

/// A workgroup's elements, one for each of its invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Each {
    pub workgroup: u32,
}

/// Rows, columns and inner elements of the smallest tile.
const TILE: u64 = 16;
/// Products are computed this way if at most this part, one in this many, of what the smallest tiles would compute is
/// needed.
const WANTED: u64 = 4;
/// Inner elements at most: longer sums are shared by invocations.
const INNER: u64 = 32;
/// Results at most: invocations past the last have numbers too.
const RESULTS: u64 = 1 << 31;

impl Each {
    /// For products that would fill little of a tile.
    pub fn choose(caps: &Caps, work: &Work) -> Option<Each> {
        let results = work.rows.checked_mul(work.columns)?.checked_mul(work.batch)?;
        let padded = work.rows.next_multiple_of(TILE) * work.columns.next_multiple_of(TILE);
        let little = work.rows * work.columns * WANTED <= padded;
        let fits = little && work.inner <= INNER && results <= RESULTS;
        fits.then(|| Each { workgroup: caps.workgroup() })
    }

    pub fn text(self, text: &MatmulSpec) -> String {
        let sums = text.sums;
        let [a, b] = [("a", 1, "row, 0u"), ("b", 2, "0u, column")].map(|(name, nth, place)| {
            let value = format!("{name}_value(batch, {place}, k)");
            match text.several.0[nth].dtype() == sums {
                true => value,
                false => format!("Sum({value})"),
            }
        });
        let sum = if sums == DType::F32 { format!("fma({a}, {b}, sum)") } else { format!("sum + {a} * {b}") };
        format!(
            "alias Sum = {};\nfn multiply_add(batch: u32, row: u32, column: u32, k: u32, sum: Sum) -> Sum {{\n    \
             return {sum};\n}}\n",
            sums.wgsl()
        )
    }
}
