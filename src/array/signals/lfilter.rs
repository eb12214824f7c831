//! Recursive filters by the coefficients of their transfer function.

use super::Filter;
use crate::array::shapes::axes::axis;
use crate::array::{Array, ConvolveMode, ConvolveOptions, PadMode, broadcast_shapes};
use crate::element::Part;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::recurrence::{Cascade, MOST_STATES};
use std::panic::Location;

impl<R: Part> Array<R> {
    /// The filter `a[0] y[n] = sum b[k] x[n - k] - sum a[k] y[n - k]` along an axis, from zeros on: SciPy's `lfilter`.
    ///
    /// Coefficients are numbers of the host, and divided by `a[0]`. The order, the larger number of coefficients less 1, is at most
    /// 8: beyond, [`Array::sosfilt`] takes sections, which are also more exact from order 3 or so on. Without recursion (`a` of one
    /// number) any order will do: that is [`Array::convolve_with`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1.0f32, 0.0, 0.0, 2.0]);
    /// assert_eq!(x.lfilter(&[1.0], &[1.0, -0.5], 0).to_vec()?, [1.0, 0.5, 0.25, 2.125]);
    /// assert_eq!(x.lfilter(&[0.5, 0.5], &[1.0], 0).to_vec()?, [0.5, 0.5, 0.0, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: where rows fill the device one launch, which reads each value once and writes it once. Of few long rows three launches,
    /// which read each value twice: spans of a row first find the state that they leave, then the state that they begin with
    /// (Blelloch, Prefix sums and their applications, 1990). Elementwise work on the array fuses.
    ///
    /// Error: the recurrence runs in the array's type, in SciPy's form (transposed direct form II). Each step rounds what it adds to a
    /// state by some units of 2^-24 of f32, and the filter's poles add these up as they add up the signal. A low-pass filter
    /// of order 2 at a share w of the sampling rate amplifies them by up to 1 / (2 pi w)^2: with f32 below w = 0.001 think of f64.
    ///
    /// Errors (kept in the array): no coefficients, coefficients that are not finite, `a[0]` of 0; an order above 8; an axis out
    /// of range; more bytes than a kernel binds.
    #[track_caller]
    pub fn lfilter(&self, b: &[f64], a: &[f64], axis: isize) -> Array<R> {
        let at = Location::caller();
        let result = || {
            let place = place("lfilter", self, axis, at)?;
            if let Some(taps) = taps(b, a) {
                return Ok(self.causal(&taps, place, PadMode::Constant(R::rounded(0.0))));
            }
            let cascade = cascade("lfilter", b, a, at)?;
            Filter { operation: "lfilter", cascade: &cascade, axis: place, at }.of(self, None)
        };
        Array::kept(self.device(), result())
    }

    /// As [`Array::lfilter`] from these states on, with the states after the last values: for signals in pieces, and to begin as if
    /// the signal had gone on before ([`lfilter_zi`]). SciPy's `lfilter` with `zi`.
    ///
    /// States have the array's shape, but along the axis as many numbers as the order; shapes that broadcast to that will do.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let (b, a) = ([1.0], [1.0, -0.5]);
    /// let x = Array::from_slice(device, &[1.0f32, 0.0, 0.0, 2.0]);
    /// let nothing = Array::zeros(device, &[1]);
    /// let (first, state) = x.slice(&[(..2).into()]).lfilter_from(&b, &a, 0, &nothing);
    /// let (second, _) = x.slice(&[(2..).into()]).lfilter_from(&b, &a, 0, &state);
    /// assert_eq!((first.to_vec()?, second.to_vec()?), (vec![1.0, 0.5], vec![0.25, 2.125]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both arrays): as [`Array::lfilter`], of all orders above 8; states of another shape or device.
    #[track_caller]
    pub fn lfilter_from(&self, b: &[f64], a: &[f64], axis: isize, states: &Array<R>) -> (Array<R>, Array<R>) {
        let at = Location::caller();
        let result = || {
            let place = place("lfilter_from", self, axis, at)?;
            let cascade = cascade("lfilter_from", b, a, at)?;
            let mut shape = self.shape().to_vec();
            shape[place] = cascade.states();
            let states = fitting("lfilter_from", self, states, &shape, at)?;
            if cascade.states() == 0 {
                return Ok((self * R::rounded(cascade.sections[0][0]), states));
            }
            let filter = Filter { operation: "lfilter_from", cascade: &cascade, axis: place, at };
            let (result, states) = filter.with_states(self, &states.move_axis(place as isize, -1))?;
            Ok((result, states.move_axis(-1, place as isize)))
        };
        both(self, result())
    }

