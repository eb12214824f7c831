//! Products of matrices: every type, shape and layout against sums in double precision; epilogues; parts and boxes; Einstein's
//! equations against sums over all letters.

use crate::for_types;
use crate::support::*;
use crosslane::array::Precision;
use crosslane::cpu::{Checks, Profile};
use crosslane::device::{Backend, Tuning, tunable};
use crosslane::op::Value;
use crosslane::{Array, Device, DeviceOptions, Element, Float, Number, Recording, einsum, f16, s};
use rand::Rng;

/// Rows, columns and what is summed over, by definition: leading axes are the same.
fn product(a: &Dense<f64>, b: &Dense<f64>) -> Dense<f64> {
    let rank = a.shape.len();
    let (rows, inner, columns) = (a.shape[rank - 2], a.shape[rank - 1], b.shape[rank - 1]);
    let batch: usize = a.shape[..rank - 2].iter().product();
    let data = references::products::product(&a.data, &b.data, [batch, rows, inner, columns]);
    Dense::new(&[&a.shape[..rank - 2], &[rows, columns]].concat(), data)
}

/// Small integers: sums of them are exact in every type.
fn whole(shape: &[usize], seed: u64, signed: bool) -> Dense<f64> {
    let mut rng = random(seed);
    let low = if signed { -3 } else { 0 };
    Dense::new(shape, (0..shape.iter().product()).map(|_| rng.random_range(low..4) as f64).collect())
}

fn typed<T: Element>(x: &Dense<f64>) -> Dense<T> {
    x.map(|x| T::from_scalar(crosslane::op::Value::Float(x).scalar(T::DTYPE)))
}

/// The same elements, lying in memory in another order, between others that are no numbers.
fn laid<T: Element>(device: &Device, x: &Dense<f64>, how: &str) -> Array<T> {
    let (rows, columns) = (x.shape[0], x.shape[1]);
    let x = typed::<T>(x);
    let others = T::from_scalar(crosslane::op::Value::Float(f64::NAN).scalar(T::DTYPE));
    match how {
        "as rows" => upload(device, &x),
        "as columns" => upload(device, &x.permute(&[1, 0])).transpose(),
        "backwards" => upload(device, &x.flip(0).flip(1)).flip(0).flip(1),
        "among others" => {
            let frame = Array::full(device, &[rows + 3, columns + 5], others);
            let mut frame = frame.copy();
            frame.slice_mut(s![2..-1, 3..-2]).assign(upload(device, &x)).unwrap();
            frame.slice(s![2..-1, 3..-2])
        }
        "every third" => {
            let frame = Array::full(device, &[3 * rows, 3 * columns], others);
            let mut frame = frame.copy();
            frame.slice_mut(s![1..;3, 2..;3]).assign(upload(device, &x)).unwrap();
            frame.slice(s![1..;3, 2..;3])
        }
        _ => unreachable!("{how}"),
    }
}

const LAYOUTS: [&str; 5] = ["as rows", "as columns", "backwards", "among others", "every third"];

#[test]
fn every_layout() {
    for device in drivers() {
        spoil(device);
        // Multiples of four or not: fetched as vectors or one by one.
        let sizes: &[[usize; 3]] = match compiles_slowly(device) {
            true => &[[20, 24, 28]],
            false => &[[20, 24, 28], [21, 23, 19], [68, 130, 20]],
        };
        for (nth, &[rows, inner, columns]) in sizes.iter().enumerate() {
            let (a, b) = (whole(&[rows, inner], nth as u64, true), whole(&[inner, columns], 7 + nth as u64, true));
            let wanted = typed::<f32>(&product(&a, &b));
            for (i, left) in LAYOUTS.iter().enumerate() {
                for (j, right) in LAYOUTS.iter().enumerate() {
                    if (compiles_slowly(device) || nth == 2) && i != j && i + j != 1 {
                        continue;
                    }
                    let got = laid::<f32>(device, &a, left).matmul(&laid(device, &b, right));
                    same(&got, &wanted, &format!("{rows} x {inner} {left} by {inner} x {columns} {right}"));
                }
            }
        }
    }
}

fn small_and_odd<T: Number>(device: &Device) {
    let signed = signed::<T>();
    for (nth, [rows, inner, columns]) in [[3, 5, 2], [33, 47, 29]].into_iter().enumerate() {
        let (a, b) = (whole(&[rows, inner], nth as u64, signed), whole(&[inner, columns], 5 + nth as u64, signed));
        let (x, y) = (upload(device, &typed::<T>(&a)), upload(device, &typed::<T>(&b)));
        same(&x.matmul(&y), &typed::<T>(&product(&a, &b)), &format!("{} {rows} x {inner} x {columns}", T::DTYPE));
    }
}

