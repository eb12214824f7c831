//! Histograms as methods: of even bins, of given edges, of integers, in two dimensions. Elementwise work on the input
//! is fused into the kernel.

use crate::array::Array;
use crate::array::elementwise::call;
use crate::array::windows::{ranges, window};
use crate::element::{Class, DType, Element, Number, Ordered};
use crate::graph::{Node, Take, Task};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::op::{Function, Value};
use crosslane_ops::{Binning, Histogram, compared, even_edges, thresholds};
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

/// Bins at most: addresses in a kernel stay far below 2^32.
const MOST_BINS: u64 = 1 << 28;

/// What is counted, and where.
pub(super) struct Counted<'a> {
    pub operation: &'static str,
    pub samples: Vec<&'a Arc<Node>>,
    pub weights: Option<&'a Arc<Node>>,
    pub axes: Vec<Binning>,
    /// The thresholds of all axes.
    pub edges: Vec<Value>,
    pub at: CallSite,
}

impl Counted<'_> {
    fn inputs(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.samples.iter().copied().chain(self.weights)
    }

    pub fn check(&self) -> Result<()> {
        let (operation, at, first) = (self.operation, self.at, self.samples[0]);
        if let Some(error) = self.inputs().find_map(|node| node.error()) {
            return Err(error);
        }
        if let Some(other) = self.inputs().find(|node| node.device != first.device) {
            let (wanted, got) = (format!("{:?}", first.device), format!("{:?}", other.device));
            return Err(Error::argument(operation, "device", wanted, got, at));
        }
        if let Some(other) = self.inputs().find(|node| node.shape != first.shape) {
            let (wanted, got) = (format!("{:?}", first.shape), format!("{:?}", other.shape));
            return Err(Error::argument(operation, "shape", wanted, got, at));
        }
        check_bins(operation, first, self.axes.iter().map(|axis| axis.bins as u64), at)
    }

    /// Whether there are atomics for the weights.
    fn check_weights(&self) -> Result<()> {
        let Some(weights) = self.weights else { return Ok(()) };
        if matches!(weights.dtype, DType::F32 | DType::I32 | DType::U32) {
            return Ok(());
        }
        let (wanted, device) = (format!("sums of {} by atomics", weights.dtype), weights.device.properties().label());
        let help = "cast the weights to f32, i32 or u32, or take the ordered form".to_string();
        Err(ErrorKind::Unsupported { operation: self.operation, wanted, device, help, at: Some(self.at) }.into())
    }

    /// The counts, as the sum of those of windows where there are more elements than one kernel counts.
    fn node(&self) -> Result<Arc<Node>> {
        self.check()?;
        self.check_weights()?;
        let (first, at) = (self.samples[0], self.at);
        let compared = compared(first.dtype);
        let edges = (!self.edges.is_empty()).then(|| uploaded(first, compared, &self.edges));
        let most = first.device.most_numbered(u32::MAX as usize);
        let ranges = ranges(self.operation, first.len(), most, at)?;
        if ranges.len() == 1 {
            return Ok(self.counted(self.inputs().cloned().collect(), edges.as_ref()));
        }
        let counted = |range: &Range<usize>| {
            self.counted(self.inputs().map(|node| window(node, range)).collect(), edges.as_ref())
        };
        let counts = ranges.iter().map(counted);
        let sum = counts.reduce(|sum, more| match self.weights {
            Some(_) => call(Function::Add, &[sum, more], at),
            None => bounded_sum(&Array::of(sum), &Array::of(more)).into_node(),
        });
        Ok(sum.expect("there is a window"))
    }

    /// The counts of samples, before their weights.
    fn counted(&self, inputs: Vec<Arc<Node>>, edges: Option<&Arc<Node>>) -> Arc<Node> {
        let dtype = self.weights.map_or(DType::U32, |weights| weights.dtype);
        let shape = self.axes.iter().map(|axis| axis.bins).collect();
        let (space, axes) = (inputs[0].shape.clone(), self.axes.clone());
        let (weighted, with_edges) = (self.weights.is_some(), edges.is_some());
        let fused = inputs.iter().map(|node| (node, Take::Fused));
        let inputs: Vec<_> = fused.chain(edges.map(|edges| (edges, Take::Dense))).collect();
        let make = move |mut inputs: Vec<_>, output| {
            let edges = with_edges.then(|| inputs.pop().expect("edges come last"));
            let weights = weighted.then(|| inputs.pop().expect("weights come before edges"));
            let (shape, axes) = (space.clone(), axes.clone());
            Box::new(Histogram { samples: inputs, weights, shape, axes, edges, output })
                as Box<dyn crosslane_core::op::Op>
        };
        Task::nodes(&inputs, vec![(shape, dtype)], 1, make).remove(0)
    }
}

