// Signs of doubles, and powers of two taken out of them and put in: signbit, frexp, ldexp.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// Whether the sign bit is set: of -0 and NaN too.
fn m_wide_signbit(x: D) -> T {
    return bitcast<L>(x) >= L(0x8000000000000000lu);
}

// Whether x is 0, infinite or NaN, and so has no power of two in it.
fn m_wide_unscaled(x: D) -> T {
    return (x == D(0.0)) | !m_wide_is_finite(x);
}

// x, or x * 2^54 where x is denormal.
fn m_wide_normal(x: D) -> D {
    return select(x, x * D(18014398509481984.0), m_wide_abs(x) < D(2.2250738585072014e-308));
}

// The part of x in 1/2 <= |m| < 1, where x = m 2^e; 0, infinities and NaN stay.
fn m_wide_mantissa(x: D) -> D {
    let m = (bitcast<L>(m_wide_normal(x)) & L(0x800ffffffffffffflu)) | L(0x3fe0000000000000lu);
    return bitcast<D>(select(m, bitcast<L>(x), m_wide_unscaled(x)));
}

// The exponent e of that; 0 for 0, infinities and NaN.
fn m_wide_exponent_of(x: D) -> I {
    let field = U((bitcast<L>(m_wide_normal(x)) >> U(52u)) & L(0x7fflu));
    let tiny = m_wide_abs(x) < D(2.2250738585072014e-308);
    let e = bitcast<I>(field) - select(I(1022), I(1076), tiny);
    return select(e, I(0), m_wide_unscaled(x));
}

// x 2^n: a normal number, or one 2^64 too large that is rounded once, to a denormal one.
fn m_wide_scaled(x: D, n: I) -> D {
    let e = m_wide_exponent_of(x) + clamp(n, I(-2200), I(2200));
    let small = e < I(-1021);
    let field = clamp(e + select(I(1022), I(1086), small), I(1), I(2046));
    let m = (bitcast<L>(m_wide_normal(x)) & L(0x800ffffffffffffflu)) | (L(bitcast<U>(field)) << U(52u));
    let r = bitcast<D>(m) * select(D(1.0), D(5.421010862427522e-20), small);
    let most = (m & L(0x8000000000000000lu)) | L(0x7ff0000000000000lu);
    let scaled = select(bitcast<L>(r), most, e > I(1024));
    return bitcast<D>(select(scaled, bitcast<L>(x), m_wide_unscaled(x)));
}
