//! Scatter in order: every type, places that meet often, seldom and not at all, against plain loops; the same bits twice.

use crate::for_types;
use crate::support::*;
use crosslane::array::OutOfRange;
use crosslane::ops::Combine;
use crosslane::{Array, Device, Number, f16};
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
    }
}
