//! Sorting as methods: values, indices, and pairs, along one axis.

use crate::array::index::reach;
use crate::array::selections::gather::Along;
use crate::array::shapes::axes::axis;
use crate::array::{Array, ArrayIndex};
use crate::device::Device;
use crate::element::{DType, Element, Number, Ordered};
use crate::graph::{Node, Take, Task, axis_last, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Expression;
use crosslane_ops::{OutOfRange, Payload, Sort};
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

/// How to sort: along which axis, in which direction, by which bits.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::SortOptions;
/// let x = Array::from_slice(device, &[3, 1, 2, 9]).reshape(&[2, 2]);
/// let options = SortOptions::default().axis(0).descending();
/// assert_eq!(x.sort_with(&options).to_vec()?, [3, 9, 2, 1]);
/// assert_eq!(x.argsort_with(&options).to_vec()?, [0, 1, 1, 0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortOptions {
    axis: isize,
    descending: bool,
    bits: Option<Range<u32>>,
}

impl Default for SortOptions {
    /// Along the last axis, the smallest first, by all bits.
    fn default() -> SortOptions {
        SortOptions { axis: -1, descending: false, bits: None }
    }
}

impl SortOptions {
    /// Along this axis; negative numbers count from the end.
    pub fn axis(self, axis: isize) -> SortOptions {
        SortOptions { axis, ..self }
    }

    /// The largest first. Equal keys keep their order, and NaNs stay last.
    pub fn descending(self) -> SortOptions {
        SortOptions { descending: true, ..self }
    }

    /// Sorts by these bits only; bit 0 is the lowest. Fewer bits take fewer passes. The bits are those of an
    /// order-preserving unsigned integer: for unsigned keys the key itself; for signed keys the key with its sign bit
    /// flipped; for floats all bits flipped if negative, else the sign bit flipped.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::SortOptions;
    /// let x = Array::from_slice(device, &[0x13u32, 0x21, 0x11, 0x02]);
    /// assert_eq!(x.sort_with(&SortOptions::default().bits(0..4)).to_vec()?, [0x21, 0x11, 0x02, 0x13]);
    /// # Ok(()) });
    /// ```
    pub fn bits(self, bits: Range<u32>) -> SortOptions {
        SortOptions { bits: Some(bits), ..self }
    }

    /// For rows of so many keys that have no bit past the low ones: by these, or by all where rows are sorted in windows, which
    /// some bits would cost a sort more.
    pub(crate) fn low_bits(bits: u32, length: usize, device: &Device) -> SortOptions {
        match length > device.most_numbered(Sort::MOST) {
            true => SortOptions::default(),
            false => SortOptions::default().bits(0..bits),
        }
    }

    /// The bits to sort by, if they are not all.
    pub(super) fn some_bits(&self, dtype: DType) -> Option<Range<u32>> {
        self.bits.clone().filter(|bits| *bits != (0..width(dtype)))
    }

    pub(super) fn is_descending(&self) -> bool {
        self.descending
    }

    fn checked_bits(&self, operation: &'static str, dtype: DType, at: CallSite) -> Result<Range<u32>> {
        let width = width(dtype);
        match &self.bits {
            None => Ok(0..width),
            Some(bits) if bits.start <= bits.end && bits.end <= width => Ok(bits.clone()),
            Some(bits) => {
                Err(Error::argument(operation, "bits", format!("a range in 0..{width}"), format!("{bits:?}"), at))
            }
        }
    }
}

/// How many bits a key has.
fn width(dtype: DType) -> u32 {
    if dtype == DType::Bool { 1 } else { 8 * dtype.size() as u32 }
}

/// What is sorted: the operation as it is called, and what comes out.
struct Call<'a> {
    operation: &'static str,
    keys: &'a Arc<Node>,
    /// What moves with the keys.
    moves: Moves<'a>,
    gives_keys: bool,
    options: &'a SortOptions,
    /// How many keys count, where the device alone knows.
    count: Option<&'a Arc<Node>>,
    at: CallSite,
}

#[derive(Clone, Copy)]
enum Moves<'a> {
    Nothing,
    Indices,
    Values(&'a Arc<Node>),
}

