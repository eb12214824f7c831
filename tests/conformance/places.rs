//! Places of elements, grids, series and products that are made of others, against plain loops and mathematics.

use crate::support::*;
use crosslane::array::lexsort;
use crosslane::{Array, Device, Scan, f16, s};
use rand::Rng;

#[test]
fn places_there_and_back() {
    for device in quick() {
        let mut rng = random(5);
        for shape in [vec![3, 4, 5], vec![60], vec![1, 7, 1], vec![2, 2, 2, 2]] {
            let host =
                Dense::new(&shape, (0..shape.iter().product()).map(|_| rng.random_range(0..3)).collect::<Vec<i32>>());
            let wanted: Vec<Vec<usize>> = points(&shape).filter(|point| host.at(point) != 0).collect();
            let got = upload(device, &host).argwhere().unwrap();
            assert_eq!(got.shape(), [wanted.len(), shape.len()]);
            let got: Vec<Vec<usize>> = got
                .to_vec()
                .unwrap()
                .chunks(shape.len())
                .map(|row| row.iter().map(|&i| i as usize).collect())
                .collect();
            assert_eq!(got, wanted, "{shape:?} on {}", name(device));
            let places = upload(device, &host).nonzero().to_array().unwrap();
            let axes = places.unravel_index(&shape).unwrap();
            let again = Array::ravel_multi_index(&axes.iter().collect::<Vec<_>>(), &shape).unwrap();
            assert_eq!(again.to_vec().unwrap(), places.to_vec().unwrap());
            let all = Array::indices(device, &shape);
            for axis in 0..shape.len() {
                let wanted: Vec<u32> = points(&shape).map(|point| point[axis] as u32).collect();
                assert_eq!(all.slice(s![axis]).to_vec().unwrap(), wanted, "{shape:?} on {}", name(device));
            }
        }
        assert_eq!(Array::<i32>::zeros(device, &[2, 3]).argwhere().unwrap().shape(), [0, 2]);
        assert_eq!(Array::full(device, &[], 1).argwhere().unwrap().shape(), [1, 0]);
        assert_eq!(Array::indices(device, &[2, 0]).shape(), [2, 2, 0]);
        let place = device.array([5u32]);
        assert!(place.unravel_index(&[0, 3]).is_err() && place.unravel_index(&[1 << 20, 1 << 20]).is_err());
        assert!(Array::ravel_multi_index(&[&place], &[2, 3]).is_err());
        // A shape of 2^32 elements: strides and extents past 32 bits.
        let far = device.array([u32::MAX]);
        let axes = far.unravel_index(&[1, 1 << 32]).unwrap();
        assert_eq!((axes[0].item().unwrap(), axes[1].item().unwrap()), (0, u32::MAX));
    }
}

#[test]
fn grids() {
    for device in quick() {
        let parts: [&[i32]; 3] = [&[1, 2], &[10, 20, 30], &[100, 200, 300, 400]];
        let arrays = parts.map(|part| device.array(part));
        let ij = Array::meshgrid_ij(&arrays.iter().collect::<Vec<_>>()).unwrap();
        let xy = Array::meshgrid(&arrays.iter().collect::<Vec<_>>()).unwrap();
        for axis in 0..3 {
            let wanted: Vec<i32> = points(&[2, 3, 4]).map(|point| parts[axis][point[axis]]).collect();
            same(&ij[axis], &Dense::new(&[2, 3, 4], wanted), "ij");
            let of = |point: Vec<usize>| parts[axis][[point[1], point[0], point[2]][axis]];
            same(&xy[axis], &Dense::new(&[3, 2, 4], points(&[3, 2, 4]).map(of).collect()), "xy");
        }
        assert!(Array::<i32>::meshgrid(&[]).is_err());
        assert!(Array::meshgrid(&[&arrays[0].reshape(&[2, 1])]).is_err());
    }
}

/// NumPy's `interp` in doubles.
fn interp(x: f64, xs: &[f64], ys: &[f64]) -> f64 {
    let last = xs.len() - 1;
    match xs.iter().rposition(|&at| at <= x) {
        _ if x.is_nan() => x,
        None => ys[0],
        Some(i) if i == last => ys[last],
        Some(i) => ys[i] + (ys[i + 1] - ys[i]) * (x - xs[i]) / (xs[i + 1] - xs[i]),
    }
}

