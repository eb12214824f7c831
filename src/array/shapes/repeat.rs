//! Each element repeated by its count: decodes run lengths.

use crate::array::Array;
use crate::array::selections::gather::Along;
use crate::element::Element;
use crate::error::{CallSite, Error, Result};
use crate::ops::{Combine, OutOfRange};
use crate::s;
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
    /// Errors: counts of another shape or device; more than some 4.29e9 elements; the error that an array holds; out of
    /// memory; device lost.
    #[track_caller]
    pub fn repeat(&self, counts: &Array<u32>) -> Result<Array<T>> {
        let at = Location::caller();
        self.check_counts("repeat", counts, at)?;
        // The sum wraps; its nearest float does not.
        let sums = [counts.sum(), counts.cast::<f32>().sum().cast::<u32>()];
        let sums = Array::read_all(&[&sums[0], &sums[1]])?;
        if sums[1][0] > MOST {
            let got = format!("some {:e}", sums[1][0] as f32);
            return Err(Error::argument("repeat", "counts", format!("a sum of {MOST} at most"), got, at));
        }
        let repeated = self.repeated("repeat", counts, sums[0][0] as usize, at);
        repeated.check()?;
        Ok(repeated)
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
    /// Errors (kept in the array): as [`Array::repeat`]. With [`crate::array::OutOfRange::Error`]: a different sum,
    /// reported as an index past the last element. A length of 0 is not checked, and sums are taken modulo 2^32.
    #[track_caller]
    pub fn repeat_to(&self, counts: &Array<u32>, len: usize) -> Array<T> {
        let at = Location::caller();
        let failed = |error| Array::failed(self.device(), error);
        match self.check_counts("repeat_to", counts, at) {
            Err(error) => failed(error),
            Ok(()) if len as u64 > MOST as u64 => {
                let wanted = format!("{MOST} elements at most");
                failed(Error::argument("repeat_to", "length", wanted, len.to_string(), at))
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

/// Elements of a result at most: below 2^32 by more than a sum of floats errs.
const MOST: u32 = 4_290_000_000;
