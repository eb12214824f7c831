//! Padding and rolling.

use crate::array::shapes::axes::Axes;
use crate::array::{Array, create};
use crate::element::{Element, Scalar};
use crate::graph::{Expr, Node, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Boundary, Pad};
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

impl<T: Element> PadMode<T> {
    /// As operations have it: a constant as f64 has its number.
    pub(crate) fn boundary(self) -> Boundary {
        match self {
            PadMode::Constant(value) => Boundary::Constant(value.scalar().to_f64().to_bits()),
            PadMode::Edge => Boundary::Edge,
            PadMode::Reflect => Boundary::Reflect,
            PadMode::Symmetric => Boundary::Symmetric,
            PadMode::Wrap => Boundary::Wrap,
        }
    }
}

impl<T: Element> Array<T> {
    /// The array with elements added before and after each axis: NumPy's `pad`. One pair of widths for each axis, or
    /// one for all.
    ///
    /// Cost: one launch, which reads the array and writes the result; on a processor one for each piece. Elementwise work on the
    /// array fuses.
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
    /// past 2^63 bytes; one past a binding of the device that repeats the array some thousand times.
    #[track_caller]
    pub fn pad(&self, widths: &[(usize, usize)], mode: PadMode<T>) -> Array<T> {
        let at = Location::caller();
        let padded = || {
            if widths.len() != 1 && widths.len() != self.check()?.rank() {
                let wanted = format!("one pair, or one for each of {} axes", self.rank());
                return Err(Error::argument("pad", "widths", wanted, widths.len().to_string(), at));
            }
            let all: Vec<(usize, usize)> =
                (0..self.rank()).map(|axis| widths[if widths.len() == 1 { 0 } else { axis }]).collect();
            self.padded("pad", &all, mode, at)
        };
        Array::kept(self.device(), padded())
    }

    /// With widths for each axis.
    pub(crate) fn padded(
        &self,
        operation: &'static str,
        widths: &[(usize, usize)],
        mode: PadMode<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let longer: Vec<usize> = (0..self.check()?.rank()).filter(|&axis| widths[axis] != (0, 0)).collect();
        let Some(axes) = longer.get(..longer.len().min(Pad::AXES)).filter(|axes| !axes.is_empty()) else {
            return Ok(self.clone());
        };
        let shape = self.shape().to_vec();
        if let Some(axis) = axes.iter().find(|&&axis| shape[axis] == 0)
            && !matches!(mode, PadMode::Constant(_))
        {
            let wanted = "an element to repeat: only PadMode::Constant pads nothing";
            return Err(Error::argument(operation, "mode", wanted, format!("axis {axis} of {shape:?}"), at));
        }
        let own: Vec<(usize, usize)> =
            (0..shape.len()).map(|axis| if axes.contains(&axis) { widths[axis] } else { (0, 0) }).collect();
        let extents = shape.iter().zip(&own);
        let output: Vec<usize> =
            extents.map(|(extent, (before, after))| before.saturating_add(*after).saturating_add(*extent)).collect();
        create::fits(operation, T::DTYPE, &output, at)?;
        let boundary = mode.boundary();
        let outside =
            if let PadMode::Constant(value) = mode { value.scalar() } else { Scalar { dtype: T::DTYPE, bits: 0 } };
        let outside = Node::lazy(self.device(), vec![1; shape.len()], T::DTYPE, Expr::Constant(outside));
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let (outside, expression) = (inputs.remove(1), inputs.remove(0));
            let (shape, widths) = (shape.clone(), own.clone());
            Box::new(Pad { expression, shape, widths, boundary, outside, output }) as Box<dyn Op>
        };
        let inputs = [(&*self.node, Take::Fused), (&outside, Take::Fused)];
        let padded = Array::of(Task::nodes(&inputs, vec![(output, T::DTYPE)], 1, make).remove(0));
        let rest: Vec<(usize, usize)> =
            (0..widths.len()).map(|axis| if axes.contains(&axis) { (0, 0) } else { widths[axis] }).collect();
        padded.padded(operation, &rest, mode, at)
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
