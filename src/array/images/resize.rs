//! Images of another size.

use super::place::{INTERLEAVED, Images, MOST, PLANAR};
use super::{Pixel, Resampling};
use crate::array::{Array, create};
use crate::device::Device;
use crate::element::{Class, DType, Element, Part};
use crate::graph::{Handle, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_core::recent::Recent;
use crosslane_ops::{Extents, Resample, Table};
use std::panic::Location;
use std::sync::{Arc, LazyLock};

/// How [`Array::resize`] weighs pixels, and which axes it resizes.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{Resampling, ResizeOptions};
/// let colours = Array::from_shape(device, &[1, 2, 3], &[0u8, 10, 20, 100, 110, 120]);
/// let options = ResizeOptions::default().by(Resampling::Nearest).interleaved();
/// assert_eq!(colours.resize([1, 4], &options).to_vec()?, [0, 10, 20, 0, 10, 20, 100, 110, 120, 100, 110, 120]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct ResizeOptions {
    by: Resampling,
    antialias: bool,
    axes: [isize; 2],
}

impl Default for ResizeOptions {
    fn default() -> ResizeOptions {
        ResizeOptions { by: Resampling::default(), antialias: true, axes: PLANAR }
    }
}

impl ResizeOptions {
    /// How pixels are weighed: without it by [`Resampling::Bilinear`].
    pub fn by(self, by: Resampling) -> ResizeOptions {
        ResizeOptions { by, ..self }
    }

    /// Whether an image that shrinks is smoothed first, so that all of its pixels count: without it yes.
    pub fn antialias(self, antialias: bool) -> ResizeOptions {
        ResizeOptions { antialias, ..self }
    }

    /// The axes of rows and of columns: without it the last two.
    pub fn axes(self, axes: [isize; 2]) -> ResizeOptions {
        ResizeOptions { axes, ..self }
    }

    /// Channels are the last axis, rows and columns the two before it.
    pub fn interleaved(self) -> ResizeOptions {
        self.axes(INTERLEAVED)
    }
}

impl<T: Pixel> Array<T> {
    /// The images in another size: rows, then columns. All axes but two are images side by side.
    ///
    /// With antialiasing as Pillow's `resize` and the crate `image`: where the image shrinks, the function that weighs pixels is
    /// stretched by the scale, and at the edges only pixels of the image count. Without it as OpenCV's `resize`: the function has
    /// its own size, and edge pixels are continued. [`Resampling::Bicubic`] has Keys' parameter -0.5 with antialiasing and -0.75
    /// without, as these have. [`Resampling::Nearest`] takes the pixel under the middle of the result's: as Pillow, and OpenCV's
    /// `INTER_NEAREST_EXACT`, which differs from its `INTER_NEAREST`. [`Resampling::Area`] is OpenCV's `INTER_AREA` where the
    /// image shrinks; where it grows, OpenCV interpolates, and this still takes the mean over the area. Of `u8` and `u16` what
    /// [`Resampling::Bicubic`] and [`Resampling::Lanczos`] overshoot is cut with antialiasing after each axis, in the order of
    /// Pillow 13; else they are rounded once in the end, where Pillow rounds after each axis. Pillow's weights have 22 bits:
    /// results may differ by 1.
    ///
    /// Elementwise work before and after fuses. Cost: one launch for windows of at most 16 pixels along each axis (8 on software
    /// drivers), else two, with an image of sums between, or of pixels where those are cut; one more for `u8` and `u16` where a
    /// row ends within 4 bytes. The tables of weights are computed in f64 on the host, and kept. Error: that of a sum of the products in f32 (of f64 in f64), each
    /// weight rounded once. A pixel that is infinite or NaN reaches as far as the longest window does.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Resampling, ResizeOptions};
    /// let image = Array::from_shape(device, &[2, 2], &[0.0f32, 4.0, 8.0, 12.0]);
    /// let area = ResizeOptions::default().by(Resampling::Area);
    /// assert_eq!(image.resize([1, 1], &area).to_vec()?, [6.0]);
    /// assert_eq!(image.resize([1, 4], &ResizeOptions::default()).to_vec()?, [4.0, 5.0, 7.0, 8.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): fewer than two axes; an axis out of range, or given twice; no pixels, more than 2^24 along an
    /// axis, or more bytes than a kernel binds.
    #[doc(alias = "imresize")]
    #[track_caller]
    pub fn resize(&self, size: [usize; 2], options: &ResizeOptions) -> Array<T> {
        let at = Location::caller();
        Array::kept(self.device(), self.resized(size, options, at))
    }

