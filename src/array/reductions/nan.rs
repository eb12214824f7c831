//! Reductions that leave out NaN: NumPy's `nansum` and its kin.

use crate::array::{Array, Axes};
use crate::element::Float;
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

/// Two methods a reduction: over everything and over axes.
macro_rules! reductions {
    ($($name:ident $name_axes:ident -> $result:ty, $doc:literal, $given:literal => $gives:literal, $rows:literal, $work:expr;)*) => {
        impl<T: Float> Array<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// # let nan = f32::NAN;
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ");")]
            #[doc = concat!("assert_eq!(x.", stringify!($name), "().item()?, ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array<$result> {
                let (axes, at) = (Axes::from(..), Location::caller());
                Array::kept(self.device(), self.with_axes(stringify!($name), &axes, at).map(|x| $work(x, &axes)))
            }

            #[doc = concat!("As [`Array::", stringify!($name), "`] over some axes ([`Axes`]).")]
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// # let nan = f32::NAN;
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ").reshape(&[2, 2]);")]
            #[doc = concat!("assert_eq!(x.", stringify!($name_axes), "(1).to_vec()?, ", $rows, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// Errors (kept in the array): an axis out of range, or given twice; nothing to reduce where there is no
            /// result of nothing.
            #[track_caller]
            pub fn $name_axes(&self, axes: impl Into<Axes>) -> Array<$result> {
                let (axes, at) = (axes.into(), Location::caller());
                Array::kept(self.device(), self.with_axes(stringify!($name_axes), &axes, at).map(|x| $work(x, &axes)))
            }
        )*}
    };
}

reductions! {
    nan_sum nan_sum_axes -> T, "The sum of what is not NaN; 0 if nothing is. As [`Array::sum`].", "[1.0f32, nan, 3.0, 4.0]" => "8.0", "[1.0, 7.0]",
        |x: &Array<T>, axes: &Axes| x.or_if_nan(0.0).sum_axes(axes);
    nan_product nan_product_axes -> T, "The product of what is not NaN; 1 if nothing is.", "[2.0f32, nan, 3.0, 4.0]" => "24.0", "[2.0, 12.0]",
        |x: &Array<T>, axes: &Axes| x.or_if_nan(1.0).product_axes(axes);
    nan_mean nan_mean_axes -> T, "The mean of what is not NaN; NaN if nothing is. f16 is computed in f32.", "[1.0f32, nan, 3.0, 5.0]" => "3.0", "[1.0, 4.0]",
        |x: &Array<T>, axes: &Axes| x.widely(|x| x.mean_present(axes), |x| x.mean_present(axes));
    nan_min nan_min_axes -> T, "The smallest element that is not NaN; NaN if all are. Two reads.", "[4.0f32, nan, 3.0, 2.0]" => "2.0", "[4.0, 2.0]",
        |x: &Array<T>, axes: &Axes| x.unless_all_nan(axes, x.or_if_nan(f64::INFINITY).min_axes(axes));
    nan_max nan_max_axes -> T, "The largest element that is not NaN; NaN if all are. Two reads.", "[4.0f32, nan, 3.0, 2.0]" => "4.0", "[4.0, 3.0]",
        |x: &Array<T>, axes: &Axes| x.unless_all_nan(axes, x.or_if_nan(f64::NEG_INFINITY).max_axes(axes));
    nan_arg_min nan_arg_min_axes -> u32, "Where the smallest element that is not NaN is, as [`Array::arg_min`]; 0 if all are NaN, where NumPy raises an error.", "[nan, 4.0f32, 3.0, 2.0]" => "3", "[1, 1]",
        |x: &Array<T>, axes: &Axes| {
            let others = x.or_if_nan(f64::INFINITY);
            let alike = others.min_axes(axes).equal(Array::<T>::scalar(f64::INFINITY));
            alike.select(x.first_present(axes), others.arg_min_axes(axes))
        };
    nan_arg_max nan_arg_max_axes -> u32, "Where the largest element that is not NaN is, as [`Array::arg_max`]; 0 if all are NaN, where NumPy raises an error.", "[nan, 4.0f32, 3.0, 2.0]" => "1", "[1, 0]",
        |x: &Array<T>, axes: &Axes| {
            let others = x.or_if_nan(f64::NEG_INFINITY);
            let alike = others.max_axes(axes).equal(Array::<T>::scalar(f64::NEG_INFINITY));
            alike.select(x.first_present(axes), others.arg_max_axes(axes))
        };
}

