//! Numbers of a whole stream: sums, extremes and their places, counts.

use super::run::{Work, ahead};
use super::{Streamed, Total};
use crate::array::Array;
use crate::element::{Class, Element, Number};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::order_number;
use std::panic::Location;

impl<T: Total> Streamed<'_, T> {
    /// The sum, as `f64`, `i64` or `u64`; 0 for no elements.
    ///
    /// Integers are exact, and wrap past 64 bits. Of f32 and f16, rows of 4096 elements are added up in f32 and the rows' sums in f64:
    /// the error is within 1e-6 of the sum of absolute values, however many there are, and the less the more rows there are. f64 is
    /// within 1e-12.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![i32::MAX; 1000], vec![5]]);
    /// assert_eq!(stream.sum()?, 2_147_483_647_005);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the source's; that of an array of [`Streamed::map`]; out of memory; device lost.
    #[track_caller]
    pub fn sum(mut self) -> Result<T::Sum> {
        self.total(Location::caller()).map(|(_, sum)| sum)
    }

    /// The mean, exact or in error as [`Streamed::sum`] and rounded; NaN for no elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![1, 2], vec![6]]).mean()?, 3.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn mean(mut self) -> Result<f64> {
        self.total(Location::caller()).map(|(count, sum)| T::to_f64(sum) / count as f64)
    }

    /// The number of elements, and their sum.
    fn total(&mut self, at: CallSite) -> Result<(u64, T::Sum)> {
        let mut total = (0, T::Sum::default());
        let start = |piece: &Array<T>| {
            let (count, sum) = (piece.len() as u64, T::of_piece(piece, at)?);
            Ok(Box::new(move || sum().map(|sum| (count, sum))) as Work<_>)
        };
        self.run(at, start, |(count, sum)| {
            total = (total.0 + count, T::add(total.1, sum));
            Ok(())
        })?;
        Ok(total)
    }
}

/// Which of two elements a reduction keeps.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Smallest,
    Largest,
}

impl<T: Number> Streamed<'_, T> {
    /// The smallest element; NaN if any is NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![4, 1], vec![2]]).min()?, 1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no element, as of [`Array::min`]; as [`Streamed::sum`].
    #[track_caller]
    pub fn min(mut self) -> Result<T> {
        self.extreme("Streamed::min", End::Smallest, Location::caller())
    }

    /// The largest element; NaN if any is NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![4, 1], vec![2]]).max()?, 4);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no element, as of [`Array::max`]; as [`Streamed::sum`].
    #[track_caller]
    pub fn max(mut self) -> Result<T> {
        self.extreme("Streamed::max", End::Largest, Location::caller())
    }

    /// Where the smallest element is: the first of equals, or the first NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![4, 1], vec![1]]).arg_min()?, 1u64);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no element, as of [`Array::arg_min`]; as [`Streamed::sum`].
    #[track_caller]
    pub fn arg_min(mut self) -> Result<u64> {
        self.place("Streamed::arg_min", End::Smallest, Location::caller())
    }

    /// Where the largest element is: the first of equals, or the first NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![4, 1], vec![9]]).arg_max()?, 2u64);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no element, as of [`Array::arg_max`]; as [`Streamed::sum`].
    #[track_caller]
    pub fn arg_max(mut self) -> Result<u64> {
        self.place("Streamed::arg_max", End::Largest, Location::caller())
    }

    fn extreme(&mut self, operation: &'static str, end: End, at: CallSite) -> Result<T> {
        let mut found = Found::default();
        let start = |piece: &Array<T>| {
            let value = end.of(piece);
            ahead(&[&value], at)?;
            Ok(Box::new(move || value.item()) as Work<T>)
        };
        self.run(at, start, |value| {
            found.see(value, 0, 1, end);
            Ok(())
        })?;
        found.best.map(|(value, _)| value).ok_or_else(|| nothing(operation, at))
    }

    fn place(&mut self, operation: &'static str, end: End, at: CallSite) -> Result<u64> {
        let mut found = Found::default();
        let start = |piece: &Array<T>| {
            let (len, value, place) = (piece.len(), end.of(piece), end.place_in(piece));
            ahead(&[&value], at)?;
            ahead(&[&place], at)?;
            Ok(Box::new(move || Ok((value.item()?, place.item()?, len))) as Work<_>)
        };
        self.run(at, start, |(value, place, len)| {
            found.see(value, place, len, end);
            Ok(())
        })?;
        found.best.map(|(_, place)| place).ok_or_else(|| nothing(operation, at))
    }
}