#[test]
fn interpolation() {
    for device in drivers() {
        // Dyadic steps: exact in either type.
        let xs: Vec<f64> = [0, 1, 3, 4, 8, 16, 17].map(|x| x as f64 - 4.0).to_vec();
        let ys: Vec<f64> = [5, -3, 1, 0, 8, -8, 2].map(f64::from).to_vec();
        let places: Vec<f64> =
            (-20..60).map(|i| i as f64 / 4.0).chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).collect();
        let single = |x: &[f64]| device.array(x.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let got = single(&places).interp(&single(&xs), &single(&ys));
        let wanted: Vec<f32> = places.iter().map(|&x| interp(x, &xs, &ys) as f32).collect();
        same_values(&got.to_vec().unwrap(), &wanted, &format!("f32 on {}", name(device)));
        if compiles_slowly(device) {
            continue;
        }
        if device.caps().f64 {
            let got = device.array(&places).interp(&device.array(&xs), &device.array(&ys));
            let wanted: Vec<f64> = places.iter().map(|&x| interp(x, &xs, &ys)).collect();
            same_values(&got.to_vec().unwrap(), &wanted, &format!("f64 on {}", name(device)));
        }
        let x = device.array([-1.0f32, 2.0, 5.0]);
        let one = device.array([2.0f32]);
        assert_eq!(x.interp(&one, &device.array([7.0])).to_vec().unwrap(), [7.0; 3]);
        assert_eq!(x.interp_outside(&one, &one, 8.0, 9.0).to_vec().unwrap(), [8.0, 2.0, 9.0]);
        let endless = device.array([0.0, 1.0, f32::INFINITY]);
        let got = device.array([0.5, 1.0, f32::INFINITY]).interp(&endless, &device.array([0.0, 2.0, 3.0]));
        assert_eq!(got.to_vec().unwrap(), [1.0, 2.0, 3.0]);
        for (xs, ys) in [(device.array([1.0f32; 2]), one.clone()), (x.slice(s![..0]), x.slice(s![..0]))] {
            assert!(
                x.interp(&xs, &ys).check().unwrap_err().to_string().contains("interp: points: wanted one dimension")
            );
        }
    }
}

#[test]
fn slopes() {
    for device in quick() {
        let host = Dense::new(&[3, 5], small::<f32>(15));
        let x = upload(device, &host);
        for axis in 0..2usize {
            let extent = host.shape[axis];
            let near = |point: &[usize], to: usize| {
                let mut point = point.to_vec();
                point[axis] = to;
                host.at(&point)
            };
            let slope = |point: Vec<usize>| {
                let (from, to) = (point[axis].saturating_sub(1), (point[axis] + 1).min(extent - 1));
                (near(&point, to) - near(&point, from)) / ((to - from) as f32 * 0.5)
            };
            let wanted = Dense::new(&host.shape, points(&host.shape).map(slope).collect());
            same(&x.gradient(0.5, axis as isize), &wanted, "gradient");
        }
        // Of a parabola, at uneven places: 2 x inside, the slope between the last two at the ends.
        let places = [0.0f32, 2.0, 3.0, 7.0, 8.0];
        let rows = device.array(places).square().broadcast_to(&[2, 5]);
        let got = rows.gradient_at(&device.array(places), 1).to_vec().unwrap();
        let once = [2.0f32, 4.0, 6.0, 14.0, 15.0];
        assert_close(&got, &[once, once].concat(), name(device));
        let two = device.array([1.0f32, 4.0]);
        assert_eq!(two.gradient_at(&device.array([0.0, 1.5]), 0).to_vec().unwrap(), [2.0, 2.0]);
        assert_eq!(two.gradient(1.0, 0).to_vec().unwrap(), [3.0, 3.0]);
        assert!(two.slice(s![..1]).gradient(1.0, 0).check().is_err() && two.gradient(1.0, 1).check().is_err());
        assert!(two.gradient_at(&device.array([0.0f32; 3]), 0).check().is_err());
    }
}

#[track_caller]
fn assert_close(got: &[f32], wanted: &[f32], what: &str) {
    let close = got.len() == wanted.len() && got.iter().zip(wanted).all(|(g, w)| (g - w).abs() <= 1e-5 * w.abs());
    assert!(close, "{what}: got {got:?}, wanted {wanted:?}");
}

