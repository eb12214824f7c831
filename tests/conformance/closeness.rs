//! Comparisons of arrays against NumPy's definition of them on the host.

use crate::for_types;
use crate::support::*;
use crosslane::array::Tolerance;
use crosslane::{Array, Device, Element, Float, f16};

/// NumPy's `isclose` in doubles.
fn close(a: f64, b: f64, relative: f64, absolute: f64, nan: bool) -> bool {
    let near = (a - b).abs() <= absolute + relative * b.abs() && b.is_finite();
    near || a == b || nan && a.is_nan() && b.is_nan()
}

fn isclose<T: Float>(device: &Device) {
    let special =
        [0.0, -0.0, 1.0, -1.0, 1.5, 1.015625, 1e-3, 2e-3, 100.0, 101.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let of = |x: f64| T::from_scalar(crosslane::op::Value::Float(x).scalar(T::DTYPE));
    let pairs: Vec<(T, T)> = special.iter().flat_map(|&a| special.map(|b| (of(a), of(b)))).collect();
    let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let (x, y) = (device.array(&a), device.array(&b));
    for (relative, absolute) in [(0.25, 0.0), (0.0, 0.25), (0.0078125, 0.0001), (0.0, 0.0)] {
        for nan in [false, true] {
            let tolerance = Tolerance::default().relative(relative).absolute(absolute);
            let tolerance = if nan { tolerance.equal_nan() } else { tolerance };
            let wide = |x: T| value(x).float();
            let wanted: Vec<bool> =
                pairs.iter().map(|&(a, b)| close(wide(a), wide(b), relative, absolute, nan)).collect();
            let what = format!("{tolerance:?} {} on {}", T::DTYPE, name(device));
            same_values(&x.is_close(&y, &tolerance).to_vec().unwrap(), &wanted, &what);
            assert!(!x.allclose(&y, &tolerance).item().unwrap(), "{what}");
            assert_eq!(x.allclose(&x, &tolerance).item().unwrap(), nan, "{what}");
        }
    }
}

#[test]
fn isclose_by_numpys_rule() {
    for device in quick() {
        for_types!(device, [f32, f16, f64], isclose);
    }
    for device in slow() {
        let (x, y) = (device.array([1.0f32, 100.0, f32::NAN]), device.array([1.000005f32, 100.1, f32::NAN]));
        assert_eq!(x.is_close(&y, &Tolerance::default()).to_vec().unwrap(), [true, false, false], "{}", name(device));
    }
}

fn equal<T: Element>(device: &Device) {
    let host = noise::<T>(3, &[7, 9]);
    let integers = host.map(|x| if value(x).float().is_nan() { of(1) } else { x });
    let x = upload(device, &integers);
    let what = format!("{} on {}", T::DTYPE, name(device));
    assert!(x.array_equal(&x.copy()).item().unwrap(), "{what}");
    let mut other = integers.clone();
    other.data[40] = if other.data[40] == of(1) { of(0) } else { of(1) };
    assert!(!x.array_equal(&upload(device, &other)).item().unwrap(), "{what}");
    assert!(!x.array_equal(&x.transpose()).item().unwrap(), "{what}: another shape");
}

#[test]
fn array_equal_of_every_type() {
    for device in quick() {
        for_types!(device, [f32, f16, f64, i32, i64, u8, u16, u32, u64, bool], equal);
        let nothing = Array::<u8>::zeros(device, &[0]);
        assert!(nothing.array_equal(&nothing).item().unwrap());
        let x = device.array([f32::NAN, 1.0]);
        assert!(!x.array_equal(&x).item().unwrap() && x.array_equal_nan(&x).item().unwrap());
        assert!(!x.array_equal_nan(&device.array([1.0, 1.0])).item().unwrap());
    }
}
