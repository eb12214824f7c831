//! The elementwise functions: one row a function, with its WGSL for each class of types and its meaning in f64.

mod complex;
mod own;
mod special;

use super::host::Value;
use crate::element::{Class, DType, half_of};

/// What a function's result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// The type of its (last) argument.
    Same,
    /// A mask.
    Mask,
    /// u32, whatever the argument.
    Count,
    /// i32, whatever the argument.
    Exponent,
}

/// A row of the table.
struct Row {
    name: &'static str,
    arity: usize,
    gives: Gives,
    /// WGSL with `{a}` `{b}` `{c}` for the arguments, `{T}` for their type, `{U}` for u32, `{F}` for f32 and `{L}` for u64, each as
    /// wide as the arguments. Empty where the function does not exist for the class.
    float: &'static str,
    signed: &'static str,
    unsigned: &'static str,
    mask: &'static str,
    /// Whether the same text serves 64-bit types: false for what WGSL and the shared functions have in 32 bits only.
    wide: bool,
    float_meaning: fn(f64, f64, f64) -> f64,
}

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal $gives:ident $wide:literal
       [$float:literal $signed:literal $unsigned:literal $mask:literal] $meaning:expr;)*) => {
        /// An elementwise function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Function {
            $(#[doc = concat!("`", $name, "`")] $variant),*
        }

        impl Function {
            /// Every function.
            pub const ALL: &[Function] = &[$(Function::$variant),*];

            fn row(self) -> &'static Row {
                static ROWS: &[Row] = &[$(Row {
                    name: $name,
                    arity: $arity,
                    gives: Gives::$gives,
                    float: $float,
                    signed: $signed,
                    unsigned: $unsigned,
                    mask: $mask,
                    wide: $wide,
                    float_meaning: $meaning,
                }),*];
                &ROWS[self as usize]
            }
        }
    };
}

const fn nothing(_: f64, _: f64, _: f64) -> f64 {
    f64::NAN
}

