// Complex numbers of f64: complex.wgsl has the rules.

// Max error 2 ULP.
fn c_wide_mul(a: vec2<f64>, b: vec2<f64>) -> vec2<f64> {
    return vec2<f64>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A power of two near the larger part, such that its reciprocal is normal.
fn c_wide_size(z: vec2<f64>) -> f64 {
    let bits = max(bitcast<u64>(z.x) & 0x7ffffffffffffffflu, bitcast<u64>(z.y) & 0x7ffffffffffffffflu);
    return bitcast<f64>(clamp(bits & 0x7ff0000000000000lu, 0x0020000000000000lu, 0x7fc0000000000000lu));
}

// Max error 4 ULP. Both are scaled to about 1, so that nothing overflows on the way. By 0 as Annex G of C99 says; of a finite
// number by an infinite one 0; of an infinite one NaN or infinite.
fn c_wide_div(a: vec2<f64>, b: vec2<f64>) -> vec2<f64> {
    let up = c_wide_size(a);
    let down = c_wide_size(b);
    let p = a / up;
    let q = b / down;
    let size = q.x * q.x + q.y * q.y;
    let product = vec2<f64>(p.x * q.x + p.y * q.y, p.y * q.x - p.x * q.y);
    let about_1 = product / size;
    let quotient = select(about_1 * up / down, about_1 / down * up, up > 1.0lf);
    let finite = m_wide_is_finite(a.x) & m_wide_is_finite(a.y);
    let infinite = (m_wide_is_inf(b.x) | m_wide_is_inf(b.y)) & !m_wide_is_nan(b.x) & !m_wide_is_nan(b.y);
    let by_zero = vec2<f64>(c_wide_by_zero(a.x, b.x), c_wide_by_zero(a.y, b.x));
    let zero = (b.x == 0.0lf) & (b.y == 0.0lf);
    return select(select(quotient, vec2<f64>(0.0lf, 0.0lf), finite & infinite), by_zero, zero);
}

// x / z for a zero z: an infinity, or NaN.
fn c_wide_by_zero(x: f64, z: f64) -> f64 {
    let infinity = bitcast<f64>((bitcast<u64>(x) & 0lu) | 0x7ff0000000000000lu);
    return m_wide_nan_if(m_wide_xorsign(m_wide_xorsign(infinity, x), z), (x == 0.0lf) | m_wide_is_nan(x));
}

// Max error 4 ULP; as c_sqrt, but for infinities, of which it makes infinities and NaN.
fn c_wide_sqrt(z: vec2<f64>) -> vec2<f64> {
    // A quarter or four times: the modulus does not overflow, nor lose digits.
    let big = max(m_wide_abs(z.x), m_wide_abs(z.y)) > 1.0lf;
    let s = z * select(4.0lf, 0.25lf, big);
    let t = sqrt(0.5lf * (m_wide_abs(s.x) + m_wide_hypot(s.x, s.y)));
    let other = select(m_wide_abs(s.y) / (2.0lf * t), 0.0lf, t == 0.0lf);
    let negative = bitcast<i64>(z.x) < 0li;
    let half = vec2<f64>(select(t, other, negative), select(other, t, negative)) * select(0.5lf, 2.0lf, big);
    return vec2<f64>(half.x, m_wide_copysign(half.y, z.y));
}

// a^n by repeated squaring: max error 2 |n| ULP. A negative power is 1 divided by the positive one.
fn c_wide_powi(a: vec2<f64>, n: i32) -> vec2<f64> {
    var left = select(u32(n), 0u - u32(n), n < 0);
    var square = a;
    var power = vec2<f64>(1.0lf, 0.0lf);
    while (left != 0u) {
        power = select(power, c_wide_mul(power, square), (left & 1u) == 1u);
        square = c_wide_mul(square, square);
        left = left >> 1u;
    }
    return select(power, c_wide_div(vec2<f64>(1.0lf, 0.0lf), power), n < 0);
}

// Max error 3 ULP.
fn c_wide_polar(modulus: f64, angle: f64) -> vec2<f64> {
    return vec2<f64>(modulus * m_wide_cos(angle), modulus * m_wide_sin(angle));
}

// Max error 6 ULP; as c_exp, past 700 by halves.
fn c_wide_exp(z: vec2<f64>) -> vec2<f64> {
    let large = z.x > 700.0lf;
    let size = m_wide_exp(select(z.x, z.x * 0.5lf, large));
    let again = select(1.0lf, size, large);
    let value = vec2<f64>(size * m_wide_cos(z.y) * again, select(size * m_wide_sin(z.y) * again, z.y, z.y == 0.0lf));
    let end = select(vec2<f64>(z.x, m_wide_nan_if(z.y, true)), vec2<f64>(0.0lf, 0.0lf), z.x < 0.0lf);
    return select(value, end, m_wide_is_inf(z.x) & !m_wide_is_finite(z.y));
}

// Max error 4 ULP; as c_ln.
fn c_wide_ln(z: vec2<f64>) -> vec2<f64> {
    let a = m_wide_abs(z.x);
    let b = m_wide_abs(z.y);
    let x = select(b, a, a > b);
    let y = select(a, b, a > b);
    let near = (x > 0.5lf) & (x < 2.0lf) & (y < 2.0lf);
    let rest = select(0.0lf, (x - 1.0lf) * (x + 1.0lf) + y * y, near);
    let size = m_wide_log(m_wide_hypot(z.x * 0.5lf, z.y * 0.5lf)) + 0.6931471805599453lf;
    let small = m_wide_log(m_wide_hypot(z.x, z.y));
    let real = select(select(small, size, x > 1.0lf), 0.5lf * m_wide_log1p(rest), near);
    return vec2<f64>(real, m_wide_atan2(z.y, z.x));
}

// As c_pow.
fn c_wide_pow(a: vec2<f64>, b: vec2<f64>) -> vec2<f64> {
    let zero = (a.x == 0.0lf) & (a.y == 0.0lf);
    let one = (b.x == 0.0lf) & (b.y == 0.0lf);
    let none = select(vec2<f64>(m_wide_nan_if(b.x, true), m_wide_nan_if(b.y, true)), vec2<f64>(0.0lf, 0.0lf), b.x > 0.0lf);
    let power = select(c_wide_exp(c_wide_mul(b, c_wide_ln(a))), none, zero);
    return select(power, vec2<f64>(1.0lf, 0.0lf), one);
}
