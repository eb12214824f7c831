//! What one instruction does to each lane: tables of scalar functions, run as loops that the compiler vectorises.
//!
//! A register holds one 32-bit word for each invocation of a workgroup. A 64-bit value takes two registers, low word
//! first; a 16-bit value lies in the low half; a bool is 0 or all ones. Arithmetic follows the WGSL specification:
//! integers wrap, division by zero gives the dividend and remainder by zero 0, shifts take the amount modulo the
//! width, conversions saturate.

use super::scalar::*;
use multiversion::multiversion;

/// Declares operations of one signature: `run` takes the registers of the result, then those of the operands.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident $run:ident [$to:literal <- $from:literal] $how:ident $arguments:tt
     { $($op:ident => $body:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum $name { $($op),* }

        /// The same loops for processors with and without these instructions.
        #[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt+f16c"))]
        pub(super) fn $run(op: $name, to: [&mut [u32]; $to], from: [&[u32]; $from]) {
            match op {
                $($name::$op => $how!(to, from, $arguments, $body),)*
            }
        }
    };
}

/// Words to a word.
macro_rules! words {
    ($to:ident, $from:ident, ($($arg:ident),+), $body:expr) => {{
        let ([to], [$($arg),+]) = ($to, $from);
        let n = to.len();
        $(let $arg = &$arg[..n];)+
        for i in 0..n {
            $(let $arg = $arg[i];)+
            to[i] = $body;
        }
    }};
}

/// Longs, then words, to a long.
macro_rules! longs {
    ($to:ident, $from:ident, ($($low:ident $high:ident = $long:ident),*; $($word:ident),*), $body:expr) => {{
        let ([to, to_high], [$($low, $high,)* $($word),*]) = ($to, $from);
        let n = to.len();
        let to_high = &mut to_high[..n];
        $(let ($low, $high) = (&$low[..n], &$high[..n]);)*
        $(let $word = &$word[..n];)*
        for i in 0..n {
            $(let $long = join($low[i], $high[i]);)*
            $(let $word = $word[i];)*
            let result: u64 = $body;
            to[i] = result as u32;
            to_high[i] = (result >> 32) as u32;
        }
    }};
}

/// Longs to a word.
macro_rules! narrow {
    ($to:ident, $from:ident, ($($low:ident $high:ident = $long:ident),*), $body:expr) => {{
        let ([to], [$($low, $high),*]) = ($to, $from);
        let n = to.len();
        $(let ($low, $high) = (&$low[..n], &$high[..n]);)*
        for i in 0..n {
            $(let $long = join($low[i], $high[i]);)*
            to[i] = $body;
        }
    }};
}

