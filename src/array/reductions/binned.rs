//! Weights summed by bins in a fixed order: each element's bin is an index, and an ordered scatter adds its weight.

use crate::array::Array;
use crate::array::reductions::histogram::{Counted, even};
use crate::array::selections::gather::Along;
use crate::element::{Class, DType, Element, Number, Ordered, Scalar};
use crate::s;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Value;
use crosslane_ops::searchsorted::Side;
use crosslane_ops::{Binning, Combine, OutOfRange, compared};
use std::ops::Range;
use std::panic::Location;

/// The place of what is in no bin.
const NOWHERE: u32 = u32::MAX;

impl<T: Ordered> Array<T> {
    /// As [`Array::histogram_weights`], added in a fixed order, so that the same input gives the same bits on a device.
    /// For every numeric type.
    ///
    /// Cost: a binary search for each element, then as [`Array::scatter_ordered`]: some ten times that of
    /// [`Array::histogram_weights`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.1f32, 0.2, 0.9, 7.0]);
    /// let weights = crosslane::Array::from_slice(device, &[1.5f32, 1.0, 4.0, 9.0]);
    /// assert_eq!(x.histogram_weights_ordered(&weights, 2, 0.0..1.0)?.0.to_vec()?, [2.5, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::histogram`]; another shape or device of the weights.
    #[doc(alias = "deterministic")]
    #[track_caller]
    pub fn histogram_weights_ordered<W: Number>(
        &self,
        weights: &Array<W>,
        bins: usize,
        range: Range<f64>,
    ) -> Result<(Array<W>, Vec<f64>)> {
        self.weights_in_order("histogram_weights_ordered", weights, bins, range, Location::caller())
    }

    pub(super) fn weights_in_order<W: Number>(
        &self,
        operation: &'static str,
        weights: &Array<W>,
        bins: usize,
        range: Range<f64>,
        at: CallSite,
    ) -> Result<(Array<W>, Vec<f64>)> {
        self.check()?;
        let (edges, _, thresholds) = even(operation, &self.node, bins, &range, false, at)?;
        self.weighed(operation, weights, bins, at)?;
        Ok((placed(operation, &self.places(&thresholds[..bins], edges[bins]), weights, bins, at)?, edges))
    }

    /// As [`Array::bincount_weights`], added in a fixed order, as by [`Array::histogram_weights_ordered`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u8, 2, 2, 9]);
    /// let weights = crosslane::Array::from_slice(device, &[0.5f32, 1.0, 0.25, 7.0]);
    /// assert_eq!(x.bincount_weights_ordered(&weights, 3).to_vec()?, [0.5, 0.0, 1.25]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the sums): as [`Array::bincount_weights`].
    #[doc(alias = "deterministic")]
    #[track_caller]
    pub fn bincount_weights_ordered<W: Number>(&self, weights: &Array<W>, bins: usize) -> Array<W> {
        self.numbered_in_order("bincount_weights_ordered", weights, bins, Location::caller())
    }

    pub(super) fn numbered_in_order<W: Number>(
        &self,
        operation: &'static str,
        weights: &Array<W>,
        bins: usize,
        at: CallSite,
    ) -> Array<W> {
        let sums = || {
            self.check()?;
            if !matches!(T::DTYPE.class(), Class::Signed | Class::Unsigned) {
                return Err(Error::argument(operation, "array", "integers", T::DTYPE.to_string(), at));
            }
            self.weighed(operation, weights, bins, at)?;
            // Of more bits than a place has, what lies past the bins must not come back to them.
            let all = self.cast::<u32>();
            let places = match T::DTYPE {
                DType::U64 => self.cast::<u64>().less(bins as u64).select(all, NOWHERE),
                DType::I64 => {
                    let x = self.cast::<i64>();
                    (x.less(bins as i64) & x.greater_equal(0)).select(all, NOWHERE)
                }
                _ => all,
            };
            placed(operation, &places, weights, bins, at)
        };
        Array::kept(weights.device(), sums())
    }

    /// The bin of each element between thresholds that rise, the last one up to its end; [`NOWHERE`] if in none.
    fn places(&self, thresholds: &[Value], last: f64) -> Array<u32> {
        match compared(T::DTYPE) {
            DType::F32 => self.bins_of::<f32>(thresholds, last),
            DType::F64 => self.bins_of::<f64>(thresholds, last),
            DType::I32 => self.bins_of::<i32>(thresholds, last),
            DType::I64 => self.bins_of::<i64>(thresholds, last),
            DType::U32 => self.bins_of::<u32>(thresholds, last),
            DType::U64 => self.bins_of::<u64>(thresholds, last),
            _ => unreachable!("compared() gives 32- and 64-bit types"),
        }
    }

