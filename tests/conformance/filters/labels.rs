//! Connected components and distances against SciPy's results, kept in `labels.json`, and of larger masks by what they mean.

use super::{numbers, shape};
use crate::support::*;
use crosslane::{Array, Device};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;

const TABLE: &str = include_str!("labels.json");

fn mask(device: &Device, row: &Value) -> Array<bool> {
    let values: Vec<bool> = numbers(&row["x"]).iter().map(|&value| value != 0.0).collect();
    Array::from_shape(device, &shape(&row["shape"]), &values)
}

#[test]
fn as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    for device in devices() {
        for row in rows {
            let (mask, wanted) = (mask(device, row), numbers(&row["result"]));
            let what = format!("{} of {} by {} on {}", row["what"], row["shape"], row["args"], name(device));
            match row["what"].as_str().unwrap() {
                "label" => {
                    let (labels, count) = mask.label(numbers(&row["args"])[0] as usize);
                    let labels: Vec<f64> = labels.to_vec().unwrap().into_iter().map(f64::from).collect();
                    assert_eq!(labels, wanted, "{what}");
                    assert_eq!(count.item().unwrap() as u64, row["count"].as_u64().unwrap(), "{what}");
                }
                "distance_transform" => {
                    // Roots of exact integers, within 2 ULP of f32.
                    let got = mask.distance_transform().to_vec().unwrap();
                    let close = |(a, b): (&f32, &f64)| (*a as f64 - b).abs() <= 2.4e-7 * b;
                    assert!(got.iter().zip(&wanted).all(close), "{what}: {got:?} for {wanted:?}");
                }
                other => {
                    let got = match other {
                        "distance_transform_taxicab" => mask.distance_transform_taxicab(),
                        _ => mask.distance_transform_chessboard(),
                    };
                    let got: Vec<f64> = got.to_vec().unwrap().into_iter().map(f64::from).collect();
                    assert_eq!(got, wanted, "{what}");
                }
            }
        }
    }
}

/// By flooding on the host.
fn flooded(mask: &[bool], columns: usize, diagonal: bool) -> Vec<u32> {
    let (mut labels, mut count) = (vec![0; mask.len()], 0);
    for start in 0..mask.len() {
        if !mask[start] || labels[start] > 0 {
            continue;
        }
        count += 1;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if !mask[at] || labels[at] > 0 {
                continue;
            }
            labels[at] = count;
            let (y, x) = ((at / columns) as i64, (at % columns) as i64);
            for (dy, dx) in (0..9).map(|n| (n / 3 - 1, n % 3 - 1)).filter(|(dy, dx)| diagonal || dy * dx == 0) {
                let (y, x) = (y + dy, x + dx);
                let inside = (0..mask.len() as i64 / columns as i64).contains(&y) && (0..columns as i64).contains(&x);
                open.extend(inside.then(|| y as usize * columns + x as usize));
            }
        }
    }
    labels
}

/// About the densities where components grow across the image, and twice, as atomics come in another order.
#[test]
fn large_masks() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(12);
        let (rows, columns) = (211, 307);
        for density in [0.41, 0.6, 0.97] {
            let host: Vec<bool> = (0..rows * columns).map(|_| random.random_bool(density)).collect();
            let mask = Array::from_shape(device, &[rows, columns], &host);
            for diagonal in [false, true] {
                let wanted = flooded(&host, columns, diagonal);
                for time in 0..2 {
                    let (labels, count) = mask.label(1 + diagonal as usize);
                    let what = format!("{density}, {diagonal}, time {time} on {}", name(device));
                    assert_eq!(labels.to_vec().unwrap(), wanted, "{what}");
                    assert_eq!(count.item().unwrap(), wanted.iter().copied().max().unwrap(), "{what}");
                }
            }
        }
        // One component that winds through everything: walls with a gap at alternate ends.
        let host: Vec<bool> = (0..120 * 120)
            .map(|at| (at / 120) % 2 == 0 || at % 120 == if (at / 240) % 2 == 0 { 119 } else { 0 })
            .collect();
        let (labels, count) = Array::from_shape(device, &[120, 120], &host).label(1);
        assert_eq!(count.item().unwrap(), 1, "on {}", name(device));
        assert_eq!(labels.sum().item().unwrap(), host.iter().filter(|&&own| own).count() as u32);
        // Work before it fuses.
        let x = Array::from_shape(device, &[2, 3], &[0.5f32, 2.0, 3.0, 2.0, 0.1, 4.0]);
        assert_eq!(x.greater(1.0).label(1).0.to_vec().unwrap(), [0, 1, 1, 2, 0, 1]);
    }
}

/// Few places that are not of the mask, far away: by all pairs on the host.
#[test]
fn far_distances() {
    for device in quick() {
        let (rows, columns) = (333, 210);
        for free in [vec![0], vec![332 * 210 + 209], vec![100 * 210 + 3, 290 * 210 + 200, 150 * 210]] {
            let mut host = vec![true; rows * columns];
            free.iter().for_each(|&at| host[at] = false);
            let mask = Array::from_shape(device, &[rows, columns], &host);
            let squares = mask.distance_transform().to_vec().unwrap();
            let (steps, turns) = (mask.distance_transform_taxicab(), mask.distance_transform_chessboard());
            let (steps, turns) = (steps.to_vec().unwrap(), turns.to_vec().unwrap());
            for at in (0..rows * columns).step_by(7) {
                let apart = |to: &usize| [(at / columns).abs_diff(to / columns), (at % columns).abs_diff(to % columns)];
                let least = |of: fn([usize; 2]) -> usize| free.iter().map(apart).map(of).min().unwrap();
                let wanted = (least(|[y, x]| y * y + x * x) as f64).sqrt();
                assert!((squares[at] as f64 - wanted).abs() <= 2.4e-7 * wanted, "{at} of {free:?} on {}", name(device));
                assert_eq!(steps[at] as usize, least(|[y, x]| y + x), "{at} of {free:?} on {}", name(device));
                assert_eq!(turns[at] as usize, least(|[y, x]| y.max(x)), "{at} of {free:?} on {}", name(device));
            }
        }
    }
}

#[test]
fn ends() {
    for device in quick() {
        let all = Array::full(device, &[3, 4], true);
        assert!(all.distance_transform().to_vec().unwrap().iter().all(|&value| value == f32::INFINITY));
        assert_eq!(all.distance_transform_chessboard().max().item().unwrap(), u32::MAX);
        let none = Array::full(device, &[0, 4], true);
        assert_eq!(none.distance_transform().shape(), [0, 4]);
        let (labels, count) = none.label(1);
        assert_eq!((labels.shape(), count.item().unwrap()), (&[0, 4][..], 0));
        let told = |error: crosslane::Error, parts: &[&str]| {
            let error = error.to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        told(held(&all.label(0).0), &["label", "connectivity", "1 to 2", "0"]);
        told(held(&all.label(3).1), &["label", "connectivity", "3"]);
        told(held(&Array::full(device, &[], true).label(1).0), &["label", "array"]);
        told(held(&Array::full(device, &[1, 1, 1, 1], true).label(1).0), &["label", "1 to 3 axes"]);
        told(held(&Array::full(device, &[], true).distance_transform()), &["distance_transform", "1 axis"]);
        let wide = Array::full(device, &[70_000, 1], true);
        told(held(&wide.distance_transform()), &["distance_transform", "2^32", "70000"]);
        assert_eq!(wide.distance_transform_taxicab().min().item().unwrap(), u32::MAX, "on {}", name(device));
    }
}
