//! Sums of rows: `shaders/native/reduce_rows.cu`.

use super::natives::Native;
use crosslane_core::kernel::SumOfRows;

pub(super) fn native(sum: &SumOfRows) -> Native {
    let &SumOfRows { workgroup, unroll, strided, last } = sum;
    let define = |(name, value): (&str, u32)| (name.to_string(), value.to_string());
    let defines = [("WORKGROUP", workgroup), ("UNROLL", unroll), ("STRIDED", strided as u32), ("LAST", last as u32)];
    let workgroup_size = [workgroup, 1, 1];
    Native { file: "reduce_rows", defines: defines.map(define).to_vec(), workgroup_size, ..Native::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::substitutes::natives::compile;

    /// It compiles for rows and for one row, results and states.
    #[test]
    fn compiles() {
        for (strided, last) in [(false, false), (false, true), (true, false), (true, true)] {
            let native = native(&SumOfRows { workgroup: 256, unroll: 8, strided, last });
            let Some(made) = compile(&native) else { return };
            assert!(made.spill_bytes == 0 && made.registers <= 64, "{}", made.log);
        }
    }
}
