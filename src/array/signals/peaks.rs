//! Peaks of a signal.

use crate::array::{Array, OutOfRange, Scan};
use crate::element::Part;
use crosslane_core::error::{Error, Result};
use std::panic::Location;

/// What a peak must have, for [`Array::find_peaks`]; without any of these every local maximum is one.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::PeakOptions;
/// let x = Array::from_slice(device, &[0.0f32, 2.0, 1.0, 3.0, 0.0, 1.0, 0.0]);
/// let far = x.find_peaks(&PeakOptions::default().distance(3.0))?;
/// assert_eq!(far.places, [3]);
/// let high = x.find_peaks(&PeakOptions::default().height(1.5).prominence(1.0))?;
/// assert_eq!((high.places, high.prominences), (vec![1, 3], vec![1.0, 3.0]));
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, Default)]
pub struct PeakOptions {
    height: Option<f64>,
    threshold: Option<f64>,
    distance: Option<f64>,
    prominence: Option<f64>,
}

impl PeakOptions {
    /// At least this height.
    pub fn height(self, height: f64) -> PeakOptions {
        PeakOptions { height: Some(height), ..self }
    }

    /// By at least so much above both neighbours.
    pub fn threshold(self, threshold: f64) -> PeakOptions {
        PeakOptions { threshold: Some(threshold), ..self }
    }

    /// At least so far from the next peak: of those that are nearer the lower ones are left out first, of equal ones the earlier.
    /// Among equal ones SciPy leaves out those that an unstable sort has first.
    pub fn distance(self, distance: f64) -> PeakOptions {
        PeakOptions { distance: Some(distance), ..self }
    }

    /// By at least so much above the higher one of the lowest values towards the next higher values on both sides, or the ends.
    pub fn prominence(self, prominence: f64) -> PeakOptions {
        PeakOptions { prominence: Some(prominence), ..self }
    }

    fn are_numbers(&self) -> bool {
        let given = [self.height, self.threshold, self.distance, self.prominence];
        given.into_iter().flatten().all(|value| !value.is_nan()) && self.distance.is_none_or(|distance| distance >= 1.0)
    }
}

/// The peaks of a signal, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Peaks<R> {
    /// Where they are; of equal values side by side the middle one, the left one of two.
    pub places: Vec<usize>,
    /// The values there.
    pub heights: Vec<R>,
    /// Their prominences, where they were asked for.
    pub prominences: Vec<R>,
}

/// A local maximum: the first and the last of its equal values.
#[derive(Clone, Copy)]
struct Peak {
    first: usize,
    last: usize,
    height: f64,
}

impl Peak {
    fn place(&self) -> usize {
        (self.first + self.last) / 2
    }
}

impl<R: Part> Array<R> {
    /// The local maxima of a signal of one axis that have what the options ask for: SciPy's `find_peaks`, of the same peaks in the same
    /// order of conditions: height, threshold, distance, prominence. The first and the last value are none; NaN is no peak, and
    /// prominences beside it are unspecified.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PeakOptions;
    /// let x = Array::from_slice(device, &[0.0f32, 1.0, 0.0, 2.0, 2.0, 2.0, 1.0]);
    /// assert_eq!(x.find_peaks(&PeakOptions::default())?.places, [1, 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: the device finds all local maxima and copies their places and heights to the host, with the lowest value between them
    /// where prominences are asked for: some six launches. What follows goes from peak to peak, and is done on the host: time that
    /// grows with the number of local maxima, which noise has at each third value. With a height and without a prominence only those
    /// that are high enough are copied.
    ///
    /// Errors: another number of axes than one; an option that is NaN, or a distance below 1; 2^32 - 2 values or more; the error that
    /// the array holds, and those of the device.
    #[track_caller]
    pub fn find_peaks(&self, options: &PeakOptions) -> Result<Peaks<R>> {
        let at = Location::caller();
        if self.check()?.rank() != 1 {
            return Err(Error::argument("find_peaks", "array", "one axis", format!("{:?}", self.shape()), at));
        }
        if !options.are_numbers() {
            let wanted = "numbers, and a distance of at least 1";
            return Err(Error::argument("find_peaks", "options", wanted, format!("{options:?}"), at));
        }
        if self.len() < 3 {
            return Ok(Peaks { places: vec![], heights: vec![], prominences: vec![] });
        }
        // Prominences depend on all local maxima.
        let least = if options.prominence.is_none() { options.height } else { None };
        let all = self.maxima(least)?;
        let mut prominences = vec![];
        if options.prominence.is_some() {
            prominences = prominences_of(&all, &self.lowest_between(&all)?);
        }
        let mut kept: Vec<usize> = (0..all.len()).collect();
        if let Some(height) = options.height {
            kept.retain(|&nth| all[nth].height >= height);
        }
        if let Some(threshold) = options.threshold {
            let above = self.above_neighbours(kept.iter().map(|&nth| all[nth].place()))?;
            let mut above = above.into_iter();
            kept.retain(|_| above.next().is_some_and(|above| above >= threshold));
        }
        if let Some(distance) = options.distance {
            kept = far_apart(&all, kept, distance.ceil() as usize);
        }
        if let Some(prominence) = options.prominence {
            kept.retain(|&nth| prominences[nth] >= prominence);
        }
        Ok(Peaks {
            places: kept.iter().map(|&nth| all[nth].place()).collect(),
            heights: kept.iter().map(|&nth| R::rounded(all[nth].height)).collect(),
            prominences: kept.iter().filter_map(|&nth| prominences.get(nth)).map(|&value| R::rounded(value)).collect(),
        })
    }

