//! Where a stream's elements go: a function, a writer, a vector, the bins of a histogram.

use super::run::{Work, ahead};
use super::{Streamed, failed};
use crate::array::Array;
use crate::element::{Element, Ordered};
use crosslane_core::error::Result;
use std::io::Write;
use std::ops::Range;
use std::panic::Location;

impl<T: Element> Streamed<'_, T> {
    /// Gives the elements to a function, in order, those of a piece at a time. Its error ends the operation.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let mut all = vec![];
    /// let stream = Streamed::from_chunks(device, [vec![1.0f32, 4.0], vec![9.0]]).map(|x| x.sqrt());
    /// stream.for_each(|roots| {
    ///     all.extend_from_slice(roots);
    ///     Ok(())
    /// })?;
    /// assert_eq!(all, [1.0, 2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the function's; as [`Streamed::sum`].
    #[track_caller]
    pub fn for_each(mut self, take: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        self.deliver(Location::caller(), take)
    }

    /// Writes the elements in order, each as little-endian bytes. It need not be buffered.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let mut bytes = vec![];
    /// Streamed::from_chunks(device, [vec![1u16, 2]]).map(|x| x.cast::<u32>() * 256).write_to(&mut bytes)?;
    /// assert_eq!(bytes, [0, 1, 0, 0, 0, 2, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the writer's, as [`ErrorKind::File`](crate::ErrorKind::File); as [`Streamed::sum`].
    #[track_caller]
    pub fn write_to(mut self, mut writer: impl Write) -> Result<()> {
        let mut written = 0u64;
        self.deliver(Location::caller(), |values| {
            let result = write_values(&mut writer, values);
            let fails = |error| failed("the writer", format!("after {written} elements: {error}"));
            result.map_err(fails)?;
            written += values.len() as u64;
            Ok(())
        })?;
        writer.flush().map_err(|error| failed("the writer", error))
    }

    /// All elements, in the host's memory.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![1.0f32], vec![2.0]]).map(|x| x + 1.0);
    /// assert_eq!(stream.to_vec()?, [2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the host's memory is used up; as [`Streamed::sum`].
    #[track_caller]
    pub fn to_vec(mut self) -> Result<Vec<T>> {
        let (at, mut all) = (Location::caller(), Vec::new());
        self.deliver(at, |values| {
            if all.try_reserve(values.len()).is_err() {
                let requested = (all.len() as u64 + values.len() as u64) * size_of::<T>() as u64;
                return Err(crosslane_core::memory::exhausted("Streamed::to_vec", requested, at));
            }
            all.extend_from_slice(values);
            Ok(())
        })?;
        Ok(all)
    }

    /// Folds what a function makes of each piece into a value on the host. `piece` describes an array, best a small one, which is
    /// computed while the host reads; `fold` gets its elements, in the order of the pieces.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![3.0f32, 4.0], vec![12.0]]);
    /// let squares = stream.fold(0.0, |x| (x * x).sum(), |sum: f64, part| sum + f64::from(part[0]))?;
    /// assert_eq!(squares.sqrt(), 13.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: that of an array of `piece`; as [`Streamed::sum`].
    #[track_caller]
    pub fn fold<A, U: Element>(
        mut self,
        first: A,
        mut piece: impl FnMut(&Array<T>) -> Array<U>,
        mut fold: impl FnMut(A, &[U]) -> A,
    ) -> Result<A> {
        let at = Location::caller();
        let mut value = Some(first);
        let start = |array: &Array<T>| {
            let part = piece(array);
            ahead(&[&part], at)?;
            Ok(Box::new(move || part.to_vec()) as Work<Vec<U>>)
        };
        self.run(at, start, |part| {
            value = value.take().map(|before| fold(before, &part));
            Ok(())
        })?;
        Ok(value.expect("each step puts back what it takes"))
    }
}

impl<T: Ordered> Streamed<'_, T> {
    /// The number of elements in each of `bins` bins of equal width, and the `bins + 1` edges: [`Array::histogram`], which states which
    /// elements a bin holds, with counts of 64 bits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![0.0f32, 0.1, 0.5], vec![0.9, 1.0, 7.0]]);
    /// let (counts, edges) = stream.histogram(2, 0.0..1.0)?;
    /// assert_eq!((counts, edges), (vec![2u64, 3], vec![0.0, 0.5, 1.0]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::histogram`], before anything is read; as [`Streamed::sum`].
    #[track_caller]
    pub fn histogram(mut self, bins: usize, range: Range<f64>) -> Result<(Vec<u64>, Vec<f64>)> {
        let (_, edges) = Array::<T>::zeros(&self.device, &[0]).histogram(bins, range.clone())?;
        let at = Location::caller();
        let mut all = vec![0u64; bins];
        let start = |piece: &Array<T>| {
            let (counts, _) = piece.histogram(bins, range.clone())?;
            ahead(&[&counts], at)?;
            Ok(Box::new(move || counts.to_vec()) as Work<Vec<u32>>)
        };
        self.run(at, start, |counts| {
            all.iter_mut().zip(counts).for_each(|(all, count)| *all += u64::from(count));
            Ok(())
        })?;
        Ok((all, edges))
    }
}

/// Writes elements in little-endian order.
fn write_values<T: Element>(writer: &mut impl Write, values: &[T]) -> std::io::Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    if cfg!(target_endian = "little") {
        return writer.write_all(bytes);
    }
    let mut swapped = bytes.to_vec();
    swapped.chunks_exact_mut(T::DTYPE.real().size()).for_each(|element| element.reverse());
    writer.write_all(&swapped)
}
