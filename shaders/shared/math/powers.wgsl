// Powers, roots, and the length of a vector.
// bits.wgsl has the rules of this folder.

// log2(a) of a > 0 as the sum of the result, of 12 bits, and `low`, in all about 31 bits. a = 2^n m, m in [sqrt(3)/2, sqrt(3)),
// c = 1 or 1.5, s = (m-c)/(m+c), |s| <= 0.102; it is n + log2(c) + log2((1+s)/(1-s)). The division error is taken back by
// the exact rest (after FreeBSD e_powf.c).
fn m_log2_parts(a: F, low: ptr<function, F>) -> F {
    let small = a < F(1.17549435e-38);
    let b = bitcast<U>(select(a, a * F(16777216.0), small));
    let e = (b - U(0x3f5db3d7u)) & U(0xff800000u);
    let m = bitcast<F>(b - e);
    let n = fma(F(bitcast<I>(e)), F(1.1920929e-07), select(F(0.0), F(-24.0), small));
    let up = m > F(1.22474487);
    let c = select(F(1.0), F(1.5), up);
    let u = m - c;
    let th = m_hi(m + c);
    let tl = m - m_pin(th - c);
    let v = F(1.0) / (m + c);
    let s = u * v;
    let sh = m_hi(s);
    let sl = v * (m_pin(u - sh * th) - sh * tl);
    let z = s * s;
    let p = fma(z, fma(z, F(0.418679953), F(0.577038884)), F(0.961796761));
    // the exact parts: h = 12-bit sh * 12-bit constant, g = log2(c) cut to 12 bits
    let h = sh * F(2.88476562);
    let g = select(F(0.0), F(0.584960938), up);
    let lo = fma(s * z, p, fma(sl, F(2.88539008), fma(sh, F(0.000624456792), select(F(0.0), F(1.56322116e-06), up))));
    let t1 = m_hi(((lo + h) + g) + n);
    *low = lo + m_pin(h - m_pin((t1 - n) - g));
    return t1;
}

// pow, C99 special cases: y*log2|x| keeps about 31 bits and the exponential sees both parts.
// Max error 2.0 ULP, all x, y.
fn m_pow(x: F, y: F) -> F {
    let a = abs(x);
    var t2 = F(0.0);
    let t1 = m_log2_parts(a, &t2);
    // y*(t1 + t2); beyond +-200 the result is 0 or inf whatever the low part
    let yh = m_hi(y);
    let ph = clamp(yh * t1, F(-200.0), F(200.0));
    let pl = fma(y - yh, t1, y * t2);
    let edge = abs(ph) > F(155.0);
    let w = m_exp2_core(select(ph, clamp(ph, F(-155.0), F(130.0)), edge), select(pl, F(0.0), edge));
    // special values
    // of a denormal number too where the device takes it for 0
    let zero = bitcast<U>(a * F(16777216.0)) == U(0u);
    let end = select(U(0u), U(0x7f800000u), (a < F(1.0)) != (y > F(0.0)));
    var r = select(bitcast<U>(w), end, zero | m_is_inf(a) | m_is_inf(y));
    r = select(r, U(0x3f800000u), bitcast<U>(a) == U(0x3f800000u));
    let neg = bitcast<I>(x) < I(0);
    let hy = y * F(0.5);
    let y_int = y == trunc(y);
    r = select(r, r | U(0x80000000u), neg & y_int & (hy != trunc(hy)));
    r = select(r, U(0x7fc00000u), neg & !y_int & !zero & !m_is_inf(a));
    r = select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y));
    return bitcast<F>(select(r, U(0x3f800000u), m_is_zero(y) | (bitcast<U>(x) == U(0x3f800000u))));
}

// cbrt: x^(-1/3) from the exponent (bits/3), two third-order steps without division, one Newton step on x*r^2.
// Max error 2.0 ULP.
fn m_cbrt(x: F) -> F {
    let a = abs(x);
    let small = a < F(1e-18);
    let c = select(a, a * F(4.72236648e+21), small);
    var r = bitcast<F>(U(0x54a21d2au) - U(F(bitcast<U>(c)) * F(0.333333333)));
    var h = fma(-(c * r), r * r, F(1.0));
    r = fma(r * h, fma(h, F(0.222222222), F(0.333333333)), r);
    h = fma(-(c * r), r * r, F(1.0));
    r = fma(r * h, fma(h, F(0.222222222), F(0.333333333)), r);
    let w = r * r;
    var t = c * w;
    // (c - t^3)*r^2/3 with t in two parts, so that the rest is good unfused too
    let th = m_hi(t);
    let d = fma(-(th * th), th, c) - (t - th) * (F(3.0) * th * t);
    t = fma(d * w, F(0.333333333), t);
    t = select(t, t * F(5.96046448e-08), small);
    let u = select(bitcast<U>(m_xorsign(t, x)), bitcast<U>(x), (c == F(0.0)) | !m_is_finite(x));
    return bitcast<F>(u);
}

// hypot: both scaled by the power of two of the larger; inf wins over NaN (C99).
// Max error 1.2 ULP.
fn m_hypot(x: F, y: F) -> F {
    let ax = abs(x);
    let ay = abs(y);
    let e = clamp(bitcast<U>(max(ax, ay)) & U(0x7f800000u), U(0x00800000u), U(0x7e800000u));
    let s = bitcast<F>(U(0x7f000000u) - e);
    let p = ax * s;
    let q = ay * s;
    let r = sqrt(fma(p, p, q * q)) * bitcast<F>(e);
    var u = select(bitcast<U>(r), U(0x7fc00000u), m_is_nan(x) | m_is_nan(y));
    u = select(u, U(0x7f800000u), m_is_inf(x) | m_is_inf(y));
    return bitcast<F>(u);
}

// sqrt: the builtin.
// Max error 0.5 ULP.
fn m_sqrt(x: F) -> F {
    return sqrt(x);
}

// 1/sqrt(x): the builtin.
// Max error 1.5 ULP.
fn m_rsqrt(x: F) -> F {
    return inverseSqrt(x);
}

// 1/x: the divide operator.
// Max error 0.5 ULP.
fn m_reciprocal(x: F) -> F {
    return F(1.0) / x;
}

// x*x.
// Max error 0.5 ULP.
fn m_square(x: F) -> F {
    return x * x;
}
