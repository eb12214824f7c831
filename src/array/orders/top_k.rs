//! The largest or smallest elements along an axis.

use crate::array::index::{position, reach};
use crate::array::shapes::axes::axis;
use crate::array::windows::ranges;
use crate::array::{Array, ArrayIndex, Slice, SortOptions};
use crate::element::{DType, Number, Ordered};
use crate::graph::{Take, Task, axis_last, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::{OutOfRange, Sort, TopK};
use std::panic::Location;

/// Rows shorter than this are sorted, several in a workgroup.
const SORTED: usize = 64;

/// Which elements to take (largest or smallest), and along which axis.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::TopKOptions;
/// let x = Array::from_slice(device, &[3, 1, 2, 9]).reshape(&[2, 2]);
/// let (values, indices) = x.top_k_with(1, &TopKOptions::default().smallest().axis(0));
/// assert_eq!(values.to_vec()?, [2, 1]);
/// assert_eq!(indices.to_vec()?, [1, 0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopKOptions {
    axis: isize,
    smallest: bool,
}

impl Default for TopKOptions {
    /// The largest, along the last axis.
    fn default() -> TopKOptions {
        TopKOptions { axis: -1, smallest: false }
    }
}

impl TopKOptions {
    /// Along this axis; negative numbers count from the end.
    pub fn axis(self, axis: isize) -> TopKOptions {
        TopKOptions { axis, ..self }
    }

    /// The smallest, in ascending order, with NaN after all others.
    pub fn smallest(self) -> TopKOptions {
        TopKOptions { smallest: true, ..self }
    }
}

/// A call before it is checked.
struct Call<'a, T: Ordered> {
    operation: &'static str,
    array: &'a Array<T>,
    k: usize,
    options: &'a TopKOptions,
    at: CallSite,
}

impl<T: Ordered> Call<'_, T> {
    fn check<I: ArrayIndex + Number>(&self) -> Result<usize> {
        self.array.check()?;
        let place = axis(self.operation, self.options.axis, self.array.rank(), self.at)?;
        let length = self.array.shape()[place];
        if self.k > length {
            let wanted = format!("at most the {length} elements along axis {place}");
            return Err(Error::argument(self.operation, "k", wanted, self.k.to_string(), self.at));
        }
        reach::<I>(self.operation, "axis", length, self.at)?;
        Ok(place)
    }

    /// The indices of the first k along an axis.
    fn indices<I: ArrayIndex + Number>(&self) -> Result<(Array<I>, usize)> {
        let place = self.check::<I>()?;
        let length = self.array.shape()[place];
        let device = self.array.device();
        // Of a long row at most half of each window, so that fewer elements are left.
        let most = TopK::most(device.caps(), T::DTYPE, length).min(device.most_numbered(Sort::MOST) / 2);
        let sorted = self.k > most || length < SORTED;
        let indices = match (sorted, self.array.is_long(place)) {
            (true, _) => self.sorted(place as isize),
            (false, false) => self.searched(place).cast(),
            (false, true) => self.searched_in_windows(place)?,
        };
        Ok((indices, place))
    }

    /// The first k of each window, and of these the first k. Equal ones stand in their order.
    fn searched_in_windows<I: ArrayIndex + Number>(&self, place: usize) -> Result<Array<I>> {
        let (length, most) = (self.array.shape()[place], self.array.device().most_numbered(Sort::MOST));
        let mut found = vec![];
        for range in ranges(self.operation, length, most, self.at)? {
            let part = self.array.part(place, range.start, 1, range.len());
            let (values, indices) = part.first_k::<u32>(self.operation, self.k.min(range.len()), self.options, self.at);
            found.push((values, indices.cast::<I>() + position::<I>(range.start)));
        }
        let (values, indices): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let axis = place as isize;
        let values = Array::joined(self.operation, &values, place, self.at);
        let (_, firsts) = values.first_k::<u32>(self.operation, self.k, self.options, self.at);
        let indices = Array::joined(self.operation, &indices, place, self.at);
        Ok(indices.take_along_axis(&firsts, axis, OutOfRange::Clamp))
    }

    /// The axis is searched as the last one, in memory without gaps.
    fn searched(&self, place: usize) -> Array<u32> {
        let (array, k, rank) = (&self.array.node, self.k, self.array.rank());
        let (last, back) = axis_last(array, place);
        let (length, largest) = (array.shape[place], !self.options.smallest);
        let rows = array.len() / length.max(1);
        let mut shape = last.shape.clone();
        shape[rank - 1] = k;
        let make = move |mut inputs: Vec<_>, output: usize| {
            let keys = inputs.pop().expect("the array");
            Box::new(TopK { keys, rows, length, k, largest, output }) as Box<dyn crosslane_core::op::Op>
        };
        let found = Task::nodes(&[(&last, Take::Dense)], vec![(shape, DType::U32)], 3, make).remove(0);
        Array::of(view(&found, &|layout| Some(layout.permute(&back))))
    }

    /// The axis is sorted: for more than lists hold, and for rows too short for lists. The largest are the last, where equal
    /// elements come in the order of the reversed axis, which is theirs from the end.
    fn sorted<I: ArrayIndex + Number>(&self, place: isize) -> Array<I> {
        let length = self.array.shape()[place as usize];
        let first = |indices: Array<I>| {
            let cut = |a: usize| if a as isize == place { (..self.k as isize).into() } else { (..).into() };
            indices.slice(&(0..indices.rank()).map(cut).collect::<Vec<Slice>>())
        };
        let order = |array: &Array<T>| array.sorting::<I>(self.operation, &SortOptions::default().axis(place), self.at);
        match self.options.smallest {
            true => first(order(self.array)),
            false => {
                let indices = first(order(&self.array.flip(place)).flip(place));
                Array::full(indices.device(), &[], position(length.saturating_sub(1))) - indices
            }
        }
    }
}