fn many_of<T: Number>(device: &Device) {
    let signed = signed::<T>();
    let sizes = [[300, 2, 2, 2], [7, 3, 5, 1], [90, 8, 8, 8], [1, 700, 3, 1], [5, 1, 32, 9], [1, 1, 1, 1]];
    for (nth, [batch, rows, inner, columns]) in sizes.into_iter().enumerate() {
        let what = format!("{batch} of {} {rows} x {inner} x {columns}", T::DTYPE);
        let (a, b) = (whole(&[batch, rows, inner], nth as u64, signed), whole(&[batch, columns, inner], 5, signed));
        let turned = b.permute(&[0, 2, 1]);
        let (x, y) = (upload(device, &typed::<T>(&a)), upload(device, &typed::<T>(&b)).swap_axes(1, 2));
        let wanted = typed::<T>(&product(&a, &turned));
        same(&x.matmul(&y), &wanted, &format!("{what}, turned"));
        same(&x.matmul(&y.copy()), &wanted, &what);
        let once = product(&a, &turned.slice(0, 0, 1, 1).broadcast(&[batch, inner, columns]));
        let twice = once.map(|v| 2.0 * v);
        same(
            &(x.matmul(&y.slice(s![0])) * T::from_scalar(crosslane::op::Value::Float(2.0).scalar(T::DTYPE))),
            &typed(&twice),
            &format!("{what}, with one, and more"),
        );
    }
}

/// Products that fill little of a tile.
#[test]
fn many_small_ones() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f32, i32, f16], many_of);
        if is_thorough(device) || is_checked(device) {
            for_types!(device, [u32, f64, i64, u64], many_of);
        }
    }
}

#[test]
fn every_type() {
    for device in drivers() {
        for_types!(device, [f32, i32, f16], small_and_odd);
        if is_thorough(device) || is_checked(device) {
            for_types!(device, [u32, f64, i64, u64], small_and_odd);
        }
        // Small types are read as they lie, and converted on the way.
        let (a, b) = (whole(&[20, 36], 1, false), whole(&[36, 24], 2, false));
        let (x, y) = (upload(device, &typed::<u8>(&a)), upload(device, &typed::<u8>(&b)));
        same(&x.cast::<i32>().matmul(&y.cast()), &typed::<i32>(&product(&a, &b)), "bytes");
        let large = Array::full(device, &[3, 3], 65_537);
        assert_eq!(large.matmul(&large).to_vec().unwrap(), [3 * 131_073; 9], "integers wrap");
    }
}

#[test]
fn sizes_around_tiles() {
    for device in drivers().filter(|device| !compiles_slowly(device)) {
        let sizes = [1, 2, 4, 15, 16, 17, 31, 32, 33, 64, 65, 129];
        for (nth, &size) in sizes.iter().enumerate() {
            for [rows, inner, columns] in [[size, 19, 18], [18, size, 17], [17, 18, size], [size, size, size]] {
                let (a, b) = (whole(&[rows, inner], nth as u64, true), whole(&[inner, columns], 9, true));
                let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
                same(&x.matmul(&y), &typed(&product(&a, &b)), &format!("{rows} x {inner} x {columns}"));
            }
        }
    }
}

#[test]
fn batches_are_broadcast() {
    for device in drivers() {
        let (a, b) = (whole(&[2, 1, 9, 12], 1, true), whole(&[3, 12, 8], 2, true));
        let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
        let wanted = product(&a.broadcast(&[2, 3, 9, 12]), &b.broadcast(&[2, 3, 12, 8]));
        same(&x.matmul(&y), &typed(&wanted), "batches");
        // A batch whose matrices lie side by side in rows.
        let sides = upload(device, &typed::<f32>(&a.permute(&[2, 0, 1, 3]))).permute([1, 2, 0, 3]);
        same(&sides.matmul(&y), &typed(&wanted), "batches side by side");
    }
}

