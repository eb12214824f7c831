//! Places of the sorted order: every type and size against a sort on the host; quantiles against NumPy's definition in
//! double precision.

use crate::for_types;
use crate::support::*;
use crosslane::array::{Interpolation, QuantileOptions};
use crosslane::{Array, DType, Device, Float, Ordered, f16};
use rand::Rng;

/// A row in its order: NaN last.
fn sorted<T: Ordered>(row: &[T]) -> Vec<T> {
    let mut row = row.to_vec();
    row.sort_by(|&a, &b| match (value(a).float(), value(b).float()) {
        (p, q) if p.is_nan() || q.is_nan() => p.is_nan().cmp(&q.is_nan()),
        (p, q) if matches!(T::DTYPE, DType::BF16 | DType::F16 | DType::F32 | DType::F64) => {
            p.partial_cmp(&q).expect("no NaN")
        }
        _ => value(a).int().cmp(&value(b).int()),
    });
    row
}

/// Any bits at all, and small numbers among them.
fn any<T: Ordered>(len: usize, seed: u64) -> Vec<T> {
    let mut rng = random(seed);
    (0..len).map(|_| if rng.random_range(0..4) == 0 { of(rng.random_range(0..3)) } else { bits(&mut rng) }).collect()
}

fn places<T: Ordered>(device: &Device) {
    let full = is_checked(device) && T::DTYPE == DType::F32;
    let sizes: &[usize] = if full { &[1, 2, 8192, 8193, 17_001] } else { &[300, 9_001] };
    for &len in sizes {
        let row: Vec<T> = any(len, len as u64);
        let (x, wanted) = (Array::from_slice(device, &row), sorted(&row));
        for n in [len / 3, len - 1].into_iter().take(if full { 2 } else { 1 }) {
            same(&x.nth(n), &Dense::new(&[], vec![wanted[n]]), &format!("place {n} of {len} {}", T::DTYPE));
        }
    }
}

#[test]
fn places_of_every_type() {
    for device in drivers() {
        spoil(device);
        // A kernel costs a driver up to a second to compile, and the types' differ in a few lines only.
        for_types!(device, [f32, u8], places);
        if is_checked(device) {
            for_types!(device, [bool, u16, u32, i32, u64, i64, f16, f64], places);
        }
    }
}

/// Keys that have their first digits in common, or all of them; the counts of one bin are those of the row.
#[test]
fn hard_rows() {
    for device in drivers() {
        let len = 30_001;
        let rows: [(&str, Vec<u32>); 4] = [
            ("all equal", vec![0xdead_beef; len]),
            ("the last digit differs", (0..len as u32).map(|i| 0xabcd_ec00 | ((i * 7919) % 1024)).collect()),
            ("two values", (0..len as u32).map(|i| if i % 3 == 0 { 7 } else { u32::MAX }).collect()),
            ("reversed", (0..len as u32).rev().map(|x| x * 40_503).collect()),
        ];
        for (what, row) in &rows {
            let (x, wanted) = (Array::from_slice(device, row), sorted(row));
            for n in [0, 10_000, 10_001] {
                assert_eq!(x.nth(n).item().unwrap(), wanted[n], "{what}, {n} on {}", name(device));
            }
        }
    }
}

#[test]
fn rows_and_axes() {
    for device in drivers() {
        let shapes: [&[usize]; 3] = [&[3, 9_001], &[40, 50], &[9_001, 2]];
        for shape in shapes {
            let host = Dense::new(shape, any::<i32>(shape.iter().product(), 3));
            let x = upload(device, &host);
            for (axis, n) in [(0, shape[0] / 2), (1, shape[1] / 3)] {
                let row = |r: usize| host.slice(1 - axis, r, 1, 1).data;
                let wanted = (0..shape[1 - axis]).map(|r| sorted(&row(r))[n]).collect();
                same(
                    &x.nth_axis(n, axis as isize),
                    &Dense::new(&[shape[1 - axis]], wanted),
                    &format!("{shape:?} {axis}"),
                );
            }
        }
    }
}

