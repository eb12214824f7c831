//! Reductions: every operator, type, shape and set of axes against plain loops on the host; order, accuracy, ties.

use crate::for_types;
use crate::support::*;
use crosslane::device::DeviceKind;
use crosslane::op::Value;
use crosslane::{Array, Complex, DType, Device, Element, Float, Number, axes, bf16, f16};
use rand::Rng;

type Case = (&'static [usize], &'static [&'static [isize]]);
const CASES: [Case; 12] = [
    (&[1], &[&[0], &[]]),
    (&[5], &[&[0]]),
    (&[257], &[&[-1]]),
    (&[1025], &[&[0]]),
    (&[70_001], &[&[0]]),
    (&[3, 5], &[&[0], &[1], &[0, 1], &[]]),
    (&[4, 64], &[&[0], &[1]]),
    (&[300, 7], &[&[0], &[1], &[-2, -1]]),
    (&[5, 1030], &[&[0], &[1]]),
    (&[6, 9, 10], &[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[2, 0, 1]]),
    (&[2, 3, 2, 5, 2], &[&[0, 2, 4], &[1, 3], &[-1], &[0, 1]]),
    (&[0, 4], &[&[1], &[]]),
];

/// For types other than f32, whose kernels differ only in their load, combination and store: a kernel costs a driver
/// 10 to 100 ms to compile, and there are thousands of them.
const SHORT: [Case; 4] =
    [(&[1025], &[&[0]]), (&[300, 7], &[&[0], &[1]]), (&[6, 9, 10], &[&[1], &[0, 2]]), (&[0, 4], &[&[1]])];

/// For software drivers, which take longest: f32, and the other types. What a driver makes of a kernel does not depend on
/// the extents, which all are run elsewhere.
const DRIVERS: [&[Case]; 2] = [
    &[
        (&[5], &[&[0]]),
        (&[70_001], &[&[0]]),
        (&[300, 7], &[&[0], &[1]]),
        (&[5, 1030], &[&[0], &[1]]),
        (&[6, 9, 10], &[&[1], &[0, 2], &[2, 0, 1]]),
        (&[0, 4], &[&[1], &[]]),
    ],
    &[(&[300, 7], &[&[0], &[1]]), (&[0, 4], &[&[1]])],
];

/// Which axes, and the shape of the result.
fn resolve(shape: &[usize], axes: Option<&[isize]>, keep: bool) -> (Vec<bool>, Vec<usize>) {
    let rank = shape.len() as isize;
    let hit = |axis: usize| axes.is_none_or(|axes| axes.iter().any(|&a| (a + rank) % rank == axis as isize));
    let reduced: Vec<bool> = (0..shape.len()).map(hit).collect();
    let kept = shape.iter().zip(&reduced).filter(|(_, r)| keep || !**r).map(|(&e, &r)| if r { 1 } else { e }).collect();
    (reduced, kept)
}

/// Runs a reduction over everything and over each set of axes, contiguous, transposed and sliced.
fn over<T: Element, R: Element>(
    device: &Device,
    what: &str,
    data: impl Fn(usize) -> Vec<T>,
    call: impl Fn(&Array<T>, Option<&[isize]>, bool) -> Array<R>,
    meaning: impl Fn(&[T]) -> R,
) {
    let full = T::DTYPE == DType::F32;
    let slow = compiles_slowly(device);
    let cases = match slow {
        true => DRIVERS[!full as usize],
        false if full => &CASES[..],
        false => &SHORT[..],
    };
    for &(shape, sets) in cases {
        let host = Dense::new(shape, data(shape.iter().product()));
        let x = upload(device, &host);
        let reverse: Vec<usize> = (0..shape.len()).rev().collect();
        let views = [("", x.clone(), host.clone()), (", transposed", x.transpose(), host.permute(&reverse))];
        let cut = (shape[0] > 2)
            .then(|| (", sliced", x.slice(crosslane::s![1..;-1]), host.slice(0, shape[0] - 1, -1, shape[0] - 1)));
        let views = views.into_iter().chain(cut).take(if full { 3 - slow as usize } else { 1 });
        for (view, array, dense) in views {
            for (nth, axes) in sets.iter().map(|&axes| Some(axes)).chain([None]).enumerate() {
                let keep = nth % 2 == 1 && axes.is_some();
                let (reduced, kept) = resolve(&dense.shape, axes, keep);
                let groups = dense.groups(&reduced);
                let best = ["min", "max", "arg"].iter().any(|name| what.starts_with(name));
                if best && groups.iter().any(|group| group.is_empty()) {
                    assert!(call(&array, axes, keep).check().is_err(), "{what} of nothing");
                    continue;
                }
                let wanted = groups.iter().map(|group| meaning(group)).collect();
                let what = format!("{what} of {} {shape:?}{view} over {axes:?}", T::DTYPE);
                same(&call(&array, axes, keep), &Dense::new(&kept, wanted), &what);
            }
        }
    }
}

macro_rules! call {
    ($all:ident, $some:ident) => {
        |x, axes, keep| match axes {
            None => x.$all(),
            Some(axes) => x.$some(kept(axes, keep)),
        }
    };
}

/// The best of a group by NumPy's rule: the first NaN, else the first of the best.
fn best<T: Element>(group: &[T], less: bool) -> usize {
    let better = |a: Value, b: Value| match (a, b) {
        (Value::Float(a), Value::Float(b)) => !b.is_nan() && (a.is_nan() || if less { a < b } else { a > b }),
        (a, b) => {
            if less {
                a.int() < b.int()
            } else {
                a.int() > b.int()
            }
        }
    };
    (1..group.len()).fold(0, |best, i| if better(value(group[i]), value(group[best])) { i } else { best })
}

fn numbers<T: Number>(device: &Device) {
    // The sum of small integers is exact in every type: for f16 up to 2048, past which it rounds once.
    let sum = |group: &[T]| Value::Int(group.iter().map(|&x| value(x).int()).sum()).scalar(T::DTYPE);
    over(device, "sum", small::<T>, call!(sum, sum_axes), |group| T::from_scalar(sum(group)));
    let ones = |len: usize| (0..len).map(|i| of::<T>([1, 2, 1, 1, 3][i % 5].min(if i < 25 { 3 } else { 1 }))).collect();
    let product = |group: &[T]| {
        let wide = group.iter().map(|&x| value(x).float()).product::<f64>();
        T::from_scalar(Value::Float(wide).scalar(T::DTYPE))
    };
    over(device, "product", ones, call!(product, product_axes), product);
    // Ties among small numbers, and any bits at all; types other than f32 get the harder half.
    let kinds = [("small", 0), ("any", 7)];
    for (what, seed) in kinds.into_iter().skip((T::DTYPE != DType::F32) as usize) {
        let data = |len: usize| match seed {
            0 => small::<T>(len),
            _ => {
                let mut rng = random(seed);
                let usual = |x: T| if value(x).float().is_nan() && len.is_multiple_of(2) { of(1) } else { x };
                (0..len).map(|_| usual(bits(&mut rng))).collect()
            }
        };
        let filled = |len: usize| if len == 0 { vec![] } else { data(len) };
        over(device, &format!("min, {what}"), filled, call_some(|x, a, k| x.min_axes(kept(a, k))), |g| {
            g[best(g, true)]
        });
        over(device, &format!("max, {what}"), filled, call_some(|x, a, k| x.max_axes(kept(a, k))), |g| {
            g[best(g, false)]
        });
        over(device, &format!("arg_min, {what}"), filled, call_some(|x, a, k| x.arg_min_axes(kept(a, k))), |g| {
            best(g, true) as u32
        });
        over(device, &format!("arg_max, {what}"), filled, call_some(|x, a, k| x.arg_max_axes(kept(a, k))), |g| {
            best(g, false) as u32
        });
    }
}

/// All axes at once are named one by one; nothing of nothing is an error, so an empty input keeps its empty axis.
fn call_some<T: Element, R: Element>(
    call: impl Fn(&Array<T>, &[isize], bool) -> Array<R>,
) -> impl Fn(&Array<T>, Option<&[isize]>, bool) -> Array<R> {
    move |x, axes, keep| {
        let all: Vec<isize> = (0..x.rank() as isize).collect();
        call(x, axes.unwrap_or(&all), keep)
    }
}

fn truths<T: Element>(device: &Device) {
    let sparse = |len: usize| (0..len).map(|i| of::<T>((i % 97 == 3) as i128)).collect::<Vec<T>>();
    let dense = |len: usize| (0..len).map(|i| of::<T>((i % 89 != 5) as i128)).collect::<Vec<T>>();
    for (data, what) in [(&sparse as &dyn Fn(usize) -> Vec<T>, "sparse"), (&dense, "dense")] {
        let true_ = |x: &T| value(*x).truth();
        over(device, &format!("any, {what}"), data, call!(any, any_axes), |g| g.iter().any(true_));
        over(device, &format!("all, {what}"), data, call!(all, all_axes), |g| g.iter().all(true_));
        let count = |g: &[T]| g.iter().filter(|x| true_(x)).count() as u32;
        over(device, &format!("count_nonzero, {what}"), data, call!(count_nonzero, count_nonzero_axes), count);
    }
}

#[test]
fn numbers_of_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f32, u64], numbers);
        // The others' kernels differ in names of types, and a software driver takes a second for each.
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i32, i64, u32], numbers);
        }
    }
}

