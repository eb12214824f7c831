//! Filters in time of complex signals against SciPy's results, kept in `complex_signals.json`, which `complex_signals.py` makes.

use crate::support::*;
use crosslane::{Array, Complex, DType, Device, Part};
use serde_json::Value;

const TABLE: &str = include_str!("complex_signals.json");

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn shape(value: &Value) -> Vec<usize> {
    numbers(&value["shape"]).iter().map(|&extent| extent as usize).collect()
}

fn host(value: &Value) -> Vec<Complex<f64>> {
    let pair = |pair: &Value| Complex::new(pair[0].as_f64().unwrap(), pair[1].as_f64().unwrap());
    value["values"].as_array().unwrap().iter().map(pair).collect()
}

fn array<R: Part>(device: &Device, value: &Value) -> Array<Complex<R>> {
    let rounded = |z: Complex<f64>| Complex::new(R::rounded(z.re), R::rounded(z.im));
    Array::from_shape(device, &shape(value), &host(value).into_iter().map(rounded).collect::<Vec<_>>())
}

fn made<R: Part>(x: &Array<Complex<R>>, row: &Value) -> Vec<Array<Complex<R>>> {
    let device = x.device();
    let (axis, number) = (row["axis"].as_i64().unwrap() as isize, |name: &str| row[name].as_u64().unwrap() as usize);
    let (b, a) = (|| numbers(&row["b"]), || numbers(&row["a"]));
    let sos = || -> Vec<[f64; 6]> {
        row["sos"].as_array().unwrap().iter().map(|section| numbers(section).try_into().unwrap()).collect()
    };
    let states = || array::<R>(device, &row["states"]);
    let both = |(y, states)| vec![y, states];
    match row["what"].as_str().unwrap() {
        "lfilter" => vec![x.lfilter(&b(), &a(), axis)],
        "lfilter_from" => both(x.lfilter_from(&b(), &a(), axis, &states())),
        "sosfilt" => vec![x.sosfilt(&sos(), axis)],
        "sosfilt_from" => both(x.sosfilt_from(&sos(), axis, &states())),
        "filtfilt" => vec![x.filtfilt(&b(), &a(), axis)],
        "sosfiltfilt" => vec![x.sosfiltfilt(&sos(), axis)],
        "resample" => vec![x.resample(number("count"), axis)],
        "resample_poly" => vec![x.resample_poly(number("up"), number("down"), axis)],
        "decimate" => vec![x.decimate(number("factor"), axis)],
        "decimate_iir" => vec![x.decimate_iir(number("factor"), axis)],
        other => panic!("{other}"),
    }
}

fn check<R: Part>(device: &Device, table: &Value, row: &Value, bound: f64) {
    let x = array::<R>(device, &table["signals"][row["x"].as_u64().unwrap() as usize]);
    let what = format!("{} of {:?} along {} on {}", row["what"], x.shape(), row["axis"], name(device));
    let wanted = row["results"].as_array().unwrap();
    let got = made::<R>(&x, row);
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (got, wanted) in got.iter().zip(wanted) {
        assert_eq!(got.shape(), shape(wanted), "{what}");
        let got = got.to_vec().unwrap_or_else(|error| panic!("{what}: {error}"));
        let apart = |(got, wanted): (&Complex<R>, Complex<f64>)| {
            (Complex::new(value(got.re).float(), value(got.im).float()) - wanted).norm()
        };
        let apart = got.iter().zip(host(wanted)).map(apart).fold(0.0, f64::max);
        assert!(apart <= bound, "{what}: off by {apart:e}");
    }
}

#[test]
fn as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    for device in drivers() {
        let every = if compiles_slowly(device) { 7 } else { 1 };
        for row in rows.iter().step_by(every) {
            // Numbers up to 4 and sums up to some 30, whose roundings the filters add up to some hundred units of f32.
            check::<f32>(device, &table, row, 2e-3);
        }
        if is_checked(device) && has(device, DType::F64) {
            rows.iter().step_by(3).for_each(|row| check::<f64>(device, &table, row, 1e-8));
        }
    }
}

#[test]
fn nothing_and_mistakes() {
    for device in drivers().take(1) {
        let none = Array::<Complex<f32>>::zeros(device, &[2, 0]);
        assert_eq!(none.sosfilt(&[[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], 1).shape(), [2, 0]);
        assert_eq!(none.resample_poly(3, 2, 1).to_vec().unwrap(), []);
        let z = Array::<Complex<f32>>::zeros(device, &[4]);
        let text = |result: Array<Complex<f32>>| result.to_vec().unwrap_err().to_string();
        assert!(text(z.sosfilt(&[], 0)).starts_with("sosfilt: "));
        assert!(text(z.lfilter(&[1.0], &[0.0], 0)).starts_with("lfilter: a: wanted finite numbers"));
        assert!(text(z.resample_poly(0, 2, 0)).starts_with("resample_poly: up, down: wanted at least 1"));
        assert!(text(z.decimate(2, 1)).starts_with("decimate: axis: wanted -1 to 0, got 1"));
        let (_, states) = z.lfilter_from(&[1.0], &[1.0, 0.5], 0, &Array::zeros(device, &[3]));
        assert!(text(states).starts_with("lfilter_from: states: wanted a shape that broadcasts to [1]"));
    }
}
