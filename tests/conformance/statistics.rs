//! Covariance, correlation, weighted means, the mode, histograms of several dimensions, against loops in f64 on the host.

use crate::support::*;
use crosslane::array::PadMode;
use crosslane::{Array, Device, Element, Ordered, f16};
use rand::Rng;

fn covariance(rows: &[Vec<f64>], freedom: f64) -> Vec<f64> {
    let centred: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            row.iter().map(|x| x - mean).collect()
        })
        .collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cell = |at: usize| product(&centred[at / rows.len()], &centred[at % rows.len()]);
    (0..rows.len() * rows.len()).map(|at| cell(at) / (rows[0].len() as f64 - freedom)).collect()
}

fn correlation(rows: &[Vec<f64>]) -> Vec<f64> {
    let (all, n) = (covariance(rows, 0.0), rows.len());
    (0..n * n).map(|at| all[at] / (all[at / n * (n + 1)] * all[at % n * (n + 1)]).sqrt()).collect()
}

fn close<T: Element>(got: &Array<T>, wanted: &[f64], bound: f64, what: &str) {
    let got: Vec<f64> = got.to_vec().unwrap().into_iter().map(|x| value(x).float()).collect();
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (at, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((got - wanted).abs() <= bound * (wanted.abs() + 1.0), "{what} at {at}: {got} {wanted}");
    }
}

#[test]
fn covariances_and_correlations() {
    for device in apis() {
        spoil(device);
        // Far from 0, where products that are not centred would lose everything.
        let mut rng = random(4);
        let rows: Vec<Vec<f64>> = (0..5)
            .map(|k| (0..301).map(|_| 1000.0 * k as f64 + rng.random_range(-8i32..9) as f64 / 4.0).collect())
            .collect();
        let flat: Vec<f32> = rows.iter().flatten().map(|&x| x as f32).collect();
        let x = Array::from_shape(device, &[5, 301], &flat);
        for freedom in [0, 1] {
            let what = format!("covariance on {}", name(device));
            close(&x.covariance(freedom), &covariance(&rows, freedom as f64), 2e-4, &what);
        }
        close(&x.correlation(), &correlation(&rows), 2e-4, &format!("correlation on {}", name(device)));
        if device.caps().f64 {
            let wide = x.cast::<f64>();
            close(&wide.covariance(1), &covariance(&rows, 1.0), 1e-12, "covariance of f64");
            close(&wide.correlation(), &correlation(&rows), 1e-12, "correlation of f64");
        }
        let constant = Array::from_shape(device, &[2, 2], &[1.0f32, 1.0, 1.0, 2.0]);
        assert!(constant.correlation().to_vec().unwrap()[0].is_nan());
        let error = x.flatten().covariance(1).to_vec().unwrap_err().to_string();
        assert!(error.contains("covariance") && error.contains("a matrix"), "{error}");
    }
}

/// Against loops over points; edges, points outside and NaN.
#[test]
fn histograms_of_several_dimensions() {
    for device in apis() {
        spoil(device);
        let mut rng = random(8);
        let mut points: Vec<f32> = (0..3 * 2000).map(|_| rng.random_range(-5..21) as f32 / 16.0).collect();
        points[3] = f32::NAN;
        let (bins, ranges) = ([3, 4, 5], [0.0..1.0, 0.0..1.0, -0.25..1.0]);
        let x = Array::from_shape(device, &[2000, 3], &points);
        let (counts, edges) = x.histogramdd(&bins, &ranges).unwrap();
        let mut wanted = vec![0u32; 60];
        for point in points.chunks(3) {
            let bin = |axis: usize| {
                let (x, edges) = (point[axis], &edges[axis]);
                // The last edge belongs to the last bin.
                let inside = x as f64 >= edges[0] && x as f64 <= *edges.last().unwrap();
                inside.then(|| edges[1..bins[axis]].iter().filter(|&&edge| x >= edge as f32).count())
            };
            if let (Some(a), Some(b), Some(c)) = (bin(0), bin(1), bin(2)) {
                wanted[(a * 4 + b) * 5 + c] += 1;
            }
        }
        assert_eq!((counts.shape(), counts.to_vec().unwrap()), (&bins[..], wanted), "{}", name(device));
        assert_eq!(edges[1], [0.0, 0.25, 0.5, 0.75, 1.0]);
        let whole = Array::from_shape(device, &[3, 1], &[1, 5, 9]).histogramdd(&[2], &[0.0..10.0]).unwrap();
        assert_eq!(whole.0.to_vec().unwrap(), [1, 2]);
        let error = x.histogramdd(&[2, 2], &[0.0..1.0, 0.0..1.0]).unwrap_err().to_string();
        assert!(error.contains("histogramdd") && error.contains('3'), "{error}");
    }
}

#[test]
fn weighted_means() {
    for device in apis() {
        let x = Array::from_shape(device, &[2, 3], &[1.0f32, 2.0, 3.0, 10.0, 20.0, 60.0]);
        let columns = Array::from_slice(device, &[1.0f32, 0.0, 3.0]);
        close(&x.average_axes(&columns, 1), &[2.5, 47.5], 1e-6, "rows");
        let rows = Array::from_shape(device, &[2, 1], &[3.0f32, 1.0]);
        close(&x.average_axes(&rows, 0), &[3.25, 6.5, 17.25], 1e-6, "columns");
        close(&x.average(&rows), &[9.0], 1e-6, "all");
        if device.caps().f16 {
            // Sums past the largest half, in f32.
            let large = Array::full(device, &[4], f16::from_f32(40_000.0));
            close(&large.average(&Array::full(device, &[], f16::ONE)), &[40_000.0], 0.0, "f16");
        }
        let error = x.average(&Array::ones(device, &[2])).to_vec().unwrap_err().to_string();
        assert!(error.contains("average") && error.contains("weights") && error.contains("[2, 3]"), "{error}");
    }
}

