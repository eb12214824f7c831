//! Arrays: NumPy-like, deferred, fused.

mod apply;
mod bind;
mod channels;
mod complex;
mod create;
mod custom;
mod display;
mod elementwise;
#[cfg(feature = "wgpu")]
mod encode;
mod evaluate;
mod explain;
mod filters;
mod from_host;
mod host_array;
mod images;
mod index;
mod inputs;
mod masks;
#[cfg(all(test, feature = "cpu"))]
mod model;
mod operators;
mod orders;
mod parts;
mod positions;
mod products;
mod rebuild;
mod reductions;
mod selections;
#[cfg(feature = "serde")]
mod serialise;
mod shapes;
mod signals;
mod spaces;
mod spectra;
mod stencils;
mod to_device;
mod transfer;
mod windows;

pub use crate::element::Input;
pub use apply::Outputs;
pub use channels::ConvOptions;
pub use crosslane_core::layout::{Layout, broadcast_shapes};
pub use crosslane_ops::searchsorted::Side;
pub use crosslane_ops::{OutOfRange, Precision};
pub use custom::{Elementwise, Reduction};
pub use elementwise::{Operand, has_kernel};
pub use evaluate::eval_all;
pub use explain::{ExplainedStep, Explanation};
pub use filters::{ConvolveOptions, Footprint, Gaussian, PerAxis, Sizes};
pub use host_array::HostArray;
pub use images::{ColourMap, Pixel, Resampling, ResizeOptions, WarpOptions};
pub use index::ArrayIndex;
pub use inputs::Inputs;
pub use orders::{Interpolation, QuantileOptions, SortKey, SortOptions, TopKOptions, Unique, lexsort, lexsort_as};
pub use products::einsum;
pub use reductions::{Scan, Tolerance};
pub use selections::{GroupBy, Selected};
pub use shapes::{Axes, Extent, PadMode, Slice, ViewMut, axes};
pub use signals::{
    Band, PeakOptions, Peaks, butterworth, chebyshev1, firwin, lfilter_zi, savgol_coefficients, sosfilt_zi,
};
pub use spectra::{ConvolveMode, CosineKind, FftOptions, Norm, SpectrumOptions, Window};
pub use stencils::Stencil;
pub use transfer::upload_all;

pub(crate) use bind::Untyped;
pub(crate) use create::{check, holds};
#[cfg(feature = "wgpu")]
pub(crate) use encode::no_encoders;
pub(crate) use evaluate::one_device;
pub(crate) use inputs::{AnyInput, apply};

use crate::device::Device;
use crate::element::{DType, Element};
use crate::graph::{Handle, Node};
use crosslane_core::error::{Error, Result};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// An n-dimensional array on a device: a cheap handle to a value, or to how it will be computed.
///
/// Nothing runs until a value is asked for ([`Array::to_vec`], [`Array::item`], [`Array::eval`]). Elementwise work,
/// broadcasting, casts and views then become one kernel, and a reduction takes its elementwise input in as a prologue.
///
/// Arrays are values: assigning to one never changes another, even if the two shared memory before.
///
/// An error, such as shapes that do not fit, is kept in the array with the caller's line, and is returned at the first
/// `?`, since operators cannot fail. The rule: a function that returns a fixed number of arrays keeps the error in
/// them. A function returns a [`Result`] if it returns host values or a `Vec`, takes a list of arrays, waits for the
/// device, or uses files or foreign memory.
///
/// A function of your own over elements (`x.map(f)` elsewhere) is [`map!`](crate::map!) or [`Elementwise`].
/// [`Array::map_memory`] maps memory.
///
/// Integers never stop a kernel: sums wrap, `i / 0` is `i`, `i % 0` is 0, and shifts take their count modulo the width.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// let x = Array::from_slice(device, &[0.0f32, 1.5, 4.0]);
/// let y = (&x * 2.0 + 1.0).sqrt();
/// assert_eq!(y.to_vec()?, [1.0, 2.0, 3.0]);
/// let error = (&x + &Array::zeros(device, &[4])).to_vec().unwrap_err();
/// assert!(error.to_string().contains("[3] and [4]"));
/// # Ok(()) });
/// ```
pub struct Array<T: Element> {
    node: Handle,
    marker: PhantomData<fn() -> T>,
}

impl<T: Element> Array<T> {
    pub(crate) fn of(node: Arc<Node>) -> Array<T> {
        debug_assert!(node.dtype == T::DTYPE || node.error().is_some(), "{} is not {}", node.dtype, T::DTYPE);
        Array { node: Handle::new(node), marker: PhantomData }
    }

    fn into_node(self) -> Arc<Node> {
        self.node.clone()
    }

    /// The extent of each dimension; `[0]` for an array that holds an error.
    pub fn shape(&self) -> &[usize] {
        &self.node.shape
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.node.shape.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type as a value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device that the array is on.
    pub fn device(&self) -> &Device {
        &self.node.device
    }

    /// The error that this array holds instead of a value, if any.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[2, 3]);
    /// assert!(x.check().is_ok());
    /// assert!(x.sum_axes(7).check().is_err());
    /// # Ok(()) });
    /// ```
    pub fn check(&self) -> Result<&Array<T>> {
        match self.node.error() {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }

    /// What was made, or the mistake kept in an array.
    fn kept(device: &Device, made: Result<Array<T>>) -> Array<T> {
        made.unwrap_or_else(|error| Array::failed(device, error))
    }

    /// The error that the array holds.
    pub(crate) fn error(&self) -> Option<Error> {
        self.node.error()
    }

    pub(crate) fn failed(device: &Device, error: Error) -> Array<T> {
        Array::of(Node::failed(device, T::DTYPE, error))
    }
}

impl<T: Element> Clone for Array<T> {
    fn clone(&self) -> Array<T> {
        Array::of(self.node.clone())
    }
}

/// `{:?}` prints type, shape and device, or the error: never the values, so that logging an array neither computes nor waits.
/// `{:#?}`, and with it `dbg!`, prints the values too, as [`fmt::Display`] does.
///
/// ```
/// # crosslane::example(|device| {
/// let x = device.array([1, 2]);
/// assert!(!format!("{x:?}").contains("[1 2]") && format!("{x:#?}").ends_with("\n[1 2]"));
/// # Ok(()) });
/// ```
impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.node.error() {
            return write!(f, "Array(error: {error})");
        }
        write!(f, "Array<{}>({:?} on {})", T::DTYPE, self.shape(), self.device().properties().label())?;
        if f.alternate() { write!(f, "\n{self}") } else { Ok(()) }
    }
}

/// The greatest common divisor.
fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
