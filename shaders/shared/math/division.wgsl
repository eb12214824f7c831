// Division and its remainders, scaling, rounding.
// bits.wgsl has the rules of this folder.

// x + (y - x) * t, in parts where y - x is no number.
fn m_lerp(x: F, y: F, t: F) -> F {
    let way = y - x;
    let parts = x * (F(1.0) - t) + y * t;
    return select(x + way * t, parts, !m_is_finite(way) & m_is_finite(parts));
}

// One step of the remainder: r - m*trunc(r/m) for 0 <= r < 2^11*m, exact: the quotient has 12 bits and m is cut in
// two; a quotient one off is put right by one addition.
fn m_fmod_step(r: F, m: F) -> F {
    let q = trunc(r / m);
    let h = m_hi(m);
    let d = fma(-q, m - h, m_pin(fma(-q, h, r)));
    let d1 = select(d, d + m, d < F(0.0));
    return select(d1, d1 - m, d1 >= m);
}

// C fmod: exact where |x/y| < 2^33 (three steps of 11 bits) and |y| >= 2^-100; 0 for larger quotients.
// Max error 0.
fn m_fmod(x: F, y: F) -> F {
    let a = abs(x);
    let m = abs(y);
    let m2 = m * F(4194304.0);
    let m1 = m * F(2048.0);
    var r = a;
    r = select(r, m_fmod_step(r, m2), (r >= m2) & m_is_finite(m2));
    r = select(r, m_fmod_step(r, m1), (r >= m1) & m_is_finite(m1));
    r = select(r, m_fmod_step(r, m), r >= m);
    r = select(F(0.0), r, (r >= F(0.0)) & (r < m));
    r = m_xorsign(select(r, a, a < m), x);
    return m_nan_if(r, !m_is_finite(x) | m_is_zero(y) | m_is_nan(y));
}

// Python and NumPy %: the remainder takes the sign of the divisor. Range as m_fmod.
// Max error 0.5 ULP.
fn m_rem(x: F, y: F) -> F {
    let r = m_fmod(x, y);
    let s = select(r, r + y, (bitcast<I>(r) ^ bitcast<I>(y)) < I(0));
    return m_keep_nan(select(s, m_copysign(r, y), r == F(0.0)), r);
}

// NumPy floor_divide: (x - fmod(x, y))/y, less 1 where the signs differ and a rest is left; x/y where y = 0.
// Max error 2.0 ULP, exact below 2^22; above, x - fmod(x, y) rounds.
fn m_floor_divide(x: F, y: F) -> F {
    let r = m_fmod(x, y);
    let neg = (bitcast<I>(x) ^ bitcast<I>(y)) < I(0);
    let q = round((x - r) / y) - select(F(0.0), F(1.0), neg & (r != F(0.0)));
    let v = m_keep_nan(m_xorsign(m_xorsign(abs(q), x), y), r);
    let by_0 = m_nan_if(m_xorsign(m_xorsign(m_inf(x), x), y), m_is_zero(x) | m_is_nan(x));
    return select(v, by_0, m_is_zero(y));
}

// x * 2^n; n is cut at +-252, done in two products.
fn m_ldexp(x: F, n: I) -> F {
    let k = clamp(n, I(-252), I(252));
    let a = k >> U(1u);
    let b = k - a;
    return (x * bitcast<F>((a + I(127)) << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// Nearest integer, ties to even (WGSL round).
fn m_round(x: F) -> F {
    return round(x);
}

// Integer part towards 0.
fn m_trunc(x: F) -> F {
    return trunc(x);
}

// x - trunc(x), sign of x (C modf, not WGSL fract); +-0 for inf.
fn m_fract(x: F) -> F {
    return m_keep_nan(m_copysign(select(x - trunc(x), F(0.0), m_is_inf(x)), x), x);
}

// x / y, also where 1 / y is denormal: WGSL promises nothing for |y| > 2^126, and NVIDIA gives 0 there.
// The builtin's error, 2.5 ULP by WGSL.
fn m_divide(x: F, y: F) -> F {
    let s = select(F(1.0), F(0.25), (bitcast<U>(y) & U(0x7fffffffu)) > U(0x7e000000u));
    return (x * s) / (y * s);
}
