//! Runs of equal neighbours: where they begin and end, and their values and lengths.

use crate::array::selections::selected_windows::{count_of, is_long, selected_of_many, selected_parts, windows_of};
use crate::array::{Array, Selected, create};
use crate::element::{DType, Element, Ordered, Scalar};
use crate::graph::{Expr, Node, State, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_ops::{ByKey, Operator, Runs};
use std::panic::Location;
use std::sync::Arc;

/// Where runs of equal neighbours begin and end, for the operation that asks.
pub(crate) struct Edges {
    /// For each element a byte of [`Runs`].
    bytes: Array<u8>,
    operation: &'static str,
    at: CallSite,
}

impl Edges {
    /// The runs of an array, flattened.
    pub fn of<T: Ordered>(operation: &'static str, x: &Array<T>, at: CallSite) -> Result<Edges> {
        x.check()?;
        create::check::<T>(operation, x.device(), x.shape(), at)?;
        let len = x.len();
        if len == 0 {
            let nothing = Expr::Constant(Scalar { dtype: DType::U8, bits: 0 });
            let bytes = Array::of(Node::lazy(x.device(), vec![0], DType::U8, nothing));
            return Ok(Edges { bytes, operation, at });
        }
        let make = move |mut inputs: Vec<_>, output| {
            Box::new(Runs { values: inputs.remove(0), len, output }) as Box<dyn crosslane_core::op::Op>
        };
        let outputs = vec![(vec![len], DType::U8)];
        let bytes = Array::of(Task::nodes(&[(&x.flatten().node, Take::Dense)], outputs, 1, make).remove(0));
        Ok(Edges { bytes, operation, at })
    }

    /// 1 where a run begins, else 0.
    pub fn begins(&self) -> Array<u32> {
        self.bytes.cast::<u32>() & 1
    }

    /// Not 0 where a run ends.
    pub fn ends(&self) -> Array<u32> {
        self.bytes.cast::<u32>() & 2
    }

    /// The first element of each run.
    pub fn firsts<T: Element>(&self, x: &Array<T>) -> Selected<T> {
        match is_long(&x.node) {
            true => self.of_many(selected_of_many(self.operation, &x.node, &self.begins().node, self.at)),
            false => x.flatten().compress(&self.begins()),
        }
    }

    fn of_many<T: Element>(&self, made: Result<Selected<T>>) -> Selected<T> {
        made.unwrap_or_else(|error| Selected::failed(self.bytes.device(), error))
    }

    /// The length of each run.
    pub fn lengths(&self) -> Selected<u32> {
        if is_long(&self.bytes.node) {
            return self.of_many(self.lengths_of_many());
        }
        let places = Array::<u32>::counting(self.bytes.device(), self.bytes.len());
        // Where the run of each element begins is the last beginning so far.
        let starts = (&places * self.begins()).cummax(0);
        (places + 1 - starts).compress(&self.ends())
    }

    /// The same from more elements than one kernel selects from, at once. Places are taken modulo 2^32, and so are their
    /// differences, which are right for runs of fewer elements.
    fn lengths_of_many(&self) -> Result<Selected<u32>> {
        let (operation, at, device, source) = (self.operation, self.at, self.bytes.device(), self.bytes.len());
        let places = Node::lazy(device, vec![source], DType::U32, Expr::Index(Layout::contiguous(&[source])));
        let parts = selected_parts(operation, &places, &self.begins().node, at)?;
        self.check_lengths(&parts)?;
        let count = count_of(operation, &parts, at)?;
        let starts = Array::joined(operation, &parts, 0, at);
        let end = Array::full(device, &[1], source as u32);
        let ends = Array::joined(operation, &[starts.part(0, 1, 1, starts.len() - 1), end], 0, at);
        Ok(Selected { values: ends - &starts, count, of: None, source })
    }

    /// Whether a u32 holds the length of each run, of which the places are given where they begin in each window.
    fn check_lengths(&self, parts: &[Array<u32>]) -> Result<()> {
        let len = self.bytes.len();
        let ranges = windows_of::<u32>(self.operation, &self.bytes.node, self.at)?;
        let some = || ranges.iter().zip(parts).filter(|(_, part)| !part.is_empty());
        let ends = some().flat_map(|(_, part)| [0, part.len() - 1].map(|place| part.part(0, place, 1, 1)));
        let ends = Array::read_all(&ends.collect::<Vec<_>>().iter().collect::<Vec<_>>())?;
        let whole = |start: usize, place: u32| start + place.wrapping_sub(start as u32) as usize;
        let mut before = 0;
        let mut longest = 0;
        for ((range, _), ends) in some().zip(ends.chunks_exact(2)) {
            longest = longest.max(whole(range.start, ends[0][0]) - before);
            before = whole(range.start, ends[1][0]);
        }
        longest = longest.max(len - before);
        match u32::try_from(longest) {
            Ok(_) => Ok(()),
            Err(_) => {
                let wanted = "runs of fewer than 2^32 elements: a u32 holds the length of each";
                Err(Error::argument(self.operation, "array", wanted, longest.to_string(), self.at))
            }
        }
    }

    /// The first element and the length of each run.
    pub fn encoded<T: Ordered>(&self, x: &Array<T>) -> (Selected<T>, Selected<u32>) {
        let (firsts, lengths) = (self.firsts(x), self.lengths());
        if is_long(&x.node) {
            return (firsts, lengths);
        }
        let ones = Array::<u32>::full(x.device(), &[x.len()], 1);
        match by_key(&x.flatten(), &ones.node, Operator::Sum) {
            Some((values, sums, count)) => (firsts.taken_from(values, &count), lengths.taken_from(sums, &count)),
            None => (firsts, lengths),
        }
    }
}

/// The first key of each run of keys, the run's values combined, and how many runs there are: by one kernel, where
/// everything is bound whole.
pub(crate) fn by_key<K: Ordered, R: Element>(
    keys: &Array<K>,
    values: &Arc<Node>,
    operator: Operator,
) -> Option<(Array<K>, Array<R>, Array<u32>)> {
    let (len, caps) = (keys.len(), keys.device().caps());
    let fits = |size: usize| (len * size) as u64 + 1024 <= caps.binding_bytes;
    let whole = fits(K::DTYPE.size()) && fits(R::DTYPE.size()) && fits(values.dtype.size());
    // A lane has four values as one vector. Beside the values: keys in and out, results, the count, and what tiles publish.
    if len == 0 || len >= 1 << 31 || !whole || caps.bindings < 6 || values.dtype.is_complex() {
        return None;
    }
    // What is read may be wider, or lie further apart, than what comes of it.
    let take = match &*values.state() {
        State::Ready(storage) if storage.memory.bytes() <= caps.binding_bytes => Take::Fused,
        State::Lazy(Expr::Constant(_)) => Take::Fused,
        State::Lazy(_) if fits(8) => Take::Fused,
        _ => Take::Dense,
    };
    let outputs = vec![(vec![len], K::DTYPE), (vec![len], R::DTYPE), (vec![1], DType::U32)];
    let make = move |mut expressions: Vec<crosslane_core::op::Expression>, output| {
        let (keys, values, operator) = (expressions.remove(1), expressions.remove(0), operator.clone());
        Box::new(ByKey { values, keys, len, operator, output }) as Box<dyn crosslane_core::op::Op>
    };
    let mut nodes = Task::nodes(&[(values, take), (&keys.node, Take::Dense)], outputs, 4, make).into_iter();
    let mut next = || nodes.next().expect("there are three outputs");
    Some((Array::of(next()), Array::of(next()), Array::of(next())))
}

impl<T: Ordered> Array<T> {
    /// The runs of equal neighbours, in row-major order: the value of each, and its length. Run-length encoding;
    /// [`Array::repeat`] decodes. The count stays on the device, in both.
    ///
    /// Elements are equal if a sort treats them as equal: all NaNs, and -0 and +0. A run's value is its first element.
    ///
    /// Cost: each element is read once, by one launch that gives values and lengths together. Elements of more than one
    /// binding are read twice, with some 20 bytes of memory traffic for an element of four.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[7, 7, 7, 2, 5, 5]);
    /// let (values, lengths) = x.run_lengths(); // nothing has run yet
    /// assert_eq!(values.to_vec()?, [7, 2, 5]);
    /// assert_eq!(lengths.to_vec()?, [3, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// From 2^32 elements or more it selects at once, as [`Array::compress`].
    ///
    /// Errors (kept in both): values that would not fit one binding. From 2^32 elements or more: as [`Array::compress`]; kept
    /// in the lengths: a run of 2^32.
    #[track_caller]
    #[doc(alias = "run_length_encode")]
    #[doc(alias = "rle")]
    pub fn run_lengths(&self) -> (Selected<T>, Selected<u32>) {
        match Edges::of("run_lengths", self, Location::caller()) {
            Ok(edges) => edges.encoded(self),
            Err(error) => (Selected::failed(self.device(), error.clone()), Selected::failed(self.device(), error)),
        }
    }
}
