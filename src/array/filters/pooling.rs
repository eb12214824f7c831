//! Pooling: the greatest or the mean of windows some steps apart, along the last axes.

use super::neighbours::{REACH, Windows};
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::element::{Element, Float, Number, Part, Scalar};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Operator;
use crosslane_ops::neighbours::{Points, Rule};
use std::panic::Location;

/// The most axes that are pooled.
const AXES: usize = 3;

/// Windows, steps and widths of padding along the last axes.
struct Pool {
    window: Vec<usize>,
    steps: Vec<usize>,
    padding: Vec<usize>,
}

impl Pool {
    fn checked(self, operation: &'static str, shape: &[usize], at: CallSite) -> Result<Pool> {
        let most = AXES.min(shape.len());
        let mistake = |argument: &str, wanted: String, got: &[usize]| {
            Err(Error::argument(operation, argument, wanted, format!("{got:?}"), at))
        };
        let axes = self.window.len();
        if !(1..=most).contains(&axes) || self.window.iter().any(|size| !(1..=REACH).contains(size)) {
            return mistake("window", format!("1 to {most} sizes of 1 to {REACH}"), &self.window);
        }
        if self.steps.len() != axes || self.steps.iter().any(|step| !(1..=REACH).contains(step)) {
            return mistake("steps", format!("{axes} numbers of 1 to {REACH}, one for each size"), &self.steps);
        }
        let half = |(width, size): (&usize, &usize)| *width <= size / 2;
        if self.padding.len() != axes || !self.padding.iter().zip(&self.window).all(half) {
            return mistake("padding", format!("{axes} numbers, each at most half its window's size"), &self.padding);
        }
        let extents = &shape[shape.len() - axes..];
        let fits = |axis: usize| extents[axis] + 2 * self.padding[axis] >= self.window[axis] && extents[axis] > 0;
        if !(0..axes).all(fits) {
            return mistake("window", format!("windows that fit into {shape:?} with its padding"), &self.window);
        }
        Ok(self)
    }

    /// How many windows there are along an axis.
    fn count(&self, axis: usize, extent: usize) -> usize {
        (extent + 2 * self.padding[axis] - self.window[axis]) / self.steps[axis] + 1
    }
}

impl<T: Number> Array<T> {
    /// The greatest of windows along the last one to three axes, `steps` apart: PyTorch's `max_pool1d` to `max_pool3d`, without
    /// `ceil_mode`. The ends are padded by values that are never the greatest. NaN where a window has one.
    ///
    /// Cost: one launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let image = Array::from_shape(device, &[4, 4], &(0..16).collect::<Vec<i32>>());
    /// assert_eq!(image.max_pool([2, 2], [2, 2], [0, 0]).to_vec()?, [5, 7, 13, 15]);
    /// assert_eq!(image.max_pool([3], [2], [1]).shape(), [4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): windows of no axis, of more than three or than the array has, of size 0, or longer than the
    /// padded axis; other numbers of steps or paddings; a step of 0; padding of more than half a window; more bytes than a
    /// kernel binds.
    #[track_caller]
    pub fn max_pool(
        &self,
        window: impl Into<Vec<usize>>,
        steps: impl Into<Vec<usize>>,
        padding: impl Into<Vec<usize>>,
    ) -> Array<T> {
        let (name, at) = ("max_pool", Location::caller());
        let pool = Pool { window: window.into(), steps: steps.into(), padding: padding.into() };
        let result = || {
            let shape = self.check()?.shape();
            let pool = pool.checked(name, shape, at)?;
            let (axes, kept) = (pool.window.len(), shape.len() - pool.window.len());
            let mut last = [0; 3];
            (0..axes).for_each(|axis| last[3 - axes + axis] = pool.window[axis] - 1);
            let points = Points::Box { taps: last.map(|last| last + 1), jump: [1; 3], last };
            let mut windows = Windows::of_last(shape, &pool.padding, points, Rule::Maximum);
            for axis in 0..axes {
                let (span, count) = (&mut windows.spans[3 - axes + axis], pool.count(axis, shape[kept + axis]));
                (span.count, span.step) = (count, pool.steps[axis]);
                windows.shape[kept + axis] = count;
            }
            let least = Operator::Maximum.identity(T::DTYPE);
            self.of_windows(name, windows, None, PadMode::Constant(T::from_scalar(least)), at)
        };
        Array::kept(self.device(), result())
    }
}