/// The sum of counts, or 2^32 - 1 where it is larger.
fn bounded_sum(a: &Array<u32>, b: &Array<u32>) -> Array<u32> {
    let sum = a + b;
    sum.less(b).select(u32::MAX, &sum)
}

/// As many bins as there can be: one at least, and their counts and edges in one binding.
fn check_bins(operation: &'static str, node: &Node, bins: impl Iterator<Item = u64>, at: CallSite) -> Result<()> {
    let most = MOST_BINS.min(node.device.caps().binding_bytes / 8 - 64);
    let all = bins.fold(1u64, |all, bins| all.saturating_mul(bins));
    match (1..=most).contains(&all) {
        true => Ok(()),
        false => Err(Error::argument(operation, "bins", format!("1 to {most}"), all.to_string(), at)),
    }
}

/// Values of a type that is compared, on the device of a node.
fn uploaded(like: &Node, dtype: DType, values: &[Value]) -> Arc<Node> {
    macro_rules! as_type {
        ($($name:ident $type:ty),*) => {
            match dtype {
                $(DType::$name => {
                    let values: Vec<$type> = values.iter().map(|v| <$type>::from_scalar(v.scalar(dtype))).collect();
                    Array::from_slice(&like.device, &values).into_node()
                })*
                _ => unreachable!("compared() gives 32- and 64-bit types"),
            }
        };
    }
    as_type!(F32 f32, F64 f64, I32 i32, I64 i64, U32 u32, U64 u64)
}

/// The edges of even bins, how they are found, and their thresholds.
pub(super) fn even(
    operation: &'static str,
    node: &Node,
    bins: usize,
    range: &Range<f64>,
    own: bool,
    at: CallSite,
) -> Result<(Vec<f64>, Binning, Vec<Value>)> {
    check_bins(operation, node, [bins as u64].into_iter(), at)?;
    let (low, high) = match range {
        Range { start, end } if start == end => (start - 0.5, end + 0.5),
        Range { start, end } => (*start, *end),
    };
    let argument = |wanted: String| Error::argument(operation, "range", wanted, format!("{range:?}"), at);
    if !(low.is_finite() && high.is_finite() && low < high) {
        return Err(argument("two finite numbers, the smaller one first".into()));
    }
    let edges = even_edges(node.dtype, bins, low, high, own);
    if !edges.is_sorted_by(|a, b| a < b) || !edges.iter().all(|edge| edge.is_finite()) {
        return Err(argument(format!("a range with {bins} bins that {} can distinguish", node.dtype)));
    }
    let Some(thresholds) = thresholds(node.dtype, &edges) else {
        return Err(argument(format!("a range within that of {}", node.dtype)));
    };
    let binning = Binning::even(node.dtype, &edges, &thresholds);
    Ok((edges, binning, thresholds))
}

impl<T: Ordered> Array<T> {
    /// The number of elements in each of `bins` bins of equal width, and the `bins + 1` edges: NumPy's `histogram`.
    ///
    /// Bin `b` holds `edges[b] <= x < edges[b + 1]`, the last one its upper edge too. Values outside the range and NaN
    /// are not counted. An empty range is widened by 0.5 on both sides.
    ///
    /// The edges are NumPy's `linspace`, computed on the host in double precision and, for floats, rounded to the
    /// elements' type; elements are compared with exactly these numbers (integers with the unrounded edges), so that
    /// the counts are NumPy's. Denormal numbers may count as 0.
    ///
    /// Cost: each element is read once. Up to 12,288 bins (4,096 on devices with 16 KiB of workgroup memory) are
    /// counted in workgroup memory, and up to four times as many by reading the array again. More bins are counted in
    /// global memory, which is several times slower. An array of 2^32 elements or more is counted in windows of fewer; a
    /// count past 2^32 - 1 is given as 2^32 - 1.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.0f32, 0.1, 0.5, 0.9, 1.0, 7.0]);
    /// let (counts, edges) = x.histogram(2, 0.0..1.0)?;
    /// assert_eq!(counts.to_vec()?, [2, 3]);
    /// assert_eq!(edges, [0.0, 0.5, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no bins, or more than fit one binding; a descending or infinite range, or so narrow that edges coincide;
    /// past the type's own for 32- and 64-bit integers; more elements than 2^42; the error that the array holds.
    #[track_caller]
    pub fn histogram(&self, bins: usize, range: Range<f64>) -> Result<(Array<u32>, Vec<f64>)> {
        self.evenly("histogram", None, bins, range, false, Location::caller())
    }

