//! The phases of a transposed convolution: results that are a step apart meet the same weights, so that each phase is a
//! convolution with steps of 1.

use super::windows::Geometry;
use crate::array::{Array, gcd};
use crate::element::Arithmetic;
use crosslane_core::error::Result;
use crosslane_ops::correlate::Window;

/// Every so-many-th result along an axis.
pub(super) struct Phase {
    /// Results of each of the axis' phases: the last may lie past the array.
    pub count: usize,
    /// The weights that meet a value: the first, how many, and how far apart.
    pub first_tap: usize,
    pub taps: usize,
    pub apart: usize,
    /// The windows over the array, if any weight meets one.
    pub window: Option<Window>,
}

/// The phases along each axis of an array that is as long as `extents`.
pub(super) fn phases(geometry: &Geometry, extents: &[usize]) -> Vec<Vec<Phase>> {
    let axes = geometry.taps.iter().zip(&geometry.options).zip(extents);
    axes.map(|((&taps, options), &extent)| {
        let (step, dilation, before) = (options.step, options.dilation, options.padding.0);
        let count = extent.div_ceil(step);
        // Weights so far apart meet values of one phase, which then are `dilation / common` apart.
        let common = gcd(step, dilation);
        let apart = step / common;
        // Result r + t * step meets weight k at the value i where r + t * step + before = i * step + k * dilation.
        let phase = |at: usize| {
            let meets = |k: &usize| (at + before) % step == k * dilation % step;
            let Some(first_tap) = (0..apart.min(taps)).find(meets) else {
                return Phase { count, first_tap: 0, taps: 0, apart, window: None };
            };
            let taps = (taps - first_tap).div_ceil(apart);
            let dilation_between = dilation / common;
            let first = ((at + before) as i64 - (first_tap * dilation) as i64) / step as i64;
            let first = first - ((taps - 1) * dilation_between) as i64;
            let window = Window { taps, count, first, step: 1, dilation: dilation_between };
            Phase { count, first_tap, taps, apart, window: Some(window) }
        };
        (0..step.min(extent)).map(phase).collect()
    })
    .collect()
}

/// The results of all phases, in their places.
pub(super) fn together<T: Arithmetic>(
    axes: &[Vec<Phase>],
    extents: &[usize],
    geometry: &Geometry,
    of_phase: &dyn Fn(&[&Phase]) -> Result<Array<T>>,
) -> Result<Array<T>> {
    interleaved(axes, extents, geometry.places().1, &mut vec![], of_phase)
}

/// The results of the phases of the axes that are not chosen yet.
fn interleaved<'a, T: Arithmetic>(
    axes: &'a [Vec<Phase>],
    extents: &[usize],
    place: usize,
    chosen: &mut Vec<&'a Phase>,
    of_phase: &dyn Fn(&[&Phase]) -> Result<Array<T>>,
) -> Result<Array<T>> {
    let Some((phases, rest)) = axes.split_first() else {
        return of_phase(chosen);
    };
    let results = phases.iter().map(|phase| {
        chosen.push(phase);
        let result = interleaved(rest, &extents[1..], place + 1, chosen, of_phase);
        chosen.pop();
        result
    });
    let results = results.collect::<Result<Vec<_>>>()?;
    let [one] = &results[..] else {
        let all = Array::stack(&results.iter().collect::<Vec<_>>(), place as isize + 1)?;
        let mut shape = all.shape().to_vec();
        shape.splice(place..place + 2, [phases[0].count * phases.len()]);
        return Ok(all.reshape(&shape).part(place, 0, 1, extents[0]));
    };
    Ok(one.part(place, 0, 1, extents[0]))
}