#[test]
fn vectors() {
    for device in drivers() {
        let (a, x) = (whole(&[33, 50], 1, true), whole(&[1, 33], 2, true));
        let y = whole(&[50, 1], 3, true);
        let (m, left) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&x)));
        let right = upload(device, &typed::<f32>(&y));
        let (row, column) = (typed::<f32>(&product(&x, &a)), typed::<f32>(&product(&a, &y)));
        same(&left.matmul(&m), &row, "a row");
        same(&left.flatten().matmul(&m), &row.reshape(&[50]), "a vector on the left");
        same(&m.matmul(&right.flatten()), &column.reshape(&[33]), "a vector on the right");
        same(&m.matvec(&right.flatten()), &column.reshape(&[33]), "matvec");
        same(&left.flatten().vecmat(&m), &row.reshape(&[50]), "vecmat");
        same(&right.flatten().vecmat(&m.transpose()), &column.reshape(&[33]), "vecmat of a transpose");
        let square: f64 = a.data.iter().map(|x| x * x).sum();
        assert_eq!(m.vdot(&m).item().unwrap(), square as f32);
        let lines: Vec<f32> = a.data.chunks(50).map(|row| row.iter().map(|x| x * x).sum::<f64>() as f32).collect();
        assert_eq!(m.vecdot(&m).to_vec().unwrap(), lines);
        let wanted = Dense::new(&[33, 50], points(&[33, 50]).map(|p| (x.data[p[0]] * y.data[p[1]]) as f32).collect());
        same(&left.outer(&right), &wanted, "outer");
        same(&left.transpose().matmul(&right.transpose()), &wanted, "a column by a row");
        same(&m.inner(&m), &typed(&product(&a, &a.permute(&[1, 0]))), "inner");
        same(&m.dot(&right), &column, "dot");
        assert_eq!(
            m.dot(&Array::full(device, &[], 2.0)).sum().item().unwrap() as f64,
            2.0 * a.data.iter().sum::<f64>()
        );
    }
}

/// What elementwise work makes of a product is one kernel with it, where nobody else wants the product.
#[test]
fn epilogues() {
    for device in drivers() {
        let (a, b, rest) = (whole(&[36, 40], 1, true), whole(&[40, 44], 2, true), whole(&[36, 44], 3, true));
        let bias = whole(&[1, 44], 4, true);
        let wanted = product(&a, &b);
        let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
        let (z, w) = (upload(device, &typed::<f32>(&rest)), upload(device, &typed::<f32>(&bias)));
        let all = (x.matmul(&y) * 2.0 + &w).relu() + &z * 3.0;
        // Three inputs beside the sides, and the output.
        let fits = device.caps().bindings >= 6;
        assert!(!fits || all.explain().unwrap().steps.len() == 1, "on {}", name(device));
        let given = |i: usize, v: f64| (v * 2.0 + bias.data[i % 44]).max(0.0) + rest.data[i] * 3.0;
        let made: Vec<f64> = wanted.data.iter().enumerate().map(|(i, &v)| given(i, v)).collect();
        same(&all, &typed(&Dense::new(&[36, 44], made)), "alpha, bias, activation and residual");
        same(&x.matmul(&y).greater(0.0), &wanted.map(|v| v > 0.0), "a mask");
        let bytes = (x.matmul(&y) + 200.0).cast::<u8>();
        same(&bytes, &wanted.map(|v| (v + 200.0).clamp(0.0, 255.0) as u8), "bytes");
        if is_checked(device) {
            let odd = x.slice(s![..35]).matmul(&y.slice(s![.., ..43])).greater(0.0);
            same(&odd, &wanted.slice(0, 0, 1, 35).slice(1, 0, 1, 43).map(|v| v > 0.0), "a mask of odd rows");
        }
        // Somebody else wants it: it is computed once, by itself.
        let product = x.matmul(&y);
        let (more, twice) = (&product + 1.0, &product * &product);
        assert_eq!(more.explain().unwrap().steps.len(), 2);
        same(&more, &typed(&wanted.map(|v| v + 1.0)), "one more");
        same(&twice, &typed(&wanted.map(|v| v * v)), "its square");
        same(&product, &typed(&wanted), "itself");
        let own = x.matmul(&y);
        let square = &own * &own;
        drop(own);
        assert_eq!(square.explain().unwrap().steps.len(), 1, "its only users are in one expression");
        same(&square, &typed(&wanted.map(|v| v * v)), "its square, fused");
        // Somebody else wants what is made of it on the way.
        let doubled = x.matmul(&y) * 2.0;
        let more = &doubled + 1.0;
        same(&more, &typed(&wanted.map(|v| 2.0 * v + 1.0)), "one more than its double");
        same(&doubled, &typed(&wanted.map(|v| 2.0 * v)), "its double");
        same(&(x.matmul(&y) + x.matmul(&y)), &typed(&wanted.map(|v| 2.0 * v)), "two products");
    }
}

#[test]
fn halves_add_up_in_single_precision() {
    for device in drivers().filter(|device| has(device, crosslane::DType::F16)) {
        // 4096 would swallow ones if it were a half.
        let mut row = vec![f16::ONE; 4100];
        row[0] = f16::from_f32(4096.0);
        let x = Array::from_slice(device, &row.repeat(2)).reshape(&[2, 4100]);
        let ones = Array::full(device, &[4100, 2], f16::ONE);
        assert_eq!(x.matmul_as::<f32>(&ones).to_vec().unwrap(), [8195.0; 4], "on {}", name(device));
        assert_eq!(x.matmul(&ones).to_vec().unwrap(), [f16::from_f32(8195.0); 4]);
    }
}