#[test]
fn partitions() {
    for device in drivers().take(1) {
        let row: Vec<f32> = any(1000, 8);
        let (x, wanted) = (Array::from_slice(device, &row), sorted(&row));
        let (values, indices) = (x.partition_nth(77, 0).to_vec().unwrap(), x.argpartition(77, -1).to_vec().unwrap());
        let taken: Vec<f32> = indices.iter().map(|&i| row[i as usize]).collect();
        same_values(&[values[77], taken[77]], &[wanted[77]; 2], "the element at its place");
        same_values(&sorted(&values[..77]), &wanted[..77], "those before");
        same_values(&sorted(&taken[78..]), &wanted[78..], "those after");
    }
}

/// NumPy's definition, exactly as far as doubles go.
fn quantile(row: &[f64], q: f64, interpolation: Interpolation) -> f64 {
    let row = sorted(row);
    let place = q * (row.len() - 1) as f64;
    let at = |place: f64| row[place as usize];
    match interpolation {
        _ if row[row.len() - 1].is_nan() => f64::NAN,
        Interpolation::Lower => at(place.floor()),
        Interpolation::Higher => at(place.ceil()),
        Interpolation::Nearest => at(place.round_ties_even()),
        Interpolation::Midpoint => (at(place.floor()) + at(place.ceil())) / 2.0,
        Interpolation::Linear => at(place.floor()) + (at(place.ceil()) - at(place.floor())) * place.fract(),
    }
}

fn quantiles<T: Float>(device: &Device) {
    use Interpolation::*;
    let mut rng = random(6);
    let lens: &[usize] = if T::DTYPE == DType::F32 { &[1, 7, 300, 9_001] } else { &[7, 300] };
    for &len in lens {
        let row: Vec<T> = (0..len).map(|_| of::<T>(rng.random_range(-900..900))).collect();
        let host: Vec<f64> = row.iter().map(|&x| value(x).float()).collect();
        let x = Array::from_slice(device, &row);
        let all = [
            (Linear, 0.1),
            (Linear, 1.0),
            (Lower, 0.77),
            (Higher, 0.1),
            (Midpoint, 0.77),
            (Nearest, 0.5),
            (Linear, 0.77),
        ];
        for (interpolation, q) in all.into_iter().skip(if len == 9_001 { 5 } else { 0 }) {
            let got = x.quantile_with(q, &QuantileOptions::default().interpolation(interpolation)).item().unwrap();
            let wanted = quantile(&host, q, interpolation);
            // Three roundings of numbers up to 1800.
            let bound = if T::DTYPE == DType::F16 { 0.5 } else { 3.3e-4 };
            let what = format!("{interpolation:?} {q} of {len} {} on {}", T::DTYPE, name(device));
            assert!((value(got).float() - wanted).abs() <= bound, "{what}: got {got:?}, wanted {wanted}");
        }
    }
}

/// Several at once, of short rows, and of long ones, which one alone would be searched in.
fn several(device: &Device) {
    let (qs, mut rng) = ([0.9, 0.0, 0.25, 0.5, 1.0], random(14));
    for (shape, axis) in [([3, 200], 1), ([9_001, 2], 0), ([1, 9_001], 1)] {
        let data: Vec<f32> = (0..shape[0] * shape[1]).map(|_| of(rng.random_range(-900..900))).collect();
        let (x, rows) = (Array::from_shape(device, &shape, &data), shape[1 - axis as usize]);
        let row = |r: usize| -> Vec<f64> {
            let at = |i: usize| if axis == 1 { data[r * shape[1] + i] } else { data[i * shape[1] + r] };
            (0..shape[axis as usize]).map(|i| at(i) as f64).collect()
        };
        for interpolation in [Interpolation::Linear, Interpolation::Higher] {
            let options = QuantileOptions::default().axis(axis).interpolation(interpolation);
            let got = x.quantiles_with(&qs, &options);
            assert_eq!(got.shape(), [5, rows]);
            for (n, got) in got.to_vec().unwrap().into_iter().enumerate() {
                let (q, wanted) = (qs[n / rows], quantile(&row(n % rows), qs[n / rows], interpolation));
                let what = format!("{interpolation:?} {q} of {shape:?} on {}", name(device));
                assert!((got as f64 - wanted).abs() <= 3.3e-4, "{what}: got {got}, wanted {wanted}");
            }
        }
        let hundredths = qs.map(|q| q * 100.0);
        assert_eq!(x.percentiles(&hundredths).to_vec().unwrap(), x.quantiles(&qs).to_vec().unwrap(), "{shape:?}");
    }
    let bad = Array::from_slice(device, &[1.0f32, f32::NAN, 3.0]).quantiles(&[0.0, 1.0]).to_vec().unwrap();
    assert!(bad.iter().all(|x| x.is_nan()), "{bad:?} on {}", name(device));
}

