//! Fused expressions: more inputs than bindings, deep graphs, shared parts, ranges, evaluation of several at once.

use crate::support::*;
use crosslane::{Array, axes, eval_all};

#[test]
fn more_inputs_than_bindings() {
    for device in drivers() {
        spoil(device);
        let host: Vec<Vec<f32>> = (0..40).map(|i| small::<f32>(1000 + i)[i..].to_vec()).collect();
        let arrays: Vec<Array<f32>> = host.iter().map(|values| Array::from_slice(device, values)).collect();
        let wanted: Vec<f32> = (0..1000).map(|j| host.iter().map(|values| values[j]).sum()).collect();
        let chain = arrays.iter().skip(1).fold(arrays[0].clone(), |sum, x| &sum + x);
        same_values(&chain.to_vec().unwrap(), &wanted, &format!("sum of 40 arrays on {}", name(device)));
        let mut tree = arrays.clone();
        while tree.len() > 1 {
            tree = tree
                .chunks(2)
                .map(|pair| if pair.len() == 2 { &pair[0] + &pair[1] } else { pair[0].clone() })
                .collect();
        }
        same_values(&tree[0].to_vec().unwrap(), &wanted, "sum of 40 arrays as a tree");
        let total = arrays.iter().skip(1).fold(arrays[0].clone(), |sum, x| &sum + x).sum();
        assert_eq!(total.item().unwrap(), wanted.iter().sum::<f32>());
        // Views of one buffer, many times.
        let x = &arrays[0];
        let shifted = (0..40).fold(Array::zeros(device, &[900]), |sum, i| {
            &sum + &x.slice(&[crosslane::array::Slice::from(i as isize..i as isize + 900)])
        });
        let wanted: Vec<f32> = (0..900).map(|j| host[0][j..j + 40].iter().sum()).collect();
        same_values(&shifted.to_vec().unwrap(), &wanted, "sum of 40 views");
    }
}

#[test]
fn deep_graphs() {
    for device in drivers() {
        let mut x = Array::<i32>::zeros(device, &[3]);
        // A kernel for each 128 steps, which software drivers compile for seconds.
        let (steps, doubled) = if compiles_slowly(device) { (130, 40) } else { (10_000, 200) };
        for _ in 0..steps {
            x += 1;
        }
        assert_eq!(x.to_vec().unwrap(), [steps; 3], "{steps} steps on {}", name(device));
        // Each step uses the last one twice: 2^40 or 2^200 paths.
        let mut x = Array::from_slice(device, &[1.0f32, -1.0, 0.0]);
        for _ in 0..doubled {
            x = &x * &x;
        }
        assert_eq!(x.to_vec().unwrap(), [1.0, 1.0, 0.0]);
        let mut x = Array::from_slice(device, &[1u32, 3]);
        for _ in 0..doubled {
            x = &x + &x.flip(0);
        }
        // (1 + 3) * 2^39 wraps to 0; the first 29 doublings do not.
        assert_eq!(x.to_vec().unwrap(), [0, 0]);
        let mut x = Array::<f32>::ones(device, &[2, 2]);
        for _ in 0..doubled / 2 {
            x = (&x - &x.mean_axes(axes(1).keep_dims())) + 1.0;
        }
        assert_eq!(x.to_vec().unwrap(), [1.0; 4]);
    }
}

#[test]
fn scalars_share_a_kernel_and_differ_in_value() {
    for device in drivers() {
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let kernel = |y: &Array<f32>| y.explain().unwrap().steps[0].kernels[0].2.clone();
        assert_eq!(kernel(&(&x * 2.0)), kernel(&(&x * 3.0)));
        for factor in [2.0, 3.0, -0.5, f32::INFINITY] {
            assert_eq!((&x * factor).to_vec().unwrap(), [factor, 2.0 * factor, 3.0 * factor]);
        }
        assert_eq!((10.0 - &x).to_vec().unwrap(), [9.0, 8.0, 7.0]);
        assert_eq!((6.0 / &x).to_vec().unwrap(), [6.0, 3.0, 2.0]);
        assert!((&x * f32::NAN).to_vec().unwrap().iter().all(|x| x.is_nan()));
    }
}

