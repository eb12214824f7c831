//! Parts of every type, aligned and not, few and many, through windows.

use crate::Concatenate;
use crate::cases::{Case, contiguous, expression, leaf, types};
use crosslane_core::caps::Caps;
use crosslane_core::op::Fill;

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for dtype in types(caps) {
        for (shape, lengths) in [
            ([3, 0, 5], [1usize, 5, 7]),
            ([10, 0, 8], [4, 12, 8]),
            ([10, 0, 7], [3, 12, 1]),
            ([4, 0, 60], [1, 5, 7]),
            ([3000, 0, 5000], [1, 5, 7]),
        ] {
            if 13 * 15_000_000 * dtype.size() > caps.buffer_bytes as usize * 16 {
                continue;
            }
            for (axis, many) in [(0, 1), (1, 1), (1, 10)] {
                let lengths = lengths.repeat(many);
                let part = |(slot, &length): (usize, &usize)| {
                    let mut shape = shape.to_vec();
                    shape[1] = 2;
                    shape[axis] = length;
                    (expression(None, leaf(slot, dtype, shape.iter().product(), 0, &contiguous(&shape))), shape)
                };
                let parts: Vec<_> = lengths.iter().enumerate().map(part).collect();
                let output = parts.len();
                let case =
                    Case::new(format!("{shape:?} of {dtype} by {lengths:?}"), Concatenate { parts, axis, output });
                all.push((0..output).fold(case, |case, slot| case.fill(slot, Fill::Any)));
            }
        }
    }
    all
}
