// Exponentials: exp, exp2, expm1.
// bits.wgsl has the rules of this folder.

// e^r - 1 - r over r^2 for |r| <= 0.3475; degree 4, 2^-26 relative to r.
fn m_exp_poly(r: F) -> F {
    var p = fma(r, F(0.00139406603), F(0.00836659037));
    p = fma(r, p, F(0.0416664034));
    p = fma(r, p, F(0.166665435));
    return fma(r, p, F(0.5));
}

// k as integer with k*ln2 nearest to x, |x| < 2^21: only the bits of x*log2(e) + 1.5*2^23 are used, so that
// fast-math cannot cancel the magic number (it could in (t + M) - M), and no saturating conversion is paid.
fn m_exp_k(x: F) -> I {
    return bitcast<I>(fma(x, F(1.44269504), F(12582912.0))) - I(0x4b400000);
}

// e^(h+l) * 2^j for -105 <= h <= 90, |l| < 0.01, j in {-1, 0}. k*ln2_hi is exact (15 + 8 bits). The scaling goes half
// through the exponent field and half through one product, so that overflow gives inf and underflow denormals or 0.
fn m_exp_core(h: F, l: F, j: I) -> F {
    let k = m_exp_k(h);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), h))) + l;
    let e = fma(r * r, m_exp_poly(r), r) + F(1.0);
    let a = k >> U(1u);
    let b = k - a + j;
    return bitcast<F>(bitcast<I>(e) + (a << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// exp: Cody-Waite by ln2 in two parts, degree 6.
// Max error 1.8 ULP, all x.
fn m_exp(x: F) -> F {
    return m_keep_nan(m_exp_core(clamp(x, F(-105.0), F(89.0)), F(0.0), I(0)), x);
}

// exp for x <= 0: what is below 2^-125 comes out as 0, so that one step in the exponent field scales.
// Max error 1.8 ULP, x >= -87.
fn m_exp_falling(x: F) -> F {
    let h = max(x, F(-87.0));
    let k = m_exp_k(h);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), h)));
    let e = fma(r * r, m_exp_poly(r), r) + F(1.0);
    let y = bitcast<F>(bitcast<I>(e) + (k << U(23u)));
    return m_keep_nan(select(y, F(0.0), x < F(-87.0)), x);
}

// 2^(h+l) for -151 <= h <= 130, |l| < 1: k = nearest integer of h, degree 6.
fn m_exp2_core(h: F, l: F) -> F {
    let k = bitcast<I>(h + F(12582912.0)) - I(0x4b400000);
    let r = m_pin(h - F(k)) + l;
    var p = fma(r, F(0.000154633031), F(0.00133912021));
    p = fma(r, p, F(0.00961806159));
    p = fma(r, p, F(0.0555035919));
    p = fma(r, p, F(0.240226507));
    p = fma(r, p, F(0.693147182));
    let e = fma(r, p, F(1.0));
    let a = k >> U(1u);
    let b = k - a;
    return bitcast<F>(bitcast<I>(e) + (a << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// exp2: exact for integers.
// Max error 1.1 ULP.
fn m_exp2(x: F) -> F {
    return m_keep_nan(m_exp2_core(clamp(x, F(-151.0), F(129.0)), F(0.0)), x);
}

// expm1: 2*(s*q + (s - 1/2)) with s = 2^(k-1), q = e^r - 1; half scale because 2^128 does not exist.
// Max error 1.7 ULP.
fn m_expm1(x: F) -> F {
    let xc = clamp(x, F(-20.0), F(89.0));
    let k = m_exp_k(xc);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), xc)));
    let q = fma(r * r, m_exp_poly(r), r);
    let s = bitcast<F>((k + I(126)) << U(23u));
    return m_keep_tiny(F(2.0) * fma(s, q, m_pin(s - F(0.5))), x);
}
