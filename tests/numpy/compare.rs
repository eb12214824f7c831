//! Whether a result is NumPy's.

use crate::any::{Any, Held};
use crate::case::{Want, parsed};
use crate::inputs::mix;
use crate::support::value;
use crosslane::op::Value;
use crosslane::{Array, DType, Element, f16};

/// What differs, if anything.
pub fn difference(got: &Any, want: &Want, keeps_subnormals: bool) -> Option<String> {
    if got.dtype() != want.dtype {
        return Some(format!("got {}, wanted {}", got.dtype(), want.dtype));
    }
    match got {
        Any::F16(x) => of::<f16>(x, want, keeps_subnormals),
        Any::F32(x) => of::<f32>(x, want, keeps_subnormals),
        Any::F64(x) => of::<f64>(x, want, keeps_subnormals),
        Any::I32(x) => of::<i32>(x, want, keeps_subnormals),
        Any::I64(x) => of::<i64>(x, want, keeps_subnormals),
        Any::U8(x) => of::<u8>(x, want, keeps_subnormals),
        Any::U16(x) => of::<u16>(x, want, keeps_subnormals),
        Any::U32(x) => of::<u32>(x, want, keeps_subnormals),
        Any::U64(x) => of::<u64>(x, want, keeps_subnormals),
        Any::Bool(x) => of::<bool>(x, want, keeps_subnormals),
    }
}

fn of<T: Held>(array: &Array<T>, want: &Want, keeps_subnormals: bool) -> Option<String> {
    let got = match array.to_vec() {
        Ok(got) => got,
        Err(error) => return Some(error.to_string()),
    };
    if array.shape() != want.shape {
        return Some(format!("got the shape {:?}, wanted {:?}", array.shape(), want.shape));
    }
    let places: Vec<usize> = want.at.clone().unwrap_or_else(|| (0..got.len()).collect());
    assert_eq!(places.len(), want.values.len(), "a value for each place");
    let bound = |i: usize| want.bounds.as_ref().map(|bounds| bounds[if bounds.len() == 1 { 0 } else { i }]);
    let wrong: Vec<usize> =
        (0..places.len()).filter(|&i| !fits(got[places[i]], &want.values[i], bound(i), keeps_subnormals)).collect();
    if let Some(&first) = wrong.first() {
        let point = unravelled(places[first], &want.shape);
        let near = bound(first).map_or("exactly".to_string(), |bound| format!("within {bound:e}: {}", want.why));
        let (count, all, element) = (wrong.len(), places.len(), got[places[first]]);
        let wanted = &want.values[first];
        return Some(format!(
            "{count} of {all} elements differ, first at {point:?}: got {element:?}, wanted {wanted} ({near})"
        ));
    }
    parts(&got, want)
}

fn unravelled(place: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = place;
    let mut point: Vec<usize> = shape.iter().rev().map(|&e| (rest % e, rest /= e).0).collect();
    point.reverse();
    point
}

/// Whether an element is what was wanted, or near enough.
fn fits<T: Element>(got: T, wanted: &str, bound: Option<f64>, keeps_subnormals: bool) -> bool {
    let Some(bound) = bound else {
        let wanted: T = parsed(wanted);
        return got == wanted || value(got).float().is_nan() && value(wanted).float().is_nan();
    };
    let (wanted, got): (f64, f64) = (wanted.parse().expect("a number"), value(got).float());
    if !wanted.is_finite() || got.is_nan() {
        return wanted == got || wanted.is_nan() && got.is_nan();
    }
    // Past the largest number there is infinity.
    let rounded = |x: f64| value(T::from_scalar(Value::Float(x).scalar(T::DTYPE))).float();
    let (low, high) = (wanted - bound, wanted + bound);
    let flushed = !keeps_subnormals && got == 0.0 && wanted.abs() < smallest_normal(T::DTYPE);
    flushed || (low..=high).contains(&got) || got.is_infinite() && (rounded(low) == got || rounded(high) == got)
}

fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::MIN_POSITIVE.to_f64(),
        DType::F32 => f32::MIN_POSITIVE as f64,
        _ => f64::MIN_POSITIVE,
    }
}

/// Whether each part of a long result has its hash.
fn parts<T: Element>(got: &[T], want: &Want) -> Option<String> {
    if want.hashes.is_empty() {
        return None;
    }
    let part = got.len().div_ceil(want.hashes.len());
    // sweep.py rounds up, which may leave fewer parts.
    let part = (part..).find(|part| got.len().div_ceil(*part) <= want.hashes.len()).expect("there is one");
    let wrong = got.chunks(part).zip(&want.hashes).position(|(part, &hash)| hashed(part) != hash)?;
    let from = wrong * part;
    let first: Vec<&T> = got[from..].iter().take(8).collect();
    Some(format!(
        "an element of {from}..{} differs (their hash does; `sweep.py --full` has them all): got {first:?} ..",
        got.len().min(from + part)
    ))
}

/// Signs of zeros and NaN's payloads do not count.
fn hashed<T: Element>(values: &[T]) -> u32 {
    let bits = |x: T| match value(x) {
        Value::Float(0.0) => 0,
        Value::Float(float) if float.is_nan() => match T::DTYPE {
            DType::F16 => 0x7e00,
            DType::F32 => 0x7fc0_0000,
            _ => 0x7ff8 << 48,
        },
        _ => x.scalar().bits as u64,
    };
    let word = |(i, &x): (usize, &T)| mix(bits(x).wrapping_add((i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    values.iter().enumerate().map(word).fold(0u64, u64::wrapping_add) as u32
}
