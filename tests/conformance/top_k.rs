//! The first k: every type, direction and size against a stable sort on the host; orders that are hard for lists and
//! samples; axes, views, windows.

use crate::for_types;
use crate::support::*;
use crosslane::array::TopKOptions;
use crosslane::{Array, DType, Device, Ordered, f16, s};
use rand::Rng;
use std::cmp::Ordering;

/// NaN is larger than all others and equal to itself, as zeros are.
fn order<T: Ordered>(a: &T, b: &T) -> Ordering {
    match (value(*a).float(), value(*b).float()) {
        (p, q) if p.is_nan() || q.is_nan() => p.is_nan().cmp(&q.is_nan()),
        (p, q) if matches!(T::DTYPE, DType::BF16 | DType::F16 | DType::F32 | DType::F64) => {
            p.partial_cmp(&q).expect("no NaN")
        }
        _ => value(*a).int().cmp(&value(*b).int()),
    }
}

/// The indices of the first k, equals in order.
fn first<T: Ordered>(row: &[T], k: usize, smallest: bool) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..row.len() as u32).collect();
    let before = |&a: &u32, &b: &u32| {
        let ordering = order(&row[a as usize], &row[b as usize]);
        (if smallest { ordering } else { ordering.reverse() }).then(a.cmp(&b))
    };
    if k < row.len() {
        indices.select_nth_unstable_by(k, before);
    }
    indices.truncate(k);
    indices.sort_by(before);
    indices
}

fn options(smallest: bool) -> TopKOptions {
    if smallest { TopKOptions::default().smallest() } else { TopKOptions::default() }
}

/// Indices, and every bit of the values.
#[track_caller]
fn check<T: Ordered>(device: &Device, row: &[T], k: usize, smallest: bool, what: &str) {
    let what = format!("{what}, {k} of {} {}, smallest {smallest}, on {}", row.len(), T::DTYPE, name(device));
    let wanted = first(row, k, smallest);
    let (values, indices) = Array::from_slice(device, row).top_k_with(k, &options(smallest));
    let got = indices.to_vec().unwrap_or_else(|error| panic!("{what}: {error}"));
    let wrong = (0..k).find(|&i| got[i] != wanted[i]);
    assert!(got.len() == k && wrong.is_none(), "{what}: at {wrong:?}: got {got:?}, wanted {wanted:?}");
    let values = values.to_vec().unwrap();
    assert!(
        values.iter().zip(&wanted).all(|(x, &i)| x.scalar().bits == row[i as usize].scalar().bits),
        "{what}: values"
    );
}

/// Any bits at all, small integers and the ends among them.
fn any<T: Ordered>(len: usize, seed: u64) -> Vec<T> {
    let mut rng = random(seed);
    (0..len)
        .map(|_| match rng.random_range(0..4) {
            0 => of(rng.random_range(0..3)),
            1 if matches!(T::DTYPE, DType::F32) => {
                let hard = [f64::NAN, -f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 0.0];
                T::from_scalar(crosslane::op::Value::Float(hard[rng.random_range(0..6)]).scalar(T::DTYPE))
            }
            _ => bits(&mut rng),
        })
        .collect()
}

fn all_sizes<T: Ordered>(device: &Device) {
    let full = is_checked(device) && T::DTYPE == DType::U32;
    let sizes: &[usize] = match (full, is_checked(device)) {
        (true, _) => &[0, 1, 63, 64, 257, 1025, 4097, 16_384, 16_385],
        (false, true) => &[300, 17_001],
        (false, false) => &[300, 17_001],
    };
    for (nth, &len) in sizes.iter().enumerate() {
        let row: Vec<T> = any(len, nth as u64);
        let ks: &[usize] = if full { &[0, 1, 100, 512] } else { &[1, 100] };
        for (way, &k) in ks.iter().filter(|&&k| k <= len).enumerate() {
            check(device, &row, k, (nth + way) % 2 == 0, "any bits");
        }
    }
}

#[test]
fn every_type_and_size() {
    for device in drivers() {
        spoil(device);
        // A kernel costs a driver up to a second to compile, and the types' differ in a few lines only.
        for_types!(device, [f32, u8], all_sizes);
        if is_checked(device) {
            for_types!(device, [bool, u16, u32, i32, u64, i64, f16, f64], all_sizes);
        }
    }
}

/// Orders that fill lists again and again, or that mislead a sample.
#[test]
fn adversarial_orders() {
    for device in drivers() {
        let len = 17_001u32;
        let mut rng = random(5);
        let kinds: [(&str, Vec<u32>); 6] = [
            ("all equal", vec![7; len as usize]),
            ("sorted", (0..len).collect()),
            ("reversed", (0..len).rev().collect()),
            ("two values", (0..len).map(|_| if rng.random() { 7 } else { 0x7000_0000 }).collect()),
            ("ends in the first", (0..len).map(|i| if i < 300 { 5 - i % 2 } else { 100 + i % 1000 }).collect()),
            ("ends in the last", (0..len).map(|i| if i + 300 > len { 5 + i % 2 } else { 1000 - i % 900 }).collect()),
        ];
        for (what, row) in kinds.iter().take(if is_checked(device) { 6 } else { 3 }) {
            for smallest in [false, true] {
                check(device, row, 100, smallest, what);
            }
        }
    }
}

