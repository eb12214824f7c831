//! Images read at coordinates.

use super::place::{INTERLEAVED, Images, MOST, PLANAR};
use super::{Pixel, Resampling};
use crate::array::shapes::PadMode;
use crate::array::{Array, create};
use crate::element::{Element, Part};
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::broadcast_shapes;
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Extents, Sample};
use std::panic::Location;

/// How [`Array::remap`] and the warps weigh pixels, what stands past the edges, and which axes are rows and columns.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{PadMode, Resampling, WarpOptions};
/// let image = Array::from_shape(device, &[1, 3], &[10u8, 20, 30]);
/// let right = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
/// let edge = WarpOptions::default().by(Resampling::Nearest).boundary(PadMode::Edge);
/// assert_eq!(image.warp_affine(right, [1, 3], &edge).to_vec()?, [10, 10, 20]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct WarpOptions<T> {
    by: Resampling,
    boundary: PadMode<T>,
    outside: Option<T>,
    axes: [isize; 2],
}

impl<T: Pixel> Default for WarpOptions<T> {
    fn default() -> WarpOptions<T> {
        let zero = T::from_scalar(crosslane_core::op::Value::Int(0).scalar(T::DTYPE));
        WarpOptions { by: Resampling::default(), boundary: PadMode::Constant(zero), outside: None, axes: PLANAR }
    }
}

impl<T: Pixel> WarpOptions<T> {
    /// How pixels are weighed: without it by [`Resampling::Bilinear`]. There are [`Resampling::Nearest`] and
    /// [`Resampling::Bicubic`] too.
    pub fn by(self, by: Resampling) -> WarpOptions<T> {
        WarpOptions { by, ..self }
    }

    /// What stands past the edges: without it zeros.
    pub fn boundary(self, boundary: PadMode<T>) -> WarpOptions<T> {
        WarpOptions { boundary, ..self }
    }

    /// The value of results whose coordinate lies past the middle of an outermost pixel, without a part of any pixel: the `cval`
    /// of SciPy's `mode="constant"`, its default. Without it what stands past the edges takes part in sums there too. Of a
    /// coordinate within rounding of such a middle its rounding decides.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::WarpOptions;
    /// let image = Array::from_shape(device, &[1, 3], &[10.0f32, 20.0, 30.0]);
    /// let right = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]];
    /// let part = image.warp_affine(right, [1, 4], &WarpOptions::default());
    /// assert_eq!(part.to_vec()?, [5.0, 15.0, 25.0, 15.0]);
    /// let alone = image.warp_affine(right, [1, 4], &WarpOptions::default().outside(-1.0));
    /// assert_eq!(alone.to_vec()?, [-1.0, 15.0, 25.0, -1.0]);
    /// # Ok(()) });
    /// ```
    pub fn outside(self, value: T) -> WarpOptions<T> {
        WarpOptions { outside: Some(value), ..self }
    }

    /// The axes of rows and of columns: without it the last two.
    pub fn axes(self, axes: [isize; 2]) -> WarpOptions<T> {
        WarpOptions { axes, ..self }
    }

    /// Channels are the last axis, rows and columns the two before it.
    pub fn interleaved(self) -> WarpOptions<T> {
        self.axes(INTERLEAVED)
    }
}

