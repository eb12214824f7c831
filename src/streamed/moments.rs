//! Mean and variance of a stream, merged piece by piece.

use super::Streamed;
use super::run::{Work, ahead};
use crate::array::Array;
use crate::element::{DType, Float};
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

/// A count of elements, their mean, and the sum of their squared distances from it.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Those of both (Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983).
    fn merged(self, other: Moments) -> Moments {
        let (a, b) = (self.count as f64, other.count as f64);
        if self.count == 0 {
            return other;
        }
        let distance = other.mean - self.mean;
        Moments {
            count: self.count + other.count,
            mean: self.mean + distance * (b / (a + b)),
            squares: self.squares + other.squares + distance * distance * (a * (b / (a + b))),
        }
    }

    fn variance(self, freedom: usize) -> f64 {
        self.squares / (self.count as f64 - freedom as f64)
    }
}

impl<T: Float> Streamed<'_, T> {
    /// The mean and the variance, in one pass: the sum of squared distances from the mean over the count less `freedom`. Both are NaN
    /// for no elements.
    ///
    /// Pieces are computed as by [`Array::mean_variance`], of the elements' distances from the first one, and merged by the same
    /// formulas in f64. Of f32 and f16, which is computed in f32, the mean is within 4e-6 of the standard deviation and of the distance
    /// from the first element, the variance within 4e-6 of its size, however far from 0 the elements are and however many; f64
    /// within 1e-11. Both are NaN where an element is NaN or infinite.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![1e6f32, 1e6 + 2.0], vec![1e6 + 4.0]]);
    /// let (mean, variance) = stream.mean_variance(1)?;
    /// crosslane::assert_close(&[mean, variance], &[1e6 + 2.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn mean_variance(mut self, freedom: usize) -> Result<(f64, f64)> {
        let moments = self.moments(Location::caller())?;
        Ok(if moments.count == 0 { (f64::NAN, f64::NAN) } else { (moments.mean, moments.variance(freedom)) })
    }

    /// The variance of [`Streamed::mean_variance`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let variance = Streamed::from_chunks(device, [vec![1.0f32, 3.0], vec![5.0]]).variance(1)?;
    /// assert!((variance - 4.0).abs() < 1e-5);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn variance(self, freedom: usize) -> Result<f64> {
        self.mean_variance(freedom).map(|(_, variance)| variance)
    }

    /// The standard deviation: the square root of [`Streamed::variance`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let std = Streamed::from_chunks(device, [vec![1.0f32, 3.0], vec![5.0]]).std(1)?;
    /// assert!((std - 2.0).abs() < 1e-5);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn std(self, freedom: usize) -> Result<f64> {
        self.variance(freedom).map(f64::sqrt)
    }

    fn moments(&mut self, at: CallSite) -> Result<Moments> {
        match T::DTYPE {
            DType::F16 => self.moments_in::<f32>(at),
            _ => self.moments_in::<T>(at),
        }
    }

    /// Computed in a type that is as exact as the elements', or more.
    fn moments_in<R: Float>(&mut self, at: CallSite) -> Result<Moments> {
        let mut all = Moments::default();
        let mut first: Option<Array<R>> = None;
        let start = |piece: &Array<T>| {
            let piece = piece.flatten().cast::<R>();
            let first = first.get_or_insert_with(|| piece.slice(crate::s![..1]).copy());
            of_piece(&(piece - &*first), at)
        };
        self.run(at, start, |piece| {
            all = all.merged(piece);
            Ok(())
        })?;
        let first = first.map_or(Ok(0.0), |first| first.item().map(|first| first.scalar().to_f64()));
        first.map(|first| Moments { mean: first + all.mean, ..all })
    }
}

fn of_piece<R: Float>(piece: &Array<R>, at: CallSite) -> Result<Work<Moments>> {
    let (count, (mean, variance)) = (piece.len() as u64, piece.mean_variance(.., 0));
    ahead(&[&mean, &variance], at)?;
    Ok(Box::new(move || {
        let both = Array::read_all(&[&mean, &variance])?;
        let [mean, variance] = [0, 1].map(|which: usize| both[which][0].scalar().to_f64());
        Ok(Moments { count, mean, squares: variance * count as f64 })
    }))
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn merging_loses_nothing_far_from_zero() {
        let of = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            Moments { count: values.len() as u64, mean, squares: values.iter().map(|x| (x - mean).powi(2)).sum() }
        };
        let values: Vec<f64> = (0..1000).map(|i| 1e9 + (i * 7919 % 1000) as f64).collect();
        let merged = values.chunks(37).fold(Moments::default(), |all, piece| all.merged(of(piece)));
        assert_eq!(merged.count, 1000);
        assert!(
            (merged.mean - (1e9 + 499.5)).abs() < 1e-6 && (merged.variance(0) - 83_333.25).abs() < 1e-4,
            "{merged:?}"
        );
        let huge = Moments { count: 1 << 40, mean: 1.0, squares: 0.0 };
        let both = huge.merged(Moments { mean: 3.0, ..huge });
        assert_eq!((both.count, both.mean, both.variance(0)), (1 << 41, 2.0, 1.0));
    }
}