/// Those that have tensor cores.
fn with_tensor_cores() -> impl Iterator<Item = &'static Device> {
    drivers().filter(|device| {
        let has = device.caps().tensor.is_some();
        if !has {
            say(&format!("tensor cores are not tested on {}: it has none", name(device)));
        }
        has
    })
}

/// Every way to fetch either side, of sizes around matrices and tiles; inner ones that fill the tiles, and others.
#[test]
fn tensor_cores_take_every_layout() {
    for device in with_tensor_cores() {
        spoil(device);
        let shapes = [[48, 40, 56], [24, 96, 40], [33, 19, 17], [33, 32, 17], [16, 1, 16]];
        for (nth, [rows, inner, columns]) in shapes.into_iter().enumerate() {
            let (a, b) = (whole(&[rows, inner], nth as u64, true), whole(&[inner, columns], 7 + nth as u64, true));
            let wanted = product(&a, &b);
            for (i, left) in LAYOUTS.iter().enumerate() {
                for (j, right) in LAYOUTS.iter().enumerate().filter(|(j, _)| nth < 2 || i == *j) {
                    let what = format!("{rows} x {inner} {left} by {inner} x {columns} {right}");
                    let (x, y) = (laid::<f16>(device, &a, left), laid::<f16>(device, &b, right));
                    same(&x.matmul(&y), &typed(&wanted), &format!("halves, {what}"));
                    if i == j {
                        let (x, y) = (laid::<f32>(device, &a, left), laid::<f32>(device, &b, right));
                        same(&x.matmul_with(&y, Precision::Tensor), &typed(&wanted), &what);
                    }
                }
            }
        }
    }
}

/// Tiles of every size, batches, epilogues, long sums in parts.
#[test]
fn tensor_cores_take_every_size() {
    for device in with_tensor_cores() {
        spoil(device);
        for (nth, shape) in
            [[1, 130, 70, 260], [3, 64, 33, 64], [2, 17, 2000, 18], [2, 136, 200, 264]].into_iter().enumerate()
        {
            let [batch, rows, inner, columns] = shape;
            let a = whole(&[batch, rows, inner], nth as u64, true);
            let (b, rest) = (whole(&[batch, inner, columns], 7, true), whole(&[rows, columns], 9, true));
            let wanted = product(&a, &b);
            let (x, y) = (upload(device, &typed::<f16>(&a)), upload(device, &typed::<f16>(&b)));
            same(&x.matmul_as::<f32>(&y), &typed(&wanted), &format!("{shape:?}"));
            let more = x.matmul_as::<f32>(&y) * 2.0 + upload(device, &typed::<f32>(&rest));
            let each = |(i, v): (usize, &f64)| v * 2.0 + rest.data[i % rest.data.len()];
            let all = wanted.data.iter().enumerate().map(each).collect();
            same(&more, &typed(&Dense::new(&wanted.shape, all)), &format!("{shape:?} with an epilogue"));
        }
    }
}

/// Candidates of `crosslane tune` give what the others give: large tiles, that as many workgroups take as they are for.
#[test]
fn tensor_cores_take_every_candidate() {
    let tunable = tunable("matmul_tensor").unwrap();
    if with_tensor_cores().any(|device| device.properties().backend == Backend::Cpu) {
        let profile = played();
        let profile = Profile::presets().into_iter().find(|preset| preset.name == profile).unwrap();
        // Inner ones that fill no tile, and some that fill all.
        for (candidate, inner) in tunable.candidates.iter().flat_map(|candidate| [(candidate, 36), (candidate, 64)]) {
            let (a, b) = (whole(&[132, 20, inner], 1, true), whole(&[inner, 24], 2, true));
            let wanted = typed(&product(&a, &b.broadcast(&[132, inner, 24])));
            let mut tuning = Tuning::default();
            tuning.set(tunable, candidate).unwrap();
            let mut profile = profile.clone();
            profile.caps.tuning = tuning;
            let device = &DeviceOptions::default().cpu(profile, None).unwrap();
            let (x, y) = (upload(device, &typed::<f16>(&a)), upload(device, &typed::<f16>(&b)));
            same(&x.matmul_as::<f32>(&y), &wanted, &format!("{candidate:?}"));
        }
    }
}