impl<T: Ordered> Array<T> {
    /// The `k` largest elements of the last axis, in descending order, and their indices along it. Equal elements keep
    /// their order, the lowest index first. NaN is larger than all others, and -0 and +0 are equal. This is the order
    /// of `torch.topk`, which guarantees none for equal elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[2.5f32, 7.0, -1.0, 7.0]);
    /// let (values, indices) = x.top_k(3);
    /// assert_eq!(values.to_vec()?, [7.0, 7.0, 2.5]);
    /// assert_eq!(indices.to_vec()?, [1, 3, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Both are deferred, and values that are not used are not fetched. The same input gives the same result, equal
    /// elements included.
    ///
    /// Cost: one read of the array, in one launch for rows of up to 16,384 elements, else in three; long rows have a
    /// bound taken from a sample first (after GridSelect: Zhang et al., Parallel Top-K Algorithms on GPU, 2023). Rows
    /// sorted against the wanted order take longer than rows in random order. For more than 512 elements on a device
    /// with 16 KiB of workgroup memory, and more than 2048 anywhere, and along axes shorter than 64, the axis is
    /// sorted.
    ///
    /// Errors (kept in the arrays): no axis; `k` larger than it; more than 2^32 elements along it, since indices are u32
    /// ([`Array::top_k_as`] gives others); as for [`Array::sort`] and, in the values, [`Array::take_along_axis`].
    #[track_caller]
    #[doc(alias = "topk")]
    pub fn top_k(&self, k: usize) -> (Array<T>, Array<u32>) {
        self.first_k("top_k", k, &TopKOptions::default(), Location::caller())
    }

    /// As [`Array::top_k`], with [`TopKOptions`].
    #[track_caller]
    pub fn top_k_with(&self, k: usize, options: &TopKOptions) -> (Array<T>, Array<u32>) {
        self.first_k("top_k_with", k, options, Location::caller())
    }

    pub(crate) fn first_k<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        k: usize,
        options: &TopKOptions,
        at: CallSite,
    ) -> (Array<T>, Array<I>) {
        match (Call { operation, array: self, k, options, at }).indices() {
            Ok((indices, place)) => (self.take_along_axis(&indices, place as isize, OutOfRange::Clamp), indices),
            Err(error) => (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error)),
        }
    }
}
