//! Footprints: which neighbours of a value a filter takes.

use super::per_axis::{PerAxis, sides};
use crosslane_core::error::{CallSite, Error, Result};

/// The most axes of footprints.
const AXES: usize = 3;
/// The longest extent.
const LONGEST: usize = super::neighbours::REACH;

/// Which neighbours of a value a filter takes: a box, or a small mask, along an array's last one to three axes. Its middle is at
/// the value; of an even extent the middle is the place after the half, as in SciPy. OpenCV's and scikit-image's structuring
/// elements.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{Footprint, PadMode};
/// let mut image = Array::<i32>::zeros(device, &[5, 5]);
/// image.write(12, &[1])?;
/// let grown = |footprint: &Footprint| image.dilate(footprint, PadMode::Edge).sum().item();
/// assert_eq!(grown(&Footprint::of_box([3, 3]))?, 9);
/// assert_eq!(grown(&Footprint::cross(2))?, 5);
/// assert_eq!(grown(&Footprint::disk(2))?, 13);
/// assert_eq!(grown(&Footprint::mask([1, 3], &[true, false, true]))?, 2);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "structuring_element")]
pub struct Footprint {
    shape: Vec<usize>,
    /// `None`: all.
    mask: Option<Vec<bool>>,
    origin: PerAxis<isize>,
}

impl Footprint {
    /// All neighbours within a box of this shape: OpenCV's `MORPH_RECT`.
    pub fn of_box(shape: impl Into<Vec<usize>>) -> Footprint {
        Footprint::new(shape.into(), None)
    }

    /// The neighbours where a mask of this shape is true, in row-major order. A mask of another length is an error of the filter
    /// that is given it.
    pub fn mask(shape: impl Into<Vec<usize>>, mask: &[bool]) -> Footprint {
        Footprint::new(shape.into(), Some(mask.to_vec()))
    }

    /// A value and its direct neighbours along so many axes: SciPy's `generate_binary_structure(axes, 1)`, OpenCV's
    /// `MORPH_CROSS` of 3 by 3. More than three axes are an error of the filter that is given it.
    pub fn cross(axes: usize) -> Footprint {
        let places = 3usize.pow(axes.min(AXES + 1) as u32);
        let apart =
            |place: usize| (0..axes.min(AXES + 1)).filter(|&axis| place / 3usize.pow(axis as u32) % 3 != 1).count();
        Footprint::new(vec![3; axes.min(AXES + 1)], Some((0..places).map(|place| apart(place) <= 1).collect()))
    }

    /// The neighbours in a plane not farther away than the radius: scikit-image's `disk`. A radius past 2^10 is an error of the
    /// filter that is given it.
    pub fn disk(radius: usize) -> Footprint {
        let known = radius.min(1 << 10) as i64;
        let inside = |y: i64| (-known..=known).map(move |x| y * y + x * x <= known * known);
        let extent = radius.saturating_mul(2).saturating_add(1);
        Footprint::new(vec![extent; 2], Some((-known..=known).flat_map(inside).collect()))
    }

    fn new(shape: Vec<usize>, mask: Option<Vec<bool>>) -> Footprint {
        Footprint { shape, mask, origin: 0.into() }
    }

    /// By how many places it lies before the middle along each of its axes, or along all of them ([`PerAxis`]): SciPy's `origin`.
    /// Negative numbers shift it the other way. A dilation's is mirrored with it, as in SciPy. A box that does not have the value
    /// is an error of the filter that is given it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// let before = Footprint::of_box([3]).origin(1);
    /// assert_eq!(x.erode(&before, PadMode::Edge).to_vec()?, [3, 1, 1, 1, 1]);
    /// assert_eq!(x.dilate(&before, PadMode::Edge).to_vec()?, [4, 4, 5, 5, 5]);
    /// # Ok(()) });
    /// ```
    pub fn origin(self, origin: impl Into<PerAxis<isize>>) -> Footprint {
        Footprint { origin: origin.into(), ..self }
    }

    /// How many places its box has before the value and after it, along each axis, if an array of this rank can be filtered with it.
    pub(super) fn sides(&self, operation: &'static str, rank: usize, at: CallSite) -> Result<Vec<[usize; 2]>> {
        let extents = self.extents(operation, rank, at)?;
        let origins = self.origin.of(operation, "origin", extents.len(), at)?;
        extents.iter().zip(origins).map(|(&extent, origin)| sides(operation, extent, origin, at)).collect()
    }

    /// The extents, if an array of this rank can be filtered with it.
    pub(super) fn extents(&self, operation: &'static str, rank: usize, at: CallSite) -> Result<&[usize]> {
        let most = AXES.min(rank);
        let fits = (1..=most).contains(&self.shape.len())
            && self.shape.iter().all(|extent| (1..=LONGEST).contains(extent))
            && self.mask.as_ref().is_none_or(|mask| {
                mask.contains(&true) && self.shape.iter().try_fold(1usize, |n, &e| n.checked_mul(e)) == Some(mask.len())
            });
        if fits {
            return Ok(&self.shape);
        }
        let mask = self.mask.as_ref().map_or("a box".into(), |mask| {
            format!("a mask of {} values, {} of them true", mask.len(), mask.iter().filter(|&&own| own).count())
        });
        let wanted = format!("a box of 1 to {most} axes, or a mask of its shape that is true somewhere");
        Err(Error::argument(operation, "footprint", wanted, format!("{:?}, {mask}", self.shape), at))
    }

    /// Whether it has all neighbours of its box.
    pub(super) fn is_box(&self) -> bool {
        self.mask.as_ref().is_none_or(|mask| !mask.contains(&false))
    }

    /// How many neighbours it has.
    pub(super) fn count(&self) -> usize {
        match &self.mask {
            Some(mask) => mask.iter().filter(|&&own| own).count(),
            None => self.shape.iter().fold(1, |count, &extent| count.saturating_mul(extent)),
        }
    }

    /// Its neighbours relative to the value, along the last three axes; of a box of few. It has so many before it.
    pub(super) fn points(&self, sides: &[[usize; 2]]) -> Vec<[i32; 3]> {
        let axes = self.shape.len();
        let point = |place: usize| {
            let (mut rest, mut point) = (place, [0; 3]);
            for axis in (0..axes).rev() {
                let extent = self.shape[axis];
                point[3 - axes + axis] = (rest % extent) as i32 - sides[axis][0] as i32;
                rest /= extent;
            }
            point
        };
        let own = |place: &usize| self.mask.as_ref().is_none_or(|mask| mask[*place]);
        (0..self.shape.iter().product()).filter(own).map(point).collect()
    }
}
