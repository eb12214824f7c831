//! Positions of a type that the program chooses: those of 64 bits number more than 2^32 elements.

use crate::array::create::indices;
use crate::array::index::{ArrayIndex, reach};
use crate::array::orders::searchsorted;
use crate::array::reductions::extremes::Extreme;
use crate::array::selections::selected_windows::{is_long, selected_positions};
use crate::array::{Array, Axes, Selected, Side, SortOptions, TopKOptions};
use crate::element::{Element, Number, Ordered};
use std::panic::Location;

impl<T: Number> Array<T> {
    /// As [`Array::arg_min_axes`], with positions of any index type: of 64 bits they number more than 2^32 elements, of which
    /// each is then read twice, after a copy of the array where the axes are not its last ones.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4, 1, 1, 2]);
    /// assert_eq!(x.arg_min_as::<i32>(..).item()?, 1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as there; more elements for a result than the type numbers; more than 2^42; a type that the
    /// device has not.
    #[track_caller]
    pub fn arg_min_as<I: ArrayIndex + Number>(&self, axes: impl Into<Axes>) -> Array<I> {
        let (axes, at) = (axes.into(), Location::caller());
        Array::kept(self.device(), Extreme::Least.positions("arg_min_as", self, &axes, at))
    }

    /// As [`Array::arg_max_axes`], with positions of any index type: see [`Array::arg_min_as`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2], &[4, 1, 3, 5]);
    /// assert_eq!(x.arg_max_as::<i32>(-1).to_vec()?, [0, 1]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn arg_max_as<I: ArrayIndex + Number>(&self, axes: impl Into<Axes>) -> Array<I> {
        let (axes, at) = (axes.into(), Location::caller());
        Array::kept(self.device(), Extreme::Greatest.positions("arg_max_as", self, &axes, at))
    }
}

impl<T: Ordered> Array<T> {
    /// As [`Array::argsort_with`], with positions of any index type: of 64 bits they number rows of more than 2^32 elements,
    /// which are sorted at once, as [`Array::sort_pairs`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[30, 10, 20, 10]);
    /// assert_eq!(x.argsort_as::<i32>(&Default::default()).to_vec()?, [1, 3, 2, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::sort_pairs`]; a longer row than the type numbers; a type that the device has not.
    #[track_caller]
    pub fn argsort_as<I: ArrayIndex + Number>(&self, options: &SortOptions) -> Array<I> {
        self.sorting("argsort_as", options, Location::caller())
    }

    /// As [`Array::top_k_with`], with indices of any type: of 64 bits they number rows of more than 2^32 elements, of which
    /// windows are searched first, or, for a large `k`, which are sorted.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[2.5f32, 7.0, -1.0, 7.0]);
    /// let (values, indices) = x.top_k_as::<i32>(3, &Default::default());
    /// assert_eq!(values.to_vec()?, [7.0, 7.0, 2.5]);
    /// assert_eq!(indices.to_vec()?, [1, 3, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): as there; a longer row than the type numbers; a type that the device has not.
    #[track_caller]
    pub fn top_k_as<I: ArrayIndex + Number>(&self, k: usize, options: &TopKOptions) -> (Array<T>, Array<I>) {
        self.first_k("top_k_as", k, options, Location::caller())
    }

    /// As [`Array::searchsorted`], with positions of any index type: of 64 bits they number a sorted array of more than 2^32
    /// elements, of which windows are searched.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::Side;
    /// let sorted = Array::from_slice(device, &[1, 3, 3, 7]);
    /// let values = Array::from_slice(device, &[0, 3, 9]);
    /// assert_eq!(sorted.searchsorted_as::<i32>(&values, Side::Left).to_vec()?, [0, 1, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as there; a longer array than the type numbers; more than 2^42 elements; a type that the
    /// device has not.
    #[track_caller]
    pub fn searchsorted_as<I: ArrayIndex + Number>(&self, values: &Array<T>, side: Side) -> Array<I> {
        let at = Location::caller();
        Array::kept(self.device(), searchsorted::positions("searchsorted_as", &self.node, &values.node, side, at))
    }
}

impl<T: Element> Array<T> {
    /// As [`Array::nonzero`], with indices of any type: of 64 bits they number more than 2^32 elements, of which each window is
    /// selected from at once, as [`Array::compress`] does.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.0f32, 2.0, 0.0, 1.0]);
    /// assert_eq!(x.nonzero_as::<i32>().to_vec()?, [1, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the arrays): as there; more elements than the type numbers; a type that the device has not; of more than
    /// 2^32 elements as [`Array::compress`].
    #[track_caller]
    pub fn nonzero_as<I: ArrayIndex + Number>(&self) -> Selected<I> {
        let (operation, at, device) = ("nonzero_as", Location::caller(), self.device());
        let made = || {
            self.check()?;
            reach::<I>(operation, "array", self.len(), at)?;
            match is_long(&self.node) {
                true => selected_positions(operation, &self.node, at),
                false => Ok(indices::<I>(device, &(0..self.len())).compress(&self.flatten())),
            }
        };
        made().unwrap_or_else(|error| Selected::failed(device, error))
    }
}
