//! Convolution and correlation along the last one to three axes.

use super::PerAxis;
use super::per_axis::sides_between;
use crate::array::shapes::PadMode;
use crate::array::spectra::ConvolveMode;
use crate::array::{Array, create};
use crate::element::Part;
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::Correlate;
use crosslane_ops::correlate::Window;
use std::panic::Location;

/// From so many weights on, transforms take less time than sums: on a card, where not measured yet, and on a processor.
const LONG: usize = 1024;
const LONG_ON_PROCESSORS: usize = 128;
/// The longest reach of a window: indices have 32 bits.
const REACH: usize = 1 << 28;
/// The most axes of windows.
const AXES: usize = 3;

/// How windows move over an array: for [`Array::convolve_with`] and [`Array::correlate_with`].
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{ConvolveMode, ConvolveOptions, PadMode};
/// let x = Array::from_slice(device, &[1.0f32, 2.0, 4.0, 8.0]);
/// let sum = Array::from_slice(device, &[1.0f32, 1.0]);
/// let pooled = ConvolveOptions::default().mode(ConvolveMode::Valid).steps([2]);
/// assert_eq!(x.correlate_with(&sum, &pooled).to_vec()?, [3.0, 12.0]);
/// let around = ConvolveOptions::default().boundary(PadMode::Wrap);
/// assert_eq!(x.correlate_with(&sum, &around).to_vec()?, [9.0, 3.0, 6.0, 12.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct ConvolveOptions<R> {
    mode: ConvolveMode,
    boundary: PerAxis<PadMode<R>>,
    origin: PerAxis<isize>,
    steps: Option<Vec<usize>>,
    dilations: Option<Vec<usize>>,
}

impl<R: Part> Default for ConvolveOptions<R> {
    fn default() -> ConvolveOptions<R> {
        ConvolveOptions {
            mode: ConvolveMode::Same,
            boundary: PadMode::Constant(R::rounded(0.0)).into(),
            origin: 0.into(),
            steps: None,
            dilations: None,
        }
    }
}

impl<R: Part> ConvolveOptions<R> {
    /// Which results: without it as many as the array has values, the windows' middles at each. Of an even number of weights
    /// the middle is the one after the half, so that [`Array::convolve_with`] gives `mode="same"` of `scipy.signal` and NumPy;
    /// `scipy.ndimage.convolve` has the same sums one place earlier: element i is theirs at i - 1. `scipy.ndimage.correlate` has
    /// the middle of [`Array::correlate_with`].
    pub fn mode(self, mode: ConvolveMode) -> ConvolveOptions<R> {
        ConvolveOptions { mode, ..self }
    }

    /// What stands past the array's ends, along all of the weights' axes or along each ([`PerAxis`]): without it zeros. Axes before
    /// the last one with another boundary than the last axis cost a copy with a margin.
    pub fn boundary(self, boundary: impl Into<PerAxis<PadMode<R>>>) -> ConvolveOptions<R> {
        ConvolveOptions { boundary: boundary.into(), ..self }
    }

    /// By how many places windows lie before the middle, along all of the weights' axes or along each ([`PerAxis`]); of a
    /// convolution, whose weights are mirrored, behind it: `scipy.ndimage`'s `origin`. For a convolution with an even number of
    /// weights its 0 is 1 here. A window that does not have its value is an error of the filter, and so is an origin but 0 with another
    /// mode than [`ConvolveMode::Same`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvolveOptions;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 4.0, 7.0]);
    /// let weights = Array::from_slice(device, &[0.0f32, 0.0, 1.0]);
    /// let options = ConvolveOptions::default().origin(1);
    /// assert_eq!(x.correlate_with(&weights, &options).to_vec()?, [1.0, 2.0, 4.0, 7.0]);
    /// # Ok(()) });
    /// ```
    pub fn origin(self, origin: impl Into<PerAxis<isize>>) -> ConvolveOptions<R> {
        ConvolveOptions { origin: origin.into(), ..self }
    }

    /// Every so-many-th result only along each of the weights' axes: the stride of neural networks.
    #[doc(alias = "stride")]
    pub fn steps(self, steps: impl Into<Vec<usize>>) -> ConvolveOptions<R> {
        ConvolveOptions { steps: Some(steps.into()), ..self }
    }

    /// The weights meet values so far apart along each of their axes.
    pub fn dilations(self, dilations: impl Into<Vec<usize>>) -> ConvolveOptions<R> {
        ConvolveOptions { dilations: Some(dilations.into()), ..self }
    }
}

