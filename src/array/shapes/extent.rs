//! The extents in shapes of [`Array::reshape`].

use crate::array::Array;
use crate::array::create::fits;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::count;

mod sealed {
    pub trait Extent: Copy + std::fmt::Debug {
        /// The extent; `None` for -1, which stands for what is left. The reason if it is neither.
        fn extent(self) -> Result<Option<usize>, ()>;
    }
}

/// The extent of an axis: any integer; -1 is inferred from the others ([`Array::reshape`]).
pub trait Extent: sealed::Extent {}

macro_rules! extents {
    ($($ty:ty)*) => {$(
        impl Extent for $ty {}
        impl sealed::Extent for $ty {
            fn extent(self) -> Result<Option<usize>, ()> {
                match i128::try_from(self).map_err(drop)? {
                    -1 => Ok(None),
                    extent => usize::try_from(extent).map(Some).map_err(drop),
                }
            }
        }
    )*};
}

extents!(i32 i64 u32 u64);

impl Extent for usize {}
impl sealed::Extent for usize {
    fn extent(self) -> Result<Option<usize>, ()> {
        Ok(Some(self))
    }
}

impl Extent for isize {}
impl sealed::Extent for isize {
    fn extent(self) -> Result<Option<usize>, ()> {
        sealed::Extent::extent(self as i64)
    }
}

impl<T: Element> Array<T> {
    /// A shape with as many elements as the array, of extents of which one may be -1.
    pub(crate) fn filled_in<E: Extent>(
        &self,
        operation: &'static str,
        shape: &[E],
        at: CallSite,
    ) -> Result<Vec<usize>> {
        let mistake = |wanted: String| Err(Error::argument(operation, "shape", wanted, format!("{shape:?}"), at));
        let Ok(extents) = shape.iter().map(|extent| extent.extent()).collect::<Result<Vec<_>, ()>>() else {
            return mistake("extents, one of which may be -1".into());
        };
        let known: Vec<usize> = extents.iter().copied().flatten().collect();
        let elements = format!("{} elements, as in {:?}", self.len(), self.shape());
        match extents.len() - known.len() {
            0 if count(&known) == self.len() => fits(operation, T::DTYPE, &known, at).map(|()| known),
            0 => mistake(elements),
            1 => match self.len().checked_div(count(&known)) {
                Some(left) if left.checked_mul(count(&known)) == Some(self.len()) => {
                    let shape: Vec<usize> = extents.into_iter().map(|extent| extent.unwrap_or(left)).collect();
                    fits(operation, T::DTYPE, &shape, at).map(|()| shape)
                }
                _ => mistake(format!("extents that divide {elements}")),
            },
            _ => mistake("-1 once at most".into()),
        }
    }
}
