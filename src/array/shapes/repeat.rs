//! Each element repeated by its count: decodes run lengths.

use crate::array::selections::gather::Along;
use crate::array::{Array, create};
use crate::element::Element;
use crate::s;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::{Combine, OutOfRange};
use std::panic::Location;

impl<T: Element> Array<T> {
    /// Each element repeated by its count, in row-major order: NumPy's `repeat` with an array of counts. Waits for the
    /// device, which alone knows the length of the result.
    ///
    /// Cost: scans of the counts and of marks, one for each element of the result: some 24 bytes of memory traffic for a
    /// result of four.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[7, 2, 5]);
    /// let counts = Array::from_slice(device, &[3, 0, 2]);
    /// assert_eq!(x.repeat(&counts)?.to_vec()?, [7, 7, 7, 5, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// A result of more than some 4.29e9 elements is joined of parts of that many.
    ///
    /// Errors: counts of another shape or device; more elements than the device's largest buffer has; the error that an array
    /// holds; out of memory; device lost.
    #[track_caller]
    pub fn repeat(&self, counts: &Array<u32>) -> Result<Array<T>> {
        let at = Location::caller();
        self.check_counts("repeat", counts, at)?;
        let mut parts = vec![];
        self.flatten().repeated_in_parts("repeat", &counts.flatten(), &mut parts, at)?;
        let repeated = Array::joined("repeat", &parts, 0, at);
        repeated.check()?;
        Ok(repeated)
    }

    /// Appends the copies of elements of one dimension: of all at once, if their number is that of one part, and else of either half.
    fn repeated_in_parts(
        &self,
        operation: &'static str,
        counts: &Array<u32>,
        parts: &mut Vec<Array<T>>,
        at: CallSite,
    ) -> Result<()> {
        // The sum wraps; its nearest float does not.
        let sums = [counts.sum(), counts.cast::<f32>().sum().cast::<u32>()];
        let sums = Array::read_all(&[&sums[0], &sums[1]])?;
        let (len, most) = (self.len(), self.device().most_numbered(MOST as usize));
        match (sums[1][0] as usize > most, len) {
            (false, _) => parts.push(self.repeated(operation, counts, sums[0][0] as usize, at)),
            (true, 1) => parts.push(self.broadcast_to(&[sums[0][0] as usize])),
            (true, _) => {
                let about = counts.cast::<f32>().sum().item()?;
                create::holds(operation, self.device(), T::DTYPE, about as usize, at)?;
                for (first, len) in [(0, len / 2), (len / 2, len - len / 2)] {
                    let (own, counts) = (self.part(0, first, 1, len), counts.part(0, first, 1, len));
                    own.repeated_in_parts(operation, &counts, parts, at)?;
                }
            }
        }
        Ok(())
    }

    /// As [`Array::repeat`] for counts whose sum is known: the host does not wait. Run lengths padded with zeros are
    /// decoded this way without the host knowing how many there are.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4, 4, 4, 9]);
    /// let (values, lengths) = x.run_lengths();
    /// let again = values.or(0).repeat_to(&lengths.or(0), x.len());
    /// assert_eq!(again.to_vec()?, [4, 4, 4, 9]);
    /// # Ok(()) });
    /// ```
    ///
    /// More than some 4.29e9 elements are made as by [`Array::repeat`], at once.
    ///
    /// Errors (kept in the array): as [`Array::repeat`]. With [`crate::array::OutOfRange::Error`]: a different sum,
    /// reported as an index past the last element. A length of 0 is not checked, and sums are taken modulo 2^32.
    #[track_caller]
    pub fn repeat_to(&self, counts: &Array<u32>, len: usize) -> Array<T> {
        let at = Location::caller();
        let failed = |error| Array::failed(self.device(), error);
        match self.check_counts("repeat_to", counts, at) {
            Err(error) => failed(error),
            Ok(()) if len > self.device().most_numbered(MOST as usize) => {
                let mut parts = vec![];
                let made = self.flatten().repeated_in_parts("repeat_to", &counts.flatten(), &mut parts, at);
                match (made, parts.iter().map(Array::len).sum::<usize>()) {
                    (Err(error), _) => failed(error),
                    (Ok(()), sum) if sum == len => Array::joined("repeat_to", &parts, 0, at),
                    (Ok(()), sum) => {
                        let wanted = format!("{sum}, the sum of the counts");
                        failed(Error::argument("repeat_to", "length", wanted, len.to_string(), at))
                    }
                }
            }
            Ok(()) => self.repeated("repeat_to", counts, len, at),
        }
    }

    /// Copies of elements, one for each place.
    fn repeated(&self, operation: &'static str, counts: &Array<u32>, len: usize, at: CallSite) -> Array<T> {
        let device = self.device();
        if len == 0 || self.is_empty() {
            let nothing = Array::<u32>::zeros(device, &[len]);
            return self.gather(operation, &nothing, Along::Flat, OutOfRange::Error, at);
        }
        let (ends, counts) = (counts.flatten().cumsum(0), counts.flatten());
        // A mark for each element where its first copy goes; the number of marks up to an index is the number of
        // elements.
        let (none, starts) = (Array::<u32>::zeros(device, &[len]), &ends - &counts);
        let (one, along, outside) = (Array::full(device, &[], 1), Along::Flat, OutOfRange::Drop);
        let marks = none.scatter(operation, &starts, &one, Combine::Add, along, outside, at);
        let sources = marks.cumsum(0) - 1;
        // Places past the sum have no element; a sum past the length shows at the last place.
        let (places, sum) = (Array::<u32>::counting(device, len), ends.slice(s![-1..]).broadcast_to(&[len]));
        let past = places.greater_equal(&sum) | (places.equal(len as u32 - 1) & sum.not_equal(len as u32));
        let sources = past.select(self.len() as u32, sources);
        self.flatten().gather(operation, &sources, Along::Flat, OutOfRange::Error, at)
    }

    fn check_counts(&self, operation: &'static str, counts: &Array<u32>, at: CallSite) -> Result<()> {
        self.check()?;
        counts.check()?;
        if counts.shape() != self.shape() {
            let (wanted, got) = (format!("the array's shape {:?}", self.shape()), format!("{:?}", counts.shape()));
            return Err(Error::argument(operation, "counts", wanted, got, at));
        }
        if counts.node.device != self.node.device {
            let (wanted, got) = (format!("{:?}", self.node.device), format!("{:?}", counts.node.device));
            return Err(Error::argument(operation, "counts", wanted, got, at));
        }
        Ok(())
    }
}

/// Elements of a part of a result at most: below 2^32 by more than a sum of floats errs.
const MOST: u32 = 4_290_000_000;