// Integer division follows WGSL: x / 0 = x, MIN / -1 = MIN, x % 0 = 0. The divisor is replaced by 1 in those cases,
// because library kernels are compiled without the driver's own guard. The signed remainder is computed from the
// quotient: GLSL's % is undefined for negative numbers.
#[rustfmt::skip]
functions! {
    Add "add" 2 Same true ["({a} + {b})" "({a} + {b})" "({a} + {b})" ""] |a, b, _| a + b;
    Subtract "subtract" 2 Same true ["({a} - {b})" "({a} - {b})" "({a} - {b})" ""] |a, b, _| a - b;
    Multiply "multiply" 2 Same true ["({a} * {b})" "({a} * {b})" "({a} * {b})" ""] |a, b, _| a * b;
    Divide "divide" 2 Same true ["m_divide({a}, {b})"
        "({a} / select({b}, {T}(1), ({b} == {T}(0)) | (({b} == {T}(-1)) & ({a} == -{a}))))"
        "({a} / select({b}, {T}(1), {b} == {T}(0)))" ""] |a, b, _| a / b;
    Remainder "remainder" 2 Same true ["m_fmod({a}, {b})"
        "({a} - ({a} / select({b}, {T}(1), ({b} == {T}(0)) | ({b} == {T}(-1)))) * select({b}, {T}(1), ({b} == {T}(0)) | ({b} == {T}(-1))))"
        "({a} % select({b}, {T}(1), {b} == {T}(0)))" ""] |a, b, _| a % b;
    // Of integers 0 by 0, as NumPy has it.
    Modulo "modulo" 2 Same false ["m_rem({a}, {b})" "m_i32_modulo({a}, {b})" "({a} % select({b}, {T}(1), {b} == {T}(0)))" ""] |a, b, _| { let r = a % b; if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else if r == 0.0 { r.copysign(b) } else { r } };
    FloorDivide "floor_divide" 2 Same false ["m_floor_divide({a}, {b})" "m_i32_floor_divide({a}, {b})" "select({a} / select({b}, {T}(1), {b} == {T}(0)), {T}(0), {b} == {T}(0))" ""] floor_divide;
    Negate "negate" 1 Same true ["(-{a})" "(-{a})" "({T}(0) - {a})" ""] |a, _, _| -a;
    Absolute "abs" 1 Same true ["abs({a})" "abs({a})" "{a}" ""] |a, _, _| a.abs();
    Sign "sign" 1 Same false ["m_sign({a})" "sign({a})" "min({a}, {T}(1))" ""] |a, _, _| if a == 0.0 { 0.0 } else if a.is_nan() { a } else { a.signum() };
    Square "square" 1 Same true ["({a} * {a})" "({a} * {a})" "({a} * {a})" ""] |a, _, _| a * a;
    Reciprocal "reciprocal" 1 Same true ["({T}(1) / {a})" "" "" ""] |a, _, _| 1.0 / a;
    Sqrt "sqrt" 1 Same true ["m_sqrt({a})" "" "" ""] |a, _, _| a.sqrt();
    ReciprocalSqrt "rsqrt" 1 Same false ["m_rsqrt({a})" "" "" ""] |a, _, _| 1.0 / a.sqrt();
    Cbrt "cbrt" 1 Same false ["m_cbrt({a})" "" "" ""] |a, _, _| a.cbrt();
    Hypot "hypot" 2 Same false ["m_hypot({a}, {b})" "" "" ""] |a, b, _| a.hypot(b);
    MultiplyAdd "multiply_add" 3 Same true ["fma({a}, {b}, {c})" "({a} * {b} + {c})" "({a} * {b} + {c})" ""] |a, b, c| a.mul_add(b, c);
    Lerp "lerp" 3 Same false ["m_lerp({a}, {b}, {c})" "" "" ""] |a, b, c| a + (b - a) * c;
    Pow "pow" 2 Same false ["m_pow({a}, {b})" "m_i32_pow({a}, {b})" "m_u32_pow({a}, {b})" ""] |a, b, _| a.powf(b);
    Gcd "gcd" 2 Same false ["" "m_i32_gcd({a}, {b})" "m_u32_gcd({a}, {b})" ""] nothing;
    Lcm "lcm" 2 Same false ["" "m_i32_lcm({a}, {b})" "m_u32_lcm({a}, {b})" ""] nothing;

    Equal "equal" 2 Mask true ["({a} == {b})" "({a} == {b})" "({a} == {b})" "({a} == {b})"] nothing;
    // Written as a negation: naga's != is ordered (false for NaN), while IEEE's is true for NaN.
    NotEqual "not_equal" 2 Mask true ["(!({a} == {b}))" "({a} != {b})" "({a} != {b})" "({a} != {b})"] nothing;
    Less "less" 2 Mask true ["({a} < {b})" "({a} < {b})" "({a} < {b})" ""] nothing;
    LessEqual "less_equal" 2 Mask true ["({a} <= {b})" "({a} <= {b})" "({a} <= {b})" ""] nothing;
    Greater "greater" 2 Mask true ["({a} > {b})" "({a} > {b})" "({a} > {b})" ""] nothing;
    GreaterEqual "greater_equal" 2 Mask true ["({a} >= {b})" "({a} >= {b})" "({a} >= {b})" ""] nothing;
    And "and" 2 Same true ["" "({a} & {b})" "({a} & {b})" "({a} & {b})"] nothing;
    Or "or" 2 Same true ["" "({a} | {b})" "({a} | {b})" "({a} | {b})"] nothing;
    Xor "xor" 2 Same true ["" "({a} ^ {b})" "({a} ^ {b})" "({a} != {b})"] nothing;
    Not "not" 1 Same true ["" "(~{a})" "(~{a})" "(!{a})"] nothing;
    ShiftLeft "shift_left" 2 Same false ["" "({a} << (bitcast<{U}>({b}) & {U}(31)))" "({a} << ({b} & {U}(31)))" ""] nothing;
    ShiftRight "shift_right" 2 Same false ["" "({a} >> (bitcast<{U}>({b}) & {U}(31)))" "({a} >> ({b} & {U}(31)))" ""] nothing;
    CountOnes "count_ones" 1 Count false ["" "bitcast<{U}>(countOneBits({a}))" "countOneBits({a})" ""] nothing;
    LeadingZeros "leading_zeros" 1 Count false ["" "bitcast<{U}>(countLeadingZeros({a}))" "countLeadingZeros({a})" ""] nothing;
    TrailingZeros "trailing_zeros" 1 Count false ["" "bitcast<{U}>(countTrailingZeros({a}))" "countTrailingZeros({a})" ""] nothing;
    ReverseBits "reverse_bits" 1 Same false ["" "reverseBits({a})" "reverseBits({a})" ""] nothing;

    Floor "floor" 1 Same true ["floor({a})" "{a}" "{a}" ""] |a, _, _| a.floor();
    Ceil "ceil" 1 Same true ["ceil({a})" "{a}" "{a}" ""] |a, _, _| a.ceil();
    Round "round" 1 Same true ["round({a})" "{a}" "{a}" ""] |a, _, _| a.round_ties_even();
    Trunc "trunc" 1 Same true ["trunc({a})" "{a}" "{a}" ""] |a, _, _| a.trunc();
    Fract "fract" 1 Same true ["({a} - trunc({a}))" "" "" ""] |a, _, _| a - a.trunc();

    // Of complex numbers, or giving them: complex.rs. The exponent of powi is its first argument.
    Complex "complex" 2 Same true ["" "" "" ""] nothing;
    Polar "polar" 2 Same true ["" "" "" ""] nothing;
    Real "real" 1 Same true ["" "" "" ""] nothing;
    Imag "imag" 1 Same true ["" "" "" ""] nothing;
    Conj "conj" 1 Same true ["" "" "" ""] nothing;
    Arg "arg" 1 Same true ["" "" "" ""] nothing;
    PowI "powi" 2 Same true ["" "" "" ""] nothing;

    Exp "exp" 1 Same false ["m_exp({a})" "" "" ""] |a, _, _| a.exp();
    Exp2 "exp2" 1 Same false ["m_exp2({a})" "" "" ""] |a, _, _| a.exp2();
    ExpM1 "exp_m1" 1 Same false ["m_expm1({a})" "" "" ""] |a, _, _| a.exp_m1();
    Ln "ln" 1 Same false ["m_log({a})" "" "" ""] |a, _, _| a.ln();
    Log2 "log2" 1 Same false ["m_log2({a})" "" "" ""] |a, _, _| a.log2();
    Log10 "log10" 1 Same false ["m_log10({a})" "" "" ""] |a, _, _| a.log10();
    Ln1P "ln_1p" 1 Same false ["m_log1p({a})" "" "" ""] |a, _, _| a.ln_1p();
    LogAddExp "log_add_exp" 2 Same false ["m_logaddexp({a}, {b})" "" "" ""] |a, b, _| if a == b { a + std::f64::consts::LN_2 } else { a.max(b) + (-(a - b).abs()).exp().ln_1p() };

    Sin "sin" 1 Same false ["m_sin({a})" "" "" ""] |a, _, _| a.sin();
    Cos "cos" 1 Same false ["m_cos({a})" "" "" ""] |a, _, _| a.cos();
    Tan "tan" 1 Same false ["m_tan({a})" "" "" ""] |a, _, _| a.tan();
    Asin "asin" 1 Same false ["m_asin({a})" "" "" ""] |a, _, _| a.asin();
    Acos "acos" 1 Same false ["m_acos({a})" "" "" ""] |a, _, _| a.acos();
    Atan "atan" 1 Same false ["m_atan({a})" "" "" ""] |a, _, _| a.atan();
    Atan2 "atan2" 2 Same false ["m_atan2({a}, {b})" "" "" ""] |a, b, _| a.atan2(b);
    Sinc "sinc" 1 Same false ["m_sinc({a})" "" "" ""] |a, _, _| sinc(a);
    Degrees "to_degrees" 1 Same false ["m_rad2deg({a})" "" "" ""] |a, _, _| a.to_degrees();
    Radians "to_radians" 1 Same false ["m_deg2rad({a})" "" "" ""] |a, _, _| a.to_radians();
    Sinh "sinh" 1 Same false ["m_sinh({a})" "" "" ""] |a, _, _| a.sinh();
    Cosh "cosh" 1 Same false ["m_cosh({a})" "" "" ""] |a, _, _| a.cosh();
    Tanh "tanh" 1 Same false ["m_tanh({a})" "" "" ""] |a, _, _| a.tanh();
    Asinh "asinh" 1 Same false ["m_asinh({a})" "" "" ""] |a, _, _| libm::asinh(a);
    Acosh "acosh" 1 Same false ["m_acosh({a})" "" "" ""] |a, _, _| if a < 1.0 { f64::NAN } else { libm::acosh(a) };
    Atanh "atanh" 1 Same false ["m_atanh({a})" "" "" ""] |a, _, _| libm::atanh(a);

    Erf "erf" 1 Same false ["m_erf({a})" "" "" ""] |a, _, _| libm::erf(a);
    Erfc "erfc" 1 Same false ["m_erfc({a})" "" "" ""] |a, _, _| libm::erfc(a);
    Sigmoid "sigmoid" 1 Same false ["m_sigmoid({a})" "" "" ""] |a, _, _| 1.0 / (1.0 + (-a).exp());
    Gelu "gelu" 1 Same false ["m_gelu_erf({a})" "" "" ""] |a, _, _| if a == f64::NEG_INFINITY { -0.0 } else { 0.5 * a * libm::erfc(-a * std::f64::consts::FRAC_1_SQRT_2) };
    GeluTanh "gelu_tanh" 1 Same false ["m_gelu({a})" "" "" ""] |a, _, _| if a == f64::NEG_INFINITY { -0.0 } else { a / (1.0 + (-1.5957691216057308 * (a + 0.044715 * a * a * a)).exp()) };
    Softplus "softplus" 1 Same false ["m_softplus({a})" "" "" ""] |a, _, _| a.max(0.0) + (-a.abs()).exp().ln_1p();
    ErfInv "erfinv" 1 Same false ["m_erfinv({a})" "" "" ""] |a, _, _| special::erfinv(a);
    ErfcInv "erfcinv" 1 Same false ["m_erfcinv({a})" "" "" ""] |a, _, _| special::erfcinv(a);
    Gamma "gamma" 1 Same false ["m_gamma({a})" "" "" ""] |a, _, _| libm::tgamma(a);
    LGamma "lgamma" 1 Same false ["m_lgamma({a})" "" "" ""] |a, _, _| libm::lgamma(a);
    Digamma "digamma" 1 Same false ["m_digamma({a})" "" "" ""] |a, _, _| special::digamma(a);
    I0 "i0" 1 Same false ["m_i0({a})" "" "" ""] |a, _, _| special::modified_bessel(a, 0);
    I1 "i1" 1 Same false ["m_i1({a})" "" "" ""] |a, _, _| special::modified_bessel(a, 1);
    J0 "j0" 1 Same false ["m_j0({a})" "" "" ""] |a, _, _| libm::j0(a);
    J1 "j1" 1 Same false ["m_j1({a})" "" "" ""] |a, _, _| libm::j1(a);
    BetaInc "betainc" 3 Same false ["m_betainc({a}, {b}, {c})" "" "" ""] special::betainc;
    Relu "relu" 1 Same true ["m_relu({a})" "max({a}, {T}(0))" "{a}" ""] |a, _, _| if a < 0.0 { 0.0 } else { a };
    Heaviside "heaviside" 2 Same false ["m_heaviside({a}, {b})" "" "" ""] |a, b, _| if a.is_nan() { a } else if a == 0.0 { b } else { (a > 0.0) as u8 as f64 };

    Minimum "minimum" 2 Same true ["m_min({a}, {b})" "min({a}, {b})" "min({a}, {b})" ""] |a, b, _| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) };
    Maximum "maximum" 2 Same true ["m_max({a}, {b})" "max({a}, {b})" "max({a}, {b})" ""] |a, b, _| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
    FMin "fmin" 2 Same false ["m_fmin({a}, {b})" "" "" ""] |a, b, _| a.min(b);
    FMax "fmax" 2 Same false ["m_fmax({a}, {b})" "" "" ""] |a, b, _| a.max(b);
    CopySign "copysign" 2 Same false ["m_copysign({a}, {b})" "" "" ""] |a, b, _| a.copysign(b);
    NextAfter "nextafter" 2 Same false ["m_nextafter({a}, {b})" "" "" ""] |a, b, _| libm::nextafter(a, b);

    SignBit "signbit" 1 Mask false ["m_signbit({a})" "" "" ""] nothing;
    Mantissa "frexp" 1 Same false ["m_mantissa({a})" "" "" ""] |a, _, _| special::frexp(a).0;
    Exponent "frexp_exponent" 1 Exponent false ["m_exponent({a})" "" "" ""] nothing;
    // The exponent is its first argument.
    LdExp "ldexp" 2 Same false ["m_scaled({b}, {a})" "" "" ""] nothing;
    IsNan "is_nan" 1 Mask false ["m_is_nan({a})" "" "" ""] nothing;
    IsInfinite "is_infinite" 1 Mask false ["m_is_inf({a})" "" "" ""] nothing;
    IsFinite "is_finite" 1 Mask false ["m_is_finite({a})" "" "" ""] nothing;
    Select "select" 3 Same true ["select({c}, {b}, {a})" "select({c}, {b}, {a})" "select({c}, {b}, {a})" "select({c}, {b}, {a})"] nothing;
}