/// Both sides and what is added may be one array: drivers are told that all may be written.
#[test]
fn tensor_cores_take_one_array_thrice() {
    for device in with_tensor_cores() {
        let x = whole(&[64, 64], 3, true);
        let square = product(&x, &x);
        let (wanted, half) = (square.data.iter().zip(&x.data).map(|(v, x)| v + x), upload(device, &typed::<f16>(&x)));
        let wanted = Dense::new(&[64, 64], wanted.collect());
        same(&(half.matmul_as::<f32>(&half) + half.cast::<f32>()), &typed(&wanted), "x x + x");
    }
}

/// f32 that is rounded to f16 on the way: 2^-11 a side, and no more where it need not be.
#[test]
fn tensor_cores_round_as_told() {
    for device in with_tensor_cores() {
        let mut rng = random(12);
        let (rows, inner, columns) = (40, 300, 36);
        let a: Vec<f32> = (0..rows * inner).map(|_| rng.random_range(-1.0..1.0f32)).collect();
        let b: Vec<f32> = (0..inner * columns).map(|_| rng.random_range(-1.0..1.0f32)).collect();
        let x = Array::from_shape(device, &[rows, inner], &a);
        let got = x.matmul_with(&Array::from_shape(device, &[inner, columns], &b), Precision::Tensor).to_vec().unwrap();
        let rounds = if device.caps().tensor == Some(16) { 2f64.powi(-10) } else { 0.0 };
        for (i, got) in got.iter().enumerate() {
            let terms = (0..inner).map(|k| a[i / columns * inner + k] as f64 * b[k * columns + i % columns] as f64);
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
            // Both sides' roundings, denormal halves, and the sums'.
            let bound = rounds * size * 1.001 + inner as f64 * (f32::EPSILON as f64 / 2.0 * size + rounds * 1e-4);
            let error = (*got as f64 - sum).abs();
            assert!(error <= bound, "at {i} on {}: off by {error}, allowed {bound}", name(device));
        }
    }
}

/// Few results of long sums: several workgroups share one.
#[test]
fn long_sums_are_cut_into_parts() {
    for device in drivers() {
        spoil(device);
        let sizes: &[[usize; 3]] =
            if compiles_slowly(device) { &[[4, 3000, 8]] } else { &[[4, 3000, 8], [7, 1101, 9], [40, 1028, 36]] };
        for &[rows, inner, columns] in sizes {
            let (a, b) = (whole(&[2, rows, inner], 1, true), whole(&[2, inner, columns], 2, true));
            let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
            let wanted = product(&a, &b).map(|v| v.abs() + 1.0);
            same(&(x.matmul(&y).abs() + 1.0), &typed(&wanted), &format!("{rows} x {inner} x {columns}"));
        }
    }
}

/// Results that are large for software drivers, which have tiles of their own for them.
#[test]
fn large_results() {
    for device in drivers() {
        spoil(device);
        let (a, b) = (whole(&[130, 21], 5, true), whole(&[21, 261], 6, true));
        let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
        same(&x.matmul(&y), &typed(&product(&a, &b)), "130 x 21 x 261");
    }
}

/// Few results of some hundred inner ones: the invocations of a workgroup share them. Whole and odd tiles, both ways to lie.
#[test]
fn steps_are_shared() {
    for device in drivers().filter(|device| !compiles_slowly(device)) {
        spoil(device);
        for [rows, inner, columns] in [[32, 256, 64], [17, 131, 33], [50, 390, 7]] {
            let (a, b) = (whole(&[rows, inner], 3, true), whole(&[inner, columns], 4, true));
            for how in ["as rows", "as columns"] {
                let (x, y) = (laid::<f32>(device, &a, how), laid::<f32>(device, &b, how));
                same(&x.matmul(&y), &typed(&product(&a, &b)), &format!("{rows} x {inner} x {columns} {how}"));
            }
        }
    }
}

/// On a device with tiny bindings, products of arrays past one: rows, columns and inner ones are cut.
#[test]
fn arrays_past_one_binding() {
    if std::env::var("CROSSLANE_TEST_PROFILE").is_ok() {
        return say("not run as another kind of hardware: tiny bindings are a kind of their own");
    }
    let mut profile = Profile::presets().remove(0);
    profile.caps.binding_bytes = 1 << 16;
    let device = &DeviceOptions::default().cpu(profile, Some(Checks::default())).unwrap();
    spoil(device);
    let sizes = [[4000, 6, 5], [5, 6, 4000], [3, 3000, 6], [140, 150, 130], [67, 500, 63]];
    for (nth, [rows, inner, columns]) in sizes.into_iter().enumerate() {
        let (a, b) = (whole(&[rows, inner], nth as u64, true), whole(&[inner, columns], 20, true));
        let wanted = typed::<f32>(&product(&a, &b).map(|v| v * 2.0 + 1.0));
        for (left, right) in [("as rows", "as rows"), ("as columns", "as columns"), ("as rows", "as columns")] {
            let got = laid(device, &a, left).matmul(&laid(device, &b, right)) * 2.0 + 1.0;
            same(&got, &wanted, &format!("{rows} x {inner} {left} by {inner} x {columns} {right}"));
        }
    }
}