    /// As [`Array::histogram`], with the sum of the weights of the elements in each bin instead of their number.
    ///
    /// Weights are of type `f32`, `i32` or `u32`. Integers wrap. `f32` weights are added by atomics in no fixed order:
    /// the last bits may differ from run to run. [`Array::histogram_weights_ordered`] has a fixed order, and takes
    /// every numeric type; on a device of [`DeviceOptions::deterministic`](crate::DeviceOptions::deterministic) this
    /// function is the same, at its cost.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.1f32, 0.2, 0.9]);
    /// let weights = crosslane::Array::from_slice(device, &[1.5f32, 1.0, 4.0]);
    /// assert_eq!(x.histogram_weights(&weights, 2, 0.0..1.0)?.0.to_vec()?, [2.5, 4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::histogram`]; another shape, device or type of the weights.
    #[track_caller]
    pub fn histogram_weights<W: Number>(
        &self,
        weights: &Array<W>,
        bins: usize,
        range: Range<f64>,
    ) -> Result<(Array<W>, Vec<f64>)> {
        let (operation, at) = ("histogram_weights", Location::caller());
        match W::DTYPE == DType::F32 && self.device().is_deterministic() {
            true => self.weights_in_order(operation, weights, bins, range, at),
            false => self.evenly(operation, Some(&weights.node), bins, range, false, at),
        }
    }

    fn evenly<W: Element>(
        &self,
        operation: &'static str,
        weights: Option<&Arc<Node>>,
        bins: usize,
        range: Range<f64>,
        own: bool,
        at: CallSite,
    ) -> Result<(Array<W>, Vec<f64>)> {
        self.check()?;
        let (edges, binning, thresholds) = even(operation, &self.node, bins, &range, own, at)?;
        let samples = vec![&*self.node];
        let counted = Counted { operation, samples, weights, axes: vec![binning], edges: thresholds, at };
        Ok((Array::of(counted.node()?), edges))
    }

    /// The number of elements between each two neighbours of `edges`, which must not decrease: NumPy's `histogram` with
    /// edges. Bin `b` holds `edges[b] <= x < edges[b + 1]`, the last one its upper edge too.
    ///
    /// Cost: as [`Array::histogram`], and a binary search for each element, in workgroup memory if the edges fit.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 5, 5, 7, 100]);
    /// assert_eq!(x.histogram_edges(&[0, 5, 10, 100]).to_vec()?, [1, 3, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the counts): fewer than two edges; edges that decrease or are NaN; as [`Array::histogram`].
    #[track_caller]
    pub fn histogram_edges(&self, edges: &[T]) -> Array<u32> {
        let (operation, at) = ("histogram_edges", Location::caller());
        let values: Vec<Value> = edges.iter().map(|&edge| whole(Value::of(edge.scalar()))).collect();
        if values.len() < 2 || !values.is_sorted_by(not_falling) {
            let wanted = "two or more in ascending order, none of them NaN";
            let error = Error::argument(operation, "edges", wanted, shown(edges), at);
            return Array::failed(self.device(), error);
        }
        let axes = vec![Binning::search(T::DTYPE, &values)];
        let counted = Counted { operation, samples: vec![&self.node], weights: None, axes, edges: values, at };
        Array::kept(self.device(), counted.node().map(Array::of))
    }

    /// The number of occurrences of each of the integers `0..bins`: NumPy's `bincount` with a given length. Other
    /// integers are not counted.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0, 3, 1, 3, -1, 9]);
    /// assert_eq!(x.bincount(4).to_vec()?, [1, 1, 0, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the counts): elements that are no integers; as [`Array::histogram`].
    #[track_caller]
    pub fn bincount(&self, bins: usize) -> Array<u32> {
        self.numbered("bincount", None, bins, Location::caller())
    }