#[test]
fn truth_of_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f32, u8, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], truths);
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i32, i64, u16, u32, u64, bf16, i8, i16, Complex<f32>, Complex<f64>], truths);
        }
    }
}

/// Mean, variance, deviation and norm within 2^-10 of f16, 1e-6 of f32 and 1e-14 of f64.
fn moments<T: Float>(device: &Device) {
    let tolerance = match T::DTYPE {
        DType::F16 => 1e-3,
        DType::F32 => 1e-6,
        _ => 1e-14,
    };
    for shape in [&[7usize, 40][..], &[300, 9], &[5000]] {
        let mut rng = random(11);
        let len: usize = shape.iter().product();
        let data = (0..len).map(|_| T::from_scalar(Value::Float(rng.random_range(1.0..4.0)).scalar(T::DTYPE)));
        let host = Dense::new(shape, data.collect());
        let x = upload(device, &host);
        for axes in [vec![0isize], (0..shape.len() as isize).collect(), vec![-1]] {
            let groups = host.map(|x| value(x).float()).groups(&resolve(shape, Some(&axes), false).0);
            let mean = |g: &[f64]| g.iter().sum::<f64>() / g.len() as f64;
            let variance = |g: &[f64], freedom: usize| {
                let mean = mean(g);
                g.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (g.len() - freedom) as f64
            };
            type Moment<'a, T> = (&'a str, Array<T>, &'a dyn Fn(&[f64]) -> f64);
            let rows: [Moment<T>; 5] = [
                ("mean", x.mean_axes(&axes), &mean),
                ("variance", x.variance_axes(&axes, 0), &|g| variance(g, 0)),
                ("sample variance", x.variance_axes(kept(&axes, true), 1), &|g| variance(g, 1)),
                ("std", x.std_axes(&axes, 0), &|g| variance(g, 0).sqrt()),
                ("norm", x.norm_axes(&axes), &|g| g.iter().map(|x| x * x).sum::<f64>().sqrt()),
            ];
            for (what, got, meaning) in rows {
                for (got, group) in got.to_vec().unwrap().into_iter().zip(&groups) {
                    let (got, wanted) = (value(got).float(), meaning(group));
                    let what = format!("{what} of {} {shape:?} over {axes:?} on {}", T::DTYPE, name(device));
                    assert!((got - wanted).abs() <= tolerance * wanted.abs(), "{what}: got {got}, wanted {wanted}");
                }
            }
        }
    }
}