impl<T: Float> Array<T> {
    /// The mean of windows along the last one to three axes, `steps` apart: PyTorch's `avg_pool1d` to `avg_pool3d`, without
    /// `ceil_mode`. The ends are padded by zeros, which count.
    ///
    /// Cost: a launch for padding, where there is any, then a reduction over windows that lie in cache.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1.0f32, 3.0, 5.0, 7.0]);
    /// assert_eq!(x.average_pool([2], [2], [0]).to_vec()?, [2.0, 6.0]);
    /// assert_eq!(x.average_pool([2], [2], [1]).to_vec()?, [0.5, 4.0, 3.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::max_pool`].
    #[track_caller]
    pub fn average_pool(
        &self,
        window: impl Into<Vec<usize>>,
        steps: impl Into<Vec<usize>>,
        padding: impl Into<Vec<usize>>,
    ) -> Array<T> {
        let (name, at) = ("average_pool", Location::caller());
        let pool = Pool { window: window.into(), steps: steps.into(), padding: padding.into() };
        let result = || {
            let rank = self.check()?.rank();
            let pool = pool.checked(name, self.shape(), at)?;
            let kept = rank - pool.window.len();
            let mut widths = vec![(0, 0); rank];
            pool.padding.iter().enumerate().for_each(|(axis, &width)| widths[kept + axis] = (width, width));
            let whole = self.pad(&widths, PadMode::Constant(number(0.0)));
            let axes = 0..pool.window.len();
            let windows =
                axes.fold(whole, |x, axis| x.windows((kept + axis) as isize, pool.window[axis], pool.steps[axis]));
            let last: Vec<isize> = (1..=pool.window.len() as isize).map(|back| -back).collect();
            Ok(windows.mean_axes(last))
        };
        Array::kept(self.device(), result())
    }
}

impl<R: Part> Array<R> {
    /// The mean of as many windows along the last one to three axes as results are wanted: PyTorch's `adaptive_avg_pool1d` to
    /// `adaptive_avg_pool3d`. Of `n` values and `m` results the window of result `i` is from `floor(i n / m)` to `ceil((i + 1) n / m)`.
    ///
    /// Cost: a reduction over windows for each axis; where they are not all of one size, a gather before it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0]);
    /// assert_eq!(x.adaptive_average_pool([1]).to_vec()?, [3.0]);
    /// assert_eq!(x.adaptive_average_pool([2]).to_vec()?, [2.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): results along no axis, along more than three or than the array has; 0 of them; an axis without
    /// values.
    #[track_caller]
    pub fn adaptive_average_pool(&self, results: impl Into<Vec<usize>>) -> Array<R> {
        let (name, at, results) = ("adaptive_average_pool", Location::caller(), results.into());
        let pooled = || {
            let shape = self.check()?.shape();
            let most = AXES.min(shape.len());
            if !(1..=most).contains(&results.len()) || results.iter().any(|count| !(1..=REACH).contains(count)) {
                let wanted = format!("1 to {most} numbers of 1 to {REACH}");
                return Err(Error::argument(name, "results", wanted, format!("{results:?}"), at));
            }
            let kept = shape.len() - results.len();
            super::ranks::has_values(name, shape, kept..shape.len(), at)?;
            if let Some(extent) = shape[kept..].iter().find(|&&extent| extent > REACH) {
                let wanted = format!("at most {REACH} values along each axis");
                return Err(Error::argument(name, "array", wanted, extent.to_string(), at));
            }
            Ok(results.iter().enumerate().fold(self.clone(), |x, (axis, &count)| x.parted(kept + axis, count)))
        };
        Array::kept(self.device(), pooled())
    }

    /// The means of so many windows of an axis.
    fn parted(&self, axis: usize, count: usize) -> Array<R> {
        let extent = self.shape()[axis];
        if extent.is_multiple_of(count) {
            return self.windows(axis as isize, extent / count, extent / count).mean_axes(-1);
        }
        let start = |result: usize| result * extent / count;
        let size = |result: usize| ((result + 1) * extent).div_ceil(count) - start(result);
        let longest = (0..count).map(size).max().expect("there are results");
        let mut places = Vec::with_capacity(count * longest);
        let mut own = Vec::with_capacity(count * longest);
        for result in 0..count {
            // Past a shorter window its last value is read, and does not count.
            places.extend((0..longest).map(|nth| (start(result) + nth.min(size(result) - 1)) as u32));
            own.extend((0..longest).map(|nth| nth < size(result)));
        }
        let inverse: Vec<R> = (0..count).map(|result| R::rounded(1.0 / size(result) as f64)).collect();
        let behind = self.rank() - 1 - axis;
        let along = |extents: &[usize]| [extents, &vec![1; behind]].concat();
        let places = Array::from_slice(self.device(), &places);
        let taken = self.take_axis(&places, axis as isize, crosslane_ops::OutOfRange::Clamp);
        let split = [&self.shape()[..axis], &[count, longest], &self.shape()[axis + 1..]].concat();
        let own = Array::from_shape(self.device(), &along(&[count, longest]), &own);
        let inverse = Array::from_shape(self.device(), &along(&[count]), &inverse);
        let sums = own.select(taken.reshape(&split), R::rounded(0.0)).sum_axes(axis as isize + 1);
        sums * inverse
    }
}

/// The value of a type that is a number of f64.
pub(super) fn number<T: Element>(value: f64) -> T {
    T::from_scalar(Scalar::from_f64(T::DTYPE, value))
}
