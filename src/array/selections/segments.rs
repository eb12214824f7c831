//! Segments by offsets, like the rows of a sparse matrix in CSR form: each reduced, scanned or sorted separately.

use crate::array::index::{ArrayIndex, position};
use crate::array::selections::gather::Along;
use crate::array::{Array, Scan, SortOptions};
use crate::element::{Element, Number, Ordered};
use crate::s;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::{Combine, OutOfRange};
use std::panic::Location;

/// An array in one dimension, and where its segments begin.
struct Segments<I: ArrayIndex + Number> {
    operation: &'static str,
    offsets: Array<I>,
    /// Elements in all.
    len: usize,
    at: CallSite,
}

impl<I: ArrayIndex + Number> Segments<I> {
    fn of<T: Element>(
        operation: &'static str,
        x: &Array<T>,
        offsets: &Array<impl ArrayIndex<Wide = I>>,
        at: CallSite,
    ) -> Result<Segments<I>> {
        x.check()?;
        offsets.check()?;
        let mistake = |argument, wanted: &str, got| Err(Error::argument(operation, argument, wanted, got, at));
        if x.rank() != 1 {
            return mistake("array", "one dimension", format!("shape {:?}", x.shape()));
        }
        if offsets.rank() != 1 || offsets.is_empty() {
            let wanted = "one dimension, and one element more than there are segments";
            return mistake("offsets", wanted, format!("shape {:?}", offsets.shape()));
        }
        if offsets.len() > u32::MAX as usize {
            return mistake("offsets", "fewer than 2^32 segments", offsets.len().to_string());
        }
        if offsets.node.device != x.node.device {
            return mistake("offsets", &format!("{:?}", x.node.device), format!("{:?}", offsets.node.device));
        }
        Ok(Segments { operation, offsets: offsets.cast(), len: x.len(), at })
    }

    /// That the offsets lie in the array, where nothing of what is computed depends on them. The host waits.
    fn check_now(&self) -> Result<()> {
        self.marks().any().item().map(drop)
    }

    /// How many there are.
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether an offset is there: for each place, and one past the last.
    fn marks(&self) -> Array<bool> {
        let device = self.offsets.device();
        let (none, mark) = (Array::zeros(device, &[self.len + 1]), Array::full(device, &[], true));
        let (along, outside) = (Along::Flat, OutOfRange::Error);
        none.scatter(self.operation, &self.offsets, &mark, Combine::Replace, along, outside, self.at)
    }

    /// Where a scan comes into a segment.
    fn heads(&self, reverse: bool) -> Array<bool> {
        let first = reverse as isize;
        self.marks().slice(s![first..first + self.len as isize])
    }

    fn scanned<T: Element, R: Element>(&self, scan: &Scan, x: &Array<T>) -> Result<Array<R>> {
        if x.is_empty() {
            self.check_now()?;
        }
        scan.node::<R>(&x.node, Some(&self.heads(scan.reverse).node), self.at).map(Array::of)
    }

    /// Where each segment begins, and where it ends.
    fn bounds(&self) -> (Array<I>, Array<I>) {
        (self.offsets.slice(s![..-1]), self.offsets.slice(s![1..]))
    }

    /// A number for each element that rises from segment to segment, and the bits that it may have.
    fn numbers(&self) -> (Array<u32>, SortOptions) {
        let bits = 32 - (self.offsets.len() as u32).leading_zeros();
        (self.heads(false).cast::<u32>().cumsum(0), SortOptions::low_bits(bits, self.len, self.offsets.device()))
    }
}

/// Each index less one.
fn before<I: ArrayIndex + Number>(ends: &Array<I>) -> Array<I> {
    ends - position::<I>(1)
}

impl Scan {
    /// The scan of each segment of an array of one dimension: segment `s` is `offsets[s]..offsets[s + 1]`, as a row of
    /// a sparse matrix in CSR form. Elements before the first offset, and from the last one on, are scanned as segments
    /// too.
    ///
    /// Offsets must not decrease, and none is negative; otherwise the result is unspecified.
    ///
    /// Cost: a byte for each element is written twice; then as [`Scan::call_segments`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let x = Array::from_slice(device, &[1, 2, 3, 4, 5]);
    /// let offsets = Array::from_slice(device, &[0, 2, 2, 5]);
    /// assert_eq!(Scan::sum().call_offsets::<_, i32>(&x, &offsets).to_vec()?, [1, 3, 3, 7, 12]);
    /// # Ok(()) });
    /// ```
    ///
    /// Into 2^32 elements and more, offsets of 64 bits reach; there the host waits for the device to look at them.
    ///
    /// Errors (kept in the array): as [`Scan::call`]; arrays of another rank or device; no offset; more than 2^42 elements.
    /// With [`crate::array::OutOfRange::Error`]: an offset past the end, reported as an index.
    #[track_caller]
    pub fn call_offsets<T: Element, R: Element>(&self, x: &Array<T>, offsets: &Array<impl ArrayIndex>) -> Array<R> {
        let segments = Segments::of("scan by offsets", x, offsets, Location::caller());
        Array::kept(x.device(), segments.and_then(|segments| segments.scanned(self, x)))
    }

