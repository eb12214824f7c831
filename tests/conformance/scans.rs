//! Scans: every operator, type, shape, axis and form against plain loops on the host; chains of tiles and groups in every
//! order of workgroups; segments; bits that stay the same.

use crate::for_types;
use crate::support::*;
use crosslane::cpu::{Profile, WorkgroupOrder};
use crosslane::op::Value;
use crosslane::{Array, DType, Device, Element, Number, Scan, axes, map, s};
use rand::Rng;

type Case = (&'static [usize], &'static [isize]);
/// One tile, several, short rows that share a tile, long ones, columns.
const CASES: [Case; 11] = [
    (&[1], &[0]),
    (&[5], &[0]),
    (&[257], &[-1]),
    (&[70_001], &[0]),
    (&[3, 5], &[0, 1]),
    (&[300, 7], &[0, 1]),
    (&[40, 64], &[0, 1]),
    (&[5, 5_000], &[0, 1]),
    (&[6, 9, 10], &[0, 1, 2]),
    (&[2100, 33], &[0]),
    (&[0, 4], &[1]),
];

/// For types other than f32, whose kernels differ only in load, combination and store.
const SHORT: [Case; 4] = [(&[9_001], &[0]), (&[300, 7], &[0, 1]), (&[2, 3_000], &[1]), (&[0, 4], &[1])];

/// The scan of a host array along an axis by definition: `step` takes the state before and the next element.
fn scanned<T: Element, S: Clone, R: Copy>(
    x: &Dense<T>,
    axis: usize,
    (exclusive, reverse): (bool, bool),
    start: S,
    step: impl Fn(&S, T) -> S,
    result: impl Fn(&S) -> R,
) -> Dense<R> {
    let turned = if reverse { x.flip(axis) } else { x.clone() };
    let extent = x.shape[axis];
    let inner: usize = x.shape[axis + 1..].iter().product();
    let mut states: Vec<S> = vec![start; x.data.len() / extent.max(1)];
    let results = (0..x.data.len())
        .map(|at| {
            let row = at / (inner * extent) * inner + at % inner;
            let next = step(&states[row], turned.data[at]);
            let before = std::mem::replace(&mut states[row], next);
            result(if exclusive { &before } else { &states[row] })
        })
        .collect();
    let y = Dense::new(&x.shape, results);
    if reverse { y.flip(axis) } else { y }
}

/// Every case along every axis, in each of the four forms in turn; contiguous, and for f32 as views too.
fn over<T: Element, R: Element, S: Clone>(
    device: &Device,
    scan: fn() -> Scan,
    data: impl Fn(usize) -> Vec<T>,
    start: S,
    step: impl Fn(&S, T) -> S,
    result: impl Fn(&S) -> R,
) {
    let full = T::DTYPE == DType::F32 && is_thorough(device);
    let few = if is_thorough(device) { 4 } else { 2 };
    for (nth, &(shape, axes)) in if full { &CASES[..] } else { &SHORT[..few] }.iter().enumerate() {
        let host = Dense::new(shape, data(shape.iter().product()));
        let x = upload(device, &host);
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let views = [(x.clone(), host.clone(), ""), (x.transpose(), host.permute(&order), ", transposed")];
        for (view, (x, host, how)) in views.into_iter().take(1 + (full && shape.len() > 1) as usize).enumerate() {
            for (turn, &axis) in axes.iter().enumerate() {
                for form in 0..4 {
                    if form != (nth + turn + view) % 4 && host.data.len() > 5 {
                        continue; // each form is a kernel, which costs the drivers time
                    }
                    let (exclusive, reverse) = (form & 1 == 1, form & 2 == 2);
                    let mut options = scan().axis(axis);
                    options = if exclusive { options.exclusive() } else { options };
                    options = if reverse { options.reverse() } else { options };
                    let place = if axis < 0 { (axis + shape.len() as isize) as usize } else { axis as usize };
                    let wanted = scanned(&host, place, (exclusive, reverse), start.clone(), &step, &result);
                    let got: Array<R> = options.call(&x);
                    let what = format!("{:?} of {} {:?}{how}, axis {axis}", options, T::DTYPE, host.shape);
                    same(&got, &wanted, &what);
                }
            }
        }
    }
}

