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
        (self == Function::NextAfter).then_some("m_nextafter_half({a}, {b})")
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

    /// There are few shared functions for f64. llvmpipe (Mesa 22.3.6) gives trunc(34159665.137) = 34159665.137 and
    /// round(3.5) = 3, where its floor and ceil are right.
    fn double(self) -> Option<&'static str> {
        Some(match self {
            Function::Divide => "({a} / {b})",
            Function::Remainder => "m_wide_fmod({a}, {b})",
            Function::Modulo => "m_wide_rem({a}, {b})",
            Function::FloorDivide => "m_wide_floor_divide({a}, {b})",
            Function::Sign => "select(select({a}, {T}(-1), {a} < {T}(0)), {T}(1), {a} > {T}(0))",
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
            Function::ReverseBits => {
                "bitcast<{T}>(({L}(reverseBits({U}({a}))) << {U}(32)) | {L}(reverseBits({U}({a} >> {U}(32)))))"
            }
            _ => return None,
        })
    }

    fn long_unsigned(self) -> Option<&'static str> {
        Some(match self {
            Function::Sign => "min({a}, {T}(1))",
            Function::ReverseBits => {
                "((({T}(reverseBits({U}({a})))) << {U}(32)) | {T}(reverseBits({U}({a} >> {U}(32)))))"
            }
            _ => return None,
        })
    }
}
