//! Reductions as methods: over all elements, or over a set of axes. Elementwise work on the input is fused into the
//! kernel.

use crate::array::custom::of_nothing;
use crate::array::shapes::axes::Axes;
use crate::array::{Array, create};
use crate::element::{Arithmetic, DType, Element, Float, Number};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Operator;
use std::panic::Location;
use std::sync::Arc;

/// A node reduced over axes. Mistakes end up in the node.
fn reduced(node: &Arc<Node>, operator: Operator, axes: &Axes, at: CallSite) -> Arc<Node> {
    let result = operator.result(node.dtype);
    reduced_node(node, operator, axes, at).unwrap_or_else(|error| Node::failed(&node.device, result, error))
}

pub(crate) fn reduced_node(node: &Arc<Node>, operator: Operator, axes: &Axes, at: CallSite) -> Result<Arc<Node>> {
    node.error().map_or(Ok(()), Err)?;
    let which = axes.reduced(operator.name(), node.shape.len(), at)?;
    let extent: usize =
        node.shape.iter().zip(&which).filter(|(_, r)| **r).map(|(e, _)| *e).fold(1, usize::saturating_mul);
    let positions = matches!(operator, Operator::ArgMinimum | Operator::ArgMaximum);
    if positions && extent > u32::MAX as usize {
        let (wanted, got) = (
            "fewer than 2^32 elements for a result, whose positions are u32 (arg_min_as and arg_max_as give others)",
            extent.to_string(),
        );
        return Err(Error::argument(operator.name(), "axes", wanted, got, at));
    }
    let (shape, dtype) = (axes.left(&node.shape, &which), operator.result(node.dtype));
    let some = !shape.contains(&0);
    if extent == 0 {
        if some && !operator.has_identity() {
            let got = format!("shape {:?}", node.shape);
            return Err(Error::argument(
                operator.name(),
                "array",
                "at least one element: there is no identity",
                got,
                at,
            ));
        }
        return Ok(of_nothing(&node.device, shape, &operator, operator.empty_result(node.dtype)));
    }
    let expr = Expr::Reduce { operator, input: node.clone(), reduced: which };
    Ok(Node::lazy(&node.device, shape, dtype, expr))
}

/// Two methods a reduction: over everything and over axes.
macro_rules! reductions {
    ($kind:ident: $($name:ident $name_axes:ident $operator:ident -> $result:ty, $doc:literal, $given:literal => $gives:literal, $rows:literal;)*) => {
        impl<T: $kind> Array<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ");")]
            #[doc = concat!("assert_eq!(x.", stringify!($name), "().item()?, ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array<$result> {
                Array::of(reduced(&self.node, Operator::$operator, &Axes::from(..), Location::caller()))
            }

            #[doc = concat!("As [`Array::", stringify!($name), "`] over some axes ([`Axes`]).")]
            ///
            /// ```
            /// # crosslane::example(|device| {
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ").reshape(&[2, 2]);")]
            #[doc = concat!("assert_eq!(x.", stringify!($name_axes), "(1).to_vec()?, ", $rows, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// Errors (kept in the array): an axis that is not there, or twice; nothing to reduce where there is no
            /// result of nothing.
            #[track_caller]
            pub fn $name_axes(&self, axes: impl Into<Axes>) -> Array<$result> {
                Array::of(reduced(&self.node, Operator::$operator, &axes.into(), Location::caller()))
            }
        )*}
    };
}

reductions! { Arithmetic:
    sum sum_axes Sum -> T, "The sum; 0 for no elements. Integers wrap; f16 is summed in f32. Partial sums form a tree: the error of f32 is within 1e-6 of the sum of absolute values.", "[1, 2, 3, 4]" => "10", "[3, 7]";
    product product_axes Product -> T, "The product; 1 for no elements. Integers wrap.", "[1, 2, 3, 4]" => "24", "[2, 12]";
}

reductions! { Number:
    min min_axes Minimum -> T, "The smallest element; NaN if any is NaN. [`Array::minimum`] is the smaller of two arrays, element by element.", "[4, 1, 3, 2]" => "1", "[1, 2]";
    max max_axes Maximum -> T, "The largest element; NaN if any is NaN. [`Array::maximum`] is the larger of two arrays, element by element.", "[4, 1, 3, 2]" => "4", "[4, 3]";
    arg_min arg_min_axes ArgMinimum -> u32, "Where the smallest element is, counted in row-major order over what is reduced: the first of equals, or the first NaN.", "[4, 1, 1, 2]" => "1", "[1, 0]";
    arg_max arg_max_axes ArgMaximum -> u32, "Where the largest element is, counted in row-major order over what is reduced: the first of equals, or the first NaN.", "[4, 1, 3, 4]" => "0", "[0, 1]";
}

reductions! { Element:
    any any_axes Any -> bool, "Whether any element is not zero; false for no elements.", "[0, 0, 3, 0]" => "true", "[false, true]";
    all all_axes All -> bool, "Whether all elements are not zero; true for no elements.", "[1, 1, 3, 0]" => "false", "[true, false]";
    count_nonzero count_nonzero_axes CountNonzero -> u32, "How many elements are not zero.", "[0, 5, 3, 0]" => "2", "[1, 1]";
}

impl<T: Float> Array<T> {
    /// Everything but the axes' own work in f32 where elements are f16: a sum of f16 overflows soon.
    pub(super) fn widely(
        &self,
        work: impl Fn(Array<f32>) -> Array<f32>,
        same: impl Fn(&Array<T>) -> Array<T>,
    ) -> Array<T> {
        if T::DTYPE == DType::F16 { work(self.cast::<f32>()).cast::<T>() } else { same(self) }
    }

