//! What a filter has for each axis: boundaries, sizes, origins; ends that are continued by another boundary along each axis.

use super::neighbours::REACH;
use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use std::fmt::Debug;

/// A value for all axes of a filter, or one for each: in the order of the axes that the filter is given, or of the last axes
/// where it has windows along these. SciPy's arguments that are a number or a sequence.
///
/// Functions take everything that converts to it: the value itself, an array, a slice or a `Vec` of values.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::PadMode;
/// let x = Array::from_shape(device, &[2, 2], &[1.0f32, 2.0, 3.0, 6.0]);
/// let around = x.maximum_filter([3, 1], .., [PadMode::Constant(9.0), PadMode::Edge]);
/// assert_eq!(around.to_vec()?, [9.0, 9.0, 9.0, 9.0]);
/// let mean = x.uniform_filter(2, .., [PadMode::Edge, PadMode::Wrap]);
/// crosslane::assert_close(&mean.to_vec()?, &[1.5, 1.5, 3.0, 3.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PerAxis<V>(Given<V>);

#[derive(Clone, Debug, PartialEq)]
enum Given<V> {
    All(V),
    Each(Vec<V>),
}

impl<V> From<V> for PerAxis<V> {
    fn from(value: V) -> PerAxis<V> {
        PerAxis(Given::All(value))
    }
}

impl<V> From<Vec<V>> for PerAxis<V> {
    fn from(values: Vec<V>) -> PerAxis<V> {
        PerAxis(Given::Each(values))
    }
}

impl<V: Clone> From<&[V]> for PerAxis<V> {
    fn from(values: &[V]) -> PerAxis<V> {
        PerAxis::from(values.to_vec())
    }
}

impl<V, const N: usize> From<[V; N]> for PerAxis<V> {
    fn from(values: [V; N]) -> PerAxis<V> {
        PerAxis(Given::Each(values.into()))
    }
}

impl<V: Copy + Debug> PerAxis<V> {
    /// The values of so many axes.
    pub(super) fn of(&self, operation: &'static str, argument: &str, axes: usize, at: CallSite) -> Result<Vec<V>> {
        match &self.0 {
            Given::All(value) => Ok(vec![*value; axes]),
            Given::Each(values) if values.len() == axes => Ok(values.clone()),
            Given::Each(values) => {
                let wanted = format!("one for all axes, or one for each of {axes}");
                Err(Error::argument(operation, argument, wanted, format!("{values:?}"), at))
            }
        }
    }
}

/// The sizes of a filter's windows, one for all axes or one for each ([`PerAxis`]), and where in a window its value is.
///
/// Functions take everything that converts to it: a number, an array, a slice or a `Vec` of numbers.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{PadMode, Sizes};
/// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
/// let before = x.maximum_filter(Sizes::from(3).origin(1), 0, PadMode::Edge);
/// assert_eq!(before.to_vec()?, [3, 3, 4, 4, 5]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    sizes: PerAxis<usize>,
    origin: PerAxis<isize>,
}

impl Sizes {
    /// By how many places windows lie before the middle, along each axis: SciPy's `origin`. Without it 0: the middle of a window
    /// is at its value, of an even size the place after the half. Negative numbers shift windows the other way. A window
    /// that does not have its value is an error of the filter.
    pub fn origin(self, origin: impl Into<PerAxis<isize>>) -> Sizes {
        Sizes { origin: origin.into(), ..self }
    }

    /// The size of windows along each of so many axes.
    pub(super) fn of(&self, operation: &'static str, axes: usize, at: CallSite) -> Result<Vec<usize>> {
        let sizes = self.sizes.of(operation, "size", axes, at)?;
        match sizes.iter().find(|size| !(1..=REACH).contains(*size)) {
            None => Ok(sizes),
            Some(size) => Err(Error::argument(operation, "size", "windows of 1 to 2^28 values", size.to_string(), at)),
        }
    }

    /// The origin along each of so many axes.
    pub(super) fn origins(&self, operation: &'static str, axes: usize, at: CallSite) -> Result<Vec<isize>> {
        self.origin.of(operation, "origin", axes, at)
    }

    /// How many values windows have before and after theirs, along each of so many axes.
    pub(super) fn sides(&self, operation: &'static str, axes: usize, at: CallSite) -> Result<Vec<[usize; 2]>> {
        let (sizes, origins) = (self.of(operation, axes, at)?, self.origins(operation, axes, at)?);
        sizes.iter().zip(origins).map(|(&size, origin)| sides(operation, size, origin, at)).collect()
    }
}

/// Conversions from what [`PerAxis`] is of, for a type that has more.
macro_rules! converted {
    ($to:ty, $value:ty, $make:expr) => {
        impl From<$value> for $to {
            fn from(value: $value) -> $to {
                $make(value.into())
            }
        }
        impl From<Vec<$value>> for $to {
            fn from(values: Vec<$value>) -> $to {
                $make(values.into())
            }
        }
        impl From<&[$value]> for $to {
            fn from(values: &[$value]) -> $to {
                $make(values.into())
            }
        }
        impl<const N: usize> From<[$value; N]> for $to {
            fn from(values: [$value; N]) -> $to {
                $make(values.into())
            }
        }
    };
}
pub(super) use converted;

converted!(Sizes, usize, |sizes: PerAxis<usize>| Sizes { sizes, origin: 0.into() });

/// How many values a window has before and after its own, whose origin lies so far from the middle.
pub(super) fn sides(operation: &'static str, size: usize, origin: isize, at: CallSite) -> Result<[usize; 2]> {
    sides_between(operation, [size / 2, size - 1 - size / 2], origin, at)
}

/// The same of a window that has so many values before and after its middle.
pub(super) fn sides_between(
    operation: &'static str,
    [before, after]: [usize; 2],
    origin: isize,
    at: CallSite,
) -> Result<[usize; 2]> {
    match (before.checked_add_signed(origin), after.checked_add_signed(origin.saturating_neg())) {
        (Some(before), Some(after)) => Ok([before, after]),
        _ => {
            let wanted = format!("-{before} to {after}, so that a window has its value");
            Err(Error::argument(operation, "origin", wanted, origin.to_string(), at))
        }
    }
}

impl<T: Element> Array<T> {
    /// The array with its ends continued along some axes, so that the last boundary is that of all others, and how many values
    /// were put before each of the axes. Where constants of several axes meet, the later axis' holds.
    pub(super) fn continued(
        &self,
        operation: &'static str,
        axes: &[usize],
        sides: &[[usize; 2]],
        boundaries: &[PadMode<T>],
        at: CallSite,
    ) -> Result<(Array<T>, Vec<usize>)> {
        let mut before = vec![0; axes.len()];
        let others = boundaries.iter().rposition(|boundary| Some(boundary) != boundaries.last());
        let Some(others) = others else { return Ok((self.clone(), before)) };
        let mut whole = self.clone();
        for nth in 0..=others {
            let mut widths = vec![(0, 0); self.rank()];
            widths[axes[nth]] = (sides[nth][0], sides[nth][1]);
            before[nth] = sides[nth][0];
            whole = whole.padded(operation, &widths, boundaries[nth], at)?;
        }
        Ok((whole, before))
    }
}
