//! Slices: ranges, indices and steps, and the layout that they select.

use crate::array::Array;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use std::fmt;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A selection along one axis: a range with a step, or one index. Negative numbers count from the end. Numbers may be
/// of any integer type: `isize`, `usize`, and those of 32 and 64 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    start: Option<isize>,
    end: Option<isize>,
    step: isize,
    index: bool,
}

impl Slice {
    /// Every `step`-th element; a negative step goes backwards from the end of the range.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::Slice;
    /// let x = Array::arange(device, 0, 6, 1);
    /// assert_eq!(x.slice(&[Slice::from(1..5).step(-2)]).to_vec()?, [4, 2]);
    /// # Ok(()) });
    /// ```
    pub fn step(self, step: isize) -> Slice {
        Slice { step, ..self }
    }

    /// First element, step and count for an axis of this extent; the reason if it does not fit.
    fn resolve(self, extent: usize) -> Result<(usize, isize, usize), String> {
        let length = extent as isize;
        let place = |x: isize| if x < 0 { x + length } else { x };
        let (start, end) = (place(self.start.unwrap_or(0)), self.end.map_or(length, place));
        if self.index {
            return match (0..length).contains(&start) {
                true => Ok((start as usize, 1, 1)),
                false => Err(format!("index {}", self.start.unwrap_or(0))),
            };
        }
        if self.step == 0 || start < 0 || start > length || end < 0 || end > length {
            return Err(format!("{self:?}"));
        }
        let count = if end > start { (end - start) as usize } else { 0 };
        let taken = count.div_ceil(self.step.unsigned_abs());
        let first = if self.step > 0 || count == 0 { start } else { end - 1 };
        Ok((first as usize, self.step, taken))
    }
}

/// As it is written in [`crate::s!`]: `0..5`, `1..;-2`, `3`.
impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |place: Option<isize>| place.map_or(String::new(), |place| place.to_string());
        match (self.index, self.step) {
            (true, _) => write!(f, "{}", bound(self.start)),
            (false, 1) => write!(f, "{}..{}", bound(self.start), bound(self.end)),
            (false, step) => write!(f, "{}..{};{step}", bound(self.start), bound(self.end)),
        }
    }
}

/// Past the range of `isize` there is no element: the nearest number has none either.
fn nearest(place: impl TryInto<isize> + PartialOrd + Default) -> isize {
    let least = if place < Default::default() { isize::MIN } else { isize::MAX };
    place.try_into().unwrap_or(least)
}

/// The end after a last place. After -1 there is none: 0 would be the first place.
fn after(last: isize) -> Option<isize> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

macro_rules! slices {
    ($($from:ty: |$r:ident| $start:expr, $end:expr, $index:expr;)*) => {$(
        impl From<$from> for Slice {
            fn from($r: $from) -> Slice {
                Slice { start: $start, end: $end, step: 1, index: $index }
            }
        }
    )*};
    (of $($int:ty)*) => {$(
        slices! {
            Range<$int>: |r| Some(nearest(r.start)), Some(nearest(r.end)), false;
            RangeFrom<$int>: |r| Some(nearest(r.start)), None, false;
            RangeTo<$int>: |r| None, Some(nearest(r.end)), false;
            RangeInclusive<$int>: |r| Some(nearest(*r.start())), after(nearest(*r.end())), false;
            RangeToInclusive<$int>: |r| None, after(nearest(r.end)), false;
            $int: |r| Some(nearest(r)), None, true;
        }
    )*};
}

// Of i32 too, which bare numbers are.
slices!(of isize usize i32 u32 i64 u64);
slices! { RangeFull: |_r| None, None, false; }

/// Slices for [`Array::slice`]: ranges, indices, and ranges with a step after a semicolon.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, s};
/// let x = Array::arange(device, 0, 12, 1).reshape(&[3, 4]);
/// assert_eq!(x.slice(s![1.., 0]).to_vec()?, [4, 8]);
/// assert_eq!(x.slice(s![-1, ..;-1]).to_vec()?, [11, 10, 9, 8]);
/// let rows = x.shape()[0]; // a usize: any integer will do
/// assert_eq!(x.slice(s![rows - 1, 0..2usize]).to_vec()?, [8, 9]);
/// let error = x.slice(s![.., 0..5]).to_vec().unwrap_err();
/// assert!(error.to_string().contains("slice of axis 1: wanted inside 0..4, step not 0, got 0..5"));
/// # Ok(()) });
/// ```
///
/// A range past the end is an error, as in Rust; NumPy clamps it. Write `s![..n.min(x.len())]` for NumPy's behaviour.
#[macro_export]
macro_rules! s {
    ($($range:expr $(; $step:expr)?),* $(,)?) => {
        &{
            #[allow(clippy::reversed_empty_ranges, reason = "1..-1 is a range here: negative numbers count from the end")]
            let slices = [$($crate::array::Slice::from($range)$(.step($step))?),*];
            slices
        }
    };
}

impl<T: Element> Array<T> {
    pub(crate) fn resolve(&self, operation: &'static str, slices: &[Slice], at: CallSite) -> Result<Vec<Resolved>> {
        if slices.len() > self.rank() {
            let (wanted, got) =
                (format!("at most {} for shape {:?}", self.rank(), self.shape()), slices.len().to_string());
            return Err(Error::argument(operation, "slices", wanted, got, at));
        }
        let each = |(axis, slice): (usize, &Slice)| {
            let extent = self.shape()[axis];
            let (start, step, len) = slice.resolve(extent).map_err(|got| {
                Error::argument(
                    operation,
                    format!("slice of axis {axis}"),
                    format!("inside 0..{extent}, step not 0"),
                    got,
                    at,
                )
            })?;
            Ok(Resolved { start, step, len, index: slice.index })
        };
        slices.iter().enumerate().map(each).collect()
    }
}

/// A slice made fit for its axis.
pub(crate) struct Resolved {
    start: usize,
    step: isize,
    len: usize,
    index: bool,
}

/// The layout of a slice.
pub(crate) fn apply(layout: &Layout, ranges: &[Resolved]) -> Layout {
    let mut view = layout.clone();
    for (axis, range) in ranges.iter().enumerate() {
        view = view.slice(axis, range.start, range.step, range.len);
    }
    for axis in (0..ranges.len()).rev().filter(|&axis| ranges[axis].index) {
        view.shape.remove(axis);
        view.strides.remove(axis);
    }
    view
}