    pub(crate) fn scalar(value: f64) -> T {
        T::from_scalar(crosslane_core::op::Scalar::from_f64(T::DTYPE, value))
    }

    fn mean_of(&self, axes: &Axes, at: CallSite) -> Array<T> {
        let mean = || {
            let places = axes.once("mean", self.check()?.rank(), at)?;
            let count = places.iter().map(|&place| self.shape()[place]).product::<usize>();
            let sum = Array::<T>::of(reduced_node(&self.node, Operator::Sum, axes, at)?);
            Ok(sum / Array::<T>::scalar(count as f64))
        };
        Array::kept(self.device(), mean())
    }

    fn norm_of(&self, axes: &Axes, at: CallSite) -> Array<T> {
        let norm = || {
            axes.once("norm", self.check()?.rank(), at)?;
            Ok(Array::<T>::of(reduced_node(&self.square().node, Operator::Sum, axes, at)?).sqrt())
        };
        Array::kept(self.device(), norm())
    }

    /// The mean of all elements; NaN for no elements. f16 is summed and divided in f32. The error of f32 is within 1e-6
    /// of the mean of absolute values. It is infinite where the sum overflows.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 2.0, 6.0]);
    /// assert_eq!(x.mean().item()?, 3.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Array<T> {
        self.mean_axes(..)
    }

    /// The mean over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0, 9.0]).reshape(&[2, 2]);
    /// assert_eq!(x.mean_axes(0).to_vec()?, [3.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn mean_axes(&self, axes: impl Into<Axes>) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        self.widely(|x| x.mean_of(&axes, at), |x| x.mean_of(&axes, at))
    }

    /// The mean of squared distances from the mean, divided by the count less `freedom` (0: population, 1: sample). In
    /// one read, without cancellation, as [`Array::mean_variance`], with its bound on sizes: of f32 the sum of squared distances
    /// must be finite.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0]);
    /// assert_eq!(x.variance(1).item()?, 4.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn variance(&self, freedom: usize) -> Array<T> {
        self.variance_axes(.., freedom)
    }

    /// The variance over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0, 9.0]).reshape(&[2, 2]);
    /// assert_eq!(x.variance_axes(1, 0).to_vec()?, [1.0, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn variance_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<T> {
        self.moments("variance", &axes.into(), freedom, Location::caller()).1
    }

    /// The standard deviation: the square root of [`Array::variance`]. f16 is computed in f32 and rounded once, also where
    /// its variance would be infinite.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0]);
    /// assert_eq!(x.std(1).item()?, 2.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn std(&self, freedom: usize) -> Array<T> {
        self.std_axes(.., freedom)
    }

    /// The standard deviation over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 3.0, 5.0, 9.0]).reshape(&[2, 2]);
    /// assert_eq!(x.std_axes(1, 0).to_vec()?, [1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn std_axes(&self, axes: impl Into<Axes>, freedom: usize) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        let variance = |x: Array<f32>| x.moments("variance", &axes, freedom, at).1.sqrt();
        self.widely(variance, |x| x.moments("variance", &axes, freedom, at).1.sqrt())
    }

    /// The Euclidean length: the square root of the sum of squares. f32 overflows for elements past 1e19.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::from_slice(device, &[3.0f32, 4.0]).norm().item()?, 5.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn norm(&self) -> Array<T> {
        self.norm_axes(..)
    }

    /// The Euclidean length along some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3.0f32, 4.0, 6.0, 8.0]).reshape(&[2, 2]);
    /// assert_eq!(x.norm_axes(1).to_vec()?, [5.0, 10.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn norm_axes(&self, axes: impl Into<Axes>) -> Array<T> {
        let (axes, at) = (axes.into(), Location::caller());
        self.widely(|x| x.norm_of(&axes, at), |x| x.norm_of(&axes, at))
    }
}

impl<T: Number> Array<T> {
    /// A reduction with your own operator: a WGSL expression of `a` and `b`, and its identity.
    ///
    /// The operator must be associative and commutative: the order is fixed for a device, but is not the order of the
    /// elements. It runs with all run-time checks.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, -7.0, 3.0]);
    /// let furthest = x.reduce("select(b, a, abs(a) > abs(b))", 0.0);
    /// assert_eq!(furthest.item()?, -7.0);
    /// assert!(x.reduce("a +* b", 0.0).check().unwrap_err().to_string().contains("does not compile"));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an expression that does not compile, or is not of the elements' type.
    #[track_caller]
    pub fn reduce(&self, expression: &str, identity: T) -> Array<T> {
        self.reduce_axes(expression, identity, ..)
    }

    /// As [`Array::reduce`] over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1u32, 2, 4, 12]).reshape(&[2, 2]);
    /// assert_eq!(x.reduce_axes("a | b", 0, 1).to_vec()?, [3, 12]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn reduce_axes(&self, expression: &str, identity: T, axes: impl Into<Axes>) -> Array<T> {
        let at = Location::caller();
        if let Err(error) = create::check::<T>("reduce", self.device(), self.shape(), at) {
            return Array::failed(self.device(), error);
        }
        match Operator::custom(expression, T::DTYPE, identity.scalar()) {
            Ok(operator) => Array::of(reduced(&self.node, operator, &axes.into(), at)),
            Err(error) => Array::failed(self.device(), error),
        }
    }
}
