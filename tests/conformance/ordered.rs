//! Scatter in order: every type, places that meet often, seldom and not at all, against plain loops; the same bits twice.

use crate::for_types;
use crate::support::*;
use crosslane::array::OutOfRange;
use crosslane::op::Value;
use crosslane::ops::Combine;
use crosslane::{Array, DType, Device, Number, Ordered, f16, s};
use rand::Rng;

const ALL: [Combine; 4] = [Combine::Replace, Combine::Add, Combine::Minimum, Combine::Maximum];

/// Small whole numbers: their sums are exact in every type.
fn brought<T: Number>(device: &Device) {
    let sizes = if is_thorough(device) { vec![(1, 7), (10, 500), (3_000, 500)] } else { vec![(10, 500)] };
    for (len, count) in sizes {
        let mut rng = random(len as u64);
        let mut small = |n: usize| (0..n).map(|_| rng.random_range(0..3)).collect::<Vec<i128>>();
        let (before, values) = (small(len), small(count));
        let reach = len as i32 + 3;
        let at: Vec<i32> = (0..count).map(|_| rng.random_range(-reach..reach)).collect();
        let [x, v] =
            [&before, &values].map(|x| Array::from_slice(device, &x.iter().map(|&x| of(x)).collect::<Vec<T>>()));
        for combine in if is_thorough(device) { &ALL[..] } else { &ALL[..2] } {
            let mut wanted = before.clone();
            for (&at, &value) in at.iter().zip(&values) {
                let place = if at < 0 { at + len as i32 } else { at };
                if let Some(there) = usize::try_from(place).ok().and_then(|place| wanted.get_mut(place)) {
                    *there = match combine {
                        Combine::Replace => value,
                        Combine::Add => *there + value,
                        Combine::Minimum => value.min(*there),
                        Combine::Maximum => value.max(*there),
                    };
                }
            }
            let got = x.scatter_ordered(&Array::from_slice(device, &at), &v, *combine, OutOfRange::Drop);
            let wanted = wanted.into_iter().map(of).collect();
            same(&got, &Dense::new(&[len], wanted), &format!("{combine:?} {count} to {len} {}", T::DTYPE));
        }
    }
}

#[test]
fn of_every_type() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [f16, f32, f64, i32, i64, u64], brought);
        } else {
            for_types!(device, [f32], brought);
        }
    }
}

#[test]
fn sums_of_floats_are_the_same_each_time() {
    for device in drivers() {
        let mut rng = random(5);
        let host: Vec<f32> = (0..20_000).map(|_| rng.random_range(-1.0..1.0)).collect();
        let at: Vec<u32> = (0..20_000).map(|_| rng.random_range(0..7)).collect();
        let (x, values) = (Array::<f32>::zeros(device, &[7]), Array::from_slice(device, &host));
        let at_device = Array::from_slice(device, &at);
        let sums = || x.scatter_ordered(&at_device, &values, Combine::Add, OutOfRange::Error).to_vec().unwrap();
        let first = sums();
        for (place, &sum) in first.iter().enumerate() {
            let members = host.iter().zip(&at).filter(|(_, at)| **at == place as u32).map(|(x, _)| *x as f64);
            let wanted: f64 = members.sum();
            assert!((sum as f64 - wanted).abs() < 1e-3, "{place} on {}: {sum}, wanted {wanted}", name(device));
        }
        let again: Vec<u32> = sums().iter().map(|sum| sum.to_bits()).collect();
        assert_eq!(again, first.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>(), "on {}", name(device));
    }
}

/// Weights of 1 count: the bins are those of the histogram by atomics.
fn binned<T: Ordered>(device: &Device) {
    let mut rng = random(3);
    let mut values: Vec<T> = (0..997).map(|_| of(rng.random_range(-3..40))).collect();
    let float = matches!(T::DTYPE, DType::F16 | DType::F32 | DType::F64);
    if float {
        let more = [f64::NAN, f64::INFINITY, 9.999, 10.0, 2.5, 0.0, -0.0];
        values.extend(more.map(|x| T::from_scalar(Value::Float(x).scalar(T::DTYPE))));
    }
    let x = Array::from_slice(device, &values);
    let ones = Array::<u32>::ones(device, &[values.len()]);
    for (bins, range) in [(1, 0.0..10.0), (4, 0.0..10.0), (7, 2.5..33.5), (30, 3.0..33.0)] {
        let (counts, edges) = x.histogram(bins, range.clone()).unwrap();
        let (sums, same_edges) = x.histogram_weights_ordered(&ones, bins, range.clone()).unwrap();
        assert_eq!(edges, same_edges);
        let what = format!("{bins} bins over {range:?} of {} on {}", T::DTYPE, name(device));
        assert_eq!(sums.to_vec().unwrap(), counts.to_vec().unwrap(), "{what}");
    }
    if !float {
        let counts = x.bincount(25).to_vec().unwrap();
        assert_eq!(x.bincount_weights_ordered(&ones, 25).to_vec().unwrap(), counts, "{} on {}", T::DTYPE, name(device));
    }
}

