// Hyperbolic functions and their inverses.
// bits.wgsl has the rules of this folder.

// sinh: degree 9 below 1, else e^a/2 - 1/(4*(e^a/2)); e^a/2 does not overflow before sinh does.
// Max error 2.0 ULP.
fn m_sinh(x: F) -> F {
    let a = abs(x);
    let z = a * a;
    var p = fma(z, F(2.78392531e-06), F(0.000198426351));
    p = fma(z, p, F(0.00833331142));
    p = fma(z, p, F(0.166666672));
    let e = m_exp_core(min(a, F(90.0)), F(0.0), I(-1));
    let r = select(fma(a * z, p, a), e - F(0.25) / e, a > F(1.0));
    return m_keep_nan(m_xorsign(r, x), x);
}

// cosh.
// Max error 2.0 ULP.
fn m_cosh(x: F) -> F {
    let e = m_exp_core(min(abs(x), F(90.0)), F(0.0), I(-1));
    return m_keep_nan(e + F(0.25) / e, x);
}

// tanh: degree 9 below 0.55, else 1 - 2/(e^2a + 1).
// Max error 1.5 ULP.
fn m_tanh(x: F) -> F {
    let a = min(abs(x), F(10.0));
    let z = a * a;
    var p = fma(z, F(0.0164603591), F(-0.0526851825));
    p = fma(z, p, F(0.133209631));
    p = fma(z, p, F(-0.333329588));
    let e = m_exp_core(a + a, F(0.0), I(0));
    let r = select(fma(a * z, p, a), F(1.0) - F(2.0) / (e + F(1.0)), a > F(0.55));
    return m_keep_nan(m_xorsign(r, x), x);
}

// asinh: log1p(a + a^2/(1 + sqrt(a^2 + 1))), from 2^26 on log(a) + ln2.
// Max error 1.9 ULP.
fn m_asinh(x: F) -> F {
    let a = abs(x);
    let big = a > F(67108864.0);
    let z = a * a;
    let t = select(a + z / (F(1.0) + sqrt(z + F(1.0))), a, big);
    let r = m_log1p_core(t) + select(F(0.0), F(0.693147182), big);
    let u = select(bitcast<U>(r), U(0x7f800000u), m_is_inf(x));
    return m_keep_tiny(m_xorsign(bitcast<F>(u), x), x);
}

// acosh: log1p(t + sqrt(2t + t^2)), t = x - 1; from 2^26 on log(x) + ln2.
// Max error 2.2 ULP.
fn m_acosh(x: F) -> F {
    let big = x > F(67108864.0);
    let t = max(x - F(1.0), F(0.0));
    let w = select(t + sqrt(fma(t, t, t + t)), x, big);
    let r = m_log1p_core(w) + select(F(0.0), F(0.693147182), big);
    let u = select(bitcast<U>(r), U(0x7f800000u), m_is_inf(x));
    let below = (bitcast<I>(x) < I(0)) | (x < F(1.0));
    return m_keep_nan(m_nan_if(bitcast<F>(u), below), x);
}

// atanh: log1p(2a/(1-a))/2.
// Max error 2.3 ULP.
fn m_atanh(x: F) -> F {
    let a = abs(x);
    let b = bitcast<U>(a);
    let r = F(0.5) * m_log1p_core((a + a) / (F(1.0) - min(a, F(0.99999994))));
    var u = select(bitcast<U>(r), U(0x7f800000u), b == U(0x3f800000u));
    u = select(u, U(0x7fc00000u), b > U(0x3f800000u));
    return m_keep_tiny(m_xorsign(bitcast<F>(u), x), x);
}
