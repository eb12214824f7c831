//! Softmax, layer and batch normalisation against references in f64 on the host: every type, axis and length of rows;
//! values that are hard, views, windows.

use crate::support::*;
use crosslane::cpu::{Checks, Profile};
use crosslane::op::Value;
use crosslane::{Array, DType, Device, DeviceOptions, Element, Float, Transcendental, f16, s};
use rand::Rng;

/// Units in the last place of the type, of 1.
fn ulp<T: Element>() -> f64 {
    match T::DTYPE {
        DType::F16 => 2f64.powi(-11),
        DType::F32 => 2f64.powi(-24),
        _ => 2f64.powi(-53),
    }
}

/// Units of what is computed in: half floats in f32; of f64 the host's own sums are off by some.
fn inner<T: Element>() -> f64 {
    match T::DTYPE {
        DType::F64 => 2f64.powi(-48),
        _ => 2f64.powi(-24),
    }
}

fn doubles<T: Element>(host: &Dense<T>) -> Dense<f64> {
    host.map(|x| value(x).float())
}

/// Each row's results in the places of its elements.
fn by_rows(host: &Dense<f64>, reduced: &[bool], row: impl Fn(&[f64]) -> Vec<f64>) -> Dense<f64> {
    let places = Dense::new(&host.shape, (0..host.data.len()).collect::<Vec<usize>>());
    let mut out = vec![0.0; host.data.len()];
    for (places, values) in places.groups(reduced).iter().zip(host.groups(reduced)) {
        places.iter().zip(row(&values)).for_each(|(&place, value)| out[place] = value);
    }
    Dense::new(&host.shape, out)
}

