//! Medians and quantiles over several axes, and those that leave out NaN: NumPy's definitions in double precision on rows drawn at
//! random, and figures that NumPy gave.

use crate::for_types;
use crate::support::*;
use crosslane::array::{Axes, Interpolation, QuantileOptions};
use crosslane::{Array, DType, Device, Float, axes, f16};
use rand::Rng;

const WAYS: [Interpolation; 5] = [
    Interpolation::Linear,
    Interpolation::Lower,
    Interpolation::Higher,
    Interpolation::Nearest,
    Interpolation::Midpoint,
];

/// NumPy's `nanquantile`: the place is a product of f64.
fn quantile(row: &[f64], q: f64, way: Interpolation) -> f64 {
    let mut row: Vec<f64> = row.iter().copied().filter(|x| !x.is_nan()).collect();
    row.sort_by(f64::total_cmp);
    if row.is_empty() {
        return f64::NAN;
    }
    let place = q * (row.len() - 1) as f64;
    let at = |place: f64| row[place as usize];
    match way {
        Interpolation::Lower => at(place.floor()),
        Interpolation::Higher => at(place.ceil()),
        Interpolation::Nearest => at(place.round_ties_even()),
        Interpolation::Midpoint => (at(place.floor()) + at(place.ceil())) / 2.0,
        Interpolation::Linear => at(place.floor()) + (at(place.ceil()) - at(place.floor())) * place.fract(),
    }
}

/// Rows with NaN, without, and of nothing else.
fn rows<T: Float>(shape: &[usize]) -> Dense<T> {
    let mut rng = random(shape.iter().sum::<usize>() as u64);
    let width = shape[shape.len() - 1];
    let nan = T::from_scalar(crosslane::op::Value::Float(f64::NAN).scalar(T::DTYPE));
    let one = |at: usize| match (at / width % 3, rng.random_range(0..4)) {
        (2, _) | (0, 0) => nan,
        _ => of::<T>(rng.random_range(-900..900)),
    };
    Dense::new(shape, (0..shape.iter().product()).map(one).collect())
}

#[track_caller]
fn agree<T: Float>(got: &Array<T>, wanted: &[f64], what: &str) {
    let got: Vec<f64> = got.to_vec().unwrap().into_iter().map(|x| value(x).float()).collect();
    assert_eq!(got.len(), wanted.len(), "{what}");
    // Three roundings of numbers up to 1800.
    let bound = if T::DTYPE == DType::F16 { 0.5 } else { 3.3e-4 };
    for (&got, &wanted) in got.iter().zip(wanted) {
        assert!((got - wanted).abs() <= bound || got.is_nan() && wanted.is_nan(), "{what}: got {got}, wanted {wanted}");
    }
}

fn over_axes<T: Float>(device: &Device) {
    let host: Dense<T> = rows(&[3, 4, 2, 11]);
    let (x, thorough) = (upload(device, &host), !compiles_slowly(device));
    for list in [&[3][..], &[1], &[0, 3], &[1, 2], &[-1, 0, 2], &[]] {
        let reduced: Vec<bool> = (0..4).map(|axis| list.iter().any(|&a: &isize| a == axis || a + 4 == axis)).collect();
        let groups = host.groups(&reduced);
        let groups: Vec<Vec<f64>> = groups.iter().map(|row| row.iter().map(|&x| value(x).float()).collect()).collect();
        let what = format!("{} over {list:?} on {}", T::DTYPE, name(device));
        let of = |q: f64, way| groups.iter().map(|row| quantile(row, q, way)).collect::<Vec<_>>();
        agree(&x.nan_median_axes(list), &of(0.5, Interpolation::Linear), &format!("nan_median_axes of {what}"));
        let ways = if thorough || list == [0, 3] { &WAYS[..] } else { &WAYS[..1] };
        for &way in ways {
            for q in if thorough { &[0.0, 0.1, 0.3, 0.5, 0.77, 1.0][..] } else { &[0.3] } {
                let options = QuantileOptions::default().axes(list).interpolation(way);
                agree(&x.nan_quantile_with(*q, &options), &of(*q, way), &format!("{way:?} {q} of {what}"));
            }
        }
        // NaN is the result of a row that has one.
        let plain: Vec<f64> = groups
            .iter()
            .map(
                |row| if row.iter().any(|x| x.is_nan()) { f64::NAN } else { quantile(row, 0.5, Interpolation::Linear) },
            )
            .collect();
        agree(&x.median_axes(list), &plain, &format!("median_axes of {what}"));
        agree(&x.quantile_with(0.5, &QuantileOptions::default().axes(list)), &plain, &what);
    }
}

