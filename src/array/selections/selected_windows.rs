//! Selections from more elements than one kernel numbers: the selected elements of each window, one behind the other.

use crate::array::create::indices;
use crate::array::selections::select::selected;
use crate::array::windows::{ranges, window};
use crate::array::{Array, ArrayIndex, Selected};
use crate::element::{Element, Number};
use crate::graph::Node;
use crosslane_core::error::{CallSite, Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// The most elements from which one kernel selects.
pub(crate) const MOST: usize = u32::MAX as usize;

/// Whether one kernel selects from so many.
pub(crate) fn is_long(node: &Node) -> bool {
    node.len() > node.device.most_numbered(MOST)
}

/// The windows that [`selected_parts`] takes: all of one may be selected, into one binding.
pub(crate) fn windows_of<T: Element>(
    operation: &'static str,
    condition: &Node,
    at: CallSite,
) -> Result<Vec<Range<usize>>> {
    let fitting = condition.device.caps().binding_bytes as usize / T::DTYPE.size();
    ranges(operation, condition.len(), condition.device.most_numbered(MOST).min(fitting), at)
}

/// The elements of each window whose condition is not zero, in memory of their number. Waits for the device.
pub(crate) fn selected_parts<T: Element>(
    operation: &'static str,
    picked: &Arc<Node>,
    condition: &Arc<Node>,
    at: CallSite,
) -> Result<Vec<Array<T>>> {
    parts_of(operation, |range| window(picked, range), condition, at)
}

/// The same of what there is to pick in each window.
fn parts_of<T: Element>(
    operation: &'static str,
    picked: impl Fn(&Range<usize>) -> Arc<Node>,
    condition: &Arc<Node>,
    at: CallSite,
) -> Result<Vec<Array<T>>> {
    let part = |range| {
        let part = selected::<T>(&picked(&range), &window(condition, &range), None).to_array()?;
        // A copy lets go of the memory for a whole window.
        let part = if part.len() < range.len() { part.copy() } else { part };
        part.eval()?;
        Ok(part)
    };
    let ranges = windows_of::<T>(operation, condition, at)?;
    ranges.into_iter().map(part).collect::<Result<_>>().map_err(|error: Error| error.asked_at(at))
}

/// How many elements there are, if a u32 holds it.
pub(crate) fn count_of<T: Element>(operation: &'static str, parts: &[Array<T>], at: CallSite) -> Result<Array<u32>> {
    let count: usize = parts.iter().map(Array::len).sum();
    match u32::try_from(count) {
        Ok(count) => Ok(Array::full(parts[0].device(), &[1], count)),
        Err(_) => {
            let wanted = "fewer than 2^32 selected elements: a u32 holds their number";
            Err(Error::argument(operation, "condition", wanted, count.to_string(), at))
        }
    }
}

/// As [`selected`], from any number of elements, at once: the values are as many as were selected.
pub(crate) fn selected_of_many<T: Element>(
    operation: &'static str,
    picked: &Arc<Node>,
    condition: &Arc<Node>,
    at: CallSite,
) -> Result<Selected<T>> {
    joined(operation, &selected_parts(operation, picked, condition, at)?, picked.len(), at)
}

/// The positions of what is not zero, among any number of elements, at once.
pub(crate) fn selected_positions<I: ArrayIndex + Number>(
    operation: &'static str,
    condition: &Arc<Node>,
    at: CallSite,
) -> Result<Selected<I>> {
    let positions = |range: &Range<usize>| indices::<I>(&condition.device, range).into_node();
    joined(operation, &parts_of(operation, positions, condition, at)?, condition.len(), at)
}

/// What was selected from each window of this many elements in all.
fn joined<T: Element>(operation: &'static str, parts: &[Array<T>], source: usize, at: CallSite) -> Result<Selected<T>> {
    let (values, count) = (Array::joined(operation, parts, 0, at), count_of(operation, parts, at)?);
    Ok(Selected { values, count, of: None, source })
}