fn top(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn total(row: &[f64]) -> f64 {
    let top = top(row);
    row.iter().map(|x| (x - top).exp()).sum()
}

/// The shares of a row, and their logarithms: NaN as PyTorch has it.
fn shares(row: &[f64]) -> Vec<f64> {
    let (top, total) = (top(row), total(row));
    let bad = row.iter().any(|x| x.is_nan() || *x == f64::INFINITY) || top == f64::NEG_INFINITY;
    row.iter().map(|x| if bad { f64::NAN } else { (x - top).exp() / total }).collect()
}

fn logs(row: &[f64]) -> Vec<f64> {
    let (top, total) = (top(row), total(row));
    let bad = row.iter().any(|x| x.is_nan() || *x == f64::INFINITY) || top == f64::NEG_INFINITY;
    row.iter().map(|x| if bad { f64::NAN } else { x - top - total.ln() }).collect()
}

fn logsumexp(row: &[f64]) -> f64 {
    match row.iter().any(|x| x.is_nan()) {
        true => f64::NAN,
        false if top(row).is_infinite() => top(row),
        false => top(row) + total(row).ln(),
    }
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

fn variance(row: &[f64]) -> f64 {
    let mean = mean(row);
    row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64
}

/// Equal, or within this of each other.
#[track_caller]
fn near<T: Element>(got: &Array<T>, wanted: &Dense<f64>, bound: impl Fn(usize, f64) -> f64, what: &str) {
    assert_eq!(got.shape(), wanted.shape, "{what}");
    let got = got.to_vec().unwrap_or_else(|error| panic!("{what}: {error}"));
    let wrong = |(at, (g, w)): (usize, (&T, &f64))| {
        let (g, w) = (value(*g).float(), Value::Float(*w).cast(T::DTYPE).float());
        let same = g == w || g.is_nan() && w.is_nan();
        let least = if T::DTYPE == DType::F16 { 1e-7 } else { 1e-37 };
        let close = (g - w).abs() <= bound(at, w) + least; // not for NaN
        (!same && !close).then_some((at, g, w))
    };
    let wrong: Vec<_> = got.iter().zip(&wanted.data).enumerate().filter_map(wrong).collect();
    if let Some((at, g, w)) = wrong.first() {
        panic!("{what}: {} of {} are wrong, first at {at}: got {g:e}, wanted {w:e}", wrong.len(), got.len());
    }
}

/// The result where rows lie along one axis and exponentials are taken.
fn check_exponentials<T: Transcendental>(x: &Array<T>, host: &Dense<f64>, axis: usize, what: &str) {
    let reduced: Vec<bool> = (0..host.shape.len()).map(|a| a == axis).collect();
    let (e, u) = (inner::<T>(), ulp::<T>());
    let place = axis as isize - if axis.is_multiple_of(2) { 0 } else { host.shape.len() as isize };
    let depth = by_rows(host, &reduced, |row| {
        let top = top(row);
        row.iter().map(|x| (top - x).min(200.0)).collect()
    });
    let shares = by_rows(host, &reduced, shares);
    let bound = |at: usize, w: f64| w * (e * (10.0 + 2.0 * depth.data[at]) + u);
    near(&x.softmax(place), &shares, bound, &format!("softmax of {what}"));
    let logs = by_rows(host, &reduced, logs);
    let bound = |_: usize, w: f64| (w.abs() + 16.0) * 3.0 * e + w.abs() * u;
    near(&x.log_softmax(place), &logs, bound, &format!("log_softmax of {what}"));
    check_logsumexp(x, host, &reduced, what);
}

fn left(shape: &[usize], reduced: &[bool], keep: bool) -> Vec<usize> {
    let dims = shape.iter().zip(reduced).filter(|(_, r)| keep || !**r);
    dims.map(|(&extent, &r)| if r { 1 } else { extent }).collect()
}

fn axes(reduced: &[bool]) -> Vec<isize> {
    (0..reduced.len()).filter(|&a| reduced[a]).map(|a| a as isize).collect()
}

fn check_logsumexp<T: Transcendental>(x: &Array<T>, host: &Dense<f64>, reduced: &[bool], what: &str) {
    let (e, u) = (inner::<T>(), ulp::<T>());
    let wanted: Vec<f64> = host.groups(reduced).iter().map(|row| logsumexp(row)).collect();
    let wanted = Dense::new(&left(&host.shape, reduced, false), wanted);
    let bound = |_: usize, w: f64| (w.abs() + 16.0) * 2.0 * e + w.abs() * u;
    near(&x.logsumexp(axes(reduced)), &wanted, bound, &format!("logsumexp of {what}"));
}

/// Layer and root mean square normalisation with weight and bias, as the device has them.
fn check_moments<T: Float>(x: &Array<T>, host: &Dense<f64>, reduced: &[bool], what: &str) {
    let (e, u) = (inner::<T>(), ulp::<T>());
    let (device, axes) = (x.device(), axes(reduced));
    // Of the shape of a row.
    let shape: Vec<usize> = host.shape.iter().zip(reduced).map(|(&extent, &r)| if r { extent } else { 1 }).collect();
    let len: usize = shape.iter().product();
    let part = |seed: usize| -> Dense<T> {
        let value = |i: usize| T::from_scalar(Value::Float(((i * 7 + seed) % 9) as f64 / 4.0 - 0.5).scalar(T::DTYPE));
        Dense::new(&shape, (0..len).map(value).collect())
    };
    let (weight, bias) = (part(2), part(5));
    let (on_weight, on_bias) = (upload(device, &weight), upload(device, &bias));
    let (weight, bias) = (doubles(&weight).broadcast(&host.shape), doubles(&bias).broadcast(&host.shape));
    let epsilon = 1e-5;
    let plain = by_rows(host, reduced, |row| {
        let (mean, scale) = (mean(row), (variance(row) + epsilon).sqrt());
        row.iter().map(|x| (x - mean) / scale).collect()
    });
    let wanted = plain.zip(&weight, |x, w| x * w).zip(&bias, |x, b| x + b);
    let bound = |at: usize, w: f64| {
        (plain.data[at].abs() + 2.0) * 12.0 * e * (weight.data[at].abs() + 0.01) + (w.abs() + bias.data[at].abs()) * u
    };
    let got = x.layer_norm(&axes, Some(&on_weight), Some(&on_bias), epsilon);
    near(&got, &wanted, bound, &format!("layer_norm of {what}"));
    let plain = by_rows(host, reduced, |row| {
        let scale = (row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64 + epsilon).sqrt();
        row.iter().map(|x| x / scale).collect()
    });
    let wanted = plain.zip(&weight, |x, w| x * w);
    let bound = |_: usize, w: f64| w.abs() * (12.0 * e + u);
    near(&x.rms_norm(&axes, Some(&on_weight), epsilon), &wanted, bound, &format!("rms_norm of {what}"));
    check_mean_variance(x, host, reduced, what);
}

fn check_mean_variance<T: Float>(x: &Array<T>, host: &Dense<f64>, reduced: &[bool], what: &str) {
    let (e, u) = (inner::<T>(), ulp::<T>());
    let groups = host.groups(reduced);
    let shape = left(&host.shape, reduced, true);
    let of = |f: fn(&[f64]) -> f64| Dense::new(&shape, groups.iter().map(|row| f(row)).collect::<Vec<f64>>());
    let (means, variances) = (of(mean), of(variance));
    let (got_mean, got_variance) = x.mean_variance(kept(&axes(reduced), true), 0);
    let spread = |at: usize| variances.data[at].sqrt();
    near(&got_mean, &means, |at, w| spread(at) * 12.0 * e + w.abs() * (2.0 * e + u), &format!("mean of {what}"));
    let bound = |_: usize, w: f64| w.abs() * (16.0 * e + u);
    near(&got_variance, &variances, bound, &format!("variance of {what}"));
}

/// Random numbers of a normal distribution, nearly, about a centre.
fn normal<T: Element>(shape: &[usize], seed: u64, spread: f64, centre: f64) -> Dense<T> {
    let mut rng = random(seed);
    let mut one = || (0..4).map(|_| rng.random_range(-1.0..1.0)).sum::<f64>() * spread + centre;
    let len = shape.iter().product();
    Dense::new(shape, (0..len).map(|_| T::from_scalar(Value::Float(one()).scalar(T::DTYPE))).collect())
}

/// Along an axis; exponentials of what has them.
type Check<T> = fn(&Array<T>, &Dense<f64>, usize, &str);

fn all_of<T: Float>(device: &Device, shape: &[usize], axis: usize, exponentials: Option<Check<T>>) {
    let host = normal::<T>(shape, shape.iter().sum::<usize>() as u64, 3.0, 1.0);
    let (x, host) = (upload(device, &host), doubles(&host));
    let what = format!("{shape:?} {} along {axis} on {}", T::DTYPE, name(device));
    if let Some(check) = exponentials {
        check(&x, &host, axis, &what);
    }
    let reduced: Vec<bool> = (0..shape.len()).map(|a| a == axis).collect();
    check_moments(&x, &host, &reduced, &what);
}

fn every_shape<T: Float>(device: &Device, exponentials: Option<Check<T>>) {
    let full = is_checked(device) && T::DTYPE == DType::F32;
    let shapes: &[(&[usize], usize)] = match (full, is_checked(device)) {
        // Rows of one element, odd ones, of a subgroup and a workgroup; not held; columns held and not; a middle axis.
        (true, _) => &[
            (&[1], 0),
            (&[5, 1], 1),
            (&[5, 3], 1),
            (&[3, 129], 1),
            (&[130, 64], 1),
            (&[2, 4096], 1),
            (&[1, 5003], 1),
            (&[36_004], 0),
            (&[7, 8], 0),
            (&[100, 3], 0),
            (&[65, 60], 0),
            (&[2000, 12], 0),
            (&[3, 70, 5], 1),
        ],
        (false, true) => &[(&[3, 130], 1), (&[5001], 0), (&[70, 12], 0)],
        (false, false) => &[(&[3, 132], 1), (&[70, 12], 0)],
    };
    for (shape, axis) in shapes {
        all_of::<T>(device, shape, *axis, exponentials);
    }
}

#[test]
fn every_type_and_shape() {
    for device in drivers() {
        spoil(device);
        every_shape::<f32>(device, Some(check_exponentials));
        if is_checked(device) && has(device, DType::F16) {
            every_shape::<f16>(device, Some(check_exponentials));
        }
        if is_checked(device) && has(device, DType::F64) {
            every_shape::<f64>(device, Some(check_exponentials));
        }
    }
}

/// Workgroups so small that rows are read in pieces, by one workgroup each or by several, where there is an engine for it.
#[test]
fn rows_in_pieces() {
    let mut profile = Profile::presets().remove(0);
    profile.caps.workgroup_invocations = 32;
    let device = &DeviceOptions::default().cpu(profile, Some(Checks::default())).unwrap();
    for (shape, axis) in [(&[131, 1027][..], 1), (&[129, 1028], 1), (&[2, 5000], 1), (&[3001, 8], 0), (&[300, 520], 0)]
    {
        all_of::<f32>(device, shape, axis, Some(check_exponentials));
    }
}

/// Several axes at once, neighbours or not: batch normalisation.
#[test]
fn several_axes() {
    for device in drivers() {
        let all: [&[bool]; 5] = [
            &[true, false, true, true],
            &[false, true, true, false],
            &[true, false, true, false],
            &[true, true, true, true],
            &[false, false, false, false],
        ];
        for (seed, reduced) in all.into_iter().enumerate().take(if is_checked(device) { 5 } else { 1 }) {
            let host = normal::<f32>(&[6, 5, 4, 12], seed as u64, 2.0, -3.0);
            let what = format!("over {reduced:?} on {}", name(device));
            check_moments(&upload(device, &host), &doubles(&host), reduced, &what);
            check_logsumexp(&upload(device, &host), &doubles(&host), reduced, &what);
        }
    }
}

#[test]
fn views_and_expressions() {
    for device in drivers() {
        let host = normal::<f32>(&[60, 100], 9, 2.0, 0.5);
        let x = upload(device, &host);
        let check = |what: &str, x: &Array<f32>, host: &Dense<f32>, axis: usize| {
            let what = format!("{what} along {axis} on {}", name(device));
            check_exponentials(x, &doubles(host), axis, &what);
            let reduced: Vec<bool> = (0..host.shape.len()).map(|a| a == axis).collect();
            check_moments(x, &doubles(host), &reduced, &what);
        };
        check("transposed", &x.transpose(), &host.permute(&[1, 0]), 1);
        if compiles_slowly(device) {
            continue;
        }
        check("transposed", &x.transpose(), &host.permute(&[1, 0]), 0);
        check("every third from the end", &x.slice(s![.., 11..99;-3]), &host.slice(1, 98, -3, 30), 1);
        check("flipped", &x.flip(0), &host.flip(0), 0);
        let row = host.slice(0, 3, 1, 1);
        check("repeated", &x.slice(s![3..4, ..]).broadcast_to(&[7, 100]), &row.broadcast(&[7, 100]), 0);
        check("repeated", &x.slice(s![3..4, ..]).broadcast_to(&[7, 100]), &row.broadcast(&[7, 100]), 1);
        let twice = host.map(|v| v * 2.0 + 1.0);
        check("an expression", &(&x * 2.0 + 1.0), &twice, 1);
        let sum = host.zip(&host.flip(1), |a, b| a + b);
        check("a sum", &(&x + &x.flip(1)), &sum, 1);
        let halves = host.map(f16::from_f32).map(|h| h.to_f32());
        if has(device, DType::F16) {
            check("of halves", &x.cast::<f16>().cast::<f32>(), &halves, 1);
        }
        // What follows, and what a weight may be.
        let weight = Array::full(device, &[100], 2.0f32);
        let scaled = x.rms_norm(1, Some(&(weight + 1.0)), 0.0) / 3.0;
        near(&scaled, &doubles(&upload_of(&x.rms_norm(1, None, 0.0))), |_, w| w.abs() * 4e-7, "a lazy weight");
        let whole = upload_of(&x);
        let by_all = x.layer_norm(1, Some(&x), Some(&x.slice(s![..1, ..])), 1e-5);
        let plain = upload_of(&x.layer_norm(1, None, None, 1e-5));
        let wanted = plain.zip(&whole, |p, w| p * w).zip(&whole.slice(0, 0, 1, 1).broadcast(&[60, 100]), |p, b| p + b);
        near(&by_all, &doubles(&wanted), |_, w| w.abs() * 4e-7 + 2e-6, "a weight for each element");
    }
}

/// An array's values.
fn upload_of(x: &Array<f32>) -> Dense<f32> {
    Dense::new(x.shape(), x.to_vec().unwrap())
}

/// Rows with one hard value or more, short and long: NaN, infinities, masks, huge and tiny ones.
#[test]
fn hard_values() {
    let (inf, nan, huge) = (f32::INFINITY, f32::NAN, f32::MAX);
    for device in drivers() {
        for len in [3usize, 1000].into_iter().take(if compiles_slowly(device) { 1 } else { 2 }) {
            let row = |values: &[f32], rest: f32| -> Vec<f32> {
                (0..len).map(|i| values.get(i).copied().unwrap_or(rest)).collect()
            };
            let rows = [
                row(&[1.0, nan], 0.0),
                row(&[nan, inf, -inf], nan),
                row(&[1.0, inf], 0.0),
                row(&[1.0, inf], -inf),
                row(&[], -inf),
                row(&[2.0, -inf, 1.0], -inf),
                row(&[0.5, -huge], -inf),
                row(&[1e38, -1e38], 0.0),
                row(&[huge, huge], -huge),
                row(&[], -huge),
                row(&[1e-38, -1e-38], 0.0),
                row(&[88.0, -104.0], -87.5),
            ];
            let shape = [rows.len(), len];
            let host = Dense::new(&shape, rows.concat());
            let x = upload(device, &host);
            let what = format!("hard rows of {len} on {}", name(device));
            let (rows, host) = (&[false, true], doubles(&host));
            let wanted = by_rows(&host, rows, shares);
            near(&x.softmax(1), &wanted, |_, w| w * 1e-5, &format!("softmax of {what}"));
            let wanted = by_rows(&host, rows, logs);
            near(&x.log_softmax(1), &wanted, |_, w| w.abs() * 1e-6 + 1e-6, &format!("log_softmax of {what}"));
            let wanted = host.groups(rows).iter().map(|row| logsumexp(row)).collect();
            let wanted = Dense::new(&shape[..1], wanted);
            near(&x.logsumexp(1), &wanted, |_, w| w.abs() * 1e-6 + 1e-6, &format!("logsumexp of {what}"));
        }
        moments_of_hard_values(device);
    }
}

fn moments_of_hard_values(device: &Device) {
    let inf = f32::INFINITY;
    let rows =
        [[1.0, f32::NAN, 2.0, 0.0], [1.0, inf, 2.0, 0.0], [inf, 1.0, 2.0, -inf], [5.5; 4], [-inf, 1.0, 1.0, 1.0]];
    let x = upload(device, &Dense::new(&[5, 4], rows.concat()));
    let what = format!("hard rows on {}", name(device));
    let (mean, variance) = x.mean_variance(1, 0);
    same(&mean, &Dense::new(&[5], vec![f32::NAN, inf, f32::NAN, 5.5, -inf]), &format!("means of {what}"));
    let nan = f32::NAN;
    same(&variance, &Dense::new(&[5], vec![nan, nan, nan, 0.0, nan]), &format!("variances of {what}"));
    let normed = x.layer_norm(1, None, None, 1e-5).to_vec().unwrap();
    assert!(normed[..12].iter().chain(&normed[16..]).all(|x| x.is_nan()), "{what}: {normed:?}");
    assert_eq!(normed[12..16], [0.0; 4], "{what}");
    let plain = x.layer_norm(1, None, None, 0.0).to_vec().unwrap();
    assert!(plain[12..16].iter().all(|x| x.is_nan()), "0 / 0 on {}", name(device));
    // One sample has no variance about its own mean.
    let one = Array::from_slice(device, &[3.0f32]);
    let (mean, variance) = one.mean_variance(0, 1);
    assert_eq!(mean.item().unwrap(), 3.0);
    assert!(variance.item().unwrap().is_nan(), "variance of one on {}", name(device));
    // Distances past the largest square: infinite variance, and nothing is left.
    let far = Array::from_slice(device, &[1e38f32, -1e38, 3e37]);
    assert_eq!(far.layer_norm(0, None, None, 0.0).to_vec().unwrap(), [0.0; 3], "on {}", name(device));
}

/// Rows far from 0, whose squares would swallow what they differ by; and equal ones.
#[test]
fn far_from_zero() {
    for device in drivers() {
        let shapes: [&[usize]; 3] = [&[3, 1000], &[36_000], &[1000, 8]];
        for shape in shapes.into_iter().take(if compiles_slowly(device) { 1 } else { 3 }) {
            let reduced = if shape.len() == 1 { vec![true] } else { vec![shape[0] == 1000, shape[0] != 1000] };
            let host = normal::<f32>(shape, 3, 0.25, 10_000.0);
            let what = format!("{shape:?} far from 0 on {}", name(device));
            check_moments(&upload(device, &host), &doubles(&host), &reduced, &what);
            let flat = Array::full(device, shape, 0.1f32).copy();
            let axes = axes(&reduced);
            assert!(flat.layer_norm(&axes, None, None, 1e-12).to_vec().unwrap().iter().all(|&x| x == 0.0), "{what}");
            let (mean, variance) = flat.mean_variance(kept(&axes, true), 0);
            assert!(mean.to_vec().unwrap().iter().all(|&x| (x - 0.1).abs() < 1e-7), "{what}");
            assert!(variance.to_vec().unwrap().iter().all(|&x| (0.0..1e-16).contains(&x)), "{what}");
        }
    }
}

#[test]
fn nothing_at_all() {
    for device in drivers() {
        let x = Array::<f32>::zeros(device, &[3, 0]);
        assert_eq!(x.softmax(1).shape(), [3, 0]);
        assert!(x.softmax(1).to_vec().unwrap().is_empty());
        assert!(x.layer_norm(0, None, None, 0.0).to_vec().unwrap().is_empty());
        assert_eq!(x.logsumexp(kept(&[1], true)).to_vec().unwrap(), [f32::NEG_INFINITY; 3]);
        assert!(x.logsumexp(0).to_vec().unwrap().is_empty());
        let (mean, variance) = x.mean_variance(1, 0);
        assert!(mean.to_vec().unwrap().iter().chain(&variance.to_vec().unwrap()).all(|x| x.is_nan()));
        let one = Array::full(device, &[], 2.0f32);
        assert_eq!(one.logsumexp([]).item().unwrap(), 2.0);
    }
}

#[test]
fn rows_past_one_binding() {
    let Some(device) = &narrow() else { return };
    for (shape, axis) in
        [(&[20_001][..], 0), (&[20, 1001], 1), (&[3, 20_004], 1), (&[300, 100], 0), (&[200, 84], 0), (&[9, 40, 101], 1)]
    {
        all_of::<f32>(device, shape, axis, Some(check_exponentials));
    }
    let host = normal::<f32>(&[6, 5, 40, 44], 7, 2.0, -3.0);
    for reduced in [[true, false, true, true], [true, false, false, true], [false, true, false, false]] {
        check_moments(&upload(device, &host), &doubles(&host), &reduced, &format!("windows over {reduced:?}"));
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::<f32>::zeros(device, &[2, 3]);
        let text = |x: Array<f32>| x.to_vec().unwrap_err().to_string();
        assert!(text(x.softmax(2)).starts_with("softmax: axis: wanted -2 to 1, got 2"), "{}", text(x.softmax(2)));
        let twice = text(x.layer_norm([1, -1], None, None, 0.0));
        assert!(twice.starts_with("layer_norm: axes: wanted each axis once, got [1, -1]"), "{twice}");
        let weight = Array::<f32>::zeros(device, &[2]);
        let wrong = text(x.rms_norm(1, Some(&weight), 0.0));
        assert!(wrong.starts_with("rms_norm: shape of the weight: wanted a shape that broadcasts to [2, 3], got [2]"));
        let larger = text(x.layer_norm(1, None, Some(&Array::zeros(device, &[4, 2, 3])), 0.0));
        assert!(larger.contains("shape of the bias"), "{larger}");
        let (mean, variance) = x.mean_variance(5, 0);
        assert!(text(mean).contains("mean_variance: axis") && text(variance).contains("mean_variance: axis"));
    }
}
