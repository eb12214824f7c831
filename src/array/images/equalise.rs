//! Contrast by histograms: spread evenly over whole images, or over tiles with a limit.

use super::channels::numbers;
use super::place::Images;
use crate::array::shapes::PadMode;
use crate::array::{Array, axes};
use crate::element::DType;
use crate::graph::{Expr, Node, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Boundary, Extents, OutOfRange, Resampling, Sample};
use std::panic::Location;

/// Levels of a byte.
const LEVELS: usize = 256;

impl Array<u8> {
    /// The images with their levels spread evenly, each plane by its own histogram: OpenCV's `equalizeHist`. An image of one
    /// level stays. The axes are those of rows and of columns.
    ///
    /// Cost: a histogram, its sums, a table and a gather. f32 may round a level that lies between two to the other one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[1, 4], &[10u8, 10, 11, 12]);
    /// assert_eq!(image.histogram_equalise([-2, -1]).to_vec()?, [0, 0, 128, 255]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::resize`]; 2^24 planes or more.
    #[doc(alias = "equalizeHist")]
    #[track_caller]
    pub fn histogram_equalise(&self, axes: [isize; 2]) -> Array<u8> {
        let at = Location::caller();
        Array::kept(self.device(), self.equalised(axes, at))
    }

    fn equalised(&self, pixel_axes: [isize; 2], at: CallSite) -> Result<Array<u8>> {
        let images = Images::planar("histogram_equalise", self, pixel_axes, at)?;
        let (planes, [height, width]) = (images.extents.images(), images.extents.size());
        few("histogram_equalise", planes, height * width, at)?;
        if planes == 0 {
            return Ok(self.clone());
        }
        let first_level = leading(&images.array, 2) * LEVELS as u32;
        let place = images.array.cast::<u32>() + first_level;
        let below = place.bincount(planes * LEVELS).reshape(&[planes, LEVELS]).cumsum(-1);
        let lowest = below.equal(0).select(u32::MAX, &below).min_axes(axes(-1).keep_dims());
        // In OpenCV's order of operations: the lowest level becomes 0.
        let rest = (height * width) as u32 - &lowest;
        let scale = 255.0 / rest.maximum(1).cast::<f32>();
        let spread = (below.maximum(&lowest) - &lowest).cast::<f32>() * scale;
        let level = numbers(&below, below.shape(), 1).cast::<f32>();
        let table: Array<u8> = Array::of_results(rest.equal(0).select(level, spread));
        Ok(images.back(table.take(&place, OutOfRange::Clamp)))
    }

    /// Contrast-limited adaptive equalisation: each of so many tiles (rows, columns) is equalised, with counts cut off at a limit
    /// times their mean, and pixels interpolate between the tiles around. OpenCV's `createCLAHE(limit, tiles).apply`: the same
    /// padding, clipping and tables (Zuiderveld, Graphics Gems IV, 1994). A limit of 0 or less is none. The axes are those of
    /// rows and of columns; each plane is taken alone.
    ///
    /// Cost: a histogram of the tiles, two launches for their tables, and one that reads the pixels. f32 may round a level that
    /// lies between two to the other one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[8, 8], &(0..64).collect::<Vec<u8>>());
    /// let clear = image.clahe(2.0, [2, 2], [-2, -1]).to_vec()?;
    /// assert!(clear.iter().max() > Some(&150));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::histogram_equalise`]; no tiles, or more than pixels along an axis; a limit that is
    /// no number.
    #[doc(alias = "createCLAHE")]
    #[doc(alias = "equalize_adapthist")]
    #[track_caller]
    pub fn clahe(&self, limit: f64, tiles: [usize; 2], axes: [isize; 2]) -> Array<u8> {
        let at = Location::caller();
        Array::kept(self.device(), self.by_tiles(limit, tiles, axes, at))
    }

    fn by_tiles(&self, limit: f64, tiles: [usize; 2], axes: [isize; 2], at: CallSite) -> Result<Array<u8>> {
        let images = Images::planar("clahe", self, axes, at)?;
        let (planes, size) = (images.extents.images(), images.extents.size());
        if tiles.iter().zip(size).any(|(&tiles, extent)| tiles == 0 || tiles > extent) {
            let wanted = format!("1 to {} rows, 1 to {} columns of tiles", size[0], size[1]);
            return Err(Error::argument("clahe", "tiles", wanted, format!("{tiles:?}"), at));
        }
        if limit.is_nan() {
            return Err(Error::argument("clahe", "limit", "a number", "NaN", at));
        }
        few("clahe", planes * tiles[0] * tiles[1], size[0] * size[1], at)?;
        if planes == 0 {
            return Ok(self.clone());
        }
        // As OpenCV: where one axis has no whole tiles, both get more, a whole column of tiles' columns if need be.
        let whole = size[0] % tiles[0] == 0 && size[1] % tiles[1] == 0;
        let more = [0, 1].map(|axis| if whole { 0 } else { tiles[axis] - size[axis] % tiles[axis] });
        let extents = [(size[0] + more[0]) / tiles[0], (size[1] + more[1]) / tiles[1]];
        let flat = images.array.reshape(&[planes, size[0], size[1]]);
        let padded = flat.pad(&[(0, 0), (0, more[0]), (0, more[1])], PadMode::Reflect);
        let tables = tables(&padded, limit, tiles, extents);
        let levels = between(&flat, &tables, tiles, extents);
        Ok(images.back(levels.reshape(&images.extents.shape)))
    }
}

