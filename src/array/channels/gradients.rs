//! The gradients of convolutions over channels: of their array, which is a transposed convolution, and of their weights.

use super::ConvOptions;
use super::forward::weighed;
use super::phases::{Phase, phases, together};
use super::windows::{Geometry, windowed};
use crate::array::Array;
use crate::array::products::contract::{Kinds, contract};
use crate::array::products::matmul::{one_device, ordered};
use crate::element::Arithmetic;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Precision;
use std::panic::Location;

impl<T: Arithmetic> Array<T> {
    /// The transposed convolution: each value of an array (batch, outputs, ..) times the weights (outputs, channels of a group,
    /// taps ..), added up where a [convolution](Array::conv) by these weights and options would have read. PyTorch's
    /// `conv_transpose2d`.
    ///
    /// The result is as long as the shortest array whose convolution is as long as this one; [`Array::conv_gradient`] makes
    /// longer ones.
    ///
    /// Cost: a product of matrices for each phase of the steps (the product of all steps), none of which multiplies zeros,
    /// and a copy that puts them together, if there are several.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvOptions;
    /// let x = Array::from_shape(device, &[1, 1, 3], &[1.0f32, 2.0, 3.0]);
    /// let weights = Array::from_shape(device, &[1, 1, 2], &[1.0f32, 10.0]);
    /// let y = x.conv_transposed(&weights, &ConvOptions::default().steps([2]));
    /// assert_eq!(y.to_vec()?, [1.0, 10.0, 2.0, 20.0, 3.0, 30.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::conv`]; padding that leaves nothing.
    #[doc(alias = "conv_transpose2d")]
    #[doc(alias = "deconvolution")]
    #[track_caller]
    pub fn conv_transposed(&self, weights: &Array<T>, options: &ConvOptions) -> Array<T> {
        let (operation, at) = ("conv_transposed", Location::caller());
        let result = || {
            let geometry = Geometry::of(operation, self, weights, options, at)?;
            let axes = geometry.extents(self).iter().zip(&geometry.taps).zip(&geometry.options);
            let extents = axes.map(|((&count, &taps), options)| {
                let before = options.padding.0.saturating_add(options.padding.1);
                let reach = (taps - 1).saturating_mul(options.dilation).saturating_add(1);
                let whole = count.checked_sub(1)?.saturating_mul(options.step).saturating_add(reach);
                whole.checked_sub(before)
            });
            let extents: Option<Vec<usize>> = extents.collect();
            let extents = extents.ok_or_else(|| {
                let wanted = "padding of at most the values along each axis, and values";
                Error::argument(operation, "padding", wanted, format!("{:?}, {:?}", options.padding, self.shape()), at)
            })?;
            self.spread_back(operation, weights, &extents, &geometry, options.precision, at)
        };
        Array::kept(self.device(), result())
    }

    /// The gradient of a [convolution](Array::conv) for its array, which is `extents` long along the axes of windows, from the
    /// gradient of its result, which this is: weights and options are the convolution's.
    ///
    /// Cost: as [`Array::conv_transposed`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvOptions;
    /// let (x, weights) = (Array::<f32>::ones(device, &[1, 1, 5]), Array::<f32>::ones(device, &[1, 1, 3]));
    /// let y = x.conv(&weights, &ConvOptions::default());
    /// let gradient = y.ones_like().conv_gradient(&weights, &[5], &ConvOptions::default());
    /// assert_eq!(gradient.to_vec()?, [1.0, 2.0, 3.0, 2.0, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::conv`]; extents of which the convolution has another shape than this array.
    #[track_caller]
    pub fn conv_gradient(&self, weights: &Array<T>, extents: &[usize], options: &ConvOptions) -> Array<T> {
        let (operation, at) = ("conv_gradient", Location::caller());
        let result = || {
            let geometry = Geometry::of(operation, self, weights, options, at)?;
            counted(operation, self, extents, &geometry, at)?;
            self.spread_back(operation, weights, extents, &geometry, options.precision, at)
        };
        Array::kept(self.device(), result())
    }

