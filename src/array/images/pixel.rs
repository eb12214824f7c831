//! The element types of images.

use crate::array::Array;
use crate::element::{Class, Ordered, Part};
use half::f16;

/// An element type of images: `u8`, `u16`, `f16`, `f32` or `f64`. Images are computed in f32, those of f64 in f64; to integers
/// results are rounded, ties to even, and what is past an end becomes the end. A device may lack f64
/// ([`Caps::f64`](crate::device::Caps::f64)): arrays of it are then mistakes.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{Pixel, Resampling, ResizeOptions};
/// fn mean<T: Pixel>(image: &Array<T>) -> Array<T> {
///     image.resize([1, 1], &ResizeOptions::default().by(Resampling::Area))
/// }
/// assert_eq!(mean(&Array::from_shape(device, &[1, 2], &[3u8, 6])).to_vec()?, [4]); // 4.5, ties to even
/// # if device.caps().f64 {
/// assert_eq!(mean(&Array::from_shape(device, &[1, 2], &[3.0f64, 6.0])).to_vec()?, [4.5]);
/// # }
/// # Ok(()) });
/// ```
pub trait Pixel: Ordered {
    /// The type in which pixels are added up, and which coordinates have: `f32`, of `f64` `f64`.
    type Sums: Part;
}
impl Pixel for u8 {
    type Sums = f32;
}
impl Pixel for u16 {
    type Sums = f32;
}
impl Pixel for f16 {
    type Sums = f32;
}
impl Pixel for f32 {
    type Sums = f32;
}
impl Pixel for f64 {
    type Sums = f64;
}

impl<T: Pixel> Array<T> {
    /// Results in this type.
    pub(super) fn of_results(results: Array<T::Sums>) -> Array<T> {
        match T::DTYPE.class() {
            Class::Unsigned => results.round().cast(),
            _ => results.cast(),
        }
    }
}
