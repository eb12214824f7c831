//! The channels of images as arrays, and arrays as channels: views and fused choices, which take no memory.

use super::Pixel;
use crate::array::Array;
use crate::array::shapes::axes::axis as place;
use crate::element::{Class, DType, Element};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;

/// Three channels of an image in f32, each with an extent of 1 along their axis.
pub(super) struct Channels {
    pub each: [Array<f32>; 3],
    /// The number of the channel, over the image's shape.
    pub number: Array<u32>,
}

impl Channels {
    /// Those of an image with three along an axis; integers as they are.
    pub fn of<T: Pixel>(operation: &'static str, image: &Array<T>, axis: isize, at: CallSite) -> Result<Channels> {
        let axis = of_three(operation, image, axis, at)?;
        let each = [0, 1, 2].map(|channel| image.part(axis, channel, 1, 1).cast());
        Ok(Channels { each, number: numbers(image, image.shape(), axis) })
    }

    /// As [`Channels::of`], of integers as shares of their largest.
    pub fn shares<T: Pixel>(operation: &'static str, image: &Array<T>, axis: isize, at: CallSite) -> Result<Channels> {
        let channels = Channels::of(operation, image, axis, at)?;
        Ok(Channels { each: channels.each.map(|channel| share::<T>(&channel)), ..channels })
    }

    /// An image of these channels.
    pub fn with(&self, [first, second, third]: [Array<f32>; 3]) -> Array<f32> {
        let rest = self.number.equal(1).select(second, third);
        self.number.equal(0).select(first, rest)
    }

    /// For each channel a number of its own.
    fn each_of(&self, [first, second, third]: [f64; 3]) -> Array<f32> {
        let rest = self.number.equal(1).select(second as f32, third as f32);
        self.number.equal(0).select(first as f32, rest)
    }

    /// The product of a matrix and the channels of each pixel.
    pub fn multiplied(&self, matrix: [[f64; 3]; 3]) -> Array<f32> {
        let column = |nth: usize| self.each_of(matrix.map(|row| row[nth]));
        let [r, g, b] = &self.each;
        r * column(0) + g * column(1) + b * column(2)
    }

    /// With a number added to each channel.
    pub fn plus(&self, image: Array<f32>, numbers: [f64; 3]) -> Array<f32> {
        image + self.each_of(numbers)
    }
}

/// The axis of three channels.
pub(super) fn of_three<T: Element>(
    operation: &'static str,
    image: &Array<T>,
    axis: isize,
    at: CallSite,
) -> Result<usize> {
    let axis = place(operation, axis, image.check()?.rank(), at)?;
    match image.shape()[axis] {
        3 => Ok(axis),
        _ => {
            let got = format!("axis {axis} of {:?}", image.shape());
            Err(Error::argument(operation, "image", "three channels along the axis", got, at))
        }
    }
}

/// The places along an axis, over a shape.
pub(super) fn numbers<T: Element>(like: &Array<T>, shape: &[usize], axis: usize) -> Array<u32> {
    let mut strides = vec![0; shape.len()];
    strides[axis] = 1;
    let layout = Layout { shape: shape.to_vec(), strides, offset: 0 };
    Array::of(Node::lazy(like.device(), shape.to_vec(), DType::U32, Expr::Index(layout)))
}

/// The largest integer of a type; of floats 1.
pub(super) fn full<T: Pixel>() -> f64 {
    match T::DTYPE.class() {
        Class::Unsigned => 256f64.powi(T::DTYPE.size() as i32) - 1.0,
        _ => 1.0,
    }
}

/// Values in f32, of integers as shares of their largest.
pub(super) fn share<T: Pixel>(values: &Array<f32>) -> Array<f32> {
    match full::<T>() {
        1.0 => values.clone(),
        full => values / full as f32,
    }
}

/// From shares to values of a type.
pub(super) fn of_shares<T: Pixel<Sums = f32>>(shares: Array<f32>) -> Array<T> {
    Array::of_results(match full::<T>() {
        1.0 => shares,
        full => shares * full as f32,
    })
}
