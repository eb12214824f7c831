//! Scalar functions on the bits of a lane.

use half::f16;

#[inline(always)]
pub(super) fn float(a: u32) -> f32 {
    f32::from_bits(a)
}

#[inline(always)]
pub(super) fn bits(a: f32) -> u32 {
    a.to_bits()
}

#[inline(always)]
pub(super) fn float64(a: u64) -> f64 {
    f64::from_bits(a)
}

#[inline(always)]
pub(super) fn bits64(a: f64) -> u64 {
    a.to_bits()
}

#[inline(always)]
pub(super) fn half(a: u32) -> f32 {
    f16::from_bits(a as u16).to_f32()
}

#[inline(always)]
pub(super) fn half_bits(a: f32) -> u32 {
    f16::from_f32(a).to_bits() as u32
}

#[inline(always)]
pub(super) fn join(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// A bool as lanes hold it.
#[inline(always)]
pub(super) fn mask(truth: bool) -> u32 {
    (truth as u32).wrapping_neg()
}

/// A function of f32 computed in f64: right to the last place but for double rounding.
#[inline(always)]
pub(super) fn by_f64(a: u32, f: impl Fn(f64) -> f64) -> u32 {
    bits(f(float(a) as f64) as f32)
}

/// The smaller; the other if one is NaN. Of two equal ones the second: zeros have signs.
#[inline(always)]
pub(super) fn least<T: PartialOrd>(a: T, b: T) -> T {
    let nan = b.partial_cmp(&b).is_none();
    if a < b || nan { a } else { b }
}

/// The larger, as [`least`].
#[inline(always)]
pub(super) fn most<T: PartialOrd>(a: T, b: T) -> T {
    let nan = b.partial_cmp(&b).is_none();
    if a > b || nan { a } else { b }
}

/// 1, -1, or a zero or NaN as it is.
#[inline(always)]
pub(super) fn sign<T: PartialOrd + From<i8>>(a: T) -> T {
    if a > T::from(0) {
        T::from(1)
    } else if a < T::from(0) {
        T::from(-1)
    } else {
        a
    }
}

/// min(max(a, low), high), which unlike `clamp` gives a bound for NaN.
#[inline(always)]
pub(super) fn limit(a: f32, low: f32, high: f32) -> f32 {
    a.max(low).min(high)
}

pub(super) fn frexp_exponent(a: f32) -> u32 {
    if a == 0.0 || !a.is_finite() { 0 } else { libm::frexpf(a).1 as u32 }
}

pub(super) fn frexp_exponent64(a: f64) -> u32 {
    if a == 0.0 || !a.is_finite() { 0 } else { libm::frexp(a).1 as u32 }
}

#[inline(always)]
pub(super) fn first_trailing_bit(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { a.trailing_zeros() }
}

#[inline(always)]
pub(super) fn first_leading_bit(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { 31 - a.leading_zeros() }
}

#[inline(always)]
pub(super) fn leading_bit64(a: u64) -> u64 {
    if a == 0 { u64::MAX } else { 63 - a.leading_zeros() as u64 }
}

#[inline(always)]
pub(super) fn dot4_i8(a: u32, b: u32) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.map(|(a, b)| a as i8 as i32 * b as i8 as i32).sum::<i32>() as u32
}

#[inline(always)]
pub(super) fn dot4_u8(a: u32, b: u32) -> u32 {
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| a as u32 * b as u32).sum()
}

/// `count` low bits set.
#[inline(always)]
fn low_bits(count: u32) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

#[inline(always)]
pub(super) fn extract(a: u32, offset: u32, count: u32) -> u32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    if c == 0 { 0 } else { (a >> o) & low_bits(c) }
}

#[inline(always)]
pub(super) fn extract_signed(a: u32, offset: u32, count: u32) -> u32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    if c == 0 { 0 } else { ((a << (32 - o - c)) as i32 >> (32 - c)) as u32 }
}

#[inline(always)]
pub(super) fn insert(a: u32, new: u32, offset: u32, count: u32) -> u32 {
    let o = offset.min(32);
    let c = count.min(32 - o);
    if c == 0 {
        return a;
    }
    let field = low_bits(c) << o;
    (a & !field) | ((new << o) & field)
}
