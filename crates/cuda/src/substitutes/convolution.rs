//! Products that are convolutions over channels: a [`Contraction`] by a view of windows, as libraries of convolutions describe it.

use crosslane_core::element::DType;
use crosslane_core::kernel::{Axis, Contraction, Word};

/// Axes of windows that are looked for.
const AXES: std::ops::RangeInclusive<usize> = 2..=3;

/// A convolution without padding. Its array's axes are batch, channels and those of windows, its weights' outputs, channels and
/// taps without gaps, its result's batch, outputs and windows without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Convolution {
    pub dtype: DType,
    pub extents: Vec<i32>,
    pub strides: Vec<i32>,
    pub weights: Vec<i32>,
    pub results: Vec<i32>,
    /// From a result's window to the next one's, and from a value of it to the next, along each axis of windows.
    pub steps: Vec<i32>,
    pub dilations: Vec<i32>,
}

/// An axis of windows: where its results and its taps lie.
struct Windows {
    count: i64,
    taps: i64,
    /// Elements from value to value.
    unit: i64,
    step: i64,
    dilation: i64,
}

impl Windows {
    /// `None` where results or taps are at one place.
    fn of([(count, at), (taps, apart)]: [(i64, i64); 2]) -> Option<Windows> {
        let unit = divisor(at, apart);
        (at > 0 && apart > 0).then(|| Windows { count, taps, unit, step: at / unit, dilation: apart / unit })
    }

    /// The values that windows meet.
    fn reach(&self) -> i64 {
        (self.count - 1) * self.step + (self.taps - 1) * self.dilation + 1
    }
}

fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Convolution {
    /// The convolution that a product is with these parameters. `b` has so many elements from its first one on.
    pub fn of(product: &Contraction, params: &[u32], elements: u64) -> Option<Convolution> {
        let [batch, outputs, results, inner] = product.extents(params)?.map(i64::from);
        let [a, b] = &product.sides;
        let axes = |axes: &[Axis], total: i64| walked(axes, total, params);
        // Weights without gaps, the same for each of the batch.
        let [matrices, rows, terms] = &a.axes;
        let plain = whole_lines(&axes(terms, inner), 1) && whole_lines(&axes(rows, outputs), inner);
        if !plain || axes(matrices, batch).iter().any(|&(_, step)| step != 0) {
            return None;
        }
        let [matrices, columns, terms] = &b.axes;
        let (columns, terms) = (axes(columns, results), axes(terms, inner));
        if matrices.len() > 1 || !AXES.contains(&columns.len()) || terms.len() != columns.len() + 1 {
            return None;
        }
        let windows: Option<Vec<Windows>> =
            columns.iter().zip(&terms[1..]).map(|(&results, &taps)| Windows::of([results, taps])).collect();
        let (windows, (channels, channel)) = (windows?, terms[0]);
        let image = axes(matrices, batch).first().map_or(channels * channel, |&(_, step)| step);
        let strides: Vec<i64> = [image, channel].into_iter().chain(windows.iter().map(|axis| axis.unit)).collect();
        let last =
            |extents: &[i64]| extents.iter().zip(&strides).map(|(extent, stride)| (extent - 1) * stride).sum::<i64>();
        let needed: Vec<i64> = [batch, channels].into_iter().chain(windows.iter().map(Windows::reach)).collect();
        // Lines are as long as the array's, where steps leave a rest: libraries want arrays without gaps.
        let room = |axis: usize| strides[axis - 1] / strides[axis];
        let whole = |(axis, windows): (usize, &Windows)| room(2 + axis).min(windows.reach() + windows.step - 1);
        let whole: Vec<i64> = [batch, channels].into_iter().chain(windows.iter().enumerate().map(whole)).collect();
        if needed.iter().zip(&whole).any(|(needed, whole)| needed > whole) || image < channels * channel {
            return None; // Lines overlap.
        }
        let extents = if (last(&whole) as u64) < elements { whole } else { needed };
        let of = |number: fn(&Windows) -> i64| windows.iter().map(number).collect::<Vec<i64>>();
        let narrow = |numbers: Vec<i64>| {
            numbers.into_iter().map(|number| i32::try_from(number).ok()).collect::<Option<Vec<i32>>>()
        };
        Some(Convolution {
            dtype: product.dtypes[0],
            extents: narrow(extents)?,
            strides: narrow(strides)?,
            weights: narrow([vec![outputs, channels], of(|axis| axis.taps)].concat())?,
            results: narrow([vec![batch, outputs], of(|axis| axis.count)].concat())?,
            steps: narrow(of(|axis| axis.step))?,
            dilations: narrow(of(|axis| axis.dilation))?,
        })
    }
}

