//! Sets and merged arrays against the same on the host: every type, NaN and both zeros, empty arrays, several lengths.

use crate::for_types;
use crate::runs::{alike, exactly, pool};
use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, DType, Device, Number, Ordered, f16};
use rand::Rng;
use std::cmp::Ordering;

fn order<T: Ordered>(a: &T, b: &T) -> Ordering {
    match (value(*a), value(*b)) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan())),
        (a, b) => a.int().cmp(&b.int()),
    }
}

/// Each once, in order; of equal ones the first.
fn distinct<T: Ordered>(x: &[T]) -> Vec<T> {
    let mut all = x.to_vec();
    all.sort_by(order);
    all.dedup_by(|later, first| alike(later, first));
    all
}

fn has_one<T: Ordered>(set: &[T], x: &T) -> bool {
    set.iter().any(|other| alike(other, x))
}

fn check<T: Ordered>(device: &Device, a: &[T], b: &[T]) {
    let what = format!("{} and {} {} on {}", a.len(), b.len(), T::DTYPE, name(device));
    let (x, y) = (Array::from_slice(device, a), Array::from_slice(device, b));
    let both = [a, b].concat();
    let kept = |of: &[T], keep: &dyn Fn(&T) -> bool| distinct(of).into_iter().filter(keep).collect::<Vec<T>>();
    assert_eq!(
        x.is_in(&y).to_vec().unwrap(),
        a.iter().map(|x| has_one(b, x)).collect::<Vec<bool>>(),
        "is_in of {what}"
    );
    exactly(&x.union(&y).to_vec().unwrap(), &distinct(&both), &format!("union of {what}"));
    exactly(&x.intersect(&y).to_vec().unwrap(), &kept(a, &|x| has_one(b, x)), &format!("intersection of {what}"));
    exactly(&x.difference(&y).to_vec().unwrap(), &kept(a, &|x| !has_one(b, x)), &format!("difference of {what}"));
    exactly(
        &x.symmetric_difference(&y).to_vec().unwrap(),
        &kept(&both, &|x| has_one(a, x) != has_one(b, x)),
        &format!("symmetric difference of {what}"),
    );
}

fn drawn<T: Ordered>(seed: u64, lengths: [usize; 2]) -> [Vec<T>; 2] {
    let mut rng = random(seed);
    let pool = pool::<T>(&mut rng);
    lengths.map(|len| (0..len).map(|_| pool[rng.random_range(0..pool.len())]).collect())
}

fn every<T: Ordered>(device: &Device) {
    let lengths: &[[usize; 2]] =
        if T::DTYPE == DType::F32 { &[[0, 0], [700, 5], [3, 2000]] } else { &[[0, 4], [9, 7]] };
    for &lengths in lengths {
        let [a, b] = drawn::<T>(lengths[0] as u64, lengths);
        check(device, &a, &b);
    }
}

#[test]
fn every_type() {
    for device in apis() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool], every);
    }
}

fn merged<T: Number>(device: &Device) {
    for lengths in [[0, 3], [4, 0], [5, 900], [1000, 1003]] {
        let [mut a, mut b] = drawn::<T>(lengths[0] as u64, lengths);
        a.sort_by(order);
        b.sort_by(order);
        // A stable sort puts the first array's first.
        let mut wanted = [&a[..], &b[..]].concat();
        wanted.sort_by(order);
        let got = Array::from_slice(device, &a).merge(&Array::from_slice(device, &b));
        exactly(&got.to_vec().unwrap(), &wanted, &format!("{lengths:?} {} on {}", T::DTYPE, name(device)));
    }
}

#[test]
fn merge_is_a_stable_sort_of_both() {
    for device in apis() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u32, u64], merged);
    }
}

#[test]
fn shapes_and_mistakes() {
    for device in apis() {
        let x = Array::from_shape(device, &[2, 2], &[1, 2, 3, 4]);
        let set = Array::from_shape(device, &[1, 3], &[9, 4, 1]);
        let found = x.is_in(&set);
        assert_eq!((found.shape(), found.to_vec().unwrap()), (&[2, 2][..], vec![true, false, false, true]));
        let error = x.merge(&set).to_vec().unwrap_err().to_string();
        assert!(error.contains("merge") && error.contains("one dimension"), "{error}");
        let failed = x.sum_axes(7);
        assert!(failed.union(&x).to_vec().is_err() && x.intersect(&failed).count().is_err());
    }
}
