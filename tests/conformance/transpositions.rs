//! Transpositions and permutations of every type and layout, against what indices say on the host.

use crate::for_types;
use crate::support::*;
use crosslane::device::{Tuning, tunable};
use crosslane::{Array, Complex, Device, DeviceOptions, Element, bf16, f16, s};
use std::sync::OnceLock;

/// The devices as cards are tuned: those that are processors transpose without tiles otherwise.
fn with_tiles() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| match std::env::var("CROSSLANE_TEST_PROFILE") {
        Ok(_) => devices().to_vec(),
        Err(_) => {
            let options = DeviceOptions::default().tuning(Tuning::default());
            (0..Device::list().len()).filter_map(|index| options.open(&index.to_string()).ok()).collect()
        }
    })
}

fn all_orders(rank: usize) -> Vec<Vec<usize>> {
    match rank {
        0 => vec![vec![]],
        _ => {
            let with = |order: Vec<usize>| {
                (0..rank).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, rank - 1);
                    order
                })
            };
            all_orders(rank - 1).into_iter().flat_map(with).collect()
        }
    }
}

/// Whether evaluating it runs a kernel with tiles.
fn tiled<T: Element>(array: &Array<T>) -> bool {
    let plan = array.explain().unwrap();
    plan.steps.iter().flat_map(|step| &step.kernels).any(|kernel| kernel.0.starts_with("tiled map"))
}

#[track_caller]
fn permuted<T: Element>(device: &Device, shape: &[usize], order: &[usize]) {
    let host = noise::<T>(7, shape);
    let axes: Vec<isize> = order.iter().map(|&axis| axis as isize).collect();
    let what = format!("{shape:?} {} in the order {order:?}", T::DTYPE);
    same(&upload(device, &host).permute(&axes).copy(), &host.permute(order), &what);
}

/// A size that four divides, and an odd one.
fn transposed<T: Element>(device: &Device) {
    permuted::<T>(device, &[128, 96], &[1, 0]);
    permuted::<T>(device, &[131, 77], &[1, 0]);
}

/// Thin ones, and more dimensions than two that move.
fn permuted_in_all_ways<T: Element>(device: &Device) {
    let all: [(&[usize], &[usize]); 13] = [
        (&[64, 64], &[1, 0]),
        (&[132, 66], &[1, 0]),
        (&[66, 132], &[1, 0]),
        (&[1000, 3], &[1, 0]),
        (&[3, 1000], &[1, 0]),
        (&[3, 1001], &[1, 0]),
        (&[2, 1024], &[1, 0]),
        (&[5, 401], &[1, 0]),
        (&[401, 5], &[1, 0]),
        (&[2, 31, 33, 3], &[0, 3, 1, 2]),
        (&[2, 3, 32, 36], &[0, 2, 3, 1]),
        (&[3, 40, 7, 20], &[3, 1, 2, 0]),
        (&[16, 12, 20, 8], &[3, 2, 1, 0]),
    ];
    all.iter().for_each(|(shape, order)| permuted::<T>(device, shape, order));
}

#[test]
fn transpositions_of_every_type() {
    for device in with_tiles() {
        spoil(device);
        for_types!(device, [f32, i64, u8, u16, bf16, i8, i16, Complex<f32>, Complex<f64>], transposed);
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i32, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], transposed);
            for_types!(device, [f32, u8], permuted_in_all_ways);
        }
        if is_thorough(device) && !compiles_slowly(device) {
            for_types!(device, [f16, i64, u16, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], permuted_in_all_ways);
        }
    }
}

/// Each way that tiles may be taken, with more rows of them than a band has.
#[test]
fn tiles_of_every_size() {
    let tunable = tunable("map_tiled").unwrap();
    for candidate in tunable.candidates {
        let mut tuning = Tuning::default();
        tuning.set(tunable, candidate).unwrap();
        let device = DeviceOptions::default().tuning(tuning).open("cpu").unwrap();
        for (shape, order) in [(&[1300, 70], &[1, 0]), (&[70, 1300], &[1, 0]), (&[131, 77], &[1, 0])] {
            permuted::<f32>(&device, shape, order);
            permuted::<u8>(&device, shape, order);
        }
        permuted::<f64>(&device, &[2, 131, 70], &[0, 2, 1]);
    }
}

#[test]
fn every_order_of_four_dimensions() {
    for device in with_tiles().iter().filter(|device| is_thorough(device) && !compiles_slowly(device)) {
        for order in all_orders(4) {
            permuted::<u32>(device, &[6, 12, 9, 28], &order);
            permuted::<u8>(device, &[12, 5, 8, 20], &order);
        }
    }
}

#[test]
fn tiles_are_used_where_neighbours_differ() {
    let tunable = tunable("map_tiled").unwrap();
    for device in with_tiles() {
        if device.caps().tuning.get(tunable)[0] == 0 {
            say(&format!("tiles are not looked for on {}: its tuning takes none", name(device)));
            continue;
        }
        let x = Array::<f32>::ones(device, &[96, 128]).copy();
        x.eval().unwrap();
        assert!(tiled(&x.transpose().copy()) && tiled(&(&x.transpose() + 1.0)));
        assert!(!tiled(&x.copy()) && !tiled(&x.flip(0).copy()) && !tiled(&x.slice(s![.., ..;2]).copy()));
        let small = Array::<f32>::ones(device, &[1000, 3, 3]).copy();
        small.eval().unwrap();
        assert!(!tiled(&small.swap_axes(1, 2).copy()), "a cache does as well for small matrices");
    }
    let large = Array::<f32>::ones(&Device::cpu().unwrap(), &[96, 128]).copy();
    large.eval().unwrap();
    assert!(!tiled(&large.transpose().copy()), "a processor's caches do as well");
}

