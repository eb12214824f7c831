//! Products of matrices and vectors with NumPy's names and rules.

use crate::array::Array;
use crate::array::products::contract::{Kinds, contract};
use crate::array::shapes::axes::Axes;
use crate::element::{Arithmetic, Element};
use crate::graph::{Node, broadcast, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use crosslane_core::op::Function;
use crosslane_ops::Precision;
use std::panic::Location;
use std::sync::Arc;

/// What the last axes of both sides are, and how exactly they are multiplied.
#[derive(Clone, Copy)]
struct How {
    /// Whether they are vectors, else matrices.
    vector: [bool; 2],
    precision: Precision,
}

/// The two nodes of a product, on one device.
pub(crate) fn one_device(operation: &'static str, [a, b]: [&Arc<Node>; 2], at: CallSite) -> Result<()> {
    for node in [a, b] {
        node.error().map_or(Ok(()), Err)?;
    }
    if a.device == b.device {
        return Ok(());
    }
    Err(Error::argument(operation, "device", format!("{:?}", a.device), format!("{:?}", b.device), at))
}

fn mismatch(operation: &'static str, wanted: &str, [a, b]: [&Arc<Node>; 2], at: CallSite) -> Error {
    Error::argument(operation, "shapes", wanted, format!("{:?} and {:?}", a.shape, b.shape), at)
}

/// `@`: the leading axes are broadcast, and the last two (or the last one of vectors) multiplied.
fn product<R: Element>(operation: &'static str, sides: [&Arc<Node>; 2], how: How, at: CallSite) -> Result<Array<R>> {
    one_device(operation, sides, at)?;
    let [a, b] = sides;
    let own = |side: usize| 2 - how.vector[side] as usize;
    if a.shape.len() < own(0) || b.shape.len() < own(1) {
        let wanted = "sides of at least one dimension; multiply by a scalar with `*`";
        return Err(mismatch(operation, wanted, sides, at));
    }
    let (lead_a, lead_b) = (a.shape.len() - own(0), b.shape.len() - own(1));
    let (inner_a, inner_b) = (a.shape[a.shape.len() - 1], b.shape[lead_b]);
    if inner_a != inner_b {
        let wanted = "as many columns on the left as rows on the right";
        return Err(mismatch(operation, wanted, sides, at));
    }
    let Some(batch) = broadcast_shapes(&[&a.shape[..lead_a], &b.shape[..lead_b]]) else {
        return Err(mismatch(operation, "leading axes that broadcast together", sides, at));
    };
    let stacked = |node: &Arc<Node>, lead: usize| broadcast(node, &[&batch, &node.shape[lead..]].concat());
    let (a, b) = (stacked(a, lead_a), stacked(b, lead_b));
    let kinds = Kinds { batch: batch.len(), rows: !how.vector[0] as usize, columns: !how.vector[1] as usize, inner: 1 };
    Ok(Array::of(contract(operation, [&a, &b], kinds, R::DTYPE, how.precision, at)?))
}

impl<T: Arithmetic> Array<T> {
    /// The array, with complex numbers conjugated.
    #[track_caller]
    fn conjugated(&self) -> Array<T> {
        if T::DTYPE.is_complex() { self.apply(Function::Conj) } else { self.clone() }
    }

    #[track_caller]
    fn multiplied<R: Element>(&self, operation: &'static str, other: &Array<T>, vector: [bool; 2]) -> Array<R> {
        self.multiplied_how(operation, other, How { vector, precision: Precision::Exact })
    }

    #[track_caller]
    fn multiplied_how<R: Element>(&self, operation: &'static str, other: &Array<T>, how: How) -> Array<R> {
        let sides = [&*self.node, &*other.node];
        product::<R>(operation, sides, how, Location::caller())
            .unwrap_or_else(|error| Array::failed(self.device(), error))
    }

    /// The matrix product, NumPy's `@`: of the last two axes, with the leading ones broadcast. A vector on the left is a row,
    /// one on the right a column, and the result lacks that axis.
    ///
    /// Either side is read in place, without a copy: transposed, sliced, repeated or converted from another type.
    /// Elementwise work on the result becomes part of its kernel: `(x.matmul(&w) + &bias).relu()` is one launch.
    ///
    /// Many small matrices (up to 8 x 8, or thin ones) are as cheap as elementwise work on their result.
    ///
    /// f16 is summed in f32 and rounded once; [`Array::matmul_as`] keeps the f32. The error of a sum of `k` products is
    /// at most `k * eps * sum(|a * b|)`; integers wrap. Matrices of complex numbers are multiplied by four products of real
    /// ones. On one device the same shapes give the same bits. CUDA chooses
    /// the fastest kernel by measuring, so there this needs
    /// [`DeviceOptions::deterministic`](crate::DeviceOptions::deterministic).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let a = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0]).reshape(&[2, 2]);
    /// let b = Array::from_slice(device, &[5.0f32, 6.0, 7.0, 8.0]).reshape(&[2, 2]);
    /// assert_eq!(a.matmul(&b).to_vec()?, [19.0, 22.0, 43.0, 50.0]);
    /// assert_eq!(a.transpose().matmul(&b).to_vec()?, [26.0, 30.0, 38.0, 44.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a side of rank 0; inner axes of different lengths; leading axes that do not broadcast.
    #[track_caller]
    pub fn matmul(&self, other: &Array<T>) -> Array<T> {
        self.matmul_as(other)
    }

    /// As [`Array::matmul`], with a result of another type: the sums, in f32 for f16, are rounded once to it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let a = Array::from_slice(device, &[200, 100]);
    /// assert_eq!(a.matmul_as::<f32>(&a).item()?, 50_000.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn matmul_as<R: Element>(&self, other: &Array<T>) -> Array<R> {
        self.multiplied("matmul", other, [self.rank() == 1, other.rank() == 1])
    }

    /// As [`Array::matmul`], where f32 may be multiplied by tensor cores, which are several times as fast and round both sides:
    /// [`Precision::Tensor`]. Without tensor cores, for other types and where a side is a vector it is [`Array::matmul`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::Precision;
    /// let x = Array::from_slice(device, &[1.5f32, 2.0, -0.25, 4.0]).reshape(&[2, 2]);
    /// assert_eq!(x.matmul_with(&x, Precision::Tensor).to_vec()?, [1.75, 11.0, -1.375, 15.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Error: each side of a product of f32 may be off by 2^-11 of itself, beside the error of the sums.
    #[track_caller]
    pub fn matmul_with(&self, other: &Array<T>, precision: Precision) -> Array<T> {
        self.multiplied_how("matmul", other, How { vector: [self.rank() == 1, other.rank() == 1], precision })
    }

    /// Matrices times vectors: the last axis of `other` is a vector, the axes before are broadcast.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let a = Array::from_slice(device, &[1, 2, 3, 4]).reshape(&[2, 2]);
    /// let x = Array::from_slice(device, &[1, 0, 1, 1]).reshape(&[2, 2]);
    /// assert_eq!(a.matvec(&x).to_vec()?, [1, 3, 3, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Bound by memory: each matrix is read once. Errors (kept in the array): as for [`Array::matmul`].
    #[track_caller]
    pub fn matvec(&self, other: &Array<T>) -> Array<T> {
        self.multiplied("matvec", other, [false, true])
    }

    /// Vectors times matrices: the last axis of `self` is a vector, the axes before are broadcast.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let a = Array::from_slice(device, &[1, 2, 3, 4]).reshape(&[2, 2]);
    /// assert_eq!(Array::from_slice(device, &[1, 1]).vecmat(&a).to_vec()?, [4, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Bound by memory: each matrix is read once. Errors (kept in the array): as for [`Array::matmul`].
    #[track_caller]
    pub fn vecmat(&self, other: &Array<T>) -> Array<T> {
        self.multiplied("vecmat", other, [true, false])
    }

    /// Products of the last axes, the axes before broadcast: NumPy's `vecdot`. Complex numbers of `self` are conjugated.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 2, 3, 4]).reshape(&[2, 2]);
    /// assert_eq!(x.vecdot(&x).to_vec()?, [5, 25]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as for [`Array::matmul`].
    #[track_caller]
    pub fn vecdot(&self, other: &Array<T>) -> Array<T> {
        self.conjugated().multiplied("vecdot", other, [true, true])
    }

    /// NumPy's `dot`: of vectors the inner product, of matrices the product; in general the last axis of `self` with the
    /// second to last of `other`, for each pair of the rest; with a scalar (rank 0) the elementwise product.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.dot(&x).item()?, 14.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): axes of different lengths.
    #[track_caller]
    pub fn dot(&self, other: &Array<T>) -> Array<T> {
        if self.rank() == 0 || other.rank() == 0 {
            return self * other;
        }
        let second = if other.rank() == 1 { 0 } else { other.rank() - 2 };
        self.tensordot_named("dot", other, [&(-1).into(), &(second as isize).into()])
    }

    /// The sum of the products of all elements, whatever the shapes. Complex numbers of `self` are conjugated, as NumPy's
    /// `vdot` does; [`Array::dot`] conjugates none.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 2, 3, 4]);
    /// assert_eq!(x.vdot(&x.reshape(&[2, 2])).item()?, 30);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): different numbers of elements.
    #[track_caller]
    pub fn vdot(&self, other: &Array<T>) -> Array<T> {
        self.flatten().conjugated().multiplied("vdot", &other.flatten(), [true, true])
    }

    /// Products over the last axes, for each pair of the rest.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 2, 3, 4]).reshape(&[2, 2]);
    /// assert_eq!(x.inner(&x).to_vec()?, [5, 11, 11, 25]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): axes of different lengths.
    #[track_caller]
    pub fn inner(&self, other: &Array<T>) -> Array<T> {
        if self.rank() == 0 || other.rank() == 0 {
            return self * other;
        }
        self.tensordot_named("inner", other, [&(-1).into(), &(-1).into()])
    }

    /// The product of each element with each of the other array, both flattened: a matrix.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 2, 3]);
    /// assert_eq!(x.outer(&Array::from_slice(device, &[1, 10])).to_vec()?, [1, 10, 2, 20, 3, 30]);
    /// # Ok(()) });
    /// ```
    ///
    /// Elementwise work: it fuses.
    #[track_caller]
    pub fn outer(&self, other: &Array<T>) -> Array<T> {
        self.reshape(&[self.len(), 1]) * other.reshape(&[1, other.len()])
    }

    /// Products over several axes: `axes` of `self` with `other_axes` of `other`, in that order; the result has the remaining
    /// axes of `self`, then those of `other`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let a = Array::<f32>::ones(device, &[3, 4, 5]);
    /// let b = Array::<f32>::ones(device, &[4, 3, 2]);
    /// let c = a.tensordot(&b, [1, 0], [0, 1]);
    /// assert_eq!((c.shape(), c.to_vec()?), (&[5, 2][..], vec![12.0; 10]));
    /// # Ok(()) });
    /// ```
    ///
    /// No copy: the axes may be in any position. Errors (kept in the array): an axis out of range, or given twice;
    /// different numbers or lengths of axes.
    #[track_caller]
    pub fn tensordot(&self, other: &Array<T>, axes: impl Into<Axes>, other_axes: impl Into<Axes>) -> Array<T> {
        self.tensordot_named("tensordot", other, [&axes.into(), &other_axes.into()])
    }

    #[track_caller]
    fn tensordot_named(&self, operation: &'static str, other: &Array<T>, axes: [&Axes; 2]) -> Array<T> {
        let at = Location::caller();
        let make = || {
            let sides = [&*self.node, &*other.node];
            one_device(operation, sides, at)?;
            let inner = [axes[0].once(operation, self.rank(), at)?, axes[1].once(operation, other.rank(), at)?];
            let lengths = |side: usize| inner[side].iter().map(|&axis| sides[side].shape[axis]).collect::<Vec<_>>();
            if lengths(0) != lengths(1) {
                let (wanted, got) =
                    ("as long as those of the other side", format!("{:?} and {:?}", lengths(0), lengths(1)));
                return Err(Error::argument(operation, "axes", wanted, got, at));
            }
            let free = |side: usize| {
                (0..sides[side].shape.len()).filter(|axis| !inner[side].contains(axis)).collect::<Vec<_>>()
            };
            let kinds = Kinds { batch: 0, rows: free(0).len(), columns: free(1).len(), inner: inner[0].len() };
            let a = ordered(sides[0], &[free(0), inner[0].clone()].concat());
            let b = ordered(sides[1], &[inner[1].clone(), free(1)].concat());
            Ok(Array::of(contract(operation, [&a, &b], kinds, T::DTYPE, Precision::Exact, at)?))
        };
        make().unwrap_or_else(|error| Array::failed(self.device(), error))
    }
}

/// Axes of a node in another order.
pub(crate) fn ordered(node: &Arc<Node>, order: &[usize]) -> Arc<Node> {
    view(node, &|layout: &Layout| Some(layout.permute(order)))
}
