//! Rolling statistics against pandas' results, kept in `rolling.json`, and against the definition.

use crate::support::*;
use crosslane::Array;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;

const TABLE: &str = include_str!("rolling.json");

/// What is missing is `null`.
fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

fn rolled(x: &Array<f32>, what: &str, window: usize, axis: isize) -> Array<f32> {
    match what {
        "rolling_sum" => x.rolling_sum(window, axis),
        "rolling_mean" => x.rolling_mean(window, axis),
        "rolling_variance" => x.rolling_variance(window, axis, 1),
        "rolling_min" => x.rolling_min(window, axis),
        "rolling_max" => x.rolling_max(window, axis),
        "rolling_median" => x.rolling_median(window, axis),
        other => panic!("{other}"),
    }
}

#[test]
fn as_pandas() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    for device in devices() {
        let mut compared = 0;
        for series in table["rows"].as_array().unwrap() {
            let host: Vec<f32> = numbers(&series["x"]).iter().map(|&value| value as f32).collect();
            let rows = series["results"].as_array().unwrap();
            // As a row, and as a column between others.
            let row_of = Array::from_slice(device, &host);
            let column = row_of.reshape(&[host.len(), 1]).broadcast_to(&[host.len(), 3]);
            let every = if compiles_slowly(device) { 5 } else { 1 };
            for row in rows.iter().step_by(every) {
                let (what, window) = (row["what"].as_str().unwrap(), row["window"].as_u64().unwrap() as usize);
                let wanted = numbers(&row["result"]);
                let along = rolled(&row_of, what, window, 0).to_vec().unwrap();
                let across = rolled(&column, what, window, 0).to_vec().unwrap();
                let across: Vec<f32> = across.chunks(3).map(|chunk| chunk[1]).collect();
                for got in [along, across] {
                    assert_eq!(got.len(), wanted.len());
                    for (at, (&a, &b)) in got.iter().zip(&wanted).enumerate() {
                        // Sums of up to 131 multiples of 1/8 below 5 are exact; the table has 7 digits.
                        let close = (a as f64 - b).abs() <= 2e-6 * b.abs().max(1.0) || a.is_nan() && b.is_nan();
                        assert!(close, "{what} by {window} of {} at {at} on {}: {a}, {b}", host.len(), name(device));
                    }
                }
                compared += 1;
            }
        }
        say(&format!("rolling: {compared} rows of pandas on {}", name(device)));
    }
}

/// Sums of far larger values before do not stay in later windows, nor do NaN and infinity.
#[test]
fn windows_are_apart() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(31);
        let mut host: Vec<f32> = (0..2 * 700).map(|_| random.random_range(-1.0..1.0)).collect();
        host[30] = 1e30;
        host[200] = f32::NAN;
        host[900] = f32::INFINITY;
        let x = Array::from_shape(device, &[2, 700], &host);
        for window in [7, 8, 47, 48, 64, 100, 350, 700] {
            let (sums, most) = (x.rolling_sum(window, 1).to_vec().unwrap(), x.rolling_max(window, 1).to_vec().unwrap());
            for at in 0..1400 {
                let what = format!("{window} at {at} on {}", name(device));
                if at % 700 + 1 < window {
                    assert!(sums[at].is_nan() && most[at].is_nan(), "{what}: {} {}", sums[at], most[at]);
                    continue;
                }
                let own = &host[at + 1 - window..=at];
                let (sum, size): (f64, f64) =
                    (own.iter().map(|&v| v as f64).sum(), own.iter().map(|v| v.abs() as f64).sum());
                let greatest =
                    own.iter().fold(f32::MIN, |a, &b| if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) });
                let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
                // A tree's or a row's roundings, relative to the magnitudes.
                let close = same(sums[at] as f64, sum) || (sums[at] as f64 - sum).abs() <= 2e-6 * size;
                assert!(close, "{what}: {} for {sum}", sums[at]);
                assert!(same(most[at] as f64, greatest as f64), "{what}: {} for {greatest}", most[at]);
            }
        }
        let steps = |window: usize| x.rolling_sum(window, 1).explain().unwrap().steps.len();
        assert_eq!(steps(100), steps(600), "the cost does not grow on {}", name(device));
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[4, 5]);
        for what in ["sum", "mean", "variance", "min", "max", "median"].map(|what| format!("rolling_{what}")) {
            let told = |array: Array<f32>, part: &str| {
                let error = held(&array).to_string();
                assert!(error.contains(&what) && error.contains(part), "{error}");
            };
            told(rolled(&x, &what, 0, 0), "window");
            told(rolled(&x, &what, usize::MAX, 0), "window");
            told(rolled(&x, &what, 2, 2), "axis");
            let long = rolled(&x, &what, 1 << 20, 1).to_vec().unwrap();
            assert!(long.iter().all(|value| value.is_nan()), "{what} on {}: {long:?}", name(device));
            let none = Array::<f32>::ones(device, &[3, 0]);
            assert_eq!(rolled(&none, &what, 2, 0).shape(), [3, 0], "{what} on {}", name(device));
            assert_eq!(rolled(&none, &what, 60, 1).shape(), [3, 0], "{what} on {}", name(device));
        }
    }
}