/// |got - wanted| <= inner * eps * sum(|a * b|), of random and of hard magnitudes.
#[test]
fn errors_are_bounded() {
    for device in drivers() {
        let mut rng = random(11);
        let (rows, inner, columns) = (24, 300, 20);
        for what in ["between -1 and 1", "of all magnitudes", "cancelling"] {
            let mut draw = |nth: usize| match what {
                "between -1 and 1" => rng.random_range(-1.0..1.0f32),
                "of all magnitudes" => rng.random_range(-1.0..1.0f32) * 10f32.powi(rng.random_range(-15..15)),
                _ => (1e6 + rng.random_range(-1.0..1.0f32)) * if nth.is_multiple_of(2) { 1.0 } else { -1.0 },
            };
            let a: Vec<f32> = (0..rows * inner).map(&mut draw).collect();
            let b: Vec<f32> = (0..inner * columns).map(|_| if what == "cancelling" { 1.0 } else { draw(0) }).collect();
            let x = Array::from_shape(device, &[rows, inner], &a);
            let got = x.matmul(&Array::from_shape(device, &[inner, columns], &b)).to_vec().unwrap();
            for r in 0..rows {
                for c in 0..columns {
                    let terms = (0..inner).map(|k| a[r * inner + k] as f64 * b[k * columns + c] as f64);
                    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
                    let bound = inner as f64 * f32::EPSILON as f64 / 2.0 * size;
                    let error = (got[r * columns + c] as f64 - sum).abs();
                    assert!(error <= bound, "{what} at {r}, {c} on {}: off by {error}, allowed {bound}", name(device));
                }
            }
        }
    }
}

/// A row that holds NaN or infinity spoils its own results and no others.
#[test]
fn what_is_no_number_stays_in_its_row() {
    for device in drivers() {
        let (rows, inner, columns) = (36, 40, 44);
        let mut a = whole(&[rows, inner], 1, true).map(|x| x as f32 + 5.0);
        let b = whole(&[inner, columns], 2, true).map(|x| x as f32 + 5.0);
        (a.data[3 * inner + 7], a.data[20 * inner + 39]) = (f32::NAN, f32::INFINITY);
        let got = upload(device, &a).matmul(&upload(device, &b)).to_vec().unwrap();
        for (i, x) in got.iter().enumerate() {
            match i / columns {
                3 => assert!(x.is_nan(), "at {i} on {}: {x}", name(device)),
                20 => assert!(*x == f32::INFINITY, "at {i} on {}: {x}", name(device)),
                _ => assert!(x.is_finite(), "at {i} on {}: {x}", name(device)),
            }
        }
    }
}

#[test]
fn nothing_to_multiply() {
    for device in drivers() {
        let zeros = |shape: &[usize]| Array::<f32>::zeros(device, shape);
        let sum = zeros(&[3, 0]).matmul(&zeros(&[0, 4])) + 1.0;
        assert_eq!((sum.shape(), sum.to_vec().unwrap()), (&[3, 4][..], vec![1.0; 12]));
        assert_eq!(zeros(&[0, 5]).matmul(&zeros(&[5, 4])).to_vec().unwrap(), [0.0; 0]);
        assert_eq!(zeros(&[2, 0, 3, 4]).matmul(&zeros(&[4, 5])).shape(), [2, 0, 3, 5]);
        assert_eq!(zeros(&[0]).dot(&zeros(&[0])).item().unwrap(), 0.0);
    }
}

