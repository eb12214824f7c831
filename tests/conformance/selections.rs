//! Selections: every type, none, some and all, over tiles and windows, against plain loops; counts that stay on the device.

use crate::for_types;
use crate::support::*;
use crosslane::{Array, Complex, Device, Element, bf16, s};
use rand::Rng;

const LENGTHS: [usize; 7] = [0, 1, 3, 255, 8_191, 8_192, 40_003];

fn selected<T: Element>(device: &Device) {
    let full = is_thorough(device) && matches!(T::DTYPE, crosslane::DType::F32 | crosslane::DType::U8);
    for &len in if full { &LENGTHS[..] } else { &LENGTHS[5..] } {
        let mut rng = random(len as u64);
        let x: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
        let shares = if len > 4_000 { [0.25, 1.0, 0.0] } else { [0.5, 1.0, 0.0] };
        for share in shares.into_iter().take(if full { 3 } else { 1 }) {
            let keep: Vec<bool> = (0..len).map(|_| rng.random_bool(share)).collect();
            let wanted: Vec<T> = x.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(x, _)| *x).collect();
            let got = Array::from_slice(device, &x).compress(&Array::from_slice(device, &keep));
            let what = format!("{share} of {len} {} on {}", T::DTYPE, name(device));
            assert_eq!(got.count().unwrap(), wanted.len(), "{what}");
            same_values(&got.to_vec().unwrap(), &wanted, &what);
        }
    }
}

#[test]
fn elements_of_every_type() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [f32, crosslane::f16, f64, i32, u32, i64, u64, u8, u16, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], selected);
        } else {
            for_types!(device, [u8, u32, u64, bf16, i8, i16, Complex<f32>, Complex<f64>], selected);
        }
    }
}

#[test]
fn views_and_work_before_are_part_of_the_kernel() {
    for device in drivers() {
        let x = Array::from_slice(device, &(0..30_000).map(|i| (i * 7919) % 1000).collect::<Vec<i32>>());
        x.eval().unwrap();
        let wanted: Vec<i32> = (0..30_000).map(|i| (i * 7919) % 1000).filter(|x| x % 2 == 1).map(|x| 3 * x).collect();
        let odd = (&x * 3).compress(&(&x % 2));
        assert_eq!(odd.count_array().explain().unwrap().steps.len(), 1, "on {}", name(device));
        same_values(&odd.to_vec().unwrap(), &wanted, name(device));
        // Transposed and sliced: row-major order of what is seen.
        let square = x.slice(s![..100 * 100]).reshape(&[100, 100]).transpose().slice(s![10..90, ..]);
        let host = square.to_vec().unwrap();
        let wanted: Vec<u32> = (0..host.len() as u32).filter(|&i| host[i as usize] < 100).collect();
        same_values(&square.less(100).nonzero().to_vec().unwrap(), &wanted, name(device));
    }
}

#[test]
fn what_follows_needs_no_wait() {
    // Devices of this test's own: others wait too.
    for device in &[fresh("lavapipe"), fresh("cpu")].into_iter().flatten().collect::<Vec<_>>() {
        let x = Array::from_slice(device, &(0..10_000).map(|i| (i * 7919) % 100).collect::<Vec<i32>>());
        x.eval().unwrap();
        let before = device.waits();
        let few = x.compress(&x.less(10));
        few.count_array().eval().unwrap();
        let sum = few.or(0).sum();
        sum.eval().unwrap();
        assert_eq!(device.waits(), before, "on {}", name(device));
        assert_eq!(sum.item().unwrap(), 45 * 100, "on {}", name(device));
        assert_eq!(few.count_array().item().unwrap(), 1000, "on {}", name(device));
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers() {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let error = x.compress(&Array::from_slice(device, &[true])).count().unwrap_err().to_string();
        assert!(["compress", "condition", "[3]", "[1]"].iter().all(|part| error.contains(part)), "{error}");
        let error = x.compress(&(&x + &Array::<i32>::zeros(device, &[4]))).to_vec().unwrap_err().to_string();
        assert!(error.contains("[3] and [4]"), "{error}");
        assert_eq!(x.compress(&x.greater(1)).to_vec().unwrap(), [2, 3]);
    }
}
