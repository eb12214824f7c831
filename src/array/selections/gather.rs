//! Gathers and scatters by index, as methods.

use crate::array::index::ArrayIndex;
use crate::array::shapes::axes::axis as place;
use crate::array::{Array, create};
use crate::element::{DType, Element, Number};
use crate::graph::{Expr, Node, Take, Task};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use crosslane_core::memory::Site;
use crosslane_ops::{Combine, Gather, Indexing, OutOfRange, Scatter};
use std::panic::Location;
use std::sync::Arc;

/// Where indices point to.
#[derive(Clone, Copy)]
pub(crate) enum Along {
    /// The whole array, flattened.
    Flat,
    /// Rows of an axis: the indices' axes take its place.
    Rows(isize),
    /// One element each, of the same place on all other axes.
    Each(isize),
}

/// A call with indices before it is checked.
pub(crate) struct Call<'a> {
    pub operation: &'static str,
    pub array: &'a Arc<Node>,
    pub indices: &'a Arc<Node>,
    pub along: Along,
    pub outside: OutOfRange,
    pub at: CallSite,
}

/// The most elements that one kernel numbers, beside the number that means none.
const MOST: usize = u32::MAX as usize - 1;

/// The layout of indices over the space of the elements that are gathered or scattered.
pub(super) struct Extents {
    pub space: Vec<usize>,
    /// The shape of the indices that is broadcast to the space.
    pub own: Vec<usize>,
    /// How far the address of the axis' first element moves along each axis of the space.
    moves: Vec<isize>,
    /// The axis, or none for the whole array; its extent and stride.
    pub axis: Option<usize>,
    pub extent: usize,
    stride: usize,
}

/// Indices over the space of the elements that are gathered or scattered.
pub(super) struct Space {
    pub shape: Vec<usize>,
    pub indices: Arc<Node>,
    pub base: Arc<Node>,
    pub extent: usize,
    pub stride: usize,
    /// For [`OutOfRange::Error`].
    pub report: Option<Arc<Node>>,
}

