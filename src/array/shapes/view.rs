//! Views: the same elements in another order or shape, without a copy where strides can express it.

use crate::array::Array;
use crate::array::Extent;
use crate::array::shapes::axes::{Axes, axis};
use crate::array::shapes::slice::{Slice, apply};
use crate::element::Element;
use crate::graph::{broadcast, view};
use crosslane_core::error::{Error, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use std::panic::Location;

impl<T: Element> Array<T> {
    fn viewed(&self, change: &dyn Fn(&Layout) -> Option<Layout>) -> Array<T> {
        Array::of(view(&self.node, change))
    }

    fn or_failed(&self, view: Result<Array<T>>) -> Array<T> {
        match self.node.error() {
            Some(error) => Array::failed(self.device(), error),
            None => view.unwrap_or_else(|error| Array::failed(self.device(), error)),
        }
    }

    /// A part of the array, one [`Slice`] an axis from the first on; axes without one stay whole. An index drops its
    /// axis. The macro [`crate::s!`] writes slices as NumPy does. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, s};
    /// let x = Array::arange(device, 0, 10, 1);
    /// assert_eq!(x.slice(s![2..-1;3]).to_vec()?, [2, 5, 8]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more slices than axes; a bound outside the axis; a step of zero.
    #[track_caller]
    pub fn slice(&self, slices: &[Slice]) -> Array<T> {
        let at = Location::caller();
        self.or_failed(
            self.resolve("slice", slices, at).map(|ranges| self.viewed(&|layout| Some(apply(layout, &ranges)))),
        )
    }

    /// The axes in another order: axis `i` of the result is axis `axes[i]`. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[2, 3, 4]);
    /// assert_eq!(x.permute([2, 0, 1]).shape(), [4, 2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): not each axis once.
    #[track_caller]
    pub fn permute(&self, axes: impl Into<Axes>) -> Array<T> {
        let (axes, at, rank) = (axes.into(), Location::caller(), self.rank());
        let order = axes.places("permute", rank, at).and_then(|order| {
            let each = order.len() == rank && (0..rank).all(|axis| order.contains(&axis));
            if each { Ok(order) } else { Err(axes.mistaken("permute", format!("each of {rank} axes once"), at)) }
        });
        self.or_failed(order.map(|order| self.viewed(&|layout| Some(layout.permute(&order)))))
    }

    /// The axes in reverse order. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 6, 1).reshape(&[2, 3]);
    /// assert_eq!(x.transpose().to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn transpose(&self) -> Array<T> {
        self.permute((0..self.rank() as isize).rev().collect::<Vec<_>>())
    }

    /// Two axes exchanged. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[2, 3, 4]);
    /// assert_eq!(x.swap_axes(0, -1).shape(), [4, 3, 2]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> Array<T> {
        let at = Location::caller();
        let places =
            axis("swap_axes", a, self.rank(), at).and_then(|a| Ok((a, axis("swap_axes", b, self.rank(), at)?)));
        self.or_failed(places.map(|(a, b)| {
            let mut order: Vec<usize> = (0..self.rank()).collect();
            order.swap(a, b);
            self.viewed(&|layout| Some(layout.permute(&order)))
        }))
    }

    /// Axes in reverse order. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 4, 1).reshape(&[2, 2]);
    /// assert_eq!(x.flip(1).to_vec()?, [1, 0, 3, 2]);
    /// assert_eq!(x.flip(..).to_vec()?, [3, 2, 1, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Array<T> {
        let flipped = axes.into().reduced("flip", self.rank(), Location::caller());
        self.or_failed(flipped.map(|flipped| {
            let turned = |layout: Layout, axis: usize| {
                let extent = layout.shape[axis];
                layout.slice(axis, extent.saturating_sub(1), -1, extent)
            };
            let axes = || (0..flipped.len()).filter(|&axis| flipped[axis]);
            self.viewed(&|layout| Some(axes().fold(layout.clone(), turned)))
        }))
    }

    /// Another shape with as many elements, in row-major order; one extent may be -1, and is inferred from the others.
    /// A copy is made only where strides cannot express the shape (part of a transposed array, say), at evaluation.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[6]);
    /// assert_eq!(x.reshape(&[3, 2]).shape(), [3, 2]);
    /// assert_eq!(x.reshape(&[2, -1]).shape(), [2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): another number of elements; -1 twice, or where the others do not divide the elements.
    #[track_caller]
    pub fn reshape<E: Extent>(&self, shape: &[E]) -> Array<T> {
        let shape = self.filled_in("reshape", shape, Location::caller());
        self.or_failed(shape.map(|shape| self.viewed(&|layout| layout.reshape(&shape))))
    }

    /// One dimension, in row-major order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::<f32>::zeros(device, &[2, 3]).flatten().shape(), [6]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn flatten(&self) -> Array<T> {
        self.reshape(&[self.len()])
    }

    /// Repeated to a larger shape by NumPy's rule. No copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2]);
    /// assert_eq!(x.broadcast_to(&[2, 2]).to_vec()?, [1, 2, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not fit.
    #[track_caller]
    pub fn broadcast_to(&self, shape: &[usize]) -> Array<T> {
        if let Err(error) = crate::array::create::fits("broadcast_to", T::DTYPE, shape, Location::caller()) {
            return self.or_failed(Err(error));
        }
        let fits = broadcast_shapes(&[self.shape(), shape]).is_some_and(|to| to == shape);
        self.or_failed(match fits {
            true => Ok(Array::of(broadcast(&self.node, shape))),
            false => {
                let wanted = format!("a shape that {:?} broadcasts to", self.shape());
                Err(Error::argument("broadcast_to", "shape", wanted, format!("{shape:?}"), Location::caller()))
            }
        })
    }

    /// Every window of so many neighbours along an axis, `step` apart, along a new last axis: NumPy's `sliding_window_view`. No
    /// copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2, 3, 4]);
    /// assert_eq!(x.windows(0, 3, 1).to_vec()?, [1, 2, 3, 2, 3, 4]);
    /// assert_eq!(x.windows(0, 2, 2).sum_axes(1).to_vec()?, [3, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or shorter than a window; a length or a step of 0.
    #[doc(alias = "sliding_window_view")]
    #[track_caller]
    pub fn windows(&self, along: isize, length: usize, step: usize) -> Array<T> {
        let at = Location::caller();
        let place = axis("windows", along, self.rank(), at).and_then(|place| {
            let extent = self.shape()[place];
            if (1..=extent).contains(&length) && step > 0 {
                return Ok(place);
            }
            let wanted = format!("1 to {extent} values, and a step above 0");
            Err(Error::argument("windows", "length", wanted, format!("{length}, and a step of {step}"), at))
        });
        self.or_failed(place.map(|place| {
            let count = (self.shape()[place] - length) / step + 1;
            self.viewed(&|layout| {
                let mut view = layout.slice(place, 0, step as isize, count);
                view.shape.push(length);
                view.strides.push(layout.strides[place]);
                Some(view)
            })
        }))
    }

    /// A new axis of extent 1 at this position.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[2, 3]);
    /// assert_eq!(x.expand_dims(1).shape(), [2, 1, 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn expand_dims(&self, before: isize) -> Array<T> {
        let place = axis("expand_dims", before, self.rank() + 1, Location::caller());
        self.or_failed(place.map(|place| {
            let mut shape = self.shape().to_vec();
            shape.insert(place, 1);
            self.viewed(&|layout| layout.reshape(&shape))
        }))
    }

    /// Without the axes of extent 1.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[1, 3, 1]);
    /// assert_eq!(x.squeeze().shape(), [3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn squeeze(&self) -> Array<T> {
        let shape: Vec<usize> = self.shape().iter().copied().filter(|&extent| extent != 1).collect();
        self.reshape(&shape)
    }
}