    /// The gradient of a [convolution](Array::conv) of this array for its weights, which have `taps` along the axes of windows,
    /// from the gradient of its result.
    ///
    /// Cost: one product of matrices over batch and results.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvOptions;
    /// let x = Array::arange(device, 0.0f32, 5.0, 1.0).reshape(&[1, 1, 5]);
    /// let gradient = Array::<f32>::ones(device, &[1, 1, 3]);
    /// let of_weights = x.conv_weights_gradient(&gradient, &[3], &ConvOptions::default());
    /// assert_eq!(of_weights.to_vec()?, [3.0, 6.0, 9.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::conv`]; a gradient of another shape than the convolution has; channels that the
    /// groups do not divide.
    #[track_caller]
    pub fn conv_weights_gradient(&self, gradient: &Array<T>, taps: &[usize], options: &ConvOptions) -> Array<T> {
        let (operation, at) = ("conv_weights_gradient", Location::caller());
        let result = || {
            one_device(operation, [&self.node, &gradient.node], at)?;
            let (shape, given) = (self.shape(), gradient.shape());
            let last = shape.len().saturating_sub(1);
            let channels = if options.channels_last { last } else { 1.min(last) };
            let fits = shape.len() == given.len() && shape.len() == taps.len() + 2 && shape[0] == given[0];
            if !fits || options.groups == 0 || !shape[channels].is_multiple_of(options.groups) {
                let wanted = "as many axes, two more than taps, as long a batch, and channels that the groups divide";
                let got = format!("{shape:?}, gradient {given:?}, {} taps, {} groups", taps.len(), options.groups);
                return Err(Error::argument(operation, "gradient", wanted, got, at));
            }
            let weighed = [&[given[channels], shape[channels] / options.groups], taps].concat();
            let geometry = Geometry::of_shapes(operation, shape, &weighed, options, at)?;
            counted(operation, gradient, geometry.extents(self), &geometry, at)?;
            let windows = geometry.windows(operation, geometry.extents(self), at)?;
            let axes = windows.len();
            let windowed = windowed(operation, self, &geometry, geometry.inputs, &windows, at)?;
            // Groups, batch and results (inner), channels and taps (columns).
            let order =
                [&[1, 0][..], &(3..3 + axes).collect::<Vec<_>>(), &[2], &(3 + axes..3 + 2 * axes).collect::<Vec<_>>()];
            let windowed = ordered(&windowed, &order.concat());
            // Groups, outputs of a group (rows), batch and results (inner).
            let (place, first) = geometry.places();
            let mut split = gradient.shape().to_vec();
            split.splice(place..=place, [geometry.groups, geometry.outputs]);
            let first = if geometry.channels_last { first } else { first + 1 };
            let order = [&[place, place + 1, 0][..], &(first..first + axes).collect::<Vec<_>>()].concat();
            let gradient = ordered(&gradient.reshape(&split).node, &order);
            let kinds = Kinds { batch: 1, rows: 1, columns: 1 + axes, inner: 1 + axes };
            let product = contract(operation, [&gradient, &windowed], kinds, T::DTYPE, options.precision, at)?;
            Ok(Array::of(product).reshape(&weighed))
        };
        Array::kept(self.device(), result())
    }

    /// This gradient of a convolution's result, as that of its array of these extents.
    fn spread_back(
        &self,
        operation: &'static str,
        weights: &Array<T>,
        extents: &[usize],
        geometry: &Geometry,
        precision: Precision,
        at: CallSite,
    ) -> Result<Array<T>> {
        geometry.check_channels(operation, "channels", self, geometry.outputs, at)?;
        let shape = |extents: &[usize]| {
            let channels = [geometry.groups * geometry.inputs];
            let parts = if geometry.channels_last { [extents, &channels] } else { [&channels, extents] };
            [&[self.shape()[0]], parts[0], parts[1]].concat()
        };
        crate::array::create::fits(operation, T::DTYPE, &shape(extents), at)?;
        if shape(extents).contains(&0) || self.is_empty() {
            return Ok(Array::zeros(self.device(), &shape(extents)));
        }
        let axes: Vec<Vec<Phase>> = phases(geometry, extents);
        let of_phase = |phase: &[&Phase]| match phase.iter().map(|phase| phase.window).collect::<Option<Vec<_>>>() {
            Some(windows) => {
                weighed(operation, self, &turned(weights, geometry, phase), geometry, &windows, precision, at)
            }
            None => Ok(Array::zeros(self.device(), &shape(&phase.iter().map(|phase| phase.count).collect::<Vec<_>>()))),
        };
        together(&axes, extents, geometry, &of_phase)
    }
}

/// Refuses a gradient that is not as long as the convolution of an array of these extents.
fn counted<T: Arithmetic>(
    operation: &'static str,
    gradient: &Array<T>,
    extents: &[usize],
    geometry: &Geometry,
    at: CallSite,
) -> Result<()> {
    if extents.len() != geometry.taps.len() {
        let wanted = format!("{}, one for each axis of windows", geometry.taps.len());
        return Err(Error::argument(operation, "extents", wanted, format!("{extents:?}"), at));
    }
    geometry.check_channels(operation, "gradient", gradient, geometry.outputs, at)?;
    let counts: Vec<usize> = geometry.windows(operation, extents, at)?.iter().map(|window| window.count).collect();
    if counts != geometry.extents(gradient) {
        let wanted = format!("{counts:?} along the axes of windows, as the convolution");
        return Err(Error::argument(operation, "gradient", wanted, format!("{:?}", gradient.shape()), at));
    }
    Ok(())
}

/// The weights of a phase in the opposite order, from the outputs to the channels.
fn turned<T: Arithmetic>(weights: &Array<T>, geometry: &Geometry, phase: &[&Phase]) -> Array<T> {
    let (groups, outputs, inputs) = (geometry.groups, geometry.outputs, geometry.inputs);
    let own = phase.iter().enumerate().fold(weights.clone(), |weights, (axis, phase)| {
        let last = phase.first_tap + (phase.taps - 1) * phase.apart;
        weights.part(2 + axis, last, -(phase.apart as isize), phase.taps)
    });
    let taps = own.shape()[2..].to_vec();
    let split = own.reshape(&[&[groups, outputs, inputs], &taps[..]].concat());
    let mut order: Vec<usize> = (0..split.rank()).collect();
    order.swap(1, 2);
    Array::of(ordered(&split.node, &order)).reshape(&[&[groups * inputs, outputs], &taps[..]].concat())
}