    /// The sum of `taps[k] x[n - k]` along an axis, where this continues the array before its beginning.
    pub(super) fn causal(&self, taps: &[f64], axis: usize, before: PadMode<R>) -> Array<R> {
        let (count, axis) = (self.shape()[axis], axis as isize);
        if self.is_empty() {
            return self.clone();
        }
        let taps: Vec<R> = taps.iter().map(|&tap| R::rounded(tap)).collect();
        let options = ConvolveOptions::default().mode(ConvolveMode::Full).boundary(before);
        let whole = self.move_axis(axis, -1).convolve_with(&Array::from_slice(self.device(), &taps), &options);
        match whole.check() {
            Ok(whole) => whole.part(whole.rank() - 1, 0, 1, count).move_axis(-1, axis),
            Err(error) => Array::failed(self.device(), error),
        }
    }
}

/// The states of [`Array::lfilter_from`] that a constant input of 1 leaves as they are: times the first value they begin a filter
/// without a transient. SciPy's `lfilter_zi`.
///
/// ```
/// let states = crosslane::array::lfilter_zi(&[0.5], &[1.0, -0.5])?;
/// assert_eq!(states, [0.5]);
/// # Ok::<(), crosslane::Error>(())
/// ```
///
/// Errors: coefficients as for [`Array::lfilter`]; a filter that a constant does not settle, with a pole at 1.
#[track_caller]
pub fn lfilter_zi(b: &[f64], a: &[f64]) -> Result<Vec<f64>> {
    let at = Location::caller();
    settled("lfilter_zi", &cascade("lfilter_zi", b, a, at)?, at)
}

pub(super) fn settled(operation: &'static str, cascade: &Cascade, at: CallSite) -> Result<Vec<f64>> {
    let wanted = "a filter that a constant input settles: without a pole at 1";
    cascade.settled().ok_or_else(|| Error::argument(operation, "a", wanted, "one with a pole there", at))
}

/// The axis of an array without mistakes.
pub(super) fn place<R: Part>(operation: &'static str, x: &Array<R>, place: isize, at: CallSite) -> Result<usize> {
    axis(operation, place, x.check()?.rank(), at)
}

/// Two arrays, or a mistake kept in both.
pub(super) fn both<R: Part>(x: &Array<R>, made: Result<(Array<R>, Array<R>)>) -> (Array<R>, Array<R>) {
    made.unwrap_or_else(|error| (Array::failed(x.device(), error.clone()), Array::failed(x.device(), error)))
}

/// States that broadcast to this shape.
pub(super) fn fitting<R: Part>(
    operation: &'static str,
    x: &Array<R>,
    states: &Array<R>,
    shape: &[usize],
    at: CallSite,
) -> Result<Array<R>> {
    states.check()?;
    if states.device() != x.device() {
        return Err(Error::argument(operation, "states", "an array on this array's device", "another device's", at));
    }
    if broadcast_shapes(&[states.shape(), shape]).is_none_or(|both| both != shape) {
        let wanted = format!("a shape that broadcasts to {shape:?}");
        return Err(Error::argument(operation, "states", wanted, format!("{:?}", states.shape()), at));
    }
    Ok(states.broadcast_to(shape))
}

/// The weights of a filter without recursion.
pub(super) fn taps(b: &[f64], a: &[f64]) -> Option<Vec<f64>> {
    let valid = |a: &[f64]| a[0].is_finite() && a[0] != 0.0 && a[1..].iter().all(|&value| value == 0.0);
    let recursive = a.is_empty() || !valid(a) || b.is_empty() || !b.iter().all(|value| value.is_finite());
    (!recursive).then(|| b.iter().map(|value| value / a[0]).collect())
}

/// One section of these coefficients.
pub(super) fn cascade(operation: &'static str, b: &[f64], a: &[f64], at: CallSite) -> Result<Cascade> {
    for (name, values) in [("b", b), ("a", a)] {
        if values.is_empty() || !values.iter().all(|value| value.is_finite()) || (name == "a" && values[0] == 0.0) {
            let wanted = if name == "a" { "finite numbers, the first of which is not 0" } else { "finite numbers" };
            return Err(Error::argument(operation, name, wanted, format!("{values:?}"), at));
        }
    }
    let order = a.len().max(b.len()) - 1;
    if order > MOST_STATES {
        let wanted = format!("an order of at most {MOST_STATES}: sosfilt takes sections of higher ones, more exactly");
        return Err(Error::argument(operation, "coefficients", wanted, format!("order {order}"), at));
    }
    let of = |values: &[f64], k: usize| values.get(k).copied().unwrap_or(0.0) / a[0];
    let section = (0..=order).map(|k| of(b, k)).chain((1..=order).map(|k| of(a, k))).collect();
    Ok(Cascade { order, sections: vec![section] })
}