fn numbers<T: Number>(device: &Device) {
    let wrap = |x: i128| T::from_scalar(Value::Int(x).scalar(T::DTYPE));
    // Small enough for f16 to be exact up to 70 001 of them.
    let few =
        |len: usize| (0..len as i128).map(|i| of::<T>([1, 0, 2, 0, 0][i as usize % 5] * (i < 1000) as i128)).collect();
    over(device, Scan::sum, few, 0i128, |s, x| s + value(x).int(), |&s| wrap(s));
    let ones = |len: usize| (0..len).map(|i| of::<T>([1, 2, 1, 1, 3][i % 5].min(if i < 25 { 3 } else { 1 }))).collect();
    if T::DTYPE == DType::F32 {
        over(
            device,
            Scan::product,
            ones,
            1f64,
            |s, x| s * value(x).float(),
            |&s| T::from_scalar(Value::Float(s).scalar(T::DTYPE)),
        );
    }
    // Any bits at all: NaN stays, and every bit of a total survives.
    let any = |len: usize| {
        let mut rng = random(7);
        (0..len)
            .map(|i| if i < len / 2 && value(bits::<T>(&mut rng)).float().is_nan() { of(1) } else { bits(&mut rng) })
            .collect()
    };
    let best = |s: &Option<T>, x: T| match s {
        Some(s) if value(*s).float().is_nan() => Some(*s),
        Some(s) if !larger(x, *s) => Some(*s),
        _ => Some(x),
    };
    let lowest = || T::from_scalar(Value::Float(f64::NEG_INFINITY).scalar(T::DTYPE));
    if matches!(T::DTYPE, DType::F16 | DType::I32) {
        return; // as f32 and u32 but for the load
    }
    over(device, Scan::max, any, None, best, |s| s.unwrap_or_else(lowest));
}

/// Or NaN.
fn larger<T: Element>(a: T, b: T) -> bool {
    match (value(a), value(b)) {
        (Value::Float(a), Value::Float(b)) => a > b || a.is_nan(),
        (a, b) => a.int() > b.int(),
    }
}

#[test]
fn numbers_of_every_type() {
    for device in drivers() {
        spoil(device);
        if is_thorough(device) {
            for_types!(device, [f32, crosslane::f16, f64, i32, u32, i64, u64], numbers);
        } else {
            for_types!(device, [f32, u64], numbers);
        }
    }
}

#[test]
fn truths_and_counts() {
    for device in drivers() {
        let sparse = |len: usize| (0..len).map(|i| (i % 97 == 3) as u32 * 5).collect::<Vec<u32>>();
        over(device, Scan::any, sparse, false, |s, x| s | (x != 0), |&s| s);
        over(device, Scan::count_nonzero, sparse, 0u32, |s, x| s + (x != 0) as u32, |&s| s);
        let dense = |len: usize| (0..len).map(|i| i % 800 != 700).collect::<Vec<bool>>();
        over(device, Scan::all, dense, true, |s, x| s & x, |&s| s);
    }
}

/// The last that is not zero: it depends on the order. No shift or division, so that its kernels run without checks,
/// which are slow to compile.
fn last() -> Scan {
    Scan::new("select(b, a, b == 0)", "0")
}

fn later(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { b }
}

/// Maps x -> m x + c mod 2^16, packed: their composition loses nothing and depends on the order.
fn affine() -> Scan {
    Scan::new("(a >> 16) * (b >> 16) << 16 | ((a & 0xffff) * (b >> 16) + b) & 0xffff", "0x10000")
}

fn compose(a: u32, b: u32) -> u32 {
    let (ma, ca, mb, cb) = (a >> 16, a & 0xffff, b >> 16, b & 0xffff);
    (ma.wrapping_mul(mb) << 16) | (ca.wrapping_mul(mb).wrapping_add(cb) & 0xffff)
}

fn maps(len: usize, seed: u64) -> Vec<u32> {
    let mut rng = random(seed);
    (0..len).map(|_| rng.random::<u32>()).collect()
}

#[test]
fn operators_of_ones_own_need_not_commute() {
    for device in drivers() {
        let sparse = |len: usize| maps(len, 3).into_iter().map(|x| if x % 3 == 0 { x } else { 0 }).collect();
        over(device, last, sparse, 0u32, |&a, b| later(a, b), |&s| s);
    }
}