impl<R: Part> Array<R> {
    /// The convolution with weights of one to three axes along the array's last axes: the sum over t of `weights[t]
    /// self[i - t]`. NumPy's and `scipy.signal`'s `convolve`.
    ///
    /// Of weights longer than the array [`ConvolveMode::Same`] has as many results as the array has values, as SciPy's has, and
    /// [`ConvolveMode::Valid`] has none; NumPy, and for `valid` SciPy, exchange the two.
    ///
    /// Elementwise work on the array fuses. One launch, which reads each value once; from 1024 weights along one axis on (128 on
    /// a processor) by transforms, as [`Array::fft_convolve`]. Error: that of a sum of the products, one after the other.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvolveMode;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// let weights = Array::from_slice(device, &[0.0f32, 1.0, 0.5]);
    /// assert_eq!(x.convolve(&weights, ConvolveMode::Full).to_vec()?, [0.0, 1.0, 2.5, 4.0, 1.5]);
    /// assert_eq!(x.convolve(&weights, ConvolveMode::Same).to_vec()?, [1.0, 2.5, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): weights of no axis, of more than three or than the array has, without values, on another
    /// device; an axis of windows without values; more weights of two or three axes than a workgroup's memory holds, some
    /// thousands; more bytes than a kernel binds.
    #[track_caller]
    pub fn convolve(&self, weights: &Array<R>, mode: ConvolveMode) -> Array<R> {
        let options = ConvolveOptions::default().mode(mode);
        self.by_weights("convolve", weights, &options, true, Location::caller())
    }

    /// As [`Array::convolve`] with [`ConvolveOptions`]: boundaries, steps, gaps.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{ConvolveOptions, PadMode};
    /// let image = Array::<f32>::ones(device, &[4, 5]);
    /// let blur = Array::full(device, &[3, 3], 1.0f32 / 9.0);
    /// let blurred = image.convolve_with(&blur, &ConvolveOptions::default().boundary(PadMode::Edge));
    /// crosslane::assert_close(&blurred.to_vec()?, &[1.0; 20]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::convolve`]; another number of steps or dilations than the weights have axes; one
    /// of 0.
    #[track_caller]
    pub fn convolve_with(&self, weights: &Array<R>, options: &ConvolveOptions<R>) -> Array<R> {
        self.by_weights("convolve_with", weights, options, true, Location::caller())
    }

    /// The correlation with weights: as [`Array::convolve`], with the weights in the order of the values.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::ConvolveMode;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 4.0, 7.0]);
    /// let slope = Array::from_slice(device, &[-1.0f32, 1.0]);
    /// assert_eq!(x.correlate(&slope, ConvolveMode::Valid).to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::convolve`].
    #[track_caller]
    pub fn correlate(&self, weights: &Array<R>, mode: ConvolveMode) -> Array<R> {
        let options = ConvolveOptions::default().mode(mode);
        self.by_weights("correlate", weights, &options, false, Location::caller())
    }

    /// As [`Array::correlate`] with [`ConvolveOptions`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{ConvolveMode, ConvolveOptions};
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 4.0, 7.0]);
    /// let slope = Array::from_slice(device, &[-1.0f32, 1.0]);
    /// let wide = ConvolveOptions::default().mode(ConvolveMode::Valid).dilations([2]);
    /// assert_eq!(x.correlate_with(&slope, &wide).to_vec()?, [3.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::convolve_with`].
    #[track_caller]
    pub fn correlate_with(&self, weights: &Array<R>, options: &ConvolveOptions<R>) -> Array<R> {
        self.by_weights("correlate_with", weights, options, false, Location::caller())
    }

    /// A correlation, or with reversed weights a convolution.
    pub(super) fn by_weights(
        &self,
        operation: &'static str,
        weights: &Array<R>,
        options: &ConvolveOptions<R>,
        reversed: bool,
        at: CallSite,
    ) -> Array<R> {
        let result = || {
            let windows = windows(operation, self, weights, options, reversed, at)?;
            let boundaries = options.boundary.of(operation, "boundary", windows.len(), at)?;
            let last = windows.last().expect("there is an axis");
            let long = if self.device().caps().processor.is_some() { LONG_ON_PROCESSORS } else { LONG };
            let plain = windows.len() == 1 && last.step == 1 && last.dilation == 1;
            if plain && last.taps >= long && self.shape().iter().all(|&extent| extent > 0) {
                return self.by_transforms(operation, weights, *last, boundaries[0], reversed, at);
            }
            let weights = if reversed { turned(weights) } else { weights.clone() };
            self.node_of(operation, &weights, windows, &boundaries, at)
        };
        result().unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// Along the last axis, whose ends are continued.
    fn by_transforms(
        &self,
        operation: &'static str,
        weights: &Array<R>,
        window: Window,
        boundary: PadMode<R>,
        reversed: bool,
        at: CallSite,
    ) -> Result<Array<R>> {
        let (last, extent) = (self.rank() - 1, self.shape()[self.rank() - 1] as i64);
        let (first, end) = (window.first, window.first + (window.count + window.taps - 1) as i64);
        let mut widths = vec![(0, 0); self.rank()];
        widths[last] = ((-first).max(0) as usize, (end - extent).max(0) as usize);
        let whole = self.pad(&widths, boundary);
        let result = whole.convolved(operation, weights, ConvolveMode::Valid, !reversed, at)?;
        // Where there are fewer values than weights, the valid part is that of the longer one.
        Ok(result.part(last, first.max(0) as usize, 1, window.count))
    }

    fn node_of(
        &self,
        operation: &'static str,
        weights: &Array<R>,
        mut windows: Vec<Window>,
        boundaries: &[PadMode<R>],
        at: CallSite,
    ) -> Result<Array<R>> {
        let shape = self.shape().to_vec();
        let kept = shape.len() - windows.len();
        let output = [shape[..kept].to_vec(), windows.iter().map(|window| window.count).collect()].concat();
        create::fits(operation, R::DTYPE, &output, at)?;
        if output.contains(&0) {
            return Ok(Array::zeros(self.device(), &output));
        }
        let margins: Vec<[usize; 2]> =
            windows.iter().zip(&shape[kept..]).map(|(window, &extent)| margin(window, extent)).collect();
        let axes: Vec<usize> = (kept..shape.len()).collect();
        let (whole, before) = self.continued(operation, &axes, &margins, boundaries, at)?;
        windows.iter_mut().zip(before).for_each(|(window, before)| window.first += before as i64);
        let boundary = boundaries.last().expect("windows lie along an axis").boundary();
        let shape = whole.shape().to_vec();
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let (weights, expression) = (inputs.remove(1), inputs.remove(0));
            let (shape, windows) = (shape.clone(), windows.clone());
            Box::new(Correlate { expression, shape, weights, windows, filters: 1, boundary, output }) as Box<dyn Op>
        };
        let inputs = [(&*whole.node, Take::Fused), (&*weights.node, Take::Dense)];
        Ok(Array::of(Task::nodes(&inputs, vec![(output, R::DTYPE)], 1, make).remove(0)))
    }
}