/// Whether axes are one, with so many elements from index to index.
fn whole_lines(axes: &[(i64, i64)], first: i64) -> bool {
    let mut step = first;
    axes.iter().rev().all(|&(extent, own)| {
        let fits = own == step;
        step *= extent;
        fits
    })
}

/// Extents and steps of axes over so many indices.
fn walked(axes: &[Axis], total: i64, params: &[u32]) -> Vec<(i64, i64)> {
    let word = |word: Word| i64::from(word.of(params));
    let known: i64 = axes.iter().filter_map(|axis| axis.extent.map(word)).product();
    axes.iter().map(|axis| (axis.extent.map_or(total / known.max(1), word), word(axis.step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosslane_core::caps::Caps;
    use crosslane_core::kernel::Contract;
    use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, Op, StepKind, Values};
    use crosslane_ops::Precision;
    use crosslane_ops::matmul::Matmul;

    fn leaf(slot: usize, dtype: DType, len: usize, strides: Vec<i64>) -> Expression {
        let leaf = Leaf { source: LeafSource::Slot(slot), dtype, len, offset: 0, strides };
        Expression {
            leaves: vec![leaf],
            steps: vec![ExpressionStep { what: StepKind::Leaf(0), dtype }],
            ..Expression::default()
        }
    }

    /// A convolution as `Array::conv` plans it: batch, channels and extents of an array, outputs, taps, steps, dilations.
    struct Given<'a> {
        array: &'a [usize],
        outputs: usize,
        taps: &'a [usize],
        steps: &'a [usize],
        dilations: &'a [usize],
    }

    impl Given<'_> {
        fn counts(&self) -> Vec<usize> {
            let axis = |axis: usize| {
                (self.array[2 + axis] - (self.taps[axis] - 1) * self.dilations[axis] - 1) / self.steps[axis] + 1
            };
            (0..self.taps.len()).map(axis).collect()
        }

        fn product(&self, dtype: DType) -> (Contraction, Vec<u32>) {
            let (axes, len) = (self.taps.len(), self.array.iter().product());
            let mut strides = vec![1i64; 2 + axes];
            for axis in (0..1 + axes).rev() {
                strides[axis] = strides[axis + 1] * self.array[axis + 1] as i64;
            }
            let inner: usize = self.array[1] * self.taps.iter().product::<usize>();
            let mut weights = vec![0, inner as i64];
            weights.extend(vec![0; axes]);
            let mut taps = 1;
            let of_taps: Vec<i64> = [self.array[1]]
                .iter()
                .chain(self.taps)
                .rev()
                .map(|&extent| {
                    taps *= extent as i64;
                    taps / extent as i64
                })
                .collect();
            weights.extend(of_taps.iter().rev());
            let mut values = vec![strides[0], 0];
            values.extend((0..axes).map(|axis| strides[2 + axis] * self.steps[axis] as i64));
            values.push(strides[1]);
            values.extend((0..axes).map(|axis| strides[2 + axis] * self.dilations[axis] as i64));
            let mut epilogue = Expression::given(DType::F32, 3 + 2 * axes);
            if dtype != DType::F32 {
                epilogue.steps.push(ExpressionStep { what: StepKind::Cast(0), dtype });
            }
            let op = Matmul {
                extents: [
                    vec![self.array[0]],
                    vec![self.outputs],
                    self.counts(),
                    [&self.array[1..2], self.taps].concat(),
                ],
                sides: [leaf(0, dtype, self.outputs * inner, weights), leaf(1, dtype, len, values)],
                epilogue,
                precision: Precision::Exact,
                output: 2,
            };
            let plan = op.plan(&Caps::nvidia_like()).unwrap();
            let Some(Contract::Contraction(product)) = plan.passes[0].kernel.contract() else { panic!("no product") };
            (*product.clone(), plan.passes[0].words(&Values::default()))
        }
    }

    /// The description has the array's extents, and the windows that were asked for.
    #[test]
    fn convolutions_are_found_in_products() {
        for dtype in [DType::F32, DType::F16] {
            for (array, outputs, taps, steps, dilations) in [
                (&[4, 8, 20, 30][..], 16, &[3, 3][..], &[1, 1][..], &[1, 1][..]),
                (&[1, 3, 20, 31], 5, &[5, 2], &[2, 3], &[1, 1]),
                (&[2, 8, 21, 30], 16, &[3, 3], &[2, 2], &[3, 1]),
                (&[2, 4, 9, 11, 11], 6, &[3, 2, 3], &[1, 2, 1], &[1, 1, 2]),
            ] {
                let given = Given { array, outputs, taps, steps, dilations };
                let (product, params) = given.product(dtype);
                let len = array.iter().product::<usize>() as u64;
                let found = Convolution::of(&product, &params, len)
                    .unwrap_or_else(|| panic!("{array:?} by {taps:?}: {product:?}, {params:?}"));
                let narrow = |numbers: &[usize]| numbers.iter().map(|&number| number as i32).collect::<Vec<_>>();
                assert_eq!((found.dtype, &found.steps, &found.dilations), (dtype, &narrow(steps), &narrow(dilations)));
                assert_eq!(found.weights, narrow(&[&[outputs, array[1]], taps].concat()));
                assert_eq!(found.results, narrow(&[&[array[0], outputs], &given.counts()[..]].concat()));
                // Without gaps, and all windows as many as there are.
                let dense = |axis: usize| array[axis + 1..].iter().product::<usize>();
                assert_eq!(found.strides, (0..array.len()).map(|axis| dense(axis) as i32).collect::<Vec<_>>());
                assert_eq!(found.extents[..2], narrow(&array[..2]));
                for axis in 0..taps.len() {
                    let reach = (found.weights[2 + axis] - 1) * found.dilations[axis] + 1;
                    assert_eq!((found.extents[2 + axis] - reach) / found.steps[axis] + 1, found.results[2 + axis]);
                    assert!(found.extents[2 + axis] <= array[2 + axis] as i32);
                }
                // Lines are whole, since a step leaves less than itself.
                let last = array.len() - 1;
                assert_eq!(found.extents[last], array[last] as i32);
            }
        }
    }

    /// The last line's rest may not be there.
    #[test]
    fn no_value_past_the_array_is_described() {
        let given = Given { array: &[1, 3, 20, 30], outputs: 5, taps: &[3, 3], steps: &[2, 2], dilations: &[1, 1] };
        let (product, params) = given.product(DType::F32);
        let found = Convolution::of(&product, &params, 3 * 20 * 30 - 31).unwrap();
        assert_eq!(found.extents, [1, 3, 19, 29]);
    }

    #[test]
    fn other_products_are_none() {
        let given = Given { array: &[2, 3, 20, 30], outputs: 5, taps: &[1, 1], steps: &[1, 1], dilations: &[1, 1] };
        let (product, params) = given.product(DType::F32);
        assert_eq!(Convolution::of(&product, &params, 3600), None, "windows of one value are a product of matrices");
    }
}
