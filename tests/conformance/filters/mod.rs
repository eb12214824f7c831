//! Convolutions and filters against SciPy's results, kept in `filters.json`, and against the definition.

mod canny;
mod labels;
mod local;
mod morphology;
mod per_axis;
mod pooling;
mod rolling;

use crate::support::*;
use crosslane::array::{ConvolveMode, ConvolveOptions, PadMode};
use crosslane::{Array, Device};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;

const TABLE: &str = include_str!("filters.json");

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn shape(value: &Value) -> Vec<usize> {
    numbers(value).iter().map(|&extent| extent as usize).collect()
}

fn array(device: &Device, shape: &[usize], values: &[f64]) -> Array<f32> {
    Array::from_shape(device, shape, &values.iter().map(|&value| value as f32).collect::<Vec<f32>>())
}

fn padding(row: &Value) -> PadMode<f32> {
    match row["boundary"].as_str().unwrap() {
        "constant" => PadMode::Constant(row["value"].as_f64().unwrap() as f32),
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        _ => PadMode::Wrap,
    }
}

fn by_scipy(device: &Device, row: &Value) -> Array<f32> {
    let x = array(device, &shape(&row["shape"]), &numbers(&row["x"]));
    let boundary = padding(row);
    let args = numbers(&row["args"]);
    let weights = || array(device, &shape(&row["weights"]["shape"]), &numbers(&row["weights"]["values"]));
    let options = || {
        ConvolveOptions::default().boundary(boundary).mode(match row["mode"].as_str().unwrap() {
            "full" => ConvolveMode::Full,
            "same" => ConvolveMode::Same,
            _ => ConvolveMode::Valid,
        })
    };
    match row["what"].as_str().unwrap() {
        "correlate" => x.correlate_with(&weights(), &options()),
        "convolve" => x.convolve_with(&weights(), &options()),
        "gaussian_filter" => x.gaussian_filter(args[0], .., boundary),
        "uniform_filter" => x.uniform_filter(args[0] as usize, .., boundary),
        "sobel" => x.sobel(args[0] as isize, boundary),
        "prewitt" => x.prewitt(args[0] as isize, boundary),
        "laplace" => x.laplace(.., boundary),
        "minimum_filter" => x.minimum_filter(args[0] as usize, .., boundary),
        "maximum_filter" => x.maximum_filter(args[0] as usize, .., boundary),
        "median_filter" => x.median_filter(args[0] as usize, .., boundary),
        other => panic!("{other}"),
    }
}

#[test]
fn as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    for device in devices() {
        let every = if compiles_slowly(device) { 7 } else { 1 };
        for row in rows.iter().step_by(every) {
            let got = by_scipy(device, row);
            let wanted = numbers(&row["result"]["values"]);
            let what = format!(
                "{} of {} with {}, {} on {}",
                row["what"],
                row["shape"],
                row["weights"],
                row["boundary"],
                name(device)
            );
            assert_eq!(got.shape(), shape(&row["result"]["shape"]), "{what}");
            // Sums of up to 20 products of numbers up to 4.
            let apart =
                got.to_vec().unwrap().iter().zip(&wanted).map(|(&a, b)| (a as f64 - b).abs()).fold(0.0, f64::max);
            assert!(apart <= 1e-4, "{what}: {apart}, {:?} for {wanted:?}", got.to_vec());
        }
        say(&format!("filters: {} of {} rows of SciPy on {}", rows.len().div_ceil(every), rows.len(), name(device)));
    }
}

/// The sum over t of weight[t] x[i + t - taps / 2], zeros around, in f64.
fn direct(x: &[f64], weights: &[f64]) -> Vec<f64> {
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| x.get(i)).copied().unwrap_or(0.0);
    let half = weights.len() as i64 / 2;
    (0..x.len() as i64).map(|i| weights.iter().zip(0..).map(|(w, t)| w * at(i + t - half)).sum()).collect()
}

