//! Selection: the elements that satisfy a condition, stored contiguously.

use crate::array::Array;
use crate::array::selections::selected_windows::{is_long, selected_of_many};
use crate::device::Device;
use crate::element::{DType, Element, Scalar};
use crate::graph::{Expr, Node, Take, Task};
use crate::s;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Value;
use crosslane_ops::Select;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Selected elements. Only the device knows their count, until [`Selected::count`] reads it.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// let x = Array::from_slice(device, &[3.0f32, -1.0, 4.0, -1.0, 5.0]);
/// let positive = x.compress(&x.greater(0.0)); // nothing has run yet
/// assert_eq!(positive.or(0.0).sum().item()?, 12.0); // nor has the host learned how many there are
/// assert_eq!(positive.count()?, 3);
/// assert_eq!(positive.to_vec()?, [3.0, 4.0, 5.0]);
/// # Ok(()) });
/// ```
pub struct Selected<T: Element> {
    pub(crate) values: Array<T>,
    pub(crate) count: Array<u32>,
    /// What was selected from, and by what; `None` if they were made of selected elements.
    pub(crate) of: Option<[Arc<Node>; 2]>,
    /// How many elements they were selected from: no fewer than there are values.
    pub(crate) source: usize,
}

impl<T: Element> Selected<T> {
    /// New values, whose count the device will know: only they are computed with.
    pub(crate) fn new(values: Array<T>, count: Array<u32>, of: Option<[Arc<Node>; 2]>) -> Selected<T> {
        values.node.set_count(&count.node);
        let source = values.len();
        Selected { values, count, of, source }
    }

    /// A mistake in place of elements.
    pub(crate) fn failed(device: &Device, error: Error) -> Selected<T> {
        let (values, count) = (Array::failed(device, error.clone()), Array::failed(device, error));
        Selected { values, count, of: None, source: 0 }
    }

    /// Elements with others beside them, or the mistake in place of both.
    pub(crate) fn both<R: Element>(
        device: &Device,
        made: Result<(Selected<T>, Selected<R>)>,
    ) -> (Selected<T>, Selected<R>) {
        made.unwrap_or_else(|error| (Selected::failed(device, error.clone()), Selected::failed(device, error)))
    }

    /// The same elements and count where another operation puts them.
    pub(crate) fn taken_from(self, values: Array<T>, count: &Array<u32>) -> Selected<T> {
        Selected::new(values, count.clone(), self.of)
    }

    /// The number of selected elements. Waits for the device.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u32, 7, 0, 2]);
    /// assert_eq!(x.nonzero().count()?, 2);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the error of the source; out of memory; device lost.
    #[track_caller]
    pub fn count(&self) -> Result<usize> {
        Ok(self.count.item()? as usize)
    }

    /// The number of selected elements as an array of one element, for further work on the device.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u32, 7, 0, 2]);
    /// assert_eq!((x.nonzero().count_array() * 2).to_vec()?, [4]);
    /// # Ok(()) });
    /// ```
    pub fn count_array(&self) -> &Array<u32> {
        &self.count
    }

    /// The selected elements as an array of exactly their count. Waits for the count from the device; copies nothing.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u32, 7, 0, 2]);
    /// assert_eq!(x.nonzero().to_array()?.shape(), [2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Selected::count`].
    #[track_caller]
    pub fn to_array(&self) -> Result<Array<T>> {
        crate::graph::evaluate(&[self.values.node.clone(), self.count.node.clone()])?;
        let count = self.count()?;
        Ok(self.values.slice(s![..count as isize]))
    }

    /// Copies the selected elements to the host. Errors: as [`Selected::count`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u32, 7, 0, 2]);
    /// assert_eq!(x.nonzero().to_vec()?, [1, 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.to_array()?.to_vec()
    }

    /// The selected elements, padded with this value to the length of the source. Further work can then stay on the
    /// device. Deferred; runs as a kernel of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[4u32, 7, 0, 2]);
    /// assert_eq!(x.compress(&x.greater(3u32)).or(9).to_vec()?, [4, 7, 9, 9]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn or(&self, fill: T) -> Array<T> {
        match (self.values.node.error(), &self.of) {
            (Some(error), _) => Array::failed(self.values.device(), error),
            (None, Some([picked, condition])) => selected::<T>(picked, condition, Some(fill.scalar())).values,
            (None, None) if self.source > self.values.len() => {
                let others = Array::full(self.values.device(), &[self.source - self.values.len()], fill);
                Array::joined("or", &[self.filled(fill.scalar()), others], 0, Location::caller())
            }
            (None, None) => self.filled(fill.scalar()),
        }
    }
}

