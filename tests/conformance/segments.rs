//! Values by key and by offsets against plain loops: scans, reductions and sorts of segments, empty ones too.

use crate::for_types;
use crate::runs::{exactly, garbage, running, runs};
use crate::support::*;
use crosslane::{Array, DType, Device, Number, Ordered, Scan, f16, s};
use rand::Rng;
use std::ops::Range;

/// Offsets of segments, empty and long ones among them, over so many elements.
fn offsets(len: usize, segments: usize, seed: u64) -> Vec<u32> {
    let mut rng = random(seed);
    let mut inner: Vec<u32> = (1..segments).map(|_| rng.random_range(0..=len as u32)).collect();
    // Some twice: nothing between them.
    (1..inner.len()).step_by(4).for_each(|i| inner[i] = inner[i - 1]);
    inner.sort_unstable();
    [vec![0], inner, vec![len as u32]].concat()
}

fn ranges(offsets: &[u32]) -> Vec<Range<usize>> {
    offsets.windows(2).map(|two| two[0] as usize..two[1] as usize).collect()
}

/// Sums of small integers, exact in every type.
fn sum<T: Number>(x: &[T]) -> T {
    of(x.iter().map(|&x| value(x).float() as i128).sum())
}

fn keyed<K: Ordered>(device: &Device) {
    keyed_of::<K>(device, &[0, 1, 4, 1025, 6_145]);
}

fn keyed_of<K: Ordered>(device: &Device, lengths: &[usize]) {
    for &len in lengths {
        for mean in [1, 40] {
            let (keys, x) = (running::<K>(len, mean, len as u64), small::<i32>(len));
            let what = format!("{len} by {}, runs of {mean}, on {}", K::DTYPE, name(device));
            let runs = runs(&keys);
            let (on_keys, on_x) = (Array::from_slice(device, &keys), Array::from_slice(device, &x));
            let (got, sums) = Scan::sum().reduce_by_key::<_, _, i32>(&on_keys, &on_x);
            exactly(&got.to_vec().unwrap(), &runs.iter().map(|run| keys[run.start]).collect::<Vec<_>>(), &what);
            let wanted: Vec<i32> = runs.iter().map(|run| sum(&x[run.clone()])).collect();
            same_values(&sums.to_vec().unwrap(), &wanted, &what);
            let scanned: Array<i32> = Scan::sum().call_by_key(&on_keys, &on_x);
            let wanted: Vec<i32> = runs.iter().flat_map(|run| run.clone().map(|i| sum(&x[run.start..=i]))).collect();
            same_values(&scanned.to_vec().unwrap(), &wanted, &what);
        }
    }
}

#[test]
fn keys_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f64, u32, u8, u16], keyed);
    }
}

/// Work before, views that lanes cannot take four at a time, wide values, and an operator whose order counts.
#[test]
fn what_is_reduced_by_key() {
    for device in quick() {
        let keys: Vec<u32> = (0..7_000).map(|i| i / 9 % 5).collect();
        let x: Vec<i32> = (0..14_000).map(|i| i * 7919 % 100 - 50).collect();
        let (on_keys, on_x) = (Array::from_slice(device, &keys), Array::from_slice(device, &x));
        let runs = runs(&keys);
        let half = on_x.slice(s![..;2]);
        for (values, factor) in [(half.clone(), 1), (&half * 3, 3), (Array::full(device, &[7_000], 4), 0)] {
            let (_, sums) = Scan::sum().reduce_by_key::<_, _, i32>(&on_keys, &values);
            let one = |i: usize| if factor == 0 { 4 } else { factor * x[2 * i] };
            let wanted: Vec<i32> = runs.iter().map(|run| run.clone().map(one).sum()).collect();
            same_values(&sums.to_vec().unwrap(), &wanted, &format!("times {factor} on {}", name(device)));
        }
        let last = Scan::new("select(b, a, b == 0)", "0").reduce_by_key::<_, _, i32>(&on_keys, &half);
        let not_zero = |run: &Range<usize>| run.clone().rev().map(|i| x[2 * i]).find(|&x| x != 0).unwrap_or(0);
        same_values(&last.1.to_vec().unwrap(), &runs.iter().map(not_zero).collect::<Vec<_>>(), name(device));
        if has(device, DType::I64) {
            let wide = half.cast::<i64>() * (1i64 << 40);
            let (_, sums) = Scan::sum().reduce_by_key::<_, _, i64>(&on_keys, &wide);
            let sum = |run: &Range<usize>| run.clone().map(|i| (x[2 * i] as i64) << 40).sum();
            same_values(&sums.to_vec().unwrap(), &runs.iter().map(sum).collect::<Vec<i64>>(), name(device));
        }
    }
}

