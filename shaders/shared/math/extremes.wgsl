// Smallest and largest, signs and neighbours.
// bits.wgsl has the rules of this folder.

// NumPy minimum: NaN if either is.
fn m_min(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(select(y, x, m_order(x) < m_order(y)), y), x);
}

// NumPy maximum: NaN if either is.
fn m_max(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(select(y, x, m_order(x) > m_order(y)), y), x);
}

// x, or 0 where the sign is negative; NaN stays NaN.
fn m_relu(x: F) -> F {
    let u = bitcast<U>(x);
    return bitcast<F>(select(u, U(0u), (u - U(0x80000000u)) <= U(0x7f800000u)));
}

// NumPy fmin: the other one if one is NaN.
fn m_fmin(x: F, y: F) -> F {
    return select(y, x, ((m_order(x) < m_order(y)) & !m_is_nan(x)) | m_is_nan(y));
}

// NumPy fmax: the other one if one is NaN.
fn m_fmax(x: F, y: F) -> F {
    return select(y, x, ((m_order(x) > m_order(y)) & !m_is_nan(x)) | m_is_nan(y));
}

// |x| with the sign bit of y; in the bits, so NaN and -0 work.
fn m_copysign(x: F, y: F) -> F {
    return bitcast<F>((bitcast<U>(x) & U(0x7fffffffu)) | (bitcast<U>(y) & U(0x80000000u)));
}

// Next float from x towards y: all in integers, denormals included.
fn m_nextafter(x: F, y: F) -> F {
    let bx = bitcast<U>(x);
    let by = bitcast<U>(y);
    let ax = bx & U(0x7fffffffu);
    let ay = by & U(0x7fffffffu);
    // keys ordered as the numbers are, -0 and +0 equal
    let kx = select(bitcast<I>(ax), -bitcast<I>(ax), bitcast<I>(x) < I(0));
    let ky = select(bitcast<I>(ay), -bitcast<I>(ay), bitcast<I>(y) < I(0));
    let near = select(bx - U(1u), bx + U(1u), (ky > kx) == (kx > I(0)));
    var r = select(near, (by & U(0x80000000u)) | U(1u), ax == U(0u));
    r = select(r, by, kx == ky);
    return bitcast<F>(select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y)));
}

// The next half: the last bit of a half is the 14th of a single, and of denormal halves 2^-24, which singles add exactly.
fn m_nextafter_half(x: F, y: F) -> F {
    let bx = bitcast<U>(x);
    let ax = bx & U(0x7fffffffu);
    let kx = m_number(x);
    let ky = m_number(y);
    let out = (ky > kx) == (kx > I(0));
    let one = m_xorsign(select(F(-5.9604645e-8), F(5.9604645e-8), out), x);
    var r = select(bx - U(0x2000u), bx + U(0x2000u), out);
    // Below 2^-14, and there from above.
    r = select(r, bitcast<U>(x + one), ax < (U(0x38800000u) + select(U(1u), U(0u), out)));
    r = select(r, (bx & U(0x80000000u)) | select(U(0x477fe000u), U(0x7f800000u), out), ax >= U(0x477fe000u) + select(U(1u), U(0u), out));
    r = select(r, (bitcast<U>(y) & U(0x80000000u)) | U(0x33800000u), ax == U(0u));
    r = select(r, bitcast<U>(y), kx == ky);
    return bitcast<F>(select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y)));
}

// NumPy sign: -1, 0, 1; NaN stays NaN.
fn m_sign(x: F) -> F {
    let u = bitcast<U>(x);
    let one = select((u & U(0x80000000u)) | U(0x3f800000u), u, m_is_nan(x));
    return bitcast<F>(select(one, U(0u), m_is_zero(x)));
}

// NumPy heaviside: 0, h at 0, 1; NaN stays NaN.
fn m_heaviside(x: F, h: F) -> F {
    return m_keep_nan(select(select(F(0.0), F(1.0), bitcast<I>(x) > I(0)), h, m_is_zero(x)), x);
}
