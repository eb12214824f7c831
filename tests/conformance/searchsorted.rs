//! Places in sorted arrays against counting, of every type.

use crate::for_types;
use crate::support::*;
use crosslane::array::Side;
use crosslane::op::Value;
use crosslane::{Array, Device, Ordered, f16, s};
use std::cmp::Ordering;

/// NumPy's order: NaN last.
fn order<T: Ordered>(a: T, b: T) -> Ordering {
    match (value(a), value(b)) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan())),
        (a, b) => a.int().cmp(&b.int()),
    }
}

fn places<T: Ordered>(sorted: &[T], values: &[T], side: Side) -> Vec<u32> {
    let before = |a: T, b: T| match order(a, b) {
        Ordering::Less => true,
        Ordering::Equal => side == Side::Right,
        Ordering::Greater => false,
    };
    values.iter().map(|&value| sorted.partition_point(|&x| before(x, value)) as u32).collect()
}

fn every<T: Ordered>(device: &Device) {
    let mut rng = random(1);
    for (len, count) in [(0, 5), (1, 9), (2, 100), (5, 257), (1023, 64), (1024, 70), (5000, 1000)] {
        let mut sorted: Vec<T> = (0..len).map(|i| if i % 3 == 0 { of(i % 7) } else { bits(&mut rng) }).collect();
        sorted.sort_by(|&a, &b| order(a, b));
        let values: Vec<T> = (0..count)
            .map(|i| if len > 0 && i % 2 == 0 { sorted[i * 31 % sorted.len()] } else { bits(&mut rng) })
            .collect();
        let (x, v) = (Array::from_slice(device, &sorted), Array::from_slice(device, &values));
        for side in [Side::Left, Side::Right] {
            let what = format!("{side:?} of {count} among {len} {}", T::DTYPE);
            same(&x.searchsorted(&v, side), &Dense::new(&[count], places(&sorted, &values, side)), &what);
        }
    }
}

#[test]
fn searchsorted_of_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, crosslane::bf16, i8, i16], every);
    }
}

#[test]
fn searchsorted_of_views_and_fused_work() {
    for device in drivers() {
        let x = Array::arange(device, 0, 3000, 1);
        let values = Array::arange(device, -10, 990, 1).reshape(&[10, 100]);
        let wanted: Vec<u32> = (-10..990).map(|v: i32| (v * 2).clamp(0, 1500) as u32).collect();
        let wanted = Dense::new(&[10, 100], wanted);
        let half = x.slice(s![..;2]); // 0, 2, 4, ..
        same(&half.searchsorted(&(&values * 4), Side::Left), &wanted, "strided and fused");
        let turned = half.searchsorted(&(&values * 4).transpose(), Side::Left);
        same(&turned, &wanted.permute(&[1, 0]), "transposed");
        x.eval().unwrap();
        let first = x.slice(s![..10]).searchsorted(&Array::from_slice(device, &[4, 2000]), Side::Left);
        same(&first, &Dense::new(&[2], vec![4, 10]), "the beginning of a larger memory");
        let wanted = Dense::new(&[3000], (0..3000).map(|v| v.min(10)).collect());
        same(&x.slice(s![..10]).searchsorted(&x, Side::Left), &wanted, "all of it in its beginning");
        let one = half.searchsorted(&Array::full(device, &[], 7), Side::Right);
        assert_eq!(one.item().unwrap(), 4);
    }
}

/// More than one binding holds: where profiles have 1 MiB.
#[test]
fn searchsorted_through_windows() {
    for device in drivers().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let sorted = Array::arange(device, 0u32, 700_000, 1).copy();
        let values: Vec<u32> =
            (0..2000).map(|i| i * 350).chain([262_015, 262_016, 262_144, 699_999, 700_000]).collect();
        let got = sorted.searchsorted(&Array::from_slice(device, &values), Side::Left);
        same(&got, &Dense::new(&[values.len()], values), "windows");
    }
}

fn digits<T: Ordered>(device: &Device) {
    let values: Vec<T> = (0..200).map(|i| of(i % 19)).collect();
    let x = Array::from_slice(device, &values);
    let rising: Vec<T> = [1, 4, 4, 9, 15].map(of::<T>).to_vec();
    let falling: Vec<T> = rising.iter().rev().copied().collect();
    let less = |a: T, b: T| order(a, b) == Ordering::Less;
    for right in [false, true] {
        // By NumPy's table of the four cases.
        let up =
            values.iter().map(|&x| rising.iter().filter(|&&e| if right { less(e, x) } else { !less(x, e) }).count());
        let down =
            values.iter().map(|&x| falling.iter().filter(|&&e| if right { !less(e, x) } else { less(x, e) }).count());
        let dense = |counts: Vec<usize>| Dense::new(&[200], counts.into_iter().map(|count| count as u32).collect());
        let side = if right { Side::Left } else { Side::Right };
        same(&x.digitize(&rising, side), &dense(up.collect()), "digitize, rising");
        same(&x.digitize(&falling, side), &dense(down.collect()), "digitize, falling");
    }
}

#[test]
fn digitize_as_numpy() {
    for device in drivers() {
        for_types!(device, [f32, i32, u8], digits);
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[1.0f32, 2.0]);
        let error = x.expand_dims(0).searchsorted(&x, Side::Left).to_vec().unwrap_err().to_string();
        assert!(error.contains("searchsorted: sorted array: wanted one dimension, got shape [1, 2]"), "{error}");
        for edges in [&[1.0, 3.0, 2.0][..], &[f32::NAN]] {
            let error = x.digitize(edges, Side::Right).to_vec().unwrap_err().to_string();
            assert!(error.contains("all ascending or all descending"), "{error}");
        }
    }
}
