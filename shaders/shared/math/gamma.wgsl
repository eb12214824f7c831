// The gamma function, the logarithm of its size, and that logarithm's derivative digamma.
// bits.wgsl has the rules of this folder. Coefficients: interpolation at Chebyshev's nodes, fitted for these files.

// 1/gamma(a) - 1 for 1/2 <= a <= 3; below 1/2 of 1 + a. Its zeros at 1 and 2 are factors: 1/gamma has no pole, so that a
// polynomial of degree 12 gives it, and it keeps its relative accuracy there.
fn m_gamma_rest(a: F) -> F {
    let s = select(a - F(1.0), a, a < F(0.5));
    let t = s - F(0.75);
    var p = fma(t, F(1.8177135e-06), F(-9.00227406e-06));
    p = fma(t, p, F(9.70908218e-07));
    p = fma(t, p, F(0.000174014451));
    p = fma(t, p, F(-0.000815070292));
    p = fma(t, p, F(0.00071296707));
    p = fma(t, p, F(0.00808599591));
    p = fma(t, p, F(-0.0342536084));
    p = fma(t, p, F(0.0239912942));
    p = fma(t, p, F(0.183602691));
    p = fma(t, p, F(-0.469681352));
    return (s * (s - F(1.0))) * p;
}

// log2 of e^((a - 1/2)(ln a - 1)) for a >= 4, times `unit`, a power of two; `low` is what the result was rounded by. Stirling's
// series gives the other factor of gamma. The first product is of 12 bits by 12, so that it is exact.
fn m_stirling_log2(a: F, unit: F, low: ptr<function, F>) -> F {
    var t = F(0.0);
    let d = m_log2_parts(a, &t) - F(1.443359375);
    let y = (a - F(0.5)) * unit;
    let yh = m_hi(y);
    let h = yh * d;
    let l = fma(y - yh, d, y * (t + F(0.000664334111)));
    let s = m_pin(h + l);
    *low = m_pin(h - s) + l;
    return s;
}

// The other factor, v = 1/a: sqrt(2 pi/e) e^(1/(12 a) - ..).
fn m_stirling_factor(v: F) -> F {
    var p = fma(v, F(0.000394540984), F(-0.00424916251));
    p = fma(v, p, F(0.00529674347));
    p = fma(v, p, F(0.126694813));
    p = fma(v, p, F(1.52034688));
    return p;
}

// a - round(a): 0 for whole numbers, and from 2^22 on.
fn m_from_whole(a: F) -> F {
    let c = min(a, F(8388608.0));
    return c - round(c);
}

// gamma: of |x| by 1/gamma on [1/2, 3] up to 4, then by Stirling's series; gamma(-a) = -1/(a r sinc(r) gamma(a)) for even n,
// where n + r = a. NaN at the negative whole numbers and -inf; the infinity of its sign at +-0.
// Max error 5.0 ULP.
fn m_gamma(x: F) -> F {
    let a = abs(x);
    let negative = bitcast<I>(x) < I(0);
    let tiny = a < F(0.5);
    let big = a >= F(4.0);
    // |x| < 4: top over bottom.
    let c = min(a, F(4.0));
    let up = c >= F(3.0);
    let one = F(1.0) + m_gamma_rest(select(c, c - F(2.0), up));
    let more = select(F(1.0), (c - F(1.0)) * (c - F(2.0)), up);
    let r = m_from_whole(a);
    let sine = r * m_sinc(r);
    var top = select(more, one, negative);
    var bottom = select(one * select(F(1.0), c, tiny), more * sine * select(c, F(1.0), tiny), negative);
    // From 4 on; 2^64 too large where x is negative, since 1/gamma may be too small for a number.
    var low = F(0.0);
    let b = clamp(a, F(4.0), F(60.0));
    let h = m_stirling_log2(b, F(1.0), &low);
    let down = m_pin(F(64.0) - h);
    let rest = m_pin(m_pin(F(64.0) - down) - h) - low;
    let e = m_exp2_core(clamp(select(h, down, negative), F(-151.0), F(130.0)), select(low, rest, negative));
    let factor = m_stirling_factor(F(1.0) / b);
    top = select(top, select(e * factor, e, negative), big);
    bottom = select(bottom, select(F(1.0), factor * (b * sine), negative), big);
    let half = round(min(a, F(8388608.0))) * F(0.5);
    let minus = negative & (half == trunc(half));
    var v = (top / bottom) * select(F(1.0), F(5.421010862427522e-20), negative & big);
    v = select(v, -v, minus);
    // At 0 and so near to it that 1/x is no number.
    let u = bitcast<U>(x);
    let pole = (u & U(0x7fffffffu)) <= U(0x00200000u);
    v = bitcast<F>(select(bitcast<U>(v), (u & U(0x80000000u)) | U(0x7f800000u), pole));
    v = m_nan_if(v, negative & (r == F(0.0)) & !pole);
    v = m_nan_if(v, u == U(0xff800000u));
    return m_keep_nan(bitcast<F>(select(bitcast<U>(v), u, u == U(0x7f800000u))), x);
}