fn summed<T: Number>(device: &Device) {
    summed_of::<T>(device, &[(0, 3), (1, 1), (5, 9), (300, 40), (6_145, 900)]);
}

fn summed_of<T: Number>(device: &Device, cases: &[(usize, usize)]) {
    for &(len, count) in cases {
        let (x, offsets) = (small::<T>(len), offsets(len, count, len as u64));
        let what = format!("{count} segments of {len} {} on {}", T::DTYPE, name(device));
        let ranges = ranges(&offsets);
        let (on, at) = (Array::from_slice(device, &x), Array::from_slice(device, &offsets));
        let got: Array<T> = Scan::sum().reduce_segments(&on, &at);
        let wanted: Vec<T> = ranges.iter().map(|range| sum(&x[range.clone()])).collect();
        same_values(&got.to_vec().unwrap(), &wanted, &what);
        let got: Array<T> = Scan::sum().exclusive().reverse().call_offsets(&on, &at);
        let wanted: Vec<T> = ranges.iter().flat_map(|range| range.clone().map(|i| sum(&x[i + 1..range.end]))).collect();
        same_values(&got.to_vec().unwrap(), &wanted, &what);
    }
}

#[test]
fn segments_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, f64, i32, u32, i64, u64], summed);
    }
}

#[test]
fn every_operator_over_segments() {
    for device in quick() {
        let x: Vec<f32> = (0..50).map(|i| if i == 31 { f32::NAN } else { ((i * 37) % 11) as f32 - 2.0 }).collect();
        let offsets = [2u32, 2, 9, 9, 20, 40, 45];
        let parts: Vec<&[f32]> = ranges(&offsets).into_iter().map(|range| &x[range]).collect();
        let (on, at) = (Array::from_slice(device, &x), Array::from_slice(device, &offsets));
        let check = |scan: Scan, wanted: &dyn Fn(&[f32]) -> f32| {
            let got: Array<f32> = scan.reduce_segments(&on, &at);
            let wanted: Vec<f32> = parts.iter().map(|part| wanted(part)).collect();
            same_values(&got.to_vec().unwrap(), &wanted, &format!("{scan:?} on {}", name(device)));
        };
        let least = |part: &[f32]| part.iter().fold(f32::INFINITY, |a, &b| if a < b || a.is_nan() { a } else { b });
        let most = |part: &[f32]| part.iter().fold(f32::NEG_INFINITY, |a, &b| if a > b || a.is_nan() { a } else { b });
        check(Scan::min(), &least);
        check(Scan::max(), &most);
        check(Scan::product(), &|part| part.iter().product());
        let first_not_zero = Scan::new("select(a, b, a == 0)", "0");
        check(first_not_zero.clone(), &|part| part.iter().copied().find(|&x| x != 0.0).unwrap_or(0.0));
        let last = |part: &[f32]| part.iter().rev().copied().find(|&x| x != 0.0).unwrap_or(0.0);
        check(first_not_zero.reverse(), &last);
        let truths: Array<bool> = Scan::any().reduce_segments(&on.less(0.0), &at);
        let wanted: Vec<bool> = parts.iter().map(|part| part.iter().any(|&x| x < 0.0)).collect();
        same_values(&truths.to_vec().unwrap(), &wanted, "any");
        let truths: Array<bool> = Scan::all().reduce_segments(&on.less(8.0), &at);
        let wanted: Vec<bool> = parts.iter().map(|part| part.iter().all(|&x| x < 8.0)).collect();
        same_values(&truths.to_vec().unwrap(), &wanted, "all");
        let counts: Array<u32> = Scan::count_nonzero().reduce_segments(&on, &at);
        let wanted: Vec<u32> = parts.iter().map(|part| part.iter().filter(|&&x| x != 0.0).count() as u32).collect();
        same_values(&counts.to_vec().unwrap(), &wanted, "count_nonzero");
        let keys = Array::from_slice(device, &[4u8, 4, 9, 9, 9]);
        let x = Array::from_slice(device, &[1, 0, 0, 5, 7]);
        let reversed = Scan::new("select(a, b, a == 0)", "0").reverse().reduce_by_key::<_, _, i32>(&keys, &x);
        assert_eq!((reversed.0.to_vec().unwrap(), reversed.1.to_vec().unwrap()), (vec![4, 9], vec![1, 7]));
    }
}