#[test]
fn weights_lie_in_the_histograms_bins() {
    for device in drivers() {
        if is_thorough(device) {
            for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64], binned);
        } else {
            for_types!(device, [f32, i32], binned);
        }
        // Numbers whose lower half is that of another bin.
        if has(device, DType::I64) {
            let x = Array::from_slice(device, &[1i64 << 32, 1, -(1 << 32), i64::MIN, 2]);
            let weights = Array::from_slice(device, &[100i64, 1, 1000, 10_000, 2]);
            assert_eq!(x.bincount_weights_ordered(&weights, 3).to_vec().unwrap(), [0, 1, 2]);
        }
        let none = Array::<f32>::zeros(device, &[0]);
        assert_eq!(none.histogram_weights_ordered(&none, 2, 0.0..1.0).unwrap().0.to_vec().unwrap(), [0.0; 2]);
    }
}

#[test]
fn weighted_histograms_have_the_same_bits_each_time() {
    for device in drivers() {
        let len = if is_thorough(device) { 200_000 } else { 20_000 };
        let mut rng = random(6);
        // Of many sizes, so that another order gives other bits.
        let host: Vec<f32> =
            (0..len).map(|_| rng.random_range(-1.0f32..1.0) * 10f32.powi(rng.random_range(-4..4))).collect();
        let places: Vec<f32> = (0..len).map(|_| rng.random()).collect();
        let (x, weights) = (Array::from_slice(device, &places), Array::from_slice(device, &host));
        let sums = || x.histogram_weights_ordered(&weights, 5, 0.0..1.0).unwrap().0.to_vec().unwrap();
        let first = sums();
        for (bin, &sum) in first.iter().enumerate() {
            let members = host.iter().zip(&places).filter(|(_, place)| (**place * 5.0) as usize == bin);
            let (wanted, size) =
                members.fold((0.0, 0.0), |(sum, size), (&x, _)| (sum + x as f64, size + x.abs() as f64));
            assert!((sum as f64 - wanted).abs() < 1e-6 * size, "{bin} on {}: {sum}, wanted {wanted}", name(device));
        }
        let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
        for run in 0..5 {
            assert_eq!(bits(&sums()), bits(&first), "run {run} on {}", name(device));
        }
        let counted = (&x * 5.0).cast::<u32>();
        let again = counted.bincount_weights_ordered(&weights, 5).to_vec().unwrap();
        assert_eq!(bits(&again), bits(&first), "numbers on {}", name(device));
    }
}

#[test]
fn mistakes_are_named() {
    for device in quick() {
        let x = Array::<f32>::zeros(device, &[2, 2]);
        let at = Array::from_slice(device, &[1, 2]);
        let values = Array::<f32>::ones(device, &[3]);
        let got = x.scatter_ordered(&at, &values, Combine::Add, OutOfRange::Drop);
        let error = got.to_vec().unwrap_err().to_string();
        assert!(["scatter_ordered", "[2]", "[3]"].iter().all(|part| error.contains(part)), "{error}");
        let got = x.scatter_ordered(&at, &Array::ones(device, &[1]), Combine::Add, OutOfRange::Drop);
        assert_eq!(got.shape(), [2, 2]);
        assert_eq!(got.to_vec().unwrap(), [0.0, 1.0, 1.0, 0.0], "on {}", name(device));
        let short = Array::<f32>::ones(device, &[3]);
        let says = |error: crosslane::Error, wanted: &str| assert!(error.to_string().contains(wanted), "{error}");
        let shapes = "shape: wanted [2], got [3]";
        says(at.histogram_weights_ordered(&short, 2, 0.0..2.0).unwrap_err(), shapes);
        says(held(&at.bincount_weights_ordered(&short, 2)), shapes);
        says(held(&short.bincount_weights_ordered(&short, 2)), "wanted integers, got f32");
        says(held(&at.bincount_weights_ordered(&x.flatten().slice(s![..2]), 0)), "bins: wanted 1 to");
    }
}
