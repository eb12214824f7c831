// The bits of numbers: signs, NaN, infinities, order and comparisons.
//
// Rules of all files of this folder:
//  * Nothing branches on values, but by any(): select() only, so one text serves scalars and 4-vectors.
//  * NaN and inf are seen and made in the bits (select over U): WGSL lets a compiler assume finite math.
//  * fma() may be fused or not; every exact product below fits 24 bits, so both give the bounds stated.
//  * Compilers reassociate (Mesa turns x - n*c1 - n*c2 into x - n*(c1+c2), Metal fast math more): high parts are cut
//    with a bit mask (m_hi), never with (a + b) - b, and partial sums whose order matters go through m_pin.
//  * Results that are denormal may come out as 0 (WGSL allows a flush); no normal result depends on a denormal.
// Coefficients: minimax (Lawson-weighted least squares, each coefficient rounded to f32 in turn), fitted for these files.
// The aliases F (f32 or vec4<f32>), I, U and T (truths) are appended by the caller.

// The top 12 significant bits of x: products of two such numbers are exact in f32.
fn m_hi(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & U(0xfffff000u));
}

// x. A maximum with a bound that is never reached: no compiler reassociates through it, so what is inside is rounded
// before what is outside is added.
fn m_pin(x: F) -> F {
    return max(x, F(-3e38));
}

// +-0: bit test (a compiler that assumes finite math may let NaN == 0 through).
fn m_is_zero(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) == U(0u);
}

// r with the sign bit of s xored in.
fn m_xorsign(r: F, s: F) -> F {
    return bitcast<F>(bitcast<U>(r) ^ (bitcast<U>(s) & U(0x80000000u)));
}

// r, but x itself where x is NaN.
fn m_keep_nan(r: F, x: F) -> F {
    return bitcast<F>(select(bitcast<U>(r), bitcast<U>(x), (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u)));
}

// r, but x itself where |x| < 2^-25 (keeps -0 and tiny values exact) or x is NaN; one compare does both.
fn m_keep_tiny(r: F, x: F) -> F {
    return bitcast<F>(select(bitcast<U>(r), bitcast<U>(x), ((bitcast<U>(x) & U(0x7fffffffu)) - U(0x33000000u)) > U(0x4c800000u)));
}

// r, but NaN where c.
fn m_nan_if(r: F, c: T) -> F {
    return bitcast<F>(select(bitcast<U>(r), U(0x7fc00000u), c));
}

// +inf made at run time (naga rejects a constant inf); x is any run-time value.
fn m_inf(x: F) -> F {
    return bitcast<F>(U(0x7f800000u) | (bitcast<U>(x) & U(0u)));
}

// |x|: in the bits, where no number is too small.
fn m_abs(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & U(0x7fffffffu));
}

// -x: in the bits.
fn m_negate(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) ^ U(0x80000000u));
}

// An integer that is ordered as numbers are, -0 just below +0; NaN of either sign beyond the infinities.
fn m_order(x: F) -> I {
    let k = bitcast<I>(x);
    return k ^ ((k >> U(31u)) & I(0x7fffffff));
}

// x == y, by the bits: false for NaN, true for both zeros.
fn m_equal(x: F, y: F) -> T {
    let a = bitcast<U>(x);
    let b = bitcast<U>(y);
    return ((a == b) & !m_is_nan(x)) | (((a | b) & U(0x7fffffffu)) == U(0u));
}

// An integer that is ordered as numbers are, the same for both zeros.
fn m_number(x: F) -> I {
    let a = bitcast<I>(m_abs(x));
    return select(a, -a, bitcast<I>(x) < I(0));
}

// x < y, by the bits: false for NaN.
fn m_less(x: F, y: F) -> T {
    return (m_number(x) < m_number(y)) & !(m_is_nan(x) | m_is_nan(y));
}

// x <= y, by the bits: false for NaN.
fn m_less_equal(x: F, y: F) -> T {
    return (m_number(x) <= m_number(y)) & !(m_is_nan(x) | m_is_nan(y));
}

// NaN: bit test.
fn m_is_nan(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u);
}

// +-inf: bit test.
fn m_is_inf(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) == U(0x7f800000u);
}

// Neither NaN nor inf: bit test.
fn m_is_finite(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) < U(0x7f800000u);
}