impl Call<'_> {
    /// The axis among the keys'.
    fn place(&self) -> Result<usize> {
        axis(self.operation, self.options.axis, self.keys.shape.len(), self.at)
    }

    /// The axis, if rows along it are longer than one sort takes. Mistakes are left to [`Call::nodes`].
    fn long<T: Ordered>(&self, keys: &Array<T>) -> Option<usize> {
        let place = self.place().ok()?;
        let fits = match self.moves {
            Moves::Values(values) => self.check_values(values).is_ok(),
            _ => true,
        };
        let bits = self.options.checked_bits(self.operation, T::DTYPE, self.at).is_ok();
        (keys.error().is_none() && fits && bits && !keys.is_empty() && keys.is_long(place)).then_some(place)
    }

    /// The outputs. The axis is sorted as the last one, in memory without gaps, and viewed as what it was.
    fn nodes(&self) -> Result<Vec<Arc<Node>>> {
        let keys = self.keys;
        if let Some(error) = keys.error() {
            return Err(error);
        }
        let place = self.place()?;
        let bits = self.options.checked_bits(self.operation, keys.dtype, self.at)?;
        if let Moves::Values(values) = self.moves {
            self.check_values(values)?;
        }
        let (length, most) = (keys.shape[place], keys.device.most_numbered(Sort::MOST));
        if length > most {
            let wanted = format!("at most {most} elements along it, where the device counts them");
            return Err(Error::argument(self.operation, "axis", wanted, length.to_string(), self.at));
        }
        let (last, back) = axis_last(keys, place);
        let mut taken = vec![last];
        if let Moves::Values(values) = self.moves {
            taken.push(axis_last(values, place).0);
        }
        taken.extend(self.count.cloned());
        let moved = match self.moves {
            Moves::Nothing => None,
            Moves::Indices => Some(DType::U32),
            Moves::Values(values) => Some(values.dtype),
        };
        let shape = taken[0].shape.clone();
        let outputs =
            self.gives_keys.then_some(keys.dtype).into_iter().chain(moved).map(|dtype| (shape.clone(), dtype));
        let (descending, gives_keys) = (self.options.descending, self.gives_keys);
        let (rows, counted) = (keys.len() / length.max(1), self.count.is_some());
        let indices = matches!(self.moves, Moves::Indices);
        let make = move |mut inputs: Vec<Expression>, output: usize| -> Box<dyn crosslane_core::op::Op> {
            let count = if counted { inputs.pop() } else { None };
            let payload = match inputs.len() {
                2 => Payload::Array(inputs.pop().expect("two")),
                _ if indices => Payload::Index,
                _ => Payload::None,
            };
            let keys = inputs.pop().expect("the keys");
            Box::new(Sort { keys, payload, rows, length, descending, bits: bits.clone(), count, gives_keys, output })
        };
        let inputs: Vec<(&Arc<Node>, Take)> = taken.iter().map(|node| (node, Take::Dense)).collect();
        let nodes = Task::nodes(&inputs, outputs.collect(), 3, make);
        Ok(nodes.iter().map(|node| view(node, &|layout| Some(layout.permute(&back)))).collect())
    }

    /// Keys and what moves with them; a mistake in both.
    fn pair<K: Ordered, V: Element>(&self, device: &Device) -> (Array<K>, Array<V>) {
        match self.nodes() {
            Ok(nodes) => (Array::of(nodes[0].clone()), Array::of(nodes[1].clone())),
            Err(error) => (Array::failed(device, error.clone()), Array::failed(device, error)),
        }
    }

    /// Sorted keys, and from values that fit those of the places where the keys come from.
    fn pairs_by<K: Ordered, V: Element, I: ArrayIndex + Number>(
        &self,
        (keys, places): (Array<K>, Array<I>),
        values: &[&Array<V>],
    ) -> Result<(Array<K>, Vec<Array<V>>)> {
        keys.check()?;
        let taken =
            |values: &&Array<V>| values.gather(self.operation, &places, Along::Each(-1), OutOfRange::Drop, self.at);
        let taken = values.iter().map(taken).collect();
        Ok((keys, taken))
    }

    fn check_values(&self, values: &Arc<Node>) -> Result<()> {
        if let Some(error) = values.error() {
            return Err(error);
        }
        if values.device != self.keys.device {
            let (wanted, got) = (format!("{:?}", self.keys.device), format!("{:?}", values.device));
            return Err(Error::argument(self.operation, "values", wanted, got, self.at));
        }
        if values.shape != self.keys.shape {
            let (wanted, got) = (format!("the keys' shape {:?}", self.keys.shape), format!("{:?}", values.shape));
            return Err(Error::argument(self.operation, "values", wanted, got, self.at));
        }
        Ok(())
    }
}

