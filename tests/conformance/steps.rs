//! Loops whose scalars and slices are others at each step: they share a plan, and each step has its own values.

use crate::support::*;
use crosslane::array::OutOfRange;
use crosslane::array::Side;
use crosslane::{Array, Device, Element, Recording, f16, s};

const LEN: usize = 60;
const PART: usize = 24;

/// What a loop makes of x, its number of the step and the part's first element; and the same on the host.
type Step = (&'static str, fn(&Array<f32>, usize) -> Array<f32>, fn(&[f32], usize) -> Vec<f32>);

fn part(x: &Array<f32>, step: usize) -> Array<f32> {
    let first = step as isize;
    x.slice(s![first..first + PART as isize])
}

fn running(x: impl Iterator<Item = f32>) -> Vec<f32> {
    x.scan(0.0, |sum, x| {
        *sum += x;
        Some(*sum)
    })
    .collect()
}

fn of_part(x: &[f32], step: usize, f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    x[step..][..PART].iter().map(|&x| f(x, step as f32)).collect()
}

const STEPS: [Step; 13] = [
    ("map", |x, k| part(x, k) * k as f32 + 1.5, |x, k| of_part(x, k, |x, k| x * k + 1.5)),
    ("backwards", |x, k| part(x, k).flip(0) * k as f32, |x, k| of_part(x, k, |x, k| x * k).into_iter().rev().collect()),
    ("sum", |x, k| (part(x, k) * k as f32).sum().reshape(&[1]), |x, k| vec![of_part(x, k, |x, k| x * k).iter().sum()]),
    (
        "arg_max",
        |x, k| part(x, k).equal(k as f32).cast::<u32>().arg_max().cast().reshape(&[1]),
        |x, k| vec![x[k..][..PART].iter().position(|&x| x == k as f32).unwrap_or(0) as f32],
    ),
    ("scan", |x, k| (part(x, k) + k as f32).cumsum(0), |x, k| running(of_part(x, k, |x, k| x + k).into_iter())),
    (
        "scan of columns",
        |x, k| (part(x, k).reshape(&[12, 2]) + k as f32).cumsum(0).slice(s![.., 1]),
        |x, k| running(of_part(x, k, |x, k| x + k).into_iter().skip(1).step_by(2)),
    ),
    (
        "transposition",
        |x, k| (part(x, k).reshape(&[4, 6]).transpose() * k as f32).flatten(),
        |x, k| (0..PART).map(|i| x[k + i % 4 * 6 + i / 4] * k as f32).collect(),
    ),
    (
        "concatenation",
        |x, k| Array::concatenate(&[&part(x, k), &(part(x, k + 1) * k as f32)], 0).unwrap(),
        |x, k| [of_part(x, k, |x, _| x), of_part(x, k + 1, |x, next| x * (next - 1.0))].concat(),
    ),
    (
        "gather",
        |x, k| (part(x, k) + 1.0).take(&(Array::arange(x.device(), 0, 5u32, 1) + k as u32 % 7), OutOfRange::Clamp),
        |x, k| (0..5).map(|i| x[k + i + k % 7] + 1.0).collect(),
    ),
    (
        "scatter",
        |x, k| {
            let at = Array::arange(x.device(), 0, 3u32, 1) + k as u32 % 9;
            part(x, k).put(&at, &part(x, k + 3).slice(s![..3]), OutOfRange::Drop)
        },
        |x, k| {
            (0..PART).map(|i| if (k % 9..k % 9 + 3).contains(&i) { x[k + 3 + i - k % 9] } else { x[k + i] }).collect()
        },
    ),
    (
        "search",
        |x, k| {
            Array::arange(x.device(), 0.0, 30.0f32, 1.0).searchsorted(&(part(x, k) + k as f32 * 0.5), Side::Left).cast()
        },
        |x, k| of_part(x, k, |x, k| (x + k * 0.5).ceil().min(30.0)),
    ),
    (
        "histogram",
        |x, k| (part(x, k).cast::<u32>() + k as u32).bincount(80).cast(),
        |x, k| {
            let mut bins = vec![0.0; 80];
            of_part(x, k, |x, k| x + k).into_iter().for_each(|x| bins[x as usize] += 1.0);
            bins
        },
    ),
    (
        "product",
        |x, k| (part(x, k).reshape(&[4, 6]).matmul(&part(x, k + 8).reshape(&[6, 4])) * k as f32).flatten(),
        |x, k| {
            let sum = |i: usize, j: usize| (0..6).map(|l| x[k + i * 6 + l] * x[k + 8 + l * 4 + j]).sum::<f32>();
            (0..16).map(|at| sum(at / 4, at % 4) * k as f32).collect()
        },
    ),
];

#[test]
fn each_step_has_its_own_scalars_and_slices() {
    let host: Vec<f32> = (0..LEN).map(|i| (i * 7 % 11) as f32).collect();
    for device in devices() {
        let x = Array::from_slice(device, &host);
        for (what, on_device, on_host) in STEPS {
            for step in 0..20 {
                let what = format!("step {step} of {what} on {}", name(device));
                same_values(&on_device(&x, step).to_vec().unwrap(), &on_host(&host, step), &what);
            }
        }
    }
}

#[test]
fn each_step_writes_its_own_slice() {
    for device in devices() {
        let (mut x, mut host) = (Array::<f32>::zeros(device, &[LEN]), vec![0.0f32; LEN]);
        for step in 0..20 {
            let first = step * 7 % 37;
            x.slice_mut(s![first as isize..first as isize + 9]).assign(step as f32).unwrap();
            host[first..first + 9].fill(step as f32);
            same_values(&x.to_vec().unwrap(), &host, &format!("step {step} on {}", name(device)));
        }
    }
}

/// `x + c` of a type, with values that all its words matter for.
fn scalars<T: crosslane::Number>(device: &Device, values: &[T]) {
    if !has(device, T::DTYPE) {
        return say(&format!("not on {}: {}", name(device), T::DTYPE));
    }
    let x = Array::<T>::zeros(device, &[5]);
    for &value in values {
        let what = format!("{value:?} of {} on {}", T::DTYPE, name(device));
        same_values(&(&x.copy() + value).to_vec().unwrap(), &[value; 5], &what);
    }
}

#[test]
fn scalars_of_every_type_have_all_their_words() {
    for device in devices() {
        scalars(device, &[1.5f32, -0.25]);
        scalars(device, &[f16::from_f32(1.5), f16::from_f32(-6e4)]);
        scalars(device, &[1.1f64, -3.7e200]);
        scalars(device, &[1i32, -7]);
        scalars(device, &[3u32, u32::MAX]);
        scalars(device, &[1i64 << 40, -5]);
        scalars(device, &[u64::MAX, 5 << 33]);
    }
}

/// Sets the only scalar of `x == c`, or of `x + c`, to values one after the other.
fn set<T: Element, A: Copy + Into<crosslane::Argument<'static>>>(
    device: &Device,
    make: fn(&Device) -> Array<T>,
    values: &[(A, T)],
) {
    if !has(device, T::DTYPE) {
        return say(&format!("not on {}: {}", name(device), T::DTYPE));
    }
    let y = make(device);
    let mut recording = Recording::of(&[&y]).unwrap();
    for &(argument, wanted) in values {
        recording.set(0, "scalar0", argument).unwrap();
        recording.run().unwrap();
        same_values(&y.to_vec().unwrap(), &[wanted; 3], &format!("{} on {}", T::DTYPE, name(device)));
    }
}

