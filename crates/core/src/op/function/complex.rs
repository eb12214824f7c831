//! Functions of complex numbers: the text and the meaning of each, and what makes complex numbers of real ones.
//!
//! A kernel computes them one at a time, as `vec2` of the real and the imaginary part.

use super::Function;
use crate::element::DType;
use crate::op::host::Value;
use num_complex::Complex64;

impl Function {
    /// The type of the result for arguments of type `dtype`, where complex numbers have one of their own.
    pub(super) fn complex_result(self, dtype: DType) -> Option<DType> {
        match self {
            Function::Complex | Function::Polar => dtype.complex(),
            Function::Real | Function::Imag | Function::Arg | Function::Absolute => Some(dtype.real()),
            _ => None,
        }
    }

    /// The text for complex arguments, and for real ones that give complex results; empty where the function does not exist.
    /// `None` for all that has nothing to do with complex numbers.
    pub(super) fn complex_text(self, dtype: DType) -> Option<&'static str> {
        match (self, dtype) {
            (Function::Complex, DType::F32 | DType::F64) => Some("vec2<{T}>({a}, {b})"),
            (Function::Polar, DType::F32) => Some("c_polar({a}, {b})"),
            (Function::Polar, DType::F64) => Some("c_wide_polar({a}, {b})"),
            (Function::Complex | Function::Polar, _) => Some(""),
            (_, DType::Complex32) => Some(self.complex_single()),
            (_, DType::Complex64) => Some(self.complex_double()),
            _ => None,
        }
    }

    /// What both have.
    fn complex_any(self) -> &'static str {
        match self {
            Function::Add => "({a} + {b})",
            Function::Subtract => "({a} - {b})",
            Function::Real => "{a}.x",
            Function::Imag => "{a}.y",
            Function::Select => "select({c}, {b}, {a})",
            _ => "",
        }
    }

    fn complex_single(self) -> &'static str {
        match self {
            Function::Multiply => "c_mul({a}, {b})",
            Function::Divide => "c_div({a}, {b})",
            Function::Negate => "vec2<f32>(m_negate({a}.x), m_negate({a}.y))",
            Function::Conj => "vec2<f32>({a}.x, m_negate({a}.y))",
            Function::Absolute => "m_hypot({a}.x, {a}.y)",
            Function::Arg => "m_atan2({a}.y, {a}.x)",
            Function::Square => "c_mul({a}, {a})",
            Function::Reciprocal => "c_div(vec2<f32>(1.0, 0.0), {a})",
            Function::MultiplyAdd => "(c_mul({a}, {b}) + {c})",
            Function::Sqrt => "c_sqrt({a})",
            Function::Exp => "c_exp({a})",
            Function::Ln => "c_ln({a})",
            Function::Pow => "c_pow({a}, {b})",
            Function::PowI => "c_powi({b}, {a})",
            Function::Equal => "c_equal({a}, {b})",
            Function::NotEqual => "(!c_equal({a}, {b}))",
            Function::IsNan => "(m_is_nan({a}.x) | m_is_nan({a}.y))",
            Function::IsInfinite => "(m_is_inf({a}.x) | m_is_inf({a}.y))",
            Function::IsFinite => "(m_is_finite({a}.x) & m_is_finite({a}.y))",
            _ => self.complex_any(),
        }
    }

    fn complex_double(self) -> &'static str {
        match self {
            Function::Multiply => "c_wide_mul({a}, {b})",
            Function::Divide => "c_wide_div({a}, {b})",
            Function::Negate => "(-{a})",
            Function::Conj => "vec2<f64>({a}.x, -{a}.y)",
            Function::Absolute => "m_wide_hypot({a}.x, {a}.y)",
            Function::Square => "c_wide_mul({a}, {a})",
            Function::Reciprocal => "c_wide_div(vec2<f64>(1.0lf, 0.0lf), {a})",
            Function::MultiplyAdd => "(c_wide_mul({a}, {b}) + {c})",
            Function::Sqrt => "c_wide_sqrt({a})",
            Function::Arg => "m_wide_atan2({a}.y, {a}.x)",
            Function::Exp => "c_wide_exp({a})",
            Function::Ln => "c_wide_ln({a})",
            Function::Pow => "c_wide_pow({a}, {b})",
            Function::PowI => "c_wide_powi({b}, {a})",
            Function::Equal => "(({a}.x == {b}.x) & ({a}.y == {b}.y))",
            // Negations of ==: naga's != is false for NaN.
            Function::NotEqual => "(!(({a}.x == {b}.x) & ({a}.y == {b}.y)))",
            Function::IsNan => "(m_wide_is_nan({a}.x) | m_wide_is_nan({a}.y))",
            Function::IsInfinite => "(m_wide_is_inf({a}.x) | m_wide_is_inf({a}.y))",
            Function::IsFinite => "(m_wide_is_finite({a}.x) & m_wide_is_finite({a}.y))",
            _ => self.complex_any(),
        }
    }

    /// The result by definition, where [`Function::complex_text`] is about it.
    pub(super) fn complex_meaning(self, dtype: DType, args: &[Value]) -> Option<Value> {
        match self {
            Function::Complex => return Some(Value::Complex(args[0].float(), args[1].float())),
            Function::Polar => return Some(of(Complex64::from_polar(args[0].float(), args[1].float()))),
            _ if !dtype.is_complex() => return None,
            Function::PowI => return Some(of(power(args[1].complex(), args[0].int()))),
            _ => {}
        }
        let arg = |nth: usize| args.get(nth).map_or(Complex64::default(), |arg| arg.complex());
        let (a, b, c) = (arg(0), arg(1), arg(2));
        Some(match self {
            Function::Add => of(a + b),
            Function::Subtract => of(a - b),
            Function::Multiply => of(a * b),
            Function::Divide => of(divide(a, b)),
            Function::Negate => of(-a),
            Function::Conj => of(a.conj()),
            Function::Square => of(a * a),
            Function::Reciprocal => of(divide(Complex64::ONE, a)),
            Function::MultiplyAdd => of(a * b + c),
            Function::Sqrt => of(a.sqrt()),
            Function::Exp => of(a.exp()),
            Function::Ln => of(logarithm(a)),
            Function::Pow => of(raise(a, b)),
            Function::Real => Value::Float(a.re),
            Function::Imag => Value::Float(a.im),
            Function::Absolute => Value::Float(a.re.hypot(a.im)),
            Function::Arg => Value::Float(a.im.atan2(a.re)),
            Function::Equal => Value::Bool(a == b),
            Function::NotEqual => Value::Bool(a != b),
            Function::IsNan => Value::Bool(a.re.is_nan() || a.im.is_nan()),
            Function::IsInfinite => Value::Bool(a.re.is_infinite() || a.im.is_infinite()),
            Function::IsFinite => Value::Bool(a.re.is_finite() && a.im.is_finite()),
            _ => unreachable!("exists() refuses {} for complex numbers", self.name()),
        })
    }
}

