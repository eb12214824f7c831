//! The order of keys as unsigned numbers: what a kernel's `digit` looks at, and the same on the host.
//!
//! Keys keep their bits. They are converted to an order-preserving integer only where a digit is extracted. So NaNs
//! keep their payload, and zeros their sign.

use crosslane_core::element::{Class, DType};

/// The 32-bit words that an element is carried in.
pub(super) fn words(dtype: DType) -> u32 {
    (dtype.size() as u32).div_ceil(4)
}

/// A key's bits as a number that is ordered as keys are.
pub fn number(bits: u64, dtype: DType, descending: bool) -> u64 {
    let width = dtype.size() * 8;
    let (all, sign) = (u64::MAX >> (64 - width), 1u64 << (width - 1));
    let (bits, is_nan) = match dtype.class() {
        Class::Signed => (bits ^ sign, false),
        Class::Float => {
            let zero = if bits == sign { 0 } else { bits };
            (if zero & sign == 0 { zero | sign } else { !zero & all }, (bits & !sign) > infinity(dtype))
        }
        _ => (bits, false),
    };
    match (is_nan, descending) {
        (true, _) => all,
        (_, true) => !bits & all,
        _ => bits,
    }
}

/// The bits of infinity.
pub fn infinity(dtype: DType) -> u64 {
    match dtype {
        DType::BF16 => 0x7f80,
        DType::F16 => 0x7c00,
        DType::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

/// The bits of a key whose number is all ones: it comes last, by whatever digit.
pub(super) fn last(dtype: DType, descending: bool) -> u64 {
    let all = u64::MAX >> (64 - dtype.size() * 8);
    match dtype.class() {
        Class::Float => all >> 1, // a NaN
        Class::Signed => (all >> 1) ^ if descending { all } else { 0 },
        _ => {
            if descending {
                0
            } else {
                all
            }
        }
    }
}

/// `digit(key, shift, mask)` in WGSL, with `Key`, and the key `LAST` that no other comes after.
pub(super) fn digit_text(dtype: DType, descending: bool) -> String {
    let flip = if descending { "~" } else { "" };
    let last = last(dtype, descending);
    if words(dtype) == 2 {
        let (low, high) = (last as u32, last >> 32);
        return format!(
            "alias Key = vec2<u32>;\nconst LAST = vec2<u32>({low:#x}u, {high:#x}u);\nfn digit(key: Key, shift: u32, mask: u32) -> u32 {{\n{}    \
             let above = (n.y << 1u) << (31u - (shift & 31u));\n    \
             return select((n.x >> (shift & 31u)) | above, n.y >> (shift & 31u), shift >= 32u) & mask;\n}}\n",
            wide_number(dtype, flip)
        );
    }
    let body = narrow_number(dtype, flip);
    format!(
        "alias Key = u32;\nconst LAST = {last:#x}u;\nfn digit(key: Key, shift: u32, mask: u32) -> u32 {{\n{body}    return (n >> shift) & mask;\n}}\n"
    )
}

/// The lines that make `n` of a key of a word or less.
fn narrow_number(dtype: DType, flip: &str) -> String {
    let all = u32::MAX >> (32 - dtype.size() * 8);
    let sign = 1u32 << (dtype.size() * 8 - 1);
    match dtype.class() {
        Class::Signed => format!("    let n = {flip}(key ^ {sign:#x}u);\n"),
        Class::Float => format!(
            "    let magnitude = key & {:#x}u;\n    let bits = select(key, 0u, magnitude == 0u);\n    \
             let number = bits ^ select({sign:#x}u, {all:#x}u, (bits & {sign:#x}u) != 0u);\n    \
             let n = select({flip}number, {all:#x}u, magnitude > {:#x}u);\n",
            all ^ sign,
            infinity(dtype)
        ),
        _ => format!("    let n = {flip}key;\n"),
    }
}

/// `number(key)` in WGSL, with `Key`: [`number`], ascending.
pub(super) fn number_text(dtype: DType) -> String {
    number_in(dtype, false)
}

/// As [`number_text`], in either direction. Bits above a key's own may be anything.
pub(super) fn number_in(dtype: DType, descending: bool) -> String {
    let flip = if descending { "~" } else { "" };
    let (key, lines) = match words(dtype) {
        2 => ("vec2<u32>", wide_number(dtype, flip)),
        _ => ("u32", narrow_number(dtype, flip)),
    };
    format!("alias Key = {key};\nfn number(key: Key) -> Key {{\n{lines}    return n;\n}}\n")
}

/// The lines that make `n` of a key of two words.
fn wide_number(dtype: DType, flip: &str) -> String {
    match dtype.class() {
        Class::Signed => format!("    let n = {flip}(key ^ vec2<u32>(0u, 0x80000000u));\n"),
        Class::Float => format!(
            "    let magnitude = key.y & 0x7fffffffu;\n    \
             let is_nan = magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && key.x != 0u);\n    \
             let bits = select(key, vec2<u32>(0u), magnitude == 0u && key.x == 0u);\n    \
             let negative = (bits.y >> 31u) != 0u;\n    \
             let number = bits ^ select(vec2<u32>(0u, 0x80000000u), vec2<u32>(0xffffffffu), negative);\n    \
             let n = select({flip}number, vec2<u32>(0xffffffffu), is_nan);\n"
        ),
        _ => format!("    let n = {flip}key;\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::{last, number};
    use crosslane_core::element::DType;

    #[test]
    fn floats_are_ordered_with_nan_last_both_ways() {
        let ascending = [f32::NEG_INFINITY, -2.5, -1e-45, 0.0, 1e-45, 1.0, f32::MAX, f32::INFINITY];
        let numbers = |descending| ascending.map(|x| number(x.to_bits() as u64, DType::F32, descending));
        assert!(numbers(false).is_sorted() && numbers(true).iter().rev().is_sorted());
        for descending in [false, true] {
            let of = |bits: u32| number(bits as u64, DType::F32, descending);
            assert_eq!(of(0x8000_0000), of(0), "one zero");
            assert!([0x7f80_0001, 0xffc0_0000, 0x7fff_ffff].iter().all(|&nan| of(nan) == 0xffff_ffff), "NaN last");
            assert!(numbers(descending).iter().all(|&n| n < 0xffff_ffff));
        }
    }

    #[test]
    fn the_last_key_is_all_ones() {
        for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
            for descending in [false, true] {
                let number = number(last(dtype, descending), dtype, descending);
                assert_eq!(number.count_ones() as usize, 8 * dtype.size(), "{dtype}, descending {descending}");
            }
        }
    }

    #[test]
    fn integers_are_ordered() {
        let bits = [i64::MIN, -1, 0, 7, i64::MAX].map(|x| number(x as u64, DType::I64, false));
        assert!(bits.is_sorted());
        assert_eq!(number(3, DType::U8, true), 252);
    }
}
