//! Filters by near values and thresholds against SciPy's, scikit-image's and OpenCV's results, kept in `local.json`.

use super::{array, numbers, padding, shape};
use crate::support::*;
use crosslane::array::PadMode;
use crosslane::{Array, Device};
use serde_json::Value;

const TABLE: &str = include_str!("local.json");

fn truths(mask: Array<bool>) -> Array<f32> {
    mask.cast::<f32>()
}

/// The result, and how far off it may be.
fn by_table(device: &Device, row: &Value) -> (Array<f32>, f64) {
    let (x, args) = (array(device, &shape(&row["shape"]), &numbers(&row["x"])), numbers(&row["args"]));
    let boundary = padding(row);
    match row["what"].as_str().unwrap() {
        "unsharp_mask" => (x.unsharp_mask(args[0], args[1] as f32, .., boundary), 1e-5),
        // Of values up to 5, whose weights are within some ULP.
        "bilateral_filter" => (x.bilateral_filter(args[0] as usize, args[1], args[2], boundary), 1e-5),
        "local_mean" => (x.local_statistics(args[0] as usize, .., boundary).0, 1e-5),
        "local_variance" => (x.local_statistics(args[0] as usize, .., boundary).1, 5e-5),
        "local_maxima" => (truths(x.local_maxima(args[0] as usize, .., boundary)), 0.0),
        "integral_image" => (x.integral_image(), 0.0),
        other => panic!("{other}"),
    }
}

#[test]
fn as_the_table() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows: Vec<&Value> = table["rows"].as_array().unwrap().iter().filter(|row| !is_threshold(row)).collect();
    for device in devices() {
        let every = if compiles_slowly(device) { 5 } else { 1 };
        for row in rows.iter().step_by(every) {
            let (got, bound) = by_table(device, row);
            let what = format!("{} of {} by {}, {}", row["what"], row["shape"], row["args"], row["boundary"]);
            assert_eq!(got.shape(), shape(&row["shape"]), "{what} on {}", name(device));
            let (got, wanted) = (got.to_vec().unwrap(), numbers(&row["result"]));
            let apart = got.iter().zip(&wanted).map(|(&a, b)| (a as f64 - b).abs()).fold(0.0, f64::max);
            assert!(apart <= bound, "{what} on {}: {apart:e}, {got:?} for {wanted:?}", name(device));
        }
        say(&format!("local filters: {} of {} rows on {}", rows.len().div_ceil(every), rows.len(), name(device)));
    }
}

fn is_threshold(row: &Value) -> bool {
    row["what"].as_str().unwrap().contains("threshold")
}

/// scikit-image's thresholds to the last bit. OpenCV rounds means to integers, so that values as near to the threshold as that may
/// be on either side.
#[test]
fn thresholds() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    for device in devices() {
        let mut compared = 0;
        for row in table["rows"].as_array().unwrap().iter().filter(|row| is_threshold(row)) {
            let (host, args, wanted) = (numbers(&row["x"]), numbers(&row["args"]), numbers(&row["result"]));
            let x = array(device, &shape(&row["shape"]), &host);
            let what = format!("{} of {} by {} on {}", row["what"], row["shape"], row["args"], name(device));
            let mean = |mask: fn(&Array<f32>, usize, f64) -> Array<bool>, at: usize| {
                // One more either way than the rounding.
                let either = [1.01, -1.01].map(|more| mask(&x, args[0] as usize, args[1] + more).to_vec().unwrap()[at]);
                either[0] as u8 as f64 >= wanted[at] && either[1] as u8 as f64 <= wanted[at]
            };
            match row["what"].as_str().unwrap() {
                "threshold_otsu" => assert_eq!(x.threshold_otsu(args[0] as usize).unwrap(), wanted[0], "{what}"),
                "threshold_otsu_i32" => {
                    assert_eq!(x.cast::<i32>().threshold_otsu(args[0] as usize).unwrap(), wanted[0], "{what}")
                }
                other => {
                    let by = match other {
                        "adaptive_threshold_mean" => Array::adaptive_threshold_mean,
                        _ => Array::adaptive_threshold_gaussian,
                    };
                    let places = [0, 5, 12, 40, 60, 77, 116];
                    assert!(places.iter().all(|&at| mean(by, at)), "{what}");
                    // Without rounding, by the definition, for the means.
                    if other.ends_with("mean") {
                        definition(&x, &host, args[0] as i64, args[1], &what);
                    }
                }
            }
            compared += 1;
        }
        assert!(compared > 20, "{compared}");
    }
}

fn definition(x: &Array<f32>, host: &[f64], size: i64, offset: f64, what: &str) {
    let got = x.adaptive_threshold_mean(size as usize, offset).to_vec().unwrap();
    for (at, &above) in got.iter().enumerate() {
        let (y, column) = (at as i64 / 13, at as i64 % 13);
        let half = size / 2;
        let near = |(dy, dx): (i64, i64)| host[((y + dy).clamp(0, 8) * 13 + (column + dx).clamp(0, 12)) as usize];
        let sum: f64 = (-half..=half).flat_map(|dy| (-half..=half).map(move |dx| (dy, dx))).map(near).sum();
        let apart = host[at] - (sum / (size * size) as f64 - offset);
        // Means of integers are exact in f64, and within some ULP of 256 in f32.
        assert!(apart.abs() < 1e-3 || above == (apart > 0.0), "{what} at {at}: {apart}");
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let (x, row) = (Array::<f32>::ones(device, &[4, 5]), Array::<f32>::ones(device, &[5]));
        let told = |error: crosslane::Error, parts: &[&str]| {
            let error = error.to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        let edge = PadMode::Edge;
        told(held(&row.bilateral_filter(3, 1.0, 1.0, edge)), &["bilateral_filter", "two axes"]);
        told(held(&x.bilateral_filter(0, 1.0, 1.0, edge)), &["diameter", "0"]);
        told(held(&x.bilateral_filter(3, 0.0, 1.0, edge)), &["sigma_value"]);
        told(held(&x.bilateral_filter(3, 1.0, f64::NAN, edge)), &["sigma_space", "NaN"]);
        told(held(&x.local_statistics(0, .., edge).0), &["local_statistics", "size"]);
        told(held(&x.local_statistics(3, 5, edge).1), &["local_statistics", "axis"]);
        told(held(&x.unsharp_mask(-1.0, 1.0, .., edge)), &["sigma"]);
        told(held(&x.local_maxima(0, .., edge)), &["local_maxima", "size"]);
        told(held(&row.integral_image()), &["integral_image", "two axes"]);
        told(held(&x.adaptive_threshold_mean(4, 0.0)), &["adaptive_threshold_mean", "size", "4"]);
        told(held(&row.adaptive_threshold_gaussian(3, 0.0)), &["adaptive_threshold_gaussian", "two axes"]);
        told(x.threshold_otsu(0).unwrap_err(), &["threshold_otsu", "bins"]);
        told(Array::<f32>::zeros(device, &[0]).threshold_otsu(9).unwrap_err(), &["threshold_otsu", "none"]);
        let apart = Array::from_slice(device, &[i32::MIN, i32::MAX]);
        told(apart.threshold_otsu(9).unwrap_err(), &["threshold_otsu", "2^24"]);
        // Deviations at the ends of what there is.
        for sigma in [1e-300, 1e300] {
            let same = x.bilateral_filter(3, sigma, sigma, edge).to_vec().unwrap();
            crosslane::assert_close(&same, &[1.0; 20]);
        }
    }
}