fn of(value: Complex64) -> Value {
    Value::Complex(value.re, value.im)
}

/// The quotient, both scaled to about 1 by powers of two.
fn divide(a: Complex64, b: Complex64) -> Complex64 {
    let size = |z: Complex64| z.re.abs().max(z.im.abs());
    if b == Complex64::default() {
        return Complex64::new(a.re / b.re.abs(), a.im / b.re.abs());
    }
    if !b.is_finite() && a.is_finite() && !b.re.is_nan() && !b.im.is_nan() {
        return Complex64::default();
    }
    let [up, down] = [a, b].map(|z| if size(z) > 0.0 && size(z).is_finite() { libm::ilogb(size(z)) } else { 0 });
    let scaled = |z: Complex64, by: i32| Complex64::new(libm::scalbn(z.re, by), libm::scalbn(z.im, by));
    let (a, b) = (scaled(a, -up), scaled(b, -down));
    scaled(a * b.conj() / (b.re * b.re + b.im * b.im), up - down)
}

/// The logarithm; the part of the modulus without cancellation near 1.
fn logarithm(z: Complex64) -> Complex64 {
    let (large, small) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    let re = match large {
        0.5..2.0 => 0.5 * ((large - 1.0) * (large + 1.0) + small * small).ln_1p(),
        _ => z.re.hypot(z.im).ln(),
    };
    Complex64::new(re, z.im.atan2(z.re))
}

/// `e^(b ln a)`; 1 for any number to the power 0.
fn raise(a: Complex64, b: Complex64) -> Complex64 {
    match (a == Complex64::default(), b == Complex64::default()) {
        (_, true) => Complex64::ONE,
        (true, _) if b.re > 0.0 => Complex64::default(),
        (true, _) => Complex64::new(f64::NAN, f64::NAN),
        _ => (b * logarithm(a)).exp(),
    }
}

/// By repeated squaring.
fn power(a: Complex64, n: i128) -> Complex64 {
    let (mut result, mut square, mut left) = (Complex64::ONE, a, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    if n < 0 { divide(Complex64::ONE, result) } else { result }
}
