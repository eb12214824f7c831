// The error function and what learning takes from it: erf, erfc, gelu; sigmoid, softplus, log-sum-exp of two.
// bits.wgsl has the rules of this folder.

// erf: degree 11 below 0.92, else 1 - exp(-L(a)), L = -log(erfc) of degree 7 (after Juffa).
// Max error 1.4 ULP.
fn m_erf(x: F) -> F {
    let a = min(abs(x), F(4.0));
    let z = a * a;
    var p = fma(z, F(-0.00059595838), F(0.00498735253));
    p = fma(z, p, F(-0.0267629661));
    p = fma(z, p, F(0.11281731));
    p = fma(z, p, F(-0.376124889));
    p = fma(z, p, F(0.128379151));
    var q = fma(a, F(1.1230034e-05), F(-0.000322794047));
    q = fma(a, q, F(0.0036424296));
    q = fma(a, q, F(-0.0237620194));
    q = fma(a, q, F(0.106236845));
    q = fma(a, q, F(0.635151327));
    q = fma(a, q, F(0.12864849));
    let big = F(1.0) - m_exp_core(-fma(a, q, a), F(0.0), I(0));
    // below 1e-30 a*p could be denormal and flushed
    let near = select(fma(a, p, a), a * F(1.12837917), a < F(1e-30));
    let r = select(near, big, a > F(0.92));
    return m_keep_nan(m_xorsign(r, x), x);
}

// exp(a^2)*erfc(a) for 0 <= a <= 10.1: polynomial of degree 9 in (a-2)/(a+2) over 1+2a (form after
// Shepherd & Laframboise, 1981).
fn m_erfcx_core(a: F) -> F {
    let t = (a - F(2.0)) / (a + F(2.0));
    var p = fma(t, F(-0.000404746854), F(-0.00123831176));
    p = fma(t, p, F(0.00131405087));
    p = fma(t, p, F(0.00864046067));
    p = fma(t, p, F(-0.0080579035));
    p = fma(t, p, F(-0.0542075075));
    p = fma(t, p, F(0.164054587));
    p = fma(t, p, F(-0.166030958));
    p = fma(t, p, F(-0.0927639157));
    p = fma(t, p, F(1.27697837));
    return p / fma(a, F(2.0), F(1.0));
}

// erfc: 1 - erf below 1/2 (degree 9); above, a^2 in two exact parts, so the tail keeps its relative accuracy.
// Max error 4.3 ULP, all x.
fn m_erfc(x: F) -> F {
    let a = min(abs(x), F(10.1));
    let h = m_hi(a);
    let r = m_erfcx_core(a) * m_exp_core(-(h * h), (h - a) * (a + h), I(0));
    let z = a * a;
    var p = fma(z, F(0.00461393362), F(-0.0266991984));
    p = fma(z, p, F(0.112817429));
    p = fma(z, p, F(-0.376125336));
    p = fma(z, p, F(0.128379151));
    let near = F(1.0) - fma(x, p, x);
    return m_keep_nan(select(select(r, F(2.0) - r, x < F(0.0)), near, a < F(0.5)), x);
}

// Logistic function 1/(1+e^-x), from e^-|x| so that nothing overflows.
// Max error 2.8 ULP, all x.
fn m_sigmoid(x: F) -> F {
    let e = m_exp_core(-min(abs(x), F(104.0)), F(0.0), I(0));
    return m_keep_nan(select(F(1.0), e, x < F(0.0)) / (F(1.0) + e), x);
}

// Tanh form of GELU: 0.5x(1 + tanh u) = x/(1 + e^-2u), which does not cancel for negative x.
// Max error 2.5 ULP for x >= -1, 35 for x >= -5, 240 down to -10 (2u ULP, from the rounding of u).
// Below -10.05 (|result| < 3e-38): 0.
fn m_gelu(x: F) -> F {
    let c = max(x, F(-20.0));
    let w = fma(c * c, F(0.0713548163), F(1.59576912));
    let e = m_exp_core(clamp(-(c * w), F(-105.0), F(90.0)), F(0.0), I(0));
    return m_keep_nan(c / (F(1.0) + e), x);
}

// Exact GELU x*erfc(-x/sqrt2)/2; x^2/2 in two exact parts as in erfc.
// Max error 5.3 ULP, all x.
fn m_gelu_erf(x: F) -> F {
    let c = clamp(x, F(-14.45), F(14.45));
    let a = abs(c);
    let h = m_hi(a);
    let e = m_exp_core(F(-0.5) * (h * h), F(0.5) * (h - a) * (a + h), I(0));
    let g = (F(0.5) * c * m_erfcx_core(a * F(0.707106769))) * e;
    return m_keep_nan(select(x - g, g, bitcast<I>(x) < I(0)), x);
}

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
// Max error 2.2 ULP.
fn m_softplus(x: F) -> F {
    let e = m_exp_core(-min(abs(x), F(104.0)), F(0.0), I(0));
    return m_keep_nan(max(x, F(0.0)) + m_log1p_core(e), x);
}

// log(e^x + e^y); equal infinities give that infinity.
// Max error 9.5 ULP, of max(|result|, |max(x, y)|); the rounding of x - y dominates.
fn m_logaddexp(x: F, y: F) -> F {
    let d = select(abs(x - y), F(0.0), bitcast<U>(x) == bitcast<U>(y));
    let e = m_exp_core(-min(d, F(104.0)), F(0.0), I(0));
    return m_nan_if(max(x, y) + m_log1p_core(e), m_is_nan(x) | m_is_nan(y));
}