    fn resized(&self, size: [usize; 2], options: &ResizeOptions, at: CallSite) -> Result<Array<T>> {
        let images = Images::of("resize", self, options.axes, at)?;
        if size.iter().any(|&extent| extent == 0 || extent > MOST) {
            let wanted = format!("1 to {MOST} rows and columns");
            return Err(Error::argument("resize", "size", wanted, format!("{size:?}"), at));
        }
        let (from, results) = (images.extents.size(), images.extents.resized(size));
        if from == size {
            return Ok(self.clone());
        }
        create::fits("resize", T::Sums::DTYPE, &results.shape, at)?;
        if results.shape.contains(&0) {
            return Ok(images.back(Array::zeros(self.device(), &results.shape)));
        }
        let tables = [0, 1].map(|axis| table(from[axis], size[axis], options));
        let [rows, columns] = tables;
        let overshoots = options.antialias && matches!(options.by, Resampling::Bicubic | Resampling::Lanczos);
        if overshoots && T::DTYPE.class() == Class::Unsigned && rows.is_some() && columns.is_some() {
            let by_rows = ([size[0], from[1]], [rows.clone(), None]);
            let by_columns = ([from[0], size[1]], [None, columns.clone()]);
            let ((between, first), (_, last)) =
                if rows_first(from, size) { (by_rows, by_columns) } else { (by_columns, by_rows) };
            let sums = resampled(&images.array.cast(), images.extents.clone(), between, &first);
            // In memory: each pixel is read by several results.
            let cut = Array::<T>::of_results(sums).copy();
            let sums = resampled(&cut.cast(), images.extents.resized(between), size, &last);
            return Ok(images.back(Array::of_results(sums)));
        }
        let sums = resampled(&images.array.cast(), images.extents.clone(), size, &[rows, columns]);
        Ok(images.back(Array::of_results(sums)))
    }
}

/// Whether rows are resized before columns where pixels are cut in between: Pillow's order, as 5,696 images of up to 40 by 40 pixels
/// in random sizes show (Pillow 13.0.0).
fn rows_first(from: [usize; 2], size: [usize; 2]) -> bool {
    let fewer = |axis: usize| from[axis] as i64 - size[axis] as i64;
    fewer(0) > 0 && fewer(0) > 2 * fewer(1)
}

/// A table's numbers, and how many windows of how many pixels there are.
struct Held {
    taps: usize,
    windows: usize,
    numbers: Vec<f64>,
}

/// The tables of rows and of columns in memory, for pixels of this type.
fn held<R: Part>(device: &Device, tables: &[Option<Arc<Held>>; 2]) -> Handle {
    let tables = tables.iter().flatten();
    match R::DTYPE {
        DType::F64 => {
            Array::from_slice(device, &tables.flat_map(|table| table.numbers.clone()).collect::<Vec<f64>>()).node
        }
        _ => {
            let words: Vec<u32> = tables.flat_map(|table| Table::words(&table.numbers, table.windows)).collect();
            Array::from_slice(device, &words).node
        }
    }
}

/// Tables that are kept: those of Lanczos' function take longer on the host than the image on a card.
const KEPT: usize = 32;

type Key = (usize, usize, Resampling, bool);
static TABLES: LazyLock<Recent<Key, Arc<Held>>> = LazyLock::new(|| Recent::new(KEPT));

/// Along one axis, if it has another extent.
fn table(from: usize, to: usize, options: &ResizeOptions) -> Option<Arc<Held>> {
    let key = (from, to, options.by, options.antialias);
    if let Some(held) = TABLES.get(&key) {
        return Some(held);
    }
    let table = Table::of(from, to, options.by, options.antialias)?;
    Some(TABLES.keep(key, Arc::new(Held { taps: table.taps, windows: to, numbers: table.numbers() })))
}

fn resampled<R: Part>(
    pixels: &Array<R>,
    extents: Extents,
    size: [usize; 2],
    tables: &[Option<Arc<Held>>; 2],
) -> Array<R> {
    let taps = tables.each_ref().map(|table| table.as_ref().map_or(0, |table| table.taps));
    let tables = held::<R>(pixels.device(), tables);
    let results = extents.resized(size);
    let make = move |mut inputs: Vec<Expression>, output: usize| {
        let mut last = || inputs.pop().expect("the pixels, the tables, the epilogue");
        let (epilogue, tables, expression) = (last(), last(), last());
        let extents = extents.clone();
        Box::new(Resample { expression, extents, tables, taps, size, epilogue, output }) as Box<dyn Op>
    };
    let inputs = [(&*pixels.node, Take::Fused), (&*tables, Take::Dense)];
    Array::of(Task::going_on(&inputs, (results.shape, R::DTYPE), R::DTYPE, 2, make))
}