impl<T: Pixel> Array<T> {
    /// The images at these columns `x` and rows `y`, counted from the middle of the first pixel: OpenCV's `remap`, and for two
    /// dimensions SciPy's `map_coordinates` of order 0 and 1. The coordinates' last two axes are the rows and columns of the
    /// result; they broadcast over images, and are the same for all channels.
    ///
    /// [`Resampling::Bicubic`] is the cubic convolution of Keys with OpenCV's parameter -0.75; SciPy's order 3 is a spline, which
    /// is another function. Halves are rounded up by [`Resampling::Nearest`], before they are mirrored at edges; SciPy
    /// rounds them afterwards. What stands past the edges takes part in sums, as
    /// in OpenCV and in SciPy's `grid-constant`; SciPy's default `constant` is [`WarpOptions::outside`], its `nearest` is [`PadMode::Edge`], its `mirror` is [`PadMode::Reflect`],
    /// its `reflect` is [`PadMode::Symmetric`], its `grid-wrap` is [`PadMode::Wrap`]. A coordinate that is NaN gives NaN, 0 for
    /// integers. Results of integers are rounded, and what is past an end becomes the end.
    ///
    /// Elementwise work on coordinates and results fuses: coordinates that are computed from indices take no memory. Cost: one
    /// launch, and one more for `u8` and `u16` where a row ends within 4 bytes. Error: that of a sum of the products in f32,
    /// where the image is steep that of coordinates in f32: 2^-24 of their size. Images of f64 have coordinates and sums in f64.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::WarpOptions;
    /// let image = Array::from_shape(device, &[2, 2], &[0.0f32, 4.0, 8.0, 12.0]);
    /// let (x, y) = (device.array([0.5f32, 1.0, -1.0]), device.array([0.5f32, 0.25, 0.0]));
    /// let [x, y] = [x, y].map(|at| at.reshape(&[1, 3]));
    /// assert_eq!(image.remap(&x, &y, &WarpOptions::default()).to_vec()?, [6.0, 6.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::resize`]; coordinates of fewer than two axes, of shapes that do not broadcast to
    /// the images', or on another device; [`Resampling::Lanczos`] or [`Resampling::Area`].
    #[doc(alias = "map_coordinates")]
    #[doc(alias = "grid_sample")]
    #[track_caller]
    pub fn remap(&self, x: &Array<T::Sums>, y: &Array<T::Sums>, options: &WarpOptions<T>) -> Array<T> {
        let at = Location::caller();
        let remapped = || {
            let images = options.images("remap", self, at)?;
            let (x, y) = (x.check()?, y.check()?);
            if let Some(other) = [x, y].into_iter().find(|array| array.device() != self.device()) {
                let (wanted, got) = (format!("on {:?}", self.device()), format!("{:?}", other.device()));
                return Err(Error::argument("remap", "coordinates", wanted, got, at));
            }
            let shapes = [x.shape(), y.shape()];
            let both = broadcast_shapes(&shapes).filter(|both| both.len() >= 2);
            let Some(both) = both else {
                let wanted = "shapes that broadcast together, of two axes at least";
                return Err(Error::argument("remap", "coordinates", wanted, format!("{shapes:?}"), at));
            };
            let size = [both[both.len() - 2], both[both.len() - 1]];
            let results = images.results("remap", size, at)?;
            // Without the channels' axis, which they lack.
            let plane = &results.shape[..results.shape.len() - results.interleaved as usize];
            if broadcast_shapes(&[&both, plane]).is_none_or(|shape| shape != plane) {
                let wanted = format!("a shape that broadcasts to {plane:?}");
                return Err(Error::argument("remap", "coordinates", wanted, format!("{both:?}"), at));
            }
            let over = |array: &Array<T::Sums>| {
                let whole = array.broadcast_to(plane);
                if results.interleaved { whole.expand_dims(-1).broadcast_to(&results.shape) } else { whole }
            };
            images.sampled("remap", [over(y), over(x)], size, options, at)
        };
        Array::kept(self.device(), remapped())
    }
}

impl<T: Pixel> WarpOptions<T> {
    pub(super) fn images(&self, operation: &'static str, array: &Array<T>, at: CallSite) -> Result<Images<T>> {
        if !matches!(self.by, Resampling::Nearest | Resampling::Bilinear | Resampling::Bicubic) {
            let wanted = "Nearest, Bilinear or Bicubic";
            return Err(Error::argument(operation, "by", wanted, format!("{:?}", self.by), at));
        }
        Images::of(operation, array, self.axes, at)
    }
}

impl<T: Pixel> Images<T> {
    /// The extents of results of a size.
    pub(super) fn results(&self, operation: &'static str, size: [usize; 2], at: CallSite) -> Result<Extents> {
        if size.iter().any(|&extent| extent == 0 || extent > MOST) {
            let wanted = format!("1 to {MOST} rows and columns");
            return Err(Error::argument(operation, "size", wanted, format!("{size:?}"), at));
        }
        let results = self.extents.resized(size);
        create::fits(operation, T::Sums::DTYPE, &results.shape, at)?;
        Ok(results)
    }

    /// Read at these rows and columns, over the results' index space.
    pub(super) fn sampled(
        &self,
        operation: &'static str,
        coordinates: [Array<T::Sums>; 2],
        size: [usize; 2],
        options: &WarpOptions<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let (extents, results) = (self.extents.clone(), self.results(operation, size, at)?);
        if results.shape.contains(&0) {
            return Ok(self.back(Array::zeros(self.array.device(), &results.shape)));
        }
        let (by, boundary, pixels) = (options.by, options.boundary.boundary(), self.array.cast::<T::Sums>());
        let space = results.clone();
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let mut last = || inputs.pop().expect("the pixels, rows, columns, the epilogue");
            let (epilogue, columns, rows, expression) = (last(), last(), last(), last());
            let (extents, results, images) = (extents.clone(), space.clone(), None);
            let coordinates = [rows, columns];
            Box::new(Sample { expression, extents, coordinates, images, results, by, boundary, epilogue, output })
                as Box<dyn Op>
        };
        let [y, x] = &coordinates;
        let inputs = [(&*pixels.node, Take::Strided), (&*y.node, Take::Fused), (&*x.node, Take::Fused)];
        let sums = Task::going_on(&inputs, (results.shape, T::Sums::DTYPE), T::Sums::DTYPE, 2, make);
        let sums: Array<T::Sums> = Array::of(sums);
        Ok(self.back(Array::of_results(match options.outside {
            Some(value) => {
                past(&coordinates, self.extents.size()).select(T::Sums::rounded(value.scalar().to_f64()), sums)
            }
            None => sums,
        })))
    }
}

/// Whether rows and columns lie past the middles of the outermost pixels; those that are NaN do not.
fn past<R: Part>(coordinates: &[Array<R>; 2], size: [usize; 2]) -> Array<bool> {
    let [y, x] = [0, 1].map(|axis| {
        let (at, last) = (&coordinates[axis], R::rounded((size[axis] - 1) as f64));
        at.less(R::rounded(0.0)) | at.greater(last)
    });
    y | x
}