impl<T: Element> fmt::Debug for Selected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values.node.error() {
            Some(error) => write!(f, "Selected(error: {error})"),
            None => write!(
                f,
                "Selected<{}>(of {} on {})",
                T::DTYPE,
                self.values.len(),
                self.values.device().properties().label()
            ),
        }
    }
}

/// The elements of `picked` whose condition is not zero, and their number; both in one dimension.
pub(super) fn selected<T: Element>(picked: &Arc<Node>, condition: &Arc<Node>, fill: Option<Scalar>) -> Selected<T> {
    let of = Some([picked.clone(), condition.clone()]);
    let (len, source) = (picked.len(), picked.len());
    let device = &picked.device;
    if len == 0 {
        let nothing =
            |len: usize, dtype| Node::lazy(device, vec![len], dtype, Expr::Constant(Value::Int(0).scalar(dtype)));
        let (values, count) = (Array::of(nothing(0, T::DTYPE)), Array::of(nothing(1, DType::U32)));
        return Selected { values, count, of, source };
    }
    let outputs = vec![(vec![len], T::DTYPE), (vec![1], DType::U32)];
    let make = move |mut expressions: Vec<crosslane_core::op::Expression>, output| {
        let (values, condition) = (expressions.remove(1), expressions.remove(0));
        Box::new(Select { values, condition, len, fill, output }) as Box<dyn crosslane_core::op::Op>
    };
    let mut nodes = Task::nodes(&[(condition, Take::Fused), (picked, Take::Fused)], outputs, 3, make).into_iter();
    let mut next = || nodes.next().expect("there are two outputs");
    let (values, count) = (Array::of(next()), Array::of(next()));
    match fill {
        Some(_) => Selected { values, count, of, source }, // all of them are values
        None => Selected::new(values, count, of),
    }
}

impl<T: Element> Array<T> {
    /// The elements whose condition is not zero, stored contiguously in row-major order: `x[condition]`. Elementwise
    /// work on the inputs is fused into the kernel, which reads each element and condition once. The count stays on the
    /// device.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[5i32, -2, 7]);
    /// assert_eq!(x.compress(&x.greater(0)).to_vec()?, [5, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// From 2^32 elements or more it selects at once, window by window, and waits for the device. The values are then as many
    /// as were selected, which must be fewer than 2^32.
    ///
    /// Errors (kept in the arrays): a condition of another shape or device; a result that would not fit one binding. From
    /// 2^32 elements or more also: 2^32 selected ones, more elements than 2^42, out of memory, device lost.
    #[track_caller]
    #[doc(alias = "filter")]
    #[doc(alias = "copy_if")]
    #[doc(alias = "boolean_index")]
    pub fn compress<C: Element>(&self, condition: &Array<C>) -> Selected<T> {
        let (operation, at) = ("compress", Location::caller());
        match fits(operation, &self.node, &condition.node, at) {
            Ok(()) if is_long(&self.node) => selected_of_many(operation, &self.node, &condition.node, at)
                .unwrap_or_else(|error| Selected::failed(self.device(), error)),
            Ok(()) => selected(&self.flatten().node, &condition.flatten().node, None),
            Err(error) => Selected::failed(self.device(), error),
        }
    }

    /// The row-major indices of the elements that are not zero.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.0f32, 2.0, 0.0, 1.0]);
    /// assert_eq!(x.nonzero().to_vec()?, [1, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the arrays): more than 2^32 elements, since indices are u32 ([`Array::nonzero_as`] gives others); a result that would not fit one binding.
    #[track_caller]
    #[doc(alias = "flatnonzero")]
    #[doc(alias = "argwhere")]
    pub fn nonzero(&self) -> Selected<u32> {
        if self.len() as u64 > 1 << 32 {
            let (wanted, got) = ("at most 2^32 elements: a u32 holds the index of each", self.len().to_string());
            let error = Error::argument("nonzero", "array", wanted, got, Location::caller());
            return Selected::failed(self.device(), error);
        }
        Array::<u32>::counting(self.device(), self.len()).compress(&self.flatten())
    }
}

/// Whether elements can be selected by a condition.
pub(crate) fn fits(operation: &'static str, node: &Node, condition: &Node, at: CallSite) -> Result<()> {
    node.error().map_or(Ok(()), Err)?;
    condition.error().map_or(Ok(()), Err)?;
    let (wanted, got) = (format!("the array's shape {:?}", node.shape), format!("{:?}", condition.shape));
    if node.shape != condition.shape {
        return Err(Error::argument(operation, "condition", wanted, got, at));
    }
    if node.device != condition.device {
        let (wanted, got) = (format!("{:?}", node.device), format!("{:?}", condition.device));
        return Err(Error::argument(operation, "condition", wanted, got, at));
    }
    Ok(())
}