impl Call<'_> {
    pub(super) fn mistake<T>(&self, argument: &str, wanted: impl Into<String>, got: impl Into<String>) -> Result<T> {
        Err(Error::argument(self.operation, argument, wanted, got, self.at))
    }

    fn check(&self, others: &[&Arc<Node>]) -> Result<()> {
        let all = || [self.array, self.indices].into_iter().chain(others.iter().copied());
        if let Some(error) = all().find_map(|node| node.error()) {
            return Err(error);
        }
        if let Some(other) = all().find(|node| node.device != self.array.device) {
            return self.mistake("device", format!("{:?}", self.array.device), format!("{:?}", other.device));
        }
        Ok(())
    }

    pub(super) fn extents(&self) -> Result<Extents> {
        let (shape, given) = (&self.array.shape, &self.indices.shape);
        let strides = Layout::contiguous(shape).strides;
        match self.along {
            Along::Flat => {
                let (space, own, moves) = (given.clone(), given.clone(), vec![0; given.len()]);
                Ok(Extents { space, own, moves, axis: None, extent: self.array.len(), stride: 1 })
            }
            Along::Rows(axis) => {
                let a = place(self.operation, axis, shape.len(), self.at)?;
                let space = [&shape[..a], given, &shape[a + 1..]].concat();
                let own = [vec![1; a], given.clone(), vec![1; shape.len() - a - 1]].concat();
                let moves = [&strides[..a], &vec![0; given.len()], &strides[a + 1..]].concat();
                Ok(Extents { space, own, moves, axis: Some(a), extent: shape[a], stride: strides[a] as usize })
            }
            Along::Each(axis) => {
                let a = place(self.operation, axis, shape.len(), self.at)?;
                let mut across = shape.clone();
                if given.len() == shape.len() {
                    across[a] = given[a];
                }
                let Some(space) = broadcast_shapes(&[&across, given]).filter(|_| given.len() == shape.len()) else {
                    let wanted = format!("the shape {shape:?} but for axis {a}");
                    return self.mistake("indices", wanted, format!("{given:?}"));
                };
                let step = |d: usize| if d == a || shape[d] == 1 { 0 } else { strides[d] };
                let moves = (0..shape.len()).map(step).collect();
                let (own, stride) = (given.clone(), strides[a] as usize);
                Ok(Extents { space, own, moves, axis: Some(a), extent: shape[a], stride })
            }
        }
    }

    pub(super) fn space(&self) -> Result<Space> {
        let Extents { space: shape, own, moves, extent, stride, .. } = self.extents()?;
        create::fits(self.operation, self.array.dtype, &shape, self.at)?;
        if extent == 0 && !shape.contains(&0) {
            return self.mistake("array", "a non-empty array, as there are indices", format!("{:?}", self.array.shape));
        }
        let device = &self.array.device;
        let view = |layout: &Layout| layout.reshape(&own).and_then(|layout| layout.broadcast(&shape));
        let indices = crate::graph::view(self.indices, &view);
        let base = Layout { shape: shape.clone(), strides: moves, offset: 0 };
        let base = Node::lazy(device, shape.clone(), DType::U32, Expr::Index(base));
        Ok(Space { shape, indices, base, extent, stride, report: self.report()? })
    }

    /// Where an index out of range is reported, if it is an error.
    pub(super) fn report(&self) -> Result<Option<Arc<Node>>> {
        if self.outside != OutOfRange::Error {
            return Ok(None);
        }
        let (operation, at, signed) = (self.operation, self.at, self.indices.dtype == DType::I32);
        let cell = Node::fault_cell(&self.array.device, Site { operation, at, signed });
        cell.map(Some).map_err(|error| error.located(at))
    }

    pub(super) fn gathered(&self) -> Result<Arc<Node>> {
        self.check(&[])?;
        self.check_without_results()?;
        let most = self.array.device.most_numbered(MOST);
        if let Some((indices, outside)) = self.narrowed(most)? {
            return Call { indices: &indices, outside, ..*self }.gathered();
        }
        match self.array.len() > most {
            true => self.gathered_in_windows(most),
            false => Ok(self.gathered_from(self.array, &self.space()?)),
        }
    }

    /// A gather from a source of the array's type, at the addresses of a space.
    pub(super) fn gathered_from(&self, source: &Arc<Node>, space: &Space) -> Arc<Node> {
        let Space { shape, extent, stride, .. } = space;
        let (shape, extent, stride, outside) = (shape.clone(), *extent, *stride, self.outside);
        let checks = space.report.is_some();
        let inputs = [(&space.indices, Take::Fused), (&space.base, Take::Fused), (source, Take::Dense)];
        let inputs = inputs.into_iter().chain(space.report.iter().map(|report| (report, Take::Dense)));
        let outputs = vec![(shape.clone(), self.array.dtype)];
        let make = move |inputs: Vec<_>, output| {
            let mut inputs = inputs.into_iter();
            let mut next = || inputs.next().expect("as many as were given");
            let (indices, base, source) = (next(), next(), next());
            let report = checks.then(&mut next);
            let indexing = Indexing { indices, base, extent, stride, outside, report };
            Box::new(Gather { source, indexing, shape: shape.clone(), output }) as Box<dyn crosslane_core::op::Op>
        };
        Task::nodes(&inputs.collect::<Vec<_>>(), outputs, 1, make).remove(0)
    }

    /// The shape that values for these indices are broadcast to.
    pub fn taken(&self, values: &Node) -> Result<Vec<usize>> {
        let shape = self.extents()?.space;
        if broadcast_shapes(&[&values.shape, &shape]).is_none_or(|to| to != shape) {
            let wanted = format!("a shape that broadcasts to {shape:?}");
            return self.mistake("shape of the values", wanted, format!("{:?}", values.shape));
        }
        Ok(shape)
    }

    pub(super) fn scattered(&self, values: &Arc<Node>, combine: Combine) -> Result<Arc<Node>> {
        self.check(&[values])?;
        let dtype = self.array.dtype;
        if !combine.exists(dtype) {
            let (wanted, device) = (format!("atomics for {dtype}"), self.array.device.properties().label());
            let (operation, help) = (self.operation, "cast to f32, i32 or u32".to_string());
            return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(self.at) }.into());
        }
        self.taken(values)?;
        self.check_without_results()?;
        let most = self.array.device.most_numbered(MOST);
        if let Some((indices, outside)) = self.narrowed(most)? {
            return Call { indices: &indices, outside, ..*self }.scattered(values, combine);
        }
        if self.array.len() > most {
            return self.scattered_in_windows(values, combine, most);
        }
        let space = self.space()?;
        let Space { shape, extent, stride, .. } = &space;
        let values = crate::graph::broadcast(values, shape);
        let (shape, extent, stride, outside) = (shape.clone(), *extent, *stride, self.outside);
        let checks = space.report.is_some();
        let inputs = [self.array, &space.indices, &space.base, &values].map(|node| (node, Take::Fused));
        let inputs = inputs.into_iter().chain(space.report.iter().map(|report| (report, Take::Dense)));
        let target_shape = self.array.shape.clone();
        let outputs = vec![(target_shape.clone(), dtype)];
        let make = move |inputs: Vec<_>, output| {
            let mut inputs = inputs.into_iter();
            let mut next = || inputs.next().expect("as many as were given");
            let (target, indices, base, values) = (next(), next(), next(), next());
            let report = checks.then(&mut next);
            let indexing = Indexing { indices, base, extent, stride, outside, report };
            let (target_shape, shape) = (target_shape.clone(), shape.clone());
            Box::new(Scatter { target, target_shape, values, indexing, shape, combine, output })
                as Box<dyn crosslane_core::op::Op>
        };
        Ok(Task::nodes(&inputs.collect::<Vec<_>>(), outputs, 1, make).remove(0))
    }
}

