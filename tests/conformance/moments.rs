//! Sums, means, variances and what is normalised by them, of long rows and columns, in the plans that cards get, against
//! f64: one bound for each at any length, offset and axis.

use crate::support::*;
use crosslane::cpu::Profile;
use crosslane::device::Tuning;
use crosslane::{Array, Device, DeviceOptions};
use rand::Rng;
use std::sync::LazyLock;

/// Of the sum of sizes, and of a mean and its standard error, as the documentation states it.
const SUM: f64 = 1e-6;
const MEAN: f64 = 2e-6;
const VARIANCE: f64 = 2e-6;

/// The processor in the place of a card: its limits, and the ways that processors go without.
fn card(profile: Profile, binding_bytes: Option<u64>) -> Device {
    let mut profile = profile;
    profile.caps.tuning = Tuning::default();
    profile.caps.binding_bytes = binding_bytes.unwrap_or(profile.caps.binding_bytes);
    DeviceOptions::default().cpu(profile, None).unwrap()
}

/// Numbers that are spread about a centre, all the same if not at all.
fn numbers(shape: &[usize], spread: f64, centre: f64) -> Dense<f32> {
    // Drawn once for all.
    static DRAWN: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let mut rng = random(5);
        (0..1 << 20).map(|_| rng.random_range(-1.0..1.0)).collect()
    });
    let all = DRAWN[..shape.iter().product()].iter();
    Dense::new(shape, all.map(|x| (x * spread + centre) as f32).collect())
}

/// The worst of what `got` is off by, in units of `unit`.
fn worst(got: &Array<f32>, wanted: &[f64], unit: impl Fn(usize) -> f64) -> f64 {
    let got = got.to_vec().unwrap();
    assert_eq!(got.len(), wanted.len());
    let off = |(i, (got, wanted)): (usize, (&f32, &f64))| match *got as f64 == *wanted {
        true => 0.0,
        false => (*got as f64 - wanted).abs() / unit(i),
    };
    got.iter().zip(wanted).enumerate().map(off).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

fn check(device: &Device, shape: &[usize], axis: usize, spread: f64, centre: f64) {
    let host = numbers(shape, spread, centre);
    let (x, axes) = (upload(device, &host), [axis as isize]);
    let reduced: Vec<bool> = (0..shape.len()).map(|a| a == axis).collect();
    let rows = host.map(|x| x as f64).groups(&reduced);
    let count = shape[axis] as f64;
    let mean: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>() / count).collect();
    let squares = |row: &[f64], mean: f64| row.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let variance: Vec<f64> = rows.iter().zip(&mean).map(|(row, mean)| squares(row, *mean) / count).collect();
    let sums: Vec<f64> = mean.iter().map(|mean| mean * count).collect();
    let sizes: Vec<f64> = rows.iter().map(|row| row.iter().map(|x| x.abs()).sum()).collect();
    let what = format!("of {shape:?} along {axis}, spread {spread} about {centre}, as {}", name(device));
    let within = |name: &str, off: f64, bound: f64| assert!(off <= bound, "{name} {what}: off by {off:e}");

    let errors: Vec<f64> = (0..mean.len()).map(|i| mean[i].abs() + (variance[i] / count).sqrt()).collect();
    within("sum", worst(&x.sum_axes(axes), &sums, |i| sizes[i]), SUM);
    within("mean", worst(&x.mean_axes(axes), &mean, |i| sizes[i] / count), SUM);
    let (got_mean, got_variance) = x.mean_variance(axes, 0);
    within("mean_variance: mean", worst(&got_mean, &mean, |i| errors[i]), MEAN);
    within("mean_variance: variance", worst(&got_variance, &variance, |i| variance[i]), VARIANCE);
    within("variance", worst(&x.variance_axes(axes, 0), &variance, |i| variance[i]), VARIANCE);
    let sample: Vec<f64> = variance.iter().map(|v| (v * count / (count - 1.0)).sqrt()).collect();
    within("std", worst(&x.std_axes(axes, 1), &sample, |i| sample[i]), VARIANCE);
}

/// Lengths, offsets and axes: few long columns and rows, those of the reports, many short ones.
#[test]
fn one_bound_at_any_length_offset_and_axis() {
    let card = card(Profile::nvidia_like(), None);
    let shapes: [(&[usize], usize); 10] = [
        (&[70_000, 3], 0),
        (&[200_000, 2], 0),
        (&[20, 5000], 1),
        (&[1_000_003, 1], 0),
        (&[2, 300_000], 1),
        (&[200, 1001], 1),
        (&[5000, 20], 0),
        (&[3, 3], 0),
        (&[3, 700, 40], 1),
        (&[1 << 20], 0),
    ];
    for (shape, axis) in shapes {
        for (spread, centre) in [(1.0, 0.0), (0.5, 0.5), (1.0, 1e6), (1.0, -100.0), (0.0, 0.1), (1e-3, 1.0)] {
            check(&card, shape, axis, spread, centre);
        }
    }
}

