//! Statistics of several variables: covariance, correlation, weighted means; the most frequent element.

use crate::array::{Array, Axes, axes};
use crate::element::{Float, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::broadcast_shapes;
use crosslane_ops::OutOfRange;
use std::panic::Location;

impl<T: Float> Array<T> {
    /// The products of the rows' distances from their means, summed. A mean far from 0 is rounded: the mean of the distances from
    /// it is taken out of them.
    fn scatter_matrix(&self) -> Array<T> {
        let near = (self - self.mean_axes(axes(1).keep_dims())).copy();
        let distances = (&near - near.mean_axes(axes(1).keep_dims())).copy();
        distances.matmul(&distances.transpose())
    }

    fn variables(&self, operation: &'static str, at: CallSite) -> Result<&Array<T>> {
        match self.check()?.shape() {
            [_, _] => Ok(self),
            other => {
                let wanted = "a matrix: a row for each variable, a column for each observation";
                Err(Error::argument(operation, "array", wanted, format!("shape {other:?}"), at))
            }
        }
    }

    /// The covariance of each two rows: rows are variables, columns observations. The sum of the products of both
    /// distances from the mean, divided by the number of observations less `freedom`. NumPy's `cov`, with `ddof` 1 by
    /// default there.
    ///
    /// f16 is computed in f32. Accuracy and cost are those of two means and of [`Array::matmul`] of the matrix by its
    /// transpose. NaN or infinite where there are no more observations than `freedom`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_shape(device, &[2, 3], &[0.0f32, 1.0, 2.0, 6.0, 4.0, 2.0]);
    /// assert_eq!(x.covariance(1).to_vec()?, [1.0, -2.0, -2.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array that is not a matrix.
    #[track_caller]
    #[doc(alias = "cov")]
    pub fn covariance(&self, freedom: usize) -> Array<T> {
        let made = self.variables("covariance", Location::caller()).map(|x| {
            let count = x.shape()[1] as f64 - freedom as f64;
            let wide = |x: Array<f32>| x.scatter_matrix() / Array::<f32>::scalar(count.max(0.0));
            x.widely(wide, |x| x.scatter_matrix() / Array::<T>::scalar(count.max(0.0)))
        });
        Array::kept(self.device(), made)
    }

    /// Pearson's correlation of each two rows: their covariance over both standard deviations, from -1 to 1. NumPy's
    /// `corrcoef`. NaN for rows that are constant.
    ///
    /// Accuracy and cost as [`Array::covariance`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, assert_close};
    /// let x = Array::from_shape(device, &[2, 3], &[0.0f32, 1.0, 2.0, 6.0, 4.0, 2.0]);
    /// assert_close(&x.correlation().to_vec()?, &[1.0, -1.0, -1.0, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array that is not a matrix.
    #[track_caller]
    #[doc(alias = "corrcoef")]
    pub fn correlation(&self) -> Array<T> {
        let made = self.variables("correlation", Location::caller());
        Array::kept(self.device(), made.map(|x| x.widely(|x| x.correlated(), |x| x.correlated())))
    }

    fn correlated(&self) -> Array<T> {
        let products = self.scatter_matrix();
        let lengths = products.diagonal(0, 0, 1).sqrt().copy();
        let shares = products / lengths.expand_dims(1) / lengths.expand_dims(0);
        shares.clamp(Array::<T>::scalar(-1.0), Array::<T>::scalar(1.0))
    }

    /// The mean of all elements, each as often as its weight says: the sum of products over the sum of weights. NumPy's
    /// `average`. The weights are broadcast to the array's shape. f16 is computed in f32.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let (x, weights) = (device.array([1.0f32, 5.0]), device.array([3.0f32, 1.0]));
    /// assert_eq!(x.average(&weights).item()?, 2.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::average_axes`].
    #[track_caller]
    pub fn average(&self, weights: &Array<T>) -> Array<T> {
        Array::kept(self.device(), self.weighted("average", weights, &Axes::from(..), Location::caller()))
    }

    /// As [`Array::average`] over some axes ([`Axes`]). Where the weights add up to 0 it is NaN or infinite.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_shape(device, &[2, 2], &[1.0f32, 5.0, 2.0, 8.0]);
    /// let weights = Array::from_slice(device, &[1.0f32, 3.0]);
    /// assert_eq!(x.average_axes(&weights, 1).to_vec()?, [4.0, 6.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: two reductions, each of which reads the weights. Errors (kept in the array): weights on another device or
    /// of a shape that does not broadcast to the array's; an axis out of range, or given twice.
    #[track_caller]
    pub fn average_axes(&self, weights: &Array<T>, axes: impl Into<Axes>) -> Array<T> {
        Array::kept(self.device(), self.weighted("average_axes", weights, &axes.into(), Location::caller()))
    }

    fn weighted(&self, operation: &'static str, weights: &Array<T>, axes: &Axes, at: CallSite) -> Result<Array<T>> {
        axes.once(operation, self.check()?.rank(), at)?;
        let (shape, given) = (self.shape(), weights.check()?.shape());
        if broadcast_shapes(&[given, shape]).is_none_or(|to| to != shape) {
            let wanted = format!("a shape that broadcasts to {shape:?}");
            return Err(Error::argument(operation, "weights", wanted, format!("shape {given:?}"), at));
        }
        if weights.device() != self.device() {
            let (wanted, got) = (format!("{:?}", self.device()), format!("{:?}", weights.device()));
            return Err(Error::argument(operation, "device of the weights", wanted, got, at));
        }
        let all = weights.broadcast_to(shape);
        let wide = |x: Array<f32>| {
            let all = all.cast::<f32>();
            (x * &all).sum_axes(axes) / all.sum_axes(axes)
        };
        Ok(self.widely(wide, |x| (x * &all).sum_axes(axes) / all.sum_axes(axes)))
    }
}

impl<T: Ordered> Array<T> {
    /// The most frequent element and how often it occurs; of several the smallest. SciPy's `mode` of all elements.
    ///
    /// Elements are equal as in [`Array::unique`]: all NaNs are one value, the largest.
    ///
    /// Cost: as [`Array::unique_counts`], and a reduction of the counts. Nothing waits for the device.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (value, count) = device.array([3, 1, 2, 1, 3, 3]).mode();
    /// assert_eq!((value.item()?, count.item()?), (3, 3));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): no element; as [`Array::unique`].
    #[track_caller]
    pub fn mode(&self) -> (Array<T>, Array<u32>) {
        let at = Location::caller();
        let failed = |error: Error| (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error));
        if let Err(error) = self.check() {
            return failed(error);
        }
        if self.is_empty() {
            let got = format!("shape {:?}", self.shape());
            return failed(Error::argument("mode", "array", "at least one element", got, at));
        }
        let (values, counts) = self.unique_counts();
        let counts = counts.or(0);
        let (first, most) = (counts.arg_max(), counts.max());
        (values.or(T::zeroed()).take(&first, OutOfRange::Clamp), most)
    }
}
