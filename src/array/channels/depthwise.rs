//! Depthwise convolutions: each channel is correlated with filters of its own, and nothing is added up over channels.

use super::windows::Geometry;
use crate::array::Array;
use crate::element::{Arithmetic, DType};
use crate::graph::{Take, Task};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::correlate::Window;
use crosslane_ops::{Boundary, Correlate};

/// The most weights of a filter, and the most values that its windows reach over: a workgroup's memory of 16 KiB holds both.
const MOST: usize = 1000;

/// Whether the sums over windows are correlations of single channels, of a type and a size that they can have.
pub(super) fn takes<T: Arithmetic>(
    array: &Array<T>,
    weights: &Array<T>,
    geometry: &Geometry,
    windows: &[Window],
) -> bool {
    let reach = |window: &Window| (window.taps - 1).saturating_mul(window.dilation).saturating_add(1);
    let area = windows.iter().map(reach).fold(1, usize::saturating_mul);
    let batch = array.shape()[0] * weights.shape()[0];
    let results = windows.iter().map(|window| window.count).fold(batch, usize::saturating_mul);
    let bytes = results.max(array.len()).saturating_mul(T::DTYPE.size()) as u64;
    let there = results > 0 && !array.is_empty();
    matches!(T::DTYPE, DType::F32 | DType::F64)
        && weights.shape()[1] == 1
        && (geometry.groups > 1 || geometry.outputs == 1)
        && !geometry.channels_last
        && there
        && area <= MOST
        && bytes <= array.device().caps().binding_bytes
        && results <= 1 << 31
}

/// The correlations: axes batch, outputs, results ...
pub(super) fn correlated<T: Arithmetic>(array: &Array<T>, weights: &Array<T>, windows: &[Window]) -> Array<T> {
    let (batch, channels, filters) = (array.shape()[0], array.shape()[1], weights.shape()[0]);
    let extents = array.shape()[2..].to_vec();
    // Each channel once for each of its filters, by a view.
    let one = array.reshape(&[&[batch, channels, 1], &extents[..]].concat());
    let repeated = one.broadcast_to(&[&[batch, channels, filters / channels], &extents[..]].concat());
    let counts: Vec<usize> = windows.iter().map(|window| window.count).collect();
    let output = [&[batch, filters], &counts[..]].concat();
    let (windows, shape) = (windows.to_vec(), repeated.shape().to_vec());
    let make = move |mut inputs: Vec<Expression>, output: usize| {
        let (weights, expression) = (inputs.remove(1), inputs.remove(0));
        let (shape, windows, boundary) = (shape.clone(), windows.clone(), Boundary::Constant(0));
        Box::new(Correlate { expression, shape, weights, windows, filters, boundary, output }) as Box<dyn Op>
    };
    let inputs = [(&*repeated.node, Take::Fused), (&*weights.node, Take::Dense)];
    Array::of(Task::nodes(&inputs, vec![(output, T::DTYPE)], 1, make).remove(0))
}