    /// All local maxima, of about this height or more.
    fn maxima(&self, least: Option<f64>) -> Result<Vec<Peak>> {
        let inner = self.len() - 2;
        let [before, here, after] = [0, 1, 2].map(|first| self.part(0, first, 1, inner));
        // Where values stop rising, and from where on they fall: equal values lie between.
        let mut firsts = before.less(&here) & here.greater_equal(&after);
        let mut lasts = before.less_equal(&here) & here.greater(&after);
        if let Some(least) = least {
            let high = here.greater_equal(R::rounded(least));
            (firsts, lasts) = (firsts & &high, lasts & &high);
        }
        let (firsts, lasts) = (firsts.nonzero(), lasts.nonzero());
        let (firsts, lasts) = (firsts.to_array()? + 1, lasts.to_array()? + 1);
        let (first_values, last_values) = (self.numbers_at(&firsts)?, self.numbers_at(&lasts)?);
        let firsts: Vec<(u32, f64)> = firsts.to_vec()?.into_iter().zip(first_values).collect();
        let mut next = 0;
        let mut all = vec![];
        for (last, height) in lasts.to_vec()?.into_iter().zip(last_values) {
            while firsts.get(next).is_some_and(|&(first, _)| first <= last) {
                next += 1;
            }
            // Values that fall in steps have a last one, but no first one of their height.
            if let Some(&(first, value)) = next.checked_sub(1).and_then(|before| firsts.get(before))
                && value == height
            {
                all.push(Peak { first: first as usize, last: last as usize, height });
            }
        }
        Ok(all)
    }

    /// The values at some places.
    fn numbers_at(&self, places: &Array<u32>) -> Result<Vec<f64>> {
        if places.is_empty() {
            return Ok(vec![]);
        }
        let values = self.take(places, OutOfRange::Clamp).to_vec()?;
        Ok(values.into_iter().map(|value| value.scalar().to_f64()).collect())
    }

    /// By how much values are above the larger one of their neighbours.
    fn above_neighbours(&self, places: impl Iterator<Item = usize>) -> Result<Vec<f64>> {
        let places: Vec<u32> = places.map(|place| place as u32).collect();
        let places = Array::from_slice(self.device(), &places);
        let (here, before, after) =
            (self.numbers_at(&places)?, self.numbers_at(&(&places - 1))?, self.numbers_at(&(&places + 1))?);
        let above = |nth: usize| (here[nth] - before[nth]).min(here[nth] - after[nth]);
        Ok((0..here.len()).map(above).collect())
    }

    /// The lowest value before the first peak, between each two, and after the last.
    fn lowest_between(&self, all: &[Peak]) -> Result<Vec<f64>> {
        let inner = all.iter().map(|peak| peak.first as u32);
        let offsets: Vec<u32> = [0].into_iter().chain(inner).chain([self.len() as u32]).collect();
        let offsets = Array::from_slice(self.device(), &offsets);
        let lowest: Array<R> = Scan::min().reduce_segments(self, &offsets);
        Ok(lowest.to_vec()?.into_iter().map(|value| value.scalar().to_f64()).collect())
    }
}

/// By the lowest values between peaks: on each side down to the lowest one before a higher peak.
fn prominences_of(all: &[Peak], lowest: &[f64]) -> Vec<f64> {
    let heights: Vec<f64> = all.iter().map(|peak| peak.height).collect();
    let left = lowest_towards(heights.iter().copied(), lowest.iter().copied());
    let right = lowest_towards(heights.iter().rev().copied(), lowest.iter().rev().copied());
    let of = |((height, left), right): ((&f64, &f64), &f64)| height - left.max(*right);
    heights.iter().zip(&left).zip(right.iter().rev()).map(of).collect()
}

/// Of each peak the lowest value before it, down to the next higher one.
fn lowest_towards(heights: impl Iterator<Item = f64>, lowest: impl Iterator<Item = f64>) -> Vec<f64> {
    // Peaks that are lower than all after them are of no use any more.
    let mut higher: Vec<(f64, f64)> = vec![];
    let mut found = vec![];
    for (height, mut low) in heights.zip(lowest) {
        while let Some((_, before)) = higher.pop_if(|(other, _)| *other <= height) {
            low = low.min(before);
        }
        higher.push((height, low));
        found.push(low);
    }
    found
}

/// Without those that are too near to a higher one; of equal ones the later is kept.
fn far_apart(all: &[Peak], kept: Vec<usize>, distance: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by(|&a, &b| all[kept[a]].height.total_cmp(&all[kept[b]].height));
    let place = |nth: usize| all[kept[nth]].place();
    let mut stays = vec![true; kept.len()];
    for &nth in order.iter().rev() {
        if !stays[nth] {
            continue;
        }
        let before = (0..nth).rev().take_while(|&other| place(nth) - place(other) < distance);
        let after = (nth + 1..kept.len()).take_while(|&other| place(other) - place(nth) < distance);
        before.chain(after).for_each(|other| stays[other] = false);
    }
    kept.into_iter().zip(stays).filter_map(|(nth, stays)| stays.then_some(nth)).collect()
}