/// Lengths on both sides of where transforms take over, and rows shorter than the weights.
#[test]
fn long_weights() {
    let mut random = StdRng::seed_from_u64(3);
    let mut noise =
        |count: usize| -> Vec<f64> { (0..count).map(|_| random.random_range(-1.0f32..1.0) as f64).collect() };
    for device in quick() {
        for (n, taps) in [(300, 127), (300, 128), (1000, 129), (50, 200), (3000, 1023), (3000, 1024), (700, 1500)] {
            let (x, weights) = (noise(n), noise(taps));
            let (there, by) = (array(device, &[n], &x), array(device, &[taps], &weights));
            let reversed: Vec<f64> = weights.iter().rev().copied().collect();
            // A convolution's middle is before the half, of an even number.
            let turned = array(device, &[taps], &reversed);
            for (what, got) in [
                ("correlate", there.correlate(&by, ConvolveMode::Same)),
                ("convolve", there.convolve(&turned, ConvolveMode::Same)),
            ] {
                let wanted = direct(&x, &weights);
                let size = (taps as f64).sqrt();
                let apart =
                    got.to_vec().unwrap().iter().zip(&wanted).map(|(&a, b)| (a as f64 - b).abs()).fold(0.0, f64::max);
                assert!(apart <= 4e-6 * size, "{what} of {n} by {taps} on {}: {apart:e}", name(device));
            }
            let full = there.correlate(&by, ConvolveMode::Full);
            assert_eq!(full.shape(), [n + taps - 1]);
            let valid = there.correlate(&by, ConvolveMode::Valid).to_vec().unwrap();
            let full = full.to_vec().unwrap();
            let inner = &full[(taps - 1).min(full.len())..];
            assert_eq!(valid.len(), (n + 1).saturating_sub(taps), "{n} by {taps}");
            assert!(valid.iter().zip(inner).all(|(a, b)| (a - b).abs() < 1e-3), "{n} by {taps} on {}", name(device));
        }
        let wide = array(device, &[4, 400], &noise(1600));
        let rows = wide
            .correlate_with(&array(device, &[200], &noise(200)), &ConvolveOptions::default().boundary(PadMode::Wrap));
        assert_eq!(rows.shape(), [4, 400], "on {}", name(device));
        assert!(rows.to_vec().unwrap().iter().all(|value| value.is_finite()));
    }
}

/// A bell far wider than a tile, along each axis of a plane: both ways of the axes are the same.
#[test]
fn wide_bells() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(4);
        let host: Vec<f64> = (0..60 * 70).map(|_| random.random_range(-1.0f32..1.0) as f64).collect();
        let x = array(device, &[60, 70], &host);
        for sigma in [12.0, 40.0] {
            let rows = x.gaussian_filter(sigma, 0, PadMode::Edge).to_vec().unwrap();
            let columns = x.transpose().gaussian_filter(sigma, 1, PadMode::Edge).transpose().to_vec().unwrap();
            let radius = (4.0 * sigma + 0.5) as i64;
            let bell: Vec<f64> = (-radius..=radius).map(|t| (-0.5 * (t as f64 / sigma).powi(2)).exp()).collect();
            let sum: f64 = bell.iter().sum();
            for (at, (a, b)) in rows.iter().zip(&columns).enumerate() {
                let (y, x) = (at as i64 / 70, at % 70);
                let term = |(weight, t): (&f64, i64)| weight / sum * host[(y + t).clamp(0, 59) as usize * 70 + x];
                let wanted: f64 = bell.iter().zip(-radius..).map(term).sum();
                for got in [a, b] {
                    assert!(
                        (*got as f64 - wanted).abs() < 1e-5,
                        "{sigma} at {at} on {}: {got}, {wanted}",
                        name(device)
                    );
                }
            }
        }
    }
}

#[test]
fn infinities_stay_in_their_windows() {
    for device in quick() {
        let mut host = vec![1.0f32; 64 * 64];
        host[10 * 64 + 20] = f32::INFINITY;
        let blur = Array::full(device, &[5, 3], 1.0f32);
        let got = Array::from_shape(device, &[64, 64], &host).correlate(&blur, ConvolveMode::Same).to_vec().unwrap();
        for (at, value) in got.iter().enumerate() {
            let near = (8..=12).contains(&(at / 64)) && (19..=21).contains(&(at % 64));
            assert_eq!(value.is_finite(), !near, "{at} on {}", name(device));
        }
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[4, 5]);
        let weights = |shape: &[usize]| Array::<f32>::ones(device, shape);
        let told = |array: Array<f32>, parts: &[&str]| {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        told(x.convolve(&weights(&[]), ConvolveMode::Same), &["convolve", "weights", "1 to 2 axes"]);
        told(x.convolve(&weights(&[1, 2, 3]), ConvolveMode::Same), &["weights", "[1, 2, 3]"]);
        told(x.correlate(&weights(&[0]), ConvolveMode::Same), &["correlate", "weights"]);
        let steps = ConvolveOptions::default().steps([1]);
        told(x.correlate_with(&weights(&[2, 2]), &steps), &["steps", "2 numbers", "[1]"]);
        told(x.correlate_with(&weights(&[2]), &ConvolveOptions::default().dilations([0])), &["dilations", "[0]"]);
        told(x.correlate(&weights(&[300, 300]), ConvolveMode::Full), &["weights", "memory"]);
        told(Array::<f32>::ones(device, &[0]).correlate(&weights(&[2]), ConvolveMode::Same), &["array", "0 values"]);
        told(x.gaussian_filter(0.0, .., PadMode::Edge), &["gaussian_filter", "sigma", "0"]);
        told(x.uniform_filter(0, .., PadMode::Edge), &["uniform_filter", "size"]);
        told(x.minimum_filter(0, 0, PadMode::Edge), &["minimum_filter", "size"]);
        told(x.sobel(2, PadMode::Edge), &["sobel", "axis", "2"]);
        // Windows that fit nowhere have no results.
        assert_eq!(x.correlate(&weights(&[9]), ConvolveMode::Valid).shape(), [4, 0]);
        assert_eq!(x.sum().item().unwrap(), 20.0, "{} is usable", name(device));
    }
}
