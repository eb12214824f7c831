//! Further work on selected elements on the device, without the host knowing their count.

use crate::array::{Array, Selected, SortOptions};
use crate::element::{DType, Element, Number, Ordered, Scalar};
use crate::graph::{Expr, Node, Take, Task};
use crosslane_core::error::{CallSite, Error};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Map, Operator, Reduce, Sort};
use std::panic::Location;
use std::sync::Arc;

impl<T: Ordered> Selected<T> {
    /// The selected elements in ascending order, as [`Array::sort`]. Only the selected elements are sorted; the device
    /// reads their count.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[5i32, -2, 7, 3]);
    /// let sorted = x.compress(&x.greater(0)).sort(); // nothing has run yet
    /// assert_eq!(sorted.map(|x| x * 2).sum().item()?, 30); // select, sort and sum in one submission
    /// assert_eq!(sorted.to_vec()?, [3, 5, 7]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): as for [`Array::sort`].
    #[track_caller]
    pub fn sort(&self) -> Selected<T> {
        self.sorted("sort", &SortOptions::default(), Location::caller())
    }

    /// As [`Selected::sort`], with [`SortOptions`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::SortOptions;
    /// let x = Array::from_slice(device, &[5i32, -2, 7, 3]);
    /// let sorted = x.compress(&x.greater(0)).sort_with(&SortOptions::default().descending());
    /// assert_eq!(sorted.to_vec()?, [7, 5, 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn sort_with(&self, options: &SortOptions) -> Selected<T> {
        self.sorted("sort_with", options, Location::caller())
    }

    fn sorted(&self, operation: &'static str, options: &SortOptions, at: CallSite) -> Selected<T> {
        let sorted = match self.values.len() > self.values.device().most_numbered(Sort::MOST) {
            true => Array::kept(self.values.device(), self.to_array().map(|all| all.sorted(operation, options, at))),
            false => self.values.sorted_of(operation, &self.count, options, at),
        };
        match sorted.node.error() {
            Some(error) => Selected::failed(self.values.device(), error),
            None => Selected { source: self.source, ..Selected::new(sorted, self.count.clone(), None) },
        }
    }
}

impl<T: Element> Selected<T> {
    /// Applies elementwise work to the selected elements. `work` receives an array as long as the source, or as the selection
    /// where the source has 2^32 elements or more; elements past the count are unspecified and are not computed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[5i32, -2, 7]);
    /// let positive = x.compress(&x.greater(0));
    /// assert_eq!(positive.map(|x| x * 10).to_vec()?, [50, 70]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in it): work that gives an array of another shape, or on another device.
    #[track_caller]
    pub fn map<U: Element>(&self, work: impl FnOnce(&Array<T>) -> Array<U>) -> Selected<U> {
        let (device, at) = (self.values.device(), Location::caller());
        let made = work(&self.values);
        let wanted = |node: &Node| format!("elementwise work, {:?} on {:?}", node.shape, node.device);
        let got = |node: &Node| format!("{:?} on {:?}", node.shape, node.device);
        let (before, after) = (&self.values.node, &made.node);
        match before.error().or(after.error()) {
            Some(error) => Selected::failed(device, error),
            None if before.shape != after.shape || before.device != after.device => {
                Selected::failed(device, Error::argument("map", "work", wanted(before), got(after), at))
            }
            None => Selected { values: made, count: self.count.clone(), of: None, source: self.source },
        }
    }

    /// They, and this value up to the length of what they were selected from.
    pub(crate) fn filled(&self, fill: Scalar) -> Array<T> {
        let len = self.values.len();
        self.counted((vec![len], T::DTYPE), move |expression, count, output| {
            let (shape, output_strides) = (vec![len], vec![1]);
            let (count, fill) = (Some(count), Some(fill));
            let map = Map {
                expression,
                shape,
                output,
                output_len: len,
                output_offset: 0,
                output_strides,
                fresh: true,
                count,
                fill,
            };
            Box::new(map)
        })
    }

    fn reduced<R: Element>(&self, operator: Operator) -> Array<R> {
        if self.values.is_empty() && self.values.node.error().is_none() {
            let identity = operator.identity(T::DTYPE);
            return Array::of(Node::lazy(self.values.device(), vec![], R::DTYPE, Expr::Constant(identity)));
        }
        let shape = self.values.shape().to_vec();
        self.counted((vec![], R::DTYPE), move |expression, count, output| {
            let (shape, operator) = (shape.clone(), operator.clone());
            Box::new(Reduce { expression, shape, reduced: vec![true], operator, count: Some(count), output })
        })
    }

    /// The output of an operation over the values, whose work becomes part of it, and over their count.
    fn counted<R: Element>(
        &self,
        output: (Vec<usize>, DType),
        make: impl Fn(Expression, Expression, usize) -> Box<dyn Op> + Send + Sync + 'static,
    ) -> Array<R> {
        let nodes: [&Arc<Node>; 2] = [&self.values.node, &self.count.node];
        if let Some(error) = nodes.iter().find_map(|node| node.error()) {
            return Array::failed(self.values.device(), error);
        }
        let made = move |mut inputs: Vec<Expression>, output: usize| {
            let count = inputs.pop().expect("the count");
            make(inputs.pop().expect("the values"), count, output)
        };
        let inputs = [(nodes[0], Take::Fused), (nodes[1], Take::Dense)];
        Array::of(Task::nodes(&inputs, vec![output], 2, made).remove(0))
    }
}

/// Reductions of all of them.
macro_rules! reductions {
    ($($name:ident $operator:ident, $doc:literal, $gives:literal;)*) => {
        impl<T: Number> Selected<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// let x = crosslane::Array::from_slice(device, &[4i32, -1, 3, 2]);
            #[doc = concat!("assert_eq!(x.compress(&x.greater(0)).", stringify!($name), "().item()?, ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            pub fn $name(&self) -> Array<T> {
                self.reduced(Operator::$operator)
            }
        )*}
    };
}

reductions! {
    sum Sum, "The sum of the selected elements, on the device; 0 if there are none. As [`Array::sum`].", "9";
    product Product, "The product of the selected elements, on the device; 1 if there are none. As [`Array::product`].", "24";
    min Minimum, "The smallest selected element, on the device; NaN if any is NaN. If there are none: infinity, or the largest integer.", "2";
    max Maximum, "The largest selected element, on the device; NaN if any is NaN. If there are none: negative infinity, or the smallest integer.", "4";
}