#[test]
fn moments_of_floats() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f16, f32], moments);
        if !compiles_slowly(device) {
            for_types!(device, [f64], moments);
        }
        let none = Array::<f32>::zeros(device, &[0]);
        assert!(none.mean().item().unwrap().is_nan(), "the mean of nothing");
        assert!(Array::full(device, &[1], 2.0f32).variance(1).item().unwrap().is_nan(), "no freedom left");
        assert_eq!((none.sum().item().unwrap(), none.product().item().unwrap()), (0.0, 1.0));
        assert_eq!((none.any().item().unwrap(), none.all().item().unwrap()), (false, true));
        assert_eq!(Array::<i32>::zeros(device, &[0, 3]).sum_axes(axes(0).keep_dims()).to_vec().unwrap(), [0; 3]);
        if device.caps().f16 {
            // 3000 * 30 overflows a half; its mean does not.
            let x = Array::full(device, &[3000], f16::from_f32(30.0)).copy();
            assert_eq!(x.mean().item().unwrap().to_f32(), 30.0);
            assert_eq!(x.sum().item().unwrap(), f16::INFINITY);
            assert_eq!(Array::full(device, &[4096], f16::ONE).copy().sum().item().unwrap().to_f32(), 4096.0);
            // A variance of 90,000 overflows too; its root does not.
            let x = Array::from_slice(device, &[-300.0, 300.0].map(f16::from_f32));
            assert_eq!(x.std(0).item().unwrap().to_f32(), 300.0);
            // It is rounded once: the root of the variance's nearest half, 721, would be 26.84375.
            let squares: Vec<f16> = (0..10).map(|i| f16::from_f32((i * i) as f32)).collect();
            let deviation = Array::from_slice(device, &squares).std_axes(0, 0);
            assert_eq!(deviation.item().unwrap().to_f64(), 26.859375, "of 721.05 on {}", name(device));
        }
    }
}