#[test]
fn work_before_a_scan_is_part_of_its_kernel() {
    for device in drivers() {
        let x = Array::from_slice(device, &maps(10_000, 5)).cast::<f32>();
        x.eval().unwrap();
        let y = (&x * 2.0 + 1.0).floor().cast::<u32>().cumsum(0);
        assert_eq!(y.explain().unwrap().steps.len(), 1);
        let mut sum = 0u32;
        let wanted: Vec<u32> = x
            .to_vec()
            .unwrap()
            .iter()
            .map(|&x| {
                sum = sum.wrapping_add((x * 2.0 + 1.0).floor() as u32);
                sum
            })
            .collect();
        same_values(&y.to_vec().unwrap(), &wanted, &format!("a fused scan on {}", name(device)));
        // And what follows reads its result.
        let counts: Array<u32> = map!([y] => y & 1u).unwrap();
        assert_eq!(counts.sum().item().unwrap(), wanted.iter().map(|x| x & 1).sum::<u32>(), "on {}", name(device));
    }
}

#[test]
fn segments_begin_anew() {
    for device in drivers() {
        let cases = [(&[20_011][..], 0isize), (&[700, 9], 0), (&[4, 6_000], 1), (&[50, 12], 1)];
        for (shape, axis) in cases.into_iter().take(if is_thorough(device) { 4 } else { 2 }) {
            let len: usize = shape.iter().product();
            let mut rng = random(len as u64);
            let host = Dense::new(shape, (0..len).map(|_| rng.random::<u32>()).collect());
            // Long segments, and where they are short.
            let heads =
                Dense::new(shape, (0..len).map(|i| rng.random_ratio(1, if i < len / 2 { 9_000 } else { 5 })).collect());
            let pairs: Vec<(u32, bool)> = host.data.iter().copied().zip(heads.data.iter().copied()).collect();
            for (exclusive, reverse) in [(false, true), (false, false), (true, false)] {
                if !is_thorough(device) && !reverse {
                    continue;
                }
                let mut scan = Scan::sum().axis(axis);
                scan = if exclusive { scan.exclusive() } else { scan };
                scan = if reverse { scan.reverse() } else { scan };
                let turned = Dense::new(shape, pairs.clone());
                let turned = if reverse { turned.flip(axis as usize) } else { turned };
                let inner: usize = shape[axis as usize + 1..].iter().product();
                let extent = shape[axis as usize];
                let mut states = vec![0u32; len / extent];
                let wanted: Vec<u32> = turned
                    .data
                    .iter()
                    .enumerate()
                    .map(|(at, &(x, head))| {
                        let state = &mut states[at / (inner * extent) * inner + at % inner];
                        if head {
                            *state = 0;
                        }
                        let before = *state;
                        *state = state.wrapping_add(x);
                        if exclusive { before } else { *state }
                    })
                    .collect();
                let wanted = Dense::new(shape, wanted);
                let wanted = if reverse { wanted.flip(axis as usize) } else { wanted };
                let got = scan.call_segments::<_, _, u32>(&upload(device, &host), &upload(device, &heads));
                same(&got, &wanted, &format!("{scan:?} in segments of {shape:?}"));
            }
        }
    }
}

/// Past one group of tiles, in order, in none, and one at a time: what is missing is computed.
#[test]
fn chains_in_any_order_of_workgroups() {
    let orders = [
        WorkgroupOrder::Ascending,
        WorkgroupOrder::Descending,
        WorkgroupOrder::Shuffled(5),
        WorkgroupOrder::OneAtATime,
    ];
    let phones = orders.map(|order| Device::cpu_as(Profile { order, ..Profile::mobile_like() }).unwrap());
    let phones: Vec<&Device> = phones.iter().collect();
    for device in phones.into_iter().chain(drivers().map(|device| -> &Device { device })) {
        let len = if is_checked(device) { 40_000 } else { 400_003 };
        let x = maps(len, 11);
        let mut state = 0x10000u32;
        let wanted: Vec<u32> = x
            .iter()
            .map(|&x| {
                state = compose(state, x);
                state
            })
            .collect();
        let got: Array<u32> = affine().call(&Array::from_slice(device, &x));
        same_values(&got.to_vec().unwrap(), &wanted, &format!("a chain on {}", name(device)));
    }
}

