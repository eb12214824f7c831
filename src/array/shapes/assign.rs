//! Assignment: to an array, and to a part of it through a view.

use crate::array::shapes::slice::{Resolved, apply};
use crate::array::{Array, Operand, Slice};
use crate::element::Element;
use crate::graph::{Batch, Expr, Node, Storage, broadcast};
use crosslane_core::error::{Error, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use std::panic::Location;
use std::sync::Arc;

/// A part of an array that can be assigned to. See [`Array::slice_mut`].
pub struct ViewMut<'a, T: Element> {
    array: &'a mut Array<T>,
    ranges: Result<Vec<Resolved>>,
}

impl<T: Element> Array<T> {
    /// Replaces every element, keeping the shape; the value is broadcast to it.
    ///
    /// Costs nothing itself: an expression stays deferred, and the old values' memory is given back once nothing refers
    /// to them. To have a result written into memory that is there, as NumPy's `out=` does, assign to
    /// `slice_mut(s![..])`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mut x = Array::<f32>::zeros(device, &[2, 2]);
    /// x.assign(&Array::from_slice(device, &[1.0, 2.0]))?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a shape that does not fit; the error that either array holds.
    #[track_caller]
    pub fn assign(&mut self, value: impl Operand<T>) -> Result<()> {
        self.check()?;
        let value = fitting("assign", value.into_array(self.device()).into_node(), self.shape(), &self.node)?;
        *self = Array::of(value);
        Ok(())
    }

    /// A part of the array to assign to, with the slices of [`Array::slice`].
    ///
    /// The assignment is queued at once: an elementwise expression is one kernel that writes its results straight into
    /// the part, without memory of its own. If other arrays share the memory, among them what the expression reads, the
    /// array is copied first, so that they keep their values.
    ///
    /// As an argument of a kernel, the part must be contiguous and begin at a multiple of 256 bytes
    /// ([`crate::Argument`]). Assignment has neither condition.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, s};
    /// let mut x = Array::<i32>::zeros(device, &[2, 3]);
    /// let before = x.clone();
    /// x.slice_mut(s![.., 1..]).assign(7)?;
    /// assert_eq!(x.to_vec()?, [0, 7, 7, 0, 7, 7]);
    /// assert_eq!(before.to_vec()?, [0; 6]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn slice_mut(&mut self, slices: &[Slice]) -> ViewMut<'_, T> {
        let at = Location::caller();
        let ranges = self.check().and_then(|_| self.resolve("slice_mut", slices, at));
        ViewMut { ranges, array: self }
    }
}

impl<T: Element> ViewMut<'_, T> {
    /// Replaces the part's elements; the value is broadcast to its shape.
    ///
    /// Errors: slices or a shape that do not fit; out of memory; device lost.
    #[track_caller]
    pub fn assign(self, value: impl Operand<T>) -> Result<()> {
        let ranges = self.ranges?;
        let shape = apply(&Layout::contiguous(self.array.shape()), &ranges).shape;
        let value = fitting("assign", value.into_array(self.array.device()).into_node(), &shape, &self.array.node)?;
        let whole = self.array.own()?;
        let part = Storage { layout: apply(&whole.layout, &ranges), ..whole.clone() };
        let plan = |batch: &mut Batch| batch.assign(&value, &part);
        Batch::run(self.array.device(), Location::caller(), plan, |submission| submission.submit())
    }

    /// The part as an array that shares the memory, for a kernel that writes to it.
    pub(crate) fn part(self) -> Result<Array<T>> {
        let ranges = self.ranges?;
        let whole = self.array.own()?;
        let part = Storage { layout: apply(&whole.layout, &ranges), ..whole };
        Ok(Array::of(Node::ready(self.array.device(), T::DTYPE, part)))
    }
}

impl<T: Element> Array<T> {
    /// Moves the array into contiguous memory of its own, for a kernel that writes to it.
    pub(crate) fn alone(&mut self) -> Result<()> {
        let storage = self.own()?;
        // No device wants more of a binding's offset. What begins elsewhere than its memory may be a program's buffer.
        let aligned = (storage.layout.offset * T::DTYPE.size()).is_multiple_of(256);
        if storage.layout.is_contiguous() && aligned {
            return Ok(());
        }
        drop(storage);
        self.replace_by_copy();
        self.node.note_own_write(&self.storage()?);
        Ok(())
    }

    fn replace_by_copy(&mut self) {
        let copy = Expr::Copy(self.node.clone());
        *self = Array::of(Node::lazy(self.device(), self.shape().to_vec(), T::DTYPE, copy));
    }

    /// Moves the array into memory that nothing else refers to, to be written.
    fn own(&mut self) -> Result<Storage> {
        let storage = self.storage()?;
        // One share is this node's own, one is ours: nobody else can look at the contents, nor begin to.
        let alone = self.node.users() == 1 && storage.share.count() == 2;
        if alone && !storage.memory.is_others() && !storage.memory.is_lent() && !storage.layout.repeats() {
            self.node.note_own_write(&storage);
            return Ok(storage);
        }
        drop(storage);
        self.replace_by_copy();
        let storage = self.storage()?;
        self.node.note_own_write(&storage);
        Ok(storage)
    }
}

/// A value broadcast to a shape.
#[track_caller]
fn fitting(operation: &'static str, value: Arc<Node>, shape: &[usize], like: &Node) -> Result<Arc<Node>> {
    let at = Location::caller();
    if let Some(error) = value.error() {
        return Err(error);
    }
    if value.device != like.device {
        let (wanted, got) = (format!("{:?}", like.device), format!("{:?}", value.device));
        return Err(Error::argument(operation, "device of the value", wanted, got, at));
    }
    if broadcast_shapes(&[&value.shape, shape]).is_none_or(|to| to != shape) {
        let wanted = format!("a shape that broadcasts to {shape:?}");
        return Err(Error::argument(operation, "shape of the value", wanted, format!("{:?}", value.shape), at));
    }
    Ok(broadcast(&value, shape))
}