/// How many places windows have before an axis and after it.
fn margin(window: &Window, extent: usize) -> [usize; 2] {
    let results = window.count.saturating_sub(1).saturating_mul(window.step);
    let end = window.first + (results + (window.taps - 1) * window.dilation) as i64;
    [-window.first, end + 1 - extent as i64].map(|places| places.max(0) as usize)
}

/// The weights in the opposite order along each axis.
fn turned<R: Part>(weights: &Array<R>) -> Array<R> {
    (0..weights.rank()).fold(weights.clone(), |weights, axis| weights.flip(axis as isize))
}

/// The window along each of the weights' axes.
fn windows<R: Part>(
    operation: &'static str,
    x: &Array<R>,
    weights: &Array<R>,
    options: &ConvolveOptions<R>,
    reversed: bool,
    at: CallSite,
) -> Result<Vec<Window>> {
    let (rank, axes) = (x.check()?.rank(), weights.check()?.rank());
    if x.device() != weights.device() {
        return Err(Error::argument(operation, "weights", "an array on this array's device", "another device's", at));
    }
    if axes == 0 || axes > AXES.min(rank) || weights.shape().contains(&0) {
        let wanted = format!("values along 1 to {} axes", AXES.min(rank));
        return Err(Error::argument(operation, "weights", wanted, format!("{:?}", weights.shape()), at));
    }
    let of = |name: &'static str, given: &Option<Vec<usize>>| match given {
        None => Ok(vec![1; axes]),
        Some(given) if given.len() == axes && !given.contains(&0) => Ok(given.clone()),
        Some(given) => {
            let wanted = format!("{axes} numbers of at least 1, one for each axis of the weights");
            Err(Error::argument(operation, name, wanted, format!("{given:?}"), at))
        }
    };
    let (steps, dilations) = (of("steps", &options.steps)?, of("dilations", &options.dilations)?);
    let origins = options.origin.of(operation, "origin", axes, at)?;
    if options.mode != ConvolveMode::Same
        && let Some(origin) = origins.iter().find(|origin| **origin != 0)
    {
        let wanted = "0, as ConvolveMode::Full and Valid have no middle";
        return Err(Error::argument(operation, "origin", wanted, origin.to_string(), at));
    }
    (0..axes)
        .map(|axis| {
            let (taps, extent) = (weights.shape()[axis], x.shape()[rank - axes + axis]);
            let (step, dilation) = (steps[axis], dilations[axis]);
            let reach = (taps - 1).saturating_mul(dilation).saturating_add(1);
            if extent == 0 || reach > REACH || step > REACH || extent > REACH {
                let wanted = format!("1 to {REACH} values along each axis, and windows and steps as long at most");
                let got = format!("{extent} values, a window of {reach}, a step of {step}");
                return Err(Error::argument(operation, "array", wanted, got, at));
            }
            let (first, count) = match options.mode {
                ConvolveMode::Full => (-(reach as i64 - 1), extent + reach - 1),
                ConvolveMode::Same => {
                    // Mirrored weights have what lies after the middle before it.
                    let [half, rest] = [reach / 2, reach - 1 - reach / 2];
                    let before = match reversed {
                        false => sides_between(operation, [half, rest], origins[axis], at)?[0],
                        true => sides_between(operation, [rest, half], origins[axis], at)?[1],
                    };
                    (-(before as i64), extent)
                }
                ConvolveMode::Valid => (0, (extent + 1).saturating_sub(reach)),
            };
            Ok(Window { taps, count: count.div_ceil(step), first, step, dilation })
        })
        .collect()
}
