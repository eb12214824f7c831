//! Texts of functions for single types, where the text of the type's class does not apply.

use super::Function;
use crate::element::DType;

impl Function {
    pub(super) fn own(self, dtype: DType) -> Option<&'static str> {
        match dtype {
            DType::BF16 => self.bfloat(),
            DType::F16 => self.half(),
            DType::F32 => self.single(),
            DType::F64 => self.double(),
            DType::I64 => self.long().or_else(|| self.long_signed()),
            DType::U64 => self.long().or_else(|| self.long_unsigned()),
            _ => None,
        }
    }

    /// Of values that are words with the bits in their lower half: as of f32.
    fn bfloat(self) -> Option<&'static str> {
        Some(match self {
            Function::Equal => "m_equal(bitcast<{F}>({a} << {U}(16)), bitcast<{F}>({b} << {U}(16)))",
            Function::NotEqual => "(!m_equal(bitcast<{F}>({a} << {U}(16)), bitcast<{F}>({b} << {U}(16))))",
            _ => return None,
        })
    }

    fn half(self) -> Option<&'static str> {
        Some(match self {
            Function::NextAfter => "m_nextafter_half({a}, {b})",
            // Only the second argument is a half.
            Function::LdExp => "{T}(m_scaled({F}({b}), {a}))",
            _ => return None,
        })
    }

    /// Works on the bits: drivers may take denormal numbers for 0 in all arithmetic, comparisons and signs included.
    fn single(self) -> Option<&'static str> {
        Some(match self {
            Function::Negate => "m_negate({a})",
            Function::Absolute => "m_abs({a})",
            Function::Equal => "m_equal({a}, {b})",
            Function::NotEqual => "(!m_equal({a}, {b}))",
            Function::Less => "m_less({a}, {b})",
            Function::LessEqual => "m_less_equal({a}, {b})",
            Function::Greater => "m_less({b}, {a})",
            Function::GreaterEqual => "m_less_equal({b}, {a})",
            _ => return None,
        })
    }

    /// llvmpipe (Mesa 22.3.6) gives trunc(34159665.137) = 34159665.137 and
    /// round(3.5) = 3, where its floor and ceil are right.
    fn double(self) -> Option<&'static str> {
        if let Some(text) = self.double_shared() {
            return Some(text);
        }
        Some(match self {
            Function::Divide => "({a} / {b})",
            Function::Remainder => "m_wide_fmod({a}, {b})",
            Function::Modulo => "m_wide_rem({a}, {b})",
            Function::FloorDivide => "m_wide_floor_divide({a}, {b})",
            Function::Sign => {
                "select(select(select({a}, {T}(0), {a} == {T}(0)), {T}(-1), {a} < {T}(0)), {T}(1), {a} > {T}(0))"
            }
            Function::Sqrt => "sqrt({a})",
            Function::ReciprocalSqrt => "({T}(1) / sqrt({a}))",
            Function::Hypot => "m_wide_hypot({a}, {b})",
            Function::Lerp => "m_wide_lerp({a}, {b}, {c})",
            Function::Degrees => "({a} * {T}(57.29577951308232))",
            Function::Radians => "({a} * {T}(0.017453292519943295))",
            Function::Relu => "select({a}, {T}(0), {a} < {T}(0))",
            Function::Heaviside => "m_wide_heaviside({a}, {b})",
            Function::Minimum => "select({b}, {a}, ({a} < {b}) | m_wide_is_nan({a}))",
            Function::Maximum => "select({b}, {a}, ({a} > {b}) | m_wide_is_nan({a}))",
            Function::FMin => "select({b}, {a}, ({a} < {b}) | m_wide_is_nan({b}))",
            Function::FMax => "select({b}, {a}, ({a} > {b}) | m_wide_is_nan({b}))",
            Function::CopySign => "m_wide_copysign({a}, {b})",
            Function::NextAfter => "m_wide_nextafter({a}, {b})",
            Function::SignBit => "m_wide_signbit({a})",
            Function::Mantissa => "m_wide_mantissa({a})",
            Function::Exponent => "m_wide_exponent_of({a})",
            Function::LdExp => "m_wide_scaled({b}, {a})",
            Function::IsNan => "m_wide_is_nan({a})",
            Function::IsInfinite => "m_wide_is_inf({a})",
            Function::IsFinite => "m_wide_is_finite({a})",
            Function::Trunc => "select(ceil({a}), floor({a}), {a} >= {T}(0))",
            Function::Fract => "({a} - select(ceil({a}), floor({a}), {a} >= {T}(0)))",
            // The nearer neighbour; of two equally near, the even one: twice the half of the upper, rounded down.
            Function::Round => {
                "select(select(floor({a}), ceil({a}), {a} - floor({a}) > {T}(0.5)), \
                 {T}(2) * floor(ceil({a}) * {T}(0.5)), {a} - floor({a}) == {T}(0.5))"
            }
            _ => return None,
        })
    }

    /// Exponentials, logarithms, angles, powers and what is made of them: `shaders/shared/math/doubles_*.wgsl`.
    fn double_shared(self) -> Option<&'static str> {
        Some(match self {
            Function::Cbrt => "m_wide_cbrt({a})",
            Function::Exp => "m_wide_exp({a})",
            Function::Exp2 => "m_wide_exp2({a})",
            Function::ExpM1 => "m_wide_expm1({a})",
            Function::Ln => "m_wide_log({a})",
            Function::Log2 => "m_wide_log2({a})",
            Function::Log10 => "m_wide_log10({a})",
            Function::Ln1P => "m_wide_log1p({a})",
            Function::Sin => "m_wide_sin({a})",
            Function::Cos => "m_wide_cos({a})",
            Function::Tan => "m_wide_tan({a})",
            Function::Asin => "m_wide_asin({a})",
            Function::Acos => "m_wide_acos({a})",
            Function::Atan => "m_wide_atan({a})",
            Function::Sinc => "m_wide_sinc({a})",
            Function::Sinh => "m_wide_sinh({a})",
            Function::Cosh => "m_wide_cosh({a})",
            Function::Tanh => "m_wide_tanh({a})",
            Function::Asinh => "m_wide_asinh({a})",
            Function::Acosh => "m_wide_acosh({a})",
            Function::Atanh => "m_wide_atanh({a})",
            Function::Erf => "m_wide_erf({a})",
            Function::Erfc => "m_wide_erfc({a})",
            Function::ErfInv => "m_wide_erfinv({a})",
            Function::ErfcInv => "m_wide_erfcinv({a})",
            Function::Gamma => "m_wide_gamma({a})",
            Function::LGamma => "m_wide_lgamma({a})",
            Function::Digamma => "m_wide_digamma({a})",
            Function::I0 => "m_wide_i0({a})",
            Function::I1 => "m_wide_i1({a})",
            Function::J0 => "m_wide_j0({a})",
            Function::J1 => "m_wide_j1({a})",
            Function::BetaInc => "m_wide_betainc({a}, {b}, {c})",
            Function::Sigmoid => "m_wide_sigmoid({a})",
            Function::Gelu => "m_wide_gelu_erf({a})",
            Function::GeluTanh => "m_wide_gelu({a})",
            Function::Softplus => "m_wide_softplus({a})",
            Function::Pow => "m_wide_pow({a}, {b})",
            Function::LogAddExp => "m_wide_logaddexp({a}, {b})",
            Function::Atan2 => "m_wide_atan2({a}, {b})",
            _ => return None,
        })
    }

    /// Functions of 64-bit integers: bits are counted in words, since SPIR-V counts in nothing else.
    fn long(self) -> Option<&'static str> {
        Some(match self {
            Function::ShiftLeft => "({a} << ({U}({b}) & {U}(63)))",
            Function::ShiftRight => "({a} >> ({U}({b}) & {U}(63)))",
            Function::CountOnes => "(countOneBits({U}({a})) + countOneBits({U}({a} >> {U}(32))))",
            Function::LeadingZeros => {
                "select(countLeadingZeros({U}({a} >> {U}(32))), {U}(32) + countLeadingZeros({U}({a})), \
                 {U}({a} >> {U}(32)) == {U}(0))"
            }
            Function::TrailingZeros => {
                "select(countTrailingZeros({U}({a})), {U}(32) + countTrailingZeros({U}({a} >> {U}(32))), \
                 {U}({a}) == {U}(0))"
            }
            _ => return None,
        })
    }

    fn long_signed(self) -> Option<&'static str> {
        Some(match self {
            Function::Sign => "select(select({T}(0), {T}(1), {a} > {T}(0)), {T}(-1), {a} < {T}(0))",
            Function::Modulo => "m_i64_modulo({a}, {b})",
            Function::FloorDivide => "m_i64_floor_divide({a}, {b})",
            Function::Pow => "m_i64_pow({a}, {b})",
            Function::Gcd => "m_i64_gcd({a}, {b})",
            Function::Lcm => "m_i64_lcm({a}, {b})",
            Function::ReverseBits => {
                "bitcast<{T}>(({L}(reverseBits({U}({a}))) << {U}(32)) | {L}(reverseBits({U}({a} >> {U}(32)))))"
            }
            _ => return None,
        })
    }

    fn long_unsigned(self) -> Option<&'static str> {
        Some(match self {
            Function::Sign => "min({a}, {T}(1))",
            Function::Modulo => "({a} % select({b}, {T}(1), {b} == {T}(0)))",
            Function::FloorDivide => "select({a} / select({b}, {T}(1), {b} == {T}(0)), {T}(0), {b} == {T}(0))",
            Function::Pow => "m_u64_pow({a}, {b})",
            Function::Gcd => "m_u64_gcd({a}, {b})",
            Function::Lcm => "m_u64_lcm({a}, {b})",
            Function::ReverseBits => {
                "((({T}(reverseBits({U}({a})))) << {U}(32)) | {T}(reverseBits({U}({a} >> {U}(32)))))"
            }
            _ => return None,
        })
    }
}