#[test]
fn the_mode_is_the_smallest_of_the_most_frequent() {
    fn check<T: Ordered>(device: &Device, host: &[T], wanted: (T, u32)) {
        let (value, count) = Array::from_slice(device, host).mode();
        assert_eq!((value.item().unwrap(), count.item().unwrap()), wanted, "{host:?} on {}", name(device));
    }
    for device in apis() {
        check(device, &[5, 3, 5, 3, 1], (3, 2));
        check(device, &[-2, -2, 7], (-2, 2));
        check(device, &[0u8, 9, 9], (9, 2));
        check(device, &[true, false, true], (true, 2));
        check(device, &[1.5f32], (1.5, 1));
        let (value, count) = Array::from_slice(device, &[f32::NAN, 1.0, f32::NAN]).mode();
        assert!(value.item().unwrap().is_nan() && count.item().unwrap() == 2);
        let error = Array::<f32>::zeros(device, &[0]).mode().0.to_vec().unwrap_err().to_string();
        assert!(error.contains("mode") && error.contains("at least one element"), "{error}");
        if device.caps().f16 {
            check(device, &[f16::ONE, f16::ZERO, f16::ONE], (f16::ONE, 2));
        }
    }
}

/// The mean and the variance of the window of each value, by definition.
fn windows(x: &[f32], [height, width]: [usize; 2], size: usize) -> Vec<[f64; 2]> {
    let near = |place: usize, shift: usize, extent: usize| (place + shift).saturating_sub(size / 2).min(extent - 1);
    let window = |at: usize| -> Vec<f64> {
        let place = |k: usize| near(at / width, k / size, height) * width + near(at % width, k % size, width);
        (0..size * size).map(|k| x[place(k)] as f64).collect()
    };
    (0..x.len())
        .map(|at| {
            let window = window(at);
            let mean = window.iter().sum::<f64>() / window.len() as f64;
            [mean, window.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / window.len() as f64]
        })
        .collect()
}

/// Values by tens around 1e7, where f32 counts in ones: a mean that is rounded on the way shows in the variance.
#[test]
fn far_from_zero_nothing_is_lost_between_steps() {
    let mut rng = random(51);
    let host: Vec<f32> = (0..400).map(|_| 1e7 + rng.random_range(-10i32..11) as f32).collect();
    let close = |got: f64, wanted: f64, bound: f64, what: &str, device: &Device| {
        assert!((got - wanted).abs() <= bound * wanted.abs(), "{what} on {}: {got}, wanted {wanted}", name(device));
    };
    for device in drivers() {
        let x = Array::from_shape(device, &[20, 20], &host);
        for size in [3, 4] {
            let (mean, variance) = x.local_statistics(size, .., PadMode::Edge);
            let (mean, variance) = (mean.to_vec().unwrap(), variance.to_vec().unwrap());
            for ((wanted, mean), variance) in windows(&host, [20, 20], size).into_iter().zip(mean).zip(variance) {
                close(mean as f64, wanted[0], 6e-8, "local mean", device);
                close(variance as f64, wanted[1], 1e-5, "local variance", device);
            }
        }
        let some: Vec<f32> = host.iter().enumerate().map(|(i, &x)| if i % 7 == 3 { f32::NAN } else { x }).collect();
        let y = Array::from_shape(device, &[20, 20], &some);
        let variance = |row: &[f32]| {
            let row: Vec<f64> = row.iter().filter(|x| !x.is_nan()).map(|&x| x as f64).collect();
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64
        };
        close(y.nan_variance(0).item().unwrap() as f64, variance(&some), 4e-6, "nan_variance", device);
        close(y.nan_std(0).item().unwrap() as f64, variance(&some).sqrt(), 4e-6, "nan_std", device);
        for (row, got) in some.chunks(20).zip(y.nan_variance_axes(1, 0).to_vec().unwrap()) {
            close(got as f64, variance(row), 4e-6, "nan_variance of rows", device);
        }
        let rows: Vec<Vec<f64>> = host.chunks(20).map(|row| row.iter().map(|&x| x as f64).collect()).collect();
        let all = covariance(&rows, 1.0);
        for (at, got) in x.covariance(1).to_vec().unwrap().into_iter().enumerate() {
            let size = (all[at / 20 * 21] * all[at % 20 * 21]).sqrt();
            assert!((got as f64 - all[at]).abs() <= 2e-6 * size, "covariance on {}: {got} {}", name(device), all[at]);
        }
        for (got, wanted) in x.correlation().to_vec().unwrap().into_iter().zip(correlation(&rows)) {
            assert!((got as f64 - wanted).abs() <= 4e-6, "correlation on {}: {got} {wanted}", name(device));
        }
        // An infinity stays within its windows.
        let mut spoiled = host.clone();
        spoiled[0] = f32::INFINITY;
        let mean =
            Array::from_shape(device, &[20, 20], &spoiled).local_statistics(3, .., PadMode::Edge).0.to_vec().unwrap();
        assert!(
            mean.iter().enumerate().all(|(at, x)| x.is_infinite() == (at / 20 < 2 && at % 20 < 2)),
            "{}",
            name(device)
        );
    }
}