#[test]
fn products_of_vectors_and_matrices() {
    for device in quick() {
        let (a, b) = (
            Dense::new(&[4, 1, 3], small::<i32>(12)),
            Dense::new(&[5, 3], small::<i32>(15).into_iter().rev().collect()),
        );
        let cross = |point: Vec<usize>| {
            let (j, k) = ((point[2] + 1) % 3, (point[2] + 2) % 3);
            let (x, y) = (|i| a.at(&[point[0], 0, i]), |i| b.at(&[point[1], i]));
            x(j) * y(k) - x(k) * y(j)
        };
        let wanted = Dense::new(&[4, 5, 3], points(&[4, 5, 3]).map(cross).collect());
        same(&upload(device, &a).cross(&upload(device, &b)), &wanted, "cross");
        let kron = |point: Vec<usize>| a.at(&[point[0], 0, point[2] / 3]) * b.at(&[point[1], point[2] % 3]);
        let wanted = Dense::new(&[4, 5, 9], points(&[4, 5, 9]).map(kron).collect());
        same(&upload(device, &a).kron(&upload(device, &b)), &wanted, "kron");
        let host = Dense::new(&[2, 3, 3], small::<i32>(18));
        let x = upload(device, &host);
        let times = |left: &Dense<i32>| {
            let entry = |p: Vec<usize>| {
                (0..3).fold(0i32, |sum, k| {
                    sum.wrapping_add(left.at(&[p[0], p[1], k]).wrapping_mul(host.at(&[p[0], k, p[2]])))
                })
            };
            Dense::new(&host.shape, points(&host.shape).map(entry).collect())
        };
        let mut wanted = Dense::new(&host.shape, points(&host.shape).map(|p| (p[1] == p[2]) as i32).collect());
        for power in 0..8 {
            same(&x.matrix_power(power), &wanted, &format!("power {power}"));
            wanted = times(&wanted);
        }
        assert!(x.cross(&upload(device, &Dense::new(&[2], vec![1, 2]))).check().is_err());
        assert!(x.slice(s![.., 1..]).matrix_power(2).check().is_err());
    }
}

#[test]
fn equal_ratios() {
    for device in quick() {
        // Exact powers, and what f64 on the host gives.
        assert_eq!(Array::logspace(device, -2.0f32, 2.0, 5).to_vec().unwrap(), [0.01, 0.1, 1.0, 10.0, 100.0]);
        let got = Array::geomspace(device, 1.0f32, 1024.0, 11).to_vec().unwrap();
        assert_eq!(got, (0..11).map(|i| (1 << i) as f32).collect::<Vec<_>>());
        assert_eq!(Array::geomspace(device, 3.0f32, 7.0, 1).to_vec().unwrap(), [3.0]);
        assert!(Array::logspace(device, 0.0f32, 7.0, 0).to_vec().unwrap().is_empty());
        if device.caps().f16 {
            let half = |x: f64| f16::from_f64(x);
            assert_eq!(
                Array::logspace(device, half(0.0), half(2.0), 3).to_vec().unwrap(),
                [1.0, 10.0, 100.0].map(half)
            );
        }
        for (start, stop) in [(0.0f32, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0, -1.0)] {
            assert!(Array::geomspace(device, start, stop, 3).check().is_err(), "{start} {stop}");
        }
    }
}

#[test]
fn orders_by_several_keys() {
    for device in quick() {
        let mut rng = random(9);
        let first: Vec<u8> = (0..2_000).map(|_| rng.random_range(0..5)).collect();
        let second: Vec<f32> = (0..2_000).map(|_| rng.random_range(-3..3) as f32).collect();
        let mut wanted: Vec<u32> = (0..2_000).collect();
        wanted.sort_by(|&i, &j| {
            let (i, j) = (i as usize, j as usize);
            second[i].total_cmp(&second[j]).then(first[i].cmp(&first[j]))
        });
        let (a, b) = (device.array(&first), device.array(&second));
        assert_eq!(lexsort(&[&a, &b]).unwrap().to_vec().unwrap(), wanted, "on {}", name(device));
        assert!(lexsort(&[]).is_err() && lexsort(&[&a, &b.slice(s![1..])]).is_err());
    }
}

