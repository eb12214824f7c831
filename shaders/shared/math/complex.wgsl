// Complex numbers of f32: a real and an imaginary part, as one vec2. A kernel computes one at a time, so that the alias F of
// the other files is f32.
//
// Errors are of a result as a vector: |got - exact| <= bound * |exact|. A part that is much smaller than the other may have no
// correct digit.

// Max error 2 ULP. As (re re - im im, re im + im re), so that an infinite part may give NaN.
fn c_mul(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The exponent of the larger part, such that 2^exponent and 2^-exponent are normal.
fn c_exponent(z: vec2<f32>) -> i32 {
    let bits = max(bitcast<u32>(z.x) & 0x7fffffffu, bitcast<u32>(z.y) & 0x7fffffffu);
    return clamp(i32(bits >> 23u) - 127, -125, 125);
}

// z * 2^n, by parts.
fn c_scale(z: vec2<f32>, n: i32) -> vec2<f32> {
    return vec2<f32>(m_ldexp(z.x, n), m_ldexp(z.y, n));
}

// Max error 4 ULP. Both are scaled to about 1, so that nothing overflows on the way. By 0 as Annex G of C99 says; of a finite
// number by an infinite one 0; of an infinite one NaN or infinite.
fn c_div(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let up = c_exponent(a);
    let down = c_exponent(b);
    let p = c_scale(a, -up);
    let q = c_scale(b, -down);
    let size = q.x * q.x + q.y * q.y;
    let product = vec2<f32>(p.x * q.x + p.y * q.y, p.y * q.x - p.x * q.y);
    let quotient = c_scale(vec2<f32>(product.x / size, product.y / size), up - down);
    let finite = m_is_finite(a.x) & m_is_finite(a.y);
    let infinite = (m_is_inf(b.x) | m_is_inf(b.y)) & !m_is_nan(b.x) & !m_is_nan(b.y);
    let by_zero = vec2<f32>(c_by_zero(a.x, b.x), c_by_zero(a.y, b.x));
    let zero = m_is_zero(b.x) & m_is_zero(b.y);
    return select(select(quotient, vec2<f32>(0.0, 0.0), finite & infinite), by_zero, zero);
}

// x / z for a zero z: an infinity, or NaN.
fn c_by_zero(x: f32, z: f32) -> f32 {
    return m_nan_if(m_xorsign(m_xorsign(m_inf(x), x), z), m_is_zero(x) | m_is_nan(x));
}

fn c_equal(a: vec2<f32>, b: vec2<f32>) -> bool {
    return m_equal(a.x, b.x) & m_equal(a.y, b.y);
}

// Max error 3 ULP.
fn c_polar(modulus: f32, angle: f32) -> vec2<f32> {
    return vec2<f32>(modulus * m_cos(angle), modulus * m_sin(angle));
}

// Max error 6 ULP. Past 80 by halves, so that it overflows only where the result does. Infinities as Annex G
// of C99 says.
fn c_exp(z: vec2<f32>) -> vec2<f32> {
    let large = z.x > 80.0;
    let size = m_exp(select(z.x, z.x * 0.5, large));
    let again = select(1.0, size, large);
    let sine = select(m_sin(z.y), z.y, m_is_zero(z.y));
    let imaginary = select(size * sine * again, z.y, m_is_zero(z.y));
    let value = vec2<f32>(size * m_cos(z.y) * again, imaginary);
    let end = select(vec2<f32>(m_inf(z.x), m_nan_if(z.y, true)), vec2<f32>(0.0, 0.0), z.x < 0.0);
    return select(value, end, m_is_inf(z.x) & !m_is_finite(z.y));
}

// Max error 4 ULP. Where the modulus is near 1 its logarithm is that of 1 + (modulus^2 - 1), which does not cancel.
fn c_ln(z: vec2<f32>) -> vec2<f32> {
    let x = max(m_abs(z.x), m_abs(z.y));
    let y = min(m_abs(z.x), m_abs(z.y));
    let near = (x > 0.5) & (x < 2.0) & (y < 2.0);
    let rest = select(0.0, fma(x - 1.0, x + 1.0, y * y), near);
    // By halves, so that the modulus does not overflow.
    let size = m_log(m_hypot(z.x * 0.5, z.y * 0.5)) + 0.69314718;
    let small = m_log(m_hypot(z.x, z.y));
    let real = select(select(small, size, x > 1.0), 0.5 * m_log1p(rest), near);
    return vec2<f32>(real, m_atan2(z.y, z.x));
}

// Max error 4 ULP. Kahan, "Branch Cuts for Complex Elementary Functions", 1987: the branch cut is the negative real axis,
// continuous with the sign of the imaginary part. Infinities as Annex G of C99 says.
fn c_sqrt(z: vec2<f32>) -> vec2<f32> {
    let even = c_exponent(z) & -2;
    let s = c_scale(z, -even);
    let t = m_sqrt(0.5 * (m_abs(s.x) + m_hypot(s.x, s.y)));
    let other = select(m_abs(s.y) / (2.0 * t), 0.0, m_is_zero(t));
    let negative = bitcast<i32>(z.x) < 0;
    let half = c_scale(vec2<f32>(select(t, other, negative), select(other, t, negative)), even >> 1u);
    let real = select(half.x, m_inf(z.x), m_is_inf(z.y));
    let imaginary = select(half.y, m_inf(z.y), m_is_inf(z.y));
    return vec2<f32>(real, m_xorsign(m_abs(imaginary), z.y));
}

// e^(b ln a): the error grows with |b ln a|, by about that many ULP. 1 for any number to the power 0; 0 to other powers is 0 where
// their real part is positive, else NaN.
fn c_pow(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let zero = m_is_zero(a.x) & m_is_zero(a.y);
    let one = m_is_zero(b.x) & m_is_zero(b.y);
    let none = select(vec2<f32>(m_nan_if(b.x, true), m_nan_if(b.y, true)), vec2<f32>(0.0, 0.0), b.x > 0.0);
    let power = select(c_exp(c_mul(b, c_ln(a))), none, zero);
    return select(power, vec2<f32>(1.0, 0.0), one);
}

// a^n by repeated squaring: max error 2 |n| ULP. A negative power is 1 divided by the positive one.
fn c_powi(a: vec2<f32>, n: i32) -> vec2<f32> {
    var left = select(u32(n), 0u - u32(n), n < 0);
    var square = a;
    var power = vec2<f32>(1.0, 0.0);
    while (left != 0u) {
        power = select(power, c_mul(power, square), (left & 1u) == 1u);
        square = c_mul(square, square);
        left = left >> 1u;
    }
    return select(power, c_div(vec2<f32>(1.0, 0.0), power), n < 0);
}
