//! Conversions between every pair of types, as Rust's `as` does them.

use crate::for_types;
use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, Complex, DType, Device, Element, bf16, f16};
use rand::Rng;

/// The types' edges, as doubles and as integers, that each type rounds to its own.
fn edges<T: Element>() -> Vec<T> {
    let floats = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        2.5,
        -2.5,
        127.0,
        128.0,
        254.9,
        255.0,
        255.5,
        256.0,
        300.7,
        -300.7,
        2047.0,
        32767.0,
        65503.0,
        65504.0,
        65535.0,
        65536.0,
        70000.0,
        16777215.0,
        16777216.0,
        16777217.0,
        2147483520.0,
        2147483647.0,
        2147483648.0,
        -2147483648.0,
        -2147483904.0,
        4294967040.0,
        4294967295.0,
        4294967296.0,
        1e10,
        -1e10,
        9.2e18,
        9.3e18,
        -9.3e18,
        1.8e19,
        1.9e19,
        1e30,
        -1e30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let integers = [0, 1, -1, 127, 255, 256, 65535, 65536, i32::MAX as i128, i32::MIN as i128, u32::MAX as i128];
    let wide = [i64::MAX as i128, i64::MIN as i128, u64::MAX as i128, (1 << 53) + 1, (1 << 24) + 1, -((1 << 40) + 5)];
    let number = T::DTYPE;
    let from_floats = floats.iter().map(|&x| T::from_scalar(Value::Float(x).scalar(number)));
    from_floats.chain(integers.iter().chain(&wide).map(|&x| of(x))).collect()
}

/// The bfloat16 that is nearest by a distance: among neighbours of a guess, ties to the even one.
fn nearest<D: PartialOrd>(guess: bf16, distance: impl Fn(f64) -> D) -> bf16 {
    if guess.is_nan() || guess == bf16::from_bits(0) {
        return guess;
    }
    let bits = guess.to_bits();
    // An infinity counts as the number after the largest.
    let size = |x: bf16| if x.is_infinite() { 2f64.powi(128).copysign(x.to_f64()) } else { x.to_f64() };
    let near = [bits - 1, bits, bits + 1].map(bf16::from_bits).into_iter().filter(|x| !x.is_nan());
    near.min_by(|&a, &b| {
        let apart = distance(size(a)).partial_cmp(&distance(size(b))).expect("no NaN");
        apart.then((a.to_bits() & 1).cmp(&(b.to_bits() & 1)))
    })
    .expect("the guess is one")
}

fn bfloat_of_float(x: f64) -> bf16 {
    if x.is_infinite() { bf16::from_f64(x) } else { nearest(bf16::from_f64(x), |other| (other - x).abs()) }
}

/// Integers of up to 64 bits: large ones have whole neighbours.
fn bfloat_of_integer(x: i128) -> bf16 {
    match x.abs() < 1 << 53 {
        true => bfloat_of_float(x as f64),
        false => nearest(bf16::from_f64(x as f64), |other| (other as i128 - x).abs()),
    }
}

/// From or to complex numbers: a real number has no imaginary part; a real result is that of the real part, and a truth value
/// that of both.
fn convert_complex<T: Element, R: Element>(x: T) -> R {
    let single = |re: f32, im: f32| R::from_scalar(Complex::new(re, im).scalar());
    let double = |re: f64, im: f64| R::from_scalar(Complex::new(re, im).scalar());
    let [re, im] = parts(x);
    match (T::DTYPE, R::DTYPE) {
        (_, DType::Bool) => R::from_scalar((re != 0.0 || im != 0.0).scalar()),
        (DType::Complex32 | DType::Complex64, DType::Complex32) => single(re as f32, im as f32),
        (DType::Complex32 | DType::Complex64, DType::Complex64) => double(re, im),
        (DType::Complex32, _) => convert::<f32, R>(re as f32),
        (DType::Complex64, _) => convert::<f64, R>(re),
        (_, DType::Complex32) => single(convert::<T, f32>(x), 0.0),
        _ => double(convert::<T, f64>(x), 0.0),
    }
}