#[test]
fn mistakes_say_what_was_wanted() {
    let device = &apis()[0];
    let ones = |shape: &[usize]| Array::<f32>::ones(device, shape);
    let told = |error: crosslane::Error, words: &[&str]| {
        let error = error.to_string();
        words.iter().for_each(|word| assert!(error.contains(word), "{word:?} is not in {error}"));
        assert!(error.contains("matmul.rs"), "the caller's line: {error}");
    };
    let wrong = |array: Array<f32>, words: &[&str]| told(array.to_vec().unwrap_err(), words);
    wrong(ones(&[2, 3]).matmul(&ones(&[4, 5])), &["matmul", "columns on the left", "[2, 3] and [4, 5]"]);
    wrong(ones(&[2, 2, 3]).matmul(&ones(&[3, 3, 5])), &["matmul", "broadcast"]);
    wrong(ones(&[]).matmul(&ones(&[3])), &["matmul", "scalar"]);
    wrong(ones(&[3]).matvec(&ones(&[3])), &["matvec"]);
    wrong(ones(&[3]).vdot(&ones(&[4])), &["vdot", "[3] and [4]"]);
    wrong(ones(&[3, 4]).dot(&ones(&[3, 4])), &["dot", "[4]", "[3]"]);
    wrong(ones(&[3, 4]).tensordot(&ones(&[4, 3]), [0, 0], [1, 0]), &["tensordot", "once"]);
    wrong(ones(&[3, 4]).tensordot(&ones(&[4, 3]), 5, 1), &["tensordot", "-2 to 1"]);
    told(einsum("ij,jk->ik", &[&ones(&[2, 3])]).unwrap_err(), &["einsum", "operands", "2"]);
    told(einsum("ij,jk->ik", &[&ones(&[2, 3]), &ones(&[4, 5])]).unwrap_err(), &["einsum", "'j' is 3 and 4"]);
    told(einsum::<f32>("ij->ij", &[]).unwrap_err(), &["einsum", "operands", "got 0"]);
    told(einsum("ij->ik", &[&ones(&[2, 3])]).unwrap_err(), &["einsum", "'k'"]);
    told(einsum("ij->ii", &[&ones(&[2, 3])]).unwrap_err(), &["einsum", "twice"]);
    told(einsum("i1->i", &[&ones(&[2, 3])]).unwrap_err(), &["einsum", "'1'"]);
    told(einsum("ijk->i", &[&ones(&[2, 3])]).unwrap_err(), &["einsum", "a letter for each axis", "[2, 3]"]);
    assert_eq!(ones(&[2, 3]).matmul(&ones(&[3, 2])).to_vec().unwrap(), [3.0; 4], "the device works on");
}

#[test]
fn tensors() {
    for device in drivers() {
        let (a, b) = (whole(&[3, 4, 5, 6], 1, true), whole(&[5, 2, 3, 7], 2, true));
        let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
        let wanted = points(&[4, 6, 2, 7]).map(|p| {
            points(&[3, 5]).map(|k| a.at(&[k[0], p[0], k[1], p[1]]) * b.at(&[k[1], p[2], k[0], p[3]])).sum::<f64>()
        });
        let wanted = Dense::new(&[4, 6, 2, 7], wanted.collect::<Vec<_>>());
        same(&x.tensordot(&y, [0, 2], [2, 0]), &typed(&wanted), "tensordot");
        let none = x.slice(s![0, 0]).tensordot(&y.slice(s![0, 0]), [], []);
        assert_eq!(none.shape(), [5, 6, 3, 7]);
    }
}

/// Sums over all letters that the result lacks, at each of its points.
fn by_letters(equation: &str, operands: &[&Dense<f64>]) -> Dense<f64> {
    let (inputs, output) = equation.split_once("->").unwrap();
    let inputs: Vec<Vec<char>> = inputs.split(',').map(|part| part.chars().collect()).collect();
    let output: Vec<char> = output.chars().collect();
    let mut letters = output.clone();
    inputs.iter().flatten().for_each(|letter| {
        if !letters.contains(letter) {
            letters.push(*letter)
        }
    });
    let extent = |letter: &char| {
        let all = inputs.iter().zip(operands).flat_map(|(letters, x)| letters.iter().zip(&x.shape));
        all.filter(|(l, _)| *l == letter).map(|(_, &extent)| extent).max().unwrap()
    };
    let shape: Vec<usize> = letters.iter().map(extent).collect();
    let mut data = vec![0.0; shape[..output.len()].iter().product()];
    let inner: usize = shape[output.len()..].iter().product();
    for (nth, point) in points(&shape).enumerate() {
        let element = |(letters_of, x): (&Vec<char>, &&Dense<f64>)| {
            let at = letters_of.iter().zip(&x.shape).map(|(letter, &extent)| {
                if extent == 1 { 0 } else { point[letters.iter().position(|l| l == letter).unwrap()] }
            });
            x.at(&at.collect::<Vec<_>>())
        };
        data[nth / inner] += inputs.iter().zip(operands).map(element).product::<f64>();
    }
    Dense::new(&shape[..output.len()], data)
}