#[test]
fn broadcasting_follows_numpy() {
    type Case = (&'static [usize], &'static [usize], &'static [usize]);
    let cases: [Case; 8] = [
        (&[3, 1], &[1, 5], &[3, 5]),
        (&[7], &[4, 1], &[4, 7]),
        (&[], &[2, 3], &[2, 3]),
        (&[2, 1, 3], &[5, 1], &[2, 5, 3]),
        (&[1], &[0], &[0]),
        (&[4, 1, 1, 1], &[3, 1, 2], &[4, 3, 1, 2]),
        (&[1025, 1], &[3], &[1025, 3]),
        (&[1, 1, 1, 1, 1, 1, 2], &[2, 1, 2, 1, 2, 1, 1], &[2, 1, 2, 1, 2, 1, 2]),
    ];
    for device in drivers() {
        for (left, right, shape) in cases {
            let dense = |shape: &[usize]| Dense::new(shape, small::<i32>(shape.iter().product()));
            let (a, b) = (dense(left), dense(right));
            let wanted = a.broadcast(shape).zip(&b.broadcast(shape), |a, b| a * 100 - b);
            let got = upload(device, &a) * 100 - upload(device, &b);
            same(&got, &wanted, &format!("{left:?} with {right:?}"));
        }
    }
}

#[test]
fn ranges_and_diagonals() {
    for device in drivers() {
        spoil(device);
        let same_f32 = |x: Array<f32>, wanted: &[f32]| assert_eq!(x.to_vec().unwrap(), wanted, "on {}", name(device));
        same_f32(Array::arange(device, 1.0, 3.0, 0.5), &[1.0, 1.5, 2.0, 2.5]);
        same_f32(Array::arange(device, 3.0, 1.0, 0.5), &[]);
        same_f32(Array::linspace(device, 2.0, 3.0, 1), &[2.0]);
        same_f32(Array::linspace(device, 2.0, 3.0, 0), &[]);
        same_f32(Array::linspace(device, -1.0, 1.0, 3), &[-1.0, 0.0, 1.0]);
        let long = Array::linspace(device, 0.0f32, 0.1, 1001).to_vec().unwrap();
        assert_eq!((long[0], long[1000]), (0.0, 0.1));
        assert!(long.iter().enumerate().all(|(i, x)| (*x as f64 - i as f64 * 1e-4).abs() < 2e-8));
        assert_eq!(Array::arange(device, 10i32, -10, -7).to_vec().unwrap(), [10, 3, -4]);
        assert_eq!(Array::arange(device, 4_000_000_000u32, 4_000_000_003, 1).to_vec().unwrap()[2], 4_000_000_002);
        for (rows, columns, offset) in [(3, 3, 0), (2, 5, 1), (5, 2, -2), (3, 3, 7), (1, 1, 0), (0, 4, 0)] {
            let eye = Array::<i32>::eye(device, rows, columns, offset);
            let on = points(&[rows, columns]).map(|p| (p[1] as isize - p[0] as isize == offset) as i32).collect();
            same(&eye, &Dense::new(&[rows, columns], on), &format!("eye {rows} {columns} {offset}"));
        }
        let like = Array::<u32>::zeros(device, &[2, 3]);
        same(&like.ones_like(), &Dense::new(&[2, 3], vec![1; 6]), "ones_like");
        same(&like.full_like(9), &Dense::new(&[2, 3], vec![9; 6]), "full_like");
    }
}

#[test]
fn several_at_once_and_explained() {
    for device in drivers() {
        let (left, right) = (small::<f32>(4096), small::<f32>(4099)[3..].to_vec());
        let (x, y) = (Array::from_slice(device, &left), Array::from_slice(device, &right));
        let plan = (&x * 2.0 + &y).sqrt().explain().unwrap();
        assert_eq!((plan.steps.len(), plan.steps[0].kernels.len()), (1, 1), "{plan}");
        assert_eq!((plan.steps[0].bytes, plan.steps[0].flops), (3 * 4 * 4096, 3 * 4096));
        assert!(plan.to_string().contains("@compute"), "explain() prints the WGSL");
        // The producer of a reduction is part of it: two reads, one number.
        let worst = (&x - &y).abs().max();
        let plan = worst.explain().unwrap();
        assert_eq!(plan.steps.len(), 1, "{plan}");
        assert_eq!((plan.steps[0].operation, plan.steps[0].bytes), ("reduce", 2 * 4 * 4096 + 4));
        assert_eq!(worst.explain().unwrap().steps.len(), 1, "explaining computes nothing");
        let host = left.iter().zip(&right).map(|(x, y)| (x - y).abs());
        assert_eq!(worst.item().unwrap(), host.fold(0.0, f32::max));
        assert_eq!(worst.explain().unwrap().steps.len(), 0);
        let (a, b) = (&x + 1.0, &x - 1.0);
        eval_all(&[&a, &b, &a]).unwrap();
        assert_eq!((&a - &b).to_vec().unwrap(), [2.0; 4096]);
        eval_all::<f32>(&[]).unwrap();
    }
}
