//! Arrays of more elements than an operation numbers, in windows: parts that it takes one after the other.

use super::Array;
use crate::device::Device;
use crate::element::{DType, Element};
use crate::graph::{Node, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::memory::Place;
use std::ops::Range;
use std::sync::Arc;

/// Windows begin at multiples of this, where a window may be as long, so that each is as aligned as the whole array.
const ALIGNED: usize = 4096;
/// The most windows: of 2^32 bytes they are more memory than a device has, and planning them still takes no time.
const MOST: usize = 1 << 10;

/// Ranges of at most `most` places, of about the same length, that cover `len`; one at least.
///
/// Errors: more than [`MOST`] of them.
pub(crate) fn ranges(operation: &'static str, len: usize, most: usize, at: CallSite) -> Result<Vec<Range<usize>>> {
    let count = len.div_ceil(most).max(1);
    if count > MOST {
        let wanted = format!("at most {MOST} windows of {most} elements");
        return Err(Error::argument(operation, "array", wanted, format!("{len} elements"), at));
    }
    let step = len.div_ceil(count).next_multiple_of(ALIGNED).min(most).max(1);
    Ok((0..count)
        .map(|i| (i * step).min(len)..((i + 1) * step).min(len))
        .filter(|r| len == 0 || !r.is_empty())
        .collect())
}

/// The node's elements from `range.start` to `range.end` in row-major order, in one dimension.
pub(crate) fn window(node: &Arc<Node>, range: &Range<usize>) -> Arc<Node> {
    let flat = view(node, &|layout| layout.reshape(&[node.len()]));
    view(&flat, &|layout| Some(layout.slice(0, range.start, 1, range.len())))
}

/// Whether the device has memory for a result, before the work on its windows begins.
pub(crate) fn has_room(operation: &'static str, device: &Device, dtype: DType, len: usize, at: CallSite) -> Result<()> {
    let bytes = crosslane_ops::buffer_bytes(dtype, len);
    device.pool().take_for(operation, bytes, Place::Device, at).map(drop)
}

impl<T: Element> Array<T> {
    /// An array of one dimension made by its windows: of all of it where that is no more than `most` elements.
    pub(crate) fn in_windows(
        operation: &'static str,
        device: &Device,
        len: usize,
        most: usize,
        at: CallSite,
        part: impl Fn(Range<usize>) -> Array<T>,
    ) -> Array<T> {
        match ranges(operation, len, device.most_numbered(most), at) {
            Err(error) => Array::failed(device, error),
            Ok(ranges) => {
                let parts: Vec<Array<T>> = ranges.into_iter().map(part).collect();
                Array::joined(operation, &parts, 0, at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, ranges};
    use std::panic::Location;

    #[test]
    fn ranges_cover_all_once() {
        let at = Location::caller();
        for most in [1, 7, 1000, 4096, 5000, 1 << 20, u32::MAX as usize] {
            for len in [0, 1, 6, 7, 8, 999, 1000, 1001, 4095, 4096, 4097, 10_000, 1 << 32, (1 << 32) + 1, (1 << 33) + 7]
            {
                let Ok(ranges) = ranges("test", len, most, at) else {
                    assert!(len.div_ceil(most) > MOST, "{len} by {most}");
                    continue;
                };
                assert!(!ranges.is_empty() && ranges.iter().all(|range| range.len() <= most), "{len} by {most}");
                assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, len), "{len} by {most}");
                assert!(ranges.windows(2).all(|two| two[0].end == two[1].start), "{len} by {most}");
                assert_eq!(ranges.len() == 1, len <= most, "{len} by {most}");
            }
        }
    }
}
