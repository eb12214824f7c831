//! The text of conversions between element types.

use super::wgsl::wide;
use crosslane_core::element::{Class, DType};

/// A conversion as Rust's `as`: NaN becomes 0, floats saturate, integers wrap.
pub fn cast(v: &str, from: DType, to: DType, width: u32) -> String {
    if from.is_complex() || to.is_complex() {
        return complex(v, from, to, width);
    }
    match to {
        DType::BF16 => return bfloat(v, from, width),
        DType::I8 | DType::I16 => return short(v, from, to, width),
        _ => {}
    }
    if from.is_stored() {
        return plain(&decoded(v, from, width), from.compute(), to, width);
    }
    plain(v, from, to, width)
}

/// Between types that kernels compute with, and to those of unsigned words.
fn plain(v: &str, from: DType, to: DType, width: u32) -> String {
    let target = wide(to.wgsl(), width);
    let source = wide(from.wgsl(), width);
    if to == DType::Bool {
        // As a negation, so that NaN is true: naga's != is false for it. For f32 by the bits: a driver may flush.
        if from == DType::F32 {
            return format!("(!m_is_zero({v}))");
        }
        return format!("(!({v} == {source}({})))", if from == DType::Bool { "false" } else { "0" });
    }
    let integer = matches!(to.class(), Class::Signed | Class::Unsigned);
    if from == DType::F16 && integer {
        // Through f32: a conversion straight from f16 is clamped to the largest half, so infinity would give 65504.
        return plain(&format!("{}({v})", wide("f32", width)), DType::F32, to, width);
    }
    if from.class() == Class::Float && integer {
        // Drivers may assume that v == v holds; for f32 there is a test of the bits.
        let clean = match from {
            DType::F32 => format!("select({v}, {source}(0), m_is_nan({v}))"),
            DType::F64 => format!("select({v}, {source}(0), m_wide_is_nan({v}))"),
            _ => format!("select({source}(0), {v}, {v} == {v})"),
        };
        return match to {
            DType::U8 => format!("{target}(clamp({clean}, {source}(0), {source}(255)))"),
            DType::U16 => format!("{target}(clamp({clean}, {source}(0), {source}(65535)))"),
            _ => {
                // naga clamps to the largest float below the type's end: what is past the end gets the end itself.
                // At the low end, which is a float, GLSL's conversion would be undefined.
                let (limit, most, least) = match to {
                    DType::I32 => ("2147483648.0", "2147483647", "-2147483648.0"),
                    DType::U32 => ("4294967296.0", "4294967295u", "0.0"),
                    DType::I64 => ("9223372036854775808.0", "9223372036854775807li", "-9223372036854775808.0"),
                    _ => ("18446744073709551616.0", "18446744073709551615lu", "0.0"),
                };
                let low = format!("max({clean}, {source}({least}))");
                format!("select({target}({low}), {target}({most}), {clean} >= {source}({limit}))")
            }
        };
    }
    match (from, to) {
        (DType::F32, DType::F64) => return format!("m_wide_of({v})"),
        (DType::F64, DType::F16) => return format!("{target}(m_wide_to_odd({v}))"),
        _ => {}
    }
    // naga extends by the target's signedness: widen in the source's first.
    match (from, to) {
        (DType::I32, DType::U64) => return format!("{target}({}({v}))", wide("i64", width)),
        (DType::U32, DType::I64) => return format!("{target}({}({v}))", wide("u64", width)),
        _ => {}
    }
    match to {
        DType::U8 => format!("({target}({v}) & {target}(0xff))"),
        DType::U16 => format!("({target}({v}) & {target}(0xffff))"),
        _ => format!("{target}({v})"),
    }
}

/// The value, in the type that computes with it, of a word that holds its bits.
fn decoded(v: &str, dtype: DType, width: u32) -> String {
    let words = wide("u32", width);
    let spare = 32 - 8 * dtype.size();
    match dtype.compute() {
        DType::F32 => format!("bitcast<{}>({v} << {words}({spare}u))", wide("f32", width)),
        DType::I32 => format!("((bitcast<{}>({v}) << {words}({spare}u)) >> {words}({spare}u))", wide("i32", width)),
        _ => v.into(),
    }
}

/// To signed integers that are kept as words: floats saturate.
fn short(v: &str, from: DType, to: DType, width: u32) -> String {
    let (words, mask) = (wide("u32", width), if to == DType::I8 { "0xffu" } else { "0xffffu" });
    let mut value = cast(v, from, DType::I32, width);
    if from.class() == Class::Float {
        let (ints, [low, high]) = (wide("i32", width), if to == DType::I8 { [-128, 127] } else { [-32768, 32767] });
        value = format!("clamp({value}, {ints}({low}), {ints}({high}))");
    }
    format!("(bitcast<{words}>({value}) & {words}({mask}))")
}

/// To bfloat16, rounded once: what f32 has no room for is left in its last bit.
fn bfloat(v: &str, from: DType, width: u32) -> String {
    let (words, ints) = (wide("u32", width), wide("i32", width));
    let halves =
        |unsigned: &str, high: &str| format!("{high}({v} >> {}(32u)), {words}({v})", unsigned.replace("64", "32"));
    let single = match (from, from.compute()) {
        (DType::Bool, _) => return format!("select({words}(0u), {words}(0x3f80u), {v})"),
        (DType::BF16, _) => return v.into(),
        (DType::F64, _) => format!("m_wide_to_odd({v})"),
        (DType::I64, _) => format!("m_odd_of_long({})", halves(&words, &ints)),
        (DType::U64, _) => format!("m_odd_of_long_unsigned({})", halves(&words, &words)),
        (_, DType::I32) => format!("m_odd_of_signed({})", decoded(v, from, width)),
        (_, DType::U32) => format!("m_odd_of_unsigned({v})"),
        _ => cast(v, from, DType::F32, width),
    };
    format!("m_bfloat_of({single})")
}

/// From and to complex numbers, one at a time: a real number has no imaginary part; of a complex number the real part becomes
/// real.
fn complex(v: &str, from: DType, to: DType, width: u32) -> String {
    let real = |part: &str| cast(part, from.real(), to.real(), width);
    match (from.is_complex(), to.is_complex()) {
        (true, true) => format!("{}({}, {})", to.wgsl(), real(&format!("{v}.x")), real(&format!("{v}.y"))),
        (false, _) => format!("{}({}, {}(0))", to.wgsl(), real(v), to.real().wgsl()),
        (true, false) if to == DType::Bool => format!("({} | {})", real(&format!("{v}.x")), real(&format!("{v}.y"))),
        (true, false) => real(&format!("{v}.x")),
    }
}