impl<T: Element> Array<T> {
    pub(crate) fn gather<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Array<T> {
        let indices = indices.cast::<I::Wide>();
        let call = Call { operation, array: &self.node, indices: &indices.node, along, outside, at };
        call.gathered().map_or_else(|error| Array::failed(self.device(), error), Array::of)
    }

    /// The elements at these row-major indices, in the shape of the index array: NumPy's `take`.
    ///
    /// Cost: the array is made contiguous if need be; then one read for each index, coalesced where neighbouring
    /// indices are adjacent. An array of 2^32 elements or more is read in windows, each time with all indices.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::OutOfRange;
    /// let x = Array::from_slice(device, &[10, 20, 30]);
    /// let indices = Array::from_slice(device, &[2, 0, -1]);
    /// assert_eq!(x.take(&indices, OutOfRange::Error).to_vec()?, [30, 10, 30]);
    /// let far = Array::from_slice(device, &[1, 7]);
    /// assert_eq!(x.take(&far, OutOfRange::Clamp).to_vec()?, [20, 30]);
    /// let error = x.take(&far, OutOfRange::Error).to_vec().unwrap_err();
    /// assert!(error.to_string().contains("wanted -3 to 2, got 7"));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more elements than 2^42; another device; indices into an empty array. With
    /// [`OutOfRange::Error`]: an index out of range.
    #[track_caller]
    pub fn take<I: ArrayIndex>(&self, indices: &Array<I>, outside: OutOfRange) -> Array<T> {
        self.gather("take", indices, Along::Flat, outside, Location::caller())
    }

    /// Rows along an axis by their indices: NumPy's `take` with an axis. The axes of the index array replace that axis. An array
    /// of 2^32 elements or more is read in windows of another axis, whose results are joined.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::OutOfRange;
    /// let x = Array::from_shape(device, &[3, 2], &[1, 2, 3, 4, 5, 6]);
    /// let rows = Array::from_slice(device, &[2u32, 0]);
    /// assert_eq!(x.take_axis(&rows, 0, OutOfRange::Error).to_vec()?, [5, 6, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::take`]; an axis out of range.
    #[track_caller]
    pub fn take_axis<I: ArrayIndex>(&self, indices: &Array<I>, axis: isize, outside: OutOfRange) -> Array<T> {
        self.gather("take_axis", indices, Along::Rows(axis), outside, Location::caller())
    }

    /// One element for each index, from the same position on all other axes: NumPy's `take_along_axis`. With the result
    /// of `argsort` it sorts, and that of `arg_max_axes` with [`Axes::keep_dims`](crate::array::Axes::keep_dims) gives
    /// the largest elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::OutOfRange;
    /// use crosslane::{Array, axes};
    /// let x = Array::from_shape(device, &[2, 3], &[1, 9, 3, 7, 5, 6]);
    /// let largest = x.arg_max_axes(axes(1).keep_dims());
    /// assert_eq!(x.take_along_axis(&largest, 1, OutOfRange::Error).to_vec()?, [9, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::take`]; an axis out of range; indices of another rank, or of a shape that does not fit.
    #[track_caller]
    pub fn take_along_axis<I: ArrayIndex>(&self, indices: &Array<I>, axis: isize, outside: OutOfRange) -> Array<T> {
        self.gather("take_along_axis", indices, Along::Each(axis), outside, Location::caller())
    }

    /// This array with values at these row-major indices: NumPy's `put`, as a new value. The values are broadcast to
    /// the shape of the indices.
    ///
    /// If several values go to one index, any of them may be kept. For 64-bit elements the two words may come from
    /// different values. On a device of [`DeviceOptions::deterministic`](crate::DeviceOptions::deterministic) the last is
    /// kept, as in NumPy, which takes some three times as long.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::OutOfRange;
    /// let x = Array::<i32>::zeros(device, &[4]);
    /// let indices = Array::from_slice(device, &[-1, 1]);
    /// let y = x.put(&indices, &Array::from_slice(device, &[7, 5]), OutOfRange::Error);
    /// assert_eq!(y.to_vec()?, [0, 5, 0, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::take`]; values of a shape that does not fit.
    #[track_caller]
    pub fn put<I: ArrayIndex>(&self, indices: &Array<I>, values: &Array<T>, outside: OutOfRange) -> Array<T> {
        self.replaced("put", indices, values, Along::Flat, outside, Location::caller())
    }