#[test]
fn nan_infinities_and_ties_as_numpy() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rows: [(&[f32], f32, f32, u32, u32); 7] = [
        (&[1.0, nan, 0.0, nan], nan, nan, 1, 1),
        (&[inf, 3.0, -inf], -inf, inf, 2, 0),
        (&[inf, inf], inf, inf, 0, 0),
        (&[-inf, -inf], -inf, -inf, 0, 0),
        (&[2.0, 1.0, 1.0, 2.0], 1.0, 2.0, 1, 0),
        (&[0.0, -0.0], 0.0, 0.0, 0, 0),
        (&[nan], nan, nan, 0, 0),
    ];
    for device in drivers() {
        for (values, min, max, arg_min, arg_max) in rows {
            // Alone, and far apart among many others.
            let mut long = vec![values[values.len() - 1]; 5000];
            long[..values.len()].copy_from_slice(values);
            for values in [values, &long] {
                let x = Array::from_slice(device, values);
                let what = format!("{:?}.. on {}", &values[..values.len().min(4)], name(device));
                same_values(&[x.min().item().unwrap(), x.max().item().unwrap()], &[min, max], &what);
                let places = (x.arg_min().item().unwrap(), x.arg_max().item().unwrap());
                assert_eq!(places, (arg_min, arg_max), "{what}");
            }
        }
        let x = Array::from_slice(device, &[inf, -inf]);
        assert!(x.sum().item().unwrap().is_nan() && x.product().item().unwrap() == -inf);
        assert_eq!(Array::from_slice(device, &[nan, 0.0]).count_nonzero().item().unwrap(), 1);
        assert!(Array::from_slice(device, &[nan, 0.0]).any().item().unwrap());
    }
}

#[test]
fn operators_of_ones_own() {
    for device in drivers() {
        spoil(device);
        let x = |len| small::<i32>(len);
        let custom = |x: &Array<i32>, axes: Option<&[isize]>, keep| match axes {
            None => x.reduce("max(a, b) - min(0, 0)", i32::MIN),
            Some(axes) => x.reduce_axes("select(b, a, a > b)", i32::MIN, kept(axes, keep)),
        };
        over(device, "own maximum", x, custom, |g| g.iter().copied().max().unwrap_or(i32::MIN));
        let bits = |x: &Array<u32>, axes: Option<&[isize]>, keep| match axes {
            None => x.reduce(" a ^ b ", 0),
            Some(axes) => x.reduce_axes("a ^ b", 0, kept(axes, keep)),
        };
        over(device, "own xor", small::<u32>, bits, |g| g.iter().fold(0, |a, b| a ^ b));
        let far = Array::from_slice(device, &[1.0f32, -7.0, 3.0]).reduce("select(b, a, abs(a) > abs(b))", 0.0);
        assert_eq!(far.item().unwrap(), -7.0);
    }
}

/// 2^24 random values: within 1e-6 of the f64 sum, and the same bits every time.
#[test]
fn long_sums_are_accurate_and_repeat() {
    for device in drivers() {
        // A checked device takes a minute for 2^24, a processor a second; one sum after the other is off by 1e-5 at 2^20.
        let side = match device.properties().kind {
            _ if is_checked(device) => 300,
            DeviceKind::Software => 1024,
            _ => 4096,
        };
        let mut rng = random(17);
        let host: Vec<f32> = (0..side * side).map(|_| rng.random::<f32>()).collect();
        let exact: f64 = host.iter().map(|&x| x as f64).sum();
        let x = Array::from_slice(device, &host);
        let sum = x.sum().item().unwrap();
        assert!(((sum as f64 - exact) / exact).abs() < 1e-6, "{sum} for {exact} on {}", name(device));
        let rows = x.reshape(&[side, side]);
        let first = [rows.sum_axes(0).to_vec().unwrap(), rows.sum_axes(1).to_vec().unwrap()];
        for _ in 0..4 {
            assert_eq!(x.sum().item().unwrap().to_bits(), sum.to_bits(), "on {}", name(device));
            let again = [rows.sum_axes(0).to_vec().unwrap(), rows.sum_axes(1).to_vec().unwrap()];
            assert!(again == first, "columns or rows differ on {}", name(device));
        }
        let total: f64 = first[0].iter().map(|&x| x as f64).sum();
        assert!(((total - exact) / exact).abs() < 1e-6, "by columns on {}", name(device));
        let total: f64 = first[1].iter().map(|&x| x as f64).sum();
        assert!(((total - exact) / exact).abs() < 1e-6, "by rows on {}", name(device));
    }
}
