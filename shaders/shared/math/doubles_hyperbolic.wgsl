// Hyperbolic functions of doubles, and their inverses.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// sinh: degree 17 up to 1, then (e^a - e^-a)/2, by e^a/2.
// Max error 2.0 ULP.
fn m_wide_sinh(x: D) -> D {
    let a = min(m_wide_abs(x), D(712.0));
    let z = min(a * a, D(1.0));
    var p = fma(z, D(2.8445264169895285e-15), D(7.646625361656657e-13));
    p = fma(z, p, D(1.6059048396350562e-10));
    p = fma(z, p, D(2.505210836405804e-08));
    p = fma(z, p, D(2.755731922404034e-06));
    p = fma(z, p, D(0.00019841269841269773));
    p = fma(z, p, D(0.008333333333333333));
    p = fma(z, p, D(0.16666666666666666));
    let e = m_wide_exp_core(a, D(0.0), L(0xfffffffffffffffflu));
    let r = select(fma(a * z, p, a), e - D(0.25) / e, a > D(1.0));
    return m_wide_keep_nan(m_wide_xorsign(r, x), x);
}

// cosh.
// Max error 1.5 ULP.
fn m_wide_cosh(x: D) -> D {
    let e = m_wide_exp_core(min(m_wide_abs(x), D(712.0)), D(0.0), L(0xfffffffffffffffflu));
    return m_wide_keep_nan(e + D(0.25) / e, x);
}

// tanh: degree 25 up to 0.55, else 1 - 2/(e^2a + 1).
// Max error 1.5 ULP.
fn m_wide_tanh(x: D) -> D {
    let a = min(m_wide_abs(x), D(30.0));
    let z = min(a * a, D(0.3026));
    var p = fma(z, D(7.872519584876026e-06), D(-3.3718010044053525e-05));
    p = fma(z, p, D(9.454941758935152e-05));
    p = fma(z, p, D(-0.00023847198564355907));
    p = fma(z, p, D(0.0005899051200674843));
    p = fma(z, p, D(-0.0014558190700396025));
    p = fma(z, p, D(0.0035921267673025663));
    p = fma(z, p, D(-0.008863235462984688));
    p = fma(z, p, D(0.021869488534068168));
    p = fma(z, p, D(-0.05396825396822027));
    p = fma(z, p, D(0.1333333333333331));
    p = fma(z, p, D(-0.3333333333333333));
    let e = m_wide_exp_core(a + a, D(0.0), L(0lu));
    let r = select(fma(a * z, p, a), D(1.0) - D(2.0) / (e + D(1.0)), a > D(0.55));
    return m_wide_keep_nan(m_wide_xorsign(r, x), x);
}

// asinh: log1p(a + a^2/(1 + sqrt(a^2 + 1))), from 2^54 on log(a) + ln2.
// Max error 1.5 ULP.
fn m_wide_asinh(x: D) -> D {
    let a = m_wide_abs(x);
    let big = a > D(18014398509481984.0);
    let c = min(a, D(18014398509481984.0));
    let z = c * c;
    let t = select(c + z / (D(1.0) + sqrt(z + D(1.0))), a, big);
    let r = m_wide_log1p_core(t) + select(D(0.0), D(0.6931471805599453), big);
    let u = select(bitcast<L>(r), L(0x7ff0000000000000lu), m_wide_is_inf(x));
    return m_wide_keep_tiny(m_wide_xorsign(bitcast<D>(u), x), x);
}

// acosh: log1p(t + sqrt(2t + t^2)), t = x - 1; from 2^54 on log(x) + ln2.
// Max error 2.0 ULP.
fn m_wide_acosh(x: D) -> D {
    let big = x > D(18014398509481984.0);
    let t = clamp(x - D(1.0), D(0.0), D(18014398509481984.0));
    let w = select(t + sqrt(fma(t, t, t + t)), x, big);
    let r = m_wide_log1p_core(w) + select(D(0.0), D(0.6931471805599453), big);
    let u = select(bitcast<L>(r), L(0x7ff0000000000000lu), m_wide_is_inf(x));
    return m_wide_keep_nan(m_wide_nan_if(bitcast<D>(u), x < D(1.0)), x);
}

// atanh: log1p(2a/(1-a))/2.
// Max error 2.0 ULP.
fn m_wide_atanh(x: D) -> D {
    let a = m_wide_abs(x);
    let c = min(a, D(0.9999999999999999));
    let r = D(0.5) * m_wide_log1p_core((c + c) / (D(1.0) - c));
    var u = select(bitcast<L>(r), L(0x7ff0000000000000lu), a == D(1.0));
    u = select(u, L(0x7ff8000000000000lu), a > D(1.0));
    return m_wide_keep_tiny(m_wide_xorsign(bitcast<D>(u), x), x);
}