    /// The elements of each segment combined, where segments are those of [`Scan::call_offsets`]: CUB's
    /// `DeviceSegmentedReduce`. An empty segment gives the identity.
    ///
    /// The elements of a segment are combined in order, so that the operator need not commute; from the end if the scan
    /// is reversed.
    ///
    /// Cost: as [`Scan::call_offsets`], and a read for each segment: segments of all lengths cost the same.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let x = Array::from_slice(device, &[1, 2, 3, 4, 5]);
    /// let offsets = Array::from_slice(device, &[0, 2, 2, 5]);
    /// assert_eq!(Scan::sum().reduce_segments::<_, i32>(&x, &offsets).to_vec()?, [3, 0, 12]);
    /// assert_eq!(Scan::max().reduce_segments::<_, i32>(&x, &offsets).to_vec()?, [2, i32::MIN, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Scan::call_offsets`]; an exclusive scan.
    #[track_caller]
    pub fn reduce_segments<T: Element, R: Element>(&self, x: &Array<T>, offsets: &Array<impl ArrayIndex>) -> Array<R> {
        Array::kept(x.device(), self.reduced_segments(x, offsets, Location::caller()))
    }

    fn reduced_segments<T: Element, R: Element>(
        &self,
        x: &Array<T>,
        offsets: &Array<impl ArrayIndex>,
        at: CallSite,
    ) -> Result<Array<R>> {
        let operation = "reduce_segments";
        self.check_inclusive(operation, at)?;
        let segments = Segments::of(operation, x, offsets, at)?;
        let scanned = segments.scanned::<T, R>(self, x)?;
        let nothing = R::from_scalar(self.operator(&x.node, at)?.empty_result(T::DTYPE));
        if segments.count() == 0 {
            segments.check_now()?;
        }
        if x.is_empty() || segments.count() == 0 {
            return Ok(Array::full(x.device(), &[segments.count()], nothing));
        }
        let (begins, ends) = segments.bounds();
        // Where the scan has seen all of the segment; of one without elements, any place or none.
        let whole = if self.reverse { begins.clone() } else { before(&ends) };
        let combined = scanned.gather(operation, &whole, Along::Flat, OutOfRange::Drop, at);
        Ok(ends.greater(&begins).select(&combined, nothing))
    }
}

impl<T: Ordered> Array<T> {
    /// Each segment sorted by itself, where segments are those of [`Scan::call_offsets`]: CUB's `DeviceSegmentedSort`,
    /// stable. Elements before the first offset, and from the last one on, are sorted as segments too.
    ///
    /// Cost: two sorts with values, the second by as many bits as the number of segments has; segments of all lengths
    /// cost the same.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[3, 1, 9, 7, 8]);
    /// let offsets = Array::from_slice(device, &[0, 2, 5]);
    /// assert_eq!(x.sort_segments(&offsets).to_vec()?, [1, 3, 7, 8, 9]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): arrays of another rank or device; no offset; more than 2^42 elements. As
    /// [`crate::array::OutOfRange::Error`] says: an offset past the end, as an index.
    #[track_caller]
    pub fn sort_segments(&self, offsets: &Array<impl ArrayIndex>) -> Array<T> {
        let (operation, at) = ("sort_segments", Location::caller());
        match Segments::of(operation, self, offsets, at) {
            Err(error) => Array::failed(self.device(), error),
            Ok(segments) if self.is_empty() => Array::kept(self.device(), segments.check_now().map(|()| self.clone())),
            Ok(segments) => {
                let (numbers, by_number) = segments.numbers();
                let (sorted, numbers) = self.paired(operation, &numbers, &SortOptions::default(), at);
                numbers.paired(operation, &sorted, &by_number, at).1
            }
        }
    }

    /// The indices that sort each segment, as indices into the whole array: `x.take(..)` with them is
    /// [`Array::sort_segments`], and puts other arrays into the same order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[3, 1, 9, 7, 8]);
    /// let offsets = Array::from_slice(device, &[0, 2, 5]);
    /// assert_eq!(x.argsort_segments(&offsets).to_vec()?, [1, 0, 3, 4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: as [`Array::sort_segments`], and a read for each element. Errors (kept in the array): likewise, and more than
    /// 2^32 elements, since indices are u32: [`Array::argsort_segments_as`] gives others.
    #[track_caller]
    pub fn argsort_segments(&self, offsets: &Array<impl ArrayIndex>) -> Array<u32> {
        self.sorting_segments("argsort_segments", offsets, Location::caller())
    }

    /// As [`Array::argsort_segments`], with indices of any type: of 64 bits they number more than 2^32 elements, which are
    /// sorted at once.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[3, 1, 9, 7, 8]);
    /// let order: Array<i32> = x.argsort_segments_as(&device.array([0, 2, 5]));
    /// assert_eq!(order.to_vec()?, [1, 0, 3, 4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as there; more elements than the type numbers; a type that the device has not.
    #[track_caller]
    pub fn argsort_segments_as<I: ArrayIndex + Number>(&self, offsets: &Array<impl ArrayIndex>) -> Array<I> {
        self.sorting_segments("argsort_segments_as", offsets, Location::caller())
    }

    fn sorting_segments<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        offsets: &Array<impl ArrayIndex>,
        at: CallSite,
    ) -> Array<I> {
        match Segments::of(operation, self, offsets, at) {
            Err(error) => Array::failed(self.device(), error),
            Ok(segments) if self.is_empty() => {
                Array::kept(self.device(), segments.check_now().map(|()| Array::zeros(self.device(), &[0])))
            }
            Ok(segments) => {
                let (numbers, by_number) = segments.numbers();
                let places = self.sorting::<I>(operation, &SortOptions::default(), at);
                let numbers = numbers.gather(operation, &places, Along::Flat, OutOfRange::Drop, at);
                numbers.paired(operation, &places, &by_number, at).1
            }
        }
    }
}
