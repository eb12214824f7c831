//! Sorts: every type, direction and size against a stable sort on the host; orders that are hard for a radix sort;
//! pairs, indices, axes, views, parts of the bits; arrays past one binding.

use crate::for_types;
use crate::support::*;
use crosslane::array::SortOptions;
use crosslane::cpu::{Checks, Profile};
use crosslane::device::tunable;
use crosslane::op::Scalar;
use crosslane::{Array, DType, Device, DeviceOptions, Element, Ordered, f16, s};
use rand::Rng;
use std::cmp::Ordering;

/// NumPy's order of two values: NaNs are equal and last, also where the largest come first.
fn order<T: Ordered>(a: &T, b: &T, descending: bool) -> Ordering {
    let (x, y) = (value(*a), value(*b));
    let (p, q) = (x.float(), y.float());
    match (p.is_nan(), q.is_nan()) {
        (false, false) => {
            let float = matches!(T::DTYPE, DType::BF16 | DType::F16 | DType::F32 | DType::F64);
            let ordering = if float { p.partial_cmp(&q).expect("no NaN") } else { x.int().cmp(&y.int()) };
            if descending { ordering.reverse() } else { ordering }
        }
        (nan, other) => nan.cmp(&other),
    }
}

/// The indices that sort a row, equals in order.
fn sorting<T: Ordered>(row: &[T], descending: bool) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..row.len()).collect();
    indices.sort_by(|&a, &b| order(&row[a], &row[b], descending));
    indices
}

fn options(descending: bool) -> SortOptions {
    if descending { SortOptions::default().descending() } else { SortOptions::default() }
}

/// Every bit must be right: the sign of zeros and the payload of NaNs too.
#[track_caller]
fn exactly<T: Element>(got: &Array<T>, wanted: &[T], what: &str) {
    let got = got.to_vec().unwrap_or_else(|error| panic!("{what} on {}: {error}", name(got.device())));
    assert_eq!(got.len(), wanted.len(), "{what}");
    let wrong = (0..wanted.len()).find(|&i| got[i].scalar().bits != wanted[i].scalar().bits);
    if let Some(at) = wrong {
        panic!("{what}: of {} the first wrong is {at}: got {:?}, wanted {:?}", wanted.len(), got[at], wanted[at]);
    }
}

/// Keys, indices and pairs of one row.
fn check<T: Ordered>(device: &Device, row: &[T], descending: bool, what: &str) {
    let what = format!("{what}, {} {}, descending {descending}, on {}", row.len(), T::DTYPE, name(device));
    let wanted = sorting(row, descending);
    let x = Array::from_slice(device, row);
    let sorted: Vec<T> = wanted.iter().map(|&i| row[i]).collect();
    exactly(&x.sort_with(&options(descending)), &sorted, &format!("sort of {what}"));
    if is_thorough(device) || what.starts_with("any bits") && T::DTYPE == DType::U32 {
        let indices: Vec<u32> = wanted.iter().map(|&i| i as u32).collect();
        exactly(&x.argsort_with(&options(descending)), &indices, &format!("argsort of {what}"));
    }
}

/// Values of these bits.
fn of_bits<T: Element>(bits: u64) -> T {
    let all = u64::MAX >> (64 - 8 * T::DTYPE.size());
    let bits = if T::DTYPE == DType::Bool { bits & 1 } else { bits & all };
    T::from_scalar(Scalar { dtype: T::DTYPE, bits: bits as u128 })
}

/// Any bits at all, with every kind of float among them.
fn any<T: Element>(len: usize, seed: u64) -> Vec<T> {
    let mut rng = random(seed);
    let mut hard: Vec<T> = vec![of_bits(0), of_bits(u64::MAX), of_bits(1), of_bits(u64::MAX >> 1)];
    let width = 8 * T::DTYPE.size();
    let infinity = match T::DTYPE {
        DType::BF16 => 0x7f80,
        DType::F16 => 0x7c00,
        DType::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    for sign in [0, 1u64 << (width - 1)] {
        hard.extend(
            [0, 1, infinity - 1, infinity, infinity + 1, infinity | 0x155].map(|bits| of_bits::<T>(bits | sign)),
        );
    }
    (0..len)
        .map(
            |_| if rng.random_range(0..4) == 0 { hard[rng.random_range(0..hard.len())] } else { of_bits(rng.random()) },
        )
        .collect()
}

/// Sizes around the tiles of all shapes.
const SIZES: [usize; 11] = [0, 1, 2, 33, 1025, 2047, 2048, 2049, 4097, 8191, 8193];

fn all_sizes<T: Ordered>(device: &Device) {
    let sizes: &[usize] = match (T::DTYPE, is_thorough(device)) {
        (DType::U32, true) => &SIZES,
        (DType::U32, false) => &[0, 1, 1025, 2049, 8193],
        _ => &[300, 8200],
    };
    for (nth, &len) in sizes.iter().enumerate() {
        let descending = if is_thorough(device) { nth % 2 == 1 } else { T::DTYPE as u8 % 2 == 1 };
        check(device, &any::<T>(len, nth as u64), descending, "any bits");
    }
}

#[test]
fn every_type_and_size() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [u8, bool, u16, u32, i32, u64, i64, f16, f32, f64, crosslane::bf16, i8, i16], all_sizes);
        } else {
            for_types!(device, [u8, u32, f64, crosslane::bf16, i8, i16], all_sizes);
        }
    }
}

