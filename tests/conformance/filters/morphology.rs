//! Morphology and filters by rank against SciPy's results, kept in `morphology.json`, and against the definition.

use super::{numbers, shape};
use crate::support::*;
use crosslane::array::{Footprint, PadMode};
use crosslane::{Array, Device, Number, Ordered};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;

const TABLE: &str = include_str!("morphology.json");

fn footprint(row: &Value) -> Footprint {
    let of = &row["footprint"];
    let mask: Vec<bool> = of["mask"].as_array().unwrap().iter().map(|own| own.as_bool().unwrap()).collect();
    Footprint::mask(shape(&of["shape"]), &mask)
}

fn values<T>(list: &Value, convert: &impl Fn(f64) -> T) -> Vec<T> {
    let number = |value: &Value| value.as_bool().map_or_else(|| value.as_f64().unwrap(), |own| own as u8 as f64);
    list.as_array().unwrap().iter().map(|value| convert(number(value))).collect()
}

fn boundary<T>(row: &Value, convert: &impl Fn(f64) -> T) -> PadMode<T> {
    match row["boundary"].as_str().unwrap() {
        "constant" => PadMode::Constant(convert(row["value"].as_f64().unwrap())),
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        _ => PadMode::Wrap,
    }
}

/// What SciPy was asked for, and its answer.
fn row_of<T: Ordered>(device: &Device, row: &Value, convert: impl Fn(f64) -> T) -> (Array<T>, Vec<T>) {
    let x = Array::from_shape(device, &shape(&row["shape"]), &values(&row["x"], &convert));
    let (footprint, boundary) = (footprint(row), boundary(row, &convert));
    let got = match row["what"].as_str().unwrap() {
        "erode" => x.erode(&footprint, boundary),
        "dilate" => x.dilate(&footprint, boundary),
        "open" => x.open(&footprint, boundary),
        "close" => x.close(&footprint, boundary),
        "morphological_gradient" => x.morphological_gradient(&footprint, boundary),
        "top_hat" => x.top_hat(&footprint, boundary),
        "black_hat" => x.black_hat(&footprint, boundary),
        other => panic!("{other}"),
    };
    (got, values(&row["result"], &convert))
}

fn ranks_of<T: Number>(device: &Device, row: &Value, convert: impl Fn(f64) -> T) -> (Array<T>, Vec<T>) {
    let x = Array::from_shape(device, &shape(&row["shape"]), &values(&row["x"], &convert));
    let (footprint, boundary, given) = (footprint(row), boundary(row, &convert), numbers(&row["args"])[0]);
    let got = match row["what"].as_str().unwrap() {
        "rank_filter" => x.rank_filter(given as isize, &footprint, boundary),
        _ => x.percentile_filter(given, &footprint, boundary),
    };
    (got, values(&row["result"], &convert))
}

fn same<T: Ordered>((got, wanted): (Array<T>, Vec<T>), row: &Value, device: &Device) {
    let what = || format!("{} of {} {} on {}", row["what"], row["dtype"], row["shape"], name(device));
    assert_eq!(got.shape(), shape(&row["shape"]), "{}", what());
    assert_eq!(got.to_vec().unwrap(), wanted, "{} with {}, {}", what(), row["footprint"], row["boundary"]);
}

#[test]
fn as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    for device in devices() {
        let every = if compiles_slowly(device) { 7 } else { 1 };
        for row in rows.iter().step_by(every) {
            let ranks = !row["args"].as_array().unwrap().is_empty();
            match (row["dtype"].as_str().unwrap(), ranks) {
                ("f32", false) => same(row_of(device, row, |value| value as f32), row, device),
                ("i32", false) => same(row_of(device, row, |value| value as i32), row, device),
                ("u8", false) => same(row_of(device, row, |value| value as u8), row, device),
                ("bool", false) => same(row_of(device, row, |value| value != 0.0), row, device),
                ("f32", true) => same(ranks_of(device, row, |value| value as f32), row, device),
                _ => same(ranks_of(device, row, |value| value as i32), row, device),
            }
        }
        say(&format!("morphology: {} of {} rows of SciPy on {}", rows.len().div_ceil(every), rows.len(), name(device)));
    }
}

/// Windows of windows: all sizes about the powers of the radix, and far longer than the axis, along each axis of three.
#[test]
fn large_boxes() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(8);
        let host: Vec<i32> = (0..3 * 70 * 5).map(|_| random.random_range(-1000..1000)).collect();
        let x = Array::from_shape(device, &[3, 70, 5], &host);
        for size in [1, 2, 15, 16, 17, 31, 64, 65, 139, 141, 300, 1 << 20] {
            let got = x.minimum_filter(size, 1, PadMode::Symmetric).to_vec().unwrap();
            for (at, &value) in got.iter().enumerate() {
                let (k, y, column) = (at / 350, at / 5 % 70, at % 5);
                let near = |t: i64| {
                    let place = (y as i64 + t).rem_euclid(140);
                    host[k * 350 + place.min(139 - place) as usize * 5 + column]
                };
                let (before, after) = ((size / 2).min(140) as i64, (size - 1 - size / 2).min(140) as i64);
                let wanted = (-before..=after).map(near).min().unwrap();
                assert_eq!(value, wanted, "{size} at {at} on {}", name(device));
            }
        }
        let steps = x.minimum_filter(200, 1, PadMode::Symmetric).explain().unwrap().steps.len();
        assert_eq!(steps, 2, "200 values in two launches on {}", name(device));
    }
}

