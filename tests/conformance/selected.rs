//! Work that goes on with selected elements, as many as the device alone knows: sorts, elementwise work, reductions, against
//! plain loops. On checked devices reading an element past their number would be a defect.

use crate::for_types;
use crate::support::*;
use crosslane::array::SortOptions;
use crosslane::{Array, Device, Ordered, Selected};
use rand::Rng;

/// Some of so many numbers below 100, on the device and on the host.
fn some<T: Ordered + From<u8>>(device: &Device, len: usize, share: f64) -> (Selected<T>, Vec<u8>) {
    let mut rng = random(len as u64 ^ share.to_bits());
    let x: Vec<u8> = (0..len).map(|_| rng.random_range(0..100)).collect();
    let keep: Vec<bool> = (0..len).map(|_| rng.random_bool(share)).collect();
    let wanted = x.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(x, _)| *x).collect();
    let x: Vec<T> = x.into_iter().map(T::from).collect();
    (Array::from_slice(device, &x).compress(&Array::from_slice(device, &keep)), wanted)
}

fn of<T: Ordered + From<u8>>(values: &[u8]) -> Vec<T> {
    values.iter().map(|&value| T::from(value)).collect()
}

/// Rows of one tile, of several, and of several with nothing in the last ones; none and all.
fn cases(thorough: bool) -> Vec<(usize, f64)> {
    let few = vec![(3_001, 0.5), (20_003, 0.3)];
    let more = vec![(1, 1.0), (1, 0.0), (700, 0.0), (700, 1.0), (9_000, 0.0), (9_000, 1.0)];
    if thorough { [few, more].concat() } else { few }
}

fn sorted<T: Ordered + From<u8>>(device: &Device) {
    for (len, share) in cases(is_thorough(device) && T::DTYPE == crosslane::DType::U32) {
        let (got, mut wanted) = some::<T>(device, len, share);
        let what = format!("{share} of {len} {} on {}", T::DTYPE, name(device));
        let got = got.sort();
        wanted.sort_unstable();
        same_values(&got.to_vec().unwrap(), &of::<T>(&wanted), &what);
        let mut filled = of::<T>(&wanted);
        filled.resize(len, T::from(7));
        same_values(&got.or(T::from(7)).to_vec().unwrap(), &filled, &what);
        wanted.reverse();
        let again = got.sort_with(&SortOptions::default().descending());
        same_values(&again.to_vec().unwrap(), &of::<T>(&wanted), &what);
    }
}

#[test]
fn sorts() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [f32, u8, u32, f64, i64], sorted);
        } else {
            for_types!(device, [u8, u32], sorted);
        }
    }
}

#[test]
fn work_and_reductions() {
    for device in drivers() {
        spoil(device);
        for (len, share) in cases(is_thorough(device)) {
            let (got, wanted) = some::<i32>(device, len, share);
            let what = format!("{share} of {len} on {}", name(device));
            let twice = got.map(|x| x * 2 + 1);
            let wanted: Vec<i32> = wanted.iter().map(|&x| x as i32 * 2 + 1).collect();
            assert_eq!(twice.sum().item().unwrap(), wanted.iter().sum::<i32>(), "{what}");
            assert_eq!(twice.min().item().unwrap(), wanted.iter().copied().min().unwrap_or(i32::MAX), "{what}");
            assert_eq!(twice.max().item().unwrap(), wanted.iter().copied().max().unwrap_or(i32::MIN), "{what}");
            let product = wanted.iter().fold(1i32, |all, x| all.wrapping_mul(*x));
            assert_eq!(twice.product().item().unwrap(), product, "{what}");
            same_values(&twice.to_vec().unwrap(), &wanted, &what);
            let bytes = twice.map(|x| x.cast::<u8>());
            same_values(&bytes.to_vec().unwrap(), &wanted.iter().map(|&x| x as u8).collect::<Vec<_>>(), &what);
            let mut filled = wanted.clone();
            filled.resize(len, -1);
            same_values(&twice.or(-1).to_vec().unwrap(), &filled, &what);
        }
    }
}

/// What waits for several kernels, or for longer than a kernel's steps, is computed apart: of values alone.
#[test]
fn long_work_and_parts_of_it() {
    for device in drivers() {
        spoil(device);
        let (got, wanted) = some::<i32>(device, 3_001, 0.4);
        let long = got.map(|x| (0..150).fold(x.clone(), |x, _| x * 3 + 1));
        let wanted: Vec<i32> =
            wanted.iter().map(|&x| (0..150).fold(x as i32, |x, _| x.wrapping_mul(3).wrapping_add(1))).collect();
        same_values(&long.to_vec().unwrap(), &wanted, name(device));
        let more: Vec<i32> = wanted.iter().map(|&x| x.wrapping_add(1)).collect();
        same_values(&(long.to_array().unwrap() + 1).to_vec().unwrap(), &more, name(device));
        let sum = wanted.iter().fold(0i32, |all, x| all.wrapping_add(*x));
        for turn in 0..6 {
            let (more, wanted) = (long.map(|x| x + turn), sum.wrapping_add(turn * wanted.len() as i32));
            assert_eq!(more.sum().item().unwrap(), wanted, "{turn} on {}", name(device));
            assert_eq!(more.or(0).sum().item().unwrap(), wanted, "{turn}, filled, on {}", name(device));
            assert_eq!(
                got.or(turn).less(200).cast::<i32>().sum().item().unwrap(),
                3_001,
                "all of them on {}",
                name(device)
            );
        }
    }
}

#[test]
fn select_sort_and_sum_wait_for_nothing() {
    for device in &[fresh("lavapipe"), fresh("cpu")].into_iter().flatten().collect::<Vec<_>>() {
        let x = Array::from_slice(device, &(0..10_000).map(|i| (i * 7919) % 100).collect::<Vec<i32>>());
        x.eval().unwrap();
        let before = device.waits();
        let sum = x.compress(&x.less(10)).sort().map(|x| x * 2).sum();
        sum.eval().unwrap();
        assert_eq!(device.waits(), before, "on {}", name(device));
        assert_eq!(sum.item().unwrap(), 2 * 45 * 100, "on {}", name(device));
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers() {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let some = x.compress(&x.greater(1));
        let error = some.map(|x| x.reshape(&[1, 3])).to_vec().unwrap_err().to_string();
        assert!(["map", "work", "[3]", "[1, 3]"].iter().all(|part| error.contains(part)), "{error}");
        let failed = x.compress(&Array::from_slice(device, &[true]));
        for error in [failed.sort().count().unwrap_err(), failed.sum().item().unwrap_err()] {
            assert!(error.to_string().contains("condition"), "{error}");
        }
        let none = Array::<f32>::zeros(device, &[0]).nonzero();
        assert_eq!((none.sort().count().unwrap(), none.max().item().unwrap()), (0, 0), "on {}", name(device));
    }
}
