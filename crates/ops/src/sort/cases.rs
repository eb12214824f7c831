//! Sorts, alone, with indices, with values, and of a number that the device knows; long ones by digits, short ones merged.

use crate::cases::{Case, expression, kinds, leaf, row};
use crate::{Payload, Sort};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Fill};

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in kinds(caps).chain([DType::U16, DType::Bool, DType::I32, DType::U32]) {
        for (rows, length) in [
            (0, 5),
            (1, 0),
            (1, 1),
            (1, 60),
            (1, 1000),
            (1, 12_000),
            (50, 300),
            (1, 3_000_000),
            (2, 9000),
            (3, 5000),
            (3, 50_000_000),
        ] {
            let len = rows * length;
            let count = |slot| (rows == 1).then(|| row(slot, DType::U32, 1));
            let values = |dtype| Payload::Array(expression(None, leaf(1, dtype, len, 0, &[1])));
            let bits = 0..if dtype == DType::Bool { 1 } else { 8 * dtype.size() as u32 };
            let mut case = |name: &str, payload, count: Option<Expression>, gives_keys, output| {
                let (keys, bits, descending, counted) =
                    (row(0, dtype, len), bits.clone(), matches!(rows, 2 | 3), count.is_some());
                let op = Sort { keys, payload, rows, length, descending, bits, count, gives_keys, output };
                let case = Case::new(format!("{name} of {rows} rows of {length} {dtype}"), op).fill(0, Fill::Any);
                all.push(if counted { case.fill(1, Fill::Number(length as u64 * 3 / 4)) } else { case });
            };
            case("sort", Payload::None, None, true, 1);
            case("counted sort", Payload::None, count(1), true, 1 + (rows == 1) as usize);
            case("argsort", Payload::Index, None, false, 1);
            case("pairs", values(DType::U32), None, true, 2);
            case("pairs", values(DType::U8), None, true, 2);
        }
    }
    all
}