/// Orders that are hard for one part of a radix sort or another.
#[test]
fn adversarial_orders() {
    for device in drivers() {
        let len = if is_checked(device) { 9_011 } else { 40_001 };
        let mut rng = random(5);
        let kinds: [(&str, Vec<u32>); 8] = [
            ("all equal", vec![0xdead_beef; len]),
            ("all zero", vec![0; len]),
            ("all ones", vec![u32::MAX; len]),
            ("sorted", (0..len as u32).collect()),
            ("reversed", (0..len as u32).rev().map(|x| x * 40_503).collect()),
            ("two values", (0..len).map(|_| if rng.random() { 7 } else { 0x7000_0000 }).collect()),
            (
                "one digit hot",
                (0..len as u32).map(|i| if i % 97 == 0 { i << 8 } else { 0x00aa_0000 | (i % 3) }).collect(),
            ),
            ("bits by class", (0..len as u32).map(|i| 1u32.rotate_left(i % 32) ^ (i & 1).wrapping_neg()).collect()),
        ];
        for (what, row) in &kinds {
            check(device, row, false, what);
        }
        check(device, &any::<f32>(len, 6), true, "hard floats");
    }
}

/// Rows that a workgroup merges, of lengths around what its invocations hold, on a device that merges whatever its
/// profile: with and without the checks.
#[test]
fn merged_rows() {
    let profile = played();
    let mut profile = Profile::presets().into_iter().find(|preset| preset.name == profile).unwrap();
    profile.caps.tuning.set(tunable("sort_merge").unwrap(), &[8192]).unwrap();
    for checks in [None, Some(Checks::default())] {
        let device = &DeviceOptions::default().cpu(profile.clone(), checks).unwrap();
        spoil(device);
        let lengths: &[usize] = match checks {
            None => &[1, 2, 3, 31, 63, 64, 65, 255, 257, 511, 513, 1000, 1025, 2047, 2049, 4096, 4097, 8191, 8192],
            Some(_) => &[2, 65, 257, 700, 2049],
        };
        for (nth, &len) in lengths.iter().enumerate() {
            let descending = nth % 2 == 1;
            check(device, &any::<u32>(len, nth as u64), descending, "any bits");
            check(device, &any::<f32>(len, nth as u64), descending, "any bits");
            // Equal keys, of which the indices tell the order.
            let few: Vec<u8> = any::<u8>(len, nth as u64).into_iter().map(|x| x % 3).collect();
            let indices: Vec<u32> = sorting(&few, descending).into_iter().map(|i| i as u32).collect();
            let x = Array::from_slice(device, &few);
            exactly(&x.argsort_with(&options(descending)), &indices, &format!("{len} of three keys"));
            pairs::<i32, u16>(device, len);
            if has(device, DType::I64) {
                check(device, &any::<i64>(len, nth as u64), descending, "any bits");
                pairs::<u64, f32>(device, len);
            }
        }
        for shape in [[500, 3], [70, 64], [40, 100], [5, 1100]] {
            let shape = if checks.is_some() { [shape[0] / 5, shape[1]] } else { shape };
            let host = Dense::new(&shape, any::<f32>(shape.iter().product(), 3));
            for axis in 0..2 {
                let (sorted, indices) = along(&host, axis, false);
                let what = format!("{shape:?} along {axis}, checks {}", checks.is_some());
                exactly(&upload(device, &host).sort_axis(axis as isize), &sorted.data, &what);
                exactly(&upload(device, &host).argsort_axis(axis as isize), &indices.data, &what);
            }
        }
        // As many as the device knows: what is behind them is left.
        let row: Vec<i32> = any(500, 21);
        let x = Array::from_slice(device, &row);
        let mut wanted: Vec<i32> = row.iter().copied().filter(|&x| x < 0).collect();
        wanted.sort_unstable();
        assert_eq!(x.compress(&x.less(0)).sort().to_vec().unwrap(), wanted, "a number that the device knows");
    }
}