fn zeros<T: crosslane::Number>(device: &Device) -> Array<T> {
    let x = Array::<T>::zeros(device, &[3]).copy();
    x.eval().unwrap();
    x
}

#[test]
fn scalars_of_recorded_launches_can_be_set() {
    for device in devices() {
        set(device, |device| &zeros::<f32>(device) + 1.0, &[(2.5f32, 2.5), (-1.0, -1.0)]);
        set(device, |device| &zeros::<i32>(device) + 1, &[(2i32, 2), (-1, -1)]);
        set(device, |device| &zeros::<u32>(device) + 1, &[(2u32, 2), (u32::MAX, u32::MAX)]);
        let half = |x: f32| (f16::from_f32(x), f16::from_f32(x));
        set(device, |device| &zeros::<f16>(device) + f16::ONE, &[half(2.5), half(-1.0)]);
        set(device, |device| &zeros::<f64>(device) + 1.0, &[(2.5e200f64, 2.5e200), (-1.0, -1.0)]);
        set(device, |device| &zeros::<i64>(device) + 1, &[(1i64 << 40, 1 << 40), (-1, -1)]);
        set(device, |device| Array::full(device, &[3], 1u8), &[(7u32, 7u8), (255, 255)]);
        set(device, |device| Array::full(device, &[3], false), &[(1u32, true), (0, false)]);
    }
}

#[test]
fn each_launch_has_the_scalars_that_its_text_names() {
    for device in devices() {
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let sum = (&x * 2.0 + 1.0).sum();
        let last = sum.copy() * 10.0;
        let text = last.explain().unwrap().to_string();
        assert!(text.contains("scalar0") && text.contains("scalar1"), "{text}");
        let mut recording = Recording::of(&[&sum, &last]).unwrap();
        assert_eq!((sum.item().unwrap(), last.item().unwrap()), (15.0, 150.0), "on {}", name(device));
        recording.set(0, "scalar0", 3.0f32).unwrap();
        recording.set(0, "scalar1", 0.0f32).unwrap();
        recording.set(recording.len() - 1, "scalar0", 2.0f32).unwrap();
        recording.run().unwrap();
        assert_eq!((sum.item().unwrap(), last.item().unwrap()), (18.0, 36.0), "on {}", name(device));
        let wrong = |result: crosslane::Result<()>, parts: &[&str]| {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("Recording::set") && parts.iter().all(|part| error.contains(part)), "{error}");
        };
        wrong(recording.set(0, "scalar0", 3u32), &["scalar0", "f32", "u32"]);
        wrong(recording.set(0, "scalar2", 3.0f32), &["\"scalar0\", \"scalar1\"", "\"scalar2\""]);
        wrong(recording.set(0, "scalar0", &x), &["a value", "replace"]);
        wrong(recording.set(9, "scalar0", 3.0f32), &["launches", "got 9"]);
        let mut small = Recording::of(&[&Array::full(device, &[3], 1u8)]).unwrap();
        wrong(small.set(0, "scalar0", 256u32), &["0 to 255", "u8", "256"]);
        // What was refused has changed nothing.
        recording.run().unwrap();
        assert_eq!(last.item().unwrap(), 36.0, "on {}", name(device));
    }
}
