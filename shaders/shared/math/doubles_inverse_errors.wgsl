// The inverses of the error functions of doubles: erfinv, erfcinv.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// The inverse of erf for |x| <= 1/2: degree 27.
fn m_wide_erfinv_near(x: D) -> D {
    let z = x * x;
    var p = fma(z, D(0.1131416764691415), D(-0.07607362102383912));
    p = fma(z, p, D(0.07345021531409482));
    p = fma(z, p, D(0.008446007240082444));
    p = fma(z, p, D(0.0315933216693548));
    p = fma(z, p, D(0.031145242342140403));
    p = fma(z, p, D(0.03652298811530101));
    p = fma(z, p, D(0.04283257847915787));
    p = fma(z, p, D(0.051731484987196256));
    p = fma(z, p, D(0.06495961132717053));
    p = fma(z, p, D(0.08655212936268385));
    p = fma(z, p, D(0.1275561753044084));
    p = fma(z, p, D(0.23201366653465907));
    p = fma(z, p, D(0.886226925452758));
    return x * p;
}

// The inverse of erfc for 0 < w <= 1/2: s = sqrt(-ln w) times a polynomial in (s - 2)/(s + 2), to 2^-30, then a step of
// Newton's method on ln erfc. Both numbers are 2^64 too large, since w may be denormal.
fn m_wide_erfcinv_tail(w: D) -> D {
    let s = sqrt(max(-m_wide_log(w), D(0.69)));
    let t = (s - D(2.0)) / (s + D(2.0));
    var p = fma(t, D(-0.012404340303199722), D(0.04158114193059516));
    p = fma(t, p, D(-0.05218712566767327));
    p = fma(t, p, D(0.015826002170815874));
    p = fma(t, p, D(0.04198625666287414));
    p = fma(t, p, D(-0.07925636048532173));
    p = fma(t, p, D(0.07100647805739684));
    p = fma(t, p, D(-0.0134408159909393));
    p = fma(t, p, D(-0.07262349602295953));
    p = fma(t, p, D(0.1377434117990795));
    p = fma(t, p, D(-0.1281154113263292));
    p = fma(t, p, D(0.006725942252911982));
    p = fma(t, p, D(0.20193910178430693));
    p = fma(t, p, D(-0.423763235489402));
    p = fma(t, p, D(0.4309177297575001));
    p = fma(t, p, D(0.8340941580734668));
    let y = s * p;
    let h = m_wide_hi(y);
    let ratio = m_wide_erfcx_core(y);
    let wanted = w * D(18446744073709551616.0);
    let d = (ratio * m_wide_exp_core(-(h * h), (h - y) * (y + h), L(64lu)) - wanted) / wanted;
    return fma(fma(d * d, D(-0.5), d), ratio * D(0.886226925452758), y);
}

// The inverse of erf; the infinities at 1 and -1, NaN outside.
// Max error 3.0 ULP.
fn m_wide_erfinv(x: D) -> D {
    let a = m_wide_abs(x);
    let far = m_wide_xorsign(m_wide_erfcinv_tail(clamp(D(1.0) - a, D(1e-16), D(0.5))), x);
    var v = select(m_wide_erfinv_near(x), far, a > D(0.5));
    v = bitcast<D>(select(bitcast<L>(v), bitcast<L>(x) | L(0x7ff0000000000000lu), a == D(1.0)));
    return m_wide_keep_nan(m_wide_nan_if(v, a > D(1.0)), x);
}

// The inverse of erfc: by the smaller of x and 2 - x, by erfinv(1 - x) from 1/2 to 3/2. inf at 0, -inf at 2, NaN outside.
// Max error 3.0 ULP.
fn m_wide_erfcinv(x: D) -> D {
    let up = x > D(1.0);
    let w = select(x, D(2.0) - x, up);
    let far = m_wide_erfcinv_tail(clamp(w, D(5e-324), D(0.5)));
    var v = select(m_wide_erfinv_near(D(1.0) - x), select(far, -far, up), w < D(0.5));
    v = bitcast<D>(select(bitcast<L>(v), L(0x7ff0000000000000lu), x == D(0.0)));
    v = bitcast<D>(select(bitcast<L>(v), L(0xfff0000000000000lu), x == D(2.0)));
    return m_wide_keep_nan(m_wide_nan_if(v, (x > D(2.0)) | (x < D(0.0))), x);
}