/// Least and greatest of infinities, the smallest numbers, zeros of both signs, and NaNs of both signs, by box and by mask.
#[test]
fn ends_of_all_values() {
    let special = [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-40, -1e-40, 0.0, -0.0, f32::MIN_POSITIVE];
    let mut host: Vec<f32> = (0..90).map(|at| special[at * 7 % 9]).collect();
    (host[40], host[77]) = (f32::NAN, -f32::NAN);
    let hole = Footprint::mask([4], &[true, false, true, true]);
    for device in quick() {
        let x = Array::from_slice(device, &host);
        for (footprint, own) in [(Footprint::of_box([4]), vec![-2, -1, 0, 1]), (hole.clone(), vec![-2, 0, 1])] {
            let least = x.erode(&footprint, PadMode::Wrap).to_vec().unwrap();
            let greatest = x.dilate(&footprint, PadMode::Wrap).to_vec().unwrap();
            for at in 0..90 {
                let near = |sign: i64| -> Vec<f32> {
                    own.iter().map(|offset| host[(at as i64 + sign * offset).rem_euclid(90) as usize]).collect()
                };
                for (got, near, end) in [
                    (least[at], near(1), f32::min as fn(f32, f32) -> f32),
                    (greatest[at], near(-1), f32::max as fn(f32, f32) -> f32),
                ] {
                    let what = format!("{got} at {at} of {near:?} on {}", name(device));
                    match near.iter().any(|value| value.is_nan()) {
                        true => assert!(got.is_nan(), "{what}"),
                        false => assert_eq!(got, near.into_iter().reduce(end).unwrap(), "{what}"),
                    }
                }
            }
        }
    }
}

/// Medians and ranks of values that no order has, of signed zeros, and of the largest window.
#[test]
fn ranks_of_all_values() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(9);
        let mut host: Vec<f32> = (0..20 * 20).map(|_| random.random_range(-1.0f32..1.0)).collect();
        host[45] = f32::NAN;
        host[210] = f32::INFINITY;
        host[211] = f32::NEG_INFINITY;
        host[300] = f32::MAX;
        host[301] = 1e-40;
        let x = Array::from_shape(device, &[20, 20], &host);
        let got = x.median_filter(7, .., PadMode::Edge).to_vec().unwrap();
        for (at, value) in got.iter().enumerate() {
            let (y, column) = (at as i64 / 20, at as i64 % 20);
            let mut near: Vec<f32> = (0..49)
                .map(|n| host[((y + n / 7 - 3).clamp(0, 19) * 20 + (column + n % 7 - 3).clamp(0, 19)) as usize])
                .collect();
            match near.iter().any(|value| value.is_nan()) {
                true => assert!(value.is_nan(), "at {at} on {}", name(device)),
                false => {
                    near.sort_by(f32::total_cmp);
                    assert_eq!(*value, near[24], "at {at} on {}", name(device));
                }
            }
        }
        // Another axis than the last, and an even size.
        let columns = x.slice(crosslane::s![5..9]).median_filter(2, 0, PadMode::Edge).to_vec().unwrap();
        let wanted = host[5 * 20 + 3] * 0.5 + host[6 * 20 + 3] * 0.5;
        assert_eq!(columns[20 + 3], wanted, "on {}", name(device));
        if device.caps().f64 {
            let wide: Vec<f64> = host.iter().map(|&value| value as f64).collect();
            let wide = Array::from_shape(device, &[20, 20], &wide).median_filter(5, .., PadMode::Wrap);
            let narrow = x.median_filter(5, .., PadMode::Wrap).to_vec().unwrap();
            let same = |(a, b): (&f64, &f32)| *a == *b as f64 || a.is_nan() && b.is_nan();
            assert!(wide.to_vec().unwrap().iter().zip(&narrow).all(same), "on {}", name(device));
        }
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[4, 5]);
        let told = |array: Array<f32>, parts: &[&str]| {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        let edge = PadMode::Edge;
        told(x.erode(&Footprint::of_box([]), edge), &["erode", "footprint", "1 to 2 axes"]);
        told(x.dilate(&Footprint::of_box([1, 2, 3]), edge), &["dilate", "[1, 2, 3]"]);
        told(x.open(&Footprint::mask([2, 2], &[true; 3]), edge), &["open", "a mask of 3 values"]);
        told(x.close(&Footprint::mask([2], &[false; 2]), edge), &["close", "0 of them true"]);
        told(x.top_hat(&Footprint::of_box([0]), edge), &["top_hat", "[0]"]);
        told(x.erode(&Footprint::cross(4), edge), &["erode", "footprint"]);
        told(x.erode(&Footprint::cross(100), edge), &["erode", "footprint"]);
        told(x.erode(&Footprint::disk(usize::MAX), edge), &["erode", "footprint"]);
        told(x.rank_filter(9, &Footprint::of_box([3, 3]), edge), &["rank_filter", "rank", "-9 to 8"]);
        told(x.rank_filter(0, &Footprint::of_box([8, 8]), edge), &["rank_filter", "49 neighbours", "64"]);
        told(x.percentile_filter(101.0, &Footprint::of_box([3]), edge), &["percentile_filter", "percentile", "101"]);
        told(x.percentile_filter(f64::NAN, &Footprint::of_box([3]), edge), &["percentile", "NaN"]);
        told(Array::<f32>::ones(device, &[0, 3]).erode(&Footprint::of_box([3, 3]), edge), &["erode", "[0, 3]"]);
        told(x.median_filter(usize::MAX, .., edge), &["median_filter", "size"]);
        let integers = Array::<i64>::ones(device, &[4]);
        let error = integers.erode(&Footprint::of_box([3]), PadMode::Constant((1 << 53) + 1)).to_vec();
        // A device without i64 says so.
        assert!(error.is_err(), "on {}", name(device));
        // An axis that no window goes along may have no values.
        assert_eq!(Array::<f32>::ones(device, &[0, 3]).erode(&Footprint::of_box([3]), edge).shape(), [0, 3]);
    }
}
