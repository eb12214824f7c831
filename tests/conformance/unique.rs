//! Distinct elements against a map on the host: every type, sizes around tiles, NaN and zeros; nothing is waited for.

use crate::for_types;
use crate::runs::{alike, exactly, garbage, pool, running};
use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, DType, Device, Ordered, f16};
use rand::Rng;
use std::cmp::Ordering;

/// NaN last, equal to itself.
fn order<T: Ordered>(a: &T, b: &T) -> Ordering {
    match (value(*a), value(*b)) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan())),
        (a, b) => a.int().cmp(&b.int()),
    }
}

/// What is known of each distinct element: where it is first, and how often.
fn distinct<T: Ordered>(x: &[T]) -> Vec<(usize, u32)> {
    let mut places: Vec<usize> = (0..x.len()).collect();
    places.sort_by(|&a, &b| order(&x[a], &x[b]));
    let mut found: Vec<(usize, u32)> = vec![];
    for place in places {
        match found.last_mut() {
            Some(last) if alike(&x[last.0], &x[place]) => last.1 += 1,
            _ => found.push((place, 1)),
        }
    }
    found
}

fn check<T: Ordered>(device: &Device, host: &[T], what: &str) {
    let what = format!("{what}: {} {} on {}", host.len(), T::DTYPE, name(device));
    let wanted = distinct(host);
    let values: Vec<T> = wanted.iter().map(|&(first, _)| host[first]).collect();
    let counts: Vec<u32> = wanted.iter().map(|&(_, count)| count).collect();
    let x = Array::from_slice(device, host);
    exactly(&x.unique().to_vec().unwrap(), &values, &what);
    let got = x.unique_counts();
    exactly(&got.0.to_vec().unwrap(), &values, &what);
    assert_eq!(got.1.to_vec().unwrap(), counts, "{what}");
    let all = x.unique_all();
    exactly(&all.values.to_vec().unwrap(), &values, &what);
    assert_eq!(all.counts.to_vec().unwrap(), counts, "{what}");
    assert_eq!(
        all.firsts.to_vec().unwrap(),
        wanted.iter().map(|&(first, _)| first as u32).collect::<Vec<_>>(),
        "{what}"
    );
    let rank = |x: &T| values.iter().position(|y| alike(x, y)).unwrap() as u32;
    assert_eq!(all.inverse.to_vec().unwrap(), host.iter().map(rank).collect::<Vec<_>>(), "{what}");
}

fn every<T: Ordered>(device: &Device) {
    let lengths: &[usize] = if T::DTYPE == DType::F32 { &[3, 5_001] } else { &[0, 1, 2, 257] };
    for &len in lengths {
        let mut rng = random(len as u64);
        let pool = pool::<T>(&mut rng);
        let host: Vec<T> = (0..len).map(|_| pool[rng.random_range(0..pool.len())]).collect();
        check(device, &host, "few values");
    }
}

#[test]
fn unique_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, f64, i32, u32, i64, u64, u8, u16, bool, crosslane::bf16, i8, i16], every);
    }
}

#[test]
fn software_drivers_agree() {
    for device in slow() {
        spoil(device);
        check(device, &running::<f32>(700, 2, 4), "runs");
    }
}

#[test]
fn unique_of_hard_orders() {
    for device in quick() {
        let len = 2_049u32;
        check(device, &vec![5u32; len as usize], "all equal");
        check(device, &(0..len).collect::<Vec<_>>(), "sorted");
        check(device, &(0..len).rev().collect::<Vec<_>>(), "reversed");
        check(device, &(0..len).map(|i| (i * 7919) % 700).collect::<Vec<_>>(), "thrice");
    }
}

#[test]
fn the_inverse_has_the_array_s_shape() {
    for device in quick() {
        let x = Array::from_shape(device, &[2, 3], &[9, 1, 9, 1, 5, 9]).transpose();
        let all = x.unique_all();
        assert_eq!(all.inverse.shape(), [3, 2]);
        assert_eq!(all.inverse.to_vec().unwrap(), [2, 0, 0, 1, 2, 2]);
        assert_eq!(all.firsts.to_vec().unwrap(), [1, 3, 0]);
    }
}

#[test]
fn what_follows_needs_no_wait() {
    if let Some(device) = &fresh("cpu") {
        let x = Array::from_slice(device, &(0..5_000).map(|i| (i * 7919) % 100).collect::<Vec<i32>>());
        x.eval().unwrap();
        let before = device.waits();
        let (values, counts) = x.unique_counts();
        let sum = (values.or(0) * counts.or(0).cast::<i32>()).sum();
        sum.eval().unwrap();
        assert_eq!(device.waits(), before, "on {}", name(device));
        assert_eq!(sum.item().unwrap(), 50 * 4_950, "on {}", name(device));
    }
}