fn pairs<K: Ordered, V: Element>(device: &Device, len: usize) {
    let (keys, values) = (any::<K>(len, 1), any::<V>(len, 2));
    let wanted = sorting(&keys, false);
    let (k, v) = Array::from_slice(device, &keys).sort_pairs(&Array::from_slice(device, &values));
    let what = format!("pairs of {} and {}, {len}, on {}", K::DTYPE, V::DTYPE, name(device));
    exactly(&k, &wanted.iter().map(|&i| keys[i]).collect::<Vec<_>>(), &what);
    exactly(&v, &wanted.iter().map(|&i| values[i]).collect::<Vec<_>>(), &what);
}

#[test]
fn pairs_of_all_widths() {
    for device in drivers() {
        spoil(device);
        for len in [0, 1, 700, 8_201] {
            pairs::<f32, u8>(device, len);
            if !is_thorough(device) {
                continue;
            }
            pairs::<u32, u32>(device, len);
            pairs::<bool, i32>(device, len);
            pairs::<u8, u16>(device, len);
            if has(device, DType::I64) {
                pairs::<u16, u64>(device, len);
                pairs::<i64, i64>(device, len);
            }
            if has(device, DType::F64) && has(device, DType::F16) {
                pairs::<f64, f16>(device, len);
                pairs::<f16, f64>(device, len);
            }
        }
        // An array with itself: one buffer as keys and as values.
        let x = Array::from_slice(device, &[3u32, 1, 2]);
        let (k, v) = x.sort_pairs(&x);
        assert_eq!((k.to_vec().unwrap(), v.to_vec().unwrap()), (vec![1, 2, 3], vec![1, 2, 3]));
    }
}

/// Each row along an axis, sorted.
fn along<T: Ordered>(host: &Dense<T>, axis: usize, descending: bool) -> (Dense<T>, Dense<u32>) {
    let mut sorted = host.clone();
    let mut indices = host.map(|_| 0u32);
    let step: usize = host.shape[axis + 1..].iter().product();
    for first in points(&host.shape).enumerate().filter(|(_, point)| point[axis] == 0).map(|(flat, _)| flat) {
        let row: Vec<T> = (0..host.shape[axis]).map(|i| host.data[first + i * step]).collect();
        for (i, from) in sorting(&row, descending).into_iter().enumerate() {
            sorted.data[first + i * step] = row[from];
            indices.data[first + i * step] = from as u32;
        }
    }
    (sorted, indices)
}

fn axes<T: Ordered>(device: &Device) {
    let full = T::DTYPE == DType::F32 && is_thorough(device);
    let shapes: [&[usize]; 8] = [&[5, 7], &[1000, 3], &[3, 1000], &[2, 9001], &[4, 5, 6], &[300, 1], &[0, 3], &[3, 0]];
    for shape in shapes.into_iter().take(if full { 8 } else { 3 }) {
        let host = Dense::new(shape, any::<T>(shape.iter().product(), 3));
        let x = upload(device, &host);
        for axis in 0..shape.len() {
            let descending = axis == 1;
            let how = options(descending).axis(axis as isize - if axis == 0 { 0 } else { shape.len() as isize });
            let (sorted, indices) = along(&host, axis, descending);
            let what = format!("{} {shape:?} along {axis} on {}", T::DTYPE, name(device));
            assert_eq!(x.sort_with(&how).shape(), shape, "{what}");
            exactly(&x.sort_with(&how), &sorted.data, &what);
            if is_thorough(device) || axis == 0 {
                exactly(&x.argsort_with(&how), &indices.data, &what);
            }
        }
    }
}

#[test]
fn every_axis() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [f32, u8], axes);
        } else {
            for_types!(device, [f32], axes);
        }
    }
}

#[test]
fn views_and_expressions() {
    for device in drivers() {
        let values: Vec<i32> = any(6000, 9);
        let host = Dense::new(&[60, 100], values);
        let x = upload(device, &host);
        let turned = host.permute(&[1, 0]);
        exactly(&x.transpose().sort(), &along(&turned, 1, false).0.data, "transposed");
        let cut = host.slice(1, 98, -3, 30);
        exactly(&x.slice(s![.., 11..99;-3]).sort(), &along(&cut, 1, false).0.data, "every third from the end");
        let twice = (&x.cast::<u32>() * 2 + 1).sort_axis(0);
        exactly(&twice, &along(&host.map(|v| (v as u32).wrapping_mul(2).wrapping_add(1)), 0, false).0.data, "2x + 1");
        let repeated = x.slice(s![0]).broadcast_to(&[3, 100]).sort();
        let row = along(&host.slice(0, 0, 1, 1), 1, false).0.data;
        exactly(&repeated, &[row.clone(), row.clone(), row].concat(), "repeated");
        let after = x.sort() + 1;
        exactly(&after, &along(&host, 1, false).0.map(|v| v.wrapping_add(1)).data, "what follows");
    }
}