impl<T: Ordered> Array<T> {
    /// The elements of the last axis in ascending order, a sorted copy. Equal elements keep their order: -0 and +0 are
    /// equal, NaNs are equal and come last, as NumPy has it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[2.5f32, f32::NAN, -1.0, 0.0]);
    /// assert_eq!(x.sort().slice(crosslane::s![..3]).to_vec()?, [-1.0, 0.0, 2.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// A radix sort by 8 bits a pass (Onesweep: Adinets and Merrill, 2022): 36 bytes of memory traffic for a 32-bit
    /// element, and as much memory again as the array takes. Rows of a few thousand elements take one launch, in
    /// workgroup memory. The cpu engine merges them instead (64 elements in 10 us, 4000 in 150 us).
    ///
    /// A row of more than 2^32 - 2^16 elements is sorted at once, and not when its values are needed: its windows are sorted,
    /// then parts of them that lie between the same values. The host waits for the bounds of these parts. So each element
    /// is sorted twice, and some four copies of the array are in memory. By some bits it is sorted by an array of these bits,
    /// as [`Array::sort_pairs`], once for the keys and once for values.
    ///
    /// Errors (kept in the array): no axis. Of rows that are sorted in windows also: more elements than 2^42, out of memory,
    /// device lost.
    #[track_caller]
    pub fn sort(&self) -> Array<T> {
        self.sorted("sort", &SortOptions::default(), Location::caller())
    }

