// The inverses of the error functions: erfinv, erfcinv.
// bits.wgsl has the rules of this folder. Coefficients: interpolation at Chebyshev's nodes, fitted for these files.

// The inverse of erf for |x| <= 1/2: degree 13.
fn m_erfinv_near(x: F) -> F {
    let z = x * x;
    var p = fma(z, F(0.0974470973), F(0.0298797991));
    p = fma(z, p, F(0.0689636767));
    p = fma(z, p, F(0.0861873701));
    p = fma(z, p, F(0.127571732));
    p = fma(z, p, F(0.232013419));
    p = fma(z, p, F(0.886226952));
    return x * p;
}

// The inverse of erfc for 0 <= w <= 1/2: s = sqrt(-ln w) times a polynomial in (s - 3/2)/(s + 3/2).
fn m_erfcinv_tail(w: F) -> F {
    let s = sqrt(max(-m_log(w), F(0.69)));
    let t = (s - F(1.5)) / (s + F(1.5));
    var p = fma(t, F(-0.00938176271), F(0.0439688675));
    p = fma(t, p, F(-0.0919725522));
    p = fma(t, p, F(0.0863775238));
    p = fma(t, p, F(0.0151212336));
    p = fma(t, p, F(-0.152839139));
    p = fma(t, p, F(0.172628909));
    p = fma(t, p, F(0.0260623917));
    p = fma(t, p, F(-0.405488223));
    p = fma(t, p, F(0.55244869));
    p = fma(t, p, F(0.763309181));
    return s * p;
}

// The inverse of erf; the infinities at 1 and -1, NaN outside.
// Max error 3.0 ULP.
fn m_erfinv(x: F) -> F {
    let a = abs(x);
    let far = m_xorsign(m_erfcinv_tail(clamp(F(1.0) - a, F(5.9e-8), F(0.5))), x);
    var v = select(m_erfinv_near(x), far, a > F(0.5));
    let u = bitcast<U>(x);
    let size = u & U(0x7fffffffu);
    v = bitcast<F>(select(bitcast<U>(v), (u & U(0x80000000u)) | U(0x7f800000u), size == U(0x3f800000u)));
    return m_keep_nan(m_nan_if(v, size > U(0x3f800000u)), x);
}

// The inverse of erfc: by the smaller of x and 2 - x, by erfinv(1 - x) from 1/2 to 3/2. inf at 0, -inf at 2, NaN outside.
// Max error 3.0 ULP for normal x.
fn m_erfcinv(x: F) -> F {
    let up = x > F(1.0);
    let w = select(x, F(2.0) - x, up);
    let far = m_erfcinv_tail(clamp(w, F(1e-38), F(0.5)));
    var v = select(m_erfinv_near(F(1.0) - x), select(far, -far, up), w < F(0.5));
    v = bitcast<F>(select(bitcast<U>(v), U(0x7f800000u), m_is_zero(x)));
    v = bitcast<F>(select(bitcast<U>(v), U(0xff800000u), x == F(2.0)));
    let outside = (x > F(2.0)) | ((bitcast<I>(x) < I(0)) & !m_is_zero(x));
    return m_keep_nan(m_nan_if(v, outside), x);
}