#[test]
fn quantiles_are_numpys() {
    for device in drivers() {
        quantiles::<f32>(device);
        several(device);
        if is_checked(device) {
            for_types!(device, [f16, f64], quantiles);
        }
    }
}

#[test]
fn what_is_not_finite() {
    for device in drivers() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let of = |row: &[f32]| Array::from_slice(device, row).median().item().unwrap();
        assert!(of(&[1.0, nan, 3.0]).is_nan());
        assert_eq!([of(&[inf, inf, 3.0, inf]), of(&[-inf, 1.0, inf]), of(&[-inf, -inf, 1.0, -inf])], [inf, 1.0, -inf]);
        let rows = Array::from_shape(device, &[3, 2], &[1.0f32, 2.0, nan, 5.0, 3.0, 3.0]);
        same(&rows.median_axis(1), &Dense::new(&[3], vec![1.5, nan, 3.0]), "rows");
        same(&rows.percentile(50.0), &Dense::new(&[], vec![nan]), "all");
        let columns = QuantileOptions::default().axis(0);
        same(&rows.percentile_with(25.0, &columns), &Dense::new(&[2], vec![nan, 2.5]), "columns");
    }
}

#[test]
fn rows_past_one_binding() {
    let Some(device) = &narrow() else { return };
    let host = Dense::new(&[5, 20_001], any::<u32>(100_005, 12));
    let x = upload(device, &host);
    let wanted = (0..5).map(|r| sorted(&host.data[r * 20_001..][..20_001])[777]).collect();
    same(&x.nth_axis(777, 1), &Dense::new(&[5], wanted), "rows");
    assert_eq!(x.nth(70_000).item().unwrap(), sorted(&host.data)[70_000]);
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let text = |result: Array<f32>| result.to_vec().unwrap_err().to_string();
        assert!(text(x.nth(3)).starts_with("nth: n: wanted a place among 3 elements, got 3"));
        assert!(text(x.nth_axis(0, 1)).starts_with("nth_axis: axis: wanted -1 to 0, got 1"));
        assert!(text(x.partition_nth(5, 0)).starts_with("partition_nth: n: wanted"));
        assert!(x.argpartition(0, 2).to_vec().unwrap_err().to_string().starts_with("argpartition: axis"));
        assert!(text(x.quantile(1.5)).starts_with("quantile: q: wanted 0 to 1, got 1.5"));
        assert!(text(x.quantiles(&[0.5, -0.1])).starts_with("quantiles: qs: wanted 0 to 1, got -0.1"));
        assert!(text(x.percentiles(&[])).starts_with("percentiles: ps: wanted 0 to 100, got none"));
        assert!(text(x.percentile(f64::NAN)).starts_with("percentile: p: wanted 0 to 100, got NaN"));
        let none = Array::<f32>::zeros(device, &[2, 0]);
        assert!(text(none.median()).starts_with("median: array: wanted at least one element"));
        assert!(text(none.median_axis(1)).starts_with("median_axis: array: wanted at least one element"));
        assert!(text(none.nth(0)).contains("a place among 0 elements"));
    }
}
