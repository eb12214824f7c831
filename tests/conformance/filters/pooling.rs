//! Pooling by PyTorch's definition, in f64 on the host.

use crate::support::*;
use crosslane::Array;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Windows, steps, padding.
type Pool = ([usize; 2], [usize; 2], [usize; 2]);

/// Of a plane: the results' shape, and the values of each window; `None` past the ends.
fn windows(host: &[f64], [rows, columns]: [usize; 2], pool: Pool) -> ([usize; 2], Vec<Vec<Option<f64>>>) {
    let (size, step, padding) = pool;
    let count = |extent: usize, axis: usize| (extent + 2 * padding[axis] - size[axis]) / step[axis] + 1;
    let counts = [count(rows, 0), count(columns, 1)];
    let window = |at: usize| {
        let first = [at / counts[1] * step[0], at % counts[1] * step[1]];
        let value = |nth: usize| {
            let y = (first[0] + nth / size[1]).checked_sub(padding[0]).filter(|&y| y < rows)?;
            let x = (first[1] + nth % size[1]).checked_sub(padding[1]).filter(|&x| x < columns)?;
            Some(host[y * columns + x])
        };
        (0..size[0] * size[1]).map(value).collect()
    };
    (counts, (0..counts[0] * counts[1]).map(window).collect())
}

#[test]
fn as_defined() {
    let pools: [Pool; 6] = [
        ([2, 2], [2, 2], [0, 0]),
        ([3, 3], [2, 2], [1, 1]),
        ([3, 2], [1, 3], [0, 1]),
        ([1, 5], [2, 1], [0, 2]),
        ([7, 9], [1, 1], [3, 4]),
        ([4, 1], [5, 9], [2, 0]),
    ];
    let mut random = StdRng::seed_from_u64(21);
    for device in devices() {
        for shape in [[8, 9], [9, 31], [4, 4]] {
            // Negative, so that zeros around would be the greatest.
            let host: Vec<f64> = (0..shape[0] * shape[1]).map(|_| random.random_range(-99..-9) as f64 / 4.0).collect();
            let x = Array::from_shape(device, &shape, &host.iter().map(|&v| v as f32).collect::<Vec<_>>());
            for pool in pools {
                let (size, step, padding) = pool;
                if (0..2).any(|axis| shape[axis] + 2 * padding[axis] < size[axis]) {
                    continue;
                }
                let (counts, wanted) = windows(&host, shape, pool);
                let what = format!("{shape:?} by {pool:?} on {}", name(device));
                let greatest = x.max_pool(size, step, padding);
                assert_eq!(greatest.shape(), counts, "{what}");
                let most: Vec<f32> =
                    wanted.iter().map(|w| w.iter().flatten().fold(f64::MIN, |a, &b| a.max(b)) as f32).collect();
                assert_eq!(greatest.to_vec().unwrap(), most, "{what}");
                let means = x.average_pool(size, step, padding).to_vec().unwrap();
                for (got, window) in means.iter().zip(&wanted) {
                    let mean = window.iter().flatten().sum::<f64>() / window.len() as f64;
                    assert!((*got as f64 - mean).abs() < 1e-5, "{what}: {got} for {mean}");
                }
            }
            for count in [1, 2, 3, 4, 7, 13] {
                let means = x.adaptive_average_pool([count, 2]).to_vec().unwrap();
                for (at, got) in means.iter().enumerate() {
                    let ends = |place: usize, extent: usize, count: usize| {
                        place * extent / count..((place + 1) * extent).div_ceil(count)
                    };
                    let (ys, xs) = (ends(at / 2, shape[0], count), ends(at % 2, shape[1], 2));
                    let of = |y: usize| xs.clone().map(move |x| (y, x));
                    let values: Vec<f64> = ys.flat_map(of).map(|(y, x)| host[y * shape[1] + x]).collect();
                    let mean = values.iter().sum::<f64>() / values.len() as f64;
                    assert!((*got as f64 - mean).abs() < 1e-5, "{count} of {shape:?} on {}", name(device));
                }
            }
        }
        say(&format!("pooling: {} pools of 3 shapes on {}", pools.len(), name(device)));
    }
}

#[test]
fn types_axes_and_ends() {
    for device in quick() {
        let volume = Array::from_shape(device, &[2, 4, 4, 4], &(0..128).collect::<Vec<i32>>());
        let pooled = volume.max_pool([2, 2, 2], [2, 2, 2], [0, 0, 0]);
        assert_eq!(pooled.shape(), [2, 2, 2, 2]);
        assert_eq!(pooled.to_vec().unwrap()[..3], [21, 23, 29], "on {}", name(device));
        assert_eq!(volume.explain().map(|plan| plan.steps.len()).unwrap_or(0), 0);
        assert_eq!(volume.max_pool([3], [2], [1]).explain().unwrap().steps.len(), 1, "one launch");
        // Infinities and NaN stay in their windows.
        let x = Array::from_slice(device, &[1.0f32, f32::INFINITY, 2.0, 3.0, 4.0, f32::NAN, 5.0]);
        let means = x.adaptive_average_pool([3]).to_vec().unwrap();
        assert!(means[0] == f32::INFINITY && means[1] == 3.0 && means[2].is_nan(), "{means:?} on {}", name(device));
        let most = x.max_pool([3], [1], [0]).to_vec().unwrap();
        assert!(most[0] == f32::INFINITY && most[2] == 4.0 && most[4].is_nan(), "{most:?} on {}", name(device));
        let lowest = Array::from_slice(device, &[f32::NEG_INFINITY; 2]).max_pool([2], [1], [1]).to_vec().unwrap();
        assert_eq!(lowest, [f32::NEG_INFINITY; 3]);
        let least = Array::from_slice(device, &[i32::MIN, 3]).max_pool([2], [1], [1]).to_vec().unwrap();
        assert_eq!(least, [i32::MIN, 3, 3]);
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[4, 5]);
        let told = |array: Array<f32>, parts: &[&str]| {
            let error = held(&array).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        told(x.max_pool([], [], []), &["max_pool", "window", "1 to 2 sizes"]);
        told(x.max_pool([0], [1], [0]), &["max_pool", "window", "[0]"]);
        told(x.max_pool([2], [0], [0]), &["max_pool", "steps", "[0]"]);
        told(x.max_pool([2, 2], [1], [0, 0]), &["max_pool", "steps", "2 numbers"]);
        told(x.average_pool([2], [1], [2]), &["average_pool", "padding", "half"]);
        told(x.average_pool([9], [1], [1]), &["average_pool", "window", "fit"]);
        told(x.average_pool([1, 1, 1], [1, 1, 1], [0, 0, 0]), &["average_pool", "window"]);
        told(x.max_pool([2], [usize::MAX], [0]), &["max_pool", "steps"]);
        told(x.adaptive_average_pool([0]), &["adaptive_average_pool", "results", "[0]"]);
        told(x.adaptive_average_pool([1, 1, 1]), &["adaptive_average_pool", "results"]);
        told(Array::<f32>::ones(device, &[0]).adaptive_average_pool([1]), &["adaptive_average_pool", "[0]"]);
        told(Array::<f32>::ones(device, &[0]).max_pool([1], [1], [0]), &["max_pool", "fit"]);
        assert_eq!(Array::<f32>::ones(device, &[0, 4]).max_pool([2], [2], [0]).shape(), [0, 2], "on {}", name(device));
    }
}