fn sorted<T: Ordered>(device: &Device) {
    sorted_of::<T>(device, if T::DTYPE == DType::F32 { &[(9_000, 500)] } else { &[(0, 2), (1, 1), (300, 40)] });
}

fn sorted_of<T: Ordered>(device: &Device, cases: &[(usize, usize)]) {
    for &(len, count) in cases {
        let mut rng = random(3);
        let x: Vec<T> = (0..len).map(|_| bits::<T>(&mut rng)).collect();
        let offsets = offsets(len, count, 5);
        let mut places: Vec<usize> = (0..len).collect();
        for range in ranges(&offsets) {
            places[range].sort_by(|&a, &b| {
                let (a, b) = (value(x[a]), value(x[b]));
                let nan = a.float().is_nan().cmp(&b.float().is_nan());
                match (a, b) {
                    (crosslane::op::Value::Float(a), crosslane::op::Value::Float(b)) => {
                        a.partial_cmp(&b).unwrap_or(nan)
                    }
                    (a, b) => a.int().cmp(&b.int()),
                }
            });
        }
        let what = format!("{count} segments of {len} {} sorted on {}", T::DTYPE, name(device));
        let (on, at) = (Array::from_slice(device, &x), Array::from_slice(device, &offsets));
        let wanted: Vec<T> = places.iter().map(|&place| x[place]).collect();
        exactly(&on.sort_segments(&at).to_vec().unwrap(), &wanted, &what);
        let wanted: Vec<u32> = places.iter().map(|&place| place as u32).collect();
        same_values(&on.argsort_segments(&at).to_vec().unwrap(), &wanted, &what);
    }
}

#[test]
fn sorts_of_segments() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, i32, u64, u8, bool], sorted);
    }
}

