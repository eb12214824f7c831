//! Filters forwards and backwards, which shift no phase.

use super::lfilter::{cascade, place, settled, taps};
use super::sections::{self, sections};
use super::{Filter, States};
use crate::array::{Array, PadMode};
use crate::element::Part;
use crosslane_core::error::{CallSite, Error, Result};
use std::panic::Location;

impl<R: Part> Array<R> {
    /// The filter of [`Array::lfilter`] forwards and then backwards along an axis: no shift of phase, and twice the attenuation.
    /// SciPy's `filtfilt` by its defaults: the axis is continued at both ends by `3 max(a.len(), b.len())` values, turned about the
    /// end (`2 x[0] - x[n]`), and each pass begins settled by its first value.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let line = Array::arange(device, 0.0f32, 20.0, 1.0);
    /// let same = line.filtfilt(&[0.5, 0.5], &[1.0], 0);
    /// crosslane::assert_close(&same.to_vec()?, &line.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: a launch that continues the axis, and two filters. Error: as [`Array::lfilter`], twice.
    ///
    /// Errors (kept in the array): as [`Array::lfilter`]; an axis that is not longer than what it is continued by; a filter that a
    /// constant does not settle, with a pole at 1.
    #[track_caller]
    pub fn filtfilt(&self, b: &[f64], a: &[f64], axis: isize) -> Array<R> {
        let (operation, at) = ("filtfilt", Location::caller());
        let result = || {
            let axis = place(operation, self, axis, at)?;
            let margin = 3 * a.len().max(b.len());
            if let Some(taps) = taps(b, a) {
                // Settled by its first value: what was before is that value.
                let pass = |x: &Array<R>| Ok(x.causal(&taps, axis, PadMode::Edge));
                return self.both_ways(operation, axis, margin, &pass, at);
            }
            let cascade = cascade(operation, b, a, at)?;
            let states = settled(operation, &cascade, at)?;
            let filter = Filter { operation, cascade: &cascade, axis, at };
            let pass = |x: &Array<R>| filter.of(x, Some(&first_times(x, axis, &states)));
            self.both_ways(operation, axis, margin, &pass, at)
        };
        Array::kept(self.device(), result())
    }

    /// As [`Array::filtfilt`] by sections of order 2: SciPy's `sosfiltfilt` by its defaults.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Band, butterworth};
    /// let sos = butterworth(3, Band::LowPass(0.2), 2.0)?;
    /// let level = Array::full(device, &[30], 2.0f32);
    /// assert!((level.sosfiltfilt(&sos, 0) - 2.0).abs().max_axes(0).item()? < 1e-4);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::sosfilt`] and [`Array::filtfilt`].
    #[track_caller]
    pub fn sosfiltfilt(&self, sos: &[[f64; 6]], axis: isize) -> Array<R> {
        let (operation, at) = ("sosfiltfilt", Location::caller());
        let result = || {
            let axis = place(operation, self, axis, at)?;
            self.sections_both_ways(operation, sos, axis, at)
        };
        Array::kept(self.device(), result())
    }

    /// [`Array::sosfiltfilt`] along an axis in range.
    pub(super) fn sections_both_ways(
        &self,
        operation: &'static str,
        sos: &[[f64; 6]],
        axis: usize,
        at: CallSite,
    ) -> Result<Array<R>> {
        let all = sections(operation, sos, at)?;
        let states = settled(operation, &sections::cascade(&all), at)?;
        // Coefficients of the whole filter, without those that are 0 in each numerator or in each denominator.
        let zeros = |at: usize| sos.iter().filter(|section| section[at] == 0.0).count();
        let margin = 3 * (2 * sos.len() + 1 - zeros(2).min(zeros(5)));
        let pass = |x: &Array<R>| {
            let states = first_times(x, axis, &states);
            let each = [&states.shape()[..states.rank() - 1], &[sos.len(), 2]].concat();
            Ok(x.by_sections(operation, &all, axis, &states.reshape(&each), at)?.0)
        };
        self.both_ways(operation, axis, margin, &pass, at)
    }

    fn both_ways(
        &self,
        operation: &'static str,
        axis: usize,
        margin: usize,
        pass: &dyn Fn(&Array<R>) -> Result<Array<R>>,
        at: CallSite,
    ) -> Result<Array<R>> {
        let count = self.shape()[axis];
        if count <= margin {
            let wanted = format!("more than {margin} values along axis {axis}, by which it is continued at both ends");
            return Err(Error::argument(operation, "array", wanted, count.to_string(), at));
        }
        if self.is_empty() {
            return Ok(self.clone());
        }
        let end = |place: usize| self.part(axis, place, 1, 1) * R::rounded(2.0);
        let before = end(0) - self.part(axis, margin, -1, margin);
        let after = end(count - 1) - self.part(axis, count - 2, -1, margin);
        let whole = Array::joined(operation, &[before, self.clone(), after], axis, at);
        let back = |x: Array<R>| x.flip(axis as isize);
        let result = back(pass(&back(pass(&whole)?))?);
        Ok(result.check()?.part(axis, margin, 1, count))
    }
}

/// States times the first value of each row.
fn first_times<R: Part>(x: &Array<R>, axis: usize, states: &[f64]) -> States<R> {
    let states: Vec<R> = states.iter().map(|&value| R::rounded(value)).collect();
    x.part(axis, 0, 1, 1).move_axis(axis as isize, -1) * Array::from_slice(x.device(), &states)
}