impl<T: Float> Array<T> {
    /// The array, if it has these axes.
    fn with_axes(&self, operation: &'static str, axes: &Axes, at: CallSite) -> Result<&Array<T>> {
        axes.once(operation, self.check()?.rank(), at)?;
        Ok(self)
    }

    fn or_if_nan(&self, value: f64) -> Array<T> {
        self.is_nan().select(Array::<T>::scalar(value), self)
    }

    /// A result, but NaN where there was nothing but NaN.
    fn unless_all_nan(&self, axes: &Axes, result: Array<T>) -> Array<T> {
        self.is_nan().all_axes(axes).select(Array::<T>::scalar(f64::NAN), result)
    }

    /// How many elements are not NaN.
    pub(crate) fn present(&self, axes: &Axes) -> Array<u32> {
        (!self.is_nan()).count_nonzero_axes(axes)
    }

    /// Where the first is that is not NaN.
    fn first_present(&self, axes: &Axes) -> Array<u32> {
        (!self.is_nan()).cast::<u32>().arg_max_axes(axes)
    }

    fn mean_present(&self, axes: &Axes) -> Array<T> {
        self.or_if_nan(0.0).sum_axes(axes) / self.present(axes).cast::<T>()
    }

    /// A mean far from 0 is rounded: the mean of the distances from it is taken out of them.
    fn variance_present(&self, axes: &Axes, freedom: usize) -> Array<T> {
        let rows = axes.clone().keep_dims();
        let mean = self.mean_present(&rows).copy();
        // An expression for each reduction, which becomes a part of its kernel.
        let near = || self - &mean;
        let rest = near().mean_present(&rows).copy();
        let squares = (near() - rest).square().or_if_nan_in(self).sum_axes(axes);
        let count = self.present(axes).cast::<T>() - Array::<T>::scalar(freedom as f64);
        count.greater(Array::<T>::scalar(0.0)).select(squares / &count, Array::<T>::scalar(f64::NAN))
    }

    /// 0 where the other is NaN.
    fn or_if_nan_in(&self, other: &Array<T>) -> Array<T> {
        other.is_nan().select(Array::<T>::scalar(0.0), self)
    }

    /// The variance of what is not NaN: the mean of squared distances from the mean, divided by the count less
    /// `freedom`. NaN where no more elements than `freedom` are left. f16 is computed in f32.
    ///
    /// Cost: the array is read three times, first for the mean. In f32 within 4e-6 of its size, however far from 0, where the squared
    /// distances have a finite sum.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, f32::NAN, 3.0, 5.0]);
    /// assert_eq!(x.nan_variance(1).item()?, 4.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_variance(&self, freedom: usize) -> Array<T> {
        let (axes, at) = (Axes::from(..), Location::caller());
        let work =
            |x: &Array<T>| x.widely(|x| x.variance_present(&axes, freedom), |x| x.variance_present(&axes, freedom));
        Array::kept(self.device(), self.with_axes("nan_variance", &axes, at).map(work))
    }

    /// As [`Array::nan_variance`] over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, f32::NAN, 9.0]).reshape(&[2, 2]);
    /// assert_eq!(x.nan_variance_axes(1, 0).to_vec()?, [1.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn nan_variance_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        let work =
            |x: &Array<T>| x.widely(|x| x.variance_present(&axes, freedom), |x| x.variance_present(&axes, freedom));
        Array::kept(self.device(), self.with_axes("nan_variance_axes", &axes, at).map(work))
    }

    /// The standard deviation of what is not NaN: the square root of [`Array::nan_variance`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, f32::NAN, 3.0, 5.0]);
    /// assert_eq!(x.nan_std(1).item()?, 2.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_std(&self, freedom: usize) -> Array<T> {
        self.nan_std_axes(.., freedom)
    }

    /// As [`Array::nan_std`] over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 5.0, f32::NAN, 9.0]).reshape(&[2, 2]);
    /// assert_eq!(x.nan_std_axes(1, 0).to_vec()?, [2.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn nan_std_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        let work = |x: &Array<T>| {
            let wide = |x: Array<f32>| x.variance_present(&axes, freedom).sqrt();
            x.widely(wide, |x| x.variance_present(&axes, freedom).sqrt())
        };
        Array::kept(self.device(), self.with_axes("nan_std", &axes, at).map(work))
    }
}
