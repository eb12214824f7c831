//! Padding and rolling.

use crate::array::shapes::axes::Axes;
use crate::array::{Array, create};
use crate::element::Element;
use crate::error::{CallSite, Error, Result};
use crate::ops::OutOfRange;
use std::panic::Location;

/// How [`Array::pad`] fills the new elements; NumPy's modes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PadMode<T> {
    /// This value.
    Constant(T),
    /// The nearest element: `1 1 1 [1 2 3] 3 3 3`.
    Edge,
    /// The array mirrored at its first and last element: `3 2 [1 2 3] 2 1`.
    Reflect,
    /// The array mirrored at its ends, which are repeated: `2 1 [1 2 3] 3 2`.
    Symmetric,
    /// The array repeated: `2 3 [1 2 3] 1 2`.
    Wrap,
}

/// The most pieces of an axis that are concatenated; beyond, elements are taken one by one.
const MOST_PIECES: usize = 8;
/// Elements of an axis at most that is mirrored or repeated: there and back, places are 32-bit numbers.
const MOST_TAKEN: usize = 1 << 31;

impl<T: Element> Array<T> {
    /// The array with elements added before and after each axis: NumPy's `pad`. One pair of widths for each axis, or
    /// one for all.
    ///
    /// Cost: one launch for each axis that gets longer, which reads the array and writes the result.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::PadMode;
    /// let x = Array::from_slice(device, &[1, 2, 3]);
    /// assert_eq!(x.pad(&[(1, 2)], PadMode::Constant(9)).to_vec()?, [9, 1, 2, 3, 9, 9]);
    /// assert_eq!(x.pad(&[(2, 1)], PadMode::Edge).to_vec()?, [1, 1, 1, 2, 3, 3]);
    /// assert_eq!(x.pad(&[(2, 1)], PadMode::Reflect).to_vec()?, [3, 2, 1, 2, 3, 2]);
    /// assert_eq!(x.pad(&[(2, 1)], PadMode::Symmetric).to_vec()?, [2, 1, 1, 2, 3, 3]);
    /// assert_eq!(x.pad(&[(2, 1)], PadMode::Wrap).to_vec()?, [2, 3, 1, 2, 3, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): another number of widths; an axis without elements, but for [`PadMode::Constant`]; a result
    /// past 2^63 bytes, or past 2^31 elements along an axis that is mirrored or repeated.
    #[track_caller]
    pub fn pad(&self, widths: &[(usize, usize)], mode: PadMode<T>) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        if widths.len() != 1 && widths.len() != self.rank() {
            let wanted = format!("one pair, or one for each of {} axes", self.rank());
            let error = Error::argument("pad", "widths", wanted, widths.len().to_string(), at);
            return Array::failed(self.device(), error);
        }
        let width = |axis: usize| widths[if widths.len() == 1 { 0 } else { axis }];
        (0..self.rank()).fold(self.clone(), |array, axis| match array.padded(axis, width(axis), mode, at) {
            Ok(array) => array,
            Err(error) => Array::failed(self.device(), error),
        })
    }

    fn padded(&self, axis: usize, (before, after): (usize, usize), mode: PadMode<T>, at: CallSite) -> Result<Array<T>> {
        self.check()?;
        let extent = self.shape()[axis];
        if before == 0 && after == 0 {
            return Ok(self.clone());
        }
        let len = before.saturating_add(after).saturating_add(extent);
        create::fits("pad", T::DTYPE, &along(self.shape(), axis, len), at)?;
        let constant = matches!(mode, PadMode::Constant(_));
        if !constant && mode != PadMode::Edge && len > MOST_TAKEN {
            let wanted = format!("at most {MOST_TAKEN} elements along axis {axis}");
            return Err(Error::argument("pad", "widths", wanted, len.to_string(), at));
        }
        if extent == 0 && !constant {
            let wanted = "an element to repeat: only PadMode::Constant pads nothing";
            return Err(Error::argument("pad", "mode", wanted, format!("axis {axis} of {:?}", self.shape()), at));
        }
        let along = |len: usize| along(self.shape(), axis, len);
        let ends = |first, last| Array::joined("pad", &[first, self.clone(), last], axis, at);
        Ok(match mode {
            PadMode::Constant(value) => {
                let full = |len: usize| Array::full(self.device(), &along(len), value);
                ends(full(before), full(after))
            }
            // One element mirrored is itself.
            _ if mode == PadMode::Edge || extent == 1 => {
                let repeated = |at: usize, len: usize| self.part(axis, at, 1, 1).broadcast_to(&along(len));
                ends(repeated(0, before), repeated(extent - 1, after))
            }
            _ => self.repeating(axis, (before, after), mode, at),
        })
    }

    /// The axis continued by copies of the array, mirrored or not.
    fn repeating(&self, axis: usize, (before, after): (usize, usize), mode: PadMode<T>, at: CallSite) -> Array<T> {
        let extent = self.shape()[axis];
        if before / extent + after / extent + 3 <= MOST_PIECES {
            let (before, extent) = (before as i64, extent as i64);
            let end = extent + after as i64;
            let pieces =
                [runs(-before, 0, extent, mode), vec![(0, 1, extent)], runs(extent, end, extent, mode)].concat();
            let part = |&(start, step, len): &Run| self.part(axis, start as usize, step as isize, len as usize);
            return Array::joined("pad", &pieces.iter().map(part).collect::<Vec<_>>(), axis, at);
        }
        // The period of the continuation, and the number that a mirrored index is subtracted from.
        let (period, back) = match mode {
            PadMode::Reflect => (2 * (extent - 1), 2 * (extent - 1)),
            PadMode::Symmetric => (2 * extent, 2 * extent - 1),
            _ => (extent, extent),
        };
        let places = Array::<u32>::counting(self.device(), before + extent + after);
        let first = (period - before % period) % period;
        let within = (places % period as u32 + first as u32) % period as u32;
        let mirrored = back as u32 - &within;
        let indices = within.less(extent as u32).select(&within, &mirrored);
        self.take_axis(&indices, axis as isize, OutOfRange::Clamp)
    }

    /// The elements moved forward by this many positions in row-major order, with those past the end first: NumPy's
    /// `roll` without an axis. A negative number moves them back.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 5, 1);
    /// assert_eq!(x.roll(2).to_vec()?, [3, 4, 0, 1, 2]);
    /// assert_eq!(x.roll(-1).to_vec()?, [1, 2, 3, 4, 0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn roll(&self, shift: isize) -> Array<T> {
        self.flatten().rolled("roll", shift, 0, Location::caller()).reshape(self.shape())
    }

    /// As [`Array::roll`], along several axes: each of `shifts` along the axis at the same position of the list, one
    /// launch each.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 6, 1).reshape(&[2, 3]);
    /// assert_eq!(x.roll_axes(&[1], 1).to_vec()?, [2, 0, 1, 5, 3, 4]);
    /// assert_eq!(x.roll_axes(&[1, 1], [0, 1]).to_vec()?, [5, 3, 4, 2, 0, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): not one shift for each axis; an axis out of range.
    #[track_caller]
    pub fn roll_axes(&self, shifts: &[isize], axes: impl Into<Axes>) -> Array<T> {
        let at = Location::caller();
        let rolled = || {
            let axes = axes.into().places("roll_axes", self.check()?.rank(), at)?;
            if shifts.len() != axes.len() {
                let (wanted, got) = (format!("{} for as many axes", axes.len()), shifts.len().to_string());
                return Err(Error::argument("roll_axes", "shifts", wanted, got, at));
            }
            let roll = |array: Array<T>, (&shift, &axis): (&isize, &usize)| array.rolled("roll_axes", shift, axis, at);
            Ok(shifts.iter().zip(&axes).fold(self.clone(), roll))
        };
        Array::kept(self.device(), rolled())
    }

    fn rolled(&self, operation: &'static str, shift: isize, axis: usize, at: CallSite) -> Array<T> {
        let extent = self.shape()[axis];
        let shift = if extent == 0 { 0 } else { shift.rem_euclid(extent as isize) as usize };
        if shift == 0 || self.node.error().is_some() {
            return self.clone();
        }
        let (first, second) = (self.part(axis, extent - shift, 1, shift), self.part(axis, 0, 1, extent - shift));
        Array::joined(operation, &[first, second], axis, at)
    }
}

/// A shape with another extent of an axis.
fn along(shape: &[usize], axis: usize, extent: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = extent;
    shape
}

/// Neighbours of an axis: the first, the step, and how many.
type Run = (i64, i64, i64);

/// The runs of an axis of `extent` elements, two at least, that lie at places `from..to` of its continuation.
fn runs<T: Element>(from: i64, to: i64, extent: i64, mode: PadMode<T>) -> Vec<Run> {
    let period = if mode == PadMode::Reflect { extent - 1 } else { extent };
    let mut runs = vec![];
    let mut at = from;
    while at < to {
        let (block, within) = (at.div_euclid(period), at.rem_euclid(period));
        let len = (period - within).min(to - at);
        let forwards = mode == PadMode::Wrap || block % 2 == 0;
        runs.push(if forwards { (within, 1, len) } else { (extent - 1 - within, -1, len) });
        at += len;
    }
    runs
}