    /// As [`Array::sort`] along an axis; negative numbers count from the end.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3u8, 1, 2, 9]).reshape(&[2, 2]);
    /// assert_eq!(x.sort_axis(0).to_vec()?, [2, 1, 3, 9]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn sort_axis(&self, axis: isize) -> Array<T> {
        self.sorted("sort_axis", &SortOptions::default().axis(axis), Location::caller())
    }

    /// As [`Array::sort`], with [`SortOptions`].
    #[track_caller]
    pub fn sort_with(&self, options: &SortOptions) -> Array<T> {
        self.sorted("sort_with", options, Location::caller())
    }

    /// The indices that sort the last axis: the original index of each element of [`Array::sort`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[30, 10, 20, 10]);
    /// assert_eq!(x.argsort().to_vec()?, [1, 3, 2, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::sort`]; more than 2^32 elements along it, since indices are u32:
    /// [`Array::argsort_as`] gives others.
    #[track_caller]
    pub fn argsort(&self) -> Array<u32> {
        self.sorting("argsort", &SortOptions::default(), Location::caller())
    }

    /// As [`Array::argsort`] along an axis; negative numbers count from the end.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3, 1, 2, 9]).reshape(&[2, 2]);
    /// assert_eq!(x.argsort_axis(0).to_vec()?, [1, 0, 0, 1]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn argsort_axis(&self, axis: isize) -> Array<u32> {
        self.sorting("argsort_axis", &SortOptions::default().axis(axis), Location::caller())
    }

    /// As [`Array::argsort`], with [`SortOptions`].
    #[track_caller]
    pub fn argsort_with(&self, options: &SortOptions) -> Array<u32> {
        self.sorting("argsort_with", options, Location::caller())
    }

    /// The sorted keys, and the values in the same order: each value moves with the key at its place.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let ages = Array::from_slice(device, &[41u8, 7, 23]);
    /// let heights = Array::from_slice(device, &[1.8f32, 1.2, 1.7]);
    /// let (ages, heights) = ages.sort_pairs(&heights);
    /// assert_eq!(ages.to_vec()?, [7, 23, 41]);
    /// assert_eq!(heights.to_vec()?, [1.2, 1.7, 1.8]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the arrays): as for [`Array::sort`]; values of another shape or on another device.
    #[track_caller]
    pub fn sort_pairs<V: Element>(&self, values: &Array<V>) -> (Array<T>, Array<V>) {
        self.paired("sort_pairs", values, &SortOptions::default(), Location::caller())
    }

    /// As [`Array::sort_pairs`], with [`SortOptions`].
    #[track_caller]
    pub fn sort_pairs_with<V: Element>(&self, values: &Array<V>, options: &SortOptions) -> (Array<T>, Array<V>) {
        self.paired("sort_pairs_with", values, options, Location::caller())
    }

    /// The sorted keys, and arrays of values in the same order: [`Array::sort_pairs`] for any number of them. For
    /// values of several types, reorder each by the indices of [`Array::argsort`] with [`Array::take_along_axis`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = [[3, 1, 2], [30, 10, 20], [7, 8, 9]].map(|x| Array::from_slice(device, &x));
    /// let (keys, values) = x[0].sort_pairs_all(&[&x[1], &x[2]])?;
    /// assert_eq!(keys.to_vec()?, [1, 2, 3]);
    /// assert_eq!(values[0].to_vec()?, [10, 20, 30]);
    /// assert_eq!(values[1].to_vec()?, [8, 9, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: a sort with indices, and a gather of each value.
    ///
    /// Errors: as for [`Array::sort_pairs`]; the error that an array holds.
    #[track_caller]
    pub fn sort_pairs_all<V: Element>(&self, values: &[&Array<V>]) -> Result<(Array<T>, Vec<Array<V>>)> {
        let (operation, at) = ("sort_pairs_all", Location::caller());
        let options = SortOptions::default();
        let call = Call {
            operation,
            keys: &self.node,
            moves: Moves::Indices,
            gives_keys: true,
            options: &options,
            count: None,
            at,
        };
        self.check()?;
        values.iter().try_for_each(|values| call.check_values(&values.node))?;
        match self.shape().last().is_some_and(|&length| length as u64 > 1 << 32) {
            false => call.pairs_by::<T, V, u32>(self.sorted_with_places(operation, &options, at), values),
            true => call.pairs_by::<T, V, u64>(self.sorted_with_places(operation, &options, at), values),
        }
    }

    pub(crate) fn sorted(&self, operation: &'static str, options: &SortOptions, at: CallSite) -> Array<T> {
        let call =
            Call { operation, keys: &self.node, moves: Moves::Nothing, gives_keys: true, options, count: None, at };
        if let Some(place) = call.long(self) {
            let sorted = self.sorted_long::<T>(operation, None, options, place, at);
            return Array::kept(self.device(), sorted.map(|(keys, _)| keys));
        }
        match call.nodes() {
            Ok(nodes) => Array::of(nodes[0].clone()),
            Err(error) => Array::failed(self.device(), error),
        }
    }

    /// The sorted keys, and where each comes from.
    pub(crate) fn sorted_with_places<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        at: CallSite,
    ) -> (Array<T>, Array<I>) {
        match self.placed(operation, options, true, at) {
            Ok((keys, places)) => (keys.expect("they are asked for"), places),
            Err(error) => (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error)),
        }
    }

    /// Where each of the sorted keys comes from.
    pub(crate) fn sorting<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        at: CallSite,
    ) -> Array<I> {
        Array::kept(self.device(), self.placed(operation, options, false, at).map(|(_, places)| places))
    }

    /// The sorted keys, where they are asked for, and where each comes from.
    fn placed<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        gives_keys: bool,
        at: CallSite,
    ) -> Result<(Option<Array<T>>, Array<I>)> {
        let call = Call { operation, keys: &self.node, moves: Moves::Indices, gives_keys, options, count: None, at };
        if let Some(place) = call.long(self) {
            let (keys, places) = self.sorted_long_with_places(operation, options, place, at)?;
            return Ok((Some(keys), places));
        }
        let mut nodes = call.nodes()?;
        reach::<I>(operation, "axis", self.shape()[call.place()?], at)?;
        let places = Array::<u32>::of(nodes.pop().expect("places are asked for")).cast();
        Ok((nodes.pop().map(Array::of), places))
    }

    /// As many of one row as the device says, sorted; the others are anything.
    pub(crate) fn sorted_of(
        &self,
        operation: &'static str,
        count: &Array<u32>,
        options: &SortOptions,
        at: CallSite,
    ) -> Array<T> {
        let (keys, count) = (&self.node, Some(&*count.node));
        let call = Call { operation, keys, moves: Moves::Nothing, gives_keys: true, options, count, at };
        match call.nodes() {
            Ok(nodes) => Array::of(nodes[0].clone()),
            Err(error) => Array::failed(self.device(), error),
        }
    }

    pub(crate) fn paired<V: Element>(
        &self,
        operation: &'static str,
        values: &Array<V>,
        options: &SortOptions,
        at: CallSite,
    ) -> (Array<T>, Array<V>) {
        let moves = Moves::Values(&values.node);
        let call = Call { operation, keys: &self.node, moves, gives_keys: true, options, count: None, at };
        match call.long(self) {
            None => call.pair(self.device()),
            Some(place) => match self.sorted_long(operation, Some(values), options, place, at) {
                Ok((keys, values)) => (keys, values.expect("values are sorted with their keys")),
                Err(error) => (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error)),
            },
        }
    }
}
