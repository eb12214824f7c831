//! Scans: every element combined with those before it along an axis.

use crate::array::custom::{combine_and_identity, returns};
use crate::array::elementwise::call;
use crate::array::inputs::supports;
use crate::array::shapes::axes::axis;
use crate::array::{Array, create};
use crate::element::{Arithmetic, Element, Number};
use crate::graph::{Expr, Node, Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Function;
use crosslane_ops::{Operator, PrefixScan};
use std::panic::Location;
use std::sync::Arc;

/// A scan: every element combined with all before it along an axis. Prefix sum, cumulative sum, `accumulate`.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Scan};
/// let x = Array::from_slice(device, &[1u32, 2, 3, 4]);
/// let sums: Array<u32> = Scan::sum().call(&x); // nothing has run yet
/// assert_eq!(sums.to_vec()?, [1, 3, 6, 10]);
/// let offsets: Array<u32> = Scan::sum().exclusive().call(&x);
/// assert_eq!(offsets.to_vec()?, [0, 1, 3, 6]);
/// # Ok(()) });
/// ```
///
/// Elementwise work on the input is fused into the kernel. Each element is read and written once, in one launch,
/// whatever the length, except along an axis whose elements are not adjacent in memory, which may take two (Merrill and
/// Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016; Smith, Levien and Owens, Decoupled
/// Fallback, 2025). The same input gives the same bits on a device, floats too: a result is within the depth of a tree,
/// some tens of roundings, of the exact one relative to the sum of magnitudes.
#[derive(Clone, Debug)]
#[doc(alias = "accumulate")]
#[doc(alias = "inclusive_scan")]
#[doc(alias = "exclusive_scan")]
#[doc(alias = "prefix_sum")]
pub struct Scan {
    how: How,
    axis: isize,
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
}

/// What combines.
#[derive(Clone, Debug)]
enum How {
    Operator(Operator),
    /// Texts, before the type is known.
    Custom {
        combine: Arc<str>,
        identity: Arc<str>,
    },
}

macro_rules! operators {
    ($($name:ident $operator:ident $doc:literal $given:literal => $type:ty: $gives:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// ```
        /// # crosslane::example(|device| {
        #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ");")]
        #[doc = concat!("let y = crosslane::Scan::", stringify!($name), "().call::<_, ", stringify!($type), ">(&x);")]
        #[doc = concat!("assert_eq!(y.to_vec()?, ", $gives, ");")]
        /// # Ok(()) });
        /// ```
        pub fn $name() -> Scan {
            Scan::of(How::Operator(Operator::$operator))
        }
    )*};
}

impl Scan {
    operators! {
        sum Sum "Sums; integers wrap, f16 adds up in f32." "[1i32, 2, -5]" => i32: "[1, 3, -2]";
        product Product "Products; integers wrap, f16 multiplies in f32." "[1i32, 2, -5]" => i32: "[1, 2, -10]";
        min Minimum "The smallest so far; NaN from the first NaN on." "[3i32, 5, 1]" => i32: "[3, 3, 1]";
        max Maximum "The largest so far; NaN from the first NaN on." "[3i32, 5, 1]" => i32: "[3, 5, 5]";
        any Any "Whether any so far is not zero." "[0i32, 4, 0]" => bool: "[false, true, true]";
        all All "Whether all so far are not zero." "[3i32, 0, 1]" => bool: "[true, false, false]";
        count_nonzero CountNonzero "How many so far are not zero." "[3i32, 0, 1]" => u32: "[1, 1, 2]";
    }

    /// A scan with your own operator: an associative WGSL expression of `a` and `b`, and its identity, as in
    /// [`crate::Reduction`]. It need not be commutative: `a` is the value before `b`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let last_not_zero = Scan::new("select(b, a, b == 0)", "0");
    /// let x = Array::from_slice(device, &[0i32, 7, 0, 0, 4, 0]);
    /// assert_eq!(last_not_zero.call::<_, i32>(&x).to_vec()?, [0, 7, 7, 7, 4, 4]);
    /// # Ok(()) });
    /// ```
    pub fn new(combine: &str, identity: &str) -> Scan {
        Scan::of(How::Custom { combine: combine.into(), identity: identity.into() })
    }

    fn of(how: How) -> Scan {
        Scan { how, axis: -1, exclusive: false, reverse: false }
    }

    /// Along this axis; negative ones count from the last, which is the default.
    pub fn axis(self, axis: isize) -> Scan {
        Scan { axis, ..self }
    }

    /// Excludes the element itself: the first result is the operator's identity.
    pub fn exclusive(self) -> Scan {
        Scan { exclusive: true, ..self }
    }

    /// Scans from the end: every element is combined with all after it. `a` is the value nearer to the end.
    pub fn reverse(self) -> Scan {
        Scan { reverse: true, ..self }
    }

    /// The scan of an array, in its shape. Deferred.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let x = Array::arange(device, 1, 7, 1).reshape(&[2, 3]);
    /// assert_eq!(Scan::sum().axis(0).call::<_, i32>(&x).to_vec()?, [1, 2, 3, 5, 7, 9]);
    /// assert_eq!(Scan::sum().reverse().call::<_, i32>(&x).to_vec()?, [6, 5, 3, 15, 11, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range; a text that does not compile for the type; `R` that is not the
    /// result's type (the array's own, u32 of [`Scan::count_nonzero`], bool of [`Scan::any`] and [`Scan::all`]).
    #[track_caller]
    pub fn call<T: Element, R: Element>(&self, x: &Array<T>) -> Array<R> {
        Array::kept(x.device(), self.node::<R>(&x.node, None, Location::caller()).map(Array::of))
    }

    /// As [`Scan::call`], restarting at every element whose `heads` is not zero: a segmented scan. Scanned from the
    /// end, such an element is the last one of its segment.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Scan};
    /// let x = Array::from_slice(device, &[1, 2, 3, 4, 5]);
    /// let heads = Array::from_slice(device, &[true, false, true, false, false]);
    /// assert_eq!(Scan::sum().call_segments::<_, _, i32>(&x, &heads).to_vec()?, [1, 3, 3, 7, 12]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Scan::call`]; heads of another shape or device.
    #[track_caller]
    pub fn call_segments<T: Element, H: Element, R: Element>(&self, x: &Array<T>, heads: &Array<H>) -> Array<R> {
        Array::kept(x.device(), self.segmented(x, heads, Location::caller()))
    }

    fn segmented<T: Element, H: Element, R: Element>(
        &self,
        x: &Array<T>,
        heads: &Array<H>,
        at: CallSite,
    ) -> Result<Array<R>> {
        x.check()?;
        heads.check()?;
        if heads.shape() != x.shape() {
            let (wanted, got) = (format!("the array's shape {:?}", x.shape()), format!("{:?}", heads.shape()));
            return Err(Error::argument("scan", "heads", wanted, got, at));
        }
        if heads.node.device != x.node.device {
            let (wanted, got) = (format!("{:?}", x.node.device), format!("{:?}", heads.node.device));
            return Err(Error::argument("scan", "heads", wanted, got, at));
        }
        self.node::<R>(&x.node, Some(&heads.cast::<bool>().node), at).map(Array::of)
    }

    pub(crate) fn node<R: Element>(
        &self,
        node: &Arc<Node>,
        heads: Option<&Arc<Node>>,
        at: CallSite,
    ) -> Result<Arc<Node>> {
        if let Some(error) = node.error() {
            return Err(error);
        }
        let operator = self.operator(node, at)?;
        returns::<R>("scan", operator.result(node.dtype), at)?;
        scanned(node, heads, operator, self.axis, self.exclusive, self.reverse, at)
    }

    pub(crate) fn operator(&self, node: &Node, at: CallSite) -> Result<Operator> {
        match &self.how {
            How::Operator(operator) => Ok(operator.clone()),
            How::Custom { combine, identity } => {
                let (combine, identity) = combine_and_identity("scan", combine, identity, node.dtype, &[], at)?;
                supports("scan", &combine, &node.device, at)?;
                Ok(Operator::Custom { combine, identity, post: None })
            }
        }
    }
}

/// A node scanned along an axis.
fn scanned(
    node: &Arc<Node>,
    heads: Option<&Arc<Node>>,
    operator: Operator,
    along: isize,
    exclusive: bool,
    reverse: bool,
    at: CallSite,
) -> Result<Arc<Node>> {
    if node.dtype.is_complex() {
        return scanned_parts(node, heads, operator, along, exclusive, reverse, at);
    }
    let axis = axis("scan", along, node.shape.len(), at)?;
    let (shape, dtype) = (node.shape.clone(), operator.result(node.dtype));
    if shape.contains(&0) {
        let nothing = operator.empty_result(node.dtype);
        return Ok(Node::lazy(&node.device, shape, dtype, Expr::Constant(nothing)));
    }
    let inputs: Vec<_> = [Some(node), heads].into_iter().flatten().map(|node| (node, Take::Fused)).collect();
    let outputs = vec![(shape.clone(), dtype)];
    let make = move |mut expressions: Vec<crosslane_core::op::Expression>, output| {
        let heads = (expressions.len() > 1).then(|| expressions.remove(1));
        let expression = expressions.remove(0);
        let (shape, operator) = (shape.clone(), operator.clone());
        Box::new(PrefixScan { expression, heads, shape, axis, operator, exclusive, reverse, output })
            as Box<dyn crosslane_core::op::Op>
    };
    Ok(Task::nodes(&inputs, outputs, 2, make).remove(0))
}

/// Complex numbers are added up by parts; there are no other scans of them.
fn scanned_parts(
    node: &Arc<Node>,
    heads: Option<&Arc<Node>>,
    operator: Operator,
    along: isize,
    exclusive: bool,
    reverse: bool,
    at: CallSite,
) -> Result<Arc<Node>> {
    if operator != Operator::Sum {
        let (wanted, got) = ("a sum, of complex numbers", operator.name());
        return Err(Error::argument("scan", "operator", wanted, got, at));
    }
    let [re, im] = [Function::Real, Function::Imag].map(|part| {
        let part = call(part, std::slice::from_ref(node), at);
        scanned(&part, heads, operator.clone(), along, exclusive, reverse, at)
    });
    Ok(call(Function::Complex, &[re?, im?], at))
}

macro_rules! methods {
    ($kind:ident: $($name:ident $operator:ident $doc:literal $gives:literal;)*) => {
        impl<T: $kind> Array<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            /// let x = crosslane::Array::from_slice(device, &[3, 1, 2, 4]).reshape(&[2, 2]);
            #[doc = concat!("assert_eq!(x.", stringify!($name), "(-1).to_vec()?, ", $gives, ");")]
            /// # Ok(()) });
            /// ```
            ///
            /// [`Scan`] has more forms: exclusive, from the end, in segments. Errors (kept in the array): an axis that
            /// is not there.
            #[track_caller]
            pub fn $name(&self, axis: isize) -> Array<T> {
                let at = Location::caller();
                let checked = self.check().and_then(|_| create::check::<T>("scan", self.device(), self.shape(), at));
                let node = checked.and_then(|()| scanned(&self.node, None, Operator::$operator, axis, false, false, at));
                node.map_or_else(|error| Array::failed(self.device(), error), Array::of)
            }
        )*}
    };
}

methods! { Arithmetic:
    cumsum Sum "The sum of each element and all before it along an axis; integers wrap." "[3, 4, 2, 6]";
}

methods! { Number:
    cumprod Product "The product of each element and all before it along an axis; integers wrap." "[3, 3, 2, 8]";
    cummin Minimum "The smallest of each element and all before it along an axis; NaN from the first NaN on." "[3, 1, 2, 2]";
    cummax Maximum "The largest of each element and all before it along an axis; NaN from the first NaN on." "[3, 3, 2, 4]";
}