#[test]
fn every_set_of_axes() {
    for device in drivers() {
        spoil(device);
        over_axes::<f32>(device);
        if is_checked(device) {
            for_types!(device, [f16, f64], over_axes);
        }
    }
}

/// Places that are whole numbers in f64 and not in exact arithmetic, in counts of many sizes: by arithmetic of words.
#[test]
fn places_are_those_of_f64() {
    for device in quick() {
        let counts = [1, 2, 3, 4, 6, 8, 11, 21, 31, 41, 101, 201, 257, 1001];
        let width = 1024;
        let row = |count: usize| (0..width).map(move |at| if at < count { (3 * at) as f32 } else { f32::NAN });
        let data: Vec<f32> = counts.iter().flat_map(|&count| row(count)).collect();
        let x = Array::from_shape(device, &[counts.len(), width], &data);
        let qs = [0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.9, 0.99, 1.0 / 3.0, 0.005, 1e-20, 1.0];
        for way in WAYS {
            let got = x.nan_quantiles_with(&qs, &QuantileOptions::default().axis(1).interpolation(way));
            assert_eq!(got.shape(), [qs.len(), counts.len()]);
            let rows: Vec<Vec<f64>> = counts.iter().map(|&count| row(count).map(f64::from).collect()).collect();
            let wanted: Vec<f64> = qs.iter().flat_map(|&q| rows.iter().map(move |row| quantile(row, q, way))).collect();
            agree(&got, &wanted, &format!("{way:?} on {}", name(device)));
        }
    }
}

#[test]
fn figures_of_numpy() {
    for device in apis() {
        let nan = f32::NAN;
        let data = [7.0, nan, 2.0, 9.0, 4.0, nan, nan, 1.0, 8.0, 3.0, 6.0, 5.0];
        let x = Array::from_shape(device, &[2, 3, 2], &data);
        // numpy.nanmedian(x, axis=(0, 2)), (1, 2), (0, 1, 2); numpy.nanquantile(x, 0.3, axis=(0, 1)).
        agree(&x.nan_median_axes([0, 2]), &[4.0, 5.5, 5.0], "nanmedian, axis=(0, 2)");
        agree(&x.nan_median_axes([-1, 1]), &[5.5, 5.0], "nanmedian, axis=(1, 2)");
        agree(&x.nan_median_axes(..), &[5.0], "nanmedian");
        let options = QuantileOptions::default().axes([0, 1]);
        agree(&x.nan_quantile_with(0.3, &options), &[4.4, 2.8], "nanquantile, axis=(0, 1)");
        agree(&x.nan_quantile(0.25), &[3.0], "nanquantile");
        let kept = x.nan_median_axes(axes([0, 2]).keep_dims());
        assert_eq!(kept.shape(), [1, 3, 1]);
        let kept = x.median_axes(axes(..).keep_dims());
        assert_eq!(kept.shape(), [1, 1, 1]);
        let infinite = Array::from_slice(device, &[f32::INFINITY, nan, 1.0, f32::INFINITY]);
        assert_eq!(infinite.nan_quantile(0.75).item().unwrap(), f32::INFINITY);
        assert!(Array::full(device, &[3], nan).nan_quantile(0.5).item().unwrap().is_nan());
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_shape(device, &[1, 2], &[1.0f32, 2.0]);
        let text = |result: Array<f32>| result.to_vec().unwrap_err().to_string();
        assert!(text(x.median_axes([0, 2])).starts_with("median_axes: axis: wanted -2 to 1, got 2"));
        assert!(text(x.nan_median_axes([0, 0])).starts_with("nan_median_axes: axes: wanted each axis once"));
        assert!(text(x.nan_quantile(1.5)).starts_with("nan_quantile: q: wanted 0 to 1, got 1.5"));
        let none = Array::<f32>::zeros(device, &[2, 0]);
        assert!(text(none.nan_median()).starts_with("nan_median: array: wanted at least one element"));
        assert!(text(none.nan_quantile(0.5)).starts_with("nan_quantile: array: wanted at least one element"));
        assert_eq!(none.nan_median_axes(Axes::from(0)).check().err().map(|_| ()), None);
    }
}