    /// As [`Array::bincount`], with the sum of the weights of each number; as [`Array::histogram_weights`].
    /// [`Array::bincount_weights_ordered`] has a fixed order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0u8, 2, 2]);
    /// let weights = crosslane::Array::from_slice(device, &[5, 1, -3]);
    /// assert_eq!(x.bincount_weights(&weights, 3).to_vec()?, [5, 0, -2]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn bincount_weights<W: Number>(&self, weights: &Array<W>, bins: usize) -> Array<W> {
        let (operation, at) = ("bincount_weights", Location::caller());
        match W::DTYPE == DType::F32 && self.device().is_deterministic() {
            true => self.numbered_in_order(operation, weights, bins, at),
            false => self.numbered(operation, Some(&weights.node), bins, at),
        }
    }

    pub(super) fn numbered<W: Element>(
        &self,
        operation: &'static str,
        weights: Option<&Arc<Node>>,
        bins: usize,
        at: CallSite,
    ) -> Array<W> {
        if !matches!(T::DTYPE.class(), Class::Signed | Class::Unsigned) {
            let error = Error::argument(operation, "array", "integers", T::DTYPE.to_string(), at);
            return Array::failed(self.device(), error);
        }
        let axes = vec![Binning::numbers(bins)];
        let counted = Counted { operation, samples: vec![&self.node], weights, axes, edges: vec![], at };
        Array::kept(self.device(), counted.node().map(Array::of))
    }

    /// The number of pairs of an element of this array and one of `other` in each cell of a grid of even bins, and the
    /// edges of both: NumPy's `histogram2d`. The bins of this array are the rows.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let (x, y) = (Array::from_slice(device, &[0.1f32, 0.9, 0.9]), Array::from_slice(device, &[5.0, 1.0, 2.0]));
    /// let (counts, edges) = x.histogram2d(&y, [2, 3], [0.0..1.0, 0.0..6.0])?;
    /// assert_eq!(counts.to_vec()?, [0, 0, 1, 1, 1, 0]);
    /// assert_eq!(edges[1], [0.0, 2.0, 4.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::histogram`]; another shape or device of `other`.
    #[track_caller]
    pub fn histogram2d(
        &self,
        other: &Array<T>,
        bins: [usize; 2],
        ranges: [Range<f64>; 2],
    ) -> Result<(Array<u32>, [Vec<f64>; 2])> {
        let (operation, at) = ("histogram2d", Location::caller());
        self.check()?;
        other.check()?;
        let (rows, row, row_thresholds) = even(operation, &self.node, bins[0], &ranges[0], false, at)?;
        let (columns, column, column_thresholds) = even(operation, &other.node, bins[1], &ranges[1], false, at)?;
        let (samples, axes) = (vec![&*self.node, &*other.node], vec![row, column]);
        let edges = [row_thresholds, column_thresholds].concat();
        let counted = Counted { operation, samples, weights: None, axes, edges, at };
        Ok((Array::of(counted.node()?), [rows, columns]))
    }
}

impl<T: Number> Array<T> {
    /// As [`Array::histogram`], from the smallest to the largest element; 0 to 1 if there is none.
    ///
    /// Reads the array twice, and waits for its minimum and maximum in between. As in NumPy 2, the edges of floats are
    /// computed in their own precision.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[3, 1, 2, 5]);
    /// let (counts, edges) = x.histogram_of_all(2)?;
    /// assert_eq!(counts.to_vec()?, [2, 2]);
    /// assert_eq!(edges, [1.0, 3.0, 5.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::histogram`]; an element that is not finite; the error that the array holds; device lost.
    #[track_caller]
    pub fn histogram_of_all(&self, bins: usize) -> Result<(Array<u32>, Vec<f64>)> {
        let at = Location::caller();
        self.check()?;
        let range = match self.is_empty() {
            true => 0.0..1.0,
            false => {
                let ends = Array::read_all(&[&self.min(), &self.max()])?;
                ends[0][0].scalar().to_f64()..ends[1][0].scalar().to_f64()
            }
        };
        let own = range.start != range.end && T::DTYPE.class() == Class::Float;
        self.evenly("histogram_of_all", None, bins, range, own, at)
    }
}

/// Truth values as the numbers that they are compared as.
fn whole(value: Value) -> Value {
    match value {
        Value::Bool(truth) => Value::Int(truth as i128),
        other => other,
    }
}

/// Whether the second is not below the first; false for NaN.
fn not_falling(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a <= b,
        (a, b) => a.int() <= b.int(),
    }
}

/// Values for a message, the first few.
fn shown<T: Element>(values: &[T]) -> String {
    match values {
        [first @ .., _] if first.len() > 7 => format!("{:?}, .. ({} values)", &values[..8], values.len()),
        _ => format!("{values:?}"),
    }
}
