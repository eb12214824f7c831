//! Recursive filters by sections of order 2.

use super::Filter;
use super::lfilter::{both, fitting, place, settled};
use super::sections::{PER_LAUNCH, cascade, sections};
use crate::array::Array;
use crate::element::Part;
use crosslane_core::error::{CallSite, Result};
use std::panic::Location;

impl<R: Part> Array<R> {
    /// Filters in a row along an axis, from zeros on: SciPy's `sosfilt`. Each section is `[b0, b1, b2, a0, a1, a2]` of a filter of
    /// order 2, as [`butterworth`](crate::array::butterworth) makes them, and takes what the one before gives.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Band, butterworth};
    /// let sos = butterworth(4, Band::LowPass(50.0), 1000.0)?;
    /// let steady = Array::<f32>::ones(device, &[3, 400]).sosfilt(&sos, -1);
    /// assert!((steady.to_vec()?[399] - 1.0).abs() < 1e-4);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: as [`Array::lfilter`] for each four sections, which run together. Error: as there; sections of order 2 keep it that
    /// of their own poles.
    ///
    /// Errors (kept in the array): no section, coefficients that are not finite, `a0` of 0; an axis out of range; more bytes than a
    /// kernel binds.
    #[track_caller]
    pub fn sosfilt(&self, sos: &[[f64; 6]], axis: isize) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let axis = place("sosfilt", self, axis, at)?;
            sections("sosfilt", sos, at)?.chunks(PER_LAUNCH).try_fold(self.clone(), |x, part| {
                let cascade = cascade(part);
                Filter { operation: "sosfilt", cascade: &cascade, axis, at }.of(&x, None)
            })
        };
        Array::kept(self.device(), result())
    }

    /// As [`Array::sosfilt`] from these states on, with the states after the last values: SciPy's `sosfilt` with `zi`.
    ///
    /// States are two for each section: the shape is the number of sections, then the array's shape with 2 along the axis; shapes
    /// that broadcast to that will do.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let sos = [[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]];
    /// let x = Array::from_slice(device, &[1.0f32, 0.0, 0.0, 2.0]);
    /// let nothing = Array::zeros(device, &[1, 2]);
    /// let (first, states) = x.slice(&[(..2).into()]).sosfilt_from(&sos, 0, &nothing);
    /// let (second, _) = x.slice(&[(2..).into()]).sosfilt_from(&sos, 0, &states);
    /// assert_eq!((first.to_vec()?, second.to_vec()?), (vec![1.0, 0.5], vec![0.25, 2.125]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both arrays): as [`Array::sosfilt`]; states of another shape or device.
    #[track_caller]
    pub fn sosfilt_from(&self, sos: &[[f64; 6]], axis: isize, states: &Array<R>) -> (Array<R>, Array<R>) {
        let at = Location::caller();
        let result = || {
            let axis = place("sosfilt_from", self, axis, at)?;
            let mut shape = [&[sos.len()], self.shape()].concat();
            shape[axis + 1] = 2;
            let all = sections("sosfilt_from", sos, at)?;
            // Rows, sections, two numbers of each.
            let states =
                fitting("sosfilt_from", self, states, &shape, at)?.move_axis(0, -1).move_axis(axis as isize, -1);
            let (result, states) = self.by_sections("sosfilt_from", &all, axis, &states, at)?;
            Ok((result, states.move_axis(-1, axis as isize).move_axis(-1, 0)))
        };
        both(self, result())
    }

    /// Sections with their states, whose last two axes are sections and their two numbers.
    pub(super) fn by_sections(
        &self,
        operation: &'static str,
        all: &[Vec<f64>],
        axis: usize,
        states: &Array<R>,
        at: CallSite,
    ) -> Result<(Array<R>, Array<R>)> {
        let (mut x, mut left) = (self.clone(), vec![]);
        let by = states.rank() - 2;
        for (nth, part) in all.chunks(PER_LAUNCH).enumerate() {
            let cascade = cascade(part);
            let filter = Filter { operation, cascade: &cascade, axis, at };
            let own = states.part(by, nth * PER_LAUNCH, 1, part.len());
            let flat = [&own.shape()[..by], &[2 * part.len()]].concat();
            let (result, after) = filter.with_states(&x, &own.reshape(&flat))?;
            let each = [&after.shape()[..after.rank() - 1], &[part.len(), 2]].concat();
            left.push(after.reshape(&each));
            x = result;
        }
        let by = left[0].rank() - 2;
        let left = if left.len() == 1 { left.remove(0) } else { Array::joined(operation, &left, by, at) };
        Ok((x, left))
    }
}

/// The states of [`Array::sosfilt_from`] that a constant input of 1 leaves as they are: two for each section. SciPy's `sosfilt_zi`.
///
/// ```
/// let states = crosslane::array::sosfilt_zi(&[[0.5, 0.0, 0.0, 1.0, -0.5, 0.0]])?;
/// assert_eq!(states, [[0.5, 0.0]]);
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: sections as for [`Array::sosfilt`]; a section that a constant does not settle, with a pole at 1.
#[track_caller]
pub fn sosfilt_zi(sos: &[[f64; 6]]) -> Result<Vec<[f64; 2]>> {
    let at = Location::caller();
    let cascade = cascade(&sections("sosfilt_zi", sos, at)?);
    let states = settled("sosfilt_zi", &cascade, at)?;
    Ok(states.chunks(2).map(|pair| [pair[0], pair[1]]).collect())
}