/// Rows so long that a sample of them is taken; a row whose sample says nothing.
#[test]
fn samples() {
    for device in drivers() {
        let len = (1 << 21) + 77;
        let mut rng = random(3);
        let mut row: Vec<i32> = (0..len).map(|_| rng.random_range(-5000..1 << 20)).collect();
        // Whole runs that no sample looks at.
        row.iter_mut().enumerate().filter(|(i, _)| i % 65_536 > 60_000).for_each(|(i, x)| *x = -(i as i32));
        check(device, &row, 100, true, "hidden");
    }
}

/// More than lists hold: a sort.
#[test]
fn more_than_lists_hold() {
    for device in drivers() {
        let row: Vec<f32> = any(5_000, 4);
        for k in [513, 2_048, 2_049, 5_000] {
            check(device, &row, k, k % 2 == 1, "many");
        }
    }
}

/// The first k of each row along an axis.
fn along<T: Ordered>(host: &Dense<T>, axis: usize, k: usize, smallest: bool) -> Dense<u32> {
    let mut shape = host.shape.clone();
    shape[axis] = k;
    let step: usize = host.shape[axis + 1..].iter().product();
    let outer: usize = host.shape[..axis].iter().product();
    let mut wanted = vec![0; shape.iter().product()];
    for (o, s) in (0..outer).flat_map(|o| (0..step).map(move |s| (o, s))) {
        let row: Vec<T> = (0..host.shape[axis]).map(|i| host.data[(o * host.shape[axis] + i) * step + s]).collect();
        for (i, from) in first(&row, k, smallest).into_iter().enumerate() {
            wanted[(o * k + i) * step + s] = from;
        }
    }
    Dense::new(&shape, wanted)
}

#[test]
fn every_axis_and_view() {
    for device in drivers() {
        let shapes: [&[usize]; 6] = [&[5, 70], &[1000, 3], &[20, 400], &[17_001, 2], &[4, 5, 6], &[0, 3]];
        for shape in shapes.into_iter().take(if is_checked(device) { 6 } else { 3 }) {
            let host = Dense::new(shape, any::<f32>(shape.iter().product(), 3));
            let x = upload(device, &host);
            for axis in 0..shape.len() {
                let (k, smallest) = (shape[axis].min(3), axis == 1);
                let how = options(smallest).axis(axis as isize - if axis == 0 { 0 } else { shape.len() as isize });
                let (values, indices) = x.top_k_with(k, &how);
                let wanted = along(&host, axis, k, smallest);
                same(&indices, &wanted, &format!("{shape:?} along {axis}"));
                assert_eq!(values.shape(), wanted.shape);
            }
        }
        let host = Dense::new(&[60, 100], any::<i32>(6000, 9));
        let x = upload(device, &host);
        same(&x.transpose().top_k(5).1, &along(&host.permute(&[1, 0]), 1, 5, false), "transposed");
        let cut = host.slice(1, 98, -3, 30);
        same(&x.slice(s![.., 11..99;-3]).top_k(5).1, &along(&cut, 1, 5, false), "every third from the end");
        let twice = host.map(|v| (v as u32).wrapping_mul(2));
        let (values, indices) = (x.cast::<u32>() * 2).top_k(4);
        same(&indices, &along(&twice, 1, 4, false), "of an expression");
        let of = |p: &[usize]| twice.at(&[p[0], along(&twice, 1, 4, false).at(p) as usize]);
        let wanted: Vec<u32> = points(&[60, 4]).map(|p| of(&p) / 2).collect();
        same(&(values / 2), &Dense::new(&[60, 4], wanted), "what follows");
    }
}

#[test]
fn rows_past_one_binding() {
    let Some(device) = &narrow() else { return };
    let row: Vec<u32> = any(40_001, 12);
    check(device, &row, 100, true, "a long row");
    check(device, &row, 3, false, "a long row");
    let bytes: Vec<u8> = row.iter().map(|&x| x as u8).collect();
    check(device, &bytes, 100, false, "a long row of bytes");
    for length in [9000, 900, 30] {
        let host = Dense::new(&[40_000 / length, length], row[..40_000 / length * length].to_vec());
        same(&upload(device, &host).top_k(20).1, &along(&host, 1, 20, false), "rows past a binding");
    }
    let long: Vec<u32> = any((1 << 18) + 5, 13);
    check(device, &long, 50, true, "a sample of a row in many windows");
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let text = |(values, indices): (Array<i32>, Array<u32>)| {
            assert!(values.check().is_err());
            indices.to_vec().unwrap_err().to_string()
        };
        assert!(text(x.top_k(4)).starts_with("top_k: k: wanted at most the 3 elements along axis 0, got 4"));
        let axis = TopKOptions::default().axis(1);
        assert!(text(x.top_k_with(1, &axis)).starts_with("top_k_with: axis: wanted -1 to 0, got 1"));
        assert!(text(Array::full(device, &[], 1).top_k(1)).contains("rank 0"));
    }
}