/// Evaluated, recorded and on the same device opened anew: with `deterministic` one way computes all.
fn same_bits<T: Float>(device: &Device) {
    let properties = device.properties();
    let request = match properties.backend {
        Backend::Cpu => "cpu".to_string(),
        backend => format!("{backend:?}:{}", properties.name),
    };
    let open = || DeviceOptions::default().deterministic(true).open(&request).unwrap();
    let side = match properties.backend {
        _ if !is_thorough(device) => 70,
        Backend::Cpu => 300, // six products, which may be interpreted
        _ => 512,
    };
    let mut rng = random(17);
    let mut host = || -> Vec<T> {
        (0..side * side).map(|_| T::from_scalar(Value::Float(rng.random_range(-1.0..1.0)).scalar(T::DTYPE))).collect()
    };
    let hosts = [host(), host()];
    let runs = |device: &Device| {
        let [a, b] = hosts.each_ref().map(|host| Array::from_slice(device, host).reshape(&[side, side]));
        let products = || [a.matmul(&b), a.sum_axes(1), a.matmul(&b).transpose()];
        let evaluated = products().map(|x| x.to_vec().unwrap());
        let recorded = products();
        let mut recording = Recording::of(&recorded.each_ref()).unwrap();
        recording.run().unwrap();
        [evaluated, recorded.map(|x| x.to_vec().unwrap()), products().map(|x| x.to_vec().unwrap())]
    };
    let bits = |x: &Vec<T>| x.iter().map(|x| x.scalar().bits).collect::<Vec<_>>();
    let all: Vec<_> = [open(), open()].iter().flat_map(runs).map(|run| run.each_ref().map(bits)).collect();
    for (nth, run) in all.iter().enumerate() {
        assert!(run == &all[0], "run {nth} of {} on {} has other bits than the first", T::DTYPE, name(device));
    }
}

#[test]
fn one_fixed_way_gives_the_same_bits() {
    for device in drivers() {
        for_types!(device, [f32, f16], same_bits);
    }
}

#[test]
fn equations() {
    let cases: [(&str, &[&[usize]]); 16] = [
        ("ij,jk->ik", &[&[4, 5], &[5, 6]]),
        ("ij,jk->ki", &[&[4, 5], &[5, 6]]),
        ("ii->i", &[&[5, 5]]),
        ("ii->", &[&[5, 5]]),
        ("iji->j", &[&[3, 4, 3]]),
        ("ijk->kij", &[&[2, 3, 4]]),
        ("ij->", &[&[4, 5]]),
        ("i,j->ij", &[&[4], &[5]]),
        ("i,i->", &[&[40], &[40]]),
        ("bij,bjk->bik", &[&[3, 4, 5], &[3, 5, 6]]),
        ("bij,bkj->bki", &[&[3, 4, 5], &[3, 6, 5]]),
        ("ij,ij->ij", &[&[4, 5], &[4, 5]]),
        ("ijk,jil->kl", &[&[3, 4, 5], &[4, 3, 2]]),
        ("ij,jk,kl->il", &[&[4, 5], &[5, 6], &[6, 3]]),
        ("ai,bj,abc,ck->ijk", &[&[2, 3], &[3, 2], &[2, 3, 4], &[4, 5]]),
        ("ij,kj->ik", &[&[4, 1], &[3, 5]]),
    ];
    for device in drivers() {
        let some = if compiles_slowly(device) { 4 } else { cases.len() };
        for (equation, shapes) in cases.iter().take(some) {
            let hosts: Vec<Dense<f64>> = shapes.iter().enumerate().map(|(n, s)| whole(s, n as u64, true)).collect();
            let arrays: Vec<Array<f32>> = hosts.iter().map(|host| upload(device, &typed(host))).collect();
            let got = einsum(equation, &arrays.iter().collect::<Vec<_>>()).unwrap();
            let wanted = by_letters(equation, &hosts.iter().collect::<Vec<_>>());
            same(&got, &typed(&wanted), equation);
        }
    }
    let device = &drivers().last().unwrap();
    let (a, b) = (whole(&[2, 3, 4], 1, true), whole(&[4, 5], 2, true));
    let (x, y) = (upload(device, &typed::<f32>(&a)), upload(device, &typed::<f32>(&b)));
    let wanted = typed::<f32>(&by_letters("xij,jk->xik", &[&a, &b]));
    same(&einsum("...ij, jk -> ...ik", &[&x, &y]).unwrap(), &wanted, "an ellipsis");
    same(&einsum("...j,jk", &[&x, &y]).unwrap(), &wanted, "an ellipsis without a result");
    same(
        &einsum("ij,jk", &[&x.slice(s![1]), &y]).unwrap(),
        &wanted.slice(0, 1, 1, 1).reshape(&[3, 5]),
        "without a result",
    );
    same(&einsum("...ij->...ji", &[&x]).unwrap(), &typed(&a.permute(&[0, 2, 1])), "a transpose");
}
