//! Images moved by affine and perspective maps, and rotated.

use super::place::Images;
use super::{Pixel, WarpOptions};
use crate::array::Array;
use crate::device::Device;
use crate::element::{DType, Part};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_ops::Extents;
use std::panic::Location;

impl<T: Pixel> Array<T> {
    /// The images moved by an affine map of points `(x, y)`: a pixel at `x, y` comes to `m00 x + m01 y + m02, m10 x + m11 y +
    /// m12`. OpenCV's `warpAffine`; as there, results are read at the inverse map, which is computed on the host in f64. The
    /// result has so many rows and columns. See [`Array::remap`], which reads pixels, for weights, edges and errors.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::WarpOptions;
    /// let image = Array::from_shape(device, &[2, 2], &[1.0f32, 2.0, 3.0, 4.0]);
    /// let down = [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    /// assert_eq!(image.warp_affine(down, [3, 2], &WarpOptions::default()).to_vec()?, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::remap`]; a map without an inverse.
    #[doc(alias = "affine_transform")]
    #[track_caller]
    pub fn warp_affine(&self, map: [[f64; 3]; 2], size: [usize; 2], options: &WarpOptions<T>) -> Array<T> {
        let whole = [map[0], map[1], [0.0, 0.0, 1.0]];
        self.warped("warp_affine", whole, size, options, Location::caller())
    }

    /// The images moved by a perspective map of points: as [`Array::warp_affine`], where both coordinates are then divided by
    /// `m20 x + m21 y + m22`. OpenCV's `warpPerspective`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::WarpOptions;
    /// let image = Array::from_shape(device, &[1, 4], &[1.0f32, 2.0, 3.0, 4.0]);
    /// let half = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
    /// assert_eq!(image.warp_perspective(half, [1, 2], &WarpOptions::default()).to_vec()?, [1.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::warp_affine`].
    #[doc(alias = "homography")]
    #[track_caller]
    pub fn warp_perspective(&self, map: [[f64; 3]; 3], size: [usize; 2], options: &WarpOptions<T>) -> Array<T> {
        self.warped("warp_perspective", map, size, options, Location::caller())
    }

    /// The images rotated about their middles by so many degrees, anticlockwise, in their own size: scikit-image's `rotate`, and
    /// SciPy's with `reshape=False` and an order of 0 or 1: as `mode="grid-constant"`, and with [`WarpOptions::outside`] as
    /// `mode="constant"`. See [`Array::remap`] for weights, edges and errors.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Resampling, WarpOptions};
    /// let image = Array::from_shape(device, &[2, 2], &[1.0f32, 2.0, 3.0, 4.0]);
    /// let nearest = WarpOptions::default().by(Resampling::Nearest);
    /// assert_eq!(image.rotate(90.0, &nearest).to_vec()?, [2.0, 4.0, 1.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::remap`]; an angle that is not finite.
    #[track_caller]
    pub fn rotate(&self, degrees: f64, options: &WarpOptions<T>) -> Array<T> {
        self.turned(degrees, false, options, Location::caller())
    }

    /// As [`Array::rotate`], in a size that holds all of the image: SciPy's with `reshape=True`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::WarpOptions;
    /// let image = Array::<f32>::ones(device, &[20, 10]);
    /// assert_eq!(image.rotate_grown(90.0, &WarpOptions::default()).shape(), [10, 20]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rotate`].
    #[track_caller]
    pub fn rotate_grown(&self, degrees: f64, options: &WarpOptions<T>) -> Array<T> {
        self.turned(degrees, true, options, Location::caller())
    }

    fn turned(&self, degrees: f64, grown: bool, options: &WarpOptions<T>, at: CallSite) -> Array<T> {
        let operation = if grown { "rotate_grown" } else { "rotate" };
        let turned = || {
            let images = options.images(operation, self, at)?;
            if !degrees.is_finite() {
                return Err(Error::argument(operation, "degrees", "a finite number", degrees.to_string(), at));
            }
            let (sin, cos) = sin_cos(degrees);
            let from = images.extents.size();
            let [height, width] = from.map(|extent| extent as f64);
            let size = match grown {
                true => [width * sin.abs() + height * cos.abs(), width * cos.abs() + height * sin.abs()]
                    .map(|extent| ((extent + 0.5) as usize).max(1)),
                false => from,
            };
            // From results to pixels: about the middle of both.
            let middle = |extents: [usize; 2]| extents.map(|extent| (extent as f64 - 1.0) / 2.0);
            let ([y0, x0], [y1, x1]) = (middle(from), middle(size));
            let map = [[cos, -sin, x0 - cos * x1 + sin * y1], [sin, cos, y0 - sin * x1 - cos * y1], [0.0, 0.0, 1.0]];
            images.read_at(operation, map, size, options, at)
        };
        Array::kept(self.device(), turned())
    }

    fn warped(
        &self,
        operation: &'static str,
        map: [[f64; 3]; 3],
        size: [usize; 2],
        options: &WarpOptions<T>,
        at: CallSite,
    ) -> Array<T> {
        let warped = || {
            let images = options.images(operation, self, at)?;
            let Some(inverse) = inverted(map) else {
                return Err(Error::argument(operation, "map", "a map that has an inverse", format!("{map:?}"), at));
            };
            images.read_at(operation, inverse, size, options, at)
        };
        Array::kept(self.device(), warped())
    }
}

impl<T: Pixel> Images<T> {
    /// Read where a map of results' points says.
    fn read_at(
        &self,
        operation: &'static str,
        map: [[f64; 3]; 3],
        size: [usize; 2],
        options: &WarpOptions<T>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let results = self.results(operation, size, at)?;
        let [y, x] = places::<T::Sums>(self.array.device(), &results);
        let number = T::Sums::rounded;
        let line = |[a, b, c]: [f64; 3]| x.multiply_add(number(a), y.multiply_add(number(b), number(c)));
        let coordinates = match map[2] {
            [0.0, 0.0, 1.0] => [line(map[1]), line(map[0])],
            depth => {
                let depth = line(depth);
                [line(map[1]) / &depth, line(map[0]) / &depth]
            }
        };
        self.sampled(operation, coordinates, size, options, at)
    }
}

/// The row and the column of each result, which take no memory.
fn places<R: Part>(device: &Device, results: &Extents) -> [Array<R>; 2] {
    let last = results.shape.len() - 1 - results.interleaved as usize;
    [last - 1, last].map(|axis| {
        let mut strides = vec![0; results.shape.len()];
        strides[axis] = 1;
        let layout = Layout { shape: results.shape.clone(), strides, offset: 0 };
        Array::<u32>::of(Node::lazy(device, results.shape.clone(), DType::U32, Expr::Index(layout))).cast()
    })
}

/// Exact for quarters of a turn.
fn sin_cos(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        degrees => degrees.to_radians().sin_cos(),
    }
}

/// The inverse map, by cofactors; of an affine one an affine one.
fn inverted(map: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |row: usize, column: usize| {
        let [r0, r1, c0, c1] = [(row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3];
        map[r0][c0] * map[r1][c1] - map[r0][c1] * map[r1][c0]
    };
    let determinant: f64 = (0..3).map(|column| map[0][column] * minor(0, column)).sum();
    let inverse = [0, 1, 2].map(|row| [0, 1, 2].map(|column| minor(column, row) / determinant));
    let finite = inverse.iter().flatten().all(|number| number.is_finite() && number.abs() <= f32::MAX as f64);
    (determinant != 0.0 && finite).then_some(inverse)
}
