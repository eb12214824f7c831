// Logarithms: log, log2, log10, log1p.
// bits.wgsl has the rules of this folder.

// log(1+f) - f for |f| <= 1/3; degree 10, 2^-27 relative to f.
fn m_log_tail(f: F) -> F {
    var q = fma(f, F(-0.131926924), F(0.139627561));
    q = fma(f, q, F(-0.121149138));
    q = fma(f, q, F(0.140109167));
    q = fma(f, q, F(-0.166854784));
    q = fma(f, q, F(0.200100392));
    q = fma(f, q, F(-0.249996886));
    q = fma(f, q, F(0.333332241));
    return (f * f) * fma(f, q, F(-0.5));
}

// The exponent field to take from bits b so that the rest lies in [2/3, 4/3) (Juffa's split).
fn m_log_e(b: U) -> U {
    return (b - U(0x3f2aaaabu)) & U(0xff800000u);
}

// x, or x * 2^23 where x is denormal (or negative), so that the exponent field is meaningful.
fn m_log_scaled(x: F) -> F {
    return select(x, x * F(8388608.0), x < F(1.17549435e-38));
}

// The exponent taken by m_log_e as a number, for the x that m_log_scaled got.
fn m_log_n(e: U, x: F) -> F {
    return fma(F(bitcast<I>(e)), F(1.1920929e-07), select(F(0.0), F(-23.0), x < F(1.17549435e-38)));
}

// Special cases of the logarithms: NaN for NaN and x < 0, -inf for +-0 (xs is the scaled x), inf for inf.
fn m_log_special(r: F, x: F, xs: F) -> F {
    let b = bitcast<U>(x);
    var u = select(bitcast<U>(r), U(0x7fc00000u), b > U(0x7f800000u));
    u = select(u, U(0x7f800000u), b == U(0x7f800000u));
    return bitcast<F>(select(u, U(0xff800000u), m_is_zero(xs)));
}

// log: x = 2^n (1+f), n*ln2 in two parts.
// Max error 0.9 ULP.
fn m_log(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let n = m_log_n(e, x);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = fma(n, F(1.42860677e-06), m_log_tail(f));
    return m_log_special(fma(n, F(0.693145752), f + z), x, xs);
}

// log2: as log, log(1+f) cut in two before the product with log2(e); exact for powers of two.
// Max error 1.5 ULP.
fn m_log2(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = m_log_tail(f);
    let h = m_hi(f + z);
    let l = m_pin(f - h) + z;
    let t = fma(l, F(1.44269502), h * F(0.000312228396));
    return m_log_special(m_log_n(e, x) + fma(h, F(1.44238281), t), x, xs);
}

// log10: as log2.
// Max error 1.3 ULP.
fn m_log10(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let n = m_log_n(e, x);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = m_log_tail(f);
    let h = m_hi(f + z);
    let l = m_pin(f - h) + z;
    let t = fma(n, F(4.60503907e-06), fma(l, F(0.434294492), h * F(9.03803375e-05)));
    return m_log_special(fma(n, F(0.301025391), fma(h, F(0.434204102), t)), x, xs);
}

// log1p for finite x > -1: the scale 2^-n comes from 1+x, but f = x*2^-n + (2^-n - 1) from x itself (Juffa), so no
// correction term is needed that reassociation could remove.
fn m_log1p_core(x: F) -> F {
    let e = m_log_e(bitcast<U>(F(1.0) + x));
    let s = bitcast<F>(U(0x40800000u) - e);
    let f = bitcast<F>(bitcast<U>(x) - e) + m_pin(fma(s, F(0.25), F(-1.0)));
    let n = F(bitcast<I>(e)) * F(1.1920929e-07);
    let z = fma(n, F(1.42860677e-06), m_log_tail(f));
    return fma(n, F(0.693145752), f + z);
}

// log1p.
// Max error 1.7 ULP.
fn m_log1p(x: F) -> F {
    var u = select(bitcast<U>(m_log1p_core(x)), U(0x7f800000u), bitcast<U>(x) == U(0x7f800000u));
    u = select(u, U(0xff800000u), bitcast<U>(x) == U(0xbf800000u));
    u = select(u, U(0x7fc00000u), bitcast<U>(x) > U(0xbf800000u));
    return m_keep_tiny(bitcast<F>(u), x);
}