/// Whether there are few enough histograms, of few enough values that f32 counts them.
fn few(operation: &'static str, histograms: usize, pixels: usize, at: CallSite) -> Result<()> {
    match histograms < 1 << 24 && (pixels as u64) < 1 << 32 {
        true => Ok(()),
        false => {
            let got = format!("{histograms} of {pixels} pixels");
            Err(Error::argument(operation, "array", "fewer than 2^24 histograms, of fewer than 2^32 pixels", got, at))
        }
    }
}

/// The number of each value among the axes before the last so many, over the array's shape.
fn leading(array: &Array<u8>, last: usize) -> Array<u32> {
    let shape = array.shape().to_vec();
    let before = shape.len() - last;
    let strides = [Layout::contiguous(&shape[..before]).strides, vec![0; last]].concat();
    indices(array, Layout { shape, strides, offset: 0 })
}

fn indices(array: &Array<u8>, layout: Layout) -> Array<u32> {
    Array::of(Node::lazy(array.device(), layout.shape.clone(), DType::U32, Expr::Index(layout)))
}

/// The level that each level becomes in each tile: `[plane, tile's row, tile's column, level]`.
fn tables(padded: &Array<u8>, limit: f64, tiles: [usize; 2], [high, wide]: [usize; 2]) -> Array<f32> {
    let planes = padded.shape()[0];
    let shape = vec![planes, tiles[0], high, tiles[1], wide];
    let strides = vec![(tiles[0] * tiles[1]) as isize, tiles[1] as isize, 0, 1, 0];
    let (pixels, count) = (padded.reshape(&shape), planes * tiles[0] * tiles[1]);
    let tile = indices(padded, Layout { shape, strides, offset: 0 });
    let place = pixels.cast::<u32>() + tile * LEVELS as u32;
    let mut counts = place.bincount(count * LEVELS).reshape(&[count, LEVELS]);
    if limit > 0.0 {
        let most = (limit * (high * wide) as f64 / LEVELS as f64).clamp(1.0, u32::MAX as f64) as u32;
        let kept = counts.minimum(most);
        let cut = (&counts - &kept).sum_axes(axes(-1).keep_dims());
        // What was cut off goes to all levels, and its remainder to levels at equal steps.
        let rest = &cut % LEVELS as u32;
        let step = (LEVELS as u32 / rest.maximum(1)).maximum(1);
        let level = numbers(&counts, counts.shape(), 1);
        let one_more = (&level % &step).equal(0).select((&level / &step).less(&rest).cast::<u32>(), 0);
        counts = kept + cut / LEVELS as u32 + one_more;
    }
    let scale = 255.0 / (high * wide) as f32;
    let levels = (counts.cumsum(-1).cast::<f32>() * scale).round().clamp(0.0, 255.0);
    levels.reshape(&[planes, tiles[0], tiles[1], LEVELS])
}

/// Each pixel's level in the tables of the four tiles around, interpolated: an image for each level, of tiles as pixels.
fn between(flat: &Array<u8>, tables: &Array<f32>, tiles: [usize; 2], extents: [usize; 2]) -> Array<u8> {
    let planes = flat.shape()[0];
    let images = tables.move_axis(-1, 1).reshape(&[planes * LEVELS, tiles[0], tiles[1]]);
    let number = flat.cast::<u32>() + leading(flat, 2) * LEVELS as u32;
    let [y, x] =
        [1, 2].map(|axis| numbers(flat, flat.shape(), axis).cast::<f32>() * (1.0 / extents[axis - 1] as f32) - 0.5);
    let from = Extents { shape: images.shape().to_vec(), interleaved: false };
    let results = Extents { shape: flat.shape().to_vec(), interleaved: false };
    let shape = results.shape.clone();
    let make = move |mut inputs: Vec<Expression>, output: usize| {
        let mut last = || inputs.pop().expect("the tables, numbers, rows, columns, the epilogue");
        let (epilogue, columns, rows, images, expression) = (last(), last(), last(), Some(last()), last());
        let (extents, results, coordinates) = (from.clone(), results.clone(), [rows, columns]);
        let (by, boundary) = (Resampling::Bilinear, Boundary::Edge);
        Box::new(Sample { expression, extents, coordinates, images, results, by, boundary, epilogue, output })
            as Box<dyn Op>
    };
    let fused = [&number.node, &y.node, &x.node].map(|node| (&**node, Take::Fused));
    let inputs = [vec![(&*images.node, Take::Strided)], fused.to_vec()].concat();
    let levels = Task::going_on(&inputs, (shape, DType::F32), DType::F32, 2, make);
    Array::of_results(Array::of(levels))
}