    /// Whether weights are of the array's shape and device, and this many bins are possible.
    fn weighed<W: Element>(
        &self,
        operation: &'static str,
        weights: &Array<W>,
        bins: usize,
        at: CallSite,
    ) -> Result<()> {
        let (samples, axes) = (vec![&*self.node], vec![Binning::numbers(bins)]);
        Counted { operation, samples, weights: Some(&weights.node), axes, edges: vec![], at }.check()
    }

    /// The bin of each element between thresholds that rise, the last one up to its end; compared as `C`.
    fn bins_of<C: Number>(&self, thresholds: &[Value], last: f64) -> Array<u32> {
        let of = |value: &Value| C::from_scalar(value.scalar(C::DTYPE));
        let below = Array::from_slice(self.device(), &thresholds.iter().map(of).collect::<Vec<C>>());
        let x = self.cast::<C>();
        let end = if C::DTYPE.class() == Class::Float { last } else { last.floor() };
        let end = C::from_scalar(Scalar::from_f64(C::DTYPE, end));
        let places = below.searchsorted(&x, Side::Right);
        // Below the first threshold there are none: 0 - 1 is nowhere.
        x.less_equal(end).select(places, 0u32) - 1u32
    }
}

impl<T: Number> Array<T> {
    /// The number of points in each cell of a grid of even bins, and the edges of each dimension: NumPy's `histogramdd`.
    /// The array is a matrix with a row for each point and a column for each dimension; `bins` and `ranges` have one
    /// for each dimension too, and mean what they do for [`Array::histogram`].
    ///
    /// Cost: a binary search for each coordinate, and one count of the points, as [`Array::bincount`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let points = Array::from_shape(device, &[3, 2], &[0.1f32, 5.0, 0.9, 1.0, 0.9, 2.0]);
    /// let (counts, edges) = points.histogramdd(&[2, 3], &[0.0..1.0, 0.0..6.0])?;
    /// assert_eq!(counts.shape(), [2, 3]);
    /// assert_eq!(counts.to_vec()?, [0, 0, 1, 1, 1, 0]);
    /// assert_eq!(edges[1], [0.0, 2.0, 4.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: an array that is no matrix; bins or ranges of another number than it has columns; as
    /// [`Array::histogram`].
    #[track_caller]
    pub fn histogramdd(&self, bins: &[usize], ranges: &[Range<f64>]) -> Result<(Array<u32>, Vec<Vec<f64>>)> {
        let (operation, at) = ("histogramdd", Location::caller());
        let &[_, columns] = self.check()?.shape() else {
            let (wanted, got) = ("a row for each point, a column for each dimension", format!("{:?}", self.shape()));
            return Err(Error::argument(operation, "array", wanted, got, at));
        };
        for (argument, got) in [("bins", bins.len()), ("ranges", ranges.len())] {
            if got != columns || columns == 0 {
                let wanted = format!("one for each of {columns} columns, of which there is one at least");
                return Err(Error::argument(operation, argument, wanted, got.to_string(), at));
            }
        }
        let all = bins.iter().fold(1usize, |all, &bins| all.saturating_mul(bins));
        let (mut cell, mut all_edges): (Option<Array<u32>>, Vec<Vec<f64>>) = (None, vec![]);
        for (column, (&bins, range)) in (0..).zip(bins.iter().zip(ranges)) {
            let x = self.slice(s![.., column]);
            let (edges, _, thresholds) = even(operation, &x.node, bins, range, false, at)?;
            let places = x.places(&thresholds[..bins], edges[bins]);
            all_edges.push(edges);
            cell = Some(match cell {
                None => places,
                Some(before) => {
                    let nowhere = before.equal(NOWHERE) | places.equal(NOWHERE);
                    nowhere.select(NOWHERE, before * bins as u32 + places)
                }
            });
        }
        let cell = cell.expect("there is a column");
        Ok((cell.numbered(operation, None, all, at).reshape(bins), all_edges))
    }
}

/// The sums of the weights at these indices, of this many.
fn placed<W: Number>(
    operation: &'static str,
    places: &Array<u32>,
    weights: &Array<W>,
    bins: usize,
    at: CallSite,
) -> Result<Array<W>> {
    let none = Array::<W>::zeros(weights.device(), &[bins]);
    none.in_order(operation, places, weights, Combine::Add, Along::Flat, OutOfRange::Drop, at)
}
