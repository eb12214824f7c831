//! Numbers at the ends of their types: counts past 2^53, distances past the largest float, offsets past every array, what
//! lies just beside a tie.

use crate::support::*;
use crosslane::op::Scalar;
use crosslane::{Array, DType, Device, Element, Number, f16, s};

fn counted<T: Number>(device: &Device, [start, stop, step]: [i128; 3]) {
    let wanted: Vec<i128> =
        (0..).map(|i| start + i * step).take_while(|&x| if step > 0 { x < stop } else { x > stop }).collect();
    let got = Array::<T>::arange(device, of(start), of(stop), of(step)).to_vec();
    let what = format!("arange({start}, {stop}, {step}) of {} on {}", T::DTYPE, name(device));
    let got: Vec<i128> =
        got.unwrap_or_else(|error| panic!("{what}: {error}")).into_iter().map(|x| value(x).int()).collect();
    assert_eq!(got, wanted, "{what}");
}

/// Integers count in integers, whatever their size and the step's sign.
#[test]
fn integers_count_in_integers() {
    let (least, most) = (i64::MIN as i128, i64::MAX as i128);
    for device in apis() {
        counted::<i32>(device, [i32::MAX as i128 - 5, i32::MAX as i128, 2]);
        counted::<i32>(device, [i32::MIN as i128 + 5, i32::MIN as i128, -2]);
        counted::<i32>(device, [i32::MIN as i128, i32::MAX as i128, 1 << 30]);
        counted::<u32>(device, [u32::MAX as i128 - 7, u32::MAX as i128, 3]);
        if !has(device, DType::I64) {
            continue;
        }
        counted::<u64>(device, [9_007_199_254_740_993, 9_007_199_254_740_996, 1]);
        for start in [(1i128 << 53) - 2, (1 << 53) + 1, (1 << 62) + 1, (1 << 62) - 3, most - 9] {
            for (stop, step) in [(start + 3, 1), (start + 8, 3), (start + 9, 9), (start, 1), (start - 1, 1)] {
                counted::<i64>(device, [start, stop, step]);
                counted::<u64>(device, [start, stop, step]);
                counted::<i64>(device, [-start, -stop, -step]);
            }
        }
        counted::<u64>(device, [u64::MAX as i128 - 4, u64::MAX as i128, 1]);
        counted::<i64>(device, [least, most, 1 << 62]);
        counted::<i64>(device, [most, least, least]);
        counted::<i64>(device, [least, least + 10, 4]);
        counted::<i64>(device, [0, 10, -1]);
        let most = "arange: array: wanted at most 1024 windows of 4294967294 elements";
        for (start, stop, wanted) in
            [(i64::MIN, i64::MAX, "arange: range: wanted fewer than 2^63 elements"), (0, 1 << 50, most)]
        {
            let error = Array::arange(device, start, stop, 1).to_vec().unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}

/// What lies between two numbers is a number, though their distance is none.
#[test]
fn no_distance_overflows() {
    for device in apis() {
        let what = name(device);
        let x = Array::from_slice(device, &[-3e38f32, 3e38]);
        assert_eq!(x.median().item().unwrap(), 0.0, "{what}");
        let close =
            |got: f32, wanted: f32| assert!((got - wanted).abs() <= 1e32, "{what}: got {got:e}, wanted {wanted:e}");
        close(x.quantile(0.25).item().unwrap(), -1.5e38);
        close(x.percentile(75.0).item().unwrap(), 1.5e38);
        close(Array::from_slice(device, &[-3e38f32]).lerp(3e38, 0.75).item().unwrap(), 1.5e38);
        assert_eq!(Array::from_slice(device, &[f32::MAX, f32::MAX]).median().item().unwrap(), f32::MAX, "{what}");
        for count in [2, 3, 5, 1001] {
            let line = Array::linspace(device, -3e38f32, 3e38, count).to_vec().unwrap();
            assert_eq!([line[0], line[count - 1]], [-3e38, 3e38], "{what}");
            for (i, &got) in line.iter().enumerate() {
                close(got, (-3e38 + 6e38 * i as f64 / (count - 1) as f64) as f32);
            }
        }
        if has(device, DType::F64) {
            let wide = Array::from_slice(device, &[-1.7e308f64, 1.7e308]);
            assert_eq!(wide.median().item().unwrap(), 0.0, "{what}");
            let line = Array::linspace(device, -1.7e308f64, 1.7e308, 5).to_vec().unwrap();
            assert!(line.iter().zip([-1.7e308, -0.85e308, 0.0, 0.85e308, 1.7e308]).all(|(a, b)| (a - b).abs() < 1e293));
            let nan = Array::from_slice(device, &[1.0, f64::NAN, 2.0]).median().item().unwrap();
            assert!(nan.is_nan(), "{what}");
        }
        if has(device, DType::F16) {
            let half = f16::from_f32;
            let ends = Array::from_slice(device, &[half(-65000.0), half(65000.0)]);
            assert_eq!(ends.median().item().unwrap(), half(0.0), "{what}");
            assert_eq!(ends.lerp(half(-65000.0), half(0.5)).to_vec().unwrap(), [half(-65000.0), half(0.0)], "{what}");
            // More places than halves count.
            let line = Array::linspace(device, half(-1.0), half(1.0), 100_001).to_vec().unwrap();
            let wanted: Vec<f16> = (0..=100_000).map(|i| f16::from_f64(i as f64 / 50_000.0 - 1.0)).collect();
            let near = |(a, b): (&f16, &f16)| (a.to_f32() - b.to_f32()).abs() <= 1e-3 * b.to_f32().abs() + 1e-6;
            assert!(line.iter().zip(&wanted).all(near), "{what}");
            let steps = Array::arange(device, half(0.0), half(40_000.0), half(0.5)).to_vec().unwrap();
            assert!(
                steps.iter().enumerate().all(|(i, x)| x.to_f32() == f16::from_f32(i as f32 * 0.5).to_f32()),
                "{what}"
            );
        }
    }
}

/// A result beside a tie, which a second rounding would take for one.
#[test]
fn casts_round_once() {
    for device in apis() {
        let what = name(device);
        if has(device, DType::F64) && has(device, DType::F16) {
            let ulp = 2f64.powi(-11);
            let mut host =
                vec![1.000_488_281_250_91, -1.000_488_281_250_91, 65_519.999_999_999, 65_520.0, 1e300, -1e39, 0.0];
            let mut wanted: Vec<u16> = vec![0x3c01, 0xbc01, 0x7bff, 0x7c00, 0x7c00, 0xfc00, 0];
            for i in 0..64u16 {
                // Beside the tie of this half and the next: 2^-50 before, at it, and after it.
                let tie = 1.0 + (2 * i + 1) as f64 * ulp;
                host.extend([tie - 2f64.powi(-50), tie, tie + 2f64.powi(-50)]);
                wanted.extend([0x3c00 + i, 0x3c00 + i + i % 2, 0x3c00 + i + 1]);
            }
            for view in [Array::from_slice(device, &host), Array::from_slice(device, &host).slice(s![..;1])] {
                let got: Vec<u16> = view.cast::<f16>().to_vec().unwrap().into_iter().map(|x| x.to_bits()).collect();
                assert_eq!(got, wanted, "{what}");
            }
            let nan = Array::from_slice(device, &[f64::from_bits(0x7ff0_0000_0000_0001)]).cast::<f16>().item().unwrap();
            assert!(nan.is_nan(), "{what}");
            // On the host too, where scalars become halves.
            let scalar = Array::full(device, &[1], 1.000_488_281_250_91f64).cast::<f16>().item().unwrap();
            assert_eq!(scalar.to_bits(), 0x3c01, "{what}");
        }
        if has(device, DType::I64) {
            // Through f64 these would be ties.
            let host = [(1i64 << 60) + (1 << 36) + 1, (1 << 60) + (3 << 36) - 1, -(1 << 60) - (1 << 36) - 1];
            let wanted = host.map(|x| x as f32);
            assert_eq!(Array::from_slice(device, &host).cast::<f32>().to_vec().unwrap(), wanted, "{what}");
            let wide = host.map(|x| x as u64);
            let wanted = wide.map(|x| x as f32);
            assert_eq!(Array::from_slice(device, &wide).cast::<f32>().to_vec().unwrap(), wanted, "{what}");
        }
    }
}

/// Offsets past an array's ends, as far as there are any, leave what lies inside.
#[test]
fn no_offset_wraps_round() {
    for device in apis() {
        let what = name(device);
        let host: Vec<i32> = (1..=6).collect();
        let x = Array::from_shape(device, &[2, 3], &host);
        let zeros = |x: &Array<i32>| x.to_vec().unwrap().iter().all(|&x| x == 0);
        let wraps = (1isize << 32) * 3;
        for offset in [isize::MAX, isize::MAX - 1, wraps, wraps + 1, 4, 1 << 32, (1 << 32) - 1, u32::MAX as isize] {
            let below = -offset;
            for far in [offset, below, isize::MIN, isize::MIN + 1] {
                assert!(zeros(&Array::eye(device, 2, 2, far)), "eye {far} on {what}");
                assert!(zeros(&Array::eye(device, 2, 3, far)), "eye {far} on {what}");
                assert!(x.diagonal(far, 0, 1).to_vec().unwrap().is_empty(), "diagonal {far} on {what}");
                assert_eq!(x.trace(far, 0, 1).item().unwrap(), 0, "trace {far} on {what}");
                let (upper, lower) = (x.triu(far), x.tril(far));
                let (all, none) = if far < 0 { (upper, lower) } else { (lower, upper) };
                assert_eq!(all.to_vec().unwrap(), host, "triangle {far} on {what}");
                assert!(zeros(&none), "triangle {far} on {what}");
            }
            for past in [x.slice(s![.., offset.max(4)..]), x.slice(s![.., below..])] {
                let error = past.to_vec().unwrap_err().to_string();
                assert!(error.contains("wanted inside 0..3"), "{error}");
            }
            assert_eq!(x.slice(s![.., ..;offset]).to_vec().unwrap(), [1, 4], "every {offset}th on {what}");
        }
        for shift in [isize::MAX, isize::MIN, isize::MIN + 1, -7, 4] {
            let by = shift.rem_euclid(3) as usize;
            let wanted: Vec<i32> = (0..6).map(|i| host[i / 3 * 3 + (i % 3 + 3 - by) % 3]).collect();
            assert_eq!(x.roll_axes(&[shift], 1).to_vec().unwrap(), wanted, "roll {shift} on {what}");
        }
        assert_eq!(Array::<i32>::eye(device, 3, 2, -2).to_vec().unwrap(), [0, 0, 0, 0, 1, 0], "{what}");
        assert_eq!(Array::<i32>::eye(device, 2, 3, 2).to_vec().unwrap(), [0, 0, 1, 0, 0, 0], "{what}");
    }
}

/// A compound operator keeps the array's shape: an operand that would change it is a mistake.
#[test]
fn compound_operators_keep_the_shape() {
    fn refuses<T: Element>(device: &Device, operator: &str, apply: impl Fn(&mut Array<T>, &Array<T>)) {
        let y = Array::<T>::ones(device, &[3]);
        let shapes: [&[usize]; 3] = [&[1], &[], &[2, 1]];
        for shape in shapes {
            let mut x = Array::<T>::ones(device, shape);
            apply(&mut x, &y);
            let error = x.to_vec().unwrap_err().to_string();
            let wanted = format!("{operator}: shape of the operand: wanted a shape that broadcasts to {shape:?}");
            assert!(error.starts_with(&wanted) && error.contains("extremes.rs"), "{error}");
        }
        let mut x = Array::<T>::ones(device, &[2, 3]);
        apply(&mut x, &y);
        assert_eq!(x.shape(), [2, 3]);
        x.to_vec().unwrap_or_else(|error| panic!("{operator}: {error}"));
    }
    for device in apis().iter().take(1) {
        refuses::<f32>(device, "add", |x, y| *x += y);
        refuses::<f32>(device, "add", |x, y| *x += y.clone());
        refuses::<f32>(device, "subtract", |x, y| *x -= y);
        refuses::<f32>(device, "multiply", |x, y| *x *= y);
        refuses::<f32>(device, "divide", |x, y| *x /= y);
        refuses::<f32>(device, "remainder", |x, y| *x %= y);
        refuses::<u32>(device, "and", |x, y| *x &= y);
        refuses::<u32>(device, "or", |x, y| *x |= y);
        refuses::<u32>(device, "xor", |x, y| *x ^= y);
        refuses::<u32>(device, "shift_left", |x, y| *x <<= y);
        refuses::<u32>(device, "shift_right", |x, y| *x >>= y);
        let mut x = Array::from_slice(device, &[1.0f32, 2.0]);
        x += 1.0;
        assert_eq!(x.to_vec().unwrap(), [2.0, 3.0]);
    }
}

/// Every 16-bit float's neighbours, up and down.
#[test]
fn neighbours_of_every_half() {
    for device in apis().iter().filter(|device| has(device, DType::F16)) {
        let finite: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).filter(|x| x.is_finite()).collect();
        let x = Array::from_slice(device, &finite);
        for up in [true, false] {
            let to = if up { f16::INFINITY } else { f16::NEG_INFINITY };
            let got = x.nextafter(to).to_vec().unwrap();
            for (x, got) in finite.iter().zip(got) {
                let bits = x.to_bits() as i32;
                let number = if bits < 0x8000 { bits } else { 0x8000 - bits } + if up { 1 } else { -1 };
                let wanted = f16::from_bits(if number < 0 { 0x8000 - number } else { number } as u16);
                assert_eq!(got, wanted, "beside {x:e} on {}", name(device));
            }
        }
        let inf = Array::from_slice(device, &[f16::INFINITY, f16::NEG_INFINITY]);
        assert_eq!(inf.nextafter(f16::ZERO).to_vec().unwrap(), [f16::MAX, f16::MIN], "on {}", name(device));
        let scalar = Scalar { dtype: DType::F16, bits: 0x3c01 };
        assert_eq!(
            Array::full(device, &[1], f16::ONE).nextafter(f16::from_scalar(scalar)).item().unwrap().to_bits(),
            0x3c01
        );
    }
}

/// Repeated elements take no memory, so that extents may be past 32 bits: right, or an error that names the limit.
#[test]
fn what_is_past_32_bits_is_named() {
    for device in apis() {
        let says = |error: crosslane::Error, parts: &[&str]| {
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text} on {}", name(device));
        };
        let (rows, ones) = ((1usize << 33) + 3, |shape: &[usize]| Array::<f32>::ones(device, shape));
        says(Array::<f32>::eye(device, rows, 1, 0).sum().item().unwrap_err(), &["eye", "2^32", "8589934595"]);
        let long = ones(&[64, 1 << 50]).matmul(&ones(&[1 << 50, 64]));
        says(long.to_vec().unwrap_err(), &["matmul", "at most 65536 launches", "inner 1125899906842624"]);
        let offsets = Array::full(device, &[rows], 0u32);
        says(ones(&[4]).sort_segments(&offsets).to_vec().unwrap_err(), &["offsets", "2^32", "8589934595"]);
    }
}

/// Ones on a diagonal in every element type.
#[test]
fn every_type_has_an_identity() {
    fn check<T: Element>(device: &Device, zero: T, one: T) {
        for offset in [-1, 0, 1] {
            let got = Array::<T>::eye(device, 3, 2, offset).to_vec().unwrap();
            let wanted: Vec<T> = (0..6isize).map(|at| if at / 2 + offset == at % 2 { one } else { zero }).collect();
            assert_eq!(got, wanted, "{} on {}", T::DTYPE, name(device));
        }
    }
    for device in apis() {
        check(device, 0u8, 1);
        check(device, 0i8, 1);
        check(device, 0u16, 1);
        check(device, 0i16, 1);
        check(device, false, true);
        check(device, 0u32, 1);
        check(device, 0.0f32, 1.0);
    }
}