table! {
    /// One word to one word.
    Un un [1 <- 1] words (a) {
        Copy => a,
        Not => !a,
        NegI32 => a.wrapping_neg(),
        NegF32 => a ^ 0x8000_0000,
        NegF16 => a ^ 0x8000,
        AbsI32 => (a as i32).wrapping_abs() as u32,
        AbsF32 => a & 0x7fff_ffff,
        AbsF16 => a & 0x7fff,
        SignI32 => (a as i32).signum() as u32,
        SignF32 => bits(sign(float(a))),
        CeilF32 => bits(float(a).ceil()),
        FloorF32 => bits(float(a).floor()),
        RoundF32 => bits(float(a).round_ties_even()),
        TruncF32 => bits(float(a).trunc()),
        SqrtF32 => bits(float(a).sqrt()),
        InverseSqrtF32 => bits((1.0 / (float(a) as f64).sqrt()) as f32),
        CosF32 => by_f64(a, libm::cos),
        CoshF32 => by_f64(a, libm::cosh),
        SinF32 => by_f64(a, libm::sin),
        SinhF32 => by_f64(a, libm::sinh),
        TanF32 => by_f64(a, libm::tan),
        TanhF32 => by_f64(a, libm::tanh),
        AcosF32 => by_f64(a, libm::acos),
        AsinF32 => by_f64(a, libm::asin),
        AtanF32 => by_f64(a, libm::atan),
        AsinhF32 => by_f64(a, libm::asinh),
        AcoshF32 => by_f64(a, libm::acosh),
        AtanhF32 => by_f64(a, libm::atanh),
        ExpF32 => by_f64(a, libm::exp),
        Exp2F32 => by_f64(a, libm::exp2),
        LogF32 => by_f64(a, libm::log),
        Log2F32 => by_f64(a, libm::log2),
        FrexpFractionF32 => bits(libm::frexpf(float(a)).0),
        FrexpExponentF32 => frexp_exponent(float(a)),
        IsNanF32 => mask(float(a).is_nan()),
        IsInfF32 => mask(float(a).is_infinite()),
        CountTrailingZeros => a.trailing_zeros(),
        CountLeadingZeros => a.leading_zeros(),
        CountOneBits => a.count_ones(),
        ReverseBits => a.reverse_bits(),
        FirstTrailingBit => first_trailing_bit(a),
        FirstLeadingBitU32 => first_leading_bit(a),
        FirstLeadingBitI32 => first_leading_bit(if (a as i32) < 0 { !a } else { a }),
        I32ToF32 => bits(a as i32 as f32),
        U32ToF32 => bits(a as f32),
        F32ToI32 => float(a).clamp(-2147483648.0, 2147483520.0) as i32 as u32,
        F32ToU32 => float(a).clamp(0.0, 4294967040.0) as u32,
        F32ToF16 => half_bits(float(a)),
        F16ToF32 => bits(half(a)),
        QuantizeF16 => bits(half(half_bits(float(a)))),
        WordToBool => mask(a != 0),
        F32ToBool => mask(float(a) != 0.0),
        BoolToF32 => a & 0x3f80_0000,
        Unpack0F16 => bits(half(a & 0xffff)),
        Unpack1F16 => bits(half(a >> 16)),
        Unpack0Snorm16 => bits((a as u16 as i16 as f32 / 32767.0).max(-1.0)),
        Unpack1Snorm16 => bits(((a >> 16) as u16 as i16 as f32 / 32767.0).max(-1.0)),
        Unpack0Unorm16 => bits(a as u16 as f32 / 65535.0),
        Unpack1Unorm16 => bits((a >> 16) as f32 / 65535.0),
        Snorm8ToF32 => bits((a as i32 as f32 / 127.0).max(-1.0)),
        Unorm8ToF32 => bits(a as f32 / 255.0),
        F32ToSnorm8 => ((0.5 + 127.0 * limit(float(a), -1.0, 1.0)).floor() as i32 as u32) & 0xff,
        F32ToUnorm8 => (0.5 + 255.0 * limit(float(a), 0.0, 1.0)).floor() as u32,
        F32ToSnorm16 => ((0.5 + 32767.0 * limit(float(a), -1.0, 1.0)).floor() as i32 as u32) & 0xffff,
        F32ToUnorm16 => (0.5 + 65535.0 * limit(float(a), 0.0, 1.0)).floor() as u32,
    }
}

table! {
    /// Two words to one word.
    Bin bin [1 <- 2] words (a, b) {
        AddI32 => a.wrapping_add(b),
        SubI32 => a.wrapping_sub(b),
        MulI32 => a.wrapping_mul(b),
        DivI32 => if b == 0 { a } else { (a as i32).wrapping_div(b as i32) as u32 },
        DivU32 => a.checked_div(b).unwrap_or(a),
        RemI32 => if b == 0 { 0 } else { (a as i32).wrapping_rem(b as i32) as u32 },
        RemU32 => if b == 0 { 0 } else { a % b },
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => a << (b & 31),
        ShrU32 => a >> (b & 31),
        ShrI32 => ((a as i32) >> (b & 31)) as u32,
        Eq => mask(a == b),
        Ne => mask(a != b),
        LtI32 => mask((a as i32) < b as i32),
        LeI32 => mask(a as i32 <= b as i32),
        LtU32 => mask(a < b),
        LeU32 => mask(a <= b),
        MinI32 => (a as i32).min(b as i32) as u32,
        MaxI32 => (a as i32).max(b as i32) as u32,
        MinU32 => a.min(b),
        MaxU32 => a.max(b),
        AddF32 => bits(float(a) + float(b)),
        SubF32 => bits(float(a) - float(b)),
        MulF32 => bits(float(a) * float(b)),
        DivF32 => bits(float(a) / float(b)),
        RemF32 => bits(float(a) % float(b)),
        EqF32 => mask(float(a) == float(b)),
        NeF32 => mask(float(a) != float(b)),
        LtF32 => mask(float(a) < float(b)),
        LeF32 => mask(float(a) <= float(b)),
        MinF32 => bits(least(float(a), float(b))),
        MaxF32 => bits(most(float(a), float(b))),
        PowF32 => bits(libm::pow(float(a) as f64, float(b) as f64) as f32),
        Atan2F32 => bits(libm::atan2(float(a) as f64, float(b) as f64) as f32),
        LdexpF32 => bits(libm::ldexpf(float(a), (b as i32).clamp(-400, 400))),
        Dot4I8 => dot4_i8(a, b),
        Dot4U8 => dot4_u8(a, b),
        UnpackI8 => ((a >> b) as u8 as i8) as i32 as u32,
        UnpackU8 => (a >> b) & 0xff,
    }
}