// ln|gamma|: -log1p of m_gamma_rest between its zeros 1 and 2, so that it keeps its relative accuracy; the reflection as in
// gamma. +inf at whole numbers <= 0 and at both infinities (C99).
// Max error 5.0 ULP for x >= 0; below, of max(|result|, 1).
fn m_lgamma(x: F) -> F {
    let a = abs(x);
    let negative = bitcast<I>(x) < I(0);
    let tiny = a < F(0.5);
    let big = a >= F(4.0);
    let c = min(a, F(4.0));
    let up = c >= F(3.0);
    let rest = m_gamma_rest(select(c, c - F(2.0), up));
    let one = F(1.0) + rest;
    let r = abs(m_from_whole(a));
    let sine = r * m_sinc(r);
    let more = select(F(1.0), (c - F(1.0)) * (c - F(2.0)), up);
    // The reciprocal of what it is the logarithm of, but of Stirling's part.
    var q = select(one * select(F(1.0), c, tiny) / more, select(c * sine * more, sine, tiny) / one, negative);
    q = select(q, select(F(1.0), a * sine, negative), big);
    let near = !(negative | tiny | (c >= F(3.0)));
    let l = select(m_log(q), m_log1p_core(select(F(0.0), rest, near)), near);
    var low = F(0.0);
    let b = clamp(a, F(4.0), F(5e36));
    let h = m_stirling_log2(b, F(0.25), &low);
    let hh = m_hi(h);
    let v = F(1.0) / b;
    let z = v * v;
    var p = fma(z, F(0.000742720673), F(-0.00277661486));
    p = fma(z, p, F(0.0833333284));
    let tail = fma(F(0.25), fma(v, p, F(0.418938518)), fma(h - hh, F(0.693115234), fma(h, F(3.19461833e-05), low * F(0.693147182))));
    let stirling = select(F(0.0), F(4.0) * fma(hh, F(0.693115234), tail), big);
    let w = select(stirling, -stirling, negative) - l;
    let u = bitcast<U>(x);
    let end = (negative & (r == F(0.0))) | ((u & U(0x7fffffffu)) == U(0x7f800000u));
    return m_keep_nan(bitcast<F>(select(bitcast<U>(w), U(0x7f800000u), end)), x);
}

// digamma of a >= 0, plus `add`: between 1 and 2 the distance from its zero, which is given in two parts, times a polynomial;
// below and up to 4 by its step 1/a; then the asymptotic series. Near 0 the step is left to the caller.
fn m_digamma_core(a: F, add: F) -> F {
    let c = min(a, F(4.0));
    let y = select(select(c, c + F(1.0), c < F(1.0)), c - floor(c) + F(1.0), c >= F(2.0));
    let t = y - F(1.5);
    var p = fma(t, F(0.0109025883), F(-0.0163736194));
    p = fma(t, p, F(0.0171149895));
    p = fma(t, p, F(-0.0257868841));
    p = fma(t, p, F(0.0408500284));
    p = fma(t, p, F(-0.0620559789));
    p = fma(t, p, F(0.0949846879));
    p = fma(t, p, F(-0.148398861));
    p = fma(t, p, F(0.240542531));
    p = fma(t, p, F(-0.423627496));
    p = fma(t, p, F(0.951055884));
    let near = (m_pin(y - F(1.46163213)) - F(1.24381494e-08)) * p;
    let second = select(F(0.0), F(1.0) / (c - F(2.0)), c >= F(3.0));
    let first = select(F(0.0), F(1.0) / (c - F(1.0)), c >= F(2.0));
    let b = max(a, F(4.0));
    let v = F(1.0) / b;
    let z = v * v;
    var q = fma(z, F(-0.00339704333), F(0.00394010078));
    q = fma(z, q, F(-0.00833299011));
    q = fma(z, q, F(0.0833333358));
    let far = m_log(b) - fma(z, q, F(0.5) * v);
    return select(near + (second + first) + add, far + add, a >= F(4.0));
}

// digamma, the derivative of lgamma: at -a that of 1 + a plus pi cot(pi a). NaN at negative whole numbers, -+inf at +-0.
// Max error 5.0 ULP for x > 0; below, of max(|result|, 1, pi |cot(pi x)|).
fn m_digamma(x: F) -> F {
    let a = abs(x);
    let negative = bitcast<I>(x) < I(0);
    let r = m_from_whole(a);
    let s = abs(r);
    let half = F(0.5) - s;
    let cot = m_xorsign((half * m_sinc(half)) / select(s * m_sinc(s), F(1.0), s == F(0.0)), r) * F(3.14159274);
    let step = F(1.0) / select(a, F(1.0), a == F(0.0));
    let add = select(select(F(0.0), -step, a < F(1.0)), select(step, F(0.0), a < F(1.0)) + cot, negative);
    let v = m_digamma_core(a, add);
    let u = bitcast<U>(x);
    let pole = (u & U(0x7fffffffu)) <= U(0x00200000u);
    var w = select(bitcast<U>(v), ((u ^ U(0x80000000u)) & U(0x80000000u)) | U(0x7f800000u), pole);
    w = select(w, U(0x7fc00000u), (negative & (r == F(0.0)) & !pole) | (u == U(0xff800000u)));
    return m_keep_nan(bitcast<F>(select(w, u, u == U(0x7f800000u))), x);
}
