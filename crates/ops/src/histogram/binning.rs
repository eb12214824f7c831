//! How a value finds its bin: edges, the values that are compared with them, and when a product alone may decide.
//!
//! Bin `b` holds `edges[b] <= x < edges[b + 1]`, the last one its upper edge too; values outside and NaN are in none.
//! Values are compared with *thresholds* in a type that has them all: a float's own (f16 in f32), for integers the
//! least integer at or above each edge.

use crosslane_core::element::{Class, DType, Scalar};
use crosslane_core::op::Value;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// One axis of a histogram.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Binning {
    /// How many bins.
    pub bins: usize,
    /// How a value finds its own.
    pub rule: Rule,
}

/// How a value finds its bin.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// `(x - low) * scale` is less than one bin off; nearer to an edge than `0.5 - inner` the thresholds decide.
    Even {
        /// The first threshold.
        low: Scalar,
        /// The largest value in the last bin.
        high: Scalar,
        /// Bins for one.
        scale: f64,
        /// Added to `x - low` before scaling.
        shift: f64,
        /// How far from a bin's middle, in bins, the product decides.
        inner: f32,
    },
    /// Binary search among the thresholds.
    Search {
        /// The first threshold.
        low: Scalar,
        /// The largest value in the last bin.
        high: Scalar,
    },
    /// The value is the bin's number.
    Number,
}

impl Hash for Rule {
    fn hash<H: Hasher>(&self, to: &mut H) {
        discriminant(self).hash(to);
        match self {
            Rule::Even { low, high, scale, shift, inner } => {
                (low, high, scale.to_bits(), shift.to_bits(), inner.to_bits()).hash(to);
            }
            Rule::Search { low, high } => (low, high).hash(to),
            Rule::Number => {}
        }
    }
}

/// The type in which values of type `dtype` are compared with edges.
pub fn compared(dtype: DType) -> DType {
    match dtype {
        DType::F16 => DType::F32,
        DType::U8 | DType::U16 | DType::Bool => DType::I32,
        other => other.compute(),
    }
}

/// `bins + 1` edges from `low` to `high` as NumPy's `linspace` has them: computed in double precision, or each step
/// rounded to the data's own type (`own`, as NumPy 2 does for ends that are of it), and for floats rounded to that type.
pub fn even_edges(dtype: DType, bins: usize, low: f64, high: f64, own: bool) -> Vec<f64> {
    let float = dtype.class() == Class::Float;
    let round = |x: f64| if float { Value::Float(x).cast(dtype).float() } else { x };
    let step_round = |x: f64| if own { round(x) } else { x };
    let delta = step_round(high - low);
    let step = step_round(delta / bins as f64);
    let place = |i: usize| match i {
        _ if i == bins => round(high),
        _ if step == 0.0 => round(step_round(step_round(step_round(i as f64 / bins as f64) * delta) + low)),
        _ => round(step_round(step_round(step_round(i as f64) * step) + low)),
    };
    (0..=bins).map(place).collect()
}

/// The thresholds of edges; `None` if the type does not have one.
pub fn thresholds(dtype: DType, edges: &[f64]) -> Option<Vec<Value>> {
    let compared = compared(dtype);
    let threshold = |(i, &edge): (usize, &f64)| {
        if compared.class() == Class::Float {
            return Some(Value::Float(edge));
        }
        let exact = Value::Int(edge.ceil() as i128);
        // The last one is never compared with: `high` is.
        (exact.cast(compared) == exact || i + 1 == edges.len()).then_some(exact)
    };
    edges.iter().enumerate().map(threshold).collect()
}

impl Binning {
    /// Bins between even edges of values of type `dtype`.
    #[doc(hidden)]
    pub fn even(dtype: DType, edges: &[f64], thresholds: &[Value]) -> Binning {
        let bins = edges.len() - 1;
        let float = dtype.class() == Class::Float;
        let end = if float { Value::Float(edges[bins]) } else { Value::Int(edges[bins].floor() as i128) };
        let (low, high) = ends(dtype, thresholds[0], end);
        let (first, width) = (edges[0], (edges[bins] - edges[0]) / bins as f64);
        // Integers are in the middle between two borders, so that they are near none where bins are whole.
        let shift = if float { 0.0 } else { low.to_f64() - first + 0.5 };
        let off = |(i, threshold): (usize, &Value)| (threshold.float() - (first + i as f64 * width)).abs();
        let bent = thresholds[..bins].iter().enumerate().map(off).fold(0.0, f64::max) / width;
        // Subtraction, scale and product round: 3 * 2^-24 of at most `bins`, and a few times that where devices do worse.
        // The distance to an edge is known to 2^-24.
        let rounding = if dtype == DType::F64 { 2f64.powi(-50) } else { 2f64.powi(-21) };
        let error = bent + bins as f64 * rounding + 2f64.powi(-20);
        // What over- or underflows is not in it.
        let (least, most) = if dtype == DType::F64 { (1e-280, 1e300) } else { (1e-30, 1e38) };
        if !(error < 1.0 && width > least && edges[bins] - edges[0] < most) {
            return Binning { bins, rule: Rule::Search { low, high } };
        }
        let inner = if error < 0.5 { (0.5 - error) as f32 } else { -1.0 };
        Binning { bins, rule: Rule::Even { low, high, scale: 1.0 / width, shift, inner } }
    }

    /// Bins between any edges that do not fall, in the type of the values.
    #[doc(hidden)]
    pub fn search(dtype: DType, edges: &[Value]) -> Binning {
        let bins = edges.len() - 1;
        let (low, high) = ends(dtype, edges[0], edges[bins]);
        Binning { bins, rule: Rule::Search { low, high } }
    }

