//! Thresholds: one for all values, and one for each.

use super::local::image_axes;
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::element::{Class, DType, Number, Part};
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

/// The most levels of integers.
const LEVELS: f64 = (1 << 24) as f64;

impl<T: Number> Array<T> {
    /// The threshold that parts the values into two classes with the most variance between them (Otsu, 1979): scikit-image's
    /// `threshold_otsu`. Values above it are of the upper class. Integers are counted level by level; floats in so many bins
    /// from the least to the greatest, and the threshold is the middle of one. Values that are all the same are the threshold.
    ///
    /// Cost: reads the array three times and waits for its ends and the counts. The sums over the counts are f64, on the host.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let image = Array::from_slice(device, &[10u8, 12, 11, 200, 210, 205, 12]);
    /// let threshold = image.cast::<u32>().threshold_otsu(256)?;
    /// assert_eq!(threshold, 12.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no values; ones that are not finite; 0 bins, or more than a histogram has; integers further apart than 2^24; the error
    /// that the array holds; device lost.
    #[track_caller]
    pub fn threshold_otsu(&self, bins: usize) -> Result<f64> {
        let (name, at) = ("threshold_otsu", Location::caller());
        if self.check()?.is_empty() {
            return Err(Error::argument(name, "array", "a value", "none", at));
        }
        if bins == 0 {
            return Err(Error::argument(name, "bins", "at least 1", "0", at));
        }
        let ends = Array::read_all(&[&self.min(), &self.max()])?;
        let [least, greatest] = [ends[0][0], ends[1][0]].map(|end| end.scalar().to_f64());
        if least == greatest {
            return Ok(least);
        }
        let (counts, levels) = match T::DTYPE.class() {
            Class::Float => {
                let (counts, edges) = self.histogram_of_all(bins)?;
                (counts, edges.windows(2).map(|pair| middle(pair, T::DTYPE)).collect())
            }
            _ => self.levels(least, greatest, at)?,
        };
        Ok(levels[best(&counts.to_vec()?, &levels)])
    }

    /// How many values each level of integers has.
    fn levels(&self, least: f64, greatest: f64, at: CallSite) -> Result<(Array<u32>, Vec<f64>)> {
        if greatest - least >= LEVELS {
            let got = format!("{least} to {greatest}");
            return Err(Error::argument("threshold_otsu", "array", "integers less than 2^24 apart", got, at));
        }
        let count = (greatest - least) as usize + 1;
        let (counts, _) = self.histogram(count, least - 0.5..greatest + 0.5)?;
        Ok((counts, (0..count).map(|level| least + level as f64).collect()))
    }
}

/// The middle of a bin, in the type of the edges.
fn middle(edges: &[f64], dtype: DType) -> f64 {
    match dtype {
        DType::F64 => (edges[0] + edges[1]) / 2.0,
        _ => ((edges[0] as f32 + edges[1] as f32) / 2.0) as f64,
    }
}

/// The level after which to part, so that the variance between the classes is greatest: the first of equals.
fn best(counts: &[u32], levels: &[f64]) -> usize {
    let all: f64 = counts.iter().map(|&count| count as f64).sum();
    let sum: f64 = counts.iter().zip(levels).map(|(&count, level)| count as f64 * level).sum();
    let (mut weight, mut part, mut found) = (0.0, 0.0, (0, f64::NEG_INFINITY));
    for (at, (&count, level)) in counts.iter().zip(levels).enumerate() {
        weight += count as f64;
        part += count as f64 * level;
        let rest = all - weight;
        if weight > 0.0 && rest > 0.0 {
            let between = weight * rest * (part / weight - (sum - part) / rest).powi(2);
            if between > found.1 {
                found = (at, between);
            }
        }
    }
    found.0
}

impl<R: Part> Array<R> {
    /// Where a value of an image is above the mean of a window of so many rows and columns around it less an offset: OpenCV's
    /// `adaptiveThreshold` with `ADAPTIVE_THRESH_MEAN_C`, whose means are rounded to integers, and the mask of scikit-image's
    /// `threshold_local` with `mean`. The ends are continued by their last value.
    ///
    /// Cost: a launch for each axis, and one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_shape(device, &[1, 6], &[1.0f32, 5.0, 1.0, 11.0, 15.0, 11.0]);
    /// let bright = x.adaptive_threshold_mean(3, 0.0);
    /// assert_eq!(bright.to_vec()?, [false, true, false, true, true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of fewer than two axes, or without values along them; an even size.
    #[track_caller]
    pub fn adaptive_threshold_mean(&self, size: usize, offset: f64) -> Array<bool> {
        let weights = |size: usize| vec![1.0 / size as f64; size];
        self.above("adaptive_threshold_mean", size, weights, offset, Location::caller())
    }

    /// As [`Array::adaptive_threshold_mean`] with means weighed by a bell: OpenCV's `ADAPTIVE_THRESH_GAUSSIAN_C`, whose standard
    /// deviation is `0.15 size + 0.35`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_shape(device, &[1, 6], &[1.0f32, 5.0, 1.0, 11.0, 15.0, 11.0]);
    /// let bright = x.adaptive_threshold_gaussian(3, 0.0);
    /// assert_eq!(bright.to_vec()?, [false, true, false, true, true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::adaptive_threshold_mean`].
    #[track_caller]
    pub fn adaptive_threshold_gaussian(&self, size: usize, offset: f64) -> Array<bool> {
        let weights = |size: usize| {
            let sigma = 0.3 * ((size as f64 - 1.0) * 0.5 - 1.0) + 0.8;
            let middle = (size / 2) as f64;
            let bell = |place: usize| (-0.5 * ((place as f64 - middle) / sigma).powi(2)).exp();
            let sum: f64 = (0..size).map(bell).sum();
            (0..size).map(|place| bell(place) / sum).collect()
        };
        self.above("adaptive_threshold_gaussian", size, weights, offset, Location::caller())
    }

    fn above(
        &self,
        operation: &'static str,
        size: usize,
        weights: impl Fn(usize) -> Vec<f64>,
        offset: f64,
        at: CallSite,
    ) -> Array<bool> {
        let result = || {
            let rows = image_axes(operation, self, at)?;
            super::ranks::has_values(operation, self.shape(), rows..rows + 2, at)?;
            if size.is_multiple_of(2) || size > super::neighbours::REACH {
                return Err(Error::argument(operation, "size", "an odd number up to 2^28", size.to_string(), at));
            }
            let weights = weights(size);
            let along = |x: &Array<R>, axis| x.weighted_along(operation, &weights, axis, PadMode::Edge, at);
            let mean = along(&along(self, rows + 1)?, rows)?;
            Ok(self.greater(&(mean - R::rounded(offset))))
        };
        Array::kept(self.device(), result())
    }
}