/// NumPy's definition, through the remainder, so that an infinite dividend gives NaN. `a - rest` is a multiple of `b`: divided
/// with what its rounding and the division's leave, the quotient is exact below 2^53.
fn floor_divide(a: f64, b: f64, _: f64) -> f64 {
    let rest = a % b;
    let less = rest != 0.0 && (rest < 0.0) != (b < 0.0);
    let whole = a - rest;
    let quotient = whole / b;
    let left = quotient.mul_add(-b, whole) + ((a - whole) - rest);
    let exact = if quotient.is_finite() && b.is_finite() { quotient + left / b } else { quotient };
    if b == 0.0 { a / b } else { (exact.round() - less as u8 as f64).abs().copysign(a) * b.signum() }
}

/// The sine of the exact distance to the nearest whole number: pi * a in f64 is off by too much for large `a`.
fn sinc(a: f64) -> f64 {
    let nearest = a.round_ties_even();
    let sine = (std::f64::consts::PI * (a - nearest)).sin();
    let sine = if nearest % 2.0 == 0.0 { sine } else { -sine };
    if a == 0.0 { 1.0 } else { sine / (std::f64::consts::PI * a) }
}

/// The next value of a type.
fn next(dtype: DType, from: f64, to: f64) -> Value {
    Value::Float(match dtype {
        // A step of the smallest half, or the last bit of a half as a bit of an f32.
        DType::F16 => match from.abs() {
            _ if from.is_nan() || to.is_nan() => f64::NAN,
            _ if from == to => to,
            size => {
                let (size, out) = (half_of(size).to_bits(), (to > from) == (from > 0.0));
                let sign = if from == 0.0 { to } else { from };
                let bits = if size == 0 || out { size + 1 } else { size - 1 };
                half::f16::from_bits(bits).to_f64().copysign(sign)
            }
        },
        DType::F32 => libm::nextafterf(from as f32, to as f32) as f64,
        _ => libm::nextafter(from, to),
    })
}

