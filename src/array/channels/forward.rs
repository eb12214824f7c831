//! Convolutions over channels.

use super::ConvOptions;
use super::depthwise;
use super::windows::{Geometry, windowed};
use crate::array::Array;
use crate::array::products::contract::{Kinds, contract};
use crate::array::products::matmul::ordered;
use crate::element::Arithmetic;
use crate::graph::{Node, broadcast};
use crosslane_core::error::{CallSite, Result};
use crosslane_ops::Precision;
use crosslane_ops::correlate::Window;
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

impl<T: Arithmetic> Array<T> {
    /// The convolution of neural networks: of a batch of arrays with channels (batch, channels, one to three axes ..) by weights
    /// (outputs, channels of a group, taps ..), which are not turned round. PyTorch's `conv1d`, `conv2d` and `conv3d`.
    ///
    /// A bias, an activation and other elementwise work on the result become part of its kernel, but of a depthwise one's.
    ///
    /// Cost: one product of matrices, whose windows are a view, after a copy with the padding, where there is one. A depthwise
    /// convolution, of one channel in each group, reads each value once; of `f16`, of integers and with channels last it is a
    /// reduction of products. Error: that of [`Array::matmul`] over channels times taps.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvOptions;
    /// let x = Array::arange(device, 0.0f32, 18.0, 1.0).reshape(&[1, 2, 3, 3]);
    /// let weights = Array::<f32>::ones(device, &[4, 2, 2, 2]);
    /// let bias = Array::full(device, &[4, 1, 1], -60.0f32);
    /// let y = (x.conv(&weights, &ConvOptions::default()) + &bias).relu(); // one kernel
    /// assert_eq!(y.shape(), [1, 4, 2, 2]);
    /// assert_eq!(y.to_vec()?[..4], [0.0, 0.0, 16.0, 24.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): other numbers of axes; channels that the weights' times the groups are not; weights without
    /// taps, on another device; another number of paddings, steps or dilations than the windows have axes.
    #[doc(alias = "conv1d")]
    #[doc(alias = "conv2d")]
    #[doc(alias = "conv3d")]
    #[track_caller]
    pub fn conv(&self, weights: &Array<T>, options: &ConvOptions) -> Array<T> {
        let at = Location::caller();
        let result = || {
            let geometry = Geometry::of("conv", self, weights, options, at)?;
            geometry.check_channels("conv", "channels", self, geometry.inputs, at)?;
            let windows = geometry.windows("conv", geometry.extents(self), at)?;
            weighed("conv", self, weights, &geometry, &windows, options.precision, at)
        };
        Array::kept(self.device(), result())
    }
}

/// The sums over the windows of an array with channels by weights (outputs, channels of a group, taps ..).
pub(super) fn weighed<T: Arithmetic>(
    operation: &'static str,
    array: &Array<T>,
    weights: &Array<T>,
    geometry: &Geometry,
    windows: &[Window],
    precision: Precision,
    at: CallSite,
) -> Result<Array<T>> {
    let axes = windows.len();
    let (batch, groups) = (array.shape()[0], geometry.groups);
    let (outputs, inputs) = (weights.shape()[0] / groups, weights.shape()[1]);
    if depthwise::takes(array, weights, geometry, windows) {
        return Ok(depthwise::correlated(array, weights, windows));
    }
    let counts: Vec<usize> = windows.iter().map(|window| window.count).collect();
    let windowed = windowed(operation, array, geometry, inputs, windows, at)?;
    // Groups, outputs of a group, channels of a group, taps.
    let weights = weights.reshape(&[&[groups, outputs], &weights.shape()[1..]].concat());
    // With channels last these are the last of the inner axes: they lie side by side. Otherwise taps are: neighbours in memory
    // follow one another (H200, 32.5 TFLOP/s; with the channels last 28).
    let (results, taps) = (list(3..3 + axes), list(3 + axes..3 + 2 * axes));
    if geometry.channels_last {
        let kinds = Kinds { batch: 1, rows: 1 + axes, columns: 1, inner: 1 + axes };
        let windowed = ordered(&windowed, &[&[1, 0], &results[..], &taps, &[2]].concat());
        let weights = ordered(&weights.node, &[&[0], &list(3..3 + axes)[..], &[2, 1]].concat());
        let product = contract(operation, [&windowed, &weights], kinds, T::DTYPE, precision, at)?;
        let shape = [&[batch], &counts[..], &[groups * outputs]].concat();
        return Ok(of_groups_last(&product, axes).reshape(&shape));
    }
    let kinds = Kinds { batch: 2, rows: 1, columns: axes, inner: 1 + axes };
    let weights = broadcast(&weights.node, &[&[batch], weights.shape()].concat());
    let windowed = ordered(&windowed, &[&[0, 1, 2], &taps[..], &results].concat());
    let product = contract(operation, [&weights, &windowed], kinds, T::DTYPE, precision, at)?;
    Ok(Array::of(product).reshape(&[&[batch, groups * outputs], &counts[..]].concat()))
}

fn list(axes: Range<usize>) -> Vec<usize> {
    axes.collect()
}

/// Axes groups, batch, results .., outputs with the groups before the outputs.
fn of_groups_last<T: Arithmetic>(product: &Arc<Node>, axes: usize) -> Array<T> {
    let order: Vec<usize> = (1..2 + axes).chain([0, 2 + axes]).collect();
    Array::of(ordered(product, &order))
}