#[test]
fn parts_of_the_bits() {
    for device in drivers() {
        let bits = |range| SortOptions::default().bits(range);
        for len in [500, 8200] {
            let row: Vec<u32> = any(len, 4);
            let x = Array::from_slice(device, &row);
            for (from, to) in [(3, 14), (7, 7), (31, 32), (0, 8), (24, 32), (0, 32)] {
                if !is_thorough(device) && to != 14 {
                    continue;
                }
                let mut wanted = row.clone();
                let part = |x: u32| if from == to { 0 } else { (x >> from) & (u32::MAX >> (32 - (to - from))) };
                wanted.sort_by_key(|&x| part(x));
                let what = format!("bits {from}..{to} of {len} on {}", name(device));
                exactly(&x.sort_with(&bits(from..to)), &wanted, &what);
                wanted.clone_from(&row);
                wanted.sort_by_key(|&x| std::cmp::Reverse(part(x)));
                exactly(&x.sort_with(&bits(from..to).descending()), &wanted, &what);
            }
            if has(device, DType::I64) && is_thorough(device) {
                let row: Vec<u64> = any(len, 8);
                let mut wanted = row.clone();
                wanted.sort_by_key(|&x| (x >> 27) & 0x7ff);
                exactly(&Array::from_slice(device, &row).sort_with(&bits(27..38)), &wanted, "bits across words");
            }
        }
    }
}

#[test]
fn many_tiles() {
    let row: Vec<u32> = any(3 << 20, 13);
    let mut by_byte = row.clone();
    by_byte.sort_by_key(|x| x & 255);
    for device in drivers() {
        let len = if is_checked(device) { 70_001 } else { (1 << 18) + 7 };
        let mut part = row[..len].to_vec();
        let x = Array::from_slice(device, &part).sort();
        part.sort_unstable();
        exactly(&x, &part, "many tiles");
        // Drivers that give each of their threads a part of the tiles begin in the middle: nothing is there yet of
        // thousands of tiles before.
        if !is_checked(device) {
            let x = Array::from_slice(device, &row).sort_with(&SortOptions::default().bits(0..8));
            exactly(&x, &by_byte, "tiles of several threads");
        }
    }
}

/// One row in several windows of what is read and of what is written; and many rows that take several together.
#[test]
fn rows_past_one_binding() {
    let Some(device) = &narrow() else { return };
    let len = 33_001;
    let row: Vec<u32> = any(len, 12);
    let x = Array::from_slice(device, &row);
    let wanted: Vec<u32> = sorting(&row, false).into_iter().map(|i| row[i]).collect();
    exactly(&x.sort(), &wanted, "a long row");
    exactly(&x.sort_pairs(&x).1, &wanted, "a long row of pairs");
    let bytes: Vec<u8> = row.iter().map(|&x| x as u8).collect();
    let indices: Vec<u32> = sorting(&bytes, false).into_iter().map(|i| i as u32).collect();
    exactly(&Array::from_slice(device, &bytes).argsort(), &indices, "a long row of bytes");
    let rows = |length: usize| Dense::new(&[len / length, length], row[..len / length * length].to_vec());
    exactly(&upload(device, &rows(9000)).sort(), &along(&rows(9000), 1, false).0.data, "rows past a binding");
    exactly(&upload(device, &rows(300)).argsort(), &along(&rows(300), 1, false).1.data, "short rows past a binding");
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let text = |result: crosslane::Result<Vec<i32>>| result.unwrap_err().to_string();
        assert!(text(x.sort_axis(1).to_vec()).starts_with("sort_axis: axis: wanted -1 to 0, got 1"));
        assert!(
            text(x.sort_with(&SortOptions::default().bits(3..33)).to_vec()).contains("a range in 0..32, got 3..33")
        );
        let scalar = Array::full(device, &[], 1);
        assert!(text(scalar.sort().to_vec()).contains("rank 0"));
        let (keys, values) = x.sort_pairs(&Array::from_slice(device, &[1.0f32]));
        assert!(text(keys.to_vec()).contains("sort_pairs: values: wanted the keys' shape [3], got [1]"));
        assert!(values.check().is_err());
    }
}