impl Function {
    /// The name: that of the method of `crosslane::Array`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Number of arguments.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// The type of the result for arguments of type `dtype` (the last argument's).
    pub fn result(self, dtype: DType) -> DType {
        match self.row().gives {
            Gives::Same => self.complex_result(dtype).unwrap_or(dtype),
            Gives::Mask => DType::Bool,
            Gives::Count => DType::U32,
            Gives::Exponent => DType::I32,
        }
    }

    /// Whether there is a kernel for arguments of this type.
    pub fn exists(self, dtype: DType) -> bool {
        let any = matches!(self, Function::Select | Function::Equal | Function::NotEqual);
        let stored = dtype.is_stored() && !any;
        let fits = dtype.size() < 8 || dtype.is_complex() || self.row().wide || self.own(dtype).is_some();
        !stored && fits && !self.template(dtype).is_empty()
    }

    /// Whether the function costs more than a few instructions, and so should not be computed again for repeated
    /// elements.
    #[doc(hidden)]
    pub fn costly(self) -> bool {
        use Function::*;
        let ordered =
            [Relu, Sign, Minimum, Maximum, FMin, FMax, CopySign, IsNan, IsInfinite, IsFinite, Heaviside, SignBit];
        let row = self.row();
        let called = row.float.starts_with("m_") || row.signed.starts_with("m_");
        called && !ordered.contains(&self) && !matches!(self, Divide | Sqrt | Lerp)
            || matches!(self, Polar | Arg | PowI)
    }