/// A segment goes on from one binding to the next: one of a few elements, and one that fills several bindings.
#[test]
fn segments_reach_over_bindings() {
    for preset in ["nvidia-like", "webgpu", "native"] {
        let device = stand_in(preset, 1 << 18);
        let lengths: Vec<usize> = (0..900).map(|i| 1 + i * i % 97).chain([70_000, 3, 20_000]).collect();
        let heads: Vec<u32> =
            lengths.iter().flat_map(|&length| std::iter::once(1).chain(vec![0; length - 1])).collect();
        let values: Vec<u32> = (0..heads.len() as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
        assert!(heads.len() * 4 > 2 << 18);
        let (x, at) = (Array::from_slice(&device, &values), Array::from_slice(&device, &heads));
        let mut sum = 0u32;
        let wanted: Vec<[u32; 2]> = heads
            .iter()
            .zip(&values)
            .map(|(&head, &value)| {
                let before = if head == 1 { 0 } else { sum };
                sum = before.wrapping_add(value);
                [before, sum]
            })
            .collect();
        for (which, scan) in [Scan::sum().exclusive(), Scan::sum()].into_iter().enumerate() {
            let got = scan.call_segments::<_, _, u32>(&x, &at).to_vec().unwrap();
            let wrong = got.iter().zip(&wanted).position(|(got, wanted)| *got != wanted[which]);
            assert_eq!(wrong, None, "{which} on {preset}");
        }
        // From the end, a head is where a segment ends.
        let ends: Vec<u32> = heads[1..].iter().copied().chain([1]).collect();
        let got = Scan::sum().reverse().call_segments::<_, _, u32>(&x, &Array::from_slice(&device, &ends));
        let mut sum = 0u32;
        let mut wanted: Vec<u32> = ends
            .iter()
            .zip(&values)
            .rev()
            .map(|(&end, &value)| {
                sum = if end == 1 { value } else { sum.wrapping_add(value) };
                sum
            })
            .collect();
        wanted.reverse();
        assert_eq!(
            got.to_vec().unwrap().iter().zip(&wanted).position(|(a, b)| a != b),
            None,
            "from the end on {preset}"
        );
    }
}

#[test]
fn software_drivers_agree() {
    for device in slow() {
        spoil(device);
        keyed_of::<u8>(device, &[701]);
        summed_of::<f32>(device, &[(700, 60)]);
        sorted_of::<f32>(device, &[(700, 60)]);
    }
}

#[test]
fn pairs_of_several_values() {
    for device in quick() {
        let keys = Array::from_shape(device, &[2, 3], &[5.0f32, 1.0, 3.0, 2.0, 9.0, 2.0]);
        let places = Array::from_shape(device, &[2, 3], &[0u8, 1, 2, 3, 4, 5]);
        let (sorted, values) = keys.sort_pairs_all(&[&places, &places.transpose().reshape(&[2, 3])]).unwrap();
        assert_eq!(sorted.to_vec().unwrap(), [1.0, 3.0, 5.0, 2.0, 2.0, 9.0]);
        assert_eq!(values[0].to_vec().unwrap(), [1, 2, 0, 3, 5, 4]);
        assert_eq!(values[1].to_vec().unwrap(), [3, 1, 0, 4, 5, 2]);
        let error = keys.sort_pairs_all(&[&places, &Array::zeros(device, &[6])]).unwrap_err().to_string();
        assert!(error.contains("sort_pairs_all: values: wanted the keys' shape [2, 3], got [6]"), "{error}");
    }
}

#[test]
fn mistakes_are_named() {
    for device in quick() {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let says = |error: crosslane::Error, parts: &[&str]| {
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        };
        let far = Array::from_slice(device, &[0u32, 7]);
        let got = Scan::sum().reduce_segments::<_, i32>(&x, &far).to_vec().unwrap_err();
        says(got, &["reduce_segments: indices: wanted 0 to 3, got 7", "tests/conformance/segments.rs"]);
        says(x.sort_segments(&far).to_vec().unwrap_err(), &["sort_segments: indices: wanted 0 to 3, got 7"]);
        let none = Array::<u32>::zeros(device, &[0]);
        says(held(&Scan::sum().call_offsets::<_, i32>(&x, &none)), &["scan by offsets", "offsets", "[0]"]);
        says(held(&Scan::sum().call_offsets::<_, f32>(&x, &far)), &["i32", "f32"]);
        says(held(&Scan::sum().exclusive().reduce_segments::<_, i32>(&x, &far)), &["exclusive"]);
        let keys = Array::from_slice(device, &[1, 2]);
        says(
            Scan::sum().reduce_by_key::<_, _, i32>(&keys, &x).1.to_vec().unwrap_err(),
            &["reduce_by_key: values", "[2]", "[3]"],
        );
        says(held(&Scan::sum().call_by_key::<_, _, i32>(&x.expand_dims(0), &x)), &["keys", "[1, 3]"]);
    }
}
