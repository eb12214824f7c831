//! The element types of images.

use crate::array::Array;
use crate::element::{Class, Ordered};
use half::f16;

/// An element type of images: `u8`, `u16`, `f16` or `f32`. Images are computed in f32; to integers results are rounded, ties to
/// even, and what is past an end becomes the end.
pub trait Pixel: Ordered {}
impl Pixel for u8 {}
impl Pixel for u16 {}
impl Pixel for f16 {}
impl Pixel for f32 {}

impl<T: Pixel> Array<T> {
    /// Results in this type.
    pub(super) fn of_results(results: Array<f32>) -> Array<T> {
        match T::DTYPE.class() {
            Class::Unsigned => results.round().cast(),
            _ => results.cast(),
        }
    }
}