    /// As [`Array::put`], one value for each index along an axis, at the same position on all other axes: NumPy's
    /// `put_along_axis`, as a new value.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::OutOfRange;
    /// use crosslane::{Array, axes};
    /// let x = Array::from_shape(device, &[2, 3], &[1, 9, 3, 7, 5, 6]);
    /// let largest = x.arg_max_axes(axes(1).keep_dims());
    /// let y = x.put_along_axis(&largest, &Array::zeros(device, &[1]), 1, OutOfRange::Error);
    /// assert_eq!(y.to_vec()?, [1, 0, 3, 0, 5, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::take_along_axis`]; values of a shape that does not fit.
    #[track_caller]
    pub fn put_along_axis<I: ArrayIndex>(
        &self,
        indices: &Array<I>,
        values: &Array<T>,
        axis: isize,
        outside: OutOfRange,
    ) -> Array<T> {
        self.replaced("put_along_axis", indices, values, Along::Each(axis), outside, Location::caller())
    }

    #[expect(clippy::too_many_arguments, reason = "what the methods differ in")]
    pub(crate) fn scatter<I: ArrayIndex>(
        &self,
        operation: &'static str,
        indices: &Array<I>,
        values: &Array<T>,
        combine: Combine,
        along: Along,
        outside: OutOfRange,
        at: CallSite,
    ) -> Array<T> {
        let indices = indices.cast::<I::Wide>();
        let call = Call { operation, array: &self.node, indices: &indices.node, along, outside, at };
        call.scattered(&values.node, combine).map_or_else(|error| Array::failed(self.device(), error), Array::of)
    }
}

/// A method for elements and one for rows, of each way to combine.
macro_rules! scatters {
    ($($name:ident $rows:ident $combine:ident, $doc:literal, $given:literal, $gives:literal, $rows_gives:literal;)*) => {
        impl<T: Number> Array<T> {$(
            #[doc = $doc]
            ///
            /// `f32`, `i32` and `u32`; by atomics, where several values for one place wait for each other.
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// use crosslane::Array;
            /// use crosslane::array::OutOfRange;
            #[doc = concat!("let x = Array::from_slice(device, &", $given, ");")]
            /// let (at, values) = (Array::from_slice(device, &[0, 0, 2]), Array::from_slice(device, &[4, -1, 3]));
            #[doc = concat!("let y = x.", stringify!($name), "(&at, &values, OutOfRange::Error);")]
            #[doc = concat!("assert_eq!(y.to_vec()?, ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// Errors: as [`Array::put`]; another type.
            #[track_caller]
            pub fn $name<I: ArrayIndex>(&self, indices: &Array<I>, values: &Array<T>, outside: OutOfRange) -> Array<T> {
                let (name, at) = (stringify!($name), Location::caller());
                self.combined(name, indices, values, Combine::$combine, Along::Flat, outside, at)
            }

            #[doc = concat!("As [`Array::", stringify!($name), "`], whole rows along an axis; the values have, or are")]
            /// broadcast to, this array's shape with the indices' axes in place of that one.
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// use crosslane::Array;
            /// use crosslane::array::OutOfRange;
            #[doc = concat!("let x = Array::from_slice(device, &", $given, ").reshape(&[3, 1]);")]
            /// let (at, values) = (Array::from_slice(device, &[2u32, 2]), Array::from_shape(device, &[2, 1], &[4, -1]));
            #[doc = concat!("let y = x.", stringify!($rows), "(&at, &values, 0, OutOfRange::Error);")]
            #[doc = concat!("assert_eq!(y.to_vec()?, ", $rows_gives, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// Errors: as [`Array::put`]; another type; an axis that is not there.
            #[track_caller]
            pub fn $rows<I: ArrayIndex>(
                &self,
                indices: &Array<I>,
                values: &Array<T>,
                axis: isize,
                outside: OutOfRange,
            ) -> Array<T> {
                let (name, at) = (stringify!($rows), Location::caller());
                self.combined(name, indices, values, Combine::$combine, Along::Rows(axis), outside, at)
            }
        )*}
    };
}

scatters! {
    scatter_add scatter_add_axis Add, "This array with values added at these numbers, counted in row-major order: NumPy's `add.at`, as a new value. Integers wrap, and give the same in any order; sums of `f32` may differ in their last bits from run to run, but for a device of [`DeviceOptions::deterministic`](crate::DeviceOptions::deterministic): there they are as [`Array::scatter_ordered`], at its cost.", "[1, 1, 1]", "[4, 1, 4]", "[1, 1, 4]";
    scatter_min scatter_min_axis Minimum, "This array with the smaller of each element and the values for it; NaN if any is NaN.", "[1, 1, 1]", "[-1, 1, 1]", "[1, 1, -1]";
    scatter_max scatter_max_axis Maximum, "This array with the larger of each element and the values for it; NaN if any is NaN.", "[1, 1, 1]", "[4, 1, 3]", "[1, 1, 4]";
}