table! {
    /// Three words to one word.
    Tern tern [1 <- 3] words (a, b, c) {
        Select => (a & b) | (!a & c),
        FmaF32 => bits(float(a).mul_add(float(b), float(c))),
        MulAddF32 => bits(float(a) * float(b) + float(c)),
        MulAddI32 => a.wrapping_mul(b).wrapping_add(c),
        ClampI32 => (a as i32).max(b as i32).min(c as i32) as u32,
        ClampU32 => a.max(b).min(c),
        ExtractU32 => extract(a, b, c),
        ExtractI32 => extract_signed(a, b, c),
        InsertByte => a | (b << c),
    }
}

table! {
    /// Four words to one word.
    Quad quad [1 <- 4] words (a, b, c, d) {
        InsertBits => insert(a, b, c, d),
    }
}

table! {
    /// One long to one long.
    LongUn long_un [2 <- 2] longs (a0 a1 = a; ) {
        Neg => a.wrapping_neg(),
        AbsI64 => (a as i64).wrapping_abs() as u64,
        SignI64 => (a as i64).signum() as u64,
        NegF64 => a ^ (1 << 63),
        AbsF64 => a & !(1 << 63),
        SignF64 => bits64(sign(float64(a))),
        CeilF64 => bits64(float64(a).ceil()),
        FloorF64 => bits64(float64(a).floor()),
        RoundF64 => bits64(float64(a).round_ties_even()),
        TruncF64 => bits64(float64(a).trunc()),
        SqrtF64 => bits64(float64(a).sqrt()),
        InverseSqrtF64 => bits64(1.0 / float64(a).sqrt()),
        CosF64 => bits64(libm::cos(float64(a))),
        CoshF64 => bits64(libm::cosh(float64(a))),
        SinF64 => bits64(libm::sin(float64(a))),
        SinhF64 => bits64(libm::sinh(float64(a))),
        TanF64 => bits64(libm::tan(float64(a))),
        TanhF64 => bits64(libm::tanh(float64(a))),
        AcosF64 => bits64(libm::acos(float64(a))),
        AsinF64 => bits64(libm::asin(float64(a))),
        AtanF64 => bits64(libm::atan(float64(a))),
        AsinhF64 => bits64(libm::asinh(float64(a))),
        AcoshF64 => bits64(libm::acosh(float64(a))),
        AtanhF64 => bits64(libm::atanh(float64(a))),
        ExpF64 => bits64(libm::exp(float64(a))),
        Exp2F64 => bits64(libm::exp2(float64(a))),
        LogF64 => bits64(libm::log(float64(a))),
        Log2F64 => bits64(libm::log2(float64(a))),
        FrexpFractionF64 => bits64(libm::frexp(float64(a)).0),
        CountTrailingZeros => a.trailing_zeros() as u64,
        CountLeadingZeros => a.leading_zeros() as u64,
        CountOneBits => a.count_ones() as u64,
        ReverseBits => a.reverse_bits(),
        FirstTrailingBit => if a == 0 { u64::MAX } else { a.trailing_zeros() as u64 },
        FirstLeadingBitU64 => leading_bit64(a),
        FirstLeadingBitI64 => leading_bit64(if (a as i64) < 0 { !a } else { a }),
        F64ToI64 => float64(a).clamp(-9223372036854775808.0, 9223372036854774784.0) as i64 as u64,
        F64ToU64 => float64(a).clamp(0.0, 18446744073709549568.0) as u64,
        I64ToF64 => bits64(a as i64 as f64),
        U64ToF64 => bits64(a as f64),
    }
}