    /// A bin for each number below `bins`.
    #[doc(hidden)]
    pub fn numbers(bins: usize) -> Binning {
        Binning { bins, rule: Rule::Number }
    }

    /// The thresholds that lie in the edges' buffer.
    #[doc(hidden)]
    pub fn thresholds(&self) -> usize {
        if self.rule == Rule::Number { 0 } else { self.bins + 1 }
    }

    /// The bin of a value by definition: `threshold(i)` gives the thresholds.
    pub(super) fn meaning(&self, value: Value, threshold: impl Fn(usize) -> Value) -> Option<usize> {
        match &self.rule {
            Rule::Number => usize::try_from(value.int()).ok().filter(|&bin| bin < self.bins),
            Rule::Even { low, high, .. } | Rule::Search { low, high } => {
                let at_least = |edge: Value| match (value, edge) {
                    (Value::Float(x), Value::Float(edge)) => x >= edge,
                    (x, edge) => x.int() >= edge.int(),
                };
                let at_most = |edge: Value| match (value, edge) {
                    (Value::Float(x), Value::Float(edge)) => x <= edge,
                    (x, edge) => x.int() <= edge.int(),
                };
                let inside = at_least(Value::of(*low)) && at_most(Value::of(*high));
                // The last bin whose threshold the value reaches, or the first: thresholds ascend.
                inside.then(|| {
                    let (mut bin, mut end) = (0, self.bins);
                    while end - bin > 1 {
                        let middle = bin + (end - bin) / 2;
                        if at_least(threshold(middle)) { bin = middle } else { end = middle }
                    }
                    bin
                })
            }
        }
    }
}

/// The least and the largest value in any bin, of the type that is compared; integers saturate.
fn ends(dtype: DType, low: Value, high: Value) -> (Scalar, Scalar) {
    let compared = compared(dtype);
    let limits = [f64::MIN, f64::MAX].map(|end| Value::of(Scalar::from_f64(compared, end)).int());
    let end = |value: Value| match (value, compared.class()) {
        (Value::Int(x), Class::Signed | Class::Unsigned) => Value::Int(x.clamp(limits[0], limits[1])).scalar(compared),
        _ => value.scalar(compared),
    };
    (end(low), end(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NumPy 2.3: `np.histogram_bin_edges(np.float32([..]), 10, (0.1, 0.7))` and others.
    #[test]
    fn rules_are_told_apart_by_their_numbers() {
        let number = |x: f32| Value::Float(x as f64).scalar(DType::F32);
        let even = |scale, shift, inner| Rule::Even { low: number(0.0), high: number(1.0), scale, shift, inner };
        let rules = [
            even(2.0, 0.0, 0.1),
            even(3.0, 0.0, 0.1),
            even(2.0, 0.5, 0.1),
            even(2.0, 0.0, 0.2),
            Rule::Search { low: number(0.0), high: number(1.0) },
            Rule::Search { low: number(0.0), high: number(2.0) },
            Rule::Number,
        ];
        let hashed = |rule: &Rule| {
            let mut hasher = std::collections::hash_map::DefaultHasher::new();
            rule.hash(&mut hasher);
            hasher.finish()
        };
        let all: std::collections::HashSet<u64> = rules.iter().map(hashed).collect();
        assert_eq!(all.len(), rules.len());
    }

    #[test]
    fn edges_are_numpys() {
        let edges = even_edges(DType::F64, 10, 0.1, 0.7, false);
        assert_eq!(edges[3], 3.0 * ((0.7 - 0.1) / 10.0) + 0.1);
        assert_eq!((edges[0], edges[10]), (0.1, 0.7));
        let single = even_edges(DType::F32, 10, 0.1, 0.7, false);
        assert!(single.iter().zip(&edges).all(|(s, e)| *s == *e as f32 as f64));
        let own = even_edges(DType::F32, 10, 0.1f32 as f64, 0.7f32 as f64, true);
        assert_eq!(own[3], (3.0f32 * ((0.7f32 - 0.1f32) / 10.0) + 0.1f32) as f64);
        assert_eq!(even_edges(DType::I32, 3, 0.0, 1.0, false)[1], 1.0 / 3.0);
    }

    #[test]
    fn a_product_decides_where_it_can() {
        let even = |dtype, bins, low, high| {
            let edges = even_edges(dtype, bins, low, high, false);
            Binning::even(dtype, &edges, &thresholds(dtype, &edges).unwrap()).rule
        };
        let inner = |rule| match rule {
            Rule::Even { inner, .. } => inner,
            _ => f32::NAN,
        };
        assert!(inner(even(DType::F32, 256, -0.5, 0.5)) > 0.499);
        assert!(inner(even(DType::F32, 4096, -0.5, 0.5)) > 0.495);
        assert!(inner(even(DType::U8, 256, 0.0, 256.0)) > 0.499);
        assert!(inner(even(DType::U32, 256, 0.0, 4294967296.0)) > 0.499);
        // Edges that are few of the type's steps apart.
        assert!(matches!(even(DType::F16, 100, 1.0, 1.03), Rule::Search { .. }));
        // Every other edge of 2.5 lies half a step from its threshold, a fifth of a bin.
        assert!((inner(even(DType::I32, 10, 0.0, 25.0)) - 0.3).abs() < 1e-3);
    }

    #[test]
    fn thresholds_stay_in_their_type() {
        assert!(thresholds(DType::U32, &[-1.0, 5.0]).is_none());
        assert!(thresholds(DType::U32, &[0.0, 4294967296.0]).is_some());
        assert_eq!(thresholds(DType::U8, &[-0.5, 0.5]).unwrap(), [Value::Int(0), Value::Int(1)]);
    }
}