    fn template(self, dtype: DType) -> &'static str {
        if let Some(text) = self.complex_text(dtype).or_else(|| self.own(dtype)) {
            return text;
        }
        match dtype.class() {
            Class::Complex => unreachable!("complex_text() has all texts of complex numbers"),
            Class::Float => self.row().float,
            Class::Signed => self.row().signed,
            Class::Unsigned => self.row().unsigned,
            Class::Bool => self.row().mask,
        }
    }

    /// Whether the WGSL for this type is one of the shared functions, which are in f32.
    fn shared(self, dtype: DType) -> bool {
        matches!(dtype, DType::F16 | DType::F32) && self.template(dtype).starts_with("m_")
    }

    /// Whether the result is computed in f32 and rounded to this type.
    #[doc(hidden)]
    pub fn through_f32(self, dtype: DType) -> bool {
        dtype == DType::F16 && self.shared(dtype) && self.row().gives == Gives::Same
    }

    /// The WGSL expression over arguments of this type and width.
    #[doc(hidden)]
    pub fn wgsl(self, dtype: DType, width: u32, args: [&str; 3]) -> String {
        debug_assert!(width == 1 || self.complex_text(dtype).is_none(), "complex numbers are computed one at a time");
        let wide = |t: &str| if width == 1 { t.to_string() } else { format!("vec4<{t}>") };
        let half = dtype == DType::F16 && self.shared(dtype);
        let argument =
            |nth: usize| if half { format!("{}({})", wide("f32"), args[nth]) } else { args[nth].to_string() };
        let text = expand(self.template(dtype), &|name| match name {
            "a" => argument(0),
            "b" => argument(1),
            "c" => argument(2),
            "T" => wide(if half { "f32" } else { dtype.wgsl() }),
            "U" => wide("u32"),
            "F" => wide("f32"),
            "L" => wide("u64"),
            _ => unreachable!("a row names a, b, c, T, U, F, L"),
        });
        if self.through_f32(dtype) { format!("{}({text})", wide("f16")) } else { text }
    }

    /// The result by definition. Floats in double precision, integers exactly and then wrapped to the type.
    pub fn meaning(self, dtype: DType, args: &[Value]) -> Value {
        let arg = |i: usize| args.get(i).copied().unwrap_or(Value::Int(0));
        if self == Function::Select {
            return if arg(0).truth() { arg(1) } else { arg(2) };
        }
        if let Some(value) = self.complex_meaning(dtype, args) {
            return value.cast(self.result(dtype));
        }
        let value = match dtype.class() {
            Class::Float if self == Function::LdExp => Value::Float(special::ldexp(arg(1).float(), arg(0).int())),
            Class::Float if self == Function::NextAfter => next(dtype, arg(0).float(), arg(1).float()),
            Class::Float => self.float_meaning(arg(0).float(), arg(1).float(), arg(2).float()),
            Class::Bool => self.mask_meaning(arg(0).truth(), arg(1).truth()),
            _ => self.integer_meaning(dtype, arg(0).int(), arg(1).int(), arg(2).int()),
        };
        value.cast(self.result(dtype))
    }

    fn float_meaning(self, a: f64, b: f64, c: f64) -> Value {
        match self {
            Function::Equal => Value::Bool(a == b),
            Function::NotEqual => Value::Bool(a != b),
            Function::Less => Value::Bool(a < b),
            Function::LessEqual => Value::Bool(a <= b),
            Function::Greater => Value::Bool(a > b),
            Function::GreaterEqual => Value::Bool(a >= b),
            Function::SignBit => Value::Bool(a.is_sign_negative()),
            Function::Exponent => Value::Int(special::frexp(a).1),
            Function::IsNan => Value::Bool(a.is_nan()),
            Function::IsInfinite => Value::Bool(a.is_infinite()),
            Function::IsFinite => Value::Bool(a.is_finite()),
            _ => Value::Float((self.row().float_meaning)(a, b, c)),
        }
    }

    fn mask_meaning(self, a: bool, b: bool) -> Value {
        Value::Bool(match self {
            Function::And => a & b,
            Function::Or => a | b,
            Function::Xor | Function::NotEqual => a ^ b,
            Function::Not => !a,
            Function::Equal => a == b,
            _ => unreachable!("exists() refuses {} for masks", self.name()),
        })
    }

    fn integer_meaning(self, dtype: DType, a: i128, b: i128, c: i128) -> Value {
        let bits = dtype.size() as i128 * 8;
        let mask = (1i128 << bits) - 1;
        let pattern = (a & mask) as u64;
        let spare = 64 - bits as u32;
        Value::Int(match self {
            Function::Add => a + b,
            Function::Subtract => a - b,
            Function::Multiply => a.wrapping_mul(b),
            Function::Divide => {
                if b == 0 {
                    a
                } else {
                    a / b
                }
            }
            Function::Remainder => {
                if b == 0 {
                    0
                } else {
                    a % b
                }
            }
            Function::Modulo | Function::FloorDivide if b == 0 => 0,
            Function::Modulo => a - b * floored(a, b),
            Function::FloorDivide => floored(a, b),
            Function::Pow => power(a, b),
            Function::Gcd => divisor(a, b),
            Function::Lcm if a == 0 || b == 0 => 0,
            Function::Lcm => (a.abs() / divisor(a, b)).wrapping_mul(b.abs()),
            Function::Negate => -a,
            Function::Absolute => a.abs(),
            Function::Sign => a.signum(),
            Function::Square => a.wrapping_mul(a),
            Function::MultiplyAdd => a.wrapping_mul(b).wrapping_add(c),
            Function::And => a & b,
            Function::Or => a | b,
            Function::Xor => a ^ b,
            Function::Not => !a,
            Function::ShiftLeft => a << (b & (bits - 1)),
            Function::ShiftRight => a >> (b & (bits - 1)),
            Function::CountOnes => pattern.count_ones() as i128,
            Function::LeadingZeros => (pattern.leading_zeros() - spare) as i128,
            Function::TrailingZeros => (pattern.trailing_zeros() as i128).min(bits),
            Function::ReverseBits => (pattern.reverse_bits() >> spare) as i128,
            Function::Floor | Function::Ceil | Function::Round | Function::Trunc => a,
            Function::Relu => a.max(0),
            Function::Minimum => a.min(b),
            Function::Maximum => a.max(b),
            Function::Equal => return Value::Bool(a == b),
            Function::NotEqual => return Value::Bool(a != b),
            Function::Less => return Value::Bool(a < b),
            Function::LessEqual => return Value::Bool(a <= b),
            Function::Greater => return Value::Bool(a > b),
            Function::GreaterEqual => return Value::Bool(a >= b),
            _ => unreachable!("exists() refuses {} for integers", self.name()),
        })
    }
}

/// The quotient, rounded down.
fn floored(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - (b < 0 && a.rem_euclid(b) != 0) as i128
}

/// A power modulo 2^128; of a negative one its reciprocal, rounded towards 0, and 0 for 0.
fn power(a: i128, b: i128) -> i128 {
    match (a, b) {
        (1, _) => 1,
        (-1, _) => 1 - 2 * (b & 1),
        (_, ..0) => 0,
        _ => (0..128).rev().fold(1i128, |r, bit| {
            let square = r.wrapping_mul(r);
            if b >> bit & 1 == 1 { square.wrapping_mul(a) } else { square }
        }),
    }
}

/// The greatest common divisor of the sizes.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { divisor(b, a % b) }
}

/// A row's text with what its names in braces stand for.
fn expand(template: &str, meaning: &dyn Fn(&str) -> String) -> String {
    let mut pieces = template.split('{');
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').expect("a brace of a row is closed");
        text += &meaning(name);
        text += rest;
    }
    text
}