impl<T: Element> Streamed<'_, T> {
    /// The number of elements.
    ///
    /// The source is read to its end. Nothing is copied to the device unless there is a [`Streamed::map`], whose arrays are described
    /// but not computed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![4u8, 1], vec![9]]).count()?, 3u64);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn count(mut self) -> Result<u64> {
        let at = Location::caller();
        let mut count = 0;
        let mut add = |len: u64| {
            count += len;
            Ok(())
        };
        if self.pieces.on_host().is_some() {
            self.deliver(at, |values| add(values.len() as u64))?;
            return Ok(count);
        }
        let start = |piece: &Array<T>| {
            let len = piece.len() as u64;
            Ok(Box::new(move || Ok(len)) as Work<u64>)
        };
        self.run(at, start, add)?;
        Ok(count)
    }

    /// How many elements are not zero.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![0.5f32, 0.0], vec![2.0]]);
    /// assert_eq!(stream.map(|x| x.greater(1.0)).count_nonzero()?, 1u64);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sum`].
    #[track_caller]
    pub fn count_nonzero(mut self) -> Result<u64> {
        let at = Location::caller();
        let mut all = 0;
        let start = |piece: &Array<T>| {
            let count = piece.count_nonzero();
            ahead(&[&count], at)?;
            Ok(Box::new(move || count.item()) as Work<u32>)
        };
        self.run(at, start, |count| {
            all += u64::from(count);
            Ok(())
        })?;
        Ok(all)
    }
}

impl End {
    fn of<T: Number>(self, piece: &Array<T>) -> Array<T> {
        if self == End::Smallest { piece.min() } else { piece.max() }
    }

    fn place_in<T: Number>(self, piece: &Array<T>) -> Array<u32> {
        if self == End::Smallest { piece.arg_min() } else { piece.arg_max() }
    }

    /// Whether an element after this one is kept in its place.
    fn prefers<T: Number>(self, after: T, before: T) -> bool {
        match (is_nan(after), is_nan(before)) {
            (_, true) => false,
            (true, false) => true,
            _ if self == End::Smallest => rank(after) < rank(before),
            _ => rank(after) > rank(before),
        }
    }
}

/// The element that is kept of those seen so far, and its place.
struct Found<T> {
    best: Option<(T, u64)>,
    seen: u64,
}

impl<T> Default for Found<T> {
    fn default() -> Found<T> {
        Found { best: None, seen: 0 }
    }
}

impl<T: Number> Found<T> {
    /// Of a piece of `len` elements this one, at this place.
    fn see(&mut self, value: T, place: u32, len: usize, end: End) {
        if self.best.is_none_or(|(best, _)| end.prefers(value, best)) {
            self.best = Some((value, self.seen + u64::from(place)));
        }
        self.seen += len as u64;
    }
}

/// A number that is ordered as elements are; NaN comes last, and zeros are equal.
pub(super) fn rank<T: Element>(value: T) -> u64 {
    order_number(value.scalar().bits as u64, T::DTYPE, false)
}

fn is_nan<T: Element>(value: T) -> bool {
    T::DTYPE.class() == Class::Float && value.scalar().to_f64().is_nan()
}

fn nothing(operation: &'static str, at: CallSite) -> Error {
    Error::argument(operation, "stream", "at least one element: there is no identity", "none", at)
}

#[cfg(test)]
mod tests {
    use super::{End, Found};

    #[test]
    fn places_past_32_bits() {
        let mut found = Found::default();
        let len = (1 << 32) - 1;
        for (value, place) in [(7i64, 5), (9, len as u32), (9, 0), (i64::MIN, 3)] {
            found.see(value, place, len, End::Largest);
        }
        assert_eq!((found.best, found.seen), (Some((9, 2 * (len as u64))), 4 * len as u64));
    }

    #[test]
    fn the_first_nan_is_kept() {
        for end in [End::Smallest, End::Largest] {
            let mut found = Found::default();
            for value in [1.0f32, f32::NAN, f32::NEG_INFINITY, f32::NAN, f32::INFINITY] {
                found.see(value, 2, 10, end);
            }
            let (value, place) = found.best.expect("five were seen");
            assert!(value.is_nan() && place == 12, "{value} at {place}");
        }
        let mut found = Found::default();
        for value in [0.0f32, -0.0, 0.0] {
            found.see(value, 0, 1, End::Smallest);
        }
        assert_eq!(found.best, Some((0.0, 0)), "zeros are equal");
    }
}