/// What is read turned and straight in one expression, by how many arrays, and where it is stored.
fn mixed<T: crosslane::Number>(device: &Device) {
    let (a, b) = (Dense::new(&[90, 68], small::<T>(90 * 68)), Dense::new(&[68, 90], small::<T>(68 * 90)));
    let (x, y) = (upload(device, &a), upload(device, &b));
    let sum = |p: &Dense<T>, q: &Dense<T>| p.zip(q, |p, q| of::<T>(value(p).int() + value(q).int()));
    let turned = a.permute(&[1, 0]);
    same(&(x.transpose() + &y), &sum(&turned, &b), "turned and straight");
    same(&(&y + x.transpose()), &sum(&b, &turned), "straight and turned");
    if compiles_slowly(device) {
        return;
    }
    same(&(x.transpose() + x.flip(1).transpose()), &sum(&turned, &a.flip(1).permute(&[1, 0])), "both turned");
    let row = x.slice(s![.., 3]);
    let wide = a.slice(1, 3, 1, 1).permute(&[1, 0]).broadcast(&[68, 90]);
    same(&(x.transpose() + &row), &sum(&turned, &wide), "turned, and a row for all");
    let part = x.slice(s![1.., 2..]).transpose() + y.slice(s![2.., 1..]);
    let wanted =
        sum(&a.slice(0, 1, 1, 89).slice(1, 2, 1, 66).permute(&[1, 0]), &b.slice(0, 2, 1, 66).slice(1, 1, 1, 89));
    same(&part, &wanted, "parts that begin anywhere");
    let back = x.slice(s![..;-1, ..;-3]).transpose().copy();
    same(&back, &a.flip(0).slice(1, 67, -3, 23).permute(&[1, 0]), "backwards");
    let truth = x.transpose().equal(&y);
    let wanted = turned.zip(&b, |p, q| p == q).data;
    assert_eq!(truth.to_vec().unwrap(), wanted, "comparison on {}", name(device));
    let numbers = Array::arange(device, 0u32, 90, 1).expand_dims(1).less(45).select(&x, of::<T>(1));
    let wanted = a.view(&[90, 68], |p| p.to_vec());
    let wanted =
        Dense::new(&[90, 68], points(&[90, 68]).map(|p| if p[0] < 45 { wanted.at(&p) } else { of(1) }).collect());
    same(&numbers.transpose().copy(), &wanted.permute(&[1, 0]), "with numbers that lie nowhere");
    // Into the middle of another array.
    let mut into = Array::full(device, &[75, 101], of::<T>(1));
    into.slice_mut(s![4..72, 3..93]).assign(x.transpose()).unwrap();
    let inside = |p: &[usize]| (4..72).contains(&p[0]) && (3..93).contains(&p[1]);
    let wanted = points(&[75, 101]).map(|p| if inside(&p) { turned.at(&[p[0] - 4, p[1] - 3]) } else { of(1) });
    same(&into, &Dense::new(&[75, 101], wanted.collect()), "assigned");
    let mut into = Array::full(device, &[90, 68], of::<T>(1));
    into.assign(y.transpose()).unwrap();
    same(&into, &b.permute(&[1, 0]), "assigned as a whole");
}

#[test]
fn turned_inputs_beside_others() {
    for device in with_tiles() {
        for_types!(device, [f32], mixed);
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i32, i64], mixed);
        }
    }
}

/// Bytes and bools into parts of arrays: their words are others' too.
#[test]
fn bytes_are_stored_beside_others() {
    for device in with_tiles().iter().filter(|device| !compiles_slowly(device)) {
        let host = noise::<u8>(3, &[64, 96]);
        let x = upload(device, &host);
        for (shape, from) in [([96, 64], 0), ([97, 67], 1), ([100, 68], 4)] {
            let mut into = Array::full(device, &shape, 7u8);
            let part = x.transpose().slice(s![from.., ..61]);
            into.slice_mut(s![from..96, ..61]).assign(part).unwrap();
            let inside = |p: &[usize]| (from as usize..96).contains(&p[0]) && p[1] < 61;
            let wanted = points(&shape).map(|p| if inside(&p) { host.at(&[p[1], p[0]]) } else { 7 });
            same(&into, &Dense::new(&shape, wanted.collect()), "bytes assigned");
        }
        let large = x.cast::<u32>().greater_equal(128).transpose().copy();
        same(&large, &host.permute(&[1, 0]).map(|x| x >= 128), "bools");
    }
}

#[test]
fn transpositions_past_one_binding() {
    for device in drivers().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let host = Dense::new(&[700, 803], (0..700 * 803).map(|i| i as u32).collect());
        let x = upload(device, &host);
        same(&(x.transpose() + 0), &host.permute(&[1, 0]), "past one binding");
        same(&x.transpose().cast::<u8>(), &host.permute(&[1, 0]).map(|x| x as u8), "past one binding as bytes");
        let even = host.slice(1, 3, 1, 800);
        same(&x.slice(s![.., 3..]).transpose().copy(), &even.permute(&[1, 0]), "past one binding, from the third on");
    }
}
