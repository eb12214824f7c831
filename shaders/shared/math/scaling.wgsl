// Signs, and powers of two taken out of numbers and put in: signbit, frexp, ldexp. All in the bits, denormal numbers included.
// bits.wgsl has the rules of this folder.

// Whether the sign bit is set: of -0 and NaN too.
fn m_signbit(x: F) -> T {
    return (bitcast<U>(x) >> U(31u)) != U(0u);
}

// How far the digits of a denormal number of size a are to be shifted for a leading 1 as normal numbers have it; else 0.
fn m_denormal_shift(a: U) -> U {
    return select(U(0u), countLeadingZeros(a) - U(8u), (a < U(0x00800000u)) & (a != U(0u)));
}

// The part of x in 1/2 <= |m| < 1, where x = m 2^e; 0, infinities and NaN stay.
fn m_mantissa(x: F) -> F {
    let u = bitcast<U>(x);
    let a = u & U(0x7fffffffu);
    let digits = (a << m_denormal_shift(a)) & U(0x007fffffu);
    return bitcast<F>(select((u & U(0x80000000u)) | U(0x3f000000u) | digits, u, (a == U(0u)) | (a >= U(0x7f800000u))));
}

// The exponent e of that; 0 for 0, infinities and NaN.
fn m_exponent(x: F) -> I {
    let a = bitcast<U>(x) & U(0x7fffffffu);
    let tiny = a < U(0x00800000u);
    let e = bitcast<I>(select(a >> U(23u), U(1u) - m_denormal_shift(a), tiny)) - I(126);
    return select(e, I(0), (a == U(0u)) | (a >= U(0x7f800000u)));
}

// x 2^n, rounded once, ties to even, where the result is denormal.
fn m_scaled(x: F, n: I) -> F {
    let u = bitcast<U>(x);
    let a = u & U(0x7fffffffu);
    let shift = m_denormal_shift(a);
    let digits = ((a << shift) & U(0x007fffffu)) | U(0x00800000u);
    let e = bitcast<I>(select(a >> U(23u), U(1u) - shift, a < U(0x00800000u))) + clamp(n, I(-400), I(400));
    let down = bitcast<U>(clamp(I(1) - e, I(1), I(25)));
    let cut = digits >> down;
    let rest = digits - (cut << down);
    let half = U(1u) << (down - U(1u));
    let up = (rest > half) | ((rest == half) & ((cut & U(1u)) != U(0u)));
    let denormal = cut + select(U(0u), U(1u), up);
    var r = select((bitcast<U>(clamp(e, I(1), I(255))) << U(23u)) | (digits & U(0x007fffffu)), denormal, e < I(1));
    r = select(r, U(0x7f800000u), e >= I(255));
    return bitcast<F>(select((u & U(0x80000000u)) | r, u, (a == U(0u)) | (a >= U(0x7f800000u))));
}
