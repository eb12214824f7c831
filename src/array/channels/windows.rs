//! The windows of an array with channels, as a view with an axis for each coordinate.

use super::options::{AxisOptions, ConvOptions, REACH};
use crate::array::Array;
use crate::array::products::matmul::one_device;
use crate::array::shapes::PadMode;
use crate::element::Arithmetic;
use crate::graph::{Node, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_ops::correlate::Window;
use std::sync::Arc;

/// Axes of windows at most.
const AXES: usize = 3;

/// What a convolution of an array with weights is over: shapes that fit one another.
pub(super) struct Geometry {
    pub groups: usize,
    /// Channels of a group: of the convolution's array and of its result.
    pub inputs: usize,
    pub outputs: usize,
    pub taps: Vec<usize>,
    pub options: Vec<AxisOptions>,
    pub channels_last: bool,
}

impl Geometry {
    /// Of an array with weights (outputs, inputs of a group, taps ..).
    pub fn of<T: Arithmetic>(
        operation: &'static str,
        array: &Array<T>,
        weights: &Array<T>,
        options: &ConvOptions,
        at: CallSite,
    ) -> Result<Geometry> {
        one_device(operation, [&array.node, &weights.node], at)?;
        Geometry::of_shapes(operation, array.shape(), weights.shape(), options, at)
    }

    /// Of an array and weights of these shapes.
    pub fn of_shapes(
        operation: &'static str,
        shape: &[usize],
        weighed: &[usize],
        options: &ConvOptions,
        at: CallSite,
    ) -> Result<Geometry> {
        if !(3..=2 + AXES).contains(&shape.len()) || weighed.len() != shape.len() {
            let wanted =
                format!("arrays of as many axes, 3 to {}: batch or outputs, channels, and those of windows", 2 + AXES);
            return Err(Error::argument(operation, "shapes", wanted, format!("{shape:?}, weights {weighed:?}"), at));
        }
        let (groups, outputs) = (options.groups, weighed[0]);
        if groups == 0 || !outputs.is_multiple_of(groups) {
            let wanted = format!("a divisor of {outputs}, the weights' outputs");
            return Err(Error::argument(operation, "groups", wanted, groups.to_string(), at));
        }
        if weighed[2..].contains(&0) {
            let wanted = "weights along each axis of windows";
            return Err(Error::argument(operation, "weights", wanted, format!("{weighed:?}"), at));
        }
        Ok(Geometry {
            groups,
            inputs: weighed[1],
            outputs: outputs / groups,
            taps: weighed[2..].to_vec(),
            options: options.of_axes(operation, shape.len() - 2, at)?,
            channels_last: options.channels_last,
        })
    }

    /// The axis of channels, and the first axis of windows.
    pub fn places(&self) -> (usize, usize) {
        if self.channels_last { (1 + self.taps.len(), 1) } else { (1, 2) }
    }

    /// The extents of an array along the axes of windows.
    pub fn extents<'a, T: Arithmetic>(&self, array: &'a Array<T>) -> &'a [usize] {
        let first = self.places().1;
        &array.shape()[first..first + self.taps.len()]
    }

    /// Refuses an array with other channels than so many in each group.
    pub fn check_channels<T: Arithmetic>(
        &self,
        operation: &'static str,
        name: &'static str,
        array: &Array<T>,
        of_group: usize,
        at: CallSite,
    ) -> Result<()> {
        let (wanted, got) = (of_group.checked_mul(self.groups), array.shape()[self.places().0]);
        if wanted == Some(got) {
            return Ok(());
        }
        let wanted = format!("{of_group} channels for each of {} groups", self.groups);
        Err(Error::argument(operation, name, wanted, format!("{got} in {:?}", array.shape()), at))
    }

    /// The windows along each axis of an array with these extents.
    pub fn windows(&self, operation: &'static str, extents: &[usize], at: CallSite) -> Result<Vec<Window>> {
        let axes = self.taps.iter().zip(&self.options).zip(extents);
        axes.map(|((&taps, options), &extent)| {
            let reach = (taps - 1).saturating_mul(options.dilation).saturating_add(1);
            if reach > REACH || extent > REACH {
                let wanted = format!("at most {REACH} values along each axis, and windows as long at most");
                return Err(Error::argument(operation, "shapes", wanted, format!("{extent}, windows of {reach}"), at));
            }
            let (before, after) = options.padding;
            let count = match (extent + before + after).checked_sub(reach) {
                Some(rest) => rest / options.step + 1,
                None => 0,
            };
            Ok(Window { taps, count, first: -(before as i64), step: options.step, dilation: options.dilation })
        })
        .collect()
    }
}

/// The windows of an array whose channels are in groups: axes batch, groups, channels of a group, results .., taps ...
pub(super) fn windowed<T: Arithmetic>(
    operation: &'static str,
    array: &Array<T>,
    geometry: &Geometry,
    of_group: usize,
    windows: &[Window],
    at: CallSite,
) -> Result<Arc<Node>> {
    let (channels, first) = geometry.places();
    let whole = framed(operation, array, first, windows, at)?;
    Ok(view(&whole.node, &|layout| {
        let stride = |axis: usize| layout.strides[axis];
        let mut shape = vec![layout.shape[0], geometry.groups, of_group];
        let mut strides = vec![stride(0), stride(channels) * of_group as isize, stride(channels)];
        for (nth, window) in windows.iter().enumerate() {
            shape.push(window.count);
            strides.push(stride(first + nth) * window.step as isize);
        }
        for (nth, window) in windows.iter().enumerate() {
            shape.push(window.taps);
            strides.push(stride(first + nth) * window.dilation as isize);
        }
        Some(Layout { shape, strides, offset: layout.offset })
    }))
}

/// The values that windows meet, along axes from the first on, with zeros where there are none.
fn framed<T: Arithmetic>(
    operation: &'static str,
    array: &Array<T>,
    first: usize,
    windows: &[Window],
    at: CallSite,
) -> Result<Array<T>> {
    let (mut inside, mut widths) = (array.clone(), vec![(0, 0); array.rank()]);
    for (nth, window) in windows.iter().enumerate() {
        let (axis, start) = (first + nth, window.first);
        let extent = array.shape()[axis] as i64;
        let reach = (window.count.saturating_sub(1) * window.step + (window.taps - 1) * window.dilation + 1) as i64;
        let (from, to) = (start.clamp(0, extent), (start + reach).clamp(0, extent));
        inside = inside.part(axis, from as usize, 1, (to - from) as usize);
        // Windows wholly before or behind the array meet zeros only.
        let before = (-start).clamp(0, reach);
        widths[axis] = (before as usize, (reach - before - (to - from)) as usize);
    }
    inside.padded(operation, &widths, PadMode::Constant(bytemuck::Zeroable::zeroed()), at)
}