#[test]
fn sums_past_32_bits_wrap_and_wide_ones_do_not() {
    for device in drivers() {
        let x = vec![0xdead_beefu32; 100_000];
        let wanted: Vec<u32> = (1..=100_000u32).map(|i| i.wrapping_mul(0xdead_beef)).collect();
        same_values(&Array::from_slice(device, &x).cumsum(0).to_vec().unwrap(), &wanted, name(device));
        if has(device, DType::U64) {
            let wanted: Vec<u64> = (1..=100_000u64).map(|i| i.wrapping_mul(0xdead_beef_1234_5678)).collect();
            let x = Array::full(device, &[100_000], 0xdead_beef_1234_5678u64);
            same_values(&x.cumsum(0).to_vec().unwrap(), &wanted, name(device));
        }
    }
}

#[test]
fn floats_are_accurate_and_the_same_each_time() {
    for device in drivers() {
        let mut rng = random(17);
        let len = if is_checked(device) { 20_000 } else { 300_000 };
        let x: Vec<f32> = (0..len).map(|_| rng.random::<f32>() - 0.25).collect();
        let on = Array::from_slice(device, &x);
        let first = on.cumsum(0).to_vec().unwrap();
        for _ in 0..3 {
            let again = on.cumsum(0).to_vec().unwrap();
            assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()), "on {}", name(device));
        }
        let (mut sum, mut magnitude) = (0f64, 0f64);
        for (at, (&x, &got)) in x.iter().zip(&first).enumerate() {
            sum += x as f64;
            magnitude += x.abs() as f64;
            // A tree of combinations is some 40 deep: units, rounds, lanes, tiles, groups.
            let bound = 40.0 * f32::EPSILON as f64 / 2.0 * magnitude;
            assert!((got as f64 - sum).abs() <= bound, "{at}: {got}, exactly {sum}, on {}", name(device));
        }
    }
}

/// What a scan takes in is computed in its kernel. For Hopper NVIDIA's assembler (CUDA 12.6 to 13.2) lost one of two
/// negations in a chain of maxima: 10 elements of `(-x).flip(0).cummax(0)` were wrong.
#[test]
fn of_negated_integers() {
    for device in quick() {
        for (rows, columns) in [(257, 257), (70, 1_000)] {
            let host = Dense::new(&[rows, columns], small::<i32>(rows * columns));
            let x = upload(device, &host);
            let turned = host.map(|x: i32| -x).flip(0);
            let ways = [(-&x).flip(0), -x.flip(0), (&x * -1).flip(0), (!&x + 1).flip(0)];
            for (way, y) in ways.into_iter().enumerate() {
                for axis in [0usize, 1] {
                    let form = (false, false);
                    let most = scanned(&turned, axis, form, i32::MIN, |&a, b| a.max(b), |&a| a);
                    let least = scanned(&turned, axis, form, i32::MAX, |&a, b| a.min(b), |&a| a);
                    let what = format!("of {rows} x {columns} along {axis}, way {way}");
                    same(&y.cummax(axis as isize), &most, &format!("cummax {what}"));
                    same(&y.cummin(axis as isize), &least, &format!("cummin {what}"));
                    let end = turned.shape[axis] - 1;
                    let last = |all: &Dense<i32>| all.slice(axis, end, 1, 1);
                    same(&y.max_axes(axes(axis as isize).keep_dims()), &last(&most), &format!("max {what}"));
                    same(&y.min_axes(axes(axis as isize).keep_dims()), &last(&least), &format!("min {what}"));
                }
            }
        }
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers() {
        let x = Array::from_slice(device, &[1.0f32, 2.0]);
        let says = |error: crosslane::Error, parts: &[&str]| {
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        };
        says(x.cumsum(1).to_vec().unwrap_err(), &["scan", "axis", "tests/conformance/scans.rs"]);
        says(held(&Scan::any().call::<_, f32>(&x)), &["scan", "bool", "f32"]);
        says(held(&Scan::new("a + c", "0").call::<_, f32>(&x)), &["combine:1:5"]);
        says(held(&Scan::new("a + b", "0").call::<_, u8>(&x.cast::<u8>())), &["scan", "32 bits", "u8"]);
        let heads = Array::from_slice(device, &[true]);
        says(held(&Scan::sum().call_segments::<_, _, f32>(&x, &heads)), &["heads", "[2]", "[1]"]);
        assert_eq!(x.slice(s![..1]).cumsum(0).to_vec().unwrap(), [1.0]);
    }
}
