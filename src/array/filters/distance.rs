//! Distances to the nearest value that is not of a mask.

use super::neighbours::Windows;
use crate::array::Array;
use crate::array::reductions::Scan;
use crate::array::shapes::PadMode;
use crate::element::DType;
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::Envelope;
use crosslane_ops::envelope::{BLOCK, Metric, NONE};
use crosslane_ops::neighbours::{Rule, Span};
use std::panic::Location;

impl Array<bool> {
    /// How far each value of a mask is from the nearest one that is not of it, by Euclid; 0 where there is none of it. SciPy's
    /// `distance_transform_edt`, along all axes. Infinite where the mask is all there is.
    ///
    /// Cost: two scans along the last axis, then two launches for each other axis, in which each value looks as far along the axis as
    /// its distance (Saito and Toriwaki, 1994), past 64 values by the least ones of blocks; and one for the root. Squares are integers, so that results are roots of exact
    /// numbers, within an ULP or two of the device's root.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut mask = crosslane::Array::full(device, &[3, 4], true);
    /// mask.write(0, &[false])?;
    /// let distances = mask.distance_transform().to_vec()?;
    /// crosslane::assert_close(&distances[..6], &[0.0, 1.0, 2.0, 3.0, 1.0, 2f32.sqrt()]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a mask of no axis; extents whose squares sum to 2^32 or more, such as two above 46,000; more bytes
    /// than a kernel binds.
    #[doc(alias = "distance_transform_edt")]
    #[track_caller]
    pub fn distance_transform(&self) -> Array<f32> {
        let at = Location::caller();
        let squares = self.distances("distance_transform", Metric::Squares, at);
        let roots = squares.map(|squares| {
            let infinite = squares.equal(NONE);
            infinite.select(f32::INFINITY, squares.cast::<f32>().sqrt())
        });
        Array::kept(self.device(), roots)
    }

    /// As [`Array::distance_transform`], in steps along axes: SciPy's `distance_transform_cdt` with `taxicab`. 2^32 - 1 where the
    /// mask is all there is.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut mask = crosslane::Array::full(device, &[2, 3], true);
    /// mask.write(0, &[false])?;
    /// assert_eq!(mask.distance_transform_taxicab().to_vec()?, [0, 1, 2, 1, 2, 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn distance_transform_taxicab(&self) -> Array<u32> {
        let distances = self.distances("distance_transform_taxicab", Metric::Taxicab, Location::caller());
        Array::kept(self.device(), distances)
    }

    /// As [`Array::distance_transform`], in steps that may go along several axes at once: SciPy's `distance_transform_cdt` with
    /// `chessboard`. 2^32 - 1 where the mask is all there is.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut mask = crosslane::Array::full(device, &[2, 3], true);
    /// mask.write(0, &[false])?;
    /// assert_eq!(mask.distance_transform_chessboard().to_vec()?, [0, 1, 2, 1, 1, 2]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn distance_transform_chessboard(&self) -> Array<u32> {
        let distances = self.distances("distance_transform_chessboard", Metric::Chessboard, Location::caller());
        Array::kept(self.device(), distances)
    }

    /// The distances, or their squares.
    fn distances(&self, operation: &'static str, metric: Metric, at: CallSite) -> Result<Array<u32>> {
        let shape = self.check()?.shape().to_vec();
        let lengths = shape.iter().map(|&extent| (extent as u64).saturating_sub(1));
        let farthest = match metric {
            Metric::Squares => lengths.fold(0u64, |sum, length| sum.saturating_add(length.saturating_mul(length))),
            _ => lengths.fold(0u64, |sum, length| sum.saturating_add(length)),
        };
        if shape.is_empty() || farthest >= NONE as u64 {
            let wanted = "a mask of 1 axis at least, with distances whose squares are below 2^32 - 1";
            return Err(Error::argument(operation, "array", wanted, format!("{shape:?}"), at));
        }
        if shape.contains(&0) {
            return Ok(Array::zeros(self.device(), &shape));
        }
        let along = self.along_rows(metric == Metric::Squares);
        (0..shape.len() - 1).rev().try_fold(along, |distances, axis| distances.along_axis(operation, axis, metric, at))
    }

    /// The distances along the last axis, or their squares, from the last place before and the first one after that is not of the
    /// mask.
    fn along_rows(&self, squares: bool) -> Array<u32> {
        let extent = self.shape()[self.rank() - 1];
        // From 1 on: 0 is no place before, and the largest number none after.
        let places = Array::counting(self.device(), extent) + 1;
        let places = places.broadcast_to(self.shape());
        let before: Array<u32> = Scan::max().call(&self.select(0u32, &places));
        let after: Array<u32> = Scan::min().reverse().call(&self.select(NONE, &places));
        let distance = |there: Array<bool>, apart: Array<u32>| there.select(apart, NONE);
        let left = distance(before.not_equal(0), &places - &before);
        let right = distance(after.not_equal(NONE), &after - &places);
        let nearest = left.minimum(&right);
        match squares {
            false => nearest,
            true => nearest.equal(NONE).select(NONE, &nearest * &nearest),
        }
    }
}

impl Array<u32> {
    /// The least of what the distances along an axis and those there make.
    fn along_axis(&self, operation: &'static str, axis: usize, metric: Metric, at: CallSite) -> Result<Array<u32>> {
        let shape = self.shape().to_vec();
        let span = Span { count: shape[axis].div_ceil(BLOCK), first: 0, step: BLOCK };
        let windows = Windows::along(&shape, axis, span, [BLOCK, 1, BLOCK - 1], Rule::Minimum);
        let blocks = self.of_windows(operation, windows, None, PadMode::Constant(NONE), at)?;
        let outputs = vec![(shape.clone(), DType::U32)];
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let (blocks, expression) = (inputs.remove(1), inputs.remove(0));
            let shape = shape.clone();
            Box::new(Envelope { expression, shape, axis, metric, blocks, output }) as Box<dyn Op>
        };
        let inputs = [(&*self.node, Take::Dense), (&*blocks.node, Take::Dense)];
        Ok(Array::of(Task::nodes(&inputs, outputs, 1, make).remove(0)))
    }
}
