//! Reductions that leave out NaN, against loops on the host: every axis, rows of nothing but NaN, infinities.

use crate::support::*;
use crosslane::{Array, Device, axes};
use rand::Rng;

/// Rows with NaN, without, and of nothing else; whole numbers, so that sums are exact.
fn rows(shape: &[usize]) -> Dense<f32> {
    let mut rng = random(shape.iter().sum::<usize>() as u64);
    let width = *shape.last().unwrap();
    let one = |at: usize| match (at / width % 4, rng.random_range(0..5)) {
        (3, _) | (0 | 1, 0) => f32::NAN,
        (1, 1) => f32::INFINITY,
        (1, 2) => f32::NEG_INFINITY,
        (_, other) => (other * 7 % 11) as f32 - 4.0,
    };
    Dense::new(shape, (0..shape.iter().product()).map(one).collect())
}

fn present(row: &[f32]) -> Vec<f64> {
    row.iter().filter(|x| !x.is_nan()).map(|&x| x as f64).collect()
}

fn variance(row: &[f32], freedom: usize) -> f64 {
    let row = present(row);
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let squares: f64 = row.iter().map(|x| (x - mean).powi(2)).sum();
    if row.len() > freedom { squares / (row.len() - freedom) as f64 } else { f64::NAN }
}

fn median(row: &[f32]) -> f64 {
    let mut row = present(row);
    row.sort_by(f64::total_cmp);
    match row.len() {
        0 => f64::NAN,
        n if row[(n - 1) / 2] == row[n / 2] => row[n / 2],
        n => (row[(n - 1) / 2] + row[n / 2]) / 2.0,
    }
}

/// The first place of the extreme among what is not NaN.
fn place(row: &[f32], better: fn(f32, f32) -> bool) -> f64 {
    let some = |best: Option<usize>, at: usize| match best {
        _ if row[at].is_nan() => best,
        Some(best) if !better(row[at], row[best]) => Some(best),
        _ => Some(at),
    };
    (0..row.len()).fold(None, some).unwrap_or(0) as f64
}

/// The name, the call along an axis, the meaning of a row, and the relative error.
type Row = (&'static str, fn(&Array<f32>, isize) -> Array<f32>, fn(&[f32]) -> f64, f64);

const ROWS: [Row; 11] = [
    ("nan_sum", |x, axis| x.nan_sum_axes(axis), |row| present(row).iter().sum(), 1e-6),
    ("nan_product", |x, axis| x.nan_product_axes(axis), |row| present(row).iter().product(), 1e-5),
    (
        "nan_mean",
        |x, axis| x.nan_mean_axes(axis),
        |row| present(row).iter().sum::<f64>() / present(row).len() as f64,
        1e-6,
    ),
    ("nan_min", |x, axis| x.nan_min_axes(axis), |row| present(row).into_iter().fold(f64::NAN, f64::min), 0.0),
    ("nan_max", |x, axis| x.nan_max_axes(axis), |row| present(row).into_iter().fold(f64::NAN, f64::max), 0.0),
    ("nan_arg_min", |x, axis| x.nan_arg_min_axes(axis).cast(), |row| place(row, |a, b| a < b), 0.0),
    ("nan_arg_max", |x, axis| x.nan_arg_max_axes(axis).cast(), |row| place(row, |a, b| a > b), 0.0),
    ("nan_variance", |x, axis| x.nan_variance_axes(axis, 0), |row| variance(row, 0), 1e-5),
    ("nan_variance of samples", |x, axis| x.nan_variance_axes(axis, 1), |row| variance(row, 1), 1e-5),
    ("nan_std", |x, axis| x.nan_std_axes(axis, 1), |row| variance(row, 1).sqrt(), 1e-5),
    ("nan_median", |x, axis| x.nan_median_axis(axis), median, 1e-6),
];

fn agree(got: &[f32], wanted: &[f64], relative: f64, what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (at, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let (got, wanted) = (got as f64, wanted as f32 as f64);
        let same = got == wanted || got.is_nan() && wanted.is_nan();
        assert!(same || (got - wanted).abs() <= relative * (wanted.abs() + 1.0), "{what} at {at}: {got} {wanted}");
    }
}

fn every_row(device: &Device) {
    let shape = [8, 3, 13];
    let host = rows(&shape);
    let x = upload(device, &host);
    for axis in 0..3 {
        let reduced: Vec<bool> = (0..3).map(|other| other == axis).collect();
        let groups = host.groups(&reduced);
        for (what, call, meaning, relative) in ROWS {
            let wanted: Vec<f64> = groups.iter().map(|row| meaning(row)).collect();
            let got = call(&x, axis as isize);
            assert_eq!(got.shape().len(), 2);
            agree(&got.to_vec().unwrap(), &wanted, relative, &format!("{what} along {axis} on {}", name(device)));
        }
    }
}

#[test]
fn rows_of_every_kind() {
    for device in drivers() {
        spoil(device);
        every_row(device);
    }
}

#[test]
fn whole_arrays_kept_axes_and_other_types() {
    for device in apis() {
        let nan = f32::NAN;
        let x = Array::from_shape(device, &[2, 2], &[1.0f32, nan, 3.0, 8.0]);
        assert_eq!(x.nan_mean().item().unwrap(), 4.0);
        assert_eq!(x.nan_median().item().unwrap(), 3.0);
        assert_eq!(x.nan_arg_max().item().unwrap(), 3);
        let kept = x.nan_mean_axes(axes(1).keep_dims());
        assert_eq!((kept.shape(), kept.to_vec().unwrap()), (&[2, 1][..], vec![1.0, 5.5]));
        let none = Array::full(device, &[3], nan);
        assert!(none.nan_min().item().unwrap().is_nan() && none.nan_mean().item().unwrap().is_nan());
        assert_eq!((none.nan_sum().item().unwrap(), none.nan_product().item().unwrap()), (0.0, 1.0));
        assert_eq!(Array::<f32>::zeros(device, &[0]).nan_sum().item().unwrap(), 0.0);
        if device.caps().f16 {
            // Sums past the largest half, in f32.
            let large = Array::full(device, &[100], crosslane::f16::from_f32(40_000.0));
            assert_eq!(large.nan_mean().item().unwrap().to_f32(), 40_000.0);
        }
        if device.caps().f64 {
            let wide = Array::from_slice(device, &[1e300, f64::NAN, 3e300]);
            assert_eq!(wide.nan_mean().item().unwrap(), 2e300);
        }
        let error = x.nan_sum_axes(2).to_vec().unwrap_err().to_string();
        assert!(error.contains("nan_sum_axes") && error.contains("-2 to 1"), "{error}");
        let error = x.nan_median_axis(5).to_vec().unwrap_err().to_string();
        assert!(error.contains("nan_median_axis"), "{error}");
    }
}