/// Without subgroups, with other sizes of them, past one binding.
#[test]
fn one_bound_on_every_kind_of_card() {
    let kinds = [Profile::webgpu(), Profile::amd_like(), Profile::intel_like(), Profile::software_like()];
    let cards = kinds.into_iter().map(|profile| card(profile, None));
    for device in cards.chain([card(Profile::nvidia_like(), Some(1 << 16))]) {
        for (shape, axis) in [(&[70_000, 3][..], 0), (&[20, 5000], 1), (&[40_000], 0)] {
            for (spread, centre) in [(1.0, 0.0), (1.0, 1e6), (0.0, 0.1)] {
                check(&device, shape, axis, spread, centre);
            }
        }
    }
}

#[test]
fn one_bound_on_every_device() {
    for device in drivers() {
        if has(device, crosslane::DType::F64) {
            let host: Vec<f64> = (0..1000).map(|i| -1e100 - i as f64 * 1e90).collect();
            let mean = Array::from_slice(device, &host).mean_variance(0, 0).0.item().unwrap();
            assert!((mean - (-1e100 - 499.5e90)).abs() <= 1e86, "{mean:e} on {}", name(device));
        }
        for (shape, axis) in [(&[7000, 3][..], 0), (&[20, 5000], 1)] {
            for (spread, centre) in [(1.0, 0.0), (1.0, 1e6)] {
                check(device, shape, axis, spread, centre);
            }
        }
    }
}

/// Values whose squares f32 does not have: variances are of distances from one of the values, and only their sum must be finite.
#[test]
fn far_from_0_beyond_the_root_of_the_largest() {
    for device in drivers() {
        for (spread, centre) in [(1e15, 1e20), (5e17, -1e20), (1e12, 3e37), (1e16, 3e38)] {
            for (shape, axis) in [(&[1000, 3][..], 0), (&[20, 300], 1), (&[2], 0)] {
                check_variance(device, shape, axis, spread, centre);
            }
        }
    }
}

fn check_variance(device: &Device, shape: &[usize], axis: usize, spread: f64, centre: f64) {
    let host = numbers(shape, spread, centre);
    let reduced: Vec<bool> = (0..shape.len()).map(|a| a == axis).collect();
    let rows = host.map(|x| x as f64).groups(&reduced);
    let variance = |row: &Vec<f64>| {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64
    };
    let wanted: Vec<f64> = rows.iter().map(variance).collect();
    let x = upload(device, &host);
    let off = worst(&x.variance_axes(axis as isize, 0), &wanted, |i| wanted[i]);
    assert!(off <= VARIANCE, "of {shape:?} along {axis}, spread {spread} about {centre}, as {}: {off:e}", name(device));
}

/// Long columns, by which all their values are divided: softmax and both norms.
#[test]
fn what_is_normalised_by_long_columns() {
    let device = card(Profile::nvidia_like(), None);
    for (shape, centre) in [([70_000, 3], 0.0), ([70_000, 3], 1000.0), ([200_000, 2], 0.1)] {
        let host = numbers(&shape, if centre == 0.1 { 0.0 } else { 1.0 }, centre);
        let (x, wide) = (upload(&device, &host), host.map(|x| x as f64));
        let columns = wide.groups(&[true, false]);
        let by_column =
            |f: &dyn Fn(&[f64]) -> (f64, f64)| -> Vec<(f64, f64)> { columns.iter().map(|c| f(c)).collect() };
        let total = by_column(&|column| (0.0, column.iter().map(|x| (x - centre).exp()).sum()));
        let square = by_column(&|column| (0.0, (column.iter().map(|x| x * x).sum::<f64>() / shape[0] as f64).sqrt()));
        let wanted = |f: &dyn Fn(f64, (f64, f64)) -> f64, by: &[(f64, f64)]| -> Vec<f64> {
            wide.data.iter().enumerate().map(|(i, &x)| f(x, by[i % shape[1]])).collect()
        };
        let shares = wanted(&|x, (_, total)| (x - centre).exp() / total, &total);
        let off = worst(&x.softmax(0), &shares, |i| shares[i]);
        assert!(off <= 1.5e-6, "softmax of {shape:?} about {centre}: off by {off:e}");
        let scaled = wanted(&|x, (_, scale)| x / scale, &square);
        let off = worst(&x.rms_norm(0, None, 0.0), &scaled, |i| scaled[i].abs());
        assert!(off <= 1e-6, "rms_norm of {shape:?} about {centre}: off by {off:e}");
        if centre == 0.1 {
            continue; // 0 / 0
        }
        let moments = by_column(&|column| {
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            (mean, (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt())
        });
        let normal = wanted(&|x, (mean, deviation)| (x - mean) / deviation, &moments);
        let off = worst(&x.layer_norm(0, None, None, 0.0), &normal, |i| normal[i].abs() + 1.0);
        assert!(off <= 1e-6, "layer_norm of {shape:?} about {centre}: off by {off:e}");
    }
}