table! {
    /// Two longs to one long.
    LongBin long_bin [2 <- 4] longs (a0 a1 = a, b0 b1 = b; ) {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        DivI64 => if b == 0 { a } else { (a as i64).wrapping_div(b as i64) as u64 },
        DivU64 => a.checked_div(b).unwrap_or(a),
        RemI64 => if b == 0 { 0 } else { (a as i64).wrapping_rem(b as i64) as u64 },
        RemU64 => if b == 0 { 0 } else { a % b },
        MinI64 => (a as i64).min(b as i64) as u64,
        MaxI64 => (a as i64).max(b as i64) as u64,
        MinU64 => a.min(b),
        MaxU64 => a.max(b),
        AddF64 => bits64(float64(a) + float64(b)),
        SubF64 => bits64(float64(a) - float64(b)),
        MulF64 => bits64(float64(a) * float64(b)),
        DivF64 => bits64(float64(a) / float64(b)),
        RemF64 => bits64(float64(a) % float64(b)),
        MinF64 => bits64(least(float64(a), float64(b))),
        MaxF64 => bits64(most(float64(a), float64(b))),
        PowF64 => bits64(libm::pow(float64(a), float64(b))),
        Atan2F64 => bits64(libm::atan2(float64(a), float64(b))),
    }
}

table! {
    /// Three longs to one long.
    LongTern long_tern [2 <- 6] longs (a0 a1 = a, b0 b1 = b, c0 c1 = c; ) {
        FmaF64 => bits64(float64(a).mul_add(float64(b), float64(c))),
    }
}

table! {
    /// A long and a word to a long.
    LongShift long_shift [2 <- 3] longs (a0 a1 = a; b) {
        Shl => a << (b & 63),
        ShrU64 => a >> (b & 63),
        ShrI64 => ((a as i64) >> (b & 63)) as u64,
        LdexpF64 => bits64(libm::ldexp(float64(a), (b as i32).clamp(-3000, 3000))),
    }
}

table! {
    /// A word to a long.
    Widen widen [2 <- 1] longs (; a) {
        I32ToI64 => a as i32 as i64 as u64,
        U32ToU64 => a as u64,
        F32ToF64 => bits64(float(a) as f64),
        I32ToF64 => bits64(a as i32 as f64),
        U32ToF64 => bits64(a as f64),
        F32ToI64 => float(a).clamp(-9223372036854775808.0, 9223371487098961920.0) as i64 as u64,
        F32ToU64 => float(a).clamp(0.0, 18446742974197923840.0) as u64,
        BoolToF64 => bits64((a & 1) as f64),
    }
}

table! {
    /// A long to a word.
    Narrow narrow [1 <- 2] narrow (a0 a1 = a) {
        Low => a as u32,
        F64ToF32 => bits(float64(a) as f32),
        F64ToF16 => half::f16::from_f64(float64(a)).to_bits() as u32,
        F64ToI32 => float64(a).clamp(-2147483648.0, 2147483647.0) as i32 as u32,
        F64ToU32 => float64(a).clamp(0.0, 4294967295.0) as u32,
        I64ToF32 => bits(a as i64 as f32),
        U64ToF32 => bits(a as f32),
        IsNanF64 => mask(float64(a).is_nan()),
        IsInfF64 => mask(float64(a).is_infinite()),
        NotZero => mask(a != 0),
        NotZeroF64 => mask(float64(a) != 0.0),
        FrexpExponentF64 => frexp_exponent64(float64(a)),
    }
}

table! {
    /// Two longs to a bool.
    LongCompare long_compare [1 <- 4] narrow (a0 a1 = a, b0 b1 = b) {
        Eq => mask(a == b),
        Ne => mask(a != b),
        LtI64 => mask((a as i64) < b as i64),
        LeI64 => mask(a as i64 <= b as i64),
        LtU64 => mask(a < b),
        LeU64 => mask(a <= b),
        EqF64 => mask(float64(a) == float64(b)),
        NeF64 => mask(float64(a) != float64(b)),
        LtF64 => mask(float64(a) < float64(b)),
        LeF64 => mask(float64(a) <= float64(b)),
    }
}
