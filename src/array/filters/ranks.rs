//! Filters by order: the least, the greatest, the middle of neighbours, one by its rank.

use super::neighbours::{Side, Windows};
use super::{Footprint, PerAxis, Sizes};
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::array::shapes::axes::Axes;
use crate::element::{Float, Number, Ordered};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::neighbours::{Points, RANKED, Rule};
use std::ops::Range;
use std::panic::Location;

/// Whether windows have values along these axes.
pub(super) fn has_values(operation: &'static str, shape: &[usize], axes: Range<usize>, at: CallSite) -> Result<()> {
    match shape[axes.clone()].contains(&0) {
        false => Ok(()),
        true => {
            let wanted = format!("values along axes {} to {}", axes.start, axes.end - 1);
            Err(Error::argument(operation, "array", wanted, format!("{shape:?}"), at))
        }
    }
}

impl<T: Ordered> Array<T> {
    /// The least of so many neighbours along some axes: SciPy's `minimum_filter`, the erosion of an image by a box. NaN where a
    /// neighbour is.
    ///
    /// Cost: as [`Array::erode`], which takes other footprints too: a launch for each axis, of large sizes two or three.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// assert_eq!(x.minimum_filter(3, 0, PadMode::Edge).to_vec()?, [1, 1, 1, 1, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// [`Sizes`] has sizes for each axis and SciPy's `origin`, [`PerAxis`] a boundary for each.
    ///
    /// Errors (kept in the array): a size of 0; an origin outside of its window; another number of sizes, origins or boundaries than
    /// of axes; an axis out of range or given twice, or without values; a constant that f64 does not have; more bytes than a kernel
    /// binds.
    #[track_caller]
    pub fn minimum_filter(
        &self,
        size: impl Into<Sizes>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<T> {
        self.by_box("minimum_filter", &size.into(), &axes.into(), &boundary.into(), Rule::Minimum, Location::caller())
    }

    /// The greatest of so many neighbours along some axes: SciPy's `maximum_filter`, the dilation of an image by a box. NaN where
    /// a neighbour is.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// assert_eq!(x.maximum_filter(3, 0, PadMode::Edge).to_vec()?, [3, 4, 4, 5, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::minimum_filter`].
    #[track_caller]
    pub fn maximum_filter(
        &self,
        size: impl Into<Sizes>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<T> {
        self.by_box("maximum_filter", &size.into(), &axes.into(), &boundary.into(), Rule::Maximum, Location::caller())
    }

    pub(super) fn by_box(
        &self,
        operation: &'static str,
        size: &Sizes,
        axes: &Axes,
        boundary: &PerAxis<PadMode<T>>,
        rule: Rule,
        at: CallSite,
    ) -> Array<T> {
        let result = || {
            let boxes = self.boxes(operation, size, axes, boundary, at)?;
            self.extreme(operation, &boxes, rule, at)
        };
        Array::kept(self.device(), result())
    }

    /// The axes of windows in the order of their numbers, how many values they have before and after theirs, and the boundaries.
    pub(super) fn boxes(
        &self,
        operation: &'static str,
        size: &Sizes,
        axes: &Axes,
        boundary: &PerAxis<PadMode<T>>,
        at: CallSite,
    ) -> Result<Vec<Side<T>>> {
        let places = axes.once(operation, self.check()?.rank(), at)?;
        let sides = size.sides(operation, places.len(), at)?;
        let boundaries = boundary.of(operation, "boundary", places.len(), at)?;
        for (&axis, [before, after]) in places.iter().zip(&sides) {
            self.has_windows(operation, before + after + 1, &[axis], at)?;
        }
        let all = places.into_iter().zip(sides).zip(boundaries);
        let mut boxes: Vec<_> = all.map(|((axis, sides), boundary)| (axis, sides, boundary)).collect();
        boxes.sort_by_key(|(axis, ..)| *axis);
        Ok(boxes)
    }

    pub(super) fn has_windows(&self, operation: &'static str, size: usize, axes: &[usize], at: CallSite) -> Result<()> {
        let shape = self.shape();
        if (1..=super::neighbours::REACH).contains(&size) && axes.iter().all(|&axis| shape[axis] > 0) {
            return Ok(());
        }
        let wanted = "windows of 1 to 2^28 values, and values along each axis of theirs";
        Err(Error::argument(operation, "size", wanted, format!("{size}, of {shape:?}"), at))
    }
}

impl<T: Number> Array<T> {
    /// The value with this place among a value's neighbours in ascending order, along the last axes; negative places count from the
    /// greatest. SciPy's `rank_filter`. NaN where a neighbour is.
    ///
    /// Cost: one launch, in which each invocation has the neighbours in registers and puts them in order by a network (Batcher,
    /// 1968), of which only what the place depends on is left.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// let second = x.rank_filter(1, &Footprint::of_box([3]), PadMode::Edge);
    /// assert_eq!(second.to_vec()?, [3, 3, 1, 4, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a footprint that does not fit, as [`Array::erode`], or of more than 49 neighbours; a place that
    /// there is not. For more neighbours there are [`Array::windows`] and [`Array::nth_axis`].
    #[track_caller]
    pub fn rank_filter(
        &self,
        rank: isize,
        footprint: &Footprint,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<T> {
        let (name, at, count) = ("rank_filter", Location::caller(), footprint.count() as isize);
        let result = || {
            footprint.extents(name, self.check()?.rank(), at)?;
            let place = if rank < 0 { rank.saturating_add(count) } else { rank };
            if !(0..count).contains(&place) {
                let wanted = format!("-{count} to {}", count - 1);
                return Err(Error::argument(name, "rank", wanted, rank.to_string(), at));
            }
            self.ranked(name, footprint, [place as usize; 2], &boundary.into(), at)
        };
        Array::kept(self.device(), result())
    }

    /// The value that has this many percent of a value's neighbours below it, along the last axes: SciPy's `percentile_filter`, which
    /// takes the one at `count percentile / 100`, rounded down, without a mean. As [`Array::rank_filter`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// let upper = x.percentile_filter(70.0, &Footprint::of_box([3]), PadMode::Edge);
    /// assert_eq!(upper.to_vec()?, [3, 4, 4, 5, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a footprint as for [`Array::rank_filter`]; a percentile below 0 or above 100.
    #[track_caller]
    pub fn percentile_filter(
        &self,
        percentile: f64,
        footprint: &Footprint,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<T> {
        let (name, at, count) = ("percentile_filter", Location::caller(), footprint.count());
        let result = || {
            footprint.extents(name, self.check()?.rank(), at)?;
            if !(0.0..=100.0).contains(&percentile) {
                return Err(Error::argument(name, "percentile", "0 to 100", percentile.to_string(), at));
            }
            let place = ((count as f64 * percentile / 100.0) as usize).min(count - 1);
            self.ranked(name, footprint, [place; 2], &boundary.into(), at)
        };
        Array::kept(self.device(), result())
    }

    /// The mean of those with these places.
    fn ranked(
        &self,
        operation: &'static str,
        footprint: &Footprint,
        [low, high]: [usize; 2],
        boundary: &PerAxis<PadMode<T>>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let (rank, sides) = (self.rank(), footprint.sides(operation, self.rank(), at)?);
        has_values(operation, self.shape(), rank - sides.len()..rank, at)?;
        let boundaries = boundary.of(operation, "boundary", sides.len(), at)?;
        if footprint.count() > RANKED {
            let wanted = format!("at most {RANKED} neighbours; for more there are windows() and nth_axis()");
            return Err(Error::argument(operation, "footprint", wanted, footprint.count().to_string(), at));
        }
        let points = Points::Fixed(footprint.points(&sides));
        let windows = Windows::of_last(self.shape(), &vec![0; sides.len()], points, Rule::Rank(low, high));
        self.of_last_windows(operation, windows, &sides, None, &boundaries, at)
    }
}

impl<T: Float> Array<T> {
    /// The middle of so many neighbours along each of some axes: SciPy's `median_filter`. NaN where a window has one; of an even
    /// number the mean of the two in the middle, where SciPy takes the upper one.
    ///
    /// Cost: up to 49 neighbours of up to three axes as [`Array::rank_filter`], one launch. More, or more axes: memory for all
    /// windows, `size` to the number of axes for each value, which are then sorted.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 99.0, 3.0, 4.0]);
    /// assert_eq!(x.median_filter(3, 0, PadMode::Edge).to_vec()?, [1.0, 2.0, 3.0, 4.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::minimum_filter`]; more memory than there is.
    #[doc(alias = "medfilt")]
    #[track_caller]
    pub fn median_filter(
        &self,
        size: impl Into<Sizes>,
        axes: impl Into<Axes>,
        boundary: impl Into<PerAxis<PadMode<T>>>,
    ) -> Array<T> {
        let (name, at, size, axes) = ("median_filter", Location::caller(), size.into(), axes.into());
        let result = || {
            let boxes = self.boxes(name, &size, &axes, &boundary.into(), at)?;
            let extents = boxes.iter().map(|(_, [before, after], _)| before + after + 1);
            let count =
                extents.clone().try_fold(1usize, |count, extent| count.checked_mul(extent)).ok_or_else(|| {
                    let got = format!("{:?}", extents.collect::<Vec<_>>());
                    Error::argument(name, "size", "windows of fewer than 2^64 values", got, at)
                })?;
            match count {
                0 | 1 => Ok(self.clone()),
                _ if count <= RANKED && boxes.len() <= 3 => self.median_of_few(&boxes, at),
                _ => self.median_of_many(count, &boxes, at),
            }
        };
        Array::kept(self.device(), result())
    }

    fn median_of_few(&self, boxes: &[Side<T>], at: CallSite) -> Result<Array<T>> {
        let extents: Vec<usize> = boxes.iter().map(|(_, [before, after], _)| before + after + 1).collect();
        let origins: Vec<isize> = boxes
            .iter()
            .zip(&extents)
            .map(|((_, [before, _], _), extent)| *before as isize - (extent / 2) as isize)
            .collect();
        let footprint = Footprint::of_box(extents).origin(origins);
        let boundaries: Vec<PadMode<T>> = boxes.iter().map(|(.., boundary)| *boundary).collect();
        let count = footprint.count();
        let middle = [(count - 1) / 2, count / 2];
        // Axes that are not the last ones become so, and go back.
        let axes: Vec<usize> = boxes.iter().map(|(axis, ..)| *axis).collect();
        let (rank, others) = (self.rank(), (0..self.rank()).filter(|axis| !axes.contains(axis)));
        let order: Vec<isize> = others.chain(axes.iter().copied()).map(|axis| axis as isize).collect();
        let mut back = vec![0; rank];
        order.iter().enumerate().for_each(|(to, &from)| back[from as usize] = to as isize);
        let medians = self.permute(order).ranked("median_filter", &footprint, middle, &boundaries.into(), at)?;
        Ok(medians.permute(back))
    }

    fn median_of_many(&self, count: usize, boxes: &[Side<T>], at: CallSite) -> Result<Array<T>> {
        let whole = boxes.iter().try_fold(self.clone(), |x, &(axis, [before, after], boundary)| {
            let mut widths = vec![(0, 0); self.rank()];
            widths[axis] = (before, after);
            x.padded("median_filter", &widths, boundary, at)
        })?;
        let windows =
            boxes.iter().fold(whole, |x, (axis, [before, after], _)| x.windows(*axis as isize, before + after + 1, 1));
        Ok(windows.reshape(&[self.shape(), &[count]].concat()).median_axis(-1))
    }
}
