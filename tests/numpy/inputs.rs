//! Inputs, drawn as `inputs.py` draws them.

use crate::any::{Any, Held};
use crate::case::{File, Step, dtype, parsed};
use crosslane::op::{Scalar, Value};
use crosslane::{Array, DType, Device, Element, f16};

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// splitmix64's output function.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

pub fn input(step: &Step, device: &Device, file: &File) -> Any {
    match dtype(step.text(0)) {
        DType::F16 => of::<f16>(step, device, file),
        DType::F32 => of::<f32>(step, device, file),
        DType::F64 => of::<f64>(step, device, file),
        DType::I32 => of::<i32>(step, device, file),
        DType::I64 => of::<i64>(step, device, file),
        DType::U8 => of::<u8>(step, device, file),
        DType::U16 => of::<u16>(step, device, file),
        DType::U32 => of::<u32>(step, device, file),
        DType::U64 => of::<u64>(step, device, file),
        DType::Bool => of::<bool>(step, device, file),
        other => panic!("no case has {other}"),
    }
}

fn of<T: Held>(step: &Step, device: &Device, file: &File) -> Any {
    let (shape, kind) = (step.sizes(1), step.text(2));
    let values: Vec<T> = match kind {
        "values" => step.text(3).split_whitespace().map(parsed).collect(),
        _ => {
            let table = file.tables.get(&format!("{} {kind}", T::DTYPE));
            let table: Vec<T> = table.map(|text| text.split(' ').map(parsed).collect()).unwrap_or_default();
            let (seed, count) = (step.size(3) as u64, shape.iter().product::<usize>() as u64);
            let hash = |i: u64| mix(seed.wrapping_add((i + 1).wrapping_mul(GOLDEN)));
            (0..count).map(|i| drawn(hash(i), kind, &table)).collect()
        }
    };
    T::any(Array::from_shape(device, &shape, &values))
}

/// An element of a kind from a hash.
fn drawn<T: Element>(h: u64, kind: &str, table: &[T]) -> T {
    let below_zero = crate::support::signed::<T>();
    let float = |x: f64| T::from_scalar(Value::Float(x).scalar(T::DTYPE));
    let small = || match T::DTYPE {
        DType::Bool => (h & 1) as i128,
        _ => (h % 11) as i128 - if below_zero { 5 } else { 0 },
    };
    let whole = match kind {
        "small" => small(),
        "ties" => (h % 3) as i128 - below_zero as i128,
        "divisors" => (h % 5 + 1) as i128 * if below_zero && h >> 32 & 1 == 1 { -1 } else { 1 },
        "sparse" if h.is_multiple_of(4) => (h >> 40) as i128 % 5,
        "sparse" => 0,
        "powers" if below_zero => return float([1.0, -1.0, 2.0, 0.5][(h % 4) as usize]),
        "powers" => [1, 3, 5, 7][(h % 4) as usize],
        "unit" | "signed" | "wide" => return float(fraction(h, kind, T::DTYPE)),
        "bits" => return T::from_scalar(Scalar { dtype: T::DTYPE, bits: bits(h, T::DTYPE) as u128 }),
        "special" | "tiny" | "rare" if (h >> 32).is_multiple_of(3) => return table[(h % table.len() as u64) as usize],
        "special" | "tiny" | "rare" => small(),
        other => panic!("no kind {other} of numbers"),
    };
    T::from_scalar(Value::Int(whole).scalar(T::DTYPE))
}

/// Bits of the significand, the hidden one left out, and of the exponent.
fn format(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F16 => (10, 5),
        DType::F32 => (23, 8),
        _ => (52, 11),
    }
}

/// From 0 or -1 to 1, and with `wide` of several magnitudes.
fn fraction(h: u64, kind: &str, dtype: DType) -> f64 {
    let bits = format(dtype).0 as i32 + 1;
    let raw = (h >> (64 - bits)) as f64;
    if kind == "unit" {
        return raw * 2f64.powi(-bits);
    }
    let signed = (raw - 2f64.powi(bits - 1)) * 2f64.powi(1 - bits);
    let power = if dtype == DType::F16 { (h & 7) as i32 - 4 } else { (h & 31) as i32 - 16 };
    if kind == "wide" { signed * 2f64.powi(power) } else { signed }
}

/// Any bits, but for those of subnormal numbers.
fn bits(h: u64, dtype: DType) -> u64 {
    if dtype == DType::Bool {
        return h & 1;
    }
    let size = 8 * dtype.size() as u32;
    let raw = h >> (64 - size);
    let is_float = matches!(dtype, DType::F16 | DType::F32 | DType::F64);
    let (low, high) = format(dtype);
    let none = is_float && raw >> low & ((1 << high) - 1) == 0;
    if none { raw & 1 << (size - 1) } else { raw }
}