/// Rust's own `as` from `T` to `R`.
fn convert<T: Element, R: Element>(x: T) -> R {
    if [T::DTYPE, R::DTYPE].iter().any(|dtype| matches!(dtype, DType::Complex32 | DType::Complex64)) {
        return convert_complex(x);
    }
    if R::DTYPE == DType::BF16 {
        let nearest = match value(x) {
            Value::Int(x) => bfloat_of_integer(x),
            other => bfloat_of_float(other.float()),
        };
        return R::from_scalar(nearest.scalar());
    }
    macro_rules! to {
        ($x:expr) => {
            match R::DTYPE {
                DType::F16 => R::from_scalar(f16::from_f64($x as f64).scalar()),
                DType::F32 => R::from_scalar(($x as f32).scalar()),
                DType::F64 => R::from_scalar(($x as f64).scalar()),
                DType::I8 => R::from_scalar(($x as i8).scalar()),
                DType::I16 => R::from_scalar(($x as i16).scalar()),
                DType::I32 => R::from_scalar(($x as i32).scalar()),
                DType::I64 => R::from_scalar(($x as i64).scalar()),
                DType::U8 => R::from_scalar(($x as u8).scalar()),
                DType::U16 => R::from_scalar(($x as u16).scalar()),
                DType::U32 => R::from_scalar(($x as u32).scalar()),
                DType::U64 => R::from_scalar(($x as u64).scalar()),
                DType::Bool => R::from_scalar(($x as f64 != 0.0).scalar()),
                other => panic!("a cast to {other} has no test"),
            }
        };
    }
    let bits = x.scalar().bits;
    match T::DTYPE {
        DType::F16 => to!(f16::from_bits(bits as u16).to_f32()),
        DType::BF16 => to!(bf16::from_bits(bits as u16).to_f32()),
        DType::F32 => to!(f32::from_bits(bits as u32)),
        DType::F64 => to!(f64::from_bits(bits as u64)),
        DType::I8 => to!(bits as u8 as i8),
        DType::I16 => to!(bits as u16 as i16),
        DType::I32 => to!(bits as u32 as i32),
        DType::I64 => to!(bits as i64),
        DType::U8 | DType::Bool => to!(bits as u8),
        DType::U16 => to!(bits as u16),
        DType::U32 => to!(bits as u32),
        DType::U64 => to!(bits as u64),
        other => panic!("a cast from {other} has no test"),
    }
}

fn pair<T: Element, R: Element>(device: &Device) {
    let mut rng = random(5);
    let mut values = edges::<T>();
    values.extend((0..501).map(|_| bits::<T>(&mut rng)));
    // Denormal results may be flushed to zero.
    let least = match R::DTYPE {
        DType::F16 => 6.2e-5,
        DType::BF16 | DType::F32 | DType::Complex32 => f32::MIN_POSITIVE as f64,
        _ => 0.0,
    };
    values.retain(|&x| parts(x).iter().all(|part| *part == 0.0 || part.is_nan() || part.abs() >= least));
    // SwiftShader (Subzero) rounds u32 to f32 twice: one ULP off above 2^24.
    if is_swiftshader(device) && T::DTYPE == DType::U32 && matches!(R::DTYPE, DType::F32 | DType::Complex32) {
        values.retain(|&x| value(x).int() < 1 << 24);
    }
    let wanted: Vec<R> = values.iter().map(|&x| convert(x)).collect();
    // A length of 4n + 1 takes the wide kernel and its tail; a view with an odd offset takes the narrow one.
    let (array, len) = (Array::from_slice(device, &values), values.len());
    let what = format!("{} as {} on {}", T::DTYPE, R::DTYPE, name(device));
    same_values(&array.cast::<R>().to_vec().unwrap(), &wanted, &what);
    let odd = array.slice(crosslane::s![3..len as isize - 2]).cast::<R>();
    same_values(&odd.to_vec().unwrap(), &wanted[3..len - 2], &format!("{what}, sliced"));
}

fn from<T: Element>(device: &Device) {
    macro_rules! all {
        ($($to:ty),*) => { $(if has(device, <$to>::DTYPE) { pair::<T, $to>(device); })* };
    }
    all!(f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>);
}

/// What is computed with halves is computed with halves, though they never were in memory: drivers like to take the f32
/// that a half was rounded from.
#[test]
fn halves_on_the_way_are_rounded() {
    for device in drivers() {
        if !has(device, DType::F16) {
            say(&format!("not run on {}: it has no f16", name(device)));
            continue;
        }
        let mut rng = random(17);
        let mut host: Vec<f32> = (0..3997).map(|_| rng.random_range(-8.0..8.0)).collect();
        host.extend([65519.0, 65520.0, -70000.0, 2049.0, f32::INFINITY, f32::NAN]);
        let x = Array::from_slice(device, &host);
        let half = |v: f32| f16::from_f32(v).to_f32();
        let rounded: Vec<f32> = host.iter().map(|&v| half(v)).collect();
        let what = name(device);
        for (array, skipped) in [(x.clone(), 0), (x.slice(crosslane::s![3..]), 3)] {
            let (halves, wanted) = (array.cast::<f16>().cast::<f32>(), &rounded[skipped..]);
            same_values(&halves.to_vec().unwrap(), wanted, &format!("{what}: back at once"));
            let larger: Vec<bool> = wanted.iter().zip(&host[skipped..]).map(|(h, v)| h > v).collect();
            same_values(&halves.greater(&array).to_vec().unwrap(), &larger, &format!("{what}: compared"));
            let roots = array.cast::<f16>().abs().sqrt().cast::<f32>().to_vec().unwrap();
            let whole: Vec<f32> = roots.iter().map(|&v| half(v)).collect();
            same_values(&roots, &whole, &format!("{what}: roots"));
        }
        let sum = x.slice(crosslane::s![..3997]).cast::<f16>().cast::<f32>().sum().item().unwrap() as f64;
        let exact: f64 = rounded[..3997].iter().map(|&v| v as f64).sum();
        assert!((sum - exact).abs() < 0.004, "{what}: wanted {exact}, got {sum}");
        let most = x.slice(crosslane::s![..3997]).cast::<f16>().max().item().unwrap();
        assert_eq!(most.to_f32(), rounded[..3997].iter().copied().fold(f32::MIN, f32::max), "{what}");
    }
}

#[test]
fn casts_are_rusts_as() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], from);
    }
}