#[test]
fn groups_by_keys() {
    for device in quick() {
        let mut rng = random(11);
        let keys: Vec<i32> = (0..5_000).map(|_| rng.random_range(-20..20) * 3).collect();
        let values: Vec<f32> = (0..5_000).map(|_| rng.random_range(-100..100) as f32).collect();
        let mut groups = std::collections::BTreeMap::<i32, Vec<f32>>::new();
        keys.iter().zip(&values).for_each(|(&key, &value)| groups.entry(key).or_default().push(value));
        let grouped = device.array(&values).group_by(&device.array(&keys));
        let wanted: Vec<i32> = groups.keys().copied().collect();
        let check = |(got, made): (crosslane::Selected<i32>, crosslane::Selected<f32>), of: &dyn Fn(&[f32]) -> f32| {
            assert_eq!(got.to_vec().unwrap(), wanted, "on {}", name(device));
            let wanted: Vec<f32> = groups.values().map(|group| of(group)).collect();
            assert_close(&made.to_vec().unwrap(), &wanted, name(device));
        };
        check(grouped.sum(), &|group| group.iter().sum());
        check(grouped.max(), &|group| group.iter().copied().fold(f32::MIN, f32::max));
        check(grouped.min(), &|group| group.iter().copied().fold(f32::MAX, f32::min));
        check(grouped.mean(), &|group| group.iter().sum::<f32>() / group.len() as f32);
        check(grouped.reduce(&Scan::new("b", "0.0")), &|group| *group.last().unwrap());
        let counts: Vec<u32> = groups.values().map(|group| group.len() as u32).collect();
        assert_eq!(grouped.count().1.to_vec().unwrap(), counts);
        let wrong = device.array(&values).group_by(&device.array([1]));
        assert!(wrong.sum().1.to_vec().unwrap_err().to_string().contains("group_by: keys: wanted one dimension"));
        assert!(wrong.mean().0.to_vec().is_err());
        let none = device.array::<f32>([]).group_by(&device.array::<i32>([]));
        assert!(none.sum().1.to_vec().unwrap().is_empty());
    }
}

#[test]
fn above_and_beside_each_other() {
    for device in quick() {
        let (x, y) = (Array::arange(device, 0, 6, 1).reshape(&[2, 3]), Array::arange(device, 10, 13, 1));
        assert_eq!(Array::vstack(&[&x, &y]).unwrap().to_vec().unwrap(), [0, 1, 2, 3, 4, 5, 10, 11, 12]);
        let beside = Array::hstack(&[&x, &y.slice(s![..2]).reshape(&[2, 1])]).unwrap();
        assert_eq!((beside.shape(), beside.to_vec().unwrap()), (&[2, 4][..], vec![0, 1, 2, 10, 3, 4, 5, 11]));
        assert_eq!(Array::hstack(&[&y, &Array::full(device, &[], 7)]).unwrap().to_vec().unwrap(), [10, 11, 12, 7]);
        assert!(Array::vstack(&[&x, &y.slice(s![1..])]).is_err() && Array::<i32>::hstack(&[]).is_err());
    }
}

#[test]
fn from_device_to_device() {
    let devices: Vec<&Device> = apis().iter().collect();
    for from in &devices {
        let x = Array::arange(from, 0, 1000, 1).reshape(&[20, 50]).transpose();
        for to in &devices {
            let there = (&x * 2).to_device(to).unwrap();
            assert_eq!((there.device(), there.shape()), (*to, &[50, 20][..]));
            assert_eq!(there.to_vec().unwrap(), (&x * 2).to_vec().unwrap(), "{} to {}", name(from), name(to));
        }
        assert!((&x + &device_array(from)).to_device(devices[0]).is_err());
    }
}

fn device_array(device: &Device) -> Array<i32> {
    device.array([1, 2, 3])
}

#[test]
fn sums_of_arrays_and_host_values() {
    for device in quick() {
        let parts: Vec<Array<i32>> = (0..5).map(|i| device.array([i, 10 * i])).collect();
        let sum: Array<i32> = parts.iter().sum::<crosslane::Result<_>>().unwrap();
        assert_eq!(sum.to_vec().unwrap(), [10, 100], "on {}", name(device));
        let product: Array<i32> = parts.into_iter().skip(1).product::<crosslane::Result<_>>().unwrap();
        assert_eq!(product.iter().unwrap().collect::<Vec<_>>(), [24, 240_000]);
        assert_eq!(Array::from((device, vec![1u8, 2])).to_vec().unwrap(), [1, 2]);
        assert_eq!(Array::from_iter(device, (0..4).map(|x| x as f32)).to_vec().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    }
}
